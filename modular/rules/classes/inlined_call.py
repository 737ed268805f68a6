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
from functools import cached_property

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
        if not self._keeps_variables_apart() or not self._can_share_parameters():
            return None
        inherited = self._without_return()
        if inherited is None:
            return None
        first_parameter = self.child.parameters[0]
        merged = add_below_call(inherited, self.below, first_parameter)
        return [*self.above, *merged]

    @cached_property
    def _parent_effects(self) -> Effects:
        return effects_of(self.parent.body_without_docstring)

    @cached_property
    def _effects_above(self) -> Effects:
        return effects_of(self.above)

    @cached_property
    def _effects_below(self) -> Effects:
        return effects_of(self.below)

    def _have_same_kind(self) -> bool:
        """Whether both are ordinary methods of an instance, or both are class methods.

        Both must call their first parameter the same, such as `self`. The child may have
        other decorators, which stay. The parent's method may not, because only its body
        is copied.
        """
        # Calling an `async` method does not run its body: the caller awaits the result.
        if self.parent.is_async:
            return False
        child_decorators = self.child.decorator_names
        if "staticmethod" in child_decorators:
            return False
        expected = [_CLASS_METHOD] if _CLASS_METHOD in child_decorators else []
        if self.parent.decorator_names != expected:
            return False
        first_parameter = self.parent.parameters[:1]
        return bool(first_parameter) and first_parameter == self.child.parameters[:1]

    def _passes_all_parameters(self) -> bool:
        """Whether the call passes each of the parent's parameters under its own name.

        `super().f(x, key=key, *args)` does so for `def f(self, x, *args, key)`.
        """
        passed = self._names_of_arguments()
        if passed is None:
            return False
        expected = {*self.parent.parameters[1:]} - {"*"}
        if _ALL_PARAMETERS in passed:
            # `**super_kwargs` passes all parameters that the call does not name.
            passed.discard(_ALL_PARAMETERS)
            return passed <= expected and self._can_merge_parameters(expected - passed)
        if passed != expected:
            return False
        # If the child has a local variable `x` and passes `x, **kwargs`, then `kwargs` may
        # contain another `x`. So with stars, it must pass its own parameters.
        has_stars = any(name.startswith("*") for name in passed)
        return not has_stars or passed <= {*self.child.parameters}

    def _names_of_arguments(self) -> set[str] | None:
        """Return the arguments of the call: `{"x", "n", "*args"}` for `f(x, *args, n=n)`.

        Returns:
            The names. None if an argument is no name, or is for a parameter of another
            name: the first argument of a method `f(self, x)` must be `x`.
        """
        params = self.parent.function_node.params
        by_position = [*_names(params.posonly_params), *_names(params.params)]
        by_keyword = {*_names(params.params), *_names(params.kwonly_params)}
        # The call does not pass the first parameter, such as `self`.
        del by_position[:1]
        if isinstance(params.star_arg, cst.Param):
            by_position.append(f"*{params.star_arg.name.value}")

        names = []
        for argument in self.found.call.args:
            match argument:
                case ast.Name(id=name):
                    names.append(name)
                case ast.Starred(value=ast.Name(id=name)):
                    names.append(f"*{name}")
                case _:
                    return None
        if names != by_position[: len(names)]:
            return None
        for keyword in self.found.call.keywords:
            match keyword:
                case ast.keyword(arg=None, value=ast.Name(id=name)):
                    names.append(f"**{name}")
                case ast.keyword(arg=parameter, value=ast.Name(id=name)) if (
                    parameter == name and name in by_keyword
                ):
                    names.append(name)
                case _:
                    return None
        return {*names}

    def _can_merge_parameters(self, omitted: set[str]) -> bool:
        """Whether the parent's parameters can replace `**super_kwargs` in the header.

        Args:
            omitted: The parent's parameters that the call does not name: `n` for the
                method `f(self, x, n=1)` and the call `super().f(x, **super_kwargs)`.
        """
        if not passes_super_kwargs(self.child):
            return False
        # If the child has a parameter `n` of its own, `**super_kwargs` never has one, and
        # the parent's `n` would be 1. In the merged method it would be the child's `n`.
        if omitted & {*self.child.parameters}:
            return False
        # The dictionary is gone afterwards, so only the call may use it.
        if SUPER_KWARGS in self._effects_above.used | self._effects_below.used:
            return False
        merged = merge_parameters(
            self.parent.function_node.params, self.child.function_node.params
        )
        # This is a parameter without a default after one with a default.
        return not merged.misplaced

    @property
    def _shared_names(self) -> frozenset[str]:
        """The parameters of the parent's method.

        They are variables of both bodies, because the call passes each parameter under
        its own name. All other variables belong to one body alone.
        """
        return self.parent.parameter_names

    def _keeps_variables_apart(self) -> bool:
        """Whether no body sets a variable of its own that the other body uses, too.

        If the parent's body has `y = 2 * x`, and the child's body uses another `y`, this
        would get the value of the parent's `y`.

        Of the effects of statements, `bound` are the variables that they set or delete,
        and `used` those that they mention at all.
        """
        inherited = self._parent_effects
        above = self._effects_above
        below = self._effects_below
        # With `locals()`, for example, a body can use a variable without its name.
        if inherited.is_opaque or above.is_opaque or below.is_opaque:
            return False
        # The instance, such as `self`, must be the same object in all statements.
        instance = self.child.parameters[0]
        if instance in inherited.bound | above.bound | below.bound:
            return False

        # The child also sets its parameters and the target `y` of `y = super().f(x)`.
        also_set = {*self.child.parameter_names, self.found.target}
        set_by_child = above.bound | below.bound | also_set
        used_by_child = above.used | below.used | also_set
        parent_variables = inherited.bound - self._shared_names
        child_variables = set_by_child - self._shared_names
        if parent_variables & used_by_child:
            return False
        return not child_variables & inherited.used

    def _can_share_parameters(self) -> bool:
        """Whether no body reads a shared parameter after the other has changed it.

        In Python, each method has its own variable for a parameter `x`. In the merged
        method, both bodies share one `x`. The statements run in this order: the child's
        above the call, the parent's, the child's below the call. If the child changes
        `x` above the call, it passes the changed `x` to the parent's method anyway.

        Of the effects of statements, `bound` are the variables that they set or delete,
        and `used` those that they mention at all.
        """
        inherited = self._parent_effects
        above = self._effects_above
        below = self._effects_below
        changed_by_parent = inherited.bound & self._shared_names
        # `x = super().f(x)` sets `x` again, so a change is not seen below it.
        changed_below_call = changed_by_parent - {self.found.target}
        if changed_below_call & below.used:
            return False
        # The parent's method has a tuple `args` and a dictionary `kwargs` of its own, and
        # can change the dictionary: `kwargs.pop("size")`.
        for name in self.parent.parameters:
            if name.startswith("*") and name.lstrip("*") in inherited.used & below.used:
                return False

        # A nested function, such as `lambda: x`, may run later and then read the `x` that
        # the other body has changed. So if one body has such a function, the other may
        # not change any parameter that it mentions.
        child_has_function = above.has_scope or below.has_scope
        if child_has_function and changed_by_parent & (above.used | below.used):
            return False
        changed_by_child = (below.bound | {self.found.target}) & self._shared_names
        return not (inherited.has_scope and changed_by_child & inherited.used)

    def _without_return(self) -> list[Statement] | None:
        """Return the parent's statements so that they do not leave the override early.

        - In place of `return super().f(x)`, each `return` of the parent may stay.
        - In place of `super().f(x)`, a `return` at the end is dropped.
        - In place of `y = super().f(x)`, `return x + 1` at the end becomes `y = x + 1`.

        Returns:
            The statements. None if that is impossible, for example because of a `return`
            in the middle.
        """
        inherited = [
            statement
            for statement in self.parent.body_without_docstring
            if not statement.does_nothing
        ]
        form = self.found.form
        if form is _Form.RETURN:
            # If the parent's body did not return, the child's statements below the call,
            # which never run, would run.
            return None if self.below else inherited
        return_count = self._parent_effects.returns
        if form is _Form.PLAIN and return_count == 0:
            return inherited

        last = tree_of(inherited[-1]) if inherited else None
        if return_count != 1 or not isinstance(last, ast.Return):
            return None
        match last.value:
            # Nothing uses the result, and these values have no effect of their own.
            case None | ast.Name() | ast.Constant() if form is _Form.PLAIN:
                return inherited[:-1]
            # `return y` needs no assignment to `y`.
            case ast.Name(id=name) if name == self.found.target:
                return inherited[:-1]
            case ast.expr() if form is _Form.ASSIGNMENT:
                assignment = _assign_result(inherited[-1], self.found.target)
                return [*inherited[:-1], assignment]
        return None


def _assign_result(statement: Statement, target: str) -> Statement:
    """Return `target = value` for the statement `return value`."""
    start = statement.start + len(statement.indent)
    end = start + len(_RETURN)
    separator = " " if statement.code.mask[end : end + 1] not in (" ", "\t") else ""
    code = statement.code.replace([(start, end, f"{target} ={separator}")])
    return replace(statement, code=code)


def _names(params: Sequence[cst.Param]) -> list[str]:
    return [param.name.value for param in params]
