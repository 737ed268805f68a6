"""Statements that are in no generated file: only what the rules of the language name is read."""

from collections.abc import Iterator

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.rule import LintRule
from modular.rules.classes import class_attributes, raising_override
from modular.rules.files.drafts import ALL
from modular.rules.files.exports import has_only_literal_names
from modular.source import fixes
from modular.source.assignments import owner, written_text
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Fix, Problem
from modular.source.scan import STRING
from modular.source.trees import statement_tree, written


NOT_ASYNC = "`async` is left out: a method that replaces the parent's is `async` only where that is, and its `{method}` is not"
_DEFINING = ("class ", "def ")
_KEPT = "in a class with a parent class, only the docstring, attributes and methods are kept"


class IgnoredStatement(LintRule):
    """A statement is in no generated file.

    Only imports, functions, classes and assignments to one name are read from a modular file. In a class that has a parent
    class, and in the parent class, only the docstring, the attributes and the methods are kept. Whatever else is there is left out. So are
    names in `__all__` that are not written out as strings, and the `async` of a method whose parent's method has none.

    Use instead a form that is read: a function, an assignment to one name, an attribute, or code in a method.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        for width in (4, 8):
            print(width)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: this is in no generated file: in a class with a parent class, only the docstring, attributes and methods are kept
    hint: write it into a method, or make it an attribute
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def show(self):
            for width in (4, 8):
                print(width)
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP
    from ...utils import is_torch_available


    if is_torch_available():

        class OlmoMLP(LlamaMLP):
            scale = 2


    class OlmoMLP2(LlamaMLP):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:11: `OlmoMLP` is in no generated file: inside a block at module level only imports are read
    hint: write it at the top level of the file
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP, metaclass=type):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:4:1: the keyword `metaclass=type` of `OlmoMLP` is left out: a class has the keywords of its parent class
    hint: define the class without a parent class
    ```
    """

    code = Problem.IGNORED_STATEMENT
    message = "this is in no generated file: only imports, functions, classes and assignments to one name are read"
    hint = "write it into a function, or assign its result to a name"

    def check(self) -> None:
        """Look at the statements of the file, at `__all__`, and at the classes with a parent class."""
        exports = self.modular.last_assignment(ALL)
        for statement in self.modular.module.block.statements:
            if (
                statement.kind is Kind.OTHER
                and not statement.does_nothing
                and not owner(statement)
            ):
                added = _added(statement, ALL)
                listed = (
                    f"list the names in the one assignment to `{ALL}`"
                    if added is not None
                    else ""
                )
                self.report(
                    statement.own, *_listed(exports, added, statement), hint=listed
                )
            elif statement.kind is Kind.GUARD:
                self._check_guard(statement)
        if exports is not None and not has_only_literal_names(exports):
            message = f"only the names in `{ALL}` as strings are exported by the generated files"
            self.report(exports.own, message=message, hint="write them all out")
        super().check()

    def _check_guard(self, guard: Statement) -> None:
        """Report the classes and functions in a block that no output file holds."""
        kept = set[str]().union(
            *(head.code.words() for head in self.context.heads.values())
        )
        for node in (
            self.walk(guard.own)
            if any(word in guard.own.mask for word in _DEFINING)
            else ()
        ):
            if (
                isinstance(node, cst.ClassDef | cst.FunctionDef)
                and node.name.value not in kept
            ):
                message = "`{name}` is in no generated file: inside a block at module level only imports are read"
                hint = "write it at the top level of the file"
                self.report(node.name, message=message, hint=hint, name=node.name.value)

    def check_class(self, flat: Flattened) -> None:
        """Look at the bodies of a class and its parent class, at its keywords, and at its methods."""
        own, parent = (
            {written(keyword) for keyword in parts.class_node.keywords}
            if "=" in parts.header.mask
            else set()
            for parts in (flat.child, flat.parent)
        )
        for keyword in sorted(own - parent):
            message = f"the keyword `{{keyword}}` of `{flat.child.name}` is left out: a class has the keywords of its parent class"
            hint = "define the class without a parent class"
            self.report(flat.child.header, message=message, hint=hint, keyword=keyword)
        for statement in class_attributes.find_dropped_statements(
            flat.child.body.statements
        ):
            hint = "write it into a method, or make it an attribute"
            self.report(
                statement.own,
                message=f"this is in no generated file: {_KEPT}",
                hint=hint,
            )
        for statement in class_attributes.find_dropped_statements(
            flat.parent.body.statements
        ):
            message = f"`{{flat.child.name}}` does not get all of `{{flat.parent.name}}`: {_KEPT}"
            hint = "move what is missing into an attribute or a method"
            self.report(
                flat.child.header,
                related=statement.own,
                message=message,
                hint=hint,
                flat=flat,
            )
        super().check_class(flat)

    def check_override(
        self, flat: Flattened, key: str, parent: DefinitionView, own: DefinitionView
    ) -> None:
        """Look at methods that lose their `async`."""
        if loses_async(flat, key):
            self.report(
                own.header,
                message=NOT_ASYNC,
                hint="give the method another name",
                method=own.name,
            )


def loses_async(flat: Flattened, key: str) -> bool:
    """Whether a method of a class is `async`, and is not in the generated class."""
    own, parent = flat.overriding.get(key), flat.inherited.get(key)
    if own is None or parent is None or parent.is_async or not own.is_async:
        return False
    return own.name not in flat.removed and not raising_override.only_raises(own)


def _added(statement: Statement, name: str) -> cst.BaseExpression | None:
    """What is added to a name by `name += ...`, or handed over by a call of one of its methods; None if nothing is."""
    if name not in statement.code.mask or statement.is_compound:
        return None
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(
            body=[
                cst.AugAssign(target=cst.Name(value=changed), value=added)
                | cst.Expr(
                    value=cst.Call(
                        func=cst.Attribute(value=cst.Name(value=changed)),
                        args=[cst.Arg(value=added)],
                    )
                )
            ]
        ):
            return added if changed == name else None
    return None


def _listed(
    exports: Statement | None, added: cst.BaseExpression | None, statement: Statement
) -> Iterator[Fix]:
    """List names that a statement adds in the assignment itself, if all of them are strings and it is a plain list."""
    if exports is None or added is None:
        return
    elements = (
        added.elements
        if isinstance(added, cst.List | cst.Tuple)
        else [cst.Element(added)]
    )
    names = [written_text(element.value) for element in elements]
    code, end = exports.own, len(exports.own.mask.rstrip()) - 1
    before = code.mask[:end].rstrip()
    if (
        None not in names
        and names
        and code.mask[end : end + 1] == "]"
        and before[-1:] in ("[", ",", STRING)
    ):
        listed = ", ".join(f'"{name}"' for name in names)
        text = {"[": listed, ",": f" {listed},"}.get(before[-1], f", {listed}")
        edit = fixes.edit(code, len(before), len(before), text)
        yield Fix(f"List {listed} in `{ALL}`", (edit, *fixes.remove(statement).edits))
