"""A generated class gets the attributes of its parent, and then your new attributes.

Assign to an attribute in your class to change what the class inherits:

- **To replace an attribute,** assign another value to it: `hidden_size: int = 1024`. In
  the generated class, your assignment replaces the parent's, at the same position.
- **To add an attribute,** assign to a new name. modular writes your assignment after
  the parent's last attribute.
- **To remove an attribute, method or property,** assign `AttributeError()` to it:
  `pretraining_tp = AttributeError()`. If your class also assigns a value to this name,
  modular removes the parent's attribute and adds yours as a new one, after the parent's
  last attribute.
- **To replace a method or property by an attribute,** assign to its name. If the member
  is a property, modular then also removes its setter and deleter.

An assignment to several names, or to an item, replaces a parent's assignment only if
the text left of `=` is the same. So `a, b = 1, 2` replaces `a, b = 3, 4`, but not
`a = 3`.

In the generated class, all attributes are above the methods. modular drops all other
statements in the body, such as a nested class, and warns you. With
`inheritance = "python"`, some of these rules differ, for example those for nested
classes (see `body-order`).

Parent `models/llama/configuration_llama.py`:

```python
class LlamaConfig:
    model_type = "llama"
    hidden_size: int = 4096
    pretraining_tp: int = 1

    @property
    def head_dim(self):
        return self.hidden_size // 32
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.configuration_llama import LlamaConfig


class MyModelConfig(LlamaConfig):
    head_dim: int = 128
    hidden_size: int = 1024  # it is small
    pretraining_tp = AttributeError()
```

Output `models/my_model/configuration_my_model.py`:

```python
class MyModelConfig:
    model_type = "my_model"
    hidden_size: int = 1024  # it is small
    head_dim: int = 128
```
"""

from collections.abc import Sequence

import libcst as cst

from modular.source.assignments import assigned_target, assigned_value
from modular.source.blocks import Kind, Statement


_REMOVAL_MARKER = "AttributeError"
_KEPT_KINDS = (Kind.STRING, Kind.FUNCTION, Kind.ASSIGNMENT)


def find_attributes(statements: Sequence[Statement]) -> dict[str, Statement]:
    """Return the assignments in a class body by the name that each assigns to.

    Returns:
        The last assignment for each name. If the target is not a plain name, its text
        is the key: `a, b` for `a, b = 1, 2`, and `table["x"]` for `table["x"] = 1`.
    """
    attributes = {}
    for statement in statements:
        name = target_text(statement)
        if name:
            attributes[name] = statement
    return attributes


def find_child_attributes(statements: Sequence[Statement]) -> dict[str, Statement]:
    """Return the attributes that a child class gives the generated class, by name.

    These are the last assignments to each name, with one exception. `size =
    AttributeError()` removes the parent's `size`. If the child also has `size = 8`, this
    assignment is returned, even if it is above the removal.
    """
    no_removals = [statement for statement in statements if not is_removal(statement)]
    return {**find_attributes(statements), **find_attributes(no_removals)}


def find_removed_names(statements: Sequence[Statement]) -> set[str]:
    """Return the names to which a class body assigns `AttributeError()`."""
    return {target_text(statement) for statement in statements if is_removal(statement)}


def find_dropped_statements(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements of a class body that are lost in the generated class.

    Only docstrings, assignments and methods are copied into that class. `pass` and
    `...` are no loss, but an `if` or a nested class is.
    """
    dropped = []
    for statement in statements:
        if statement.kind in _KEPT_KINDS or statement.does_nothing:
            continue
        # `a, b = 1, 2` has no kind of its own, but it is an assignment.
        is_assignment = bool(target_text(statement))
        if not is_assignment:
            dropped.append(statement)
    return dropped


def is_removal(statement: Statement) -> bool:
    """Whether a class attribute is assigned `AttributeError()`.

    With `name = AttributeError()`, a child class removes an attribute of its parent.
    """
    # Parsing is slow, so only statements with this word are parsed.
    if _REMOVAL_MARKER not in statement.code.masked_text:
        return False
    match assigned_value(statement):
        case cst.Call(func=cst.Name(value=name)):
            return name == _REMOVAL_MARKER
    return False


def target_text(statement: Statement) -> str:
    """Return the target of an assignment as text, empty for other statements.

    It is `x` for `x = 1`, and `table["x"]` for `table["x"] = 1`.
    """
    is_assignment_to_name = statement.kind is Kind.ASSIGNMENT
    if is_assignment_to_name:
        return statement.name
    # Parsing is slow, so only statements that can be assignments are parsed.
    if statement.kind is not Kind.OTHER or "=" not in statement.code.masked_text:
        return ""
    target = assigned_target(statement)
    return "" if target is None else target.text
