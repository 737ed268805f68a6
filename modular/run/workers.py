"""Shares conversions out over processes, so that models with the same parents meet in the same one.

Each process scans the parent files that it needs once in a run. Each has a stretch of the work for its own, and helps the
others when it is through.
"""

import os
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Protocol, cast

from modular.conversion.conversion import Conversion
from modular.project.project import Project
from modular.run import early
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.import_statements import mentioned
from modular.source.loading import LARGEST
from modular.source.reading import read_bytes
from modular.source.ruff import FormatterError, ruff_executable


if TYPE_CHECKING:
    from multiprocessing.context import DefaultContext, ForkContext  # the latter is not on every platform

    from modular.conversion.converter import Converter
    from modular.run.converting import Channel, Initial

_WORTH_PROCESSES = 12
"""Models below which other processes cost more than they give."""

_CHUNK = 6
"""Models that a process takes at a time, at most."""

_SAFE_PATH = "PYTHONSAFEPATH"

_Module = tuple[int, str]
_Chunk = Sequence[str]
_Fresh = tuple[str, str | None]
"""The path of a file, and its fresh text; None: it is on disk."""


class _Process(Protocol):
    def join(self) -> None: ...


@dataclass(eq=False)
class _Worker:
    """Another process that converts models, and how many of the fresh texts it was told of."""

    connection: "Channel"
    process: _Process
    told: int


class Workers:
    """The converters of a run: one of this process and, where there is enough to do, others of more processes."""

    def __init__(self, project: Project, jobs: int, fresh: Mapping[str, str]) -> None:
        self._project = project
        self._jobs = jobs
        self._fresh: list[_Fresh] = list(fresh.items())
        self._others: list[_Worker] = []
        self._here: Converter | None = None

    @property
    def here(self) -> "Converter":
        """The converter of this process. What it needs is loaded when it is first asked for."""
        if self._here is None:
            from modular.run.converting import start_converter

            self._here = start_converter(self._initial())
        return self._here

    def _initial(self) -> "Initial":
        overlay = {path: text for path, text in dict(self._fresh).items() if text is not None}
        return self._project, overlay

    def refresh(self, path: str, text: str | None) -> None:
        """Let all converters take a fresh text for a file; None: what is on disk."""
        self._fresh.append((path, text))
        if self._here is not None:
            self._here.refresh(path, text)

    def convert(self, modulars: Sequence[str], ahead: Collection[str]) -> Iterator[list[Conversion]]:
        """Convert models; yield what is done as it is done. ``ahead`` are all that are to be converted, these or later.

        They are packed. Where a process dies, each of the models that it had is tried once more in a process of its own.
        """
        if not self._others and self._jobs > 1:
            self._find_others(ahead)
        if not self._others:
            for modular in modulars:
                yield [self.here.convert(modular).packed()]
            return
        unfinished: list[str] = []
        stretches = _stretches(_by_parent(self._project, modulars), len(self._others))
        yield from self._hand_out(stretches, unfinished)
        for modular in unfinished:
            yield self._once_more(modular)

    def _find_others(self, ahead: Collection[str]) -> None:
        """Start as many processes as there may be; few models are only worth the one that was started early, if it was."""
        if len(ahead) >= _WORTH_PROCESSES:
            early.stop()
            for _ in range(self._jobs):
                self._others.append(self._start())
        elif (found := early.take()) is not None:
            self._project.rivals("")  # so that it is found out here, while the other one still loads
            with suppress(FormatterError):
                ruff_executable()  # likewise: to find it, one has to know how Python is installed
            with suppress(OSError):
                found.send(self._initial())
            self._others.append(_Worker(found, found, len(self._fresh)))

    def stop(self) -> None:
        """End the other processes."""
        for worker in self._others:
            _end(worker)
        self._others = []

    def _start(self) -> _Worker:
        from modular.run.converting import serve

        forks = "fork" in get_all_start_methods()
        context: DefaultContext | ForkContext = get_context("fork") if forks else get_context()
        ours, theirs = context.Pipe()
        copied = [*(worker.connection for worker in self._others), ours] if forks else []
        process = context.Process(target=serve, args=(theirs, self._initial(), copied), daemon=True)
        with _safe_path():
            process.start()
        theirs.close()
        return _Worker(ours, process, len(self._fresh))

    def _hand_out(self, stretches: list[deque[_Chunk]], unfinished: list[str]) -> Iterator[list[Conversion]]:
        """Keep every process busy: with its own stretch from the front, then with the longest other from the back.

        What a process that died has not done is added to ``unfinished``.
        """
        own = dict(zip(self._others, stretches))
        running: dict[Channel, tuple[_Worker, _Chunk]] = {}

        def give(worker: _Worker) -> None:
            if chunk := _next(own.get(worker), stretches):
                running[worker.connection] = (worker, chunk)
                with suppress(OSError):
                    worker.connection.send((self._fresh[worker.told :], chunk))
                worker.told = len(self._fresh)

        for worker in self._others:
            give(worker)
        while running:
            for ready in wait(cast("list[Connection]", list(running))):
                worker, chunk = running.pop(cast("Channel", ready))
                try:
                    yield worker.connection.recv()
                except (EOFError, OSError):
                    unfinished += chunk
                    self._others.remove(worker)
                    _end(worker)
                    continue
                give(worker)
        unfinished += [modular for stretch in stretches for chunk in stretch for modular in chunk]

    def _once_more(self, modular: str) -> list[Conversion]:
        """Convert a model in a process of its own, for it may be what ended another."""
        worker = self._start()
        try:
            worker.connection.send(([], [modular]))
            found: list[Conversion] = worker.connection.recv()
        except (EOFError, OSError):
            return [_died(modular)]
        finally:
            _end(worker)
        return found


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let a Python that is started anew not look into the current folder, which may be a stranger's project."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _end(worker: _Worker) -> None:
    worker.connection.close()  # whoever waits to send or to receive sees that nobody is there
    worker.process.join()


def _next(own: deque[_Chunk] | None, stretches: Sequence[deque[_Chunk]]) -> _Chunk | None:
    if own:
        return own.popleft()
    longest = max(stretches, key=len)
    return longest.pop() if longest else None


def _died(modular: str) -> Conversion:
    message = "the process that converted this file was killed"
    hint = "run again with `--jobs 1`; is there enough memory?"
    return Conversion(modular, diagnostics=[Diagnostic(Problem.INTERNAL, Place(modular), message, hint)])


def _by_parent(project: Project, modulars: Sequence[str]) -> list[str]:
    """Order models so that those with a much-used parent in common stand together."""
    imported = {modular: _imported(project, modular) for modular in modulars}
    uses = Counter(each for found in imported.values() for each in found)
    main = {
        modular: max(found, key=lambda each: (uses[each], each), default=(0, ""))
        for modular, found in imported.items()
    }
    return sorted(modulars, key=lambda modular: (-uses[main[modular]], main[modular], modular))


def _imported(project: Project, modular: str) -> set[_Module]:
    """The modules of models that a modular file imports from, with their leading dots."""
    try:
        text = read_bytes(project.root / modular, LARGEST).decode(errors="replace")
    except OSError:
        return set()
    return {(level, module) for level, module in mentioned(text) if "_" in module.rpartition(".")[2] and "." in module}


def _stretches(modulars: Sequence[str], jobs: int) -> list[deque[_Chunk]]:
    chunk = min(_CHUNK, -(-len(modulars) // jobs))
    chunks = [modulars[start : start + chunk] for start in range(0, len(modulars), chunk)]
    size = -(-len(chunks) // jobs)
    return [deque(chunks[start : start + size]) for start in range(0, len(chunks), size)]
