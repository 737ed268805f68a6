"""A rule for addresses, Hub ids and packages that the renaming changes."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from modular.flatten.outputs import OutputStatement
from modular.lint.rule import LintRule, Precision
from modular.rules.files.drafts import OutputRun
from modular.rules.reading.renamed_file import ParentSource
from modular.source.addresses import find_address
from modular.source.diagnostics import Problem
from modular.source.places import place_at


_MAX_CACHED_FILES = 512


class MadeUpAddress(LintRule):
    """The renaming changes a web address, a package or the id of a repository on the Hub.

    modular also renames strings and comments of the parent files. A renamed address, a
    renamed id such as `meta-llama/Llama-2-7b-hf`, or a renamed package as in
    `pip install mamba-ssm` names something that nobody has published. One finding lists
    all of them. In transformers they occur in
    documentation only, so the code itself is not affected.

    Set `rename-checkpoints` to false to keep all of them, or list a whole string in the
    setting `keep-names`. If the address is inside a longer string or a comment, override
    the code that contains it.

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

    Given `models/mamba/modeling_mamba.py`:

    ```python
    class MambaMixer:
        # Run `pip install mamba-ssm` first.
        kernel = None
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..mamba.modeling_mamba import MambaMixer


    class OlmoMixer(MambaMixer):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:4:7: the renaming makes up `olmo-ssm`
    hint: override what contains it
    ```
    """

    code = Problem.MADE_UP_ADDRESS
    message = "the renaming makes up {listed}"
    precision = Precision(findings=96, real=0)
    hint = "{advice}"

    def check(self) -> None:
        """Report all addresses in inherited code that the renaming changes, in one finding."""
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
        """Return the addresses in generated code that the renaming has changed.

        Returns:
            The addresses by their new texts, each with the first lines that contain it.
        """
        # The addresses of each parent file, by the path of the file and by their new text.
        renamed = self._find_renamed_addresses()
        if not renamed:
            return {}
        made_up: dict[str, _MadeUpAddress] = {}
        for statement, run in self._runs():
            for new_text, address in renamed.get(run.code.path, {}).items():
                # Lines from below the address in the parent file cannot contain it, so
                # their text is not searched.
                is_above = address.line < run.code.line
                if is_above or new_text in made_up or new_text not in run.code.text:
                    continue
                made_up[new_text] = _MadeUpAddress(
                    address.text, address.is_whole, new_text, statement, run
                )
        return made_up

    def _find_renamed_addresses(self) -> "dict[str, dict[str, _Address]]":
        """Return the addresses that the renaming changes, by path of the parent file and new text."""
        renamed: dict[str, dict[str, _Address]] = {}
        for path, parent in self.layout.parents.items():
            for address in _find_addresses(parent.source):
                new_text = parent.renamer.part_of_text(address.text)
                if new_text != address.text:
                    renamed.setdefault(path, {})[new_text] = address
        return renamed

    def _runs(self) -> Iterator[tuple[OutputStatement, OutputRun]]:
        """Yield all runs of lines in the output files, each with its statement."""
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
    """Return the addresses in the strings and comments of a parent file that name its model.

    An address is a web address, a name on the Hub such as `google/siglip`, or a package.
    """
    text, mask = source.module.code.text, source.module.code.mask
    addresses = []
    end_of_last = 0
    # The places in the file where the model's name is written, in their order.
    for site in source.rename_sites:
        # An address may contain the name twice. A comment that the renaming only removes
        # has no form of the name.
        is_in_last = site.start < end_of_last
        if is_in_last or site.form is None:
            continue
        address = find_address(text, mask, site.start, site.end)
        if address is None:
            continue
        end_of_last = address.end
        # With quotes directly around the address, it is the whole string.
        text_after = text[address.end : address.end + 1]
        is_whole = text[address.start - 1] == text_after == '"'
        line = text.count("\n", 0, address.start) + 1
        addresses.append(_Address(address.text, line, is_whole))
    return tuple(addresses)
