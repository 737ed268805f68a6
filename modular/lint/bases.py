"""What a generated class certainly inherits, or certainly does not inherit."""

from modular.lint.context import LintContext
from modular.rules.classes.raising_override import raises_at_once
from modular.semantics.ancestors import (
    FORWARD,
    OBJECT,
    TORCH_MODULE,
    Ancestor,
)
from modular.semantics.classes import mentions_in_class, model_class, names_in_body
from modular.semantics.facts import Usage
from modular.semantics.meanings import (
    Definition,
    Reason,
    Unknown,
)
from modular.source.blocks import Kind
from modular.source.definition_view import view_definition
from modular.source.source_slice import find_word


def inherits_raising_forward(context: LintContext, class_name: str) -> bool:
    """Return whether a generated class certainly inherits the `forward` of `nn.Module`.

    This `forward` only raises an error. Python uses it if no class that is searched
    before `nn.Module` has a `forward`.
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
    # A class that cannot be read may inherit from `nn.Module`, too. Then Python searches it
    # first, unless it is a base behind `nn.Module`, as in `class Layer(nn.Module, Unknown)`.
    for descendant in (class_, *ancestors.classes):
        if not isinstance(descendant, Definition):
            continue
        bases = resolver.bases(descendant)
        for index, base in enumerate(bases):
            if resolver.members(base) is None and TORCH_MODULE not in bases[:index]:
                return False
    return True


def only_raises(base: Ancestor, method: str) -> bool:
    """Return whether a method of a base certainly does nothing but raise an error."""
    if base.view is None:
        return False
    definitions = []
    for statement in base.view.body.statements:
        if statement.name == method:
            definitions.append(statement)
    for definition in definitions:
        if definition.kind is not Kind.FUNCTION:
            return False
        if not raises_at_once(view_definition(definition)):
            return False
    return bool(definitions)


def may_inherit_only_from_missing_files(
    context: LintContext, class_name: str, member: str
) -> bool:
    """Return whether a class can inherit a member only from files that do not exist.

    Args:
        context: The modular file and what was generated from it.
        class_name: The generated class.
        member: The member, such as `forward`.
    """
    has_missing_file = False
    class_ = context.definition_of(class_name)
    for ancestor in context.resolver.ancestors(class_).classes:
        if ancestor == OBJECT:
            continue
        if isinstance(ancestor, Unknown) and ancestor.reason is Reason.NO_FILE:
            has_missing_file = True
            continue
        members = context.resolver.members(ancestor)
        if members is None or member in members:
            return False
    return has_missing_file


def bases_never_set(context: LintContext, class_name: str, attribute: str) -> bool:
    """Return whether the bases of a generated class certainly never set an attribute.

    A base may set it, and the result is False, in these cases:

    - A base, or the class itself, has a member of this name, or `__getattr__`.
    - The code of a base mentions the name, or sets attributes without naming them, as
      `setattr(self, name, 1)` does.
    - The members of a base are not known.

    Args:
        context: The modular file and what was generated from it.
        class_name: The generated class.
        attribute: The attribute, such as `size` of `self.size`.
    """
    view = context.class_named(class_name)
    if view is None:
        return False
    members_of_class = view.statement.memoized(names_in_body)
    if members_of_class is None:
        return False
    if not members_of_class.isdisjoint({attribute, "__getattr__"}):
        return False
    for ancestor in context.ancestors_of(class_name):
        members = context.resolver.members(ancestor.meaning)
        if members is None or attribute in members:
            return False
        # The members of `nn.Module` are known, but its code is not read. Its
        # `__getattr__` only finds what other code has set.
        if ancestor.view is None:
            continue
        words = ancestor.view.statement.words
        if not words.isdisjoint({attribute, "__getattr__", *_DYNAMIC_WORDS}):
            return False
    return True


def never_sets(context: LintContext, class_name: str, attribute: str) -> bool:
    """Return whether certainly neither a generated class nor its bases set an attribute.

    The class mentions the attribute only in strings, if at all. `bases_never_set` tells
    whether its bases set it.
    """
    view = context.class_named(class_name)
    if view is None:
        return False
    if not view.statement.words.isdisjoint({attribute, *_DYNAMIC_WORDS}):
        return False
    return bases_never_set(context, class_name, attribute)


def only_deletes(context: LintContext, class_name: str, attribute: str) -> bool:
    """Return whether a generated class deletes an attribute that certainly nothing sets.

    The class mentions the attribute only in statements such as `del self.size`. Its
    bases do not set it either, see `bases_never_set`.
    """
    view = context.class_named(class_name)
    if view is None or not view.code.words().isdisjoint(_DYNAMIC_WORDS):
        return False
    deletion_count = 0
    for _, mention in mentions_in_class(model_class(view.statement)):
        if mention.usage is Usage.DELETED and mention.attributes == (attribute,):
            deletion_count += 1
    # Strings count, because `self.register_buffer("x", y)` sets `self.x`.
    mention_count = len(list(find_word(view.code.text, attribute)))
    has_other_mention = mention_count > deletion_count
    if deletion_count == 0 or has_other_mention:
        return False
    return bases_never_set(context, class_name, attribute)


_DYNAMIC_WORDS = ("setattr", "__setattr__", "__dict__", "vars")
"""Words of code that may set attributes without naming them."""


def find_providing_base(
    context: LintContext, class_name: str, member: str
) -> Ancestor | None:
    """Return the base from which a generated class certainly inherits a member.

    None if no base has it, or if Python first searches a base that may have it, too.
    """
    for ancestor in context.ancestors_of(class_name):
        members = context.resolver.members(ancestor.meaning)
        if members is None:
            return None
        if member in members:
            return ancestor
    return None
