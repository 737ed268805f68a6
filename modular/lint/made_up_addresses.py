"""A rule for addresses and Hub ids that the renaming changes."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from modular.flatten.outputs import OutputStatement
from modular.lint.rule import LintRule, Precision
from modular.rules.files.drafts import OutputRun
from modular.rules.reading.renamed_file import ParentSource
from modular.source import scan
from modular.source.diagnostics import Problem
from modular.source.places import place_at


_TOKEN_ENDS = frozenset(" \t\n\"'`<>()[]{}|,;*#")
_MAX_ADDRESS_CHARS = 300
_MAX_CACHED_FILES = 512
_PYTHON_SUFFIX = ".py"


class MadeUpAddress(LintRule):
    """The renaming changes a web address or the id of a repository on the Hub.

    modular also renames strings and comments of the parent files. A renamed address, or
    a renamed id such as `meta-llama/Llama-2-7b-hf`, names something that nobody has
    published. One finding lists all of them. In transformers they occur in
    documentation only, so the code itself is not affected.

    List the whole string in the setting `keep-names`. If the address is inside a longer
    string or a comment, override the code that contains it.

    Given `models/siglip/modeling_siglip.py`:

    ```python
    class SiglipModel:
        checkpoint = "google/siglip-base-224"
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipModel


    class OlmoModel(SiglipModel):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:4:7: the renaming makes up `google/olmo-base-224`
    hint: add "google/siglip-base-224" to the setting `keep-names`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipModel


    class OlmoModel(SiglipModel):
        checkpoint = "allenai/olmo-1b"
    ```
    """

    code = Problem.MADE_UP_ADDRESS
    message = "the renaming makes up {listed}"
    precision = Precision(findings=96, real=0)
    hint = "{advice}"

    def check(self) -> None:
        """Report the addresses in the code of parent files, in one finding."""
        addresses = self._find_made_up()
        if not addresses:
            return

        first = next(iter(addresses.values()))
        offset = first.run.code.text.index(first.new_text)
        place, related = self.context.attribute_to_modular(
            first.statement.name,
            place_at(first.run.code, offset, len(first.new_text)),
        )
        whole_strings = [
            f'"{address.text}"' for address in addresses.values() if address.is_whole
        ]
        advice = "override what contains it"
        if whole_strings:
            advice = f"add {', '.join(whole_strings)} to the setting `keep-names`"
        self.report(
            place,
            related=related,
            listed=", ".join(f"`{text}`" for text in addresses),
            advice=advice,
        )

    def _find_made_up(self) -> "dict[str, _MadeUpAddress]":
        """Return the first generated lines with each address that the renaming changes."""
        renamed: dict[str, dict[str, _Address]] = {}
        for path, parent in self.layout.parents.items():
            for address in _find_addresses(parent.source):
                new_text = parent.renamer.word(address.text)
                if new_text != address.text:
                    renamed.setdefault(path, {})[new_text] = address
        if not renamed:
            return {}

        found: dict[str, _MadeUpAddress] = {}
        for statement, run in self._runs():
            for new_text, address in renamed.get(run.code.path, {}).items():
                if address.line < run.code.line or new_text in found:
                    continue
                if new_text in run.code.text:
                    found[new_text] = _MadeUpAddress(
                        address.text, address.is_whole, new_text, statement, run
                    )
        return found

    def _runs(self) -> Iterator[tuple[OutputStatement, OutputRun]]:
        """Yield the runs of lines of all output files with their statements."""
        for file in self.context.files:
            for statement in file.statements:
                for run in statement.parts:
                    yield statement, run


class _Address(NamedTuple):
    """An address in a parent file: its text, its line, and whether a string holds nothing else."""

    text: str
    line: int
    is_whole: bool


class _MadeUpAddress(NamedTuple):
    """An address in generated code before and after the renaming, and the lines that hold it."""

    text: str
    is_whole: bool
    new_text: str
    statement: OutputStatement
    run: OutputRun


@lru_cache(maxsize=_MAX_CACHED_FILES)
def _find_addresses(source: ParentSource) -> tuple[_Address, ...]:
    """Return the addresses in the strings and comments of a parent file that name its model."""
    text, mask = source.module.code.text, source.module.code.mask
    addresses = []
    end = 0
    for site in source.rename_sites:
        is_in_text = mask[site.start] in (scan.STRING, scan.COMMENT)
        if site.start < end or site.form is None or not is_in_text:
            continue
        start = _find_start(text, site.start)
        end = _find_end(text, site.end)
        token = text[start:end].rstrip(".:")
        if "/" in token and _is_address(token):
            is_whole = text[start - 1] == '"' == text[end : end + 1]
            line = text.count("\n", 0, start) + 1
            addresses.append(_Address(token, line, is_whole))
    return tuple(addresses)


def _find_start(text: str, position: int) -> int:
    """Return the offset at which the word around a position begins."""
    limit = max(0, position - _MAX_ADDRESS_CHARS)
    while position > limit and text[position - 1] not in _TOKEN_ENDS:
        position -= 1
    return position


def _find_end(text: str, position: int) -> int:
    """Return the offset after the word around a position."""
    limit = min(len(text), position + _MAX_ADDRESS_CHARS)
    while position < limit and text[position] not in _TOKEN_ENDS:
        position += 1
    return position


def _is_address(token: str) -> bool:
    """Whether a word is an address, or an id on the Hub such as `google/gemma-7b`.

    The name in an id has a digit or a hyphen. Without one it may be an alternative, as
    in `Llama/Mistral`.
    """
    if "://" in token:
        return True
    owner, _, name = token.partition("/")
    characters = (owner + name).replace("-", "").replace(".", "").replace("_", "")
    if not owner or "/" in name or not characters.isalnum():
        return False
    has_mark = "-" in name or any(character.isdigit() for character in name)
    return has_mark and not name.endswith(_PYTHON_SUFFIX)
