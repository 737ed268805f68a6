"""What the cache keeps of models: results, the texts of their files, and these files as they were before formatting."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from modular.cache.fingerprints import Fingerprints
from modular.cache.result import Result, from_entry, to_entry
from modular.cache.result_cache import Cache, CachedResult, digest, digests
from modular.conversion.runs import Unformatted, unpack


if TYPE_CHECKING:
    from modular.conversion.conversion import Conversion


class Made(NamedTuple):
    """A packed conversion, its result, and the formatted texts of its files by path."""

    conversion: "Conversion"
    result: Result
    texts: Mapping[str, str]


class KeptResults:
    """What the cache keeps; nothing where there is none."""

    def __init__(self, cache: Cache | None, fingerprints: Fingerprints) -> None:
        self._cache = cache
        self._fingerprints = fingerprints
        self._last: dict[str, tuple[Result, list[str]] | None] = {}

    def close(self) -> None:
        """Give the cache back; it is opened again when it is needed."""
        if self._cache is not None:
            self._cache.close()

    def result(self, modular: str) -> tuple[Result, list[str]] | None:
        """Return a model's last result, and which of the paths that it read were generated; None if it is not known."""
        if modular not in self._last:
            entry = self._cache.head(self._fingerprints.key(modular)) if self._cache else None
            self._last[modular] = None if entry is None else from_entry(modular, entry)
        return self._last[modular]

    def texts(self, result: Result) -> Mapping[str, str] | None:
        """Return the texts of a result's files by path, or None if they are not known."""
        return self._texts(self._fingerprints.key(result.modular), result.outputs)

    def unformatted(self, result: Result) -> dict[str, Unformatted] | None:
        """Return a result's files before formatting, by path, or None if they are not known."""
        key = _unformatted_key(self._fingerprints.key(result.modular))
        entry = self._cache.head(key) if self._cache else None
        texts = self._texts(key, entry.outputs) if entry is not None and entry.reads == result.reads else None
        if entry is None or texts is None:
            return None
        return {path: unpack(text, entry.extra[path]) for path, text in texts.items()}

    def _texts(self, key: str, wanted: Mapping[str, str]) -> Mapping[str, str] | None:
        """The texts of an entry, if they are still those with some digests: another run may have written others."""
        texts = self._cache.texts(key) if self._cache else None
        return texts if texts is not None and digests(texts) == wanted else None

    def store(self, made: Iterable[Made], generated: Mapping[str, list[str]]) -> None:
        """Keep what was made but for errors, and for what changed meanwhile.

        ``generated`` are, for each model, those of the paths that it read which are generated.
        """
        if self._cache is None:
            return
        entries = []
        for conversion, result, texts in made:
            if not result.failed and self._fingerprints.are_settled(result.modular, result.reads):
                key = self._fingerprints.key(result.modular)
                self._last[result.modular] = result, generated[result.modular]
                unformatted = CachedResult(result.reads, digests(conversion.texts), conversion.runs)
                entries.append((key, to_entry(result, generated[result.modular]), texts))
                entries.append((_unformatted_key(key), unformatted, conversion.texts))
        self._cache.store(entries)


def _unformatted_key(key: str) -> str:
    """The key of a model's files before formatting; ``key`` is that of its result."""
    return digest(f"unformatted {key}".encode())
