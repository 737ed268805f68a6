"""A lint rule for statements of a modular file that no generated file contains."""

from collections.abc import Sequence

from modular.flatten.merged_class import MergedClass
from modular.lint.lost_statements import (
    dropped_changes,
    find_lost_imports,
    find_lost_statements,
)
from modular.lint.rule import LintRule, Precision
from modular.rules.classes import class_attributes, raising_override
from modular.rules.files.drafts import ALL
from modular.rules.files.exports import has_only_literal_names
from modular.semantics.facts import Usage
from modular.semantics.statements import facts_of
from modular.source.assignments import item_owner
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Problem
from modular.source.places import place_of, place_of_word_on_line


NOT_ASYNC = (
    "`async` is ignored: an override is `async` only if the parent's method is, "
    "and the parent's `{method}` is not"
)
_KEPT_IN_CLASS = (
    "in a class with a parent class, "
    "only the docstring, attributes and methods are kept"
)


class IgnoredStatement(LintRule):
    """A statement of the modular file is in no generated file.

    The statement has no effect, because modular does not copy it into any generated
    file. In the example, the statement is a loop in the body of a class. modular drops
    the following:

    - in the body of a class that has a parent class: everything but the docstring,
      attributes and methods
    - outside of classes: everything but imports, functions, classes and assignments to
      a single name
    - in the list `__all__`: names that are not written as strings
    - the `async` before an overriding method, if the parent's method is not `async`

    With the setting `inheritance = "python"`, modular copies all statements in the body
    of a class. Outside of classes, it also copies a statement that changes a name that
    a generated class uses (see `module-changes`).

    Write the code in a form that modular copies: as a function, as an assignment to one
    name, as an attribute, or inside a method.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        for width in (4, 8):
            print(width)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: this statement is not copied to any generated file: in a class with a parent class, only the docstring, attributes and methods are kept
    hint: move it into a method, or turn it into an attribute
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
    models/olmo/modular_olmo.py:7:11: `OlmoMLP` is not generated: inside a block at module level, only imports are read
    hint: move it out of the block
    ```
    """

    code = Problem.IGNORED_STATEMENT
    precision = Precision(findings=1, real=1)
    message = (
        "this statement is not copied to any generated file: "
        "only imports, functions, classes and assignments to one name are read"
    )
    hint = "write it into a function, or assign its result to a name"

    def check(self) -> None:
        """Report code of the modular file that is in no generated file.

        At module level, modular reads only imports, functions, classes and assignments.
        In an `if` or `try`, it reads only the imports. Of the names in `__all__`, it
        reads only plain strings. With Python's inheritance, it also copies statements
        that change a name which a generated class uses.
        """
        copied = self._find_copied_changes()
        for statement in self.modular.module.block.statements:
            if statement in copied:
                continue
            # A guard is an `if` or `try`.
            if statement.kind is Kind.GUARD:
                self._check_guard(statement)
            elif statement.kind is Kind.OTHER and not statement.does_nothing:
                # `TABLE["size"] = 1` is copied with the definition of `TABLE`, its owner.
                owner = item_owner(statement)
                if not owner or owner in self.modular.definitions.classes:
                    self._report_statement(statement)
        # The assignment `__all__ = [...]`; None without one.
        exports = self.modular.last_assignment(ALL)
        if exports is not None and not has_only_literal_names(exports):
            self.report(
                exports.bare_code,
                message=f"`{ALL}` is not a plain list of strings, so the generated files "
                "do not export all of its names",
                hint="list all names as strings",
            )
        # With Python's inheritance, classes and copies of parent files are complete.
        if not self.context.is_like_python:
            self._check_parent_files()
            super().check()

    def _find_copied_changes(self) -> set[Statement]:
        """Return the statements such as `TABLE["size"] = 1` that are copied with a name."""
        copied = set()
        for key, binding in self.modular.definitions.changes.items():
            change = binding.original
            # With Python's inheritance, all changes of the names in use are copied.
            is_copied = self.context.is_like_python and ALL not in change.words
            if is_copied or key in self.context.generated:
                copied.add(change)
        return copied

    def _check_parent_files(self) -> None:
        """Report statements of parent files that change a copied name and are dropped."""
        for change in dropped_changes(self.context, self.modular.path):
            # Other statements without a name of their own are reported above.
            names: Sequence[str] = (change.statement.name,)
            message = (
                "this statement is not copied to any generated file: "
                "another statement defines `{name}`"
            )
            if change.statement.kind is Kind.GUARD:
                names = change.names
                message = (
                    "another statement defines `{name}`, too: a block at module level "
                    "is written above all other code, or left out"
                )
            for name in names:
                if name and name in self.context.output_names:
                    self.report(
                        change.statement.bare_code,
                        message=message,
                        hint="define `{name}` in one statement, or use another name here",
                        name=name,
                    )
                    break
        for lost in find_lost_statements(self.context):
            place, related = self.context.attribute_to_modular(
                lost.owner, place_of(lost.statement.bare_code)
            )
            self.report(
                place,
                related=related,
                message="a statement that changes `{name}` in the parent file is not "
                "copied: only functions, classes and assignments to one name are",
                hint="write in this file what the statement does",
                name=lost.name,
            )
        for lost_import in find_lost_imports(self.context):
            place, related = self.context.attribute_to_modular(
                "", place_of(lost_import.guard.bare_code)
            )
            self.report(
                place,
                related=related,
                message="the generated `try` does not import `{name}`, because no code "
                "uses it: the code below the import always runs",
                hint="use `{name}` in a class, or write `import {name}` in this file "
                "without `try`",
                name=lost_import.name,
            )

    def _report_statement(self, statement: Statement) -> None:
        """Report a statement at module level that is not copied, such as `print(1)`."""
        # An empty text stands for that of the rule.
        message = hint = ""
        if self.context.is_like_python:
            message = (
                "this statement is not copied to any generated file: it changes no name "
                "that a generated class uses"
            )
            hint = "write it into a method"
        if ALL in statement.words and not statement.is_compound:
            hint = f"list the names in the one assignment to `{ALL}`"
        self.report(statement.bare_code, message=message, hint=hint)

    def _check_guard(self, guard: Statement) -> None:
        """Report the classes and functions of a guard that are in no generated file.

        A guard is an `if` or `try` at module level. modular reads only its imports. If
        a generated file needs one of them, the whole guard is copied there, with its
        classes and functions.

        Args:
            guard: The guard in the modular file.
        """
        # `output_imports` contains the copied guards. So the names of the classes and
        # functions in a copied guard are among its words.
        copied_words = self.context.words_in_output_imports
        message = (
            "`{name}` is not generated: inside a block at module level, only imports are "
            "read"
        )
        if self.context.is_like_python:
            message = "`{name}` is not generated: no generated class uses this block"
        for mention in facts_of(guard).mentions:
            is_definition = mention.usage in (Usage.CLASS, Usage.FUNCTION)
            if is_definition and mention.name not in copied_words:
                self.report(
                    place_of_word_on_line(guard.bare_code, mention.name, mention.line),
                    message=message,
                    hint="move it out of the block",
                    name=mention.name,
                )

    def check_class(self, merged_class: MergedClass) -> None:
        """Report what the modular class and its parent class lose when they are merged.

        The generated class loses statements that are neither a docstring nor attributes
        nor methods.
        """
        find_dropped = class_attributes.find_dropped_statements
        for statement in find_dropped(merged_class.child.body.statements):
            self.report(
                statement.bare_code,
                message=f"this statement is not copied to any generated file: {_KEPT_IN_CLASS}",
                hint="move it into a method, or turn it into an attribute",
            )
        for statement in find_dropped(merged_class.parent.body.statements):
            self.report(
                merged_class.child.header,
                related=statement.bare_code,
                message="`{child}` does not get all of `{parent}`: " + _KEPT_IN_CLASS,
                hint="move the missing statements into an attribute or a method",
                child=merged_class.child.name,
                parent=merged_class.parent.name,
            )
        super().check_class(merged_class)

    def check_override(
        self,
        merged_class: MergedClass,
        key: str,
        parent_method: DefinitionView,
        override: DefinitionView,
    ) -> None:
        """Report an `async def` that overrides a `def`: the generated method is a `def`."""
        if loses_async(merged_class, key):
            self.report(
                override.header,
                message=NOT_ASYNC,
                hint="give the method another name",
                method=override.name,
            )


def loses_async(merged_class: MergedClass, key: str) -> bool:
    """Whether a method is `async` in the modular file, but not in the generated class.

    Args:
        merged_class: The class of the modular file, merged with its parent class.
        key: The method's name, or a key such as `size.setter`.
    """
    override = merged_class.overriding.get(key)
    parent_method = merged_class.inherited.get(key)
    if override is None or parent_method is None:
        return False
    if parent_method.is_async or not override.is_async:
        return False
    is_removed = override.name in merged_class.removed or raising_override.only_raises(
        override
    )
    return not is_removed
