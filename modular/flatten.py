"""Flattens one class: the parent's renamed class with the differences of the modular class. A table of contents of `rules`."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from modular.diagnostics import Code as Kind
from modular.diagnostics import Diagnostic
from modular.rules import class_attributes, raising_override, super_call
from modular.rules.bases import merge_bases
from modular.rules.decorators import MARKER, decorator_names, marks_none, merge_decorators
from modular.rules.del_attribute import deleted_target
from modular.rules.docstrings import merge_docstring
from modular.rules.explicit_parent_call import replace_parent_calls
from modular.rules.init_order import super_init_first
from modular.rules.methods import methods
from modular.source.blocks import Statement
from modular.source.code import Code
from modular.source.parts import Parts
from modular.source.places import place_of


@dataclass
class Flattened:
    """A flattened class: its parts in order, each a run of lines of one origin, and what was found on the way.

    ``members`` tells which method or attribute each part belongs to; the class's own lines belong to the empty name.
    """

    name: str
    parts: list[tuple[str, Code]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def add(self, member: str, *codes: Code) -> None:
        """Append runs of lines that belong to a member."""
        self.parts += [(member, code) for code in codes if code.text]

    def report(self, kind: Kind, at: Code, message: str, hint: str = "", related: Code | None = None) -> None:
        """Record a diagnostic."""
        self.diagnostics.append(
            Diagnostic(kind, place_of(at), message, hint, place_of(related) if related is not None else None)
        )


def flatten_class(parent: Parts, own: Parts, parent_names: frozenset[str]) -> Flattened:
    """Merge a modular class into its parent's class, which is renamed already.

    ``parent_names`` are the spellings of the parent class among the modular's bases.
    """
    flat = Flattened(own.name)
    further = tuple(base for base in own.arguments if base not in parent_names and "=" not in base)
    bases = merge_bases(parent.arguments, further)
    _check_decorators(own, flat)
    flat.add("", parent.lead, merge_decorators(parent, own), _class_header(parent, own, bases))
    before = len(flat.parts)
    if docstring := merge_docstring(parent, own):
        flat.add("", docstring.code)
    _add_attributes(parent, own, flat)
    _add_methods(parent, own, bases, flat)
    if len(flat.parts) == before:
        flat.add("", *(statement.code for statement in own.body.statements[:1]))
    return flat


def _check_decorators(own: Parts, flat: Flattened) -> None:
    names = decorator_names(own)
    if marks_none(names) and len(names) > 1:
        flat.report(
            Kind.NO_INHERIT_WITH_OTHERS,
            own.decorators,
            f"`@{MARKER}` stands beside other decorators of `{own.name}`",
            f"write either `@{MARKER}` alone (no decorators) or the decorators that `{own.name}` shall have",
        )


def _class_header(parent: Parts, own: Parts, bases: tuple[str, ...]) -> Code:
    header = parent.header
    end = parent.header_end - parent.opening
    line = f"class {own.name}({', '.join(bases)}):" if bases else f"class {own.name}:"
    start = len(header.text) - len(header.text.lstrip())
    replaced = header.replace([(start, end, line)])
    return replaced if replaced.text.endswith("\n") else replaced.replace([(len(replaced.text), len(replaced.text), "\n")])


def _add_attributes(parent: Parts, own: Parts, flat: Flattened) -> None:
    inherited = class_attributes.attributes(parent.body.statements)
    overriding = class_attributes.attributes(own.body.statements)
    for statement in class_attributes.merge_attributes(inherited, overriding):
        flat.add(statement.name, statement.code)
    known = inherited.keys() | methods(parent.body.statements).keys()
    for name, statement in overriding.items():
        if class_attributes.is_removal(statement) and name not in known:
            flat.report(
                Kind.REMOVAL_MISSING,
                statement.own,
                f"`{name} = AttributeError()` removes nothing: `{parent.name}` has no `{name}`",
                "remove the line",
                parent.header,
            )


def _add_methods(parent: Parts, own: Parts, bases: tuple[str, ...], flat: Flattened) -> None:
    inherited, overriding = methods(parent.body.statements), methods(own.body.statements)
    hidden = class_attributes.attributes(own.body.statements)
    merger = super_call.BodyMerger()
    for key, method in inherited.items():
        if method.name in hidden:
            continue
        if key in overriding:
            _add_override(key, method, overriding[key], bases, merger, flat)
        else:
            flat.add(key, method.code)
    for key, method in overriding.items():
        if key not in inherited:
            _add_new_method(key, method, parent, bases, flat)


def _add_new_method(key: str, own: Parts, parent: Parts, bases: tuple[str, ...], flat: Flattened) -> None:
    index = super_call.super_call_index(own.body.statements, own.name)
    if index is not None:
        flat.report(
            Kind.NOTHING_TO_UNRAVEL,
            own.body.statements[index].own,
            f"`super().{own.name}(...)` cannot be unravelled: `{parent.name}` has no `{own.name}`",
            f"write the body out, or call a base really: `{bases[0] if bases else 'Base'}.{own.name}(self, ...)`",
            parent.header,
        )
    if raising_override.removes(own):
        flat.report(
            Kind.REMOVAL_MISSING,
            own.header,
            f"the raising `{own.name}` removes nothing: `{parent.name}` has no `{own.name}`",
            "remove the method",
            parent.header,
        )
        return
    flat.add(key, replace_parent_calls(own.code, bases))


def _add_override(
    key: str, parent: Parts, own: Parts, bases: tuple[str, ...], merger: super_call.BodyMerger, flat: Flattened
) -> None:
    if raising_override.removes(own):
        return
    if raising_override.only_raises(own):
        flat.report(
            Kind.RAISE_NOT_REMOVING,
            own.header,
            f"`{own.name}` raises, but is not removed: it stays an override",
            "to remove the parent's, write a one-line `def` with exactly one blank line and no comment above it, "
            "without decorator or docstring, and `raise AttributeError(...)` on the next line",
            parent.header,
        )
    flat.add(key, parent.lead, merge_decorators(parent, own), _method_header(parent, own))
    _check_decorators(own, flat)
    if docstring := merge_docstring(parent, own):
        flat.add(key, docstring.code)
    flat.add(key, *_method_body(parent, own, bases, merger), own.body.footer)
    _check_deletions(parent, merger, flat)


def _method_header(parent: Parts, own: Parts) -> Code:
    """The modular's header with the parent's `async`, and its return annotation where the modular has none."""
    header = own.header if not own.is_inline else own.header.replace([(len(own.header.text),) * 2 + ("\n",)])
    edits = [*_async_edit(parent, own), *_parameters_edit(parent, own), *_returns_edit(parent, own)]
    return header.replace(edits)


def _async_edit(parent: Parts, own: Parts) -> list[tuple[int, int, str]]:
    start = len(own.header.text) - len(own.header.text.lstrip())
    is_async = own.header.mask.startswith("async", start)
    if parent.header.mask.lstrip().startswith("async"):
        return [] if is_async else [(start, start, "async ")]
    return [(start, own.header.mask.index("def", start), "")] if is_async else []


def _parameters_edit(parent: Parts, own: Parts) -> list[tuple[int, int, str]]:
    if own.parentheses is None or not own.arguments or not own.arguments[-1].startswith("**super_kwargs"):
        return []
    from modular.rules.super_kwargs import merge_parameters

    start, end = own.parentheses
    merged = merge_parameters(parent.argument_text, own.argument_text)
    return [(start - own.opening, end - own.opening, merged)]


def _returns_edit(parent: Parts, own: Parts) -> list[tuple[int, int, str]]:
    if own.parentheses is None or parent.parentheses is None or own.returns or not parent.returns:
        return []
    end = own.parentheses[1] + 1 - own.opening
    return [(end, end, f" {parent.returns}")]


def _method_body(parent: Parts, own: Parts, bases: tuple[str, ...], merger: super_call.BodyMerger) -> list[Code]:
    inherited = _without(parent.body.statements, parent.docstring)
    statements = _without(own.body.statements, own.docstring)
    index = super_call.super_call_index(statements, own.name)
    if index is None:
        return [replace_parent_calls(statement.code, bases) for statement in statements]
    merged = merger.merge(inherited, statements[index + 1 :])
    body = super_init_first([*_with_calls(statements[:index], bases), *merged], inherited)
    return [statement.code for statement in body]


def _with_calls(statements: Sequence[Statement], bases: tuple[str, ...]) -> list[Statement]:
    return [
        Statement(replace_parent_calls(each.code, bases), each.start, each.kind, each.name) for each in statements
    ]


def _without(statements: Sequence[Statement], docstring: Statement | None) -> list[Statement]:
    return [statement for statement in statements if statement is not docstring]


def _check_deletions(parent: Parts, merger: super_call.BodyMerger, flat: Flattened) -> None:
    while merger.useless:
        statement = merger.useless.pop(0)
        target = deleted_target(statement)
        flat.report(
            Kind.DEL_MISSING,
            statement.own,
            f"`del {target}` deletes nothing: the parent's `{parent.name}` does not assign `{target}`",
            "remove the line",
            parent.header,
        )
