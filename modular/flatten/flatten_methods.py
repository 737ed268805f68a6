"""Merges the methods of a modular class into those of its parent's class."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import libcst as cst

from modular.flatten.autofixes import (
    add_defaults,
    call_base_explicitly,
    keep_one_kind_of_decorators,
    suggest_names,
)
from modular.flatten.flattened import Flattened
from modular.rules.classes import super_call
from modular.rules.classes.decorators import (
    NO_INHERIT_DECORATOR,
    has_no_inherit_decorator,
    merge_decorators,
)
from modular.rules.classes.docstrings import merge_docstring
from modular.rules.classes.explicit_parent_call import replace_parent_calls
from modular.rules.classes.init_order import move_super_init_first
from modular.rules.classes.methods import order_methods
from modular.rules.classes.super_kwargs import SUPER_KWARGS, merge_parameters
from modular.rules.files.drafts import OutputRun, Provenance
from modular.source.blocks import Statement
from modular.source.code import SourceSlice, generated
from modular.source.diagnostics import Problem, did_you_mean
from modular.source.headers import colon_of
from modular.source.indentation import STEP
from modular.source.parts import DefinitionView
from modular.source.places import place_of_word


_ARROW = "->"


def add_methods(
    parent: DefinitionView, own: DefinitionView, bases: tuple[str, ...], flat: Flattened
) -> None:
    """Add the methods of both classes, in the order of the parent's, each as the rules for it say."""
    inherited, overriding = flat.inherited, flat.overriding
    merger = super_call.BodyMerger()
    for key in order_methods(inherited, overriding):
        method, override = inherited.get(key), overriding.get(key)
        if method is None:
            _add_new_method(key, overriding[key], parent, bases, flat)
        elif method.name in flat.removed:
            continue
        elif override is not None:
            _add_override(key, method, override, bases, merger, flat)
        else:
            flat.add(key, method.code)
    flat.deleted = merger.applied_deletions


def _add_new_method(
    key: str,
    own: DefinitionView,
    parent: DefinitionView,
    bases: tuple[str, ...],
    flat: Flattened,
) -> None:
    known = flat.inherited
    index = super_call.find_super_call(own.body.statements, own.name)
    if index is not None:
        flat.report(
            Problem.NOTHING_TO_UNRAVEL,
            own.body.statements[index].own,
            f"`super().{own.name}(...)` cannot be unravelled: `{parent.name}` has no `{own.name}`",
            f"write the body out; to call a base when the code runs, write `{_base(bases)}.{own.name}(self, ...)`"
            + suggest_alternative(own.name, known),
            parent,
            *call_base_explicitly(
                own.body.statements[index].own, own.name, _base(bases)
            ),
            *suggest_names(own.header, own.name, known),
        )
    flat.add(key, replace_parent_calls(own.statement, bases))


def _add_override(
    key: str,
    parent: DefinitionView,
    own: DefinitionView,
    bases: tuple[str, ...],
    merger: super_call.BodyMerger,
    flat: Flattened,
) -> None:
    flat.add(key, parent.lead, merge_decorators(parent, own))
    flat.parts.append(
        OutputRun(key, _method_header(parent, own, flat), Provenance.OWN, parent.header)
    )
    check_decorators(parent, own, flat)
    body = _method_body(parent, own, bases, merger)
    if docstring := merge_docstring(parent, own):
        flat.add(key, docstring.code)
    elif not body:
        body = [nothing(own, 2)]
    flat.add(key, *body, own.body.footer, parents=Provenance.MERGED)


def _method_header(
    parent: DefinitionView, own: DefinitionView, flat: Flattened
) -> SourceSlice:
    """The modular's header with what the parent's has before its first parameter, its `async`, and its return annotation where
    the modular has none.
    """
    changes: dict[str, object] = {}
    if _before_parameters(own) != _before_parameters(parent):
        changes["whitespace_before_params"] = (
            parent.function_node.whitespace_before_params
        )
    if own.is_async != parent.is_async:
        changes["asynchronous"] = parent.function_node.asynchronous
    if SUPER_KWARGS in own.header.mask and own.parameters[-1:] == (
        f"**{SUPER_KWARGS}",
    ):
        changes["params"] = _parameters(parent, own, flat)
    header = (
        own.header_with(own.function_node.with_changes(**changes))
        if changes
        else own.header
    )
    if _ARROW in parent.header.mask and _ARROW not in header.mask:
        (start, end), (place, _) = _returns(parent.header), _returns(header)
        return header.replace([(place, place, parent.header.text[start:end])])
    return header


def _returns(header: SourceSlice) -> tuple[int, int]:
    """Where a return annotation is in a method's header, with the blanks before it, or where it would be."""
    end = len(header.mask[: colon_of(header.mask, 0)].rstrip())
    return len(header.mask[:end].partition(_ARROW)[0].rstrip()), end


def _before_parameters(method: DefinitionView) -> str:
    """The comments and line ends between a method's `(` and its first parameter."""
    mask = method.header.mask
    begin = (
        mask.index("(", method.statement.written_name[1] - method.statement.opening) + 1
    )
    return method.header.text[
        begin : begin + len(mask[begin:]) - len(mask[begin:].lstrip())
    ].strip(" ")


def _parameters(
    parent: DefinitionView, own: DefinitionView, flat: Flattened
) -> cst.Parameters:
    merged = merge_parameters(parent.function_node.params, own.function_node.params)
    if merged.misplaced:
        flat.report(
            Problem.DEFAULT_MISSING,
            own.header,
            f"`{merged.misplaced}` has no default, but follows a parameter that has one: the parameters that replace "
            "`**super_kwargs` come first",
            f"give `{merged.misplaced}` a default, or write all parameters out",
            parent,
            *add_defaults(own, merged.misplaced),
        )
    return merged.parameters


def _method_body(
    parent: DefinitionView,
    own: DefinitionView,
    bases: tuple[str, ...],
    merger: super_call.BodyMerger,
) -> list[SourceSlice]:
    statements = _without(own.body.statements, own.docstring)
    index = super_call.find_super_call(statements, own.name)
    if index is None:
        return [replace_parent_calls(statement, bases) for statement in statements]
    inherited = _without(parent.body.statements, parent.docstring)
    merged = merger.merge(inherited, statements[index + 1 :])
    before = (
        replace(statement, code=replace_parent_calls(statement, bases))
        for statement in statements[:index]
    )
    body = move_super_init_first([*before, *merged], inherited)
    return [statement.code for statement in body]


def _without(
    statements: Sequence[Statement], docstring: Statement | None
) -> list[Statement]:
    return [statement for statement in statements if statement is not docstring]


def _base(bases: tuple[str, ...]) -> str:
    return bases[0] if bases else "Base"


def suggest_alternative(name: str, known: Iterable[str]) -> str:
    """Return, as the end of a hint, which other name may have been meant; nothing if none is near."""
    near = did_you_mean(name, known)
    return f"; or {near}" if near else ""


def nothing(own: DefinitionView, level: int) -> SourceSlice:
    """The body of a class or method of which nothing is left."""
    return generated(f"{STEP * level}pass\n", own.code.path, own.statement.line)


def check_decorators(
    parent: DefinitionView, own: DefinitionView, flat: Flattened
) -> None:
    """Report a marker for no decorators that is beside others."""
    if has_no_inherit_decorator(own) and len(own.decorator_names) > 1:
        flat.report(
            Problem.NO_INHERIT_WITH_OTHERS,
            place_of_word(own.decorators, NO_INHERIT_DECORATOR),
            f"`@{NO_INHERIT_DECORATOR}` is combined with other decorators of `{own.name}`",
            f"write `@{NO_INHERIT_DECORATOR}` alone for no decorators, or only the decorators that `{own.name}` should have: "
            "they replace the parent's in any case",
            parent,
            *keep_one_kind_of_decorators(own),
        )
