"""A rule for addresses, Hub ids and packages that the renaming changes."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from modular.lint.rule import LintRule, Precision
from modular.rules.reading.renamed_file import ParentSource, RenamedFile
from modular.source.addresses import find_address
from modular.source.diagnostics import Problem
from modular.source.places import place_at
from modular.source.source_slice import SourceSlice


_MAX_CACHED_FILES = 512


class MadeUpAddress(LintRule):
    """The renaming changes a web address, a package or the id of a repository on the Hub.

    The text then names something that does not exist. modular renames strings and
    comments of the parent files, so `meta-llama/Llama-2-7b-hf` becomes
    `meta-olmo/Olmo-2-7b-hf`. In transformers this concerns only documentation. One
    finding lists all places of a model.

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
        """Report all addresses in inherited code that the renaming changes, in one finding.

        An address is a web address, an id on the Hub such as `google/siglip-base-224`, or
        a package. The new one, such as `google/olmo-base-224`, is made up: nobody has
        published it.
        """
        made_up = self._find_made_up()
        if not made_up:
            return

        # The finding is at the line of the modular file that brings in the first address,
        # such as the header of a class. `related` is the address in the parent file.
        first = made_up[0]
        offset = first.code.text.index(first.new_text)
        place, related = self.context.attribute_to_modular(
            first.statement_name,
            place_at(first.code, offset, len(first.new_text)),
        )
        # The setting `keep-names` lists whole strings. It does not help if an address is
        # only a part of a string or comment.
        strings_to_keep = []
        for address in made_up:
            if address.original.is_whole_string:
                strings_to_keep.append(f'"{address.original.text}"')
        advice = "override what contains it"
        if strings_to_keep:
            advice = f"add {', '.join(strings_to_keep)} to the setting `keep-names`"
        self.report(
            place,
            related=related,
            listed=", ".join(f"`{address.new_text}`" for address in made_up),
            advice=advice,
        )

    def _find_made_up(self) -> "list[_MadeUpAddress]":
        """Return the addresses in generated code that the renaming has changed.

        If a parent file contains `google/siglip-base-224`, the generated code contains
        `google/olmo-base-224`. The second address is returned once, with the first piece
        of generated code that contains it.
        """
        # The changed addresses of each parent file.
        addresses_by_path = {}
        for path, parent in self.layout.parents.items():
            addresses_by_path[path] = _find_changed_addresses(parent)

        made_up: dict[str, _MadeUpAddress] = {}
        for statement_name, code in self._generated_code():
            # The code of the modular file is in no parent file.
            addresses = addresses_by_path.get(code.path, {})
            for new_text, original in addresses.items():
                if new_text not in made_up and _contains(code, new_text, original):
                    made_up[new_text] = _MadeUpAddress(
                        original, new_text, statement_name, code
                    )
        return list(made_up.values())

    def _generated_code(self) -> Iterator[tuple[str, SourceSlice]]:
        """Yield the code of the output files in pieces, each with the name of its statement.

        A piece has one or more lines, which come from the same source file.
        """
        for file in self.context.files:
            for statement in file.statements:
                for run in statement.parts:
                    yield statement.name, run.code


class _Address(NamedTuple):
    """An address in a parent file.

    Attributes:
        text: The address.
        line: The number of its line, from 1.
        is_whole_string: Whether it is a whole string, and not a part of it or of a comment.
    """

    text: str
    line: int
    is_whole_string: bool


class _MadeUpAddress(NamedTuple):
    """An address in generated code that the renaming has changed.

    Attributes:
        original: The address in the parent file.
        new_text: The address in the generated code.
        statement_name: The name of the generated statement that contains it.
        code: The lines of this statement that contain it.
    """

    original: _Address
    new_text: str
    statement_name: str
    code: SourceSlice


def _find_changed_addresses(parent: RenamedFile) -> dict[str, _Address]:
    """Return the addresses in a parent file that the renaming changes, by their new texts.

    The address `google/siglip-base-224` has the new text `google/olmo-base-224`.
    """
    address_by_new_text = {}
    for address in _find_addresses(parent.source):
        new_text = parent.renamer.part_of_text(address.text)
        if new_text != address.text:
            address_by_new_text[new_text] = address
    return address_by_new_text


def _contains(code: SourceSlice, new_text: str, original: _Address) -> bool:
    """Whether generated code contains a changed address.

    Code that begins below the address in the parent file cannot contain it, although the
    text may be there: `google/olmo-base` is a part of `google/olmo-base-224`.

    Args:
        code: A piece of generated code, with the number of its first line in the parent
            file.
        new_text: The changed address.
        original: The address in the same parent file.
    """
    begins_below_address = code.line > original.line
    return not begins_below_address and new_text in code.text


@lru_cache(maxsize=_MAX_CACHED_FILES)
def _find_addresses(source: ParentSource) -> tuple[_Address, ...]:
    """Return the addresses in the strings and comments of a parent file that name its model.

    In a file of the model `siglip`, the id `google/siglip-base-224` is one of them.
    """
    text, mask = source.module.code.text, source.module.code.mask
    addresses = []
    end_of_last_address = 0
    # The places in the file that the renaming changes, in their order. Each is the name
    # of the model, such as `siglip`, or a comment that the renaming removes.
    for site in source.rename_sites:
        is_removed_comment = site.form is None
        # An address may contain the name of the model twice.
        is_in_last_address = site.start < end_of_last_address
        if is_removed_comment or is_in_last_address:
            continue
        # None if the name is in no address.
        address = find_address(text, mask, site.start, site.end)
        if address is None:
            continue
        end_of_last_address = address.end
        # An address that is the whole string has quotes directly around it.
        with_quotes = text[address.start - 1 : address.end + 1]
        is_whole_string = with_quotes == f'"{address.text}"'
        line = text.count("\n", 0, address.start) + 1
        addresses.append(_Address(address.text, line, is_whole_string))
    return tuple(addresses)
