"""With `inheritance = "python"`, the parent's body replaces a call that it equals.

This rule is for projects with the setting `inheritance = "python"`. There the parent's
body takes the place of a call of `super()` only if nobody can tell the difference.
Otherwise the parent's method is kept and called (see `kept-methods`). The call is
replaced if all of these conditions are met:

- **The call is a statement of the method's body:** `super().method(x)`,
  `return super().method(x)` as the last statement, or `y = super().method(x)`. It is in
  the override of `method`, and the class has no other call of it.
- **Each parameter of the parent's method is passed under its own name,** and nothing
  else: `x`, `n=n`, `*args`, `**kwargs` or `**super_kwargs`.
- **The parent's method has no decorator.** Both may be class methods. It is not
  `async`, and has no `yield`.
- **It returns only at the end,** except in the form `return super().method(x)`.
- **Variables stay apart:** no local variable has the same name in both bodies, and no
  body uses a parameter that the other one has assigned before.
- **Neither body can look at the variables of the other,** as `locals()` and `global` do.

Statements below the call are added after the parent's body. An assignment or a `del`
may change a statement of the parent instead (see `replaced-assignments`). Nothing else
moves, and no statement is dropped.

Settings `pyproject.toml`:

```toml
[tool.modular]
inheritance = "python"
```

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


class LlamaMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)

    def forward(self, x):
        x = self.up_proj(x)
        return x.relu()
```

Modular `models/my_model/modular_my_model.py`:

```python
from torch import nn

from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    def __init__(self, config):
        super().__init__(config)
        self.norm = nn.LayerNorm(config.intermediate_size)

    def forward(self, x):
        hidden = super().forward(x)
        return self.norm(hidden)
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn


class MyModelMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)
        self.norm = nn.LayerNorm(config.intermediate_size)

    def forward(self, x):
        x = self.up_proj(x)
        hidden = x.relu()
        return self.norm(hidden)
```
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import libcst as cst

from modular.rules.classes.replaced_assignments import add_below_call
from modular.rules.classes.super_kwargs import SUPER_KWARGS, merge_parameters
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.statement_effects import Effects, effects_of, tree_of


_CLASS_METHOD = "classmethod"
_ALL_PARAMETERS = f"**{SUPER_KWARGS}"
_RETURN = "return"


class _Form(Enum):
    """The forms of a statement that calls `super()`."""

    PLAIN = "super().method()"
    RETURN = "return super().method()"
    ASSIGNMENT = "x = super().method()"


@dataclass(frozen=True)
class _CallStatement:
    """A statement that calls `super().method(...)`.

    Attributes:
        form: Its form.
        call: The call.
        target: The variable that the result is assigned to; empty in other forms.
    """

    form: _Form
    call: ast.Call
    target: str = ""


def inline_parent_body(
    parent: DefinitionView, child: DefinitionView, class_name: str
) -> list[Statement] | None:
    """Return the body of an override with the parent's body in place of `super()`.

    Args:
        parent: The method of the parent class.
        child: The override, which contains one call of `super().method(...)`.
        class_name: The class of the override.

    Returns:
        The statements without a docstring. None if that would change what the method
        does, or if the call is not a statement of its own.
    """
    statements = child.body_without_docstring
    for index, statement in enumerate(statements):
        found = _read_call(statement, child, class_name)
        if found is not None:
            inlining = _Inlining(
                parent=parent,
                child=child,
                found=found,
                above=statements[:index],
                below=statements[index + 1 :],
            )
            return inlining.merge()
    return None


def passes_super_kwargs(child: DefinitionView) -> bool:
    """Whether the last parameter of an override is `**super_kwargs`."""
    # The search in the text avoids parsing most headers.
    if SUPER_KWARGS not in child.header.mask:
        return False
    return child.parameters[-1:] == (_ALL_PARAMETERS,)


def _read_call(
    statement: Statement, child: DefinitionView, class_name: str
) -> _CallStatement | None:
    """Return the call in a statement such as `return super().method(x)`, or None.

    Args:
        statement: A statement of the override.
        child: The override, whose own method the call must name.
        class_name: The class of the override.
    """
    # Parsing is slow, so only code with this word is parsed.
    if "super" not in statement.code.mask or statement.is_compound:
        return None
    match tree_of(statement):
        case ast.Expr(value=ast.Call() as call):
            found = _CallStatement(_Form.PLAIN, call)
        case ast.Return(value=ast.Call() as call):
            found = _CallStatement(_Form.RETURN, call)
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.Call() as call):
            found = _CallStatement(_Form.ASSIGNMENT, call, target)
        case _:
            return None
    match call.func:
        case ast.Attribute(
            value=ast.Call(func=ast.Name(id="super"), args=arguments, keywords=[]),
            attr=name,
        ) if name == child.name:
            if _means_parent(arguments, child, class_name):
                return found
    return None


def _means_parent(
    arguments: Sequence[ast.expr], child: DefinitionView, class_name: str
) -> bool:
    """Whether `super` has no arguments, or those that it has by default.

    In a method of `MyModelMLP`, these are `super(MyModelMLP, self)`.
    """
    match arguments:
        case []:
            return True
        case [ast.Name(id=named), ast.Name(id=instance)]:
            is_own_class = named in (class_name, "__class__")
            return is_own_class and child.parameters[:1] == (instance,)
    return False


@dataclass(frozen=True)
class _Inlining:
    """A call of `super()` and the method that may replace it.

    Attributes:
        parent: The method of the parent class.
        child: The override.
        found: The statement with the call.
        above: The child's statements above it.
        below: The child's statements below it.
    """

    parent: DefinitionView
    child: DefinitionView
    found: _CallStatement
    above: Sequence[Statement]
    below: Sequence[Statement]

    def merge(self) -> list[Statement] | None:
        """Return the merged statements, or None if a condition is not met."""
        if not self._have_same_kind() or not self._passes_all_parameters():
            return None
        if not self._keeps_variables_apart():
            return None
        inherited = self._without_return()
        if inherited is None:
            return None
        first_parameter = self.child.parameters[0]
        merged = add_below_call(inherited, self.below, first_parameter)
        return [*self.above, *merged]

    def _have_same_kind(self) -> bool:
        """Whether both are plain methods, or both are class methods.

        The parent's method may have no other decorator, because it would be lost. Both
        must call their first parameter the same, such as `self`.
        """
        if self.parent.is_async or not self.parent.parameters:
            return False
        parent_decorators = self.parent.decorator_names
        is_class_method = parent_decorators == [_CLASS_METHOD]
        if parent_decorators and not is_class_method:
            return False
        child_decorators = self.child.decorator_names
        if (_CLASS_METHOD in child_decorators) != is_class_method:
            return False
        if "staticmethod" in child_decorators:
            return False
        return self.parent.parameters[:1] == self.child.parameters[:1]

    def _passes_all_parameters(self) -> bool:
        """Whether the call passes each of the parent's parameters under its own name."""
        passed = self._names_of_arguments()
        if passed is None:
            return False
        expected = {*self.parent.parameters[1:]} - {"*", "/"}
        if _ALL_PARAMETERS in passed:
            # `**super_kwargs` passes all parameters that the call does not name.
            passed.discard(_ALL_PARAMETERS)
            return passed <= expected and self._can_merge_parameters(expected - passed)

        # A local variable `args` would be passed on as `*args`, too.
        starred = {name for name in passed if name.startswith("*")}
        if not starred <= _star_names(self.child.function_node.params):
            return False
        plain_parameters = expected - starred
        if starred and not plain_parameters <= {*self.child.parameters}:
            # The arguments of `**kwargs` could be parameters of the parent's method.
            return False
        return passed == expected

    def _names_of_arguments(self) -> set[str] | None:
        """Return the arguments that are names, as `x`, `*args` and `**kwargs`.

        Returns:
            None if an argument is none of these, or is for another parameter.
        """
        params = self.parent.function_node.params
        # The call does not pass the first parameter, such as `self`.
        positional = [*_names(params.posonly_params), *_names(params.params)][1:]
        by_keyword = {*_names(params.params), *_names(params.kwonly_params)}
        passed = set()
        for index, argument in enumerate(self.found.call.args):
            match argument:
                # The slice is empty if the call has more arguments than parameters.
                case ast.Name(id=name) if positional[index : index + 1] == [name]:
                    passed.add(name)
                # The arguments before `*args` are for all positional parameters.
                case ast.Starred(value=ast.Name(id=name)) if index == len(positional):
                    passed.add(f"*{name}")
                case _:
                    return None
        for keyword in self.found.call.keywords:
            if not isinstance(keyword.value, ast.Name):
                return None
            name = keyword.value.id
            if keyword.arg is None:
                passed.add(f"**{name}")
            elif keyword.arg == name and name in by_keyword:
                passed.add(name)
            else:
                return None
        return passed

    def _can_merge_parameters(self, omitted: set[str]) -> bool:
        """Whether the parent's parameters can replace `**super_kwargs` in the header.

        Args:
            omitted: The parent's parameters that only `**super_kwargs` can contain.
        """
        # An omitted parameter that the override has, too, would get another value.
        if not passes_super_kwargs(self.child) or omitted & {*self.child.parameters}:
            return False
        # The dictionary is gone afterwards, so only the call may use it.
        if SUPER_KWARGS in effects_of([*self.above, *self.below]).used:
            return False
        merged = merge_parameters(
            self.parent.function_node.params, self.child.function_node.params
        )
        return not merged.misplaced

    def _keeps_variables_apart(self) -> bool:
        """Whether no variable of one body has another value because of the other.

        Only the parameters of the parent's method are variables of both bodies, because
        the call passes them on under their own names.
        """
        inherited = effects_of(self.parent.body_without_docstring)
        above = effects_of(self.above)
        below = effects_of(self.below)
        if inherited.is_opaque or above.is_opaque or below.is_opaque:
            return False

        # These names are without stars, and without the separators `*` and `/`.
        shared = {name.lstrip("*") for name in self.parent.parameters} - {"", "/"}
        child_parameters = {name.lstrip("*") for name in self.child.parameters}
        child_bound = above.bound | below.bound | child_parameters
        child_used = above.used | below.used | child_parameters
        if self.found.target:
            child_bound.add(self.found.target)
            child_used.add(self.found.target)

        # The instance, such as `self`, must be the same object in all statements.
        instance = self.child.parameters[0]
        if instance in inherited.bound | above.bound | below.bound:
            return False
        # A variable that one body sets must not be one of the other body.
        if (inherited.bound - shared) & child_used:
            return False
        if (child_bound - shared) & inherited.used:
            return False
        if not self._can_share(inherited, above, below, shared):
            return False
        star_names = _star_names(self.parent.function_node.params)
        for name in star_names:
            # The parent's method has its own tuple or dictionary, and may change it.
            if name.lstrip("*") in inherited.used & below.used:
                return False
        return True

    def _can_share(
        self, inherited: Effects, above: Effects, below: Effects, shared: set[str]
    ) -> bool:
        """Whether no body reads a shared parameter after the other has changed it.

        In Python, each method has its own variable for a parameter `x`. In the generated
        method, the parent's body replaces the call, and both bodies share one `x`. The
        statements run in this order: those above the call, the parent's, those below.

        Of the effects, `bound` has the variables that statements assign or delete, and
        `used` those that they mention at all.

        Args:
            inherited: The effects of the parent's body.
            above: The effects of the child's statements above the call.
            below: The effects of those below it.
            shared: The parameters of the parent's method.
        """
        # The variable `y` of `y = super().forward(x)`; empty if there is none.
        target = self.found.target
        changed_by_parent = inherited.bound & shared
        # `x = super().forward(x)` sets `x` again, so that the change is not seen below.
        changed_below_call = changed_by_parent - {target}
        if changed_below_call & below.used:
            return False

        # A nested function of one body may run later, when the other body has changed a
        # variable. So all variables of a body with such a function count as read late.
        child_has_nested_function = above.has_scope or below.has_scope
        used_by_child = above.used | below.used
        if child_has_nested_function and changed_by_parent & used_by_child:
            return False
        # What the child changes above the call is passed to the parent's body anyway.
        changed_by_child = (below.bound | {target}) & shared
        parent_has_nested_function = inherited.has_scope
        if parent_has_nested_function and changed_by_child & inherited.used:
            return False
        return True

    def _without_return(self) -> list[Statement] | None:
        """Return the parent's statements so that they do not leave the override early.

        For `y = super().method(x)`, the `return` at their end becomes an assignment to
        `y`. For `return super().method(x)`, each `return` may stay.

        Returns:
            The statements. None if that is impossible, for example because of a `return`
            in the middle.
        """
        statements = self.parent.body_without_docstring
        inherited = [
            statement for statement in statements if not statement.does_nothing
        ]
        if self.found.form is _Form.RETURN:
            return None if self.below else inherited

        return_count = effects_of(inherited).returns
        last = tree_of(inherited[-1]) if inherited else None
        if self.found.form is _Form.PLAIN:
            if return_count == 0:
                return inherited
            # The result is not used, and these values have no effect of their own.
            match last:
                case ast.Return(value=None | ast.Name() | ast.Constant()):
                    return inherited[:-1] if return_count == 1 else None
            return None

        if return_count != 1 or not isinstance(last, ast.Return) or last.value is None:
            return None
        # `return y` needs no assignment to `y`.
        match last.value:
            case ast.Name(id=name) if name == self.found.target:
                return inherited[:-1]
        return [*inherited[:-1], _assign_result(inherited[-1], self.found.target)]


def _assign_result(statement: Statement, target: str) -> Statement:
    """Return `target = value` for the statement `return value`."""
    start = statement.start + len(statement.indent)
    end = start + len(_RETURN)
    separator = " " if statement.code.mask[end : end + 1] not in (" ", "\t") else ""
    code = statement.code.replace([(start, end, f"{target} ={separator}")])
    return replace(statement, code=code)


def _names(params: Sequence[cst.Param]) -> list[str]:
    return [param.name.value for param in params]


def _star_names(params: cst.Parameters) -> set[str]:
    """Return the parameters with stars: `*args` and `**kwargs`."""
    names = set()
    if isinstance(params.star_arg, cst.Param):
        names.add(f"*{params.star_arg.name.value}")
    if params.star_kwarg is not None:
        names.add(f"**{params.star_kwarg.name.value}")
    return names
