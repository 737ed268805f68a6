"""Flattens one class: the parent's renamed class with the differences of the modular class. A table of contents of `rules`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import libcst as cst

from modular.conversion.ways_out import explicit_call, removing_form, spellings
from modular.rules.classes import class_attributes, raising_override, super_call
from modular.rules.classes.bases import merge_bases
from modular.rules.classes.config_docstrings import merge_entries
from modular.rules.classes.decorators import MARKER, marks_none, merge_decorators
from modular.rules.classes.del_attribute import deleted_target
from modular.rules.classes.docstrings import merge_docstring
from modular.rules.classes.explicit_parent_call import replace_parent_calls
from modular.rules.classes.init_order import super_init_first
from modular.rules.classes.methods import in_order, methods
from modular.rules.classes.super_kwargs import NAME as SUPER_KWARGS
from modular.rules.classes.super_kwargs import merge_parameters
from modular.rules.drafts import Piece, Way, piece
from modular.source import fixes
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.code import Code, generated, words
from modular.source.diagnostics import Diagnostic, Fix, Place, Problem, did_you_mean
from modular.source.indentation import STEP
from modular.source.parts import Parts
from modular.source.places import place_of, place_of_word


_ARROW = "->"

_ALIKE = 0.85
"""How alike attributes of `self` are, of which one is meant by the other: `up_proj` and `down_proj` are less so."""


_CLASS = "class "


@dataclass
class Flattened:
    """A flattened class, of the parent's and the modular's own: its parts in order, and what was found on the way.

    The class's own lines belong to the member with the empty name. ``path`` is that of the modular file, and ``deleted`` are
    the `del` statements that removed an assignment, by what they delete.
    """

    parent: Parts
    own: Parts
    parts: list[Piece] = field(default_factory=list)
    deleted: dict[str, Statement] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The path of the modular file."""
        return self.own.code.path

    @cached_property
    def inherited(self) -> dict[str, Parts]:
        """The methods of the parent's class, by their keys."""
        return methods(self.parent.body.statements)

    @cached_property
    def overriding(self) -> dict[str, Parts]:
        """The methods of the modular's class, by their keys."""
        return methods(self.own.body.statements)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every identifier in it; asked for when all parts are there."""
        return frozenset(words("\n".join(part.code.mask for part in self.parts)))

    def add(self, member: str, *codes: Code, parents: Way = Way.INHERITED) -> None:
        """Append runs of lines that belong to a member; ``parents`` is how those came in that are the parent's."""
        self.parts += [piece(member, code, self.path, parents) for code in codes if code.text]

    def report(self, kind: Problem, at: Code | Place, message: str, hint: str, parent: Parts, *ways_out: Fix) -> None:
        """Record a diagnostic about some code; ``parent`` is what it should have found in the parent."""
        place = at if isinstance(at, Place) else place_of(at)
        self.diagnostics.append(Diagnostic(kind, place, message, hint, place_of(parent.header), fixes=ways_out))


def flatten_class(
    parent: Parts, own: Parts, parent_names: frozenset[str], merges_docstrings: bool = False
) -> Flattened:
    """Merge a modular class into its parent's class, which is renamed already but for the name that its parts give.

    ``parent_names`` are the spellings of the parent class among the modular's bases. With ``merges_docstrings`` the class's
    docstring is merged entry by entry.
    """
    flat = Flattened(parent, own)
    further = tuple(base for base in own.bases if base not in parent_names)
    bases = merge_bases(parent.bases, further)
    _check_decorators(parent, own, flat)
    _check_left_out(parent, own, flat)
    flat.add("", parent.lead, merge_decorators(parent, own), _class_header(parent, own, bases))
    before = len(flat.parts)
    _add_attributes(parent, own, flat)
    _add_methods(parent, own, bases, flat)
    docstring = _docstring(parent, own, merges_docstrings, flat)
    flat.parts[before:before] = [piece("", code, own.code.path, Way.INHERITED) for code in docstring if code.text]
    if len(flat.parts) == before:
        flat.add("", _nothing(own, 1))
    return flat


def _docstring(parent: Parts, own: Parts, merges: bool, flat: Flattened) -> Sequence[Code]:
    """The docstring of the class; what was removed from the class is known by now."""
    if merges and own.docstring is not None and parent.docstring is not None:
        own_attributes = class_attributes.attributes(own.body.statements).items()
        removed = {name for name, each in own_attributes if class_attributes.is_removal(each)}
        removed |= {target.removeprefix("self.") for target in flat.deleted}
        if (merged := merge_entries(parent.docstring, own.docstring, removed)) is not None:
            return merged
    docstring = merge_docstring(parent, own)
    return [] if docstring is None else [docstring.code]


def _nothing(own: Parts, level: int) -> Code:
    """The body of a class or method of which nothing is left."""
    return generated(f"{STEP * level}pass\n", own.code.path, own.statement.line)


def _check_decorators(parent: Parts, own: Parts, flat: Flattened) -> None:
    if marks_none(own) and len(own.decorator_names) > 1:
        flat.report(
            Problem.NO_INHERIT_WITH_OTHERS,
            place_of_word(own.decorators, MARKER),
            f"`@{MARKER}` stands beside other decorators of `{own.name}`",
            f"write `@{MARKER}` alone for no decorators, or only the decorators that `{own.name}` should have: "
            "they replace the parent's in any case",
            parent,
        )


def _check_left_out(parent: Parts, own: Parts, flat: Flattened) -> None:
    kept = "in a class with a parent class, only the docstring, attributes and methods are kept"
    for statement in class_attributes.left_out(own.body.statements):
        hint = "write it into a method, or make it an attribute"
        place = place_of(statement.own)
        flat.diagnostics.append(Diagnostic(Problem.LEFT_OUT, place, f"this is in no generated file: {kept}", hint))
    for statement in class_attributes.left_out(parent.body.statements):
        message = f"`{own.name}` does not get all of `{parent.name}`: {kept}"
        hint = "write into an attribute or a method what is missing"
        place, missing = place_of(own.header), place_of(statement.own)
        flat.diagnostics.append(Diagnostic(Problem.LEFT_OUT, place, message, hint, missing))


def _class_header(parent: Parts, own: Parts, bases: tuple[str, ...]) -> Code:
    """The parent's header with the modular's name and type parameters, and the merged bases."""
    if own.type_parameters is None and parent.header.text == _plain_header(parent.name, bases):
        start = len(_CLASS)
        return parent.header.replace([(start, start + len(parent.name), own.name)])
    node = parent.class_node
    written = {**own.written_bases, **parent.written_bases}
    head = node.with_changes(
        name=cst.Name(own.name),
        type_parameters=own.type_parameters or parent.type_parameters,
        bases=[_argument(written[base]) for base in bases],
        keywords=[_argument(each) for each in node.keywords],
        lpar=cst.MaybeSentinel.DEFAULT,
        rpar=cst.MaybeSentinel.DEFAULT,
    )
    return parent.header_with(head)


def _plain_header(name: str, bases: tuple[str, ...]) -> str:
    """How the header of most classes is written."""
    listed = f"({', '.join(bases)})" if bases else ""
    return f"{_CLASS}{name}{listed}:\n"


def _argument(base: cst.Arg) -> cst.Arg:
    """A base or keyword of a class without what stands around it."""
    return cst.Arg(base.value, base.keyword, base.equal, star=base.star)


def _add_attributes(parent: Parts, own: Parts, flat: Flattened) -> None:
    inherited = class_attributes.attributes(parent.body.statements)
    overriding = class_attributes.attributes(own.body.statements)
    for statement in class_attributes.merge_attributes(inherited, overriding):
        flat.add(statement.name, statement.code)
    known = inherited.keys() | flat.inherited.keys()
    for name, statement in overriding.items():
        if class_attributes.is_removal(statement) and name not in known:
            flat.report(
                Problem.REMOVAL_MISSING,
                statement.own,
                f"`{name} = AttributeError()` removes nothing: `{parent.name}` has no `{name}`",
                f"remove the line{_or_other(name, known)}",
                parent,
                fixes.remove(statement),
                *spellings(statement.own, name, known),
            )


def _add_methods(parent: Parts, own: Parts, bases: tuple[str, ...], flat: Flattened) -> None:
    inherited, overriding = flat.inherited, flat.overriding
    removed = {method.name for method in overriding.values() if raising_override.removes(method)}
    removed |= class_attributes.attributes(own.body.statements).keys()
    merger = super_call.BodyMerger()
    useless: list[tuple[Parts, Statement]] = []
    for key in in_order(inherited, overriding):
        method, override = inherited.get(key), overriding.get(key)
        if method is None:
            _add_new_method(key, overriding[key], parent, bases, flat)
        elif method.name in removed:
            continue
        elif override is not None:
            _add_override(key, method, override, bases, merger, flat)
            useless += [(method, statement) for statement in merger.take_useless()]
        else:
            flat.add(key, method.code)
    flat.deleted = merger.honoured
    honoured = set(merger.honoured.values())
    for method, statement in useless:
        if statement not in honoured:
            _report_useless(statement, method, parent, flat)


def _add_new_method(key: str, own: Parts, parent: Parts, bases: tuple[str, ...], flat: Flattened) -> None:
    known = flat.inherited
    index = super_call.super_call_index(own.body.statements, own.name)
    if index is not None:
        flat.report(
            Problem.NOTHING_TO_UNRAVEL,
            own.body.statements[index].own,
            f"`super().{own.name}(...)` cannot be unravelled: `{parent.name}` has no `{own.name}`",
            f"write the body out; to call a base when the code runs, write `{_base(bases)}.{own.name}(self, ...)`"
            + _or_other(own.name, known),
            parent,
            *explicit_call(own.body.statements[index].own, own.name, _base(bases)),
            *spellings(own.header, own.name, known),
        )
    if raising_override.removes(own):
        flat.report(
            Problem.REMOVAL_MISSING,
            own.header,
            f"the raising `{own.name}` removes nothing, and stays: `{parent.name}` has no `{own.name}`",
            f"remove the method, unless a base of `{parent.name}` has one{_or_other(own.name, known)}",
            parent,
            fixes.remove(own.statement, f"Remove `{own.name}`"),
            *spellings(own.header, own.name, known),
        )
    flat.add(key, replace_parent_calls(own.statement, bases))


def _add_override(
    key: str, parent: Parts, own: Parts, bases: tuple[str, ...], merger: super_call.BodyMerger, flat: Flattened
) -> None:
    if raising_override.only_raises(own):
        flat.report(
            Problem.RAISE_NOT_REMOVING,
            own.header,
            f"`{own.name}` raises, but the parent's `{own.name}` is not removed: this override takes its place",
            f"to remove it, {raising_override.what_is_missing(own)}",
            parent,
            removing_form(own),
        )
    elif own.is_async and not parent.is_async:
        message = f"`async` is left out: a method that replaces the parent's is `async` only where that is, and its `{own.name}` is not"
        hint = "give the method another name"
        flat.diagnostics.append(Diagnostic(Problem.LEFT_OUT, place_of(own.header), message, hint))
    flat.add(key, parent.lead, merge_decorators(parent, own))
    flat.parts.append(Piece(key, _method_header(parent, own, flat), Way.OWN, parent.header))
    _check_decorators(parent, own, flat)
    body = _method_body(parent, own, bases, merger)
    if docstring := merge_docstring(parent, own):
        flat.add(key, docstring.code)
    elif not body:
        body = [_nothing(own, 2)]
    flat.add(key, *body, own.body.footer, parents=Way.MERGED)


def _method_header(parent: Parts, own: Parts, flat: Flattened) -> Code:
    """The modular's header with the parent's `async`, and its return annotation where the modular has none."""
    changes: dict[str, object] = {}
    if own.is_async != parent.is_async:
        changes["asynchronous"] = parent.function_node.asynchronous
    if SUPER_KWARGS in own.header.mask and _takes_super_kwargs(own.function_node.params):
        changes["params"] = _parameters(parent, own, flat)
    if _ARROW in parent.header.mask and _ARROW not in own.header.mask:
        changes["returns"] = parent.function_node.returns
    return own.header_with(own.function_node.with_changes(**changes)) if changes else own.header


def _takes_super_kwargs(parameters: cst.Parameters) -> bool:
    match parameters.star_kwarg:
        case cst.Param(name=cst.Name(value=name)):
            return name == SUPER_KWARGS
    return False


def _parameters(parent: Parts, own: Parts, flat: Flattened) -> cst.Parameters:
    merged = merge_parameters(parent.function_node.params, own.function_node.params)
    if merged.misplaced:
        flat.report(
            Problem.DEFAULT_MISSING,
            own.header,
            f"`{merged.misplaced}` has no default, but comes after a parameter that has one: what `**super_kwargs` stands "
            "for comes first",
            f"give `{merged.misplaced}` a default, or write all parameters out",
            parent,
        )
    return merged.parameters


def _method_body(parent: Parts, own: Parts, bases: tuple[str, ...], merger: super_call.BodyMerger) -> list[Code]:
    inherited = _without(parent.body.statements, parent.docstring)
    statements = _without(own.body.statements, own.docstring)
    index = super_call.super_call_index(statements, own.name)
    if index is None:
        return [replace_parent_calls(statement, bases) for statement in statements]
    merged = merger.merge(inherited, statements[index + 1 :])
    body = super_init_first([*_with_calls(statements[:index], bases), *merged], inherited)
    return [statement.code for statement in body]


def _with_calls(statements: Sequence[Statement], bases: tuple[str, ...]) -> list[Statement]:
    return [replace(each, code=replace_parent_calls(each, bases)) for each in statements]


def _without(statements: Sequence[Statement], docstring: Statement | None) -> list[Statement]:
    return [statement for statement in statements if statement is not docstring]


def _report_useless(statement: Statement, method: Parts, parent: Parts, flat: Flattened) -> None:
    target = deleted_target(statement) or ""
    name = target.removeprefix("self.")
    assigned = (assigned_target(each) for each in method.body.statements)
    known = [each.text for each in assigned if each is not None]
    if name in class_attributes.attributes(parent.body.statements):
        hint = f"to remove the class attribute, write `{name} = AttributeError()`"
    else:
        hint = did_you_mean(target, known, _ALIKE) or "remove the line"
    flat.report(
        Problem.DEL_MISSING,
        statement.own,
        f"`del {target}` deletes nothing: the parent's `{method.name}` does not assign `{target}`",
        hint,
        method,
        fixes.remove(statement),
        *spellings(statement.own, target, known),
    )


def _base(bases: tuple[str, ...]) -> str:
    return bases[0] if bases else "Base"


def _or_other(name: str, known: Iterable[str]) -> str:
    near = did_you_mean(name, known)
    return f"; or {near}" if near else ""
