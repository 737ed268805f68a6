"""A class as one that inherits from a class of another model: what must be written so that it comes out as it is."""

from dataclasses import dataclass, replace

from modular.flatten.flatten import flatten_class
from modular.infer.forms import equal_after_formatting, normal, order_insensitive_key
from modular.infer.overrides import own_docstring, write_override
from modular.rules.classes.bases import merge_bases
from modular.rules.classes.class_attributes import (
    find_attributes,
    find_dropped_statements,
)
from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.classes.methods import methods
from modular.source.blocks import Statement, split
from modular.source.code import generated, joined
from modular.source.diagnostics import has_errors
from modular.source.indentation import STEP
from modular.source.parts import DefinitionView, view_definition


_REMOVED = (
    f'\n{STEP}def {{}}(self):\n{STEP * 2}raise AttributeError("Not needed for {{}}")\n'
)
"""An override that removes a method: its name, and the class."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A class as the modular file writes it, and which of its members are inherited, unravel `super()`, or are written out.

    Where it is not ``in_order``, lines come out in another order that decides nothing.
    """

    text: str = ""
    inherited: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    overridden: tuple[str, ...] = ()
    in_order: bool = True

    @property
    def lines(self) -> int:
        """How many lines it takes, blank ones included."""
        return self.text.count("\n")

    @property
    def is_whole(self) -> bool:
        """Whether nothing differs from the parent."""
        return not (self.overridden or self.merged) and self.text.endswith(
            f":\n{STEP}pass\n"
        )

    def saved(self, own: DefinitionView) -> int:
        """How many lines less it takes than the class itself."""
        return own.code.text.strip("\n").count("\n") + 1 - self.lines


def derive(
    parent: DefinitionView,
    own: DefinitionView,
    base: str,
    merges: bool = False,
    *,
    unravels: bool = True,
) -> Derived | None:
    """Write a class as one that inherits from ``parent``, which is renamed already, under the name ``base``.

    With ``merges`` the docstring is merged entry by entry. Methods unravel `super()` only if the class ``unravels``. None if
    that is impossible or does not pay. What is returned was flattened again and is the class.
    """
    head = _head(parent, own, base)
    in_another_order = None
    for is_unravelling in (True, False) if unravels else (False,):
        derived = _write(head, parent, own, is_unravelling) if head else None
        if derived is None or not (derived.is_whole or derived.saved(own) > 0):
            continue
        flat = _flattened(derived.text, parent, own, base, merges)
        if flat is None:
            continue
        if equal_after_formatting(flat.code, own.code):
            return derived
        if in_another_order is None and order_insensitive_key(
            flat
        ) == order_insensitive_key(own.statement):
            in_another_order = replace(derived, in_order=False)
        if not derived.merged:
            break
    return in_another_order


def _head(parent: DefinitionView, own: DefinitionView, base: str) -> str:
    """The decorators and the first line; nothing if a class cannot have its own bases, or one of both has odd statements."""
    further = tuple(name for name in own.bases if name not in parent.bases)
    if merge_bases(parent.bases, further) != own.bases:
        return ""
    if find_dropped_statements(parent.body.statements) or find_dropped_statements(
        own.body.statements
    ):
        return ""
    decorators = ""
    if normal(parent.decorators) != normal(own.decorators):
        decorators = own.decorators.text or f"@{NO_INHERIT_DECORATOR}\n"
    return f"{decorators}class {own.name}({', '.join([base, *further])}):\n"


def _write(
    head: str, parent: DefinitionView, own: DefinitionView, unravels: bool
) -> Derived | None:
    """Write what of a class is not the parent's below its head; None if the language has no way to say that."""
    theirs, ours = (
        find_attributes(parent.body.statements),
        find_attributes(own.body.statements),
    )
    their_methods, our_methods = (
        methods(parent.body.statements),
        methods(own.body.statements),
    )
    inherited = [
        name
        for name in ours
        if name in theirs and equal_after_formatting(theirs[name].code, ours[name].code)
    ]
    overridden = [name for name in ours if name not in inherited]
    merged: list[str] = []
    docstring = own_docstring(parent, own)
    body = [ours[name].code.text for name in overridden]
    gone = [f"{STEP}{name} = AttributeError()\n" for name in theirs if name not in ours]
    body = _first_fitting([*body, *gone], gone, bool(docstring))
    for key, method in our_methods.items():
        parent_method = their_methods.get(key)
        if parent_method is not None and equal_after_formatting(
            parent_method.code, method.code
        ):
            inherited.append(key)
            continue
        override = write_override(parent_method, method, own.bases, unravels)
        if override is None:
            return None
        if (
            parent_method is not None
            and not override.merged
            and _is_reordered(parent_method, method)
        ):
            inherited.append(key)
            continue
        (merged if override.merged else overridden).append(key)
        body.append(override.text)
    removed = {
        method.name for key, method in their_methods.items() if key not in our_methods
    } - ours.keys()
    if any(method.name in removed for method in our_methods.values()):
        return None
    if body and not docstring:
        body[0] = body[0].lstrip("\n")
    body += [
        _REMOVED.format(name, own.name) for name in their_methods if name in removed
    ]
    text = (
        f"{head}{docstring}{''.join(body)}"
        if docstring or body
        else f"{head}{STEP}pass\n"
    )
    return Derived(text, tuple(inherited), tuple(merged), tuple(overridden))


def _first_fitting(lines: list[str], gone: list[str], is_parted: bool) -> list[str]:
    """Return attributes with one first that may be there: from a docstring the formatter parts it, from a header not."""
    fitting = [
        line for line in lines if line in gone or line.startswith("\n") == is_parted
    ][:1]
    return [*fitting, *(line for line in lines if line not in fitting)]


def _is_reordered(parent: DefinitionView, own: DefinitionView) -> bool:
    """Whether a method has the parent's lines in another order that decides nothing."""
    return order_insensitive_key(parent.statement) == order_insensitive_key(
        own.statement
    )


def _flattened(
    text: str, parent: DefinitionView, own: DefinitionView, base: str, merges: bool
) -> Statement | None:
    """Return what a class, as it is written, becomes; None if that is an error."""
    statement = split(generated(text, own.code.path, own.statement.line)).statements[0]
    flat = flatten_class(parent, view_definition(statement), frozenset({base}), merges)
    if has_errors(flat.diagnostics):
        return None
    return split(joined([part.code for part in flat.parts], own.code.path)).statements[
        0
    ]
