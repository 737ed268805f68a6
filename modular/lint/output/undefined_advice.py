"""Advice about a name that generated code uses but does not define: a hint, and the autofixes that do what it says."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

import libcst as cst

from modular.flatten.autofixes import call_instead, set_bases
from modular.flatten.formatted import Undefined
from modular.flatten.merged_class import MergedClass
from modular.flatten.outputs import OutputFile, OutputLine
from modular.lint.calls import bind_arguments
from modular.lint.context import LintContext
from modular.lint.lost_statements import dropped_changes
from modular.lint.output.class_uses import (
    ClassUse,
    find_class_uses,
)
from modular.lint.parent_methods import write_out_parent_method
from modular.lint.rule import Syntax
from modular.rules.classes.super_kwargs import SUPER_KWARGS
from modular.rules.files.drafts import ALL
from modular.rules.files.imports import bound_names
from modular.rules.reading.modular_file import ModularFile
from modular.semantics.classes import names_in_body
from modular.semantics.statements import facts_of, names_bound_by
from modular.source import fixes
from modular.source.assignments import advise_annotation
from modular.source.blocks import Kind, Statement, split
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Fix, Place, did_you_mean, nearest
from modular.source.module import statement_at
from modular.source.source_slice import SourceSlice, join_slices
from modular.source.trees import (
    node_text,
    normalized_text,
    statement_tree,
)


class Advice(NamedTuple):
    """A hint about an undefined name, and the fixes that follow it."""

    hint: str
    autofixes: Sequence[Fix] = ()


def advise(
    context: LintContext, file: OutputFile, undefined: Undefined, place: Place
) -> Advice:
    """Return the most specific advice about a name that an output file does not define.

    Args:
        context: The modular file and what was generated from it.
        file: The output file.
        undefined: The name and its line in the output file.
        place: The place in the modular file that is reported.
    """
    name = undefined.name
    advice = None
    line = file.at_line(undefined.line)
    if line is not None and line.statement.name in context.layout.flattened:
        user = _User(context.layout.flattened[line.statement.name], line.run.member)
        advice = (
            _advise_super_kwargs(user, name, place)
            or _advise_parent_call(context, user, name, place)
            or _advise_class_body(context, user, name)
        )
    return (
        advice
        or _advise_export(context, undefined, line)
        or _advise_type_arguments(context.modular, name)
        or advise_parent_name(context, name, place)
        or advise_unread_binding(context.modular, name)
        or _advise_similar_name(
            context.modular, name, known_names_of(context, file, name), place
        )
        or advise_import(context.modular)
    )


def explain_dropped_binding(
    context: LintContext, file: OutputFile, undefined: Undefined
) -> tuple[str, Advice] | None:
    """Return the message and the advice if the statement that binds a name is dropped.

    Examples are `A, B = 1, 2`, and the `FLAG = True` above an `if FLAG:` that is
    written with the imports. With Python's inheritance, no such statement is dropped.

    Args:
        context: The modular file and what was generated from it.
        file: The output file.
        undefined: The name and its line in the output file.
    """
    if context.is_like_python:
        return None
    name = undefined.name
    line = file.at_line(undefined.line)
    # An `if` among the imports has no name.
    if line is not None and not line.statement.name:
        block = join_slices([run.code for run in line.statement.parts], file.path)
        message = (
            f"an `if` at module level uses `{name}`, but is written above it: it is "
            "written with the imports"
        )
        return message, _advise_assignments(context.modular, block)
    for path, parent in context.layout.parents.items():
        for change in dropped_changes(context, path):
            if name not in map(parent.renamer.word, change.bound_names):
                continue
            message = (
                f"a statement that binds `{name}` is not copied from `{path}`: only "
                "functions, classes and assignments to one name are"
            )
            hint = f"write `{name} = ...` in `{context.modular.path}`"
            if name in parent.definitions.assignments:
                hint = f"override the code that uses `{name}`"
            return message, Advice(hint)
    return None


def _advise_assignments(modular: ModularFile, block: SourceSlice) -> Advice:
    """Return the advice to assign each name that a block binds."""
    names: set[str] = set()
    for statement in split(block).statements:
        names |= bound_names(statement)
    listed = " and ".join(f"`{name} = ...`" for name in sorted(names))
    return Advice(f"write {listed} in `{modular.path}`")


def explain_unset_variable(
    context: LintContext, undefined: Undefined, place: Place
) -> tuple[str, Advice] | None:
    """Return the message and the advice if a variable is read above the line that sets it.

    Merging may have moved the reading line: `self.size = size` is moved up to the
    parent's `self.size = 4`, above the line `size = 8`.

    Args:
        context: The modular file and what was generated from it.
        undefined: The variable.
        place: The place in the modular file that is reported.

    Returns:
        None if the name is no variable of the function, or is a parameter.
    """
    name = undefined.name
    function = _find_function(context.modular, place)
    if function is None or name not in _variables_of(function):
        return None
    if name in view_definition(function).parameter_names:
        return None
    message = f"`{name}` is used before it is set"
    statements = view_definition(function).body.statements
    reader = statement_at(statements, place.line)
    is_set_above = any(
        statement.line < place.line and name in names_bound_by(statement)
        for statement in statements
    )
    if reader is None or not is_set_above:
        return message, Advice(f"set `{name}` above this line")
    # In the modular file, the order is right. So the reading line was moved.
    message += (
        ": this assignment is moved up to where the parent assigns to the same target"
    )
    hint = f"to keep it below, {advise_annotation(reader)}"
    return message, Advice(hint)


def known_names_of(context: LintContext, file: OutputFile, undefined: str) -> set[str]:
    """Return the names that an output file defines or could import.

    Args:
        context: The modular file and what was generated from it.
        file: The output file.
        undefined: An undefined name, which is left out.
    """
    names = defined_names(file)
    for import_ in context.modular.module.imports:
        for alias in import_.names:
            names.add(alias.bound.partition(".")[0])
    return names - {undefined}


def _advise_export(
    context: LintContext, undefined: Undefined, line: OutputLine | None
) -> Advice | None:
    """Return the advice about a name in `__all__` that is defined, but not generated.

    An example is a function that no class uses.
    """
    if line is None or line.statement.name != ALL:
        return None
    if undefined.name not in context.modular.definitions:
        return None
    return Advice(
        "use it in a class, or remove it from `__all__`: definitions that no class uses are not written"
    )


def advise_import(modular: ModularFile) -> Advice:
    """Return the advice for a name that has no other advice."""
    return Advice(f"import it or define it in `{modular.path}`")


def _advise_similar_name(
    modular: ModularFile, name: str, known_names: set[str], place: Place
) -> Advice | None:
    """Return the advice to write a known name that is spelled like an undefined one.

    Args:
        modular: The modular file.
        name: The undefined name.
        known_names: The names of the file.
        place: The place of the name. The variables of the function there are known,
            too.
    """
    function = _find_function(modular, place)
    variables: set[str] = set()
    # The decorators and the header of a function do not see its variables.
    if function is not None and _is_in_body(function, place):
        for variable in _variables_of(function) - {name}:
            # A misspelt class is hardly meant to be a variable.
            if variable[:1].isupper() == name[:1].isupper():
                variables.add(variable)
    candidates = known_names | variables
    hint = did_you_mean(name, candidates)
    if not hint:
        return None
    spellings = []
    for similar_name in nearest(name, candidates):
        if similar_name in variables:
            # Other functions do not have the variable.
            spellings.append(fixes.replace(place, similar_name))
        else:
            spellings += _write_everywhere(modular, name, similar_name)
    return Advice(hint, spellings)


def _find_function(modular: ModularFile, place: Place) -> Statement | None:
    """Return the function or method of the modular file that contains a place."""
    if place.path != modular.path:
        return None
    statements = modular.module.block.statements
    while True:
        statement = statement_at(statements, place.line)
        if statement is None or statement.kind is Kind.FUNCTION:
            return statement
        if statement.kind is not Kind.CLASS:
            return None
        statements = view_definition(statement).body.statements


def _is_in_body(function: Statement, place: Place) -> bool:
    """Return whether a place in a function is below its header."""
    statements = view_definition(function).body.statements
    return statement_at(statements, place.line) is not None


def _variables_of(function: Statement) -> frozenset[str]:
    """Return the parameters and variables of a function or method."""
    for scope in facts_of(function).scopes:
        if scope.depth == 0 and scope.name == function.name:
            return scope.variables
    return frozenset()


def advise_parent_name(context: LintContext, name: str, place: Place) -> Advice | None:
    """Return the advice about a name from a parent file that is renamed.

    If the code uses `LlamaMLP`, and there is a class `OlmoMLP(LlamaMLP)`, the advice is
    to write `OlmoMLP`. Without such a class, one is proposed. There is no fix if
    `OlmoMLP` would behave differently from `LlamaMLP` in this place.

    Args:
        context: The modular file and what was generated from it.
        name: The name as the modular file imports it.
        place: The place of the name.

    Returns:
        None if the name is not from a parent file, or is a class with the same name
        when generated.
    """
    modular = context.modular
    path = modular.parent_of.get(name)
    if path is None:
        return None
    parent = context.layout.parents[path]
    # The name in the parent file differs after `import LlamaMLP as MLP`.
    name_in_parent = modular.original_names[name]
    generated_name = parent.renamer.word(name_in_parent)
    is_class = name_in_parent in parent.source.classes
    if generated_name == name:
        if is_class:
            return None
        hint = f"copy `{name}` into this file: only what classes use is copied from a parent file"
        return Advice(hint)
    if not is_class:
        hint = f"define `{generated_name}` in this file: functions and values are not copied if their name changes"
        return Advice(hint)
    uses = list(find_class_uses(modular.module, name))
    merged_class = context.layout.flattened.get(generated_name)
    if merged_class is not None and _inherits_from(modular, generated_name, name):
        return _advise_child(context, merged_class, uses, name, place)
    # No class of the modular file inherits from the parent class yet.
    if generated_name in modular.definitions or generated_name in context.output_names:
        return Advice(f"define a class that inherits from `{name}`, and use that")
    line = f"class {generated_name}({name}): pass"
    return Advice(
        f"no generated class replaces `{name}`: define `{line}`, and use "
        f"`{generated_name}`"
    )


def _advise_child(
    context: LintContext,
    merged_class: MergedClass,
    uses: Sequence[ClassUse],
    name: str,
    place: Place,
) -> Advice:
    """Return the advice about the name of a parent class that has a child here.

    Args:
        context: The modular file and what was generated from it.
        merged_class: The child, merged with the parent class.
        uses: The uses of the parent class in the modular file.
        name: The parent class as the modular file names it.
        place: The place of the name that is reported.
    """
    child = merged_class.child.name
    lines_above = _find_lines_above(merged_class, uses, name)
    # The use at the reported place may not be replaceable.
    for use in uses:
        if not use.is_at(place):
            continue
        missing = _advise_missing_member(context, merged_class, name, use.member)
        if missing is not None:
            return missing
        advice_to_copy = f"copy the code that you need from `{name}`: `{child}`"
        if use.statement.line in lines_above:
            return Advice(f"{advice_to_copy} is defined below this line")
        if not use.means_same_as(merged_class):
            return Advice(f"{advice_to_copy} has other code")
    hint = f"write `{child}`, the name that `{name}` gets in the generated files"
    # The fix replaces each use that can be replaced, not only the reported one.
    replaceable_uses = []
    for use in uses:
        if use.means_same_as(merged_class) and use.statement.line not in lines_above:
            replaceable_uses.append(use)
    return Advice(hint, _write_at(replaceable_uses, name, child))


def _find_lines_above(
    merged_class: MergedClass, uses: Iterable[ClassUse], name: str
) -> set[int]:
    """Return the lines of statements that need a class above its child's definition.

    Python evaluates the name of the class when it runs the statement. Code that runs
    later, such as the body of a method, does not count.

    Args:
        merged_class: The child, merged with its parent class.
        uses: Uses of the parent class in the modular file.
        name: The parent class as the modular file names it.
    """
    lines = set()
    statement_at_line = {use.statement.line: use.statement for use in uses}
    for line, statement in statement_at_line.items():
        if line > merged_class.child.statement.line:
            continue
        inner_statements: Sequence[Statement] = [statement]
        if statement.kind is Kind.CLASS:
            # That the header names the parent class as a base does not count.
            inner_statements = view_definition(statement).body.statements
        for inner_statement in inner_statements:
            if name in facts_of(inner_statement).variables_read_at_once:
                lines.add(line)
    return lines


def defined_names(file: OutputFile) -> set[str]:
    """Return the names that an output file defines."""
    return {statement.name for statement in file.statements if statement.name}


class _User(NamedTuple):
    """The flattened class, and the member of it, in whose code an undefined name is used."""

    merged_class: MergedClass
    member: str

    @property
    def method(self) -> DefinitionView | None:
        """The method of the modular class; None for other members."""
        return self.merged_class.overriding.get(self.member)


def _advise_super_kwargs(user: _User, name: str, place: Place) -> Advice | None:
    """Return the advice about `super_kwargs` in a method's body, as in `f(**super_kwargs)`.

    The generated method of an override `forward(self, **super_kwargs)` has the
    parameters of the parent's method instead, such as `forward(self, x)`. So
    `super_kwargs` is not defined in the generated body, and the advice is to write
    `f(x=x)`.

    Args:
        user: The member of a class whose code uses the name.
        name: The undefined name.
        place: The place of the name.
    """
    if name != SUPER_KWARGS:
        return None
    method = user.method
    parent_method = user.merged_class.inherited.get(user.member)
    if method is None or parent_method is None or f"**{name}" not in method.parameters:
        hint = f"`**{name}` is replaced only in the parameters of a method that overrides one: pass the arguments by their names"
        return Advice(hint)

    arguments = _arguments_for_super_kwargs(method, parent_method)
    hint = f"the parent's parameters are in the place of `**{name}`: "
    if not arguments:
        return Advice(f"{hint}there is nothing to pass")
    hint += f"pass `{arguments}`"
    # The place marks only the name. The fix also replaces the two stars on its left.
    if not place.text[: place.column - 1].endswith("**"):
        return Advice(hint)
    place_with_stars = place._replace(column=place.column - 2, width=place.width + 2)
    return Advice(hint, [fixes.replace(place_with_stars, arguments)])


def _arguments_for_super_kwargs(
    method: DefinitionView, parent_method: DefinitionView
) -> str:
    """Return the arguments for the parameters that a method gets by `**super_kwargs`.

    For the methods `f(self, x, **super_kwargs)` and `f(self, x, mask, **kwargs)` of the
    parent, the result is `mask=mask, **kwargs`.
    """
    arguments = []
    for parameter in parent_method.parameters[1:]:
        if parameter.startswith("**"):
            arguments.append(parameter)
        elif not parameter.startswith("*") and parameter not in method.parameters:
            arguments.append(f"{parameter}={parameter}")
    return ", ".join(arguments)


def _advise_parent_call(
    context: LintContext, user: _User, name: str, place: Place
) -> Advice | None:
    """Return the advice about a call to a parent class by its name.

    For `LlamaMLP.forward(self, x)`, it is one of these:

    - In `OlmoMLP.forward`, if the parent's body can replace the call: to write
      `super().forward(x)`.
    - In another method, if `OlmoMLP` inherits `forward`: to write `self.forward(x)`.
    - If the parent has no `forward`: to write the name of another method.
    - Otherwise, to copy the parent's method.

    Args:
        context: The modular file and what was generated from it.
        user: The member of a class whose code uses the name.
        name: The undefined name, `LlamaMLP`.
        place: The place of the name.
    """
    merged_class, method = user.merged_class, user.method
    if method is None or name not in context.modular.parents_of(
        merged_class.child.name
    ):
        return None
    call = _find_call_with_self(method, name, place)
    if call is None:
        return None
    missing = _advise_missing_member(context, merged_class, name, call.method)
    if missing is not None:
        return missing
    parent_method = merged_class.inherited.get(call.method)
    new_call = node_text(cst.Call(cst.Name(call.method), call.arguments))
    if "\n" in new_call:
        new_call = f"{call.method}(...)"

    is_inherited = call.method not in merged_class.overridden_names
    is_plain = parent_method is not None and not parent_method.decorators.text
    if is_inherited and is_plain:
        fix = call_instead(place, f"self.{call.method}")
        return Advice(f"write `self.{new_call}`", [] if fix is None else [fix])
    if call.method == method.name and _can_be_unravelled(user, name, place):
        fix = call_instead(place, f"super().{call.method}")
        return Advice(f"write `super().{new_call}`", [] if fix is None else [fix])
    hint = (
        f"copy `{name}.{call.method}` into this class under another name, and call that"
    )
    copying = write_out_parent_method(
        merged_class, method, call.method, partial(call_instead, place)
    )
    return Advice(hint, list(copying))


def _advise_missing_member(
    context: LintContext, merged_class: MergedClass, name: str, member: str
) -> Advice | None:
    """Return the advice about a member that a parent class certainly does not have.

    Args:
        context: The modular file and what was generated from it.
        merged_class: The class that inherits from the parent class.
        name: The parent class as the modular file names it.
        member: The member; empty if the class is used otherwise.
    """
    if not member:
        return None
    # The members are None if they cannot all be known.
    members = merged_class.parent.statement.memoized(names_in_body)
    if members is None or member in members:
        return None
    if not context.bases_lack(merged_class.child.name, member):
        return None
    suggestion = did_you_mean(member, members) or "write the code yourself"
    return Advice(f"`{name}` has no `{member}`: {suggestion}")


class _CallWithSelf(NamedTuple):
    """A call to a class's method with `self`, such as `LlamaMLP.forward(self, x)`.

    Attributes:
        method: The name of the called method, `forward`.
        arguments: The arguments after `self`.
    """

    method: str
    arguments: Sequence[cst.Arg]


def _find_call_with_self(
    method: DefinitionView, class_name: str, place: Place
) -> _CallWithSelf | None:
    """Return the call `LlamaMLP.forward(self, x)` at a place of a method.

    Args:
        method: The method that contains the call.
        class_name: The class, `LlamaMLP`.
        place: The place of its name.

    Returns:
        None if the class is used in another way at this place.
    """
    syntax = Syntax.read(method.statement.bare_code)
    if syntax is None:
        return None
    for node in syntax.walk():
        match node:
            case cst.Call(
                func=cst.Attribute(
                    value=cst.Name(value=name) as owner,
                    attr=cst.Name(value=called_method),
                ),
                args=[cst.Arg(value=cst.Name(value="self")), *arguments],
            ) if name == class_name and _is_at(syntax.place(owner), place):
                return _CallWithSelf(called_method, arguments)
    return None


def _is_at(first: Place, second: Place) -> bool:
    """Whether two places of a file begin at the same character."""
    return (first.line, first.column) == (second.line, second.column)


def _can_be_unravelled(user: _User, class_name: str, place: Place) -> bool:
    """Whether the parent's body can replace a call to the parent's method without a change.

    The call `LlamaMLP.forward(self, x)` must be a statement, or returned by a
    statement. It must pass each parameter of the parent's method by its name. If the
    parent's method returns a value, the statement must return it, too.

    Args:
        user: The member of a class whose code contains the call.
        class_name: The class, `LlamaMLP`.
        place: The place of its name.
    """
    override, parent_method = user.method, user.merged_class.inherited.get(user.member)
    assert override is not None, "the call is in a method"
    if parent_method is None or parent_method.decorators.text:
        return False
    # Only one call to a method is replaced.
    if user.member in user.merged_class.merges:
        return False
    statement = _find_statement_of_call(override, class_name, place)
    if statement is None or not isinstance(statement.value, cst.Call):
        return False
    is_returned = isinstance(statement, cst.Return)
    has_result = "return" in parent_method.code.words()
    if has_result and not is_returned:
        return False
    return _passes_all(statement.value, parent_method)


def _find_statement_of_call(
    method: DefinitionView, class_name: str, place: Place
) -> cst.Expr | cst.Return | None:
    """Return the statement of a method that is only a call at a place, or returns it.

    For `LlamaMLP.forward(self, x)` and `return LlamaMLP.forward(self, x)`, the place is
    that of `LlamaMLP`. The result is None if the call is within another statement.
    """
    for statement in method.body.statements:
        if statement.is_compound or class_name not in statement.words:
            continue
        tree = statement_tree(statement)
        match tree.node:
            case cst.SimpleStatementLine(
                body=[
                    (
                        cst.Expr(value=cst.Call(func=cst.Attribute()) as call)
                        | cst.Return(value=cst.Call(func=cst.Attribute()) as call)
                    ) as simple_statement
                ]
            ) if _is_at(Syntax(statement.bare_code, tree).place(call), place):
                return simple_statement
    return None


def _passes_all(call: cst.Call, method: DefinitionView) -> bool:
    """Whether a call passes a variable of the same name for each parameter of a method.

    `LlamaMLP.forward(self, x, mask=mask)` does for `def forward(self, x, mask)`.
    """
    passed_names = set()
    for argument, parameter in bind_arguments(call, method):
        if parameter is None or normalized_text(argument.value) != parameter:
            return False
        passed_names.add(parameter)
    # `args` for `*args`. The separators `*` and `/` are no parameters, and become empty.
    names = {parameter.lstrip("*/") for parameter in method.parameters[1:]}
    return passed_names == names - {""}


def _advise_class_body(context: LintContext, user: _User, name: str) -> Advice | None:
    """Return the advice about a class body that reads its parent class outside of methods.

    For `size = LlamaMLP.size` in `class OlmoMLP(LlamaMLP)`, it is to copy the value of
    `LlamaMLP.size`.
    """
    child = user.merged_class.child
    if name not in context.modular.parents_of(child.name):
        return None
    for statement in child.body.statements:
        if name not in statement.words:
            continue
        # A method may use the name in its body, which runs later.
        if name not in facts_of(statement).variables_read_at_once:
            continue
        attribute = _find_attribute(statement, name)
        if attribute is None:
            hint = f"copy what you need from `{name}`: the class name is not defined inside its own body"
        else:
            hint = f"copy the value of `{attribute}`: the generated `{child.name}` does not inherit from `{name}`"
        return Advice(hint)
    return None


def _find_attribute(statement: Statement, owner: str) -> str | None:
    """Return the first attribute of a name in a statement: `LlamaMLP.size`, or None."""
    for mention in facts_of(statement).mentions_of(owner):
        if mention.attributes:
            return f"{owner}.{mention.attributes[0]}"
    return None


def _advise_type_arguments(modular: ModularFile, name: str) -> Advice | None:
    """Return the advice about a parent class such as `LlamaMLP[int]`."""
    if name not in modular.parent_of:
        return None
    title = f"Write `{name}`"
    changes = []
    for definition in modular.definitions.classes.values():
        view = view_definition(definition.statement)
        bases = []
        for base in view.bases:
            has_type_arguments = base.startswith(f"{name}[")
            bases.append(name if has_type_arguments else base)
        if bases != list(view.bases):
            changes.append(set_bases(view, bases, title))
    if not changes:
        return None
    hint = f"write `{name}` without type arguments: a parent class with type arguments is not flattened"
    return Advice(hint, [fixes.join(title, changes)])


def advise_unread_binding(modular: ModularFile, name: str) -> Advice | None:
    """Return the advice about a name that only a dropped statement binds.

    Such statements are `name, other = ...` and, at module level, `match` and `with`.
    """
    for statement in modular.module.block.statements:
        # Parsing is slow, so only statements that contain the name are parsed.
        may_bind = statement.kind is Kind.OTHER and name in statement.words
        if not may_bind or name not in facts_of(statement).variables:
            continue
        if statement.is_compound:
            keyword = statement.bare_code.masked_text.split(maxsplit=1)[0]
            return Advice(
                f"move the code that binds `{name}` out of the `{keyword}` statement, "
                "which is not copied"
            )
        return Advice(
            f"assign `{name}` in a separate statement: assignments to several names at "
            "once are not read"
        )
    return None


def _inherits_from(modular: ModularFile, child: str, parent: str) -> bool:
    """Whether `child` is a class of the modular file that inherits from the class `parent`.

    The modular file may import the parent class a second time, under another name.
    """
    if child not in modular.definitions.classes:
        return False
    for base in modular.parents_of(child):
        is_same_file = modular.parent_of[base] == modular.parent_of[parent]
        is_same_name = modular.original_names[base] == modular.original_names[parent]
        if is_same_file and is_same_name:
            return True
    return False


def _write_everywhere(modular: ModularFile, name: str, new: str) -> list[Fix]:
    """Return the fix that replaces a name in all code of the modular file.

    There is none if the name is only in strings.
    """
    return _write_at(find_class_uses(modular.module, name), name, new)


def _write_at(uses: Iterable[ClassUse], name: str, new: str) -> list[Fix]:
    """Return the fix that replaces a name at some uses; empty if there are no uses."""
    edits = tuple(use.replace(name, new) for use in uses)
    return [Fix(f"Write `{new}`", edits)] if edits else []
