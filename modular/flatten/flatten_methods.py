"""Merges the methods of a modular class into those of its parent's class."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import libcst as cst

from modular.flatten.autofixes import (
    attribute,
    defaults,
    explicit_call,
    one_kind_of_decorators,
    removing_form,
    spellings,
)
from modular.flatten.flattened import Flattened
from modular.rules.classes import class_attributes, raising_override, super_call
from modular.rules.classes.decorators import MARKER, marks_none, merge_decorators
from modular.rules.classes.del_attribute import deleted_target
from modular.rules.classes.docstrings import merge_docstring
from modular.rules.classes.explicit_parent_call import replace_parent_calls
from modular.rules.classes.init_order import super_init_first
from modular.rules.classes.methods import in_order
from modular.rules.classes.super_kwargs import NAME as SUPER_KWARGS
from modular.rules.classes.super_kwargs import merge_parameters
from modular.rules.drafts import Piece, Way
from modular.source import fixes
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.code import Code, generated
from modular.source.diagnostics import Diagnostic, Problem, did_you_mean
from modular.source.indentation import STEP
from modular.source.parts import Parts
from modular.source.places import place_of, place_of_word


_ARROW = "->"

_ALIKE = 0.85
"""How alike attributes of `self` are, of which one is meant by the other: `up_proj` and `down_proj` are less so."""


def add_methods(parent: Parts, own: Parts, bases: tuple[str, ...], flat: Flattened) -> None:
    """Add the methods of both classes, in the order of the parent's, each as the rules for it say."""
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
            + or_other(own.name, known),
            parent,
            *explicit_call(own.body.statements[index].own, own.name, _base(bases)),
            *spellings(own.header, own.name, known),
        )
    if raising_override.removes(own):
        flat.report(
            Problem.REMOVAL_MISSING,
            own.header,
            f"the raising `{own.name}` removes nothing, and stays: `{parent.name}` has no `{own.name}`",
            f"remove the method, unless a base of `{parent.name}` has one{or_other(own.name, known)}",
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
    check_decorators(parent, own, flat)
    body = _method_body(parent, own, bases, merger)
    if docstring := merge_docstring(parent, own):
        flat.add(key, docstring.code)
    elif not body:
        body = [nothing(own, 2)]
    flat.add(key, *body, own.body.footer, parents=Way.MERGED)


def _method_header(parent: Parts, own: Parts, flat: Flattened) -> Code:
    """The modular's header with what the parent's has before its first parameter, its `async`, and its return annotation where
    the modular has none.
    """
    changes: dict[str, object] = {}
    if _before_parameters(own) != _before_parameters(parent):
        changes["whitespace_before_params"] = parent.function_node.whitespace_before_params
    if own.is_async != parent.is_async:
        changes["asynchronous"] = parent.function_node.asynchronous
    if SUPER_KWARGS in own.header.mask and _takes_super_kwargs(own.function_node.params):
        changes["params"] = _parameters(parent, own, flat)
    if _ARROW in parent.header.mask and _ARROW not in own.header.mask:
        changes["returns"] = parent.function_node.returns
    return own.header_with(own.function_node.with_changes(**changes)) if changes else own.header


def _before_parameters(method: Parts) -> str:
    """The comments and line ends between a method's `(` and its first parameter."""
    mask = method.header.mask
    begin = mask.index("(", method.statement.written_name[1] - method.statement.opening) + 1
    return method.header.text[begin : begin + len(mask[begin:]) - len(mask[begin:].lstrip())].strip(" ")


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
            *defaults(own, merged.misplaced),
        )
    return merged.parameters


def _method_body(parent: Parts, own: Parts, bases: tuple[str, ...], merger: super_call.BodyMerger) -> list[Code]:
    statements = _without(own.body.statements, own.docstring)
    index = super_call.super_call_index(statements, own.name)
    if index is None:
        return [replace_parent_calls(statement, bases) for statement in statements]
    inherited = _without(parent.body.statements, parent.docstring)
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
    hint, ways_out = did_you_mean(target, known, _ALIKE) or "remove the line", [fixes.remove(statement)]
    if name in class_attributes.attributes(parent.body.statements):
        line = f"{name} = AttributeError()"
        hint = f"to remove the class attribute, write `{line}`"
        ways_out = [fixes.joined(f"Write `{line}`", (attribute(flat.own, line), *ways_out)), *ways_out]
    flat.report(
        Problem.DEL_MISSING,
        statement.own,
        f"`del {target}` deletes nothing: the parent's `{method.name}` does not assign `{target}`",
        hint,
        method,
        *ways_out,
        *spellings(statement.own, target, known),
    )


def _base(bases: tuple[str, ...]) -> str:
    return bases[0] if bases else "Base"


def or_other(name: str, known: Iterable[str]) -> str:
    """Return, as the end of a hint, which other name may have been meant; nothing if none is near."""
    near = did_you_mean(name, known)
    return f"; or {near}" if near else ""


def nothing(own: Parts, level: int) -> Code:
    """The body of a class or method of which nothing is left."""
    return generated(f"{STEP * level}pass\n", own.code.path, own.statement.line)


def check_decorators(parent: Parts, own: Parts, flat: Flattened) -> None:
    """Report a marker for no decorators that stands beside others."""
    if marks_none(own) and len(own.decorator_names) > 1:
        flat.report(
            Problem.NO_INHERIT_WITH_OTHERS,
            place_of_word(own.decorators, MARKER),
            f"`@{MARKER}` stands beside other decorators of `{own.name}`",
            f"write `@{MARKER}` alone for no decorators, or only the decorators that `{own.name}` should have: "
            "they replace the parent's in any case",
            parent,
            *one_kind_of_decorators(own),
        )
