"""With `inheritance = "python"`, a `super()` call may become the parent's body.

The generated class does not inherit from the parent class, so modular has two ways to
write a `super()` call. If the generated method then does exactly what yours does in
Python, modular replaces the call with the body of the parent's method. Otherwise it
copies the parent's method under a private name and calls the copy (see `kept-methods`).
modular replaces the call only if all of these conditions are met:

- **The call is a statement of its own:** `super().method(x)`, `y = super().method(x)`,
  or `return super().method(x)` at the end of the method. It is in the override of
  `method`, and nothing else in the class uses the parent's `method`.
- **The call passes each parameter under its own name,** and nothing else: `x`, `n=n`,
  `*args`, `**kwargs` or `**super_kwargs`.
- **The parent's method has no decorator,** no `async` and no `yield`. The decorator
  `@classmethod` is allowed if both methods have it.
- **The parent's method returns only at the end,** or the call has the form
  `return super().method(x)`.
- **The bodies of the two methods use different local variables.** Neither body uses a
  parameter after the other one assigned to it.
- **At most one of the two bodies changes `kwargs` or passes it on as a value.** The
  other body only reads `kwargs`, as in `kwargs["x"]` or `f(**kwargs)`.
- **Neither body can read or set the variables of the other** by `locals()` or `global`.

Your statements below the call come after the parent's body. An assignment or a `del`
may also change a statement of the parent (see `replaced-assignments`).

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
from functools import cached_property

from modular.rules.classes.instance_facts import Computation, InstanceFacts
from modular.rules.classes.merge_record import Fate, MethodMerge, Step
from modular.rules.classes.replaced_assignments import add_below_call
from modular.rules.classes.super_call import read_super_call
from modular.rules.classes.super_kwargs import SUPER_KWARGS, merge_parameters
from modular.semantics.facts import Call, CodeFacts, Usage
from modular.semantics.functions import model_function
from modular.semantics.statements import facts_of, facts_of_statements, tree_of
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView


_CLASS_METHOD = "classmethod"
_STARRED_SUPER_KWARGS = f"**{SUPER_KWARGS}"


def inline_parent_body(
    key: str,
    parent: DefinitionView,
    child: DefinitionView,
    class_name: str,
    facts: InstanceFacts,
) -> MethodMerge | None:
    """Return the merge of an override with the parent's body in place of `super()`.

    With the parent's body `y = 2 * x`, the override `super().f(x)` and `print(x)` becomes
    `y = 2 * x` and `print(x)`.

    Args:
        key: The key of both methods.
        parent: The method of the parent class.
        child: The override, which contains one call to `super().method(...)`.
        class_name: The class of the override.
        facts: The facts about instances of the merged class.

    Returns:
        The merge. None if it would change what the method does, or if the call is not a
        statement of its own.
    """
    statements = child.body_without_docstring
    for index, statement in enumerate(statements):
        use = read_super_call(statement, child.name)
        if use is None or not _means_parent(use.super_arguments, child, class_name):
            continue
        target = _read_target(statement, use.result)
        if target is None:
            # The call is only a part of a statement, as in `x = 2 * super().f()`.
            continue
        assert use.call is not None, "the statement contains a call"
        inlining = _Inlining(
            parent=parent,
            child=child,
            call=use.call,
            target=target,
            above=statements[:index],
            below=statements[index + 1 :],
            facts=facts,
        )
        steps = inlining.merge()
        if steps is None:
            return None
        return MethodMerge(key, child, parent, index, steps)
    return None


def passes_super_kwargs(child: DefinitionView) -> bool:
    """Whether the last parameter of an override is `**super_kwargs`."""
    # The search in the text avoids parsing most headers.
    if SUPER_KWARGS not in child.header.masked_text:
        return False
    return child.parameters[-1:] == (_STARRED_SUPER_KWARGS,)


def _read_target(statement: Statement, result: Usage) -> str | None:
    """Return the variable to which a statement assigns the result of a call.

    Args:
        statement: A statement with the call `f()`.
        result: What the statement does with the result.

    Returns:
        `y` for `y = f()`, and an empty string for `f()` and `return f()`. None if the call
        is only a part of the statement, as in `x = 2 * f()`.
    """
    has_no_target = result in (Usage.IGNORED, Usage.RETURNED)
    if has_no_target:
        return ""
    if result is Usage.ALIASED:
        match tree_of(statement):
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Call()):
                return target
    return None


def _means_parent(
    arguments: Sequence[str], child: DefinitionView, class_name: str
) -> bool:
    """Whether a call to `super` means the parent of the class that contains it.

    In a method of `MyModelMLP`, `super()`, `super(MyModelMLP, self)` and
    `super(__class__, self)` do.

    Args:
        arguments: The arguments of the call, as written.
        child: The method that contains the call.
        class_name: The class of this method.
    """
    if not arguments:
        return True
    first_parameter = child.parameters[:1]
    names_of_class = (class_name, "__class__")
    return arguments in [(name, *first_parameter) for name in names_of_class]


@dataclass(frozen=True)
class _Inlining:
    """A call to `super()` and the method that may replace it.

    Attributes:
        parent: The method of the parent class.
        child: The override.
        call: The call.
        target: The variable that the result is assigned to; empty without one.
        above: The child's statements above it.
        below: The child's statements below it.
        facts: The facts about instances of the merged class.
    """

    parent: DefinitionView
    child: DefinitionView
    call: Call
    target: str
    above: Sequence[Statement]
    below: Sequence[Statement]
    facts: InstanceFacts

    def merge(self) -> list[Step] | None:
        """Return the statements of the merged method, and those that it leaves out.

        Returns:
            The statements, each with its fate, such as kept or replaced. None if the
            merged method could behave differently from the two methods in Python.
        """
        can_merge = (
            self._have_same_kind()
            and self._passes_all_parameters()
            and self._has_only_movable_statements()
            and self._keeps_variables_apart()
            and not self._changes_parameter_read_below()
            and not self._binds_unset_variables()
            and not self._shares_starred_parameters()
            and not self._changes_parameter_of_function()
        )
        inlined = self._inlined_statements() if can_merge else None
        if inlined is None:
            return None
        self_name = self.child.parameters[0]
        computation = Computation(self_name, self.facts)
        steps_above = [Step(statement, Fate.OWN) for statement in self.above]
        merged = add_below_call(self.above, inlined, self.below, computation)
        return [*steps_above, *merged]

    @cached_property
    def _parent_facts(self) -> CodeFacts:
        """What the body of the parent's method does."""
        return facts_of_statements(self.parent.body_without_docstring)

    @cached_property
    def _facts_above(self) -> CodeFacts:
        """What the child's statements above the call do."""
        return facts_of_statements(self.above)

    @cached_property
    def _facts_below(self) -> CodeFacts:
        """What the child's statements below the call do."""
        return facts_of_statements(self.below)

    def _have_same_kind(self) -> bool:
        """Whether both methods get the same first argument, and the body runs at once.

        The answer is yes if all these conditions are met:

        - Both are methods of an instance, or both are class methods.
        - Their first parameters have the same name, such as `self`.
        - The parent's method is not `async`, and has no decorator besides `classmethod`:
          only its body is copied.
        """
        # `super().f()` of an `async` method does not run the body yet, but `await` does.
        if self.parent.is_async:
            return False
        is_class_method = _CLASS_METHOD in self.child.decorator_names
        expected = [_CLASS_METHOD] if is_class_method else []
        if self.parent.decorator_names != expected:
            return False
        first_parameter = self.parent.parameters[:1]
        return bool(first_parameter) and first_parameter == self.child.parameters[:1]

    def _passes_all_parameters(self) -> bool:
        """Whether the call passes each parameter of the parent's method by its own name.

        For the parent's `def f(self, x, **kwargs)`, both of these calls pass them:

        - `super().f(x, **super_kwargs)`, if `**kwargs` can replace `**super_kwargs` in the
          child's header.
        - `super().f(x, **kwargs)`, if `x` and `kwargs` are parameters of the child. If `x`
          were a local variable, `kwargs` could contain another `x`, and Python would
          reject the call.
        """
        bound_call = model_function(self.parent.statement).bind(
            self.call, is_bound=True
        )
        assert bound_call is not None, "the parent's file was parsed"
        if bound_call.rejected:
            return False
        for parameter, arguments in bound_call.filled.items():
            for argument in arguments:
                if argument.name not in (parameter, SUPER_KWARGS):
                    return False

        # For `super().f(x, **kwargs)`, these are `x` and `**kwargs`.
        passed: set[str] = set()
        for argument in self.call.arguments:
            passed.add(f"{argument.stars}{argument.name}")
        # The star in `def f(self, *, key)` is not a parameter.
        parent_parameters = {*self.parent.parameters[1:]} - {"*"}
        if _STARRED_SUPER_KWARGS in passed:
            passed_by_name = passed - {_STARRED_SUPER_KWARGS}
            if not passed_by_name <= parent_parameters:
                return False
            return self._can_replace_super_kwargs(parent_parameters - passed_by_name)
        if passed != parent_parameters:
            return False
        has_stars = any(name.startswith("*") for name in passed)
        return not has_stars or passed <= {*self.child.parameters}

    def _can_replace_super_kwargs(self, unnamed: set[str]) -> bool:
        """Whether the parent's parameters can replace `**super_kwargs` in the header.

        With the parent's `def f(self, x, n=1)`, the child's
        `def f(self, x, **super_kwargs)` becomes `def f(self, x, n=1)`, and the merged
        method has no variable `super_kwargs`.

        Args:
            unnamed: The parent's parameters that the call does not name: `n` for the
                call `super().f(x, **super_kwargs)`.
        """
        if not passes_super_kwargs(self.child):
            return False
        # With the child's `def f(self, x, n=2, **super_kwargs)`, the two methods can have
        # different values of `n`, because `n` is not in `super_kwargs`.
        if unnamed & {*self.child.parameters}:
            return False
        # No other statement may use the dictionary `super_kwargs`.
        if SUPER_KWARGS in self._facts_above.names | self._facts_below.names:
            return False
        merged = merge_parameters(
            self.parent.function_node.params, self.child.function_node.params
        )
        # Python rejects a parameter without a default after one with a default.
        return not merged.misplaced

    @property
    def _shared_parameters(self) -> frozenset[str]:
        """The parameters of the parent's method.

        These are variables of both bodies, because the call passes each parameter under
        its own name. All other variables belong to one body alone.
        """
        return self.parent.parameter_names

    def _has_only_movable_statements(self) -> bool:
        """Whether the statements of both methods can be put together into one method.

        A statement that depends on the method around it cannot: `yield` makes a method a
        generator, and `locals()` returns its variables.
        """
        all_facts = (self._parent_facts, self._facts_above, self._facts_below)
        return not any(facts.is_tied for facts in all_facts)

    def _keeps_variables_apart(self) -> bool:
        """Whether neither method sets a local variable that the other one mentions.

        In the merged method, `y = 2 * x` in one body would change the `y` of the other.
        Both may use the parameters that the call passes, which have the same values in
        both.
        """
        parent = self._parent_facts
        above = self._facts_above
        below = self._facts_below
        # The child has its parameters, and the target `y` of `y = super().f(x)`, even if no
        # statement above or below the call mentions them.
        parameters_and_target = {*self.child.parameter_names, self.target}
        set_by_child = above.variables | below.variables | parameters_and_target
        mentioned_by_child = above.names | below.names | parameters_and_target
        conflicts = parent.variables & mentioned_by_child
        conflicts |= parent.names & set_by_child
        return conflicts <= self._shared_parameters

    def _changes_parameter_read_below(self) -> bool:
        """Whether the parent's body assigns to a parameter that the child reads below.

        In Python, each method has a variable `x` of its own. In the merged method, the
        parent's `x = 2 * x` would also change the `x` that the child reads below its call
        `super().f(x)`.
        """
        assigned = self._parent_facts.variables & self._shared_parameters
        # `x = super().f(x)` sets `x` again, so the parent's change is not seen below it.
        assigned -= {self.target}
        return not assigned.isdisjoint(self._facts_below.names)

    def _binds_unset_variables(self) -> bool:
        """Whether the merged method would read a local variable that has no value yet.

        The child's call `super().f(size)` may pass a variable `size` of the module. In the
        merged method, the parent's `size = 2 * size` would make it a local variable.
        """
        set_by_child = set(self.child.parameter_names)
        for statement in self.above:
            # An `if` or `for` may not run, so its variables may be unset.
            if not statement.is_compound:
                set_by_child |= facts_of(statement).variables
        set_by_parent = self._parent_facts.variables & self._shared_parameters
        return not set_by_parent <= set_by_child

    def _shares_starred_parameters(self) -> bool:
        """Whether sharing `args` or `kwargs` would change what the merged method does.

        In Python, the parent's method gets a new tuple and a new dictionary. So the child
        must not have set the variable, as `args = [*args]` does. In the merged method, the
        parent's `kwargs.pop("size")` also changes the `kwargs` that the child reads below
        the call, or has stored above it.
        """
        for parameter in self.parent.parameters:
            if not parameter.startswith("*"):
                continue
            name = parameter.lstrip("*")
            if name in self._facts_above.variables:
                return True
            # A tuple such as `args` cannot be changed.
            is_dictionary = parameter.startswith("**")
            if is_dictionary and not self._can_share_dictionary(name):
                return True
        return False

    def _can_share_dictionary(self, name: str) -> bool:
        """Whether both methods can use the same dictionary, such as `kwargs`.

        They can in these cases:

        - Both methods only read from it, in forms such as `kwargs["x"]`.
        - The child mentions it only above the call, and one method only reads from it.
        """
        parent_only_reads = _only_reads(self.parent.body_without_docstring, name)
        above_only_reads = _only_reads(self.above, name)
        if name not in self._facts_below.names:
            return parent_only_reads or above_only_reads
        child_only_reads = above_only_reads and _only_reads(self.below, name)
        return parent_only_reads and child_only_reads

    def _changes_parameter_of_function(self) -> bool:
        """Whether a function in one method may read a parameter that the other method changes.

        The child has `f = lambda: x` above `super().g(x)`, and the parent's body is
        `x = 2 * x`. In Python, `f()` returns the child's `x`, which does not change. In the
        merged method, `f()` would return `2 * x`.
        """
        parent = self._parent_facts
        above = self._facts_above
        # `_changes_parameter_read_below` is about the functions below the call.
        changed_by_parent = parent.variables & self._shared_parameters
        if above.has_later_code and changed_by_parent & above.names:
            return True
        # A `lambda: x` of the parent must read the `x` that the call passes. After this
        # call, the child can change `x` by `x = super().g(x)` or further below.
        changed_by_child = self._facts_below.variables | {self.target}
        changed_by_child &= self._shared_parameters
        return parent.has_later_code and not changed_by_child.isdisjoint(parent.names)

    def _inlined_statements(self) -> list[Statement] | None:
        """Return the parent's statements that take the place of the call.

        They depend on the statement with the call:

        - In place of `return super().f(x)`, these are all statements.
        - In place of `super().f(x)`, the `return` at the end is dropped.
        - In place of `y = super().f(x)`, `return x + 1` at the end becomes `y = x + 1`.

        Returns:
            The statements. None if the child's method would end earlier or later than
            before, or if `y` would get no value.
        """
        statements = [
            statement
            for statement in self.parent.body_without_docstring
            if not statement.does_nothing
        ]
        if self.call.result is Usage.RETURNED:
            # Statements below `return super().f(x)` never run. If the parent's body has
            # no `return`, they would run after the inlining.
            return None if self.below else statements
        if self.target:
            return self._with_assignment(statements)
        return self._without_last_return(statements)

    def _without_last_return(
        self, statements: list[Statement]
    ) -> list[Statement] | None:
        """Return the parent's statements without the `return` at the end, if there is one.

        Returns:
            The statements. None if the parent has another `return`, or returns more
            than a name or constant: computing `g(x)` may have an effect.
        """
        if not self._parent_facts.flow.returns:
            return statements
        match self._read_last_return(statements):
            case ast.Return(value=None | ast.Name() | ast.Constant()):
                return statements[:-1]
        return None

    def _with_assignment(self, statements: list[Statement]) -> list[Statement] | None:
        """Return the parent's statements with `y = x + 1` in place of `return x + 1`.

        Returns:
            The statements. None if the parent has another `return`, or no value.
        """
        last_return = self._read_last_return(statements)
        if last_return is None or last_return.value is None:
            return None
        *statements_above, last = statements
        value = last_return.value
        # `return y` needs no assignment to `y`.
        if isinstance(value, ast.Name) and value.id == self.target:
            return statements_above
        start = last.start + len(last.indent)
        end = start + len("return")
        # In `return(x)`, no blank follows.
        separator = "" if last.code.masked_text[end].isspace() else " "
        code = last.code.replace([(start, end, f"{self.target} ={separator}")])
        return [*statements_above, replace(last, code=code)]

    def _read_last_return(self, statements: Sequence[Statement]) -> ast.Return | None:
        """Return the parent's last statement if it is the only `return`, else None."""
        if len(self._parent_facts.flow.returns) != 1:
            return None
        last = tree_of(statements[-1])
        return last if isinstance(last, ast.Return) else None


def _only_reads(statements: Sequence[Statement], name: str) -> bool:
    """Whether some statements only read values from a dictionary.

    `kwargs["x"]`, `kwargs.get("x")`, `"x" in kwargs` and `f(**kwargs)` only read. Any
    other use may change the dictionary, or store it.

    Args:
        statements: The statements.
        name: The variable of the dictionary, such as `kwargs`.
    """
    for statement in statements:
        tree = tree_of(statement)
        assert tree is not None, "facts about unreadable code are tied"
        # The nodes of all dictionaries from which an expression reads a value.
        dictionaries: set[ast.AST] = set()
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(value=dictionary, attr="get")):
                    dictionaries.add(dictionary)
                case ast.Subscript(value=dictionary, ctx=ast.Load()):
                    dictionaries.add(dictionary)
                case ast.Compare(
                    ops=[ast.In() | ast.NotIn()], comparators=[dictionary]
                ):
                    dictionaries.add(dictionary)
                case ast.keyword(arg=None, value=dictionary):
                    dictionaries.add(dictionary)
                # `ast.walk` yields `kwargs["x"]` before the `kwargs` in it.
                case ast.Name(id=used) if used == name and node not in dictionaries:
                    return False
    return True
