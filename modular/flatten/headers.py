"""Merges the headers of classes and methods: the lines from `class` or `def` to the colon."""

from collections.abc import Mapping

from modular.rules.classes.bases import find_replaced
from modular.source.definition_view import DefinitionView
from modular.source.headers import colon_of
from modular.source.scan import count_leading_blanks
from modular.source.source_slice import SourceSlice


_ARROW = "->"


def merge_class_header(
    parent: DefinitionView, child: DefinitionView, bases: tuple[str, ...]
) -> SourceSlice:
    """Return the parent's header with the child's name and the merged bases.

    `class LlamaMLP(nn.Module):` becomes `class MyModelMLP(nn.Module):`.
    """
    # Replacing the name alone keeps the formatting of the header, and is faster.
    if child.type_parameters is None and bases == parent.bases:
        name_start, name_end = parent.statement.name_span
        offset = parent.statement.header_start
        edit = (name_start - offset, name_end - offset, child.name)
        return parent.header.replace([edit])
    return parent.changed_class_header(
        child.name,
        child.type_parameters or parent.type_parameters,
        bases,
        ends_with_comma=_ends_with_comma(parent, child, bases),
    )


def _ends_with_comma(
    parent: DefinitionView, child: DefinitionView, bases: tuple[str, ...]
) -> bool:
    """Whether the merged header of a class has a comma after its last base.

    Formatters write one base per line if there is a comma, as in `class A(Base,):`. The
    header that the last base comes from decides. If a base of the child replaces a base
    of the parent, the parent's header decides.

    Args:
        parent: The parent class.
        child: The class of the modular file.
        bases: The merged bases of both classes.
    """
    if not bases:
        return False
    last = bases[-1]
    if last in parent.bases:
        return parent.has_comma_after(last)
    # The child's `PreTrainedVisionModel` replaces the parent's `PreTrainedModel`.
    replaced = find_replaced(last, parent.bases)
    if replaced is not None:
        return parent.has_comma_after(replaced)
    return child.has_comma_after(last)


def complete_method_header(
    parent: DefinitionView, child: DefinitionView, changes: Mapping[str, object]
) -> SourceSlice:
    """Return the header of an override with what only the parent's header has.

    If the parent has `def forward(self, x) -> Tensor:`, the override `def forward(self):`
    becomes `def forward(self) -> Tensor:`. Line breaks and comments between `(` and the
    first parameter are the parent's, too.

    Args:
        parent: The method of the parent class.
        child: The override.
        changes: Other changes of the header, as attributes of the override's LibCST node.
    """
    node_changes = dict(changes)
    if _text_before_parameters(child) != _text_before_parameters(parent):
        # For LibCST, line breaks and comments are whitespace, too.
        whitespace = parent.function_node.whitespace_before_params
        node_changes["whitespace_before_params"] = whitespace

    header = child.header
    # Most headers have no changes. They are not parsed, because that is slow.
    if node_changes:
        node = child.function_node.with_changes(**node_changes)
        header = child.changed_function_header(node)
    if _ARROW in parent.header.masked_text and _ARROW not in header.masked_text:
        start, end = _arrow_and_annotation_span(parent.header)
        arrow_and_annotation = parent.header.text[start:end]
        # In the override's header, the span is empty: it is the place after `)`.
        position, _ = _arrow_and_annotation_span(header)
        header = header.replace([(position, position, arrow_and_annotation)])
    return header


def _arrow_and_annotation_span(header: SourceSlice) -> tuple[int, int]:
    """Return the span of ` -> tuple` in `def f(self) -> tuple:`.

    In `def f(self):`, the span is empty, and lies between `)` and `:`.
    """
    colon = colon_of(header.masked_text, start=0)
    text_before_colon = header.masked_text[:colon].rstrip()
    # Without an arrow, this is the whole text, so both offsets are equal.
    text_before_arrow = text_before_colon.partition(_ARROW)[0].rstrip()
    return len(text_before_arrow), len(text_before_colon)


def _text_before_parameters(method: DefinitionView) -> str:
    """Return the comments and line ends between `(` and the first parameter."""
    masked_text = method.header.masked_text
    name_end = method.statement.name_span[1] - method.statement.header_start
    start = masked_text.index("(", name_end) + 1
    end = start + count_leading_blanks(masked_text[start:])
    return method.header.text[start:end].strip(" ")
