"""If your modular file and a parent file define the same name, modular writes only one.

Which of the two definitions modular writes depends on their kind:

- **Functions:** yours.
- **Classes:** yours (see `dependencies`).
- **Assignments:** the parent's. Yours is used only if the name contains `_CHECKPOINT`,
  `_EXPECTED`, `_FOR_DOC` or `_HIDDEN_STATES_START_POSITION`, which the setting
  `replacing-assignments` lists. If the name contains `_DOCSTRING`, yours is used unless
  its value is `None` (the setting `replacing-unless-none`).

If only one of the files defines a name, modular copies the definition if a class of the
generated file needs it. With the definition of `TABLE`, for example, modular also
copies assignments to its items and attributes, such as `TABLE["x"] = 1`.

If you import a function or assignment from a parent file, modular copies it with
everything that it uses. An imported function also replaces functions of the same name
in the other parent files, as in the second example.

In the first example, your `activate` replaces Llama's, but `SCALES` keeps Llama's
value. modular copies `SLOPE` because `activate` uses it, and drops `unused` because
nothing uses it.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


_CHECKPOINT_FOR_DOC = "meta/llama"
SCALES = {"default": 1.0}


def scale(x):
    return x * SCALES["default"]


def activate(x):
    return nn.functional.silu(x)


class LlamaMLP(nn.Module):
    def forward(self, x):
        return activate(scale(x)), _CHECKPOINT_FOR_DOC
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


_CHECKPOINT_FOR_DOC = "me/my_model"
SCALES = {"default": 2.0}
SLOPE = 0.1


def activate(x):
    return x * SLOPE


def unused(x):
    return x


class MyModelMLP(LlamaMLP):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn


_CHECKPOINT_FOR_DOC = "me/my_model"


def scale(x):
    return x * SCALES["default"]


SCALES = {"default": 1.0}
SLOPE = 0.1


def activate(x):
    return x * SLOPE


class MyModelMLP(nn.Module):
    def forward(self, x):
        return activate(scale(x)), _CHECKPOINT_FOR_DOC
```

A class that inherits from Bert's file calls the function of Llama's file, because the
modular file imports it:

Parent `models/llama/modeling_llama.py`:

```python
def rotate(x):
    return -x


def apply_rotary(x):
    return rotate(x)
```

Parent `models/bert/modeling_bert.py`:

```python
def apply_rotary(x):
    return x


class BertLayer:
    def forward(self, x):
        return apply_rotary(x)
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..bert.modeling_bert import BertLayer
from ..llama.modeling_llama import apply_rotary


class MyModelLayer(BertLayer):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
def apply_rotary(x):
    return rotate(x)


def rotate(x):
    return -x


class MyModelLayer:
    def forward(self, x):
        return apply_rotary(x)
```
"""

from collections.abc import Iterator

import libcst as cst

from modular.rules.files.dependencies import DependencyScope
from modular.rules.files.imports import bound_names
from modular.rules.reading.renamed_file import RenamedFile
from modular.semantics.registrations import Registrations
from modular.settings.settings import Settings
from modular.source.assignments import assigned_value
from modular.source.blocks import Kind
from modular.source.definitions import Definitions, ModuleBinding


def merge_definitions(
    file: RenamedFile, modular: Definitions, settings: Settings
) -> DependencyScope:
    """Merge the definitions of a modular file into those of a parent file.

    A name that only one of the files defines keeps its definition. If both files define a
    name, this decides:

    - The function of the modular file replaces the parent's function.
    - The parent's assignment stays, unless the settings name it as an exception.
    - The parent's class stays. So does a class that the parent file imports from another
      file of its model, such as its configuration.

    Args:
        file: The parent file, renamed to the model of the modular file.
        modular: The definitions of the modular file, which the author writes.
        settings: The settings of the project.

    Returns:
        The names that a generated class with a parent class in this file can use.
    """
    parent = file.definitions
    functions = {**parent.functions, **modular.functions}

    classes = dict(parent.classes)
    for name, class_ in modular.classes.items():
        if name not in parent.classes and name not in file.all_sibling_names:
            classes[name] = class_

    # An assignment is chosen together with the assignments to its items: `TABLE = {}`
    # with `TABLE["x"] = 1`.
    assignments = dict(parent.assignments)
    items = dict(parent.items)
    # Names that the parent binds by statements such as `A, B = 1, 2`.
    names_bound_together = set[str]().union(*parent.bound_by.values())
    for name, assignment in modular.assignments.items():
        is_new = name not in parent.assignments and name not in names_bound_together
        if is_new or _replaces_assignment(name, assignment, settings):
            assignments[name] = assignment
            items[name] = modular.items.get(name, [])
    # The modular file can also set items of a table that only the parent file defines.
    for name, item_assignments in modular.items.items():
        if name not in modular.assignments:
            items[name] = items.get(name, []) + item_assignments

    merged = Definitions(
        functions=functions,
        assignments=assignments,
        classes=classes,
        items=items,
        changes={**parent.changes, **modular.changes},
        changes_of=_merge_changes(file, modular),
        bound_by={**parent.bound_by, **modular.bound_by},
    )
    scope = DependencyScope(merged, parent.lines, modular.lines)
    if settings.is_like_python:
        for statement in file.import_statements:
            if statement.kind is Kind.GUARD:
                scope.add_guard(bound_names(statement), statement.words)
    return scope


def _merge_changes(file: RenamedFile, modular: Definitions) -> dict[str, list[str]]:
    """Return the keys of the statements that change each name in the merged file.

    For a name such as `TABLE`, it depends on which file binds the name:

    - If only the modular file does, these are the statements of the modular file.
    - If both files do, these are the statements of the parent file, or, for a function,
      those of the modular file.
    - If only the parent file does, these are the statements of both: the modular file
      may have `TABLE.update(x)`.

    If a decorator of the parent file stores a function of the modular file in `TABLE`,
    this function is added.

    Args:
        file: The parent file, renamed to the model of the modular file.
        modular: The definitions of the modular file.
    """
    parent = file.definitions
    changes_of = dict(parent.changes_of)
    parent_names = {*parent.assignments, *parent.classes, *parent.functions}
    parent_names.update(*parent.bound_by.values())
    for name, keys in modular.changes_of.items():
        is_only_in_modular = name not in parent_names
        if is_only_in_modular or name in modular.functions:
            changes_of[name] = keys
            continue
        is_bound_by_modular = name in modular.assignments or any(
            name in modular.bound_by.get(key, ()) for key in keys
        )
        # If the modular file binds the parent's name anew, the parent's statements stay.
        if not is_bound_by_modular:
            changes_of[name] = [*changes_of.get(name, ()), *keys]
    for name in modular.functions:
        # The function replaces the parent's function, and all that changes it.
        if name not in modular.changes_of:
            changes_of.pop(name, None)
    for changed_name, function in _find_registrations(file, modular):
        changes_of[changed_name] = [*changes_of.get(changed_name, ()), function]
    return changes_of


def _find_registrations(
    file: RenamedFile, modular: Definitions
) -> Iterator[tuple[str, str]]:
    """Yield the functions of the modular file that a decorator of the parent file stores.

    The decorator `@register` may put a function into the `TABLE` of the parent. Then
    the function is yielded with the name `TABLE`.

    Yields:
        The name that the decorator changes, such as `TABLE`, and the function.
    """
    if not file.source.keeps_changes:
        return
    parent_definitions = {}
    for binding in file.definitions.by_name().values():
        if not binding.is_item:
            parent_definitions[binding.original.name] = binding.original
    # It finds the names that a decorator such as `@register` changes.
    registrations = Registrations(parent_definitions)
    for function in modular.functions.values():
        # Most functions have no decorator.
        if "@" not in function.original.code.masked_text:
            continue
        for name in registrations.names_changed_by(function.original):
            yield file.renamer.word(name), function.name


def _replaces_assignment(
    name: str, assignment: ModuleBinding, settings: Settings
) -> bool:
    """Whether an assignment of the modular file replaces the parent's assignment.

    The name decides:

    - With a part such as `_CHECKPOINT` in the name: always. The setting
      `replacing-assignments` lists these parts.
    - With a part such as `_DOCSTRING` in the name: if the new value is not None. The
      setting `replacing-unless-none` lists these parts.
    - With any other name: never.

    Args:
        name: The name that both files assign to.
        assignment: The assignment of the modular file.
        settings: The settings of the project.
    """
    if any(part in name for part in settings.replacing_assignments):
        return True
    if not any(part in name for part in settings.replacing_unless_none):
        return False
    value = assigned_value(assignment.statement)
    is_none = isinstance(value, cst.Name) and value.value == "None"
    return not is_none
