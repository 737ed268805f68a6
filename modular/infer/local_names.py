"""Whether a method that calls its parent's is right as it stands: it reads no local variable of the other's body."""

from collections.abc import Iterator
from symtable import SymbolTable, symtable


def uses_only_its_own_names(parent: str, own: str) -> bool:
    """Whether a method reads no local variable or parameter of its parent's method, and each variable of its own is read.

    Both are given as they stand in a class. The converter would put the parent's body in the place of the call, and both would
    be right then; but no reader, and no linter, could tell.
    """
    theirs, ours = _function(parent), _function(own)
    local = {get_symbol.get_name() for get_symbol in theirs.get_symbols() if get_symbol.is_local()}
    read = set[str]()
    for table in _with_inner(ours):
        symbols = [get_symbol for get_symbol in table.get_symbols() if get_symbol.is_referenced()]
        read.update(symbol.get_name() for symbol in symbols)
        if any(symbol.is_global() and symbol.get_name() in local for symbol in symbols):
            return False
    assigned = {
        get_symbol.get_name()
        for get_symbol in ours.get_symbols()
        if get_symbol.is_assigned() and not get_symbol.is_parameter()
    }
    return assigned <= read


def _function(text: str) -> SymbolTable:
    """The names in a method. What stands in its decorators and defaults comes before it."""
    (inside,) = symtable(f"class _:\n{text}", "", "exec").get_children()
    return [get_child for get_child in inside.get_children() if get_child.get_type() == "function"][-1]


def _with_inner(table: SymbolTable) -> Iterator[SymbolTable]:
    """A function, and those inside it."""
    yield table
    for get_child in table.get_children():
        yield from _with_inner(get_child)
