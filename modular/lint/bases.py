"""The members of the bases of a generated class, as far as the bases can be read."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from modular.lint.context import LintContext
from modular.rules.classes import class_attributes
from modular.rules.files.imports import all_guarded_imports
from modular.semantics.ancestors import OBJECT, known_members
from modular.semantics.imports import module_files
from modular.semantics.meanings import ForeignName
from modular.source.blocks import Kind, Statement, split
from modular.source.definition_view import DefinitionView, class_named, view_definition
from modular.source.import_statements import Import
from modular.source.module import Module


_MAX_INHERITANCE_DEPTH = 10


def bases_lack(context: LintContext, class_name: str, member: str) -> bool:
    """Whether a generated class certainly inherits no member of a given name.

    It is uncertain if a base cannot be read, or if the body of a base contains a
    statement that may define members, such as `if`.
    """
    if hasattr(object, member):
        return False
    for ancestor in find_ancestors(context, class_name):
        members = members_of(ancestor)
        if members is None or member in members:
            return False
    return True


def bases_never_set(context: LintContext, class_name: str, attribute: str) -> bool:
    """Return whether objects of a generated class certainly get no attribute from its bases.

    They get it if a base, or the class itself, has a member of this name or
    `__getattr__`, or if the code of a base mentions the name or sets attributes that it
    does not name. All bases must be known.
    """
    view = generated_class(context, class_name)
    if view is None:
        return False
    own_members = _read_members(view.statement)
    if own_members is None or not own_members.isdisjoint({attribute, "__getattr__"}):
        return False
    for ancestor in find_ancestors(context, class_name):
        members = members_of(ancestor)
        if members is None or attribute in members:
            return False
        # Without its code, a class is known: `nn.Module`, whose `__getattr__` only looks
        # up what was set.
        if ancestor.view is None:
            continue
        words = ancestor.view.code.words()
        if not words.isdisjoint({attribute, "__getattr__", *_DYNAMIC_WORDS}):
            return False
    return True


_DYNAMIC_WORDS = ("setattr", "__setattr__", "__dict__", "vars")
"""Words of code that may set attributes without naming them."""


class Ancestor(NamedTuple):
    """A class that a generated class inherits from.

    Attributes:
        name: Its dotted name if it is imported, else its name in the generated file.
        view: The class; None if it cannot be read.
        module: The file that defines it if that is not the generated one; None otherwise.
    """

    name: str
    view: DefinitionView | None
    module: Module | None = None

    def has_name(self, name: str) -> bool:
        """Whether a name means this class: `nn.Module` means the class `torch.nn.Module`."""
        return f".{self.name}".endswith(f".{name}")


def find_ancestors(context: LintContext, class_name: str) -> tuple[Ancestor, ...]:
    """Return the classes that a generated class inherits from, as far as they can be read.

    Each class comes before its own bases. A class that is inherited twice comes twice.
    """
    return context.memoized(_read_ancestors, class_name)


def _read_ancestors(context: LintContext, class_name: str) -> tuple[Ancestor, ...]:
    ancestors: list[Ancestor] = []
    view = generated_class(context, class_name)
    if view is not None:
        for base in view.bases:
            ancestors += find_base_and_ancestors(context, class_name, base)
    return tuple(ancestors)


def find_base_and_ancestors(
    context: LintContext, class_name: str, base: str
) -> Iterator[Ancestor]:
    """Yield a base of a generated class, and the classes that this base inherits from.

    A base whose code cannot be read is yielded, but not its own bases.

    Args:
        context: The modular file and its project.
        class_name: The generated class.
        base: The base as the class header names it, such as `Generic[T]`.
    """
    # The imports of the generated file tell which class the name of the base means.
    imports = context.output_imports[context.file_of(class_name).file_type]
    start = _find_generated_base(context, imports, _without_arguments(base))
    yield from _with_ancestors(context, imports, start)


def find_class_and_ancestors(
    context: LintContext, module: Module, class_name: str
) -> Iterator[Ancestor]:
    """Yield a class of a file that is not generated, and the classes that it inherits from."""
    start = _find_base(context, module, class_name)
    yield from _with_ancestors(context, module, start)


def _with_ancestors(
    context: LintContext, imports: Module, start: Ancestor
) -> Iterator[Ancestor]:
    """Yield a class and all classes that it inherits from, each before its bases.

    Args:
        context: The modular file and its project.
        imports: The imports of the generated file, in which bases are looked up.
        start: The class that is yielded first.
    """
    # The stack holds classes with their distance from `start`. Its last entry is next,
    # so the bases of a class are added in reverse order.
    waiting = [(start, 1)]
    while waiting:
        ancestor, depth = waiting.pop()
        yield ancestor
        if ancestor.view is None or depth > _MAX_INHERITANCE_DEPTH:
            continue
        for base in reversed(ancestor.view.bases):
            base_name = _without_arguments(base)
            if ancestor.module is None:
                # The class is generated.
                base_class = _find_generated_base(context, imports, base_name)
            else:
                base_class = _find_base(context, ancestor.module, base_name)
            waiting.append((base_class, depth + 1))


def _without_arguments(base: str) -> str:
    """Return `Generic` for the base `Generic[T]`."""
    return base.partition("[")[0].strip()


def generated_class(context: LintContext, name: str) -> DefinitionView | None:
    """Return a class of the generated files; None if they do not define it."""
    return context.memoized(_read_generated_class, name)


def _read_generated_class(context: LintContext, name: str) -> DefinitionView | None:
    """Split the code of a generated class into header and body; None without such a class."""
    generated = context.generated.get(name)
    if generated is None:
        return None
    for statement in split(generated.code).statements:
        if statement.kind is Kind.CLASS and statement.name == name:
            return view_definition(statement)
    return None


def _find_generated_base(context: LintContext, imports: Module, base: str) -> Ancestor:
    """Return the class that a base in a generated file names: generated, or imported there."""
    view = generated_class(context, base)
    if view is not None:
        return Ancestor(base, view)
    return _find_base(context, imports, base)


def _find_base(context: LintContext, module: Module, base: str) -> Ancestor:
    """Return the class that a module means by the name of a base.

    The module defines the class or imports it. In a module with `from torch import nn`,
    the base `nn.Module` is the class `torch.nn.Module`: the name of an imported class is
    the one by which the given module imports it. If the code of the class cannot be read,
    only its name is known.
    """
    view = class_named(module, base)
    if view is not None:
        return Ancestor(base, view, module)
    imported = _find_import(module, base)
    if imported is None:
        return Ancestor(base, None)
    module_name, _, class_name = imported.dotted_name.rpartition(".")
    for path in module_files(context.project, module.path, imported.level, module_name):
        imported_module = context.read(path) if context.exists(path) else None
        if imported_module is not None:
            class_ = _find_base(context, imported_module, class_name)
            # `class_.name` is the name in the imported module. If this module imports the
            # class from a deeper module, that is another dotted name.
            return class_._replace(name=imported.dotted_name)
    return Ancestor(imported.dotted_name, None)


def members_of(ancestor: Ancestor) -> frozenset[str] | None:
    """Return the names of the members that a class defines itself.

    Returns:
        None if they are not known.
    """
    # The members of `torch.nn.Module` are known, although its code cannot be read.
    if ancestor.view is None:
        meaning = ForeignName(ancestor.name)
        return known_members(OBJECT if ancestor.name == OBJECT.name else meaning)
    return ancestor.view.statement.memoized(_read_members)


def _read_members(class_: Statement) -> frozenset[str] | None:
    """Return the names of the methods, classes and attributes that a class body defines.

    Returns:
        The names; None if a statement such as `if` may define more of them.
    """
    body = view_definition(class_).body.statements
    members = set(class_attributes.find_attributes(body))
    for statement in body:
        if statement.is_definition:
            members.add(statement.name)
        elif statement.kind in (Kind.GUARD, Kind.OTHER) and not statement.does_nothing:
            return None
    return frozenset(members)


class _ImportedName(NamedTuple):
    """The origin of an imported name.

    Attributes:
        level: The number of leading dots.
        dotted_name: The module and the name in it, such as `torch.nn.Module`.
    """

    level: int
    dotted_name: str


def absolute_name(module: Module, name: str) -> str:
    """Return the full name of what a module imports under a dotted name.

    After `from torch import nn`, `nn.Module` is `torch.nn.Module`. Empty if the module
    does not import the name by an absolute import.
    """
    origin = _find_import(module, name)
    return "" if origin is None or origin.level else origin.dotted_name


def _find_import(module: Module, name: str) -> _ImportedName | None:
    """Return the origin of a dotted name of a module.

    After `from torch import nn`, the name `nn.Module` comes from `torch.nn.Module`.
    Packages import many of their names in `if TYPE_CHECKING:`, and load them later.

    Returns:
        The origin; None if the module does not import the name, or if an `if` or `try`
        chooses between two origins.
    """
    for origin in _find_origins(module.imports, name):
        return origin
    if name.partition(".")[0] not in module.code.text:
        return None
    guarded = all_guarded_imports(module.block.statements)
    origins = set(_find_origins(guarded, name))
    return origins.pop() if len(origins) == 1 else None


def _find_origins(imports: Iterable[Import], name: str) -> Iterator[_ImportedName]:
    """Yield the origins that some imports give a dotted name."""
    first_name = name.partition(".")[0]
    for import_ in imports:
        # Most imports do not mention the name, so their aliases need no look.
        if first_name not in import_.statement.code.text:
            continue
        for alias in import_.names:
            if name == alias.bound or name.startswith(f"{alias.bound}."):
                # `import torch` and `from . import layers` have only one of the two.
                parts = [part for part in (import_.module, alias.name) if part]
                attributes = name.removeprefix(alias.bound)
                yield _ImportedName(import_.level, ".".join(parts) + attributes)
