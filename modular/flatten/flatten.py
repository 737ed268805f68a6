"""Flattens one class by the rules of `modular.rules.classes`."""

from collections.abc import Collection, Mapping, Sequence

import libcst as cst

from modular.flatten.autofixes import (
    add_defaults,
    call_base_explicitly,
    keep_one_kind_of_decorators,
    rename_override,
)
from modular.flatten.flattened import Flattened
from modular.rules.classes.bases import find_replaced, merge_bases
from modular.rules.classes.class_attributes import find_removed_names, is_removal
from modular.rules.classes.config_docstrings import merge_docstring_entries
from modular.rules.classes.decorators import (
    NO_INHERIT_DECORATOR,
    has_no_inherit_decorator,
    merge_decorators,
)
from modular.rules.classes.docstrings import merge_docstring
from modular.rules.classes.explicit_parent_call import replace_parent_calls
from modular.rules.classes.init_order import move_super_init_first
from modular.rules.classes.inlined_call import passes_super_kwargs
from modular.rules.classes.merge_record import (
    Fate,
    MethodMerge,
    Step,
    render_steps,
)
from modular.rules.classes.methods import order_methods
from modular.rules.classes.super_call import BodyMerger, find_super_call
from modular.rules.classes.super_kwargs import merge_parameters
from modular.rules.files.drafts import Provenance
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Problem, did_you_mean, nearest
from modular.source.headers import colon_of
from modular.source.indentation import STEP
from modular.source.places import place_of_word
from modular.source.scan import count_leading_blanks
from modular.source.source_slice import SourceSlice, synthetic


_ARROW = "->"


def flatten_class(
    parent: DefinitionView,
    child: DefinitionView,
    base: str,
    merges_docstrings: bool,
    added_decorators: Collection[str] = (),
) -> Flattened:
    """Merge a child class with its parent class, so that it no longer inherits from it.

    Args:
        parent: The parent class. In its code, `Llama` is already renamed to `MyModel`.
        child: The class of the modular file, which the author writes.
        base: The name of the parent class in the child's header, such as `LlamaMLP`.
        merges_docstrings: Whether the docstrings are merged argument by argument.
        added_decorators: Names of decorators that do not replace the parent's.
    """
    flat = Flattened(parent, child, added_decorators=added_decorators)
    other_bases = tuple(other for other in child.bases if other != base)
    bases = merge_bases(parent.bases, other_bases)

    report_mixed_decorators(parent, child, flat)
    decorators = merge_decorators(parent, child, added_decorators)
    header = _without_comment(merge_class_header(parent, child, bases))
    flat.add(parent.lead, *decorators, header)

    body_start = len(flat.parts)
    # An attribute of the child takes the place of the parent's of the same name, unless
    # that is removed.
    attributes = dict(flat.inherited_attributes)
    for name in find_removed_names(child.body.statements):
        attributes.pop(name, None)
    attributes.update(flat.attributes)
    for statement in attributes.values():
        if not is_removal(statement):
            flat.add(statement.code, member=statement.name)
    merger = BodyMerger()
    _add_methods(parent, bases, merger, flat)
    flat.deleted = merger.applied_deletions

    # The docstring is the first part of the body. It is merged last, because `del self.x`
    # in a method removes the entry of `x` in the docstring.
    docstring = merge_class_docstring(parent, child, merges_docstrings, flat)
    flat.insert(body_start, docstring)

    is_empty = len(flat.parts) == body_start
    if is_empty:
        flat.add(make_pass_statement(child))
    return flat


def _without_comment(header: SourceSlice) -> SourceSlice:
    """Return the header of a class without a comment behind its colon.

    Upstream's converter writes a new body for the class, which this comment belongs to.
    """
    colon = colon_of(header.mask, start=0)
    if "#" not in header.text[colon:]:
        return header
    line_end = len(header.text.rstrip("\r\n"))
    return header.replace([(colon + 1, line_end, "")])


def merge_class_docstring(
    parent: DefinitionView,
    child: DefinitionView,
    merges_docstrings: bool,
    flat: Flattened,
) -> Sequence[SourceSlice]:
    """Return the lines of the docstring of a flattened class.

    Args:
        parent: The parent class, renamed to the child's model.
        child: The class of the modular file.
        merges_docstrings: Whether the docstrings are merged argument by argument. The
            entries of removed attributes are dropped then.
        flat: The flattened class, in which the methods are merged already.
    """
    if merges_docstrings and child.docstring and parent.docstring:
        removed = _removed_attributes(flat)
        merged = merge_docstring_entries(parent.docstring, child.docstring, removed)
        if merged is not None:
            return merged

    docstring = merge_docstring(parent, child)
    return [] if docstring is None else [docstring.code]


def _removed_attributes(flat: Flattened) -> set[str]:
    """Return the names of the parent's attributes that a flattened class does not have.

    The child removes `size` by `size = AttributeError()` in its body, or by
    `del self.size` in a method.
    """
    removed = set()
    for name, statement in flat.attributes.items():
        if is_removal(statement):
            removed.add(name)
    for deleted_target in flat.deleted:
        removed.add(deleted_target.removeprefix("self."))
    return removed


def merge_class_header(
    parent: DefinitionView, child: DefinitionView, bases: tuple[str, ...]
) -> SourceSlice:
    """Return the parent's header with the child's name and the merged bases.

    `class LlamaMLP(nn.Module):` becomes `class MyModelMLP(nn.Module):`.
    """
    # Replacing the name alone keeps the formatting of the header, and is faster.
    if child.type_parameters is None and bases == parent.bases:
        name_start, name_end = parent.statement.name_span
        offset = parent.statement.header_start
        edit = (name_start - offset, name_end - offset, child.name)
        return parent.header.replace([edit])
    return parent.changed_class_header(
        child.name,
        child.type_parameters or parent.type_parameters,
        bases,
        ends_with_comma=_ends_with_comma(parent, child, bases),
    )


def _ends_with_comma(
    parent: DefinitionView, child: DefinitionView, bases: tuple[str, ...]
) -> bool:
    """Whether the merged header of a class gets a comma after its last base.

    The comma of `class A(Base,):` makes formatters write one base per line. If the last
    base is in the parent's header, the parent's header decides. The parent's header also
    decides for a child's base that replaces a parent's base. Otherwise, the child's header
    decides.

    Args:
        parent: The parent class.
        child: The class of the modular file.
        bases: The merged bases of both classes.
    """
    if not bases:
        return False
    last = bases[-1]
    if last in parent.bases:
        return parent.has_comma_after(last)
    # The child's `PreTrainedVisionModel` replaces the parent's `PreTrainedModel`.
    replaced = find_replaced(last, parent.bases)
    if replaced is not None:
        return parent.has_comma_after(replaced)
    return child.has_comma_after(last)


def _add_methods(
    parent: DefinitionView,
    bases: tuple[str, ...],
    merger: BodyMerger,
    flat: Flattened,
) -> None:
    """Add the methods of the parent class and of the child class to a flattened class.

    Methods that both classes have are merged. Methods that the child removes are left
    out. `flat.inherited` holds the parent's methods by key, `flat.overriding` the
    child's.

    Args:
        parent: The parent class, renamed to the child's model.
        bases: The bases of the flattened class.
        merger: Merges the bodies, and records what the child's bodies delete.
        flat: The flattened class, to which the methods are added.
    """
    for key in order_methods(flat.inherited, flat.overriding):
        inherited = flat.inherited.get(key)
        override = flat.overriding.get(key)
        if inherited is None:
            _add_new_method(key, flat.overriding[key], parent, bases, flat)
        elif inherited.name in flat.removed:
            continue
        elif override is None:
            flat.add(inherited.code, member=key)
        else:
            _add_override(key, inherited, override, bases, merger, flat)


def make_pass_statement(child: DefinitionView) -> SourceSlice:
    """Return an indented `pass` as the body of a class or method without statements.

    Args:
        child: The class or method of the modular file that the code is generated for.
    """
    indent = child.statement.indent + STEP
    return synthetic(f"{indent}pass\n", child.code.path, child.statement.line)


def report_mixed_decorators(
    parent: DefinitionView, child: DefinitionView, flat: Flattened
) -> None:
    """Report `@no_inherit_decorator` if it is combined with other decorators.

    The marker says that the parent's decorators are not inherited, so it stands alone.

    Args:
        parent: The parent's class or method.
        child: The class or method of the modular file.
        flat: The flattened class, which gets the error.
    """
    if not has_no_inherit_decorator(child) or len(child.decorator_names) == 1:
        return
    marker = f"`@{NO_INHERIT_DECORATOR}`"
    flat.report(
        Problem.NO_INHERIT_DECORATOR_WITH_OTHERS,
        at=place_of_word(child.decorators, NO_INHERIT_DECORATOR),
        message=f"{marker} is combined with other decorators of `{child.name}`",
        hint=f"to drop the parent's decorators, keep only {marker}; to write your own, "
        f"delete {marker}, because yours replace the parent's anyway",
        parent=parent,
        fixes=keep_one_kind_of_decorators(child),
    )


def _add_new_method(
    key: str,
    method: DefinitionView,
    parent: DefinitionView,
    bases: tuple[str, ...],
    flat: Flattened,
) -> None:
    """Add to a flattened class a method that only the child class has.

    A call of `super().method()` in the method is an error.
    """
    index = find_super_call(method.body.statements, method.name)
    if index is not None:
        call = method.body.statements[index].bare_code
        base = bases[0] if bases else "Base"
        _report_call_of_missing_method(call, method, parent, base, flat)
    # If `nn.Module` is a base of the flattened class, `nn.Module.reset(self)` in the method
    # becomes `super().reset()`.
    flat.add(replace_parent_calls(method.statement, bases), member=key)


def _report_call_of_missing_method(
    call: SourceSlice,
    method: DefinitionView,
    parent: DefinitionView,
    base: str,
    flat: Flattened,
) -> None:
    """Report a call of `super().method()` if the parent class has no such method.

    Usually, the body of the parent's method replaces such a call. Without a method of the
    parent, there is no body to write.

    Args:
        call: The statement with the call.
        method: The child's method that contains the call, and has the same name.
        parent: The parent class.
        base: The first base of the flattened class, which the hint suggests to call.
        flat: The flattened class, which gets the error.
    """
    similar_names = nearest(method.name, flat.inherited) or _find_renamed(method, flat)
    if similar_names:
        # The parent's method was renamed, or the child's name is misspelt.
        hint = did_you_mean(method.name, similar_names, min_similarity=0)
    else:
        hint = (
            "write the code yourself; to call a base class at run time, write "
            f"`{base}.{method.name}(self, ...)`"
        )
    autofixes = [rename_override(method, call, name) for name in similar_names]
    if not autofixes:
        autofixes.append(call_base_explicitly(call, method.name, base))
    flat.report(
        Problem.NOTHING_TO_UNRAVEL,
        at=call,
        message=f"`super().{method.name}(...)` cannot be replaced by the parent's code: "
        f"`{parent.name}` has no method `{method.name}`",
        hint=hint,
        parent=parent,
        fixes=autofixes,
    )


def _find_renamed(method: DefinitionView, flat: Flattened) -> list[str]:
    """Return the parent's method that an override of another name may mean.

    That is the only method of the parent that the child does not override, and that has
    the same parameters. Without parameters, no method is found.
    """
    if len(method.parameters) < 2:
        return []
    candidates = []
    for key, inherited in flat.inherited.items():
        if key not in flat.overriding and inherited.parameters == method.parameters:
            candidates.append(inherited.name)
    return candidates if len(candidates) == 1 else []


def _add_override(
    key: str,
    parent: DefinitionView,
    child: DefinitionView,
    bases: tuple[str, ...],
    merger: BodyMerger,
    flat: Flattened,
) -> None:
    """Add to a flattened class a method that both classes have.

    Decorators, header, docstring and body of the child are merged with the parent's.
    For example, the parent's body replaces `super().forward(x)` in the child's.

    Args:
        key: The key of the method: its name, or `size.setter` for a property's setter.
        parent: The method of the parent class.
        child: The method of the child class, which overrides it.
        bases: The bases of the flattened class.
        merger: Merges the bodies.
        flat: The flattened class, to which the method is added.
    """
    # The decorators of the child replace the parent's. Only those that a setting lists
    # as `added_decorators` are written in addition to the parent's.
    decorators = merge_decorators(parent, child, flat.added_decorators)
    # The lead is the comments and blank lines above the method.
    flat.add(parent.lead, *decorators, member=key)
    header = _merge_method_header(parent, child, flat)
    flat.add_merged_header(header, parent.header, member=key)
    report_mixed_decorators(parent, child, flat)

    docstring = merge_docstring(parent, child)
    if docstring is not None:
        flat.add(docstring.code, member=key)
    body = _merge_body(key, parent, child, bases, merger, flat)
    # The child's `del self.x` below `super().f()` removes `self.x = 1` from the parent's
    # body. If the parent's `f` has no other statement, no statement is left.
    if not body and docstring is None:
        body = [make_pass_statement(child)]
    # Parent's lines in the body of an override are recorded as merged, not as inherited.
    flat.add(*body, child.body.footer, member=key, parent_provenance=Provenance.MERGED)


def _merge_method_header(
    parent: DefinitionView, child: DefinitionView, flat: Flattened
) -> SourceSlice:
    """Return the header of an override, completed from the parent's header.

    The override is `async` if the parent's method is. The parent's parameters replace
    `**super_kwargs`.
    """
    changes: dict[str, object] = {}
    if child.is_async != parent.is_async:
        changes["asynchronous"] = parent.function_node.asynchronous
    if passes_super_kwargs(child):
        changes["params"] = merge_method_parameters(parent, child, flat)
    # This call adds the parent's return annotation, and its comments at the parameters.
    return complete_method_header(parent, child, changes)


def complete_method_header(
    parent: DefinitionView, child: DefinitionView, changes: Mapping[str, object]
) -> SourceSlice:
    """Return the header of an override, completed from the parent's header.

    If the parent has `def forward(self, x) -> Tensor:`, the override `def forward(self):`
    becomes `def forward(self) -> Tensor:`. Line breaks and comments between `(` and the
    first parameter are the parent's, too.

    Args:
        parent: The method of the parent class.
        child: The override.
        changes: Other changes of the header, as attributes of the override's LibCST node.
    """
    node_changes = dict(changes)
    if _text_before_parameters(child) != _text_before_parameters(parent):
        # For LibCST, line breaks and comments are whitespace, too.
        whitespace = parent.function_node.whitespace_before_params
        node_changes["whitespace_before_params"] = whitespace

    header = child.header
    # Most headers have no changes. They are not parsed, because that is slow.
    if node_changes:
        node = child.function_node.with_changes(**node_changes)
        header = child.changed_function_header(node)
    if _ARROW in parent.header.mask and _ARROW not in header.mask:
        start, end = _arrow_and_annotation_span(parent.header)
        arrow_and_annotation = parent.header.text[start:end]
        # In the override's header, the span is empty: it is the place behind `)`.
        position, _ = _arrow_and_annotation_span(header)
        header = header.replace([(position, position, arrow_and_annotation)])
    return header


def _arrow_and_annotation_span(header: SourceSlice) -> tuple[int, int]:
    """Return the span of ` -> tuple` in `def f(self) -> tuple:`.

    In `def f(self):`, the span is empty, and lies between `)` and `:`.
    """
    colon = colon_of(header.mask, start=0)
    text_before_colon = header.mask[:colon].rstrip()
    # Without an arrow, this is the whole text, so both offsets are equal.
    text_before_arrow = text_before_colon.partition(_ARROW)[0].rstrip()
    return len(text_before_arrow), len(text_before_colon)


def _text_before_parameters(method: DefinitionView) -> str:
    """Return the comments and line ends between `(` and the first parameter."""
    mask = method.header.mask
    name_end = method.statement.name_span[1] - method.statement.header_start
    start = mask.index("(", name_end) + 1
    end = start + count_leading_blanks(mask[start:])
    return method.header.text[start:end].strip(" ")


def merge_method_parameters(
    parent: DefinitionView, child: DefinitionView, flat: Flattened
) -> cst.Parameters:
    """Replace `**super_kwargs` in an override by the parameters of the parent's method.

    It is an error if a parameter without a default then follows one with a default.
    """
    merged = merge_parameters(parent.function_node.params, child.function_node.params)
    if merged.misplaced:
        flat.report(
            Problem.DEFAULT_MISSING,
            at=child.header,
            message=f"`{merged.misplaced}` has no default, but comes after a parameter with a "
            "default: `**super_kwargs` inserts the parent's parameters before it",
            hint=f"give `{merged.misplaced}` a default, or list all parameters instead of "
            "`**super_kwargs`",
            parent=parent,
            fixes=add_defaults(child, merged.misplaced),
        )
    return merged.parameters


def _merge_body(
    key: str,
    parent: DefinitionView,
    child: DefinitionView,
    bases: tuple[str, ...],
    merger: BodyMerger,
    flat: Flattened,
) -> list[SourceSlice]:
    """Return the body of an override in the flattened class.

    1. Without a call of `super().method()`, this is the child's body.
    2. Otherwise the parent's body takes the place of the call. The child's statements
       below the call are merged into the parent's body: `self.size = 2` replaces the
       parent's `self.size = 1`. The merge is recorded in `flat`.

    `nn.Module.f(self)` in the child's body becomes `super().f()`, except below the call.
    The converter of transformers does not replace it there.
    """
    statements = child.body_without_docstring
    index = find_super_call(statements, child.name)
    # Case 1.
    if index is None:
        return [replace_parent_calls(statement, bases) for statement in statements]
    # Case 2.
    above = []
    for statement in statements[:index]:
        code = replace_parent_calls(statement, bases)
        above.append(Step(statement, Fate.OWN, rewritten=code))
    parent_statements = parent.body_without_docstring
    merged = merger.merge(parent_statements, statements[index + 1 :])
    steps = move_super_init_first([*above, *merged], parent_statements)
    flat.merges[key] = MethodMerge(
        key=key,
        override=child,
        parent=parent,
        super_call=statements[index],
        statements_above_call=statements[:index],
        statements_below_call=statements[index + 1 :],
        steps=steps,
    )
    return render_steps(steps)
