"""Whether a method that calls its parent's is right as it stands: it reads no local variable of the other's body."""

from collections.abc import Iterator
from symtable import SymbolTable, symtable


def uses_only_its_own_names(parent: str, own: str) -> bool:
    """Whether a method reads no local variable or parameter of its parent's method, and each variable of its own is read.

    Both are given as they stand in a class. The converter would put the parent's body in the place of the call, and both would
    be right then; but no reader, and no linter, could tell.
    """
    theirs, ours = _function(parent), _function(own)
    local = {each.get_name() for each in theirs.get_symbols() if each.is_local()}
    read = set[str]()
    for table in _with_inner(ours):
        symbols = [each for each in table.get_symbols() if each.is_referenced()]
        read.update(each.get_name() for each in symbols)
        if any(each.is_global() and each.get_name() in local for each in symbols):
            return False
    assigned = {each.get_name() for each in ours.get_symbols() if each.is_assigned() and not each.is_parameter()}
    return assigned <= read


def _function(text: str) -> SymbolTable:
    """The names in a method. What stands in its decorators and defaults comes before it."""
    (inside,) = symtable(f"class _:\n{text}", "", "exec").get_children()
    return [each for each in inside.get_children() if each.get_type() == "function"][-1]


def _with_inner(table: SymbolTable) -> Iterator[SymbolTable]:
    """A function, and those inside it."""
    yield table
    for each in table.get_children():
        yield from _with_inner(each)
