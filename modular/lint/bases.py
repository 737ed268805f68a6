"""Which methods the bases have that a flattened class keeps, as far as they can be read."""

from collections.abc import Iterator
from pathlib import Path

from modular.lint.context import LintContext
from modular.rules.classes import class_attributes
from modular.source.blocks import Kind
from modular.source.definition_view import class_named, view_definition
from modular.source.definitions import definitions
from modular.source.import_statements import relative_stem
from modular.source.module import Module


_OBJECT = frozenset(dir(object))
_TORCH_MODULE = _OBJECT.union(
    Path(__file__).with_name("torch_module.txt").read_text(encoding="utf-8").split()
)
_KNOWN = {"object": _OBJECT, "abc.ABC": _OBJECT, "torch.nn.Module": _TORCH_MODULE}
"""What classes outside the project have, by their dotted names. The `forward` of `nn.Module` only raises."""

_DEEPEST = 10


def bases_lack(context: LintContext, name: str, member: str) -> bool:
    """Whether it is certain that no base of a generated class has a member of that name."""
    module = context.outputs[context.file_of(name).file_type]
    return _lack(
        context,
        module,
        view_definition(definitions(module).classes[name].statement).bases,
        member,
    )


def _lack(
    context: LintContext,
    where: Module,
    bases: tuple[str, ...],
    member: str,
    depth: int = 0,
) -> bool:
    """Whether it is certain that none of the bases that a class of a file has, has a member of that name."""
    if depth > _DEEPEST or member in _OBJECT:
        return False
    return all(_lacks(context, where, base, member, depth) for base in bases)


def _lacks(
    context: LintContext, where: Module, base: str, member: str, depth: int
) -> bool:
    name = base.partition("[")[0].strip()
    parts = class_named(where, name)
    if parts is not None:
        body = parts.body.statements
        members = {statement.name for statement in body if statement.is_definition}
        members |= class_attributes.find_attributes(body).keys()
        others = (
            statement
            for statement in body
            if statement.kind in (Kind.GUARD, Kind.OTHER)
        )
        is_plain = all(statement.does_nothing for statement in others)
        return (
            is_plain
            and member not in members
            and _lack(context, where, parts.bases, member, depth + 1)
        )
    imported = _imported(where, name)
    if imported is None:
        return name == "object"
    level, dotted = imported
    if not level and dotted in _KNOWN:
        return member not in _KNOWN[dotted]
    module, _, last = dotted.rpartition(".")
    file = next(
        filter(None, map(context.read, module_paths(context, where, level, module))),
        None,
    )
    return file is not None and _lacks(context, file, last, member, depth + 1)


def module_paths(
    context: LintContext, where: Module, level: int, module: str
) -> Iterator[str]:
    """Where the file of a module may be that is imported in another file: in the project, or in its source library."""
    library = context.project.library
    stem = relative_stem(where.path, level, module)
    if not level and library is not None and module.startswith(f"{library.name}."):
        stem = library.path(module).removesuffix(".py")
    if stem is not None:
        yield from filter(context.exists, (f"{stem}.py", f"{stem}/__init__.py"))


def _imported(where: Module, name: str) -> tuple[int, str] | None:
    """The leading dots and the dotted name that a name, or the beginning of a dotted one, was imported as."""
    for import_ in where.imports:
        for alias in import_.names:
            if f"{name}.".startswith(f"{alias.bound}."):
                imported = ".".join(filter(None, (import_.module, alias.name)))
                return import_.level, imported + name.removeprefix(alias.bound)
    return None
