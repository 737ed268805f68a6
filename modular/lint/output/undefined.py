"""Names that an output file uses but does not define or import."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import libcst as cst

from modular.flatten.autofixes import accept_all_parameters, call_super
from modular.flatten.formatted import Undefined
from modular.flatten.outputs import OutputFile
from modular.lint.rule import LintRule
from modular.lint.subject import LintContext
from modular.rules.classes.methods import methods
from modular.rules.classes.super_call import find_super_call
from modular.rules.reading.modular_file import ModularFile
from modular.source import fixes
from modular.source.assignments import assigned_value
from modular.source.blocks import Kind
from modular.source.diagnostics import Fix, Place, Problem, did_you_mean
from modular.source.parts import DefinitionView, view_definition
from modular.source.places import place_of_word
from modular.source.reads import assigned
from modular.source.trees import parse, walk, written


_MOST = 20
"""Names of a file that are reported: with more of them they have a common cause."""

_NAME = re.compile(r"`(\w+)`")
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

    The code would fail when it runs. Often the modular file uses a parent's class under its old name: it is
    generated under the new one. Or it uses a name that it does not import.

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
        parents = self.modular.parent_of
        known = (_defined(file) | parents.keys()) - {base.owner}
        advice = (
            self._generated_name(name)
            or did_you_mean(name, parents)
            or did_you_mean(name, known)
        )
        advice = advice or self._import_it()
        if name in parents and "decorator" in base.use:
            advice = "a class has no name inside its own body: write the whole property here, and call it by its name alone"
        autofixes = _spellings(base.place, name, advice)
        rule = self.as_rule(UndefinedBase)
        rule.report(
            base.place,
            *autofixes,
            name=name,
            use=base.use,
            path=file.path,
            advice=advice,
        )

    def _check_use(self, file: OutputFile, undefined: Undefined) -> None:
        """Report a name at the line that it comes from."""
        name = undefined.name
        place, related = self.subject.place_in(file, undefined.line, name)
        definition = self.modular.definitions.nodes().get(name)
        line = 0 if definition is None else definition.original.line
        message = hint = advice = ""
        autofixes: Sequence[Fix] = ()
        if (
            definition
            and definition.kind is Kind.ASSIGNMENT
            and assigned_value(definition.statement) is None
        ):
            message, hint = (
                "`{name}` is declared at line {line}, and has no value",
                "write `{name} = ...` there",
            )
        elif name in _defined(file):
            where = ", at line {line}," if line else ""
            message = f"`{{name}}` is used before it is defined: its definition{where} and this code need each other when "
            message, hint = (
                f"{message}the file is imported",
                "use one of the two inside a function",
            )
        else:
            advice = self._advice(file, undefined)
            if place.text and related is None:
                autofixes = self._autofixes(name, place, advice)
        texts = {"message": message, "hint": hint, "path": file.path, "advice": advice}
        self.report(place, *autofixes, related=related, name=name, line=line, **texts)

    def _autofixes(self, name: str, place: Place, advice: str) -> Sequence[Fix]:
        """What can be written in the modular file's own code: for the parent class that is called `super()`, or `self`."""
        owner = "self" if advice.startswith("write `self.") else "super()"
        call = call_super(place, owner) if name in self.modular.base_names else None
        return _spellings(place, name, advice) if call is None else [call]

    def _report_parameters(self, call: Call, uses: Mapping[str, Place]) -> None:
        name, member = call
        own = self.layout.flattened[name].overriding[member]
        index = find_super_call(own.body.statements, own.name)
        assert index is not None, "the call was found before"
        stars = next(
            (parameter for parameter in own.parameters if parameter.startswith("**")),
            "",
        )
        self.report(
            own.body.statements[index].own,
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

    def _advice(self, file: OutputFile, undefined: Undefined) -> str:
        """Say what to write instead of a name that is used."""
        name = undefined.name
        return (
            self._instead_of_parent_call(file, undefined)
            or self._without_arguments(name)
            or self._generated_name(name)
            or self._assigned_with_others(name)
            or did_you_mean(name, _defined(file))
            or self._import_it()
        )

    def _import_it(self) -> str:
        return f"import it or define it in `{self.modular.path}`"

    def _generated_name(self, name: str) -> str:
        """Say what a name that the modular file imports from a parent file is called in the generated files."""
        if path := self.modular.parent_of.get(name):
            renamed = self.layout.parents[path].renamer.word(
                self.modular.original_names[name]
            )
            return (
                f"`{name}` is called `{renamed}` in the generated files: write that"
                if renamed != name
                else ""
            )
        return ""

    def _without_arguments(self, name: str) -> str:
        """Say that a parent class with type arguments is none."""
        if name in self.modular.parent_of and any(
            base.startswith(f"{name}[") for base in self.modular.base_names
        ):
            return f"a parent class with type arguments is not flattened: write `{name}` without them"
        return ""

    def _assigned_with_others(self, name: str) -> str:
        """Say that a name is assigned where it is not read: together with others."""
        for statement in self.modular.module.block.statements:
            if statement.kind is Kind.OTHER and name in statement.words:
                targets = (
                    target
                    for node in walk(parse(statement.own).node)
                    for target in assigned(node)
                )
                if any(
                    isinstance(target, cst.Name) and target.value == name
                    for target in targets
                ):
                    return f"assign `{name}` by itself: assignments to several names at once are not read"
        return ""

    def _instead_of_parent_call(self, file: OutputFile, undefined: Undefined) -> str:
        """What to write for `LlamaMLP.forward(self, x)` in a class that inherits from `LlamaMLP`."""
        statement, piece = file.run_at_line(undefined.line) or (None, None)
        flat = None if statement is None else self.layout.flattened.get(statement.name)
        own = (
            None if flat is None or piece is None else flat.overriding.get(piece.member)
        )
        if (
            flat is None
            or own is None
            or undefined.name not in self.modular.parents_of(flat.child.name)
        ):
            return ""
        for node in walk(parse(own.statement.own).node):
            match node:
                case cst.Call(
                    func=cst.Attribute(
                        value=cst.Name(value=called), attr=cst.Name(value=method)
                    ),
                    args=[cst.Arg(value=cst.Name(value="self")), *rest],
                ) if called == undefined.name and (
                    method == own.name or method not in flat.overriding
                ):
                    owner = "super()" if method == own.name else "self"
                    given = written(cst.Call(cst.Name(method), rest))
                    return f"write `{owner}.{given if chr(10) not in given else f'{method}(...)'}`"
        return ""


def _defined(file: OutputFile) -> set[str]:
    return {statement.name for statement in file.statements if statement.name}


def _spellings(place: Place, name: str, advice: str) -> Sequence[Fix]:
    """Write each of the other names that an advice has in the place of the undefined one."""
    return [
        fixes.write(place, other) for other in _NAME.findall(advice) if other != name
    ]


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
