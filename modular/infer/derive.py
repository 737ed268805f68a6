"""A class as one that inherits from a class of another model: what must be written so that it comes out as it is."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from modular.flatten.flatten import flatten_class
from modular.infer.normal import is_laid_out_alike, normal
from modular.infer.order import is_same_method, unordered
from modular.infer.overrides import Override, new_method, overrides
from modular.rules.classes.bases import merge_bases
from modular.rules.classes.class_attributes import attributes, left_out
from modular.rules.classes.decorators import MARKER
from modular.rules.classes.methods import methods
from modular.source.blocks import Kind, Statement, split
from modular.source.code import Code, generated, joined
from modular.source.diagnostics import has_errors
from modular.source.indentation import STEP
from modular.source.parts import Parts, parts_of
from modular.source.trees import written


_REMOVED = f'\n{STEP}def {{}}(self):\n{STEP * 2}raise AttributeError("Not needed for {{}}")\n'
"""An override that removes a method: its name, and the class."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A class as the modular file writes it, and which of its members are inherited, merged and written out.

    It is ``exact`` if it surely comes out as it is; else trailing commas and brackets may come out otherwise. Where it is
    not ``in_order``, lines come out in another order that decides nothing.
    """

    text: str
    inherited: tuple[str, ...]
    merged: tuple[str, ...]
    overridden: tuple[str, ...]
    exact: bool = False
    in_order: bool = True

    @property
    def lines(self) -> int:
        """How many lines it takes, blank ones included."""
        return self.text.count("\n")

    @property
    def is_whole(self) -> bool:
        """Whether nothing differs from the parent."""
        return not (self.overridden or self.merged) and self.text.endswith(f":\n{STEP}pass\n")


def derive(
    parent: Parts, own: Parts, base: str, merges: bool = False, written_out: Collection[str] = ()
) -> Derived | None:
    """Write a class as one that inherits from ``parent``, which is renamed already, under the name ``base``.

    With ``merges`` the docstring is merged entry by entry. Methods that are ``written_out`` do not unravel `super()`. None if that is impossible. What is returned was flattened again and is the class.
    """
    head = _head(parent, own, base)
    if head is None:
        return None
    members = _members(parent, own, written_out)
    if members is None:
        return None
    in_another_order = None
    for choice in _ways(members):
        derived = _write(head, parent, own, choice)
        flat = _flattened(derived.text, parent, own, frozenset({base}), merges)
        if flat is not None and normal(flat) == normal(own.code):
            return replace(derived, exact=is_laid_out_alike(flat, own.code))
        if flat is not None and in_another_order is None and unordered(flat) == unordered(own.code):
            in_another_order = replace(derived, in_order=False)
    return in_another_order


def _head(parent: Parts, own: Parts, base: str) -> str | None:
    """The decorators and the first line; None if what a class takes from its parent there is not its own."""
    if normal(parent.lead) != normal(own.lead) or own.is_inline or _rest(parent) != _rest(own):
        return None
    if parent.docstring is not None and own.docstring is None:
        return None
    further = _further_bases(parent.bases, own.bases)
    if further is None or left_out(parent.body.statements) or left_out(own.body.statements):
        return None
    decorators = ""
    if normal(parent.decorators) != normal(own.decorators):
        decorators = own.decorators.text or f"@{MARKER}\n"
    return f"{decorators}class {own.name}({', '.join([base, *further])}):\n"


def _rest(parts: Parts) -> list[str]:
    """What the head of a class holds besides its bases: type parameters and keywords."""
    node = parts.class_node
    found = [] if node.type_parameters is None else [written(node.type_parameters)]
    return found + [written(keyword) for keyword in node.keywords]


def _further_bases(parent: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...] | None:
    further = tuple(base for base in own if base not in parent)
    return further if merge_bases(parent, further) == own else None


@dataclass(frozen=True)
class _Members:
    """What of a class stays the parent's, and the ways to write all the rest: attributes, and methods by their keys.

    ``removed`` are overrides of methods that go.
    """

    docstring: str
    attributes: tuple[str, ...]
    methods: Mapping[str, Sequence[Override]]
    removed: tuple[str, ...]
    inherited: tuple[str, ...]
    changed: tuple[str, ...]


def _members(parent: Parts, own: Parts, written_out: Collection[str]) -> _Members | None:
    theirs, ours = attributes(parent.body.statements), attributes(own.body.statements)
    their_methods, our_methods = methods(parent.body.statements), methods(own.body.statements)
    if not (_keeps_order(theirs, ours) and _keeps_order(their_methods, our_methods)):
        return None
    lines: list[str] = []
    inherited: list[str] = []
    changed: list[str] = []
    for name, statement in ours.items():
        if name in theirs and normal(theirs[name].code, leading=True) == normal(statement.code, leading=True):
            inherited.append(name)
        else:
            changed.append(name)
            lines.append(statement.code.text)
    ways: dict[str, Sequence[Override]] = {}
    for key, method in our_methods.items():
        parent_method = their_methods.get(key)
        if parent_method is not None and normal(parent_method.code) == normal(method.code):
            inherited.append(key)
            continue
        ways[key] = _ways_of(parent_method, method, own.bases, key not in written_out)
        if not ways[key]:
            return None
        if parent_method is not None and not ways[key][0].merged and is_same_method(parent_method, method):
            inherited.append(key)
            del ways[key]
    names = {method.name for method in our_methods.values()} | ours.keys()
    gone = {method.name: method for key, method in their_methods.items() if key not in our_methods}
    if any(name in names and name not in ours for name in gone):
        return None
    removed = tuple(_REMOVED.format(name, own.name) for name in gone if name not in ours)
    docstring = _docstring(parent, own)
    lines = _opened(lines, [f"{STEP}{name} = AttributeError()\n" for name in theirs if name not in ours], docstring)
    return _Members(docstring, tuple(lines), ways, removed, tuple(inherited), tuple(changed))


def _opened(lines: list[str], gone: list[str], docstring: str) -> list[str]:
    """Return attributes with one first that may stand there: the formatter parts a docstring from it, a first line not."""
    first = next((line for line in (*lines, *gone) if line in gone or line.startswith("\n") == bool(docstring)), None)
    return [line for line in (first, *(line for line in (*lines, *gone) if line is not first)) if line is not None]


def _docstring(parent: Parts, own: Parts) -> str:
    if own.docstring is None:
        return ""
    if parent.docstring is not None and normal(parent.docstring.code) == normal(own.docstring.code):
        return ""
    return own.docstring.code.text


def _keeps_order(parent: Iterable[str], own: Iterable[str]) -> bool:
    """Whether members come as they would: the parent's that are left, in its order, then new ones."""
    theirs, ours = list(parent), list(own)
    kept = [name for name in theirs if name in set(ours)]
    return ours[: len(kept)] == kept


def _ways_of(parent: Parts | None, own: Parts, bases: tuple[str, ...], merging: bool) -> list[Override]:
    if parent is not None:
        return overrides(parent, own, bases, merging)
    method = new_method(own, bases)
    return [method] if method is not None else []


def _ways(members: _Members) -> Iterator[tuple[_Members, dict[str, Override]]]:
    """Yield the ways to write a class: the shortest, then without unravelling, where one call acts on the next."""
    shortest = {key: found[0] for key, found in members.methods.items()}
    yield members, shortest
    plain = {
        key: next((each for each in found if not each.merged), found[0]) for key, found in members.methods.items()
    }
    merged = [key for key in shortest if shortest[key].merged]
    if len(merged) > 1:
        for kept in merged:
            yield members, {key: shortest[key] if key == kept else plain[key] for key in shortest}
    if merged:
        yield members, plain


def _write(head: str, parent: Parts, own: Parts, choice: tuple[_Members, dict[str, Override]]) -> Derived:
    members, chosen = choice
    order = methods(own.body.statements)
    body = [*members.attributes, *(chosen[key].text for key in order if key in chosen)]
    if body and not members.docstring:
        body[0] = body[0].lstrip("\n")
    body = [members.docstring, *body, *members.removed]
    text = head + ("".join(body) or f"{STEP}pass\n")
    merged = tuple(key for key, each in chosen.items() if each.merged)
    overridden = tuple(key for key, each in chosen.items() if not each.merged)
    return Derived(text, members.inherited, merged, (*members.changed, *overridden))


def _flattened(text: str, parent: Parts, own: Parts, bases: frozenset[str], merges: bool) -> Code | None:
    """Return what a class, as it is written, becomes; None if that is an error."""
    statement = split(generated(text, own.code.path, own.statement.line)).statements[0]
    flat = flatten_class(parent, parts_of(statement), bases, merges)
    if has_errors(flat.diagnostics):
        return None
    return joined([part.code for part in flat.parts], own.code.path)


def plain(statement: Statement) -> str:
    """Return a class or another definition as it stands, less the blank lines above it."""
    assert statement.kind is not Kind.IMPORT
    return statement.code.text.lstrip("\n")
