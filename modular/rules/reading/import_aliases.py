"""With `inheritance = "python"`, modular renames an inherited import if its name is taken.

In the example, the parent file imports `sqrt` from `math`, and the modular file imports
a different `sqrt` from `cmath`. The generated file contains code from both files, and
each needs its own `sqrt`. Your import keeps the name `sqrt`. modular imports the
parent's function as `math_sqrt`, and uses this name in the inherited code.

modular also renames the parent's import in three other cases:

- Your modular file defines the name.
- Your modular file uses a builtin with this name, such as `sum`.
- Two parent files import the name from different modules.

modular cannot rename every name:

- **Only a plain import is renamed:** it is at the top of the parent file, and no other
  statement of the file binds its name. An import in a `try` is not plain, because
  `except ImportError: sqrt = None` may also bind the name. If the import is not plain,
  modular reports an error ([MOD307](../rules/MOD307.md)).
- **Functions, classes and constants are never renamed,** because other code may depend
  on their names. If two parent files define the same name, modular reports MOD307. To
  avoid the error for a function, define the function in the modular file: yours then
  replaces the functions of all parent files.

Settings `pyproject.toml`:

```toml
[tool.modular]
inheritance = "python"
```

Parent `models/llama/modeling_llama.py`:

```python
from math import sqrt


class LlamaNorm:
    def scale(self, x):
        return sqrt(x)
```

Modular `models/my_model/modular_my_model.py`:

```python
from cmath import sqrt

from ..llama.modeling_llama import LlamaNorm


class MyModelNorm(LlamaNorm):
    def root(self, x):
        return sqrt(x)
```

Output `models/my_model/modeling_my_model.py`:

```python
from cmath import sqrt
from math import sqrt as math_sqrt


class MyModelNorm:
    def scale(self, x):
        return math_sqrt(x)

    def root(self, x):
        return sqrt(x)
```
"""

import ast
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from modular.rules.classes.kept_methods import choose_free_name
from modular.semantics.variables import Variable, find_variables
from modular.source.module import Module
from modular.source.python_trees import NodeSpans, parse
from modular.source.source_slice import words


_Edit = tuple[int, int, str]


def alias_imports(
    module: Module, names: Iterable[str], taken: Collection[str]
) -> Module:
    """Return a parent file that imports some names under other names.

    With `from math import sqrt as math_sqrt`, each `sqrt` of the file becomes
    `math_sqrt`. A name stays if it is not certain that all its uses are found: it is
    bound twice, used in quotes or after `global`, or a class binds it, too.

    Args:
        module: The parent file.
        names: The imported names.
        taken: Words that cannot be new names.
    """
    text = module.code.text
    tree = parse(text)
    variables: dict[str, Variable] = {}
    names_in_classes = set()
    # If the code is nested too deeply, no variable is found, and all names stay.
    with suppress(RecursionError):
        for variable in find_variables(tree).all:
            if variable.is_global:
                variables[variable.name] = variable
            elif isinstance(variable.scope.node, ast.ClassDef):
                # In `sqrt = sqrt` of a class body, the second `sqrt` is the import.
                names_in_classes.add(variable.name)

    spans = NodeSpans(text)
    reserved = {*taken, *words(text)}
    edits: list[_Edit] = []
    for name in names:
        if name not in variables or name in names_in_classes:
            continue
        imported = _read_import(variables[name], tree)
        if imported is not None:
            edits += _alias_import(text, spans, imported, variables[name], reserved)
    return replace(module, code=module.code.replace(sorted(edits)))


class _ImportedName(NamedTuple):
    """The node of a name in an import, and the module that the name is imported from."""

    node: ast.alias
    module: str


def _read_import(variable: Variable, tree: ast.Module) -> _ImportedName | None:
    """Return the module-level import that binds a variable, if it can get an alias.

    Args:
        variable: A variable of the module.
        tree: The syntax tree of the module.

    Returns:
        None if other statements bind the variable, too, or if it has no alias that means
        the same: `import a.b` binds `a`, which `import a.b as c` does not.
    """
    is_bound_once = len(variable.bindings) == 1
    if not is_bound_once:
        return None
    node, statement = variable.bindings[0]
    if not isinstance(node, ast.alias) or statement not in tree.body:
        return None
    # `import a.b`
    if "." in node.name and node.asname is None:
        return None
    if isinstance(statement, ast.ImportFrom) and statement.module:
        return _ImportedName(node, statement.module)
    return _ImportedName(node, node.name)


def _alias_import(
    text: str,
    spans: NodeSpans,
    imported: _ImportedName,
    variable: Variable,
    reserved: set[str],
) -> list[_Edit]:
    """Return the edits that rename an import and all its uses; empty if it stays.

    `from math import sqrt` becomes `from math import sqrt as math_sqrt`, and each `sqrt`
    becomes `math_sqrt`. The import stays if one of its uses cannot be edited.

    Args:
        text: The text of the file.
        spans: The spans of the nodes in it.
        imported: The import.
        variable: The variable of the module that the import binds.
        reserved: Words that cannot be the new name. The new name is added to them.
    """
    package = imported.module.rpartition(".")[2]
    alias = choose_free_name(f"{package}_{variable.name}", reserved)
    new_text = f"{imported.node.name} as {alias}"
    edits = [(*spans.span(imported.node), new_text)]
    for use in variable.uses:
        if use.is_quoted or not isinstance(use.node, ast.Name):
            return []
        start, end = spans.span(use.node)
        # Before Python 3.12, `ast` gives wrong positions for names in f-strings.
        if text[start:end] != variable.name:
            return []
        edits.append((start, end, alias))
    reserved.add(alias)
    return edits
