"""The scopes of a syntax tree: which binding each name refers to, as Python decides it."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


_TYPING_MODULES = ("typing", "typing_extensions")
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Binding(NamedTuple):
    """A place at which code binds a name.

    Attributes:
        node: The node that binds it: a definition, a parameter, a variable or the
            `ast.alias` of an import.
        import_statement: The statement of an imported name; None for other bindings.
    """

    node: ast.AST
    import_statement: ast.Import | ast.ImportFrom | None = None


class Use(NamedTuple):
    """A place that refers to a name without binding it.

    The node is a variable, a string in an annotation, or a `global` or `nonlocal`
    statement.
    """

    name: str
    node: ast.AST


@dataclass(eq=False)
class Scope:
    """A module, class, function or comprehension, with the names that it has.

    Attributes:
        node: Its node in the tree.
        parent: The scope around it; None for a module.
        bindings: The places that bind each of its names.
        uses: The names to which it refers.
        outer_names: The scope in which to look for each of its `global` names, the
            module, and for each of its `nonlocal` names, the parent.
    """

    node: ast.AST
    parent: "Scope | None" = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    uses: list[Use] = field(default_factory=list)
    outer_names: dict[str, "Scope"] = field(default_factory=dict)

    def find(self, name: str) -> "Scope | None":
        """Return the scope to which a name belongs, if code in this scope reads it.

        For a global variable that a function reads, this is the scope of the module.
        None if no scope binds the name: it is a builtin, or undefined.
        """
        scope: Scope | None = self
        while scope is not None:
            # A function sees neither the names nor the `global x` of a class around it.
            is_visible = scope is self or not isinstance(scope.node, ast.ClassDef)
            if is_visible and name in scope.outer_names:
                # After `global x` or `nonlocal x`, this scope has no `x` of its own.
                scope = scope.outer_names[name]
                continue
            if is_visible and name in scope.bindings:
                return scope
            scope = scope.parent
        return None


@dataclass(eq=False)
class ScopeTree:
    """The scopes of a module.

    Attributes:
        module: The scope of the module.
        scopes: All scopes, in document order.
        of_name: The scope in which each variable is read or bound.
    """

    module: Scope
    scopes: list[Scope] = field(default_factory=list)
    of_name: dict[ast.Name, Scope] = field(default_factory=dict)


def analyze_scopes(tree: ast.Module) -> ScopeTree:
    """Return the scopes of a module.

    Raises:
        RecursionError: The code is nested too deeply.
    """
    visitor = _ScopeVisitor(tree)
    visitor.generic_visit(tree)
    return visitor.result


class _ScopeVisitor(ast.NodeVisitor):
    """Collects the bindings and uses of each scope."""

    def __init__(self, tree: ast.Module) -> None:
        module = Scope(tree)
        self.result = ScopeTree(module, [module])
        self._scope = module
        self._is_type = False

    def _bind(self, name: str, binding: Binding) -> None:
        """Record that code binds a name, such as `x = 1`.

        The name belongs to the current scope or, after `global x`, to the module. After
        `nonlocal x`, it belongs to a function further outside.
        """
        current = self._scope
        scope = current.outer_names.get(name, current)
        if scope is current or scope is self.result.module:
            scope.bindings.setdefault(name, []).append(binding)
        else:
            # After `nonlocal x`, `x = 1` creates no variable. It only refers to that of
            # the outer function, as code that reads `x` does.
            current.uses.append(Use(name, binding.node))

    def _begin_scope(self, node: ast.AST) -> None:
        """Begin a scope inside the current one."""
        self._scope = Scope(node, self._scope)
        self.result.scopes.append(self._scope)

    def _visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def _visit_type(self, node: ast.AST | None) -> None:
        """Visit a type, in which strings are types, too."""
        is_outer_type = self._is_type
        self._is_type = True
        self._visit_all([node])
        self._is_type = is_outer_type

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._bind(node.name, Binding(node))
        self._visit_all(node.decorator_list)
        self._visit_function(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_function(node)

    def _visit_function(self, node: _Function) -> None:
        """Visit the parts of a function or lambda, each in its own scope.

        Defaults are evaluated outside the function. Annotations see type parameters,
        as in `def f[T](x: T)`. The parameters and the body have a scope of their own.
        """
        parameters = node.args
        self._visit_all(parameters.defaults)
        self._visit_all(parameters.kw_defaults)
        outer = self._scope
        type_parameters = getattr(node, "type_params", [])
        if type_parameters:
            # The annotations need a scope that has `T`, but not yet the parameters.
            self._begin_scope(node)
            self._visit_all(type_parameters)
        all_parameters = list_parameters(parameters)
        for parameter in all_parameters:
            self._visit_type(parameter.annotation)
        if not isinstance(node, ast.Lambda):
            self._visit_type(node.returns)

        self._begin_scope(node)
        for parameter in all_parameters:
            self._bind(parameter.arg, Binding(parameter))
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        self._visit_all(body)
        self._scope = outer

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Visit a class, whose decorators and bases are outside the scope of its body.

        `class A[T](B[T])` has a scope for `T` around its bases and its body.
        """
        self._bind(node.name, Binding(node))
        self._visit_all(node.decorator_list)
        outer = self._scope
        type_parameters = getattr(node, "type_params", [])
        if type_parameters:
            # Methods see `T`. But a search from a method skips scopes whose node is a
            # class, so this scope gets another node.
            not_a_class = ast.AST()
            self._begin_scope(not_a_class)
            self._visit_all(type_parameters)
        self._visit_all(node.bases)
        self._visit_all(node.keywords)

        self._begin_scope(node)
        self._visit_all(node.body)
        # This ends the scope of the body, and that of the type parameters.
        self._scope = outer

    def visit_ListComp(self, node: _Comprehension) -> None:
        """Visit a comprehension of any kind: of a list, set or dict, or a generator."""
        # The first iterable is evaluated outside the comprehension's scope.
        first, *others = node.generators
        self.visit(first.iter)
        outer = self._scope
        self._begin_scope(node)
        self._visit_all([first.target, *first.ifs, *others])
        if isinstance(node, ast.DictComp):
            self._visit_all([node.key, node.value])
        else:
            self.visit(node.elt)
        self._scope = outer

    visit_SetComp = visit_ListComp
    visit_DictComp = visit_ListComp
    visit_GeneratorExp = visit_ListComp

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        inner = self._scope
        while isinstance(self._scope.node, _Comprehension) and self._scope.parent:
            self._scope = self._scope.parent
        self.visit(node.target)
        self._scope = inner

    def visit_Name(self, node: ast.Name) -> None:
        self.result.of_name[node] = self._scope
        if isinstance(node.ctx, ast.Load):
            self._scope.uses.append(Use(node.id, node))
        else:
            self._bind(node.id, Binding(node))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self._bind(name, Binding(alias, node))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self._bind(alias.asname or alias.name, Binding(alias, node))

    def visit_ExceptHandler(
        self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar
    ) -> None:
        """Visit `except Error as name`, or a pattern `[1] as name` or `*name`."""
        if node.name is not None:
            self._bind(node.name, Binding(node))
        self.generic_visit(node)

    visit_MatchAs = visit_ExceptHandler
    visit_MatchStar = visit_ExceptHandler

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self._bind(node.rest, Binding(node))
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self._declare(node, self.result.module)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._declare(node, self._scope.parent)

    def _declare(self, node: ast.Global | ast.Nonlocal, outer: Scope | None) -> None:
        for name in node.names:
            self._scope.uses.append(Use(name, node))
            if outer is not None and outer is not self._scope:
                self._scope.outer_names[name] = outer

    def _visit_type_parameter(self, node: ast.AST) -> None:
        self._bind(str(getattr(node, "name", "")), Binding(node))
        self.generic_visit(node)

    # These nodes exist since Python 3.12.
    visit_TypeVar = _visit_type_parameter
    visit_TypeVarTuple = _visit_type_parameter
    visit_ParamSpec = _visit_type_parameter

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._visit_type(node.annotation)
        self._visit_all([node.value, node.target])

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Visit a subscript, in which strings can be types.

        The string in `List["LlamaMLP"]` names a class; that in `Literal["a"]` does not.
        While `self._is_type` is set, the visitor takes strings for types.
        """
        typing_name = self._typing_name(node.value)
        is_outer_type = self._is_type
        self.visit(node.value)
        if typing_name == "Literal":
            self._is_type = False
        elif typing_name:
            self._is_type = True
        self.visit(node.slice)
        self._is_type = is_outer_type

    def visit_Call(self, node: ast.Call) -> None:
        """Visit a call, in which strings can be types.

        Examples are `cast("LlamaMLP", mlp)` and `TypeVar("T", bound="LlamaMLP")`.
        """
        typing_name = self._typing_name(node.func)
        self.visit(node.func)
        for index, argument in enumerate([*node.args, *node.keywords]):
            is_cast_type = typing_name == "cast" and index == 0
            # The first argument of these two is the name of the new type.
            is_base_type = typing_name in ("NewType", "TypeVar") and index > 0
            if is_cast_type or is_base_type:
                self._visit_type(argument)
            else:
                self.visit(argument)

    def _typing_name(self, node: ast.expr) -> str:
        """Return the name in `typing` that a variable refers to, or an empty string.

        After `from typing import List as L`, the variable `L` refers to `List`.
        """
        if not isinstance(node, ast.Name):
            return ""
        scope = self._scope.find(node.id)
        if scope is None:
            return ""
        for binding in scope.bindings[node.id]:
            match binding:
                case Binding(ast.alias(name=name), ast.ImportFrom(module=module)):
                    if module in _TYPING_MODULES:
                        return name
        return ""

    def visit_Constant(self, node: ast.Constant) -> None:
        """Record a use of each name in a string that is a type, such as `"LlamaMLP"`.

        Strings that are not types, or that Python cannot parse, have no names.
        """
        if not self._is_type or not isinstance(node.value, str):
            return
        try:
            type_tree = ast.parse(node.value.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for part in ast.walk(type_tree):
            if isinstance(part, ast.Name):
                self._scope.uses.append(Use(part.id, node))


def list_parameters(parameters: ast.arguments) -> list[ast.arg]:
    """Return all parameters of a function, also `*args` and `**kwargs`."""
    nodes = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
    if parameters.vararg is not None:
        nodes.append(parameters.vararg)
    if parameters.kwarg is not None:
        nodes.append(parameters.kwarg)
    return nodes
