"""The members of the bases of a generated class, as far as the bases can be read."""

from typing import NamedTuple

from modular.lint.context import LintContext
from modular.semantics.ancestors import (
    FORWARD,
    OBJECT,
    TORCH_MODULE,
    known_members,
)
from modular.semantics.classes import mentions_in_class, model_class, names_in_body
from modular.semantics.facts import Usage
from modular.semantics.meanings import (
    Definition,
    ForeignName,
    ImportedModule,
    Meaning,
    Reason,
    Unknown,
)
from modular.source.definition_view import DefinitionView
from modular.source.module import Module
from modular.source.source_slice import find_word


def bases_lack(context: LintContext, class_name: str, member: str) -> bool:
    """Whether a generated class certainly inherits no member of a given name.

    See `Resolver.bases_lack`.
    """
    return context.resolver.bases_lack(context.definition_of(class_name), member)


def inherits_raising_forward(context: LintContext, class_name: str) -> bool:
    """Return whether the `forward` that a generated class inherits certainly only raises.

    It is that of `nn.Module` if no class that Python searches before has one.
    """
    resolver = context.resolver
    class_ = context.definition_of(class_name)
    ancestors = resolver.ancestors(class_)
    if TORCH_MODULE not in ancestors.classes:
        return False
    module_index = ancestors.classes.index(TORCH_MODULE)
    for ancestor in ancestors.classes[:module_index]:
        members = resolver.members(ancestor)
        if members is None or FORWARD in members:
            return False
    if ancestors.unknown is None:
        return True
    # A class that cannot be read may inherit from `nn.Module`, too, and so come before it.
    # It never does if a class has it as a base behind `nn.Module`.
    for descendant in (class_, *ancestors.classes):
        if not isinstance(descendant, Definition):
            continue
        bases = resolver.bases(descendant)
        for index, base in enumerate(bases):
            if resolver.members(base) is None and TORCH_MODULE not in bases[:index]:
                return False
    return True


def may_inherit_only_from_missing_files(
    context: LintContext, class_name: str, member: str
) -> bool:
    """Return whether the only bases that may have a member are in files that do not exist."""
    is_missing = False
    for ancestor in context.resolver.ancestors(
        context.definition_of(class_name)
    ).classes:
        if isinstance(ancestor, Unknown) and ancestor.reason is Reason.NO_FILE:
            is_missing = True
            continue
        members = context.resolver.members(ancestor)
        if ancestor != OBJECT and (members is None or member in members):
            return False
    return is_missing


def bases_never_set(context: LintContext, class_name: str, attribute: str) -> bool:
    """Return whether objects of a generated class certainly get no attribute from its bases.

    They get it if a base, or the class itself, has a member of this name or
    `__getattr__`, or if the code of a base mentions the name or sets attributes that it
    does not name. All bases must be known.
    """
    view = generated_class(context, class_name)
    if view is None:
        return False
    own_members = view.statement.memoized(names_in_body)
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
        words = ancestor.view.statement.words
        if not words.isdisjoint({attribute, "__getattr__", *_DYNAMIC_WORDS}):
            return False
    return True


def never_sets(context: LintContext, class_name: str, attribute: str) -> bool:
    """Return whether neither a generated class nor its bases set an attribute for certain.

    The code of the class does not mention the attribute, strings apart. Nor does that of
    its bases, see `bases_never_set`.
    """
    view = generated_class(context, class_name)
    if view is None:
        return False
    if not view.statement.words.isdisjoint({attribute, *_DYNAMIC_WORDS}):
        return False
    return bases_never_set(context, class_name, attribute)


def only_deletes(context: LintContext, class_name: str, attribute: str) -> bool:
    """Return whether a generated class deletes an attribute that certainly nothing sets.

    The class mentions the attribute only in `del` statements, and `bases_never_set`.
    """
    view = generated_class(context, class_name)
    if view is None or not view.code.words().isdisjoint(_DYNAMIC_WORDS):
        return False
    deletions = 0
    for _, mention in mentions_in_class(model_class(view.statement)):
        if mention.usage is Usage.DELETED and mention.attributes == (attribute,):
            deletions += 1
    # Strings count, because `self.register_buffer("x", y)` sets `self.x`.
    mentions = sum(1 for _ in find_word(view.code.text, attribute))
    if not deletions or mentions > deletions:
        return False
    return bases_never_set(context, class_name, attribute)


_DYNAMIC_WORDS = ("setattr", "__setattr__", "__dict__", "vars")
"""Words of code that may set attributes without naming them."""


class Ancestor(NamedTuple):
    """A class that a generated class inherits from.

    Attributes:
        meaning: The class, or why it is unknown.
        view: The class; None if it cannot be read.
    """

    meaning: Meaning
    view: DefinitionView | None

    @property
    def name(self) -> str:
        """The name of the class; the dotted name of one that is in no file of the project."""
        if isinstance(self.meaning, ForeignName):
            return self.meaning.dotted_name
        return "" if isinstance(self.meaning, ImportedModule) else self.meaning.name

    @property
    def path(self) -> str:
        """The path of the file that defines the class; empty if it is not known."""
        return self.meaning.path if isinstance(self.meaning, Definition) else ""

    def has_name(self, name: str) -> bool:
        """Whether a name means this class: `nn.Module` means the class `torch.nn.Module`."""
        return f".{self.name}".endswith(f".{name}")


def find_ancestors(context: LintContext, class_name: str) -> tuple[Ancestor, ...]:
    """Return the classes that a generated class inherits from, as far as they are known.

    Each class comes once, before its own bases. `object` is left out.
    """
    return context.memoized(_read_ancestors, class_name)


def _read_ancestors(context: LintContext, class_name: str) -> tuple[Ancestor, ...]:
    if generated_class(context, class_name) is None:
        return ()
    return _ancestors_of(context, context.definition_of(class_name))


def find_providing_base(
    context: LintContext, class_name: str, member: str
) -> Ancestor | None:
    """Return the base from which a generated class certainly inherits a member.

    None if no base has it, or if a base that Python searches before may have it, too.
    """
    for ancestor in find_ancestors(context, class_name):
        members = members_of(ancestor)
        if members is None:
            return None
        if member in members:
            return ancestor
    return None


def find_base_and_ancestors(
    context: LintContext, class_name: str, base: str
) -> tuple[Ancestor, ...]:
    """Return a base of a generated class, and the classes that this base inherits from.

    See `find_ancestors`.

    Args:
        context: The modular file and its project.
        class_name: The generated class.
        base: The base as the class header names it, such as `Generic[T]`.
    """
    class_ = context.resolver.base(context.definition_of(class_name), base)
    return _with_ancestors(context, class_)


def find_class_and_ancestors(
    context: LintContext, module: Module, class_name: str
) -> tuple[Ancestor, ...]:
    """Return a class of a file that is not generated, and the classes that it inherits from.

    See `find_ancestors`.
    """
    return _with_ancestors(context, context.resolver.meaning(module.path, class_name))


def _with_ancestors(context: LintContext, class_: Meaning) -> tuple[Ancestor, ...]:
    """Return a class, and the classes that it inherits from."""
    if class_ == OBJECT:
        return ()
    ancestors: tuple[Ancestor, ...] = ()
    if isinstance(class_, Definition) and class_.is_class:
        ancestors = _ancestors_of(context, class_)
    return (_make_ancestor(context, class_), *ancestors)


def _ancestors_of(context: LintContext, class_: Definition) -> tuple[Ancestor, ...]:
    """Return the classes that a class inherits from."""
    ancestors = []
    for ancestor in context.resolver.ancestors(class_).classes:
        if ancestor != OBJECT:
            ancestors.append(_make_ancestor(context, ancestor))
    return tuple(ancestors)


def _make_ancestor(context: LintContext, class_: Meaning) -> Ancestor:
    """Return a class with its code, if that can be read."""
    view = None
    if isinstance(class_, Definition) and class_.is_class:
        view = context.resolver.view(class_)
    return Ancestor(class_, view)


def generated_class(context: LintContext, name: str) -> DefinitionView | None:
    """Return a class of the generated files; None if they do not define it."""
    return context.memoized(_read_generated_class, name)


def _read_generated_class(context: LintContext, name: str) -> DefinitionView | None:
    """Return a class of the output files; None without such a class."""
    if name not in context.generated:
        return None
    return context.resolver.view(context.definition_of(name))


def members_of(ancestor: Ancestor) -> frozenset[str] | None:
    """Return the names of the members that a class defines itself.

    Returns:
        None if they are not known.
    """
    # The members of `torch.nn.Module` are known, although its code cannot be read.
    if ancestor.view is None:
        return known_members(ancestor.meaning)
    return ancestor.view.statement.memoized(names_in_body)
