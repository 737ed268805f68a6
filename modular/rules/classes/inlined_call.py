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
        can_merge = (
            self._have_same_kind()
            and self._passes_all_parameters()
            and self._can_be_one_method()
            and self._keeps_variables_apart()
            and self._keeps_parameters_below_call()
            and self._keeps_parameters_of_functions()
        )
        inlined = self._inlined_statements() if can_merge else None
        if inlined is None:
            return None
        self_name = self.child.parameters[0]
        merged = add_below_call(inlined, self.below, self_name)
        return [*self.above, *merged]

    @cached_property
    def _parent_effects(self) -> Effects:
        """What the body of the parent's method does."""
        return effects_of(self.parent.body_without_docstring)

    @cached_property
    def _effects_above(self) -> Effects:
        """What the child's statements above the call do."""
        return effects_of(self.above)

    @cached_property
    def _effects_below(self) -> Effects:
        """What the child's statements below the call do."""
        return effects_of(self.below)

    def _have_same_kind(self) -> bool:
        """Whether both methods get the same first argument, and the body runs at once.

        - Both are methods of an instance, or both are class methods.
        - Their first parameters have the same name, such as `self`.
        - The parent's method is not `async`, and has no decorator besides `classmethod`:
          only its body is copied.
        """
        # `super().f()` of an `async` method does not run the body yet, but `await` does.
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
        """Whether the call passes each parameter of the parent's method by its own name.

        `super().f(x, key=key, *args)` does so for `def f(self, x, *args, key)`, and so
        does `super().f(x, **super_kwargs)`, where `super_kwargs` has all the others.
        """
        passed = self._passed_parameters()
        if passed is None:
            return False
        # The star in `def f(self, *, key)` is no parameter.
        expected = {*self.parent.parameters[1:]} - {"*"}
        if _ALL_PARAMETERS in passed:
            # `**super_kwargs` passes all parameters that the call does not name.
            named = passed - {_ALL_PARAMETERS}
            unnamed = expected - named
            return named <= expected and self._can_replace_super_kwargs(unnamed)
        if passed != expected:
            return False
        # In `super().f(x, **kwargs)`, `x` must be a parameter of the child. If it were a
        # local variable, `kwargs` could have another `x`, and Python would reject the call.
        has_stars = any(name.startswith("*") for name in passed)
        return not has_stars or passed <= {*self.child.parameters}

    def _passed_parameters(self) -> set[str] | None:
        """Return the parent's parameters that the call passes under their own names.

        For `super().f(x, *args, n=n)` these are `x`, `*args` and `n`, with the stars.

        Returns:
            The names. None if the call passes anything else, such as `y` in
            `super().f(y)` for the method `def f(self, x)`.
        """
        params = self.parent.function_node.params
        # For `def f(self, x, *args, n)`, these become `x` and `*args`.
        by_position = [*_names(params.posonly_params), *_names(params.params)]
        # The call does not pass the first parameter, such as `self`.
        del by_position[:1]
        if isinstance(params.star_arg, cst.Param):
            by_position.append(f"*{params.star_arg.name.value}")
        by_keyword = {*_names(params.params), *_names(params.kwonly_params)}

        call = self.found.call
        # The arguments of `f(x, *args, n=n)` without keywords are `x` and `*args`.
        arguments = [_name_of_argument(argument) for argument in call.args]
        # Each must have the name of the parameter at its place. The parameters after
        # them can be passed by keyword, or are not passed at all.
        if arguments != by_position[: len(arguments)]:
            return None
        passed = set(arguments)
        for keyword in call.keywords:
            name = _name_of_argument(keyword.value)
            if keyword.arg is None:
                passed.add(f"**{name}")
            elif keyword.arg == name and name in by_keyword:
                passed.add(name)
            else:
                return None
        return passed

    def _can_replace_super_kwargs(self, unnamed: set[str]) -> bool:
        """Whether the parent's parameters can replace `**super_kwargs` in the header.

        With the parent's `def f(self, x, n=1)`, the child's `def f(self, x,
        **super_kwargs)` becomes `def f(self, x, n=1)`, and `super_kwargs` is gone.

        Args:
            unnamed: The parent's parameters that the call does not name: `n` for the
                call `super().f(x, **super_kwargs)`.
        """
        if not passes_super_kwargs(self.child):
            return False
        # If the child has `def f(self, x, n=2, **super_kwargs)`, this `n` is not passed,
        # and the parent's `n` is 1. The merged method would have one `n` for both.
        if unnamed & {*self.child.parameters}:
            return False
        # Only the call itself may use the dictionary that is gone.
        if SUPER_KWARGS in self._effects_above.used | self._effects_below.used:
            return False
        merged = merge_parameters(
            self.parent.function_node.params, self.child.function_node.params
        )
        # Python rejects a parameter without a default after one with a default.
        return not merged.misplaced

    @property
    def _shared_parameters(self) -> frozenset[str]:
        """The parameters of the parent's method.

        They are variables of both bodies, because the call passes each parameter under
        its own name. All other variables belong to one body alone.
        """
        return self.parent.parameter_names

    def _can_be_one_method(self) -> bool:
        """Whether no statement assigns to `self` or depends on the method around it.

        For example, `yield` makes the method around it a generator, and `locals()`
        returns its variables. Such statements are called opaque.
        """
        self_name = self.child.parameters[0]
        parts = (self._parent_effects, self._effects_above, self._effects_below)
        return not any(part.is_opaque or self_name in part.bound for part in parts)

    def _keeps_variables_apart(self) -> bool:
        """Whether the two methods have no local variable of the same name.

        In the merged method, `y = 2 * x` in one body would change the `y` of the other.
        Two conflicts are possible, apart from the parameters that the call passes:

        - The parent's body sets a variable that the child has, too.
        - The child sets a variable that the parent's body mentions.
        """
        parent = self._parent_effects
        above = self._effects_above
        below = self._effects_below
        # The statements above and below the call need not mention the child's parameters,
        # and `y` of the call `y = super().f(x)`.
        unmentioned = {*self.child.parameter_names, self.found.target}
        set_by_child = above.bound | below.bound | unmentioned
        used_by_child = above.used | below.used | unmentioned
        conflicts = (parent.bound & used_by_child) | (set_by_child & parent.used)
        return conflicts <= self._shared_parameters

    def _keeps_parameters_below_call(self) -> bool:
        """Whether the child's statements below the call find the parameters unchanged.

        In Python, each method has a variable `x` of its own. In the merged method, the
        parent's `x = 2 * x` also changes the `x` that the child reads below its call
        `super().f(x)`.
        """
        parent = self._parent_effects
        used_below = self._effects_below.used
        # `x = super().f(x)` sets `x` again, so the parent's change is not seen below it.
        changed = (parent.bound & self._shared_parameters) - {self.found.target}
        if changed & used_below:
            return False
        # The parent gets a copy of `**kwargs`, but the merged method has one dictionary,
        # which `kwargs.pop("size")` changes without an assignment. So only one of both may
        # use a starred parameter: the parent's body or the statements below the call.
        starred = set()
        for name in self.parent.parameters:
            if name.startswith("*"):
                starred.add(name.lstrip("*"))
        return not starred & parent.used & used_below

    def _keeps_parameters_of_functions(self) -> bool:
        """Whether functions in both bodies find the parameters unchanged when they run.

        The child's `lambda: x` may run after the parent's body has changed its `x`. In
        Python, this is another `x`, but in the merged method, the `lambda` would read the
        changed one. So if the child contains a function, the parent's body must not change
        a parameter that the child mentions. The same holds the other way round.
        """
        parent = self._parent_effects
        above = self._effects_above
        below = self._effects_below
        child_has_function = above.has_scope or below.has_scope
        changed_by_parent = parent.bound & self._shared_parameters
        if child_has_function and changed_by_parent & (above.used | below.used):
            return False
        # The child may change `x` above `super().f(x)`, because the parent then gets the
        # new `x`. Changes by the call `x = super().f(x)` and below the call count.
        changed_by_child = (below.bound | {self.found.target}) & self._shared_parameters
        return not (parent.has_scope and changed_by_child & parent.used)

    def _inlined_statements(self) -> list[Statement] | None:
        """Return the parent's statements that take the place of the call.

        - In place of `return super().f(x)`, each `return` of the parent may stay.
        - In place of `super().f(x)`, a `return` at the end is dropped.
        - In place of `y = super().f(x)`, `return x + 1` at the end becomes `y = x + 1`.

        Returns:
            The statements. None if they would leave the child's method early, as with a
            `return` in the middle, or if `y` would get no value.
        """
        inherited = [
            statement
            for statement in self.parent.body_without_docstring
            if not statement.does_nothing
        ]
        form = self.found.form
        if form is _Form.RETURN:
            # The child's statements below such a call never run. They would run now if
            # the parent's body ended without a `return`.
            return None if self.below else inherited
        return_count = self._parent_effects.returns
        if form is _Form.PLAIN and return_count == 0:
            return inherited

        # In the other cases, the parent must have one `return`, as its last statement.
        last = tree_of(inherited[-1]) if inherited else None
        if return_count != 1 or not isinstance(last, ast.Return):
            return None
        return self._replace_last_return(inherited, last.value)

    def _replace_last_return(
        self, inherited: list[Statement], value: ast.expr | None
    ) -> list[Statement] | None:
        """Return the parent's statements without the `return` at their end.

        For the call `y = super().f(x)`, an assignment to `y` comes in its place.

        Args:
            inherited: The parent's statements.
            value: The returned value; None for a bare `return`.

        Returns:
            The statements. None if the value is needed and cannot be kept.
        """
        *others, last = inherited
        target = self.found.target
        if not target:
            # The call `super().f(x)` drops the value. It may only be dropped here if it
            # does nothing by itself, unlike the value `g(x)`.
            does_nothing = value is None or isinstance(value, ast.Name | ast.Constant)
            return others if does_nothing else None
        if value is None:
            return None
        # `return y` needs no assignment to `y`.
        if isinstance(value, ast.Name) and value.id == target:
            return others
        # `return x + 1` becomes `y = x + 1`.
        start = last.start + len(last.indent)
        end = start + len("return")
        # In `return(x)`, no blank follows.
        separator = "" if last.code.mask[end].isspace() else " "
        code = last.code.replace([(start, end, f"{target} ={separator}")])
        return [*others, replace(last, code=code)]


def _name_of_argument(argument: ast.expr) -> str:
    """Return `x` or `*args` for an argument that is a variable; empty for others."""
    match argument:
        case ast.Name(id=name):
            return name
        case ast.Starred(value=ast.Name(id=name)):
            return f"*{name}"
    return ""


def _names(params: Sequence[cst.Param]) -> list[str]:
    return [param.name.value for param in params]
