"""Finds the variables of a file, with all nodes that bind and use each of them."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from modular.semantics.fact_reader import FactReader, Task, list_parameters
from modular.semantics.facts import Usage, When
from modular.semantics.scope_stack import Scope, binds_variable
from modular.source.python_trees import dotted_name


_TYPING_MODULES = ("typing", "typing_extensions")
_WITH_PARAMETERS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

_Import = ast.Import | ast.ImportFrom


class Binding(NamedTuple):
    """A place at which code binds a variable.

    Attributes:
        node: The node that binds it: a definition, a parameter, a variable or the
            `ast.alias` of an import.
        import_statement: The statement of an imported name; None for other bindings.
    """

    node: ast.AST
    import_statement: _Import | None = None


class Use(NamedTuple):
    """A place that refers to a variable without binding it.

    Attributes:
        node: The variable, or a `global` or `nonlocal` statement. In quotes, the node has
            the place of the whole string.
        is_quoted: Whether the name is in a type in quotes, as in `x: "LlamaMLP"`.
    """

    node: ast.AST
    is_quoted: bool


@dataclass(eq=False)
class Variable:
    """A variable of a module, class, function or comprehension.

    Attributes:
        name: Its name.
        scope: The scope that has it. Builtins, and names that only `import *` can bind,
            count as variables of the module without a binding.
        bindings: The places that bind it.
        uses: The places that refer to it.
    """

    name: str
    scope: Scope
    bindings: list[Binding] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)

    @property
    def is_global(self) -> bool:
        """Whether it is a variable of the module."""
        return self.scope.outer is None


@dataclass(frozen=True)
class Variables:
    """The variables of a file.

    Attributes:
        all: All of them.
        of_node: The variable to which each node refers.
    """

    all: tuple[Variable, ...]
    of_node: Mapping[ast.AST, Variable]


def find_variables(tree: ast.Module) -> Variables:
    """Return the variables of a file, one for each name in each scope.

    In `x = 1` and `def f(x): return x`, there are two variables `x`.

    Raises:
        RecursionError: The code is nested too deeply.
    """
    reader = _VariableReader()
    for statement in tree.body:
        reader.read_statement(statement)

    variables: dict[tuple[Scope, str], Variable] = {}
    of_node: dict[ast.AST, Variable] = {}
    # A parameter is not among the mentions, so its scope tells that it is bound.
    for scope in reader.scopes.ended:
        if not isinstance(scope.node, _WITH_PARAMETERS):
            continue
        for parameter in list_parameters(scope.node.args):
            variable = Variable(parameter.arg, scope, [Binding(parameter)])
            variables[scope, parameter.arg] = variable
    for mention, node, scope in reader.scopes.all_mentions():
        key = (scope, mention.name)
        variable = variables.setdefault(key, Variable(mention.name, scope))
        of_node[node] = variable
        if binds_variable(mention):
            binding = Binding(node, reader.import_statements.get(node))
            variable.bindings.append(binding)
        else:
            variable.uses.append(Use(node, mention.when is When.QUOTED))
    return Variables(tuple(variables.values()), of_node)


class _VariableReader(FactReader):
    """Reads facts, and also the places that only a rename of a variable must change.

    These places are `global` and `nonlocal` statements, and types in quotes, such as the
    first argument of `cast("LlamaMLP", mlp)`.
    """

    def __init__(self) -> None:
        """Begin without facts."""
        super().__init__()
        # The statement of each `ast.alias` of an import.
        self.import_statements: dict[ast.AST, _Import] = {}
        # The names in `typing` by the names under which they are imported.
        self._typing_names: dict[str, str] = {}

    def read_statement(self, node: ast.AST) -> None:
        """Read a statement, and record what a rename must change besides the facts.

        These are the names in imports, and those in `global` and `nonlocal` statements.
        """
        super().read_statement(node)
        match node:
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    self.import_statements[alias] = node
                    if getattr(node, "module", None) in _TYPING_MODULES:
                        self._typing_names[alias.asname or alias.name] = alias.name
            case ast.Global() | ast.Nonlocal():
                for name in node.names:
                    self.add_mention(node, name, Usage.IGNORED)

    def add_call(self, node: ast.Call, function: str, task: Task) -> int:
        """Record a call, and the types in quotes among its arguments.

        `cast("Cache", x)` and `TypeVar("T", bound="Cache")` mention the type `Cache`. The
        string `"T"` is only the name of the new type.
        """
        typing_name = self._typing_names.get(function)
        if typing_name == "cast":
            self._read_types(node.args[:1])
        elif typing_name in ("NewType", "TypeVar"):
            keyword_values = [keyword.value for keyword in node.keywords]
            self._read_types([*node.args[1:], *keyword_values])
        return super().add_call(node, function, task)

    def _read_typing_subscript(self, node: ast.Subscript, task: Task) -> list[Task]:
        """Record the types in quotes in `List["LlamaMLP"]`, which is not an annotation."""
        typing_name = self._typing_names.get(dotted_name(node.value), "Literal")
        if typing_name != "Literal":
            self._read_types([node.slice])
        return self._read_subscript(node, task)

    def _read_types(self, nodes: Sequence[ast.expr]) -> None:
        """Record the names of types, also those in quotes."""
        for node in nodes:
            if not self.is_annotation:
                self.read_annotation(node)

    expressions: ClassVar = {
        **FactReader.expressions,
        ast.Subscript: _read_typing_subscript,
    }
