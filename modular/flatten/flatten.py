"""Flattens one class by the rules of `modular.rules.classes`."""

from collections.abc import Sequence

from modular.flatten.flatten_methods import (
    add_methods,
    make_pass_statement,
    report_mixed_decorators,
)
from modular.flatten.flattened import Flattened
from modular.rules.classes.bases import find_replaced, merge_bases
from modular.rules.classes.class_attributes import is_removal
from modular.rules.classes.config_docstrings import merge_docstring_entries
from modular.rules.classes.decorators import merge_decorators
from modular.rules.classes.docstrings import merge_docstring
from modular.rules.files.drafts import Provenance, make_output_run
from modular.source.definition_view import DefinitionView
from modular.source.source_slice import SourceSlice


def flatten_class(
    parent: DefinitionView,
    child: DefinitionView,
    parent_names: frozenset[str],
    merges_docstrings: bool = False,
) -> Flattened:
    """Merge a class of the modular file into its parent's class.

    Args:
        parent: The parent's class. It is already renamed, except for its own name.
        child: The class of the modular file.
        parent_names: The names by which the bases of the child refer to the parent.
        merges_docstrings: Whether the docstrings are merged entry by entry.
    """
    flat = Flattened(parent, child)
    other_bases = tuple(base for base in child.bases if base not in parent_names)
    bases = merge_bases(parent.bases, other_bases)

    report_mixed_decorators(parent, child, flat)
    decorators = merge_decorators(parent, child)
    flat.add("", parent.lead, decorators, _merge_header(parent, child, bases))

    body_start = len(flat.parts)
    attributes = {**flat.inherited_attributes, **flat.attributes}
    for statement in attributes.values():
        if not is_removal(statement):
            flat.add(statement.name, statement.code)
    add_methods(parent, bases, flat)

    # The docstring comes first, but it depends on what the methods delete.
    docstring = []
    for code in _merge_docstring(parent, child, merges_docstrings, flat):
        if code.text:
            run = make_output_run("", code, flat.path, Provenance.INHERITED)
            docstring.append(run)
    flat.parts[body_start:body_start] = docstring

    if len(flat.parts) == body_start:
        flat.add("", make_pass_statement(child, 1))
    return flat


def _merge_docstring(
    parent: DefinitionView,
    child: DefinitionView,
    merges_docstrings: bool,
    flat: Flattened,
) -> Sequence[SourceSlice]:
    """Return the lines of the docstring. The methods must be flattened already."""
    if merges_docstrings and child.docstring and parent.docstring:
        removed = {target.removeprefix("self.") for target in flat.deleted}
        for name, statement in flat.attributes.items():
            if is_removal(statement):
                removed.add(name)
        merged = merge_docstring_entries(parent.docstring, child.docstring, removed)
        if merged is not None:
            return merged

    docstring = merge_docstring(parent, child)
    return [] if docstring is None else [docstring.code]


def _merge_header(
    parent: DefinitionView, child: DefinitionView, bases: tuple[str, ...]
) -> SourceSlice:
    """Return the parent's header with the child's name and the merged bases."""
    if child.type_parameters is None and bases == parent.bases:
        name_start, name_end = parent.statement.name_span
        offset = parent.statement.header_start
        edit = (name_start - offset, name_end - offset, child.name)
        return parent.header.replace([edit])
    return parent.header_of(
        child.name,
        child.type_parameters or parent.type_parameters,
        bases,
        ends_with_comma=_ends_with_comma(parent, child, bases),
    )


def _ends_with_comma(
    parent: DefinitionView, child: DefinitionView, bases: tuple[str, ...]
) -> bool:
    """Whether a comma follows the last of the merged bases where it is written.

    For a base that replaces one of the parent's, the parent's comma counts.
    """
    if not bases:
        return False
    last = bases[-1]
    if last in parent.bases:
        return parent.has_comma_after(last)
    replaced = find_replaced(last, parent.bases)
    if replaced is None:
        return child.has_comma_after(last)
    return parent.has_comma_after(replaced)
