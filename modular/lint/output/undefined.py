"""Names that an output file uses but does not define or import."""

from collections.abc import Iterator, Mapping
from itertools import islice

from modular.flatten.autofixes import all_parameters, parent_call
from modular.flatten.formatted import Undefined
from modular.flatten.outputs import OutputFile
from modular.lint.output import undefined_hints
from modular.lint.output.missing_parameters import Call, call_of, missing_parameters
from modular.lint.rule import LintRule
from modular.rules.classes.methods import methods
from modular.rules.classes.super_call import super_call_index
from modular.rules.modular_file import ModularFile
from modular.source import fixes
from modular.source.assignments import assigned_value
from modular.source.blocks import Kind
from modular.source.diagnostics import Fix, Place, Problem, nearest
from modular.source.parts import parts_of
from modular.source.places import place_of_word


_MOST = 20
"""Names of a file that are reported: with more of them they have a common cause."""


class _UndefinedRule(LintRule):
    """Looks at undefined names, each once for a file and not too many."""

    def check(self) -> None:
        """Look at the first use of each name that no parameter is missing for."""
        for file in self.subject.files:
            first: dict[str, Undefined] = {}
            for name in self.subject.undefined(file):
                if call_of(self.subject, file, name) is None:
                    first.setdefault(name.name, name)
            for name in islice(first.values(), _MOST):
                self.check_name(file, name, _written_by(self.modular, name.name))

    def check_name(self, file: OutputFile, undefined: Undefined, base: "_Base | None") -> None:
        """Look at a name that is not defined in a file; ``base`` is where the modular file writes it as a base or decorator."""

    def spellings(self, file: OutputFile, name: str, place: Place, hint: str) -> Iterator[Fix]:
        """The names that the hint says, each in the place of the one that is undefined."""
        modular = self.modular
        known = [*(statement.name for statement in file.statements if statement.name), *modular.parent_of]
        near = nearest(name, known)
        if path := modular.parent_of.get(name):
            near = [self.layout.parents[path].renamer.word(modular.original_names[name])]
        yield from (fixes.write(place, other) for other in near if f"`{other}`" in hint)


class UndefinedBase(_UndefinedRule):
    """@ERROR"""

    code = Problem.UNDEFINED_BASE
    message = "`{name}`, {use}, is not defined anywhere: the generated `{path}` could not be imported"
    hint = "{advice}"

    def check_name(self, file: OutputFile, undefined: Undefined, base: "_Base | None") -> None:
        """Report it where the modular file writes it."""
        if base is not None:
            use, owner, place = base
            hint = undefined_hints.for_base(self.layout, file, undefined.name, owner)
            if undefined.name in self.modular.parent_of and "decorator" in use:
                hint = "a class has no name inside its own body: write the whole property here, and call it by its name alone"
            autofixes = self.spellings(file, undefined.name, place, hint)
            self.report(place, *autofixes, name=undefined.name, use=use, path=file.path, advice=hint)


class UndefinedName(_UndefinedRule):
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
        """Look at undefined names, and at unravelled calls for which parameters are missing."""
        super().check()
        for call, uses in missing_parameters(self.subject).items():
            self._report_parameters(call, uses)

    def check_name(self, file: OutputFile, undefined: Undefined, base: "_Base | None") -> None:
        """Report it at the line that it comes from."""
        if base is not None:
            return
        name = undefined.name
        place, related = self.subject.place_in(file, undefined.line, name)
        definition = self.modular.definitions.nodes().get(name)
        if (
            definition is not None
            and definition.kind is Kind.ASSIGNMENT
            and assigned_value(definition.statement) is None
        ):
            message, hint = "`{name}` is declared at line {line}, and has no value", "write `{name} = ...` there"
            self.report(place, related=related, message=message, hint=hint, name=name, line=definition.original.line)
            return
        if any(statement.name == name for statement in file.statements):
            where = f", at line {definition.original.line}," if definition is not None else ""
            self.report(
                place,
                related=related,
                message="`{name}` is used before it is defined: its definition{where} and this code need each other when "
                "the file is imported",
                hint="use one of the two inside a function",
                name=name,
                where=where,
            )
            return
        hint = undefined_hints.for_use(self.layout, file, undefined)
        is_own = place.text != "" and related is None
        autofixes = self._autofixes(file, name, place, hint) if is_own else ()
        self.report(place, *autofixes, related=related, name=name, path=file.path, advice=hint)

    def _autofixes(self, file: OutputFile, name: str, place: Place, hint: str) -> Iterator[Fix]:
        """What can be written in the modular file's own code: for the parent class that is called `super()`, or `self`."""
        owner = "self" if hint.startswith("write `self.") else "super()"
        call = parent_call(place, owner) if name in self.modular.base_names else None
        yield from self.spellings(file, name, place, hint) if call is None else (call,)

    def _report_parameters(self, call: Call, uses: Mapping[str, Place]) -> None:
        name, member = call
        own = self.layout.flattened[name].overriding[member]
        index = super_call_index(own.body.statements, own.name)
        assert index is not None, "the call was found before"
        stars = next((parameter for parameter in own.parameters if parameter.startswith("**")), "")
        self.report(
            own.body.statements[index].own,
            all_parameters(own),
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


_Base = tuple[str, str, Place]
"""How the modular file itself writes a name, as a base or in a decorator, of what, and the place."""


def _written_by(modular: ModularFile, name: str) -> _Base | None:
    definitions = (*modular.definitions.classes.values(), *modular.definitions.functions.values())
    waiting = [parts_of(definition.statement) for definition in definitions]
    while waiting:
        parts = waiting.pop(0)
        if name in parts.decorators.words():
            return f"in a decorator of `{parts.name}`", parts.name, place_of_word(parts.decorators, name)
        if parts.statement.kind is Kind.CLASS:
            if name not in modular.parent_of and any(_leading_name(base) == name for base in parts.bases):
                return f"a base of `{parts.name}`", parts.name, place_of_word(parts.header, name)
            waiting += methods(parts.body.statements).values()
    return None


def _leading_name(base: str) -> str:
    """The name on the very left of a base: `nn` of `nn.Module`, `Generic` of `Generic[T]`."""
    return base.partition("[")[0].partition(".")[0].partition("(")[0].strip()
