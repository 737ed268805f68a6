"""What came of one modular file, and how the cache keeps it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from modular.cache.fingerprints import Fingerprints
from modular.cache.result_cache import Cache
from modular.source.diagnostics import Diagnostic, has_errors


@dataclass(frozen=True)
class Result:
    """What came of one modular file.

    ``outputs`` are the digests of its files by path; the texts are there at once or are fetched by ``texts``. ``reads``
    are the digests (None: no such file) of the paths at which parent files were looked for; ``generated`` are those of
    these paths that are generated.
    """

    modular: str
    outputs: Mapping[str, str] = field(default_factory=dict)
    reads: Mapping[str, str | None] = field(default_factory=dict)
    generated: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    source_lines: int = 0
    output_lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether there was an error."""
        return has_errors(self.diagnostics)


class Made(NamedTuple):
    """A result, and the texts of its files by path."""

    result: Result
    texts: Mapping[str, str]


class KeptResults:
    """What the cache keeps of models: results and the texts of their files; nothing where there is no cache."""

    def __init__(self, cache: Cache | None, fingerprints: Fingerprints) -> None:
        self._cache = cache
        self._fingerprints = fingerprints
        self._last: dict[str, Result | None] = {}

    def result(self, modular: str) -> Result | None:
        """Return a model's last result, which may have read something older than what is there now; None if there is none."""
        if modular not in self._last:
            head = None if self._cache is None else self._cache.head(self._fingerprints.key(modular))
            self._last[modular] = None if head is None else _from_head(modular, head)
        return self._last[modular]

    def texts(self, result: Result) -> Mapping[str, str] | None:
        """Return the texts of a result's files by path, or None if they are not known."""
        return self._cache.texts(self._fingerprints.key(result.modular), result.outputs) if self._cache else None

    def store(self, made: Iterable[Made]) -> None:
        """Keep what was made but for errors, and for what changed meanwhile."""
        if self._cache is None:
            return
        entries = []
        for result, texts in made:
            if not result.failed and self._fingerprints.are_settled(result.modular, result.reads):
                self._last[result.modular] = result
                entries.append((self._fingerprints.key(result.modular), _as_head(result), texts))
        self._cache.store(entries)


def _as_head(result: Result) -> list[object]:
    diagnostics = [diagnostic.as_json() for diagnostic in result.diagnostics]
    values = result.reads, result.generated, diagnostics, result.source_lines, result.output_lines
    return [dict(result.outputs), *values]


def _from_head(modular: str, head: list[Any]) -> Result:
    outputs, reads, generated, diagnostics, source_lines, output_lines = head
    problems = tuple(Diagnostic.from_json(diagnostic) for diagnostic in diagnostics)
    return Result(modular, outputs, reads, tuple(generated), problems, source_lines, output_lines)
