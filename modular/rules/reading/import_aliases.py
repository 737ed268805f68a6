"""With `inheritance = "python"`, an inherited import gets another name if two files use one name.

The modular file and a parent file, or two parent files, may import one name from
different modules. The generated file contains code of all of them. modular then imports
the name of the parent file under another name, and writes this name in the inherited
code: `math_sqrt` for the `sqrt` of `math`.

- **Definitions and builtins count, too.** An inherited import gets another name if the
  modular file defines the name, or uses Python's own function of this name.
- **The import is a plain one** at the top of the parent file, and binds the name alone.
  Otherwise, and for definitions of two files, there is an error
  ([MOD307](../rules/MOD307.md)).

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

from modular.rules.classes.kept_methods import choose_free_name
from modular.semantics.variables import Variable, find_variables
from modular.source import python_trees
from modular.source.module import Module
from modular.source.source_slice import words


_Edit = tuple[int, int, str]


class _Text:
    """A text in which nodes of its syntax tree are found."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._lines = code.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + len("\n"))

    def span(self, node: ast.Name | ast.alias) -> tuple[int, int]:
        """Return the offsets at which a node begins and ends."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._offset(node.lineno, node.col_offset)
        return start, self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int, column_bytes: int) -> int:
        """Return the offset of a position whose column counts bytes of UTF-8."""
        text = self._lines[line - 1]
        column = column_bytes
        if not text.isascii():
            column = len(text.encode()[:column_bytes].decode())
        return self._starts[line - 1] + column


def alias_imports(
    module: Module, names: Iterable[str], taken: Collection[str]
) -> Module:
    """Return a parent file that imports some names under other names.

    A name stays if it is not certain that all its uses are found: it is bound twice, used
    in quotes or after `global`, or a class binds it, too.

    Args:
        module: The parent file.
        names: The imported names.
        taken: Words that the new names must not be.
    """
    text = _Text(module.code.text)
    tree = python_trees.parse(module.code.text)
    variables: dict[str, Variable] = {}
    names_in_classes = set()
    with suppress(RecursionError):
        for variable in find_variables(tree).all:
            if variable.is_global:
                variables[variable.name] = variable
            elif isinstance(variable.scope.node, ast.ClassDef):
                # In `sqrt = sqrt`, the second name is that of the module.
                names_in_classes.add(variable.name)

    reserved = {*taken, *words(module.code.text)}
    edits: list[_Edit] = []
    for name in names:
        if name in variables and name not in names_in_classes:
            edits += _alias_import(text, tree, variables[name], reserved)
    return replace(module, code=module.code.replace(sorted(edits)))


def _alias_import(
    text: _Text, tree: ast.Module, variable: Variable, reserved: set[str]
) -> list[_Edit]:
    """Return the edits that give an imported name another one; none if it stays.

    Args:
        text: The text of the file.
        tree: Its syntax tree.
        variable: The variable of the module that the import binds.
        reserved: Words that the new name must not be. It is added.
    """
    if len(variable.bindings) != 1:
        return []
    node, import_statement = variable.bindings[0]
    if not isinstance(node, ast.alias) or import_statement not in tree.body:
        return []
    # `import a.b` binds `a`, which `import a.b as c` does not.
    if "." in node.name and node.asname is None:
        return []

    source = node.name
    if isinstance(import_statement, ast.ImportFrom) and import_statement.module:
        source = import_statement.module
    package = source.rpartition(".")[2]
    alias = choose_free_name(f"{package}_{variable.name}", reserved)
    edits = [(*text.span(node), f"{node.name} as {alias}")]
    for use in variable.uses:
        if use.is_quoted or not isinstance(use.node, ast.Name):
            return []
        start, end = text.span(use.node)
        # Before Python 3.12, names in f-strings have other places.
        if text.code[start:end] != variable.name:
            return []
        edits.append((start, end, alias))
    reserved.add(alias)
    return edits
