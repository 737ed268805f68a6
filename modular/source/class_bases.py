"""Reads the bases of classes."""

from modular.source import shortcuts
from modular.source.blocks import Statement


def read_bases(class_: Statement) -> tuple[str, ...]:
    """Return the bases of a class: `nn.Module` and `Mixin` for `A(nn.Module, Mixin)`.

    Each base is listed once. Keyword arguments such as `metaclass=` are left out.

    Raises:
        modular.source.unreadable.UnreadableError: LibCST cannot read the header.
    """
    _, name_end = class_.name_span
    # A pattern reads most headers; parsing them would be slow.
    names = shortcuts.plain_bases(class_.code.masked_text, name_end, class_.header_end)
    if names is None:
        names = _parse_bases(class_)
    return tuple(dict.fromkeys(names))


def _parse_bases(class_: Statement) -> list[str]:
    """Return the bases of a class from its tree."""
    # Commands that convert nothing read bases, too. LibCST takes time to load, and is
    # rarely needed here.
    import libcst as cst

    from modular.source.trees import node_text, statement_tree

    node = cst.ensure_type(statement_tree(class_).node, cst.ClassDef)
    return [f"{base.star}{node_text(base.value)}" for base in node.bases]
