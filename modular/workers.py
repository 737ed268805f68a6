"""Shares conversions out over processes, so that models with the same parents meet in the same one.

Each process scans the parent files that it needs once. Each has a stretch of the work for its own, and helps the others
when it is through.
"""

import gc
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import DefaultContext, ForkContext

from modular.conversion import Conversion, Converter
from modular.diagnostics import Code, Diagnostic, Place
from modular.project import Project


_CHUNK = 6
"""Models that a process takes at a time."""

_IMPORTED = re.compile(rb"^from[ \t]+(\S+)[ \t]+import\b", re.MULTILINE)

Initial = tuple[Project, Mapping[str, str], frozenset[str]]
"""What a converter is made of: the project, the fresh texts, the files that are known to be Python."""

_Chunk = Sequence[str]


def start_converter(initial: Initial) -> Converter:
    """Make the converter of a process."""
    gc.set_threshold(
        100_000, 30, 100
    )  # scanned files are many small objects that stay: looking at them often is waste
    return Converter(*initial)


def convert_in_processes(initial: Initial, modulars: Sequence[str], jobs: int) -> Iterator[list[Conversion]]:
    """Convert models in ``jobs`` processes; yield what is done as it is done. Conversions come without origins.

    Where a process dies, each of the models that it had is tried once more in a process of its own.
    """
    stretches = _stretches(_by_parent(initial[0], modulars), jobs)
    unfinished: list[str] = []
    with _processes(initial, len(stretches)) as connections:
        yield from _hand_out(connections, stretches, unfinished)
    for modular in unfinished:
        with _processes(initial, 1) as (connection,):
            connection.send([modular])
            try:
                yield connection.recv()
            except (EOFError, OSError):
                yield [_died(modular)]


@contextmanager
def _processes(initial: Initial, count: int) -> Iterator[list[Connection]]:
    """Start processes that convert what is sent to them, and end them."""
    forks = "fork" in get_all_start_methods()
    context: DefaultContext | ForkContext = get_context("fork") if forks else get_context()
    connections: list[Connection] = []
    processes = []
    for _ in range(count):
        ours, theirs = context.Pipe()
        connections.append(ours)
        process = context.Process(target=_serve, args=(theirs, initial, connections if forks else ()), daemon=True)
        process.start()
        theirs.close()
        processes.append(process)
    try:
        yield connections
    finally:
        for connection in connections:
            with suppress(OSError):
                connection.send(None)
        for process in processes:
            process.join()


def _serve(connection: Connection, initial: Initial, not_ours: Sequence[Connection]) -> None:
    """Convert what comes in until nothing comes any more.

    ``not_ours`` are the other ends of connections that a fork has copied. While they are open here, nobody here would see
    that the process at them was killed.
    """
    for each in not_ours:
        each.close()
    converter = start_converter(initial)
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while (chunk := connection.recv()) is not None:
            connection.send([converter.convert(modular).without_origins() for modular in chunk])


def _hand_out(
    connections: Sequence[Connection], stretches: list[deque[_Chunk]], unfinished: list[str]
) -> Iterator[list[Conversion]]:
    """Keep every process busy: with its own stretch from the front, then with the longest other from the back.

    What a process that died has not done is added to ``unfinished``.
    """
    running: dict[Connection, _Chunk] = {}

    def give(connection: Connection) -> None:
        if chunk := _next(stretches[connections.index(connection)], stretches):
            running[connection] = chunk
            with suppress(OSError):
                connection.send(chunk)

    for connection in connections:
        give(connection)
    while running:
        for ready in wait(list(running)):
            assert isinstance(ready, Connection)
            chunk = running.pop(ready)
            try:
                yield ready.recv()
            except (EOFError, OSError):
                unfinished += chunk
                continue
            give(ready)
    unfinished += [modular for stretch in stretches for chunk in stretch for modular in chunk]


def _next(own: deque[_Chunk], stretches: Sequence[deque[_Chunk]]) -> _Chunk | None:
    if own:
        return own.popleft()
    longest = max(stretches, key=len)
    return longest.pop() if longest else None


def _died(modular: str) -> Conversion:
    message = "the process that converted this file was ended from outside"
    hint = "run again with `--jobs 1`; is there enough memory?"
    return Conversion(modular, diagnostics=[Diagnostic(Code.INTERNAL, Place(modular), message, hint)])


def _by_parent(project: Project, modulars: Sequence[str]) -> list[str]:
    """Order models so that those with a much-used parent in common stand together."""
    imported = {modular: _imported(project, modular) for modular in modulars}
    uses = Counter(each for found in imported.values() for each in found)
    main = {
        modular: max(found, key=lambda each: (uses[each], each), default=b"") for modular, found in imported.items()
    }
    return sorted(modulars, key=lambda modular: (-uses[main[modular]], main[modular], modular))


def _imported(project: Project, modular: str) -> set[bytes]:
    try:
        text = (project.root / modular).read_bytes()
    except OSError:
        return set()
    return {each for each in _IMPORTED.findall(text) if b"_" in each.rpartition(b".")[2] and each.count(b".") > 1}


def _stretches(modulars: Sequence[str], jobs: int) -> list[deque[_Chunk]]:
    chunks = [modulars[start : start + _CHUNK] for start in range(0, len(modulars), _CHUNK)]
    size = -(-len(chunks) // jobs)
    return [deque(chunks[start : start + size]) for start in range(0, len(chunks), size)]
