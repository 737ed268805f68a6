"""What came of one modular file, and how the cache keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from modular.cache.result_cache import CachedResult
from modular.source.diagnostics import Diagnostic, has_errors


@dataclass(frozen=True)
class Result:
    """What came of one modular file.

    ``outputs`` are the digests of its files by path; the texts are there at once or are fetched by ``texts``. ``reads``
    are the digests (None: no such file) of the paths at which parent files were looked for.
    """

    modular: str
    outputs: Mapping[str, str] = field(default_factory=dict)
    reads: Mapping[str, str | None] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    source_lines: int = 0
    output_lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether there was an error."""
        return has_errors(self.diagnostics)


def to_entry(result: Result, generated: list[str]) -> CachedResult:
    diagnostics = [each.as_json() for each in result.diagnostics]
    extra = [diagnostics, result.source_lines, dict(result.output_lines), generated]
    return CachedResult(result.reads, result.outputs, extra)


def from_entry(modular: str, entry: CachedResult) -> tuple[Result, list[str]]:
    diagnostics, source_lines, output_lines, generated = entry.extra
    found = tuple(Diagnostic.from_json(each) for each in diagnostics)
    return Result(modular, entry.outputs, entry.reads, found, source_lines, output_lines), generated
