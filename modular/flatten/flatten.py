"""Flattens one class: the parent's renamed class with the differences of the modular class. A table of contents of `rules`."""

from collections.abc import Sequence

from modular.flatten.flatten_methods import add_methods, check_decorators, nothing
from modular.flatten.flattened import Flattened
from modular.rules.classes.bases import merge_bases
from modular.rules.classes.class_attributes import is_removal
from modular.rules.classes.config_docstrings import merge_docstring_entries
from modular.rules.classes.decorators import merge_decorators
from modular.rules.classes.docstrings import merge_docstring
from modular.rules.files.drafts import Provenance, make_output_run
from modular.source.code import SourceSlice
from modular.source.parts import DefinitionView


def flatten_class(
    parent: DefinitionView,
    own: DefinitionView,
    parent_names: frozenset[str],
    merges_docstrings: bool = False,
) -> Flattened:
    """Merge a modular class into its parent's class, which is renamed already but for the name that its parts give.

    ``parent_names`` are the spellings of the parent class among the modular's bases. With ``merges_docstrings`` the class's
    docstring is merged entry by entry.
    """
    flat = Flattened(parent, own)
    further = tuple(base for base in own.bases if base not in parent_names)
    bases = merge_bases(parent.bases, further)
    check_decorators(parent, own, flat)
    flat.add(
        "",
        parent.lead,
        merge_decorators(parent, own),
        _class_header(parent, own, bases),
    )
    before = len(flat.parts)
    for statement in {**flat.inherited_attributes, **flat.attributes}.values():
        if not is_removal(statement):
            flat.add(statement.name, statement.code)
    add_methods(parent, own, bases, flat)
    docstring = _docstring(parent, own, merges_docstrings, flat)
    flat.parts[before:before] = [
        make_output_run("", code, own.code.path, Provenance.INHERITED)
        for code in docstring
        if code.text
    ]
    if len(flat.parts) == before:
        flat.add("", nothing(own, 1))
    return flat


def _docstring(
    parent: DefinitionView, own: DefinitionView, merges: bool, flat: Flattened
) -> Sequence[SourceSlice]:
    """The docstring of the class; what was removed from the class is known by now."""
    if merges and own.docstring is not None and parent.docstring is not None:
        removed = {
            name for name, statement in flat.attributes.items() if is_removal(statement)
        }
        removed |= {target.removeprefix("self.") for target in flat.deleted}
        if (
            merged := merge_docstring_entries(parent.docstring, own.docstring, removed)
        ) is not None:
            return merged
    docstring = merge_docstring(parent, own)
    return [] if docstring is None else [docstring.code]


def _class_header(
    parent: DefinitionView, own: DefinitionView, bases: tuple[str, ...]
) -> SourceSlice:
    """The parent's header with the modular's name and type parameters, and the merged bases."""
    if own.type_parameters is None and bases == parent.bases:
        start, end = (
            offset - parent.statement.opening
            for offset in parent.statement.written_name
        )
        return parent.header.replace([(start, end, own.name)])
    return parent.header_of(
        own.name, own.type_parameters or parent.type_parameters, bases
    )
