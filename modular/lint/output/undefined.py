"""Names that an output file uses but does not define or import."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import libcst as cst

from modular.flatten.autofixes import accept_all_parameters
from modular.flatten.formatted import Undefined
from modular.flatten.outputs import OutputFile
from modular.lint.arguments import assign_above, bind_arguments, call_of_statement
from modular.lint.output.undefined_advice import (
    Advice,
    advise,
    advise_import,
    advise_parent_name,
    defined_names,
)
from modular.lint.rule import LintRule, Syntax
from modular.lint.subject import LintContext
from modular.rules.classes.methods import methods
from modular.rules.classes.super_call import find_super_call
from modular.rules.reading.modular_file import ModularFile
from modular.source import fixes
from modular.source.assignments import assigned_value
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place, Problem, did_you_mean, nearest
from modular.source.places import place_of_word
from modular.source.source_slice import joined
from modular.source.trees import written
from modular.source.walking import descend


_MOST = 20
"""Names of a file that are reported: with more of them they have a common cause."""

_AFTER_NAME = re.compile(r"[\[.(]")
"""What follows the name that a base begins with: that is `nn` in `nn.Module`, `Generic` in `Generic[T]`."""

Call = tuple[str, str]
"""An unravelled call: the class, and the key of the method that it is in."""


class UndefinedBase(LintRule):
    """@ERROR"""

    code = Problem.UNDEFINED_BASE
    message = "`{name}`, {use}, is not defined anywhere: the generated `{path}` could not be imported"
    hint = "{advice}"

    def check(self) -> None:
        """`UndefinedName` looks for it."""


class UndefinedName(LintRule):
    """A generated file uses a name that it does not define.

    The code fails with `NameError` when it runs, so this counts as an error; in a string or an annotation, which Python may not
    evaluate, it is a warning. The files are written, and settings and comments can ignore it. Often the modular file uses a
    parent's class under its old name: it is generated under the new one. Or it uses a name that it does not import.

    Use instead the name that the generated file has, or import the name in the modular file.

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
    models/olmo/modular_olmo.py:11:27: `LlamaMLP` is not defined in the generated `models/olmo/modeling_olmo.py`
    hint: `LlamaMLP` is called `OlmoMLP` in the generated files: write that
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
    message = "`{name}` is not defined in the generated `{path}`"
    hint = "{advice}"

    def check(self) -> None:
        """Look at the first use of each name that no parameter is missing for, and at calls for which some are missing."""
        calls: dict[Call, dict[str, Place]] = {}
        for file in self.subject.files:
            first: dict[str, Undefined] = {}
            for name in self.subject.undefined(file):
                call, line = _call_of(self.subject, file, name), file.at_line(name.line)
                if call is None or line is None:
                    first.setdefault(name.name, name)
                else:
                    calls.setdefault(call, {}).setdefault(
                        name.name, place_of_word(line[1], name.name)
                    )
            for name in islice(first.values(), _MOST):
                base = _written_by(self.modular, name.name)
                if base is None:
                    self._check_use(file, name)
                else:
                    self._report_base(file, name.name, base)
        for call, uses in calls.items():
            self._report_parameters(call, uses)

    def _report_base(self, file: OutputFile, name: str, base: "_Base") -> None:
        """Report a base or decorator; the generated file could not be imported."""
        parents = self.modular.parent_of.keys()
        known = (defined_names(file) | parents) - {base.owner}
        similar = nearest(name, parents) or nearest(name, known)
        advice = advise_parent_name(self.subject, name)
        if advice is None and similar:
            spellings = [fixes.write(base.place, other) for other in similar]
            advice = Advice(did_you_mean(name, similar), spellings)
        elif advice is None:
            advice = advise_import(self.modular)
        if name in parents and "decorator" in base.use:
            advice = Advice(
                "a class has no name inside its own body: write the whole property here, and call it by its name alone"
            )
        rule = self.as_rule(UndefinedBase)
        rule.report(
            base.place,
            *advice.autofixes,
            name=name,
            use=base.use,
            path=file.path,
            advice=advice.hint,
        )

    def _check_use(self, file: OutputFile, undefined: Undefined) -> None:
        """Report a name at the line that it comes from."""
        name = undefined.name
        place, related = self.subject.place_in(file, undefined.line, name)
        definition = self.modular.definitions.by_name().get(name)
        line = 0 if definition is None else definition.original.line
        message = hint = ""
        advice = Advice("")
        if (
            definition
            and definition.kind is Kind.ASSIGNMENT
            and assigned_value(definition.statement) is None
        ):
            message = "`{name}` is declared at line {line}, and has no value"
            hint = "write `{name} = ...` there"
        elif name in defined_names(file):
            where = ", at line {line}," if line else ""
            message = f"`{{name}}` is used before it is defined: its definition{where} and this code need each other when the file is imported"
            hint = "use one of the two inside a function"
        else:
            advice = advise(self.subject, file, undefined, place)
        # A place in a parent file cannot be edited.
        autofixes = advice.autofixes if place.text and related is None else ()
        self.report(
            place,
            *autofixes,
            related=related,
            message=message,
            hint=hint,
            name=name,
            line=line,
            path=file.path,
            advice=advice.hint,
        )
        if _is_certain(file, undefined):
            self.raise_last_finding()

    def _report_parameters(self, call: Call, uses: Mapping[str, Place]) -> None:
        name, member = call
        own = self.layout.flattened[name].overriding[member]
        index = find_super_call(own.body.statements, own.name)
        assert index is not None, "the call was found before"
        stars = next(
            (parameter for parameter in own.parameters if parameter.startswith("**")),
            "",
        )
        statement = own.body.statements[index]
        if self._report_given_parameters(call, uses, statement):
            return
        self.report(
            statement.own,
            accept_all_parameters(own),
            related=next(iter(uses.values())),
            message="the body of the parent's `{method}`, which this call is replaced by, uses its parameters, of which "
            "`{name}.{method}` does not have {listed}",
            hint="arguments are not passed on: write {listed} as in the parent, or `**super_kwargs` {instead}which is replaced by "
            "all of the parent's",
            name=name,
            method=own.name,
            listed=" and ".join(f"`{parameter}`" for parameter in uses),
            instead=f"for `{stars}`, " if stars else "among them, ",
        )
        self.raise_last_finding()

    def _report_given_parameters(
        self, call: Call, uses: Mapping[str, Place], statement: Statement
    ) -> bool:
        """Report missing parameters that are all given as arguments, which can be assigned above the call."""
        name, member = call
        flat = self.layout.flattened[name]
        super_call = call_of_statement(statement)
        assigned = {}
        for argument, parameter in bind_arguments(super_call, flat.inherited[member]):
            is_short = "\n" not in written(argument.value)
            if parameter is None or parameter not in uses or argument.star:
                continue
            if is_short:
                assigned[parameter] = assign_above(statement, argument, parameter)
        if assigned.keys() != uses.keys():
            return False
        lines = [fix.title.removeprefix("Write ") for fix in assigned.values()]
        assignments = " and ".join(lines)
        listed = " and ".join(f"`{parameter}`" for parameter in uses)
        self.report(
            statement.own,
            fixes.joined(f"Write {assignments}", assigned.values()),
            related=next(iter(uses.values())),
            message="the body of the parent's `{method}`, which this call is replaced by, uses its parameters, of which "
            "`{name}.{method}` does not have {listed}",
            hint="arguments are not passed on: write {assignments} above the call",
            assignments=assignments,
            name=name,
            method=flat.overriding[member].name,
            listed=listed,
        )
        self.raise_last_finding()
        return True


_DYNAMIC = frozenset({"globals", "exec"})
"""Functions that can define names which no statement shows."""


def _is_certain(file: OutputFile, undefined: Undefined) -> bool:
    """Whether Python raises NameError where a name is used: in code that runs, and not in a string or an annotation."""
    found = file.run_at_line(undefined.line)
    if found is None:
        return False
    statement, run = found
    members = [part.code for part in statement.parts if part.member == run.member]
    code = joined(members, file.path)
    syntax = Syntax.read(code)
    if syntax is None or code.words() & _DYNAMIC:
        return False
    root: cst.CSTNode = syntax.node
    names = (
        node for node in descend(root, _children_that_run) if isinstance(node, cst.Name)
    )
    return any(name.value == undefined.name for name in names)


def _children_that_run(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """Return the children of a node; none of an annotation, which Python may not evaluate."""
    return () if isinstance(node, cst.Annotation) else node.children


class _Base(NamedTuple):
    """How the modular file itself writes a name: as a base or in a decorator, of what, and where."""

    use: str
    owner: str
    place: Place


def _written_by(modular: ModularFile, name: str) -> _Base | None:
    definitions = (
        *modular.definitions.classes.values(),
        *modular.definitions.functions.values(),
    )
    waiting = [view_definition(definition.statement) for definition in definitions]
    while waiting:
        parts = waiting.pop(0)
        if name in parts.decorators.words():
            return _Base(
                f"in a decorator of `{parts.name}`",
                parts.name,
                place_of_word(parts.decorators, name),
            )
        if parts.statement.kind is Kind.CLASS:
            if name not in modular.parent_of and name in [
                _AFTER_NAME.split(base)[0].strip() for base in parts.bases
            ]:
                return _Base(
                    f"a base of `{parts.name}`",
                    parts.name,
                    place_of_word(parts.header, name),
                )
            waiting += methods(parts.body.statements).values()
    return None


def calls_that_lack_parameters(subject: LintContext) -> set[Call | None]:
    """Return the unravelled calls for which parameters are missing, and None."""
    return {
        _call_of(subject, file, name)
        for file in subject.files
        for name in subject.undefined(file)
    }


def _call_of(
    subject: LintContext, file: OutputFile, undefined: Undefined
) -> Call | None:
    """Return the call that inlined a line in which an undefined name appears, if it is a parameter that is missing."""
    origin = file.run_at_line(undefined.line)
    if origin is None or subject.is_own(origin[1].code):
        return None
    statement, piece = origin
    flat = subject.layout.flattened.get(statement.name)
    if (
        flat is None
        or piece.member not in flat.overriding
        or piece.member not in flat.inherited
    ):
        return None
    own, parent = flat.overriding[piece.member], flat.inherited[piece.member]
    if find_super_call(
        own.body.statements, own.name
    ) is None or undefined.name not in _parameters(parent):
        return None
    return (
        None if undefined.name in _parameters(own) else (statement.name, piece.member)
    )


def _parameters(method: DefinitionView) -> set[str]:
    return {name.lstrip("*") for name in method.parameters}
