"""What to write instead of a name that is not defined."""

import libcst as cst

from modular.flatten.formatted import Undefined
from modular.flatten.layout import Layout
from modular.flatten.outputs import OutputFile
from modular.source.blocks import Kind
from modular.source.diagnostics import did_you_mean
from modular.source.reads import assigned
from modular.source.trees import read_whole, walk, written


def for_use(layout: Layout, file: OutputFile, undefined: Undefined) -> str:
    """Return the hint for a name that is used."""
    name = undefined.name
    if instead := _instead_of_parent_call(layout, file, undefined):
        return f"write `{instead}`"
    return (
        _without_arguments(layout, name)
        or _generated_name(layout, name)
        or _assigned_with_others(layout, name)
        or did_you_mean(name, _defined(file))
        or _import_it(layout, name)
    )


def for_base(layout: Layout, file: OutputFile, name: str, owner: str) -> str:
    """Return the hint for a base, or a decorator, of a class or function of the modular file: that is not meant itself."""
    if as_generated := _generated_name(layout, name):
        return as_generated
    known = (_defined(file) | layout.modular.parent_of.keys()) - {owner}
    return did_you_mean(name, layout.modular.parent_of) or did_you_mean(name, known) or _import_it(layout, name)


def _defined(file: OutputFile) -> set[str]:
    return {statement.name for statement in file.statements if statement.name}


def _import_it(layout: Layout, name: str) -> str:
    return f"import it or define it in `{layout.modular.path}`"


def _generated_name(layout: Layout, name: str) -> str:
    """Say what a name that the modular file imports from a parent file is called in the generated files."""
    modular = layout.modular
    if path := modular.parent_of.get(name):
        renamed = layout.parents[path].renamer.word(modular.original_names[name])
        return f"`{name}` is called `{renamed}` in the generated files: write that" if renamed != name else ""
    return ""


def _without_arguments(layout: Layout, name: str) -> str:
    """Say that a parent class with type arguments is none."""
    if name in layout.modular.parent_of and any(base.startswith(f"{name}[") for base in layout.modular.base_names):
        return f"a parent class with type arguments is not flattened: write `{name}` without them"
    return ""


def _assigned_with_others(layout: Layout, name: str) -> str:
    """Say that a name is assigned where it is not read: together with others."""
    for statement in layout.modular.module.block.statements:
        if statement.kind is Kind.OTHER and name in statement.words:
            nodes = walk(read_whole(statement).node)
            if any(
                isinstance(target, cst.Name) and target.value == name for node in nodes for target in assigned(node)
            ):
                return f"assign `{name}` by itself: assignments to several names at once are not read"
    return ""


def _instead_of_parent_call(layout: Layout, file: OutputFile, undefined: Undefined) -> str:
    """What to write for `LlamaMLP.forward(self, x)` in a class that inherits from `LlamaMLP`."""
    origin = file.piece_at(undefined.line)
    flat = None if origin is None else layout.flattened.get(origin[0].name)
    if origin is None or flat is None or undefined.name not in layout.modular.parents_of(origin[0].name):
        return ""
    own = flat.overriding.get(origin[1].member)
    if own is None:
        return ""
    for node in walk(read_whole(own.statement).node):
        match node:
            case cst.Call(
                func=cst.Attribute(value=cst.Name(value=called), attr=cst.Name(value=method)),
                args=[cst.Arg(value=cst.Name(value="self")), *rest],
            ) if called == undefined.name and (method == own.name or method not in flat.overriding):
                owner = "super()" if method == own.name else "self"
                given = written(cst.Call(cst.Name(method), rest))
                return f"{owner}.{given if chr(10) not in given else f'{method}(...)'}"
    return ""
