"""Names that an output file uses but does not define or import."""

import re
from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from typing import NamedTuple

import libcst as cst

from modular.flatten.autofixes import accept_all_parameters
from modular.flatten.formatted import Undefined
from modular.flatten.outputs import OutputFile, OutputLine
from modular.lint.calls import (
    assign_above,
    bind_arguments,
    call_of_statement,
    is_read_elsewhere,
)
from modular.lint.context import LintContext
from modular.lint.output.undefined_advice import (
    Advice,
    advise,
    advise_import,
    advise_parent_name,
    advise_unread_binding,
    defined_names,
    explain_dropped_binding,
    explain_unset_variable,
    known_names_of,
)
from modular.lint.rule import LintRule, Syntax
from modular.rules.classes.methods import find_methods
from modular.rules.files.drafts import ALL, GETATTR
from modular.rules.files.imports import bound_names, read_guard
from modular.rules.reading.modular_file import ModularFile
from modular.source import fixes
from modular.source.assignments import assigned_value
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.definitions import ModuleBinding
from modular.source.diagnostics import (
    Fix,
    Place,
    Problem,
    Severity,
    did_you_mean,
    nearest,
)
from modular.source.import_statements import plain_imports
from modular.source.module import Module
from modular.source.places import place_of_word, place_on_disk
from modular.source.source_slice import SourceSlice, has_word, join_slices
from modular.source.trees import node_text, statement_tree


MAX_REPORTED_NAMES = 20
"""Undefined names that are reported for one file; more of them have a common cause."""

MAX_MEMBER_CHARS = 100_000
"""Length of a method or attribute that is parsed to see whether it fails. LibCST needs
half a second for it."""

_AFTER_NAME = re.compile(r"[\[.(]")
"""The text after the first name of a base, such as `nn` in `nn.Module` and `Generic` in `Generic[T]`."""


class SuperCall(NamedTuple):
    """A call to `super()` that the parent's body replaces: its class, and the key of its method."""

    class_name: str
    member: str


class UndefinedBase(LintRule):
    """A base or decorator is not defined in the generated file, which could not be imported."""

    code = Problem.UNDEFINED_BASE_OR_DECORATOR
    message = "`{name}`, {use}, is not defined anywhere: the generated `{path}` could not be imported"
    hint = "{advice}"

    def check(self) -> None:
        """Report undefined names that the modular file uses as bases or in decorators."""
        for file in self.context.files:
            for undefined in _first_uses(self.context, file):
                use = _find_use_in_header(self.modular, undefined.name)
                if use is not None:
                    self._report_use(file, undefined.name, use)

    def _report_use(self, file: OutputFile, name: str, use: "_HeaderUse") -> None:
        """Report a base or decorator that an output file does not define."""
        advice = self._advise(file, name, use)
        position = "in a decorator" if use.is_decorator else "a base"
        self.report(
            use.place,
            *advice.autofixes,
            name=name,
            use=f"{position} of `{use.owner}`",
            path=file.path,
            advice=advice.hint,
        )

    def _advise(self, file: OutputFile, name: str, use: "_HeaderUse") -> Advice:
        """Return the most specific advice about a base or decorator that is not defined.

        Args:
            file: The output file that does not define it.
            name: Its first name, such as `LlamaMLP` in `@LlamaMLP.size.setter`.
            use: The class or function that has the base or decorator.
        """
        parent_classes = self.modular.parent_of.keys()
        # `@LlamaMLP.size.setter` in the class `OlmoMLP` is generated as
        # `@OlmoMLP.size.setter`. In the body of `OlmoMLP`, this name is not defined yet.
        # With the whole property in the body, the decorator `@size.setter` is enough.
        if use.is_decorator and name in parent_classes:
            return Advice(
                "the class name is not defined inside its own body: copy the whole "
                "property or function here, and use its plain name"
            )
        advice = advise_parent_name(self.context, name, use.place)
        if advice is None:
            advice = advise_unread_binding(self.modular, name)
        if advice is not None:
            return advice
        # The name may be misspelt. A class is not its own base.
        known_names = known_names_of(self.context, file, name) | parent_classes
        known_names -= {use.owner}
        similar_names = nearest(name, parent_classes) or nearest(name, known_names)
        if similar_names:
            autofixes = [fixes.replace(use.place, similar) for similar in similar_names]
            return Advice(did_you_mean(name, similar_names), autofixes)
        return advise_import(self.modular)


class UndefinedName(LintRule):
    """A generated file uses a name that it does not define.

    The generated code fails with `NameError` when it runs. Often, the modular file uses
    a parent's class under its old name: in the example, it creates a `LlamaMLP`, but
    the generated file contains only `OlmoMLP`. In other cases, the modular file does
    not import the name.

    The finding is an error. It is only a warning in places where Python may never look
    up the name: in a string, in the annotation of a local variable, and in any
    annotation of a file with `from __future__ import annotations`.

    Python 3.14 and later evaluate no annotations when they import a file. If your
    project requires Python 3.14 or later, you can ignore findings in annotations.

    Write the name that the class has in the generated file, or import the missing name
    in the modular file.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP, LlamaModel


    class OlmoMLP(LlamaMLP):
        pass


    class OlmoModel(LlamaModel):
        def __init__(self, config):
            super().__init__(config)
            self.second_mlp = LlamaMLP(config)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:11:27: the generated `models/olmo/modeling_olmo.py` does not contain the parent class `LlamaMLP`
    hint: write `OlmoMLP`, the name that `LlamaMLP` gets in the generated files
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP, LlamaModel


    class OlmoMLP(LlamaMLP):
        pass


    class OlmoModel(LlamaModel):
        def __init__(self, config):
            super().__init__(config)
            self.second_mlp = OlmoMLP(config)
    ```
    """

    code = Problem.UNDEFINED_NAME
    levels = (Severity.ERROR, Severity.WARNING)
    message = "`{name}` is not defined in the generated `{path}`"
    hint = "{advice}"

    def check(self) -> None:
        """Report each undefined name at its first use, and overrides that lack parameters.

        If an override calls `super()`, the parent's body replaces the call. If that
        body reads a parameter that the override lacks, the call is reported.
        """
        for file in self.context.files:
            for undefined in _first_uses(self.context, file):
                use_in_header = _find_use_in_header(self.modular, undefined.name)
                # The rule `UndefinedBase` reports bases and decorators.
                if use_in_header is None:
                    self._check_use(file, undefined)
            self._check_types(file)
        for call, uses in find_missing_parameters(self.context).items():
            self._report_parameters(call, uses)

    def _check_use(self, file: OutputFile, undefined: Undefined) -> None:
        """Report an undefined name at the line of the modular file that causes it."""
        name = undefined.name
        # If the use is in a parent file, `place` is only its cause in the modular file, and
        # `related` is the use.
        place, related = self.context.place_in(file, undefined.line, name)
        if related is None:
            # With Python's inheritance, the converter may have rewritten the line.
            place = place_on_disk(place, self.modular.module.lines)
        message, advice = self._explain(file, undefined, place)
        # Fixes edit the use at `place`. A place without text has no known line.
        is_use_at_place = related is None and bool(place.text)
        autofixes = advice.autofixes if is_use_at_place else ()
        self.report(
            place,
            *autofixes,
            related=related,
            message=message,
            is_error=self._has_failing_use(file, name),
            name=name,
            path=file.path,
            advice=advice.hint,
        )

    def _check_types(self, file: OutputFile) -> None:
        """Report names in annotations that only `if TYPE_CHECKING:` imports.

        Python evaluates the annotations, unless the file has
        `from __future__ import annotations`, which the parent file may have had.
        """
        imports = self.context.output_imports[file.file_type]
        names = _find_names_for_type_checkers(imports)
        if not names or _has_lazy_annotations(imports):
            return
        for statement in file.statements:
            # An `if` among the imports has no name.
            if not statement.name:
                continue
            slices = [run.code for run in statement.parts]
            # Most statements do not contain the names, and are not parsed.
            if not any(names & code.words() for code in slices):
                continue
            whole_code = join_slices(slices, file.path)
            for name in sorted(names & _names_only_in_annotations(whole_code)):
                code = next(code for code in slices if has_word(code.masked_text, name))
                place, related = self.context.attribute_to_modular(
                    statement.name, place_of_word(code, name)
                )
                self.report(
                    place,
                    related=related,
                    message="Python evaluates this `{name}`, which only `if TYPE_CHECKING:` "
                    "imports in the generated `{path}`",
                    hint="override the code, and write the annotation in quotes",
                    is_error=True,
                    name=name,
                    path=file.path,
                )

    def _has_failing_use(self, file: OutputFile, name: str) -> bool:
        """Return whether one of the uses of an undefined name certainly fails."""
        # A long method can use the name thousands of times, and is checked once.
        checked_members = set()
        for undefined in self.context.undefined(file):
            if undefined.name != name:
                continue
            line = file.at_line(undefined.line)
            if line is None:
                continue
            # The method or attribute that contains the line.
            member = (id(line.statement), line.run.member)
            if member in checked_members:
                continue
            checked_members.add(member)
            if _surely_fails(self.context, file, line, name):
                return True
        return False

    def _explain(
        self, file: OutputFile, undefined: Undefined, place: Place
    ) -> tuple[str, Advice]:
        """Return the message and the advice about an undefined name.

        - A statement binds the name that is not copied, such as `A, B = 1, 2`.
        - The function sets the variable only below the line that reads it.
        - The modular file contains only `SIZE: int`, which gives no value.
        - The generated file defines the name below its use. The two cannot be put in
          the right order, because the definition needs the code that uses the name.
        - The name is a parent class, or is not defined at all.

        Args:
            file: The output file.
            undefined: The name.
            place: The place in the modular file that is reported.
        """
        name = undefined.name
        # The definition in the modular file; None if the name is not defined there.
        definition = self.modular.definitions.by_name().get(name)
        if definition is not None and _lacks_value(definition):
            line = definition.original.line
            message = f"`{name}` is declared at line {line}, and has no value"
            return message, Advice(f"write `{name} = ...` there")
        explanation = explain_dropped_binding(self.context, file, undefined)
        if explanation is None:
            explanation = explain_unset_variable(self.context, undefined, place)
        if explanation is not None:
            return explanation
        if name in defined_names(file):
            subject = "its definition"
            if definition is not None:
                subject += f", at line {definition.original.line},"
            message = f"`{name}` is used before it is defined: {subject} and this code need each other at import time"
            if _is_only_annotation(file, undefined):
                if self.context.project.settings.is_library:
                    # In transformers, imports from `__future__` are not copied.
                    return message, Advice("write the annotation in quotes")
                path = self.modular.path
                return message, Advice(
                    f"write `from __future__ import annotations` in `{path}`"
                )
            return message, Advice("move one of the two uses into a function")
        message = self.message
        parent_path = self.modular.parent_of.get(name)
        if parent_path is not None:
            parent = self.layout.parents[parent_path].source
            if self.modular.original_names[name] in parent.classes:
                message = (
                    "the generated `{path}` does not contain the parent class `{name}`"
                )
        return message, advise(self.context, file, undefined, place)

    def _report_parameters(self, call: SuperCall, uses: Mapping[str, Place]) -> None:
        """Report a method that lacks parameters which the parent's body uses.

        If the call passes all of them, the fix assigns them above the call. Otherwise
        the fix adds `**super_kwargs` to the parameters of the method.

        Args:
            call: The call to `super()` that the parent's body replaces.
            uses: The missing parameters, and the place of the first use of each.
        """
        merged_class = self.layout.flattened[call.class_name]
        override = merged_class.overriding[call.member]
        statement = merged_class.merges[call.member].super_call
        listed = " and ".join(f"`{parameter}`" for parameter in uses)

        fix_of_parameter = _assign_parameters(
            statement, merged_class.inherited[call.member], set(uses), override
        )
        assignments = ""
        if fix_of_parameter.keys() == uses.keys():
            lines = []
            for fix in fix_of_parameter.values():
                lines.append(fix.title.removeprefix("Write "))
            assignments = " and ".join(lines)
            fix = fixes.join(f"Write {assignments}", fix_of_parameter.values())
            hint = (
                "write {assignments} above the call, "
                "because the parent's code does not receive arguments"
            )
        else:
            fix = accept_all_parameters(override)
            stars = [name for name in override.parameters if name.startswith("**")]
            instead = f"instead of `{stars[0]}`" if stars else "there"
            hint = (
                "add {listed} to the parameters of `{method}`, or write "
                f"`**super_kwargs` {instead} for all parameters of the parent"
            )
        self.report(
            statement.bare_code,
            fix,
            related=next(iter(uses.values())),
            message="this call is replaced by the body of the parent's `{method}`, "
            "which uses {listed}, but `{name}.{method}` does not define {pronoun}",
            hint=hint,
            is_error=True,
            name=call.class_name,
            method=override.name,
            listed=listed,
            pronoun="them" if len(uses) > 1 else "it",
            assignments=assignments,
        )


def _assign_parameters(
    statement: Statement,
    parent_method: DefinitionView,
    missing: set[str],
    override: DefinitionView,
) -> dict[str, Fix]:
    """Return the fixes that assign parameters above a call to `super()`, by parameter.

    An override `forward(self, x)` contains `super().forward(2 * x)`, and the parent's
    method is `forward(self, y)`. The parent's body replaces the call and reads `y`,
    which the override lacks. The fix for `y` writes `y = 2 * x`.

    Args:
        statement: The statement of the call.
        parent_method: The method that is called.
        missing: The parameters of the parent's method that the override lacks.
        override: The method that contains the call.

    Returns:
        The fixes. A parameter has none if the call does not pass it on one line, or if
        the override reads a variable of that name, which would become a local one.
    """
    words_of_other_statements: set[str] = set()
    for other_statement in override.body.statements:
        if other_statement is not statement:
            words_of_other_statements |= other_statement.words
    fix_of_parameter = {}
    super_call = call_of_statement(statement)
    for argument, parameter in bind_arguments(super_call, parent_method):
        if parameter is None or parameter not in missing or argument.star:
            continue
        value = node_text(argument.value)
        if "\n" in value:
            continue
        is_read_in_value = has_word(value, parameter)
        if is_read_in_value or parameter in words_of_other_statements:
            continue
        if not is_read_elsewhere(statement, argument, parameter, override):
            fix_of_parameter[parameter] = assign_above(statement, argument, parameter)
    return fix_of_parameter


def _lacks_value(definition: ModuleBinding) -> bool:
    """Whether a definition is only an annotation, such as `SIZE: int`."""
    is_assignment = definition.kind is Kind.ASSIGNMENT
    return is_assignment and assigned_value(definition.statement) is None


def _surely_fails(
    context: LintContext, file: OutputFile, line: OutputLine, name: str
) -> bool:
    """Return whether the method or attribute on a line fails, as a name is undefined.

    If the line is in `__all__`, `from olmo import *` fails. Other code raises NameError
    when it runs.

    The result is False if the name is only in strings, or in annotations that Python
    does not evaluate, or if the same method uses `exec` or `globals`, which can define
    any name. It is also False for a very long method, which is not read.
    """
    if line.statement.name == ALL:
        # A function `__getattr__` of a module can supply any name.
        return GETATTR not in defined_names(file)
    code = _code_of_member(file, line)
    if len(code.text) > MAX_MEMBER_CHARS:
        return False
    if "exec" in code.words() or "globals" in code.words():
        return False
    has_lazy_annotations = _has_lazy_annotations(context.output_imports[file.file_type])
    return name in _evaluated_names(code, has_lazy_annotations)


def _is_only_annotation(file: OutputFile, undefined: Undefined) -> bool:
    """Return whether a method or attribute uses an undefined name only in annotations.

    An example is `Mask` in `def forward(self, mask: Mask)`.
    """
    line = file.at_line(undefined.line)
    if line is None:
        return False
    code = _code_of_member(file, line)
    if len(code.text) > MAX_MEMBER_CHARS:
        return False
    return undefined.name in _names_only_in_annotations(code)


def _names_only_in_annotations(code: SourceSlice) -> Set[str]:
    """Return the names in a definition that Python evaluates only in annotations."""
    return _evaluated_names(code, False) - _evaluated_names(code, True)


@lru_cache(maxsize=8)
def _evaluated_names(code: SourceSlice, has_lazy_annotations: bool) -> Set[str]:
    """Return the names in a definition that Python evaluates when the code runs.

    Several names of one long method are often undefined, so the method is parsed once.
    If it cannot be parsed, there are none.

    Args:
        code: A class member, or a statement of a module.
        has_lazy_annotations: Whether Python evaluates no annotations in this file.
    """
    syntax = Syntax.read(code)
    if syntax is None:
        return frozenset()
    names = set()
    for node in _evaluated_nodes(syntax.node, has_lazy_annotations):
        if isinstance(node, cst.Name):
            names.add(node.value)
    return frozenset(names)


def _has_lazy_annotations(imports: Module) -> bool:
    """Return whether the imports of a file keep Python from evaluating annotations.

    Only `from __future__ import annotations` does. Python 3.14 evaluates annotations
    when somebody asks for them, but earlier versions evaluate them at once.
    """
    for import_ in imports.imports:
        if import_.source == "__future__" and "annotations" in import_.bound_names:
            return True
    return False


def _find_names_for_type_checkers(imports: Module) -> Set[str]:
    """Return the names that only the first branch of `if TYPE_CHECKING:` binds.

    Python does not run this branch, so these names exist only for type checkers.

    Args:
        imports: The imports of an output file.
    """
    names: set[str] = set()
    names_for_python: set[str] = set()
    for statement in imports.block.statements:
        guard = read_guard(statement)
        if guard is None or "TYPE_CHECKING" not in statement.words:
            names_for_python |= bound_names(statement)
        elif _tests_type_checking(statement):
            for import_ in plain_imports(guard.first_statements):
                names |= import_.bound_names
            for branch in guard.other_branches:
                for inner_statement in branch.body.statements:
                    names_for_python |= bound_names(inner_statement)
    return names - names_for_python


def _tests_type_checking(statement: Statement) -> bool:
    """Whether a statement is `if TYPE_CHECKING:` or `if typing.TYPE_CHECKING:`."""
    match statement_tree(statement).node:
        case cst.If(
            test=cst.Name(value="TYPE_CHECKING")
            | cst.Attribute(attr=cst.Name(value="TYPE_CHECKING"))
        ):
            return True
    return False


def _evaluated_nodes(
    root: cst.CSTNode, has_lazy_annotations: bool
) -> Iterator[cst.CSTNode]:
    """Yield the nodes of a definition that Python evaluates when the code runs.

    Python never evaluates the annotation of a variable in a function, such as
    `size: int = 2`. It evaluates those of parameters, results, and of variables in a
    class or a module, unless annotations are lazy.

    Args:
        root: A class member, or a statement of a module.
        has_lazy_annotations: Whether Python evaluates no annotations in this file.
    """
    # Each node comes with the answer whether its variables are those of a function.
    pending = [(root, False)]
    while pending:
        node, is_in_function = pending.pop()
        yield node
        if isinstance(node, cst.FunctionDef):
            is_in_function = True
        elif isinstance(node, cst.ClassDef):
            is_in_function = False
        is_local_variable = is_in_function and isinstance(node, cst.AnnAssign)
        skips_annotation = has_lazy_annotations or is_local_variable
        for child in reversed(node.children):
            if skips_annotation and isinstance(child, cst.Annotation):
                continue
            # The bounds of type parameters, and the values of `type` statements, are
            # evaluated when somebody asks for them.
            if not isinstance(child, cst.TypeParameters | cst.TypeAlias):
                pending.append((child, is_in_function))


def _code_of_member(file: OutputFile, line: OutputLine) -> SourceSlice:
    """Return the code of the method or attribute that contains a line of an output file.

    For a line outside of a class, return the code of its function or assignment. The
    code is in several runs, because a run has only lines that come from one source
    file.
    """
    codes = []
    for run in line.statement.parts:
        if run.member == line.run.member:
            codes.append(run.code)
    return join_slices(codes, file.path)


class _HeaderUse(NamedTuple):
    """A use of a name as a base, or in a decorator, in the modular file.

    Attributes:
        is_decorator: Whether the name is in a decorator.
        owner: The class or function that has the base or decorator.
        place: The place of the name.
    """

    is_decorator: bool
    owner: str
    place: Place


def _find_use_in_header(modular: ModularFile, name: str) -> _HeaderUse | None:
    """Return the first use of a name as a base or in a decorator; None without such a use.

    `nn` is used in `class OlmoMLP(nn.Module)`.
    """
    # The generated class does not inherit from the parent class.
    is_parent_class = name in modular.parent_of
    classes = modular.definitions.classes.values()
    functions = modular.definitions.functions.values()
    # The classes and functions come first, and then their methods.
    views = [
        view_definition(definition.statement) for definition in (*classes, *functions)
    ]
    while views:
        view = views.pop(0)
        if name in view.decorators.words():
            place = place_of_word(view.decorators, name)
            return _HeaderUse(is_decorator=True, owner=view.name, place=place)
        # Functions and methods have only decorators.
        if view.statement.kind is not Kind.CLASS:
            continue
        # The text before the first dot or bracket of each base: `nn` of `nn.Module`.
        first_names = [_AFTER_NAME.split(base)[0].strip() for base in view.bases]
        if name in first_names and not is_parent_class:
            place = place_of_word(view.header, name)
            return _HeaderUse(is_decorator=False, owner=view.name, place=place)
        views += find_methods(view.body.statements).values()
    return None


def _first_uses(context: LintContext, file: OutputFile) -> list[Undefined]:
    """Return the first uses of the undefined names of an output file.

    At most `MAX_REPORTED_NAMES` are returned. Missing parameters are left out: they are
    reported at the call to `super()`.
    """
    first_uses: dict[str, Undefined] = {}
    for undefined in context.undefined(file):
        if _call_lacking_parameter(context, file, undefined) is None:
            first_uses.setdefault(undefined.name, undefined)
    return list(first_uses.values())[:MAX_REPORTED_NAMES]


def find_missing_parameters(context: LintContext) -> dict[SuperCall, dict[str, Place]]:
    """Return the parameters that a parent's body uses and the overriding method lacks.

    Returns:
        For each call to `super()` that a parent's body replaces, the missing parameters
        with the place of the first use of each.
    """
    missing: dict[SuperCall, dict[str, Place]] = {}
    for file in context.files:
        for undefined in context.undefined(file):
            call = _call_lacking_parameter(context, file, undefined)
            line = file.at_line(undefined.line)
            if call is None or line is None:
                continue
            parameter = undefined.name
            first_places = missing.setdefault(call, {})
            first_places.setdefault(parameter, place_of_word(line.code, parameter))
    return missing


def _call_lacking_parameter(
    context: LintContext, file: OutputFile, undefined: Undefined
) -> SuperCall | None:
    """Return the call to `super()` if its replacement causes an undefined name.

    The body of the parent's `forward(self, x, mask)` replaces `super().forward(x)` in
    an override `forward(self, x)`. That body reads `mask`, a parameter that the
    override lacks, so `mask` is undefined in the generated method.

    Args:
        context: The modular file and its project.
        file: The output file.
        undefined: An undefined name such as `mask`, and its line in the output file.

    Returns:
        The call; None if the name is undefined for another reason.
    """
    line = file.at_line(undefined.line)
    # The parent's body comes from a parent file.
    if line is None or context.is_from_modular(line.code):
        return None
    # The class that contains the line, and the key of its method such as `forward`.
    class_name, method_key = line.statement.name, line.run.member
    merged_class = context.layout.flattened.get(class_name)
    if merged_class is None:
        return None
    # The child's method in the modular file, and the parent's method that it overrides.
    override = merged_class.overriding.get(method_key)
    parent_method = merged_class.inherited.get(method_key)
    if override is None or parent_method is None:
        return None
    # Without a call to `super()`, no code of the parent's method is in the override.
    if method_key not in merged_class.merges:
        return None
    is_parameter_of_parent = undefined.name in parent_method.parameter_names
    is_parameter_of_override = undefined.name in override.parameter_names
    if is_parameter_of_parent and not is_parameter_of_override:
        return SuperCall(class_name, method_key)
    return None
