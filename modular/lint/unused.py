"""What a modular file holds and no generated file does: definitions, assignments that the parent's win over, imports."""

from collections.abc import Iterator
from typing import NamedTuple

from modular.flatten.autofixes import rename_definition, set_bases
from modular.lint.context import LintContext
from modular.lint.rule import LintRule
from modular.rules.files.drafts import ALL, GETATTR
from modular.source import fixes
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Problem, did_you_mean, nearest
from modular.source.import_statements import Alias, Import
from modular.source.places import place_of_word
from modular.source.source_slice import has_word


_DEFINING = (Kind.FUNCTION, Kind.CLASS, Kind.ASSIGNMENT)
_ON_PURPOSE = "noqa"


class UnusedDefinition(LintRule):
    """A definition is in no generated file.

    Functions and assignments of a modular file are written where a class needs them. Nothing needs this one, so it is not written. Or
    the name is defined again further down, and only that counts; but where the class or function appears, the first one decides.

    Use it in a class, or remove it.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    def scaled(x):
        return 2 * x


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return x
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:4:5: `scaled` is in no generated file: no class needs it
    hint: use it, or remove it
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return x
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    def scaled(x):
        return 2 * x


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return scaled(x)
    ```
    """

    code = Problem.UNUSED_DEFINITION
    message = "`{name}` is in no generated file: no class needs it"
    hint = "use it, or remove it{suggest_alternative}"

    def check(self) -> None:
        """Look for functions and assignments that no output file holds, and for what is defined twice."""
        kept = (ALL, GETATTR, *self.context.project.settings.first_names)
        named = [
            statement
            for statement in self.modular.module.block.statements
            if statement.name
        ]
        first = {statement.name: statement for statement in reversed(named)}
        last = {statement.name: statement for statement in named}
        for statement in named:
            name, kind = statement.name, statement.kind
            if kind not in _DEFINING or name in kept:
                continue
            place, removed = (
                place_of_word(statement.own, name),
                fixes.remove(statement, f"Remove `{name}`"),
            )
            if kind is not Kind.ASSIGNMENT and last[name] is not statement:
                is_placed = first[name] is statement and name in self.context.nodes
                message = "`{name}` is defined again below, and only that counts"
                message += (
                    "; but this first one decides on its position" if is_placed else ""
                )
                self.report(
                    place,
                    removed,
                    message=message,
                    hint="remove one of them, or rename it",
                    name=name,
                )
            elif name not in self.context.nodes:
                renamings = (
                    rename_definition(self.modular, name, other)
                    for other in nearest(name, self.context.nodes)
                )
                near = did_you_mean(name, self.context.nodes)
                self.report(
                    place,
                    *renamings,
                    removed,
                    name=name,
                    suggest_alternative=near and f"; {near}",
                )


class IgnoredAssignment(LintRule):
    """An assignment is not used, because the parent file has one of that name.

    Assignments of a parent file stay as they are, apart from those that the settings `replacing-assignments` and
    `replacing-unless-none` name. A function, by contrast, replaces the parent's.

    Use instead another name, and override what should read it.

    Given `models/siglip/modeling_siglip.py`:

    ```python
    INF = 1e6


    class SiglipMLP:
        limit = INF
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP


    INF = 1e9


    class OlmoMLP(SiglipMLP):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:4:1: this `INF` is not used: the one of `models/siglip/modeling_siglip.py` is
    hint: remove it, or give it another name and override what should use it
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP


    class OlmoMLP(SiglipMLP):
        pass
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP


    LIMIT = 1e9


    class OlmoMLP(SiglipMLP):
        limit = LIMIT
    ```
    """

    code = Problem.IGNORED_ASSIGNMENT
    message = "this `{name}` is not used: the one of `{path}` is"
    hint = "remove it, or give it another name and override what should use it"

    def check(self) -> None:
        """Look for assignments in whose place the output files hold another one of a parent file."""
        first_names = self.context.project.settings.first_names
        for name, definition in self.modular.definitions.assignments.items():
            node, statement = self.context.nodes.get(name), definition.statement
            if (
                node is None
                or self.context.is_from_modular(node.parts[0].code)
                or name in first_names
            ):
                continue
            for path, file in self.layout.parents.items():
                parent = file.definitions.assignments.get(name)
                if (
                    parent is not None
                    and parent.statement.own.normal() != statement.own.normal()
                ):
                    removed = fixes.remove(statement, f"Remove `{name}`")
                    place = place_of_word(statement.own, name)
                    self.report(
                        place,
                        removed,
                        related=parent.statement.own,
                        name=name,
                        path=path,
                    )
                    break


class UnusedImport(LintRule):
    """An import is not used.

    The name appears nowhere else in the modular file, and no generated file needs it. `# noqa: F401` after the import says that
    it is meant.

    Remove the import, or use the name.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP, LlamaModel


    class OlmoModel(LlamaModel):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:36: `LlamaMLP` is imported and not used
    hint: remove it, or use it
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        pass
    ```
    """

    code = Problem.UNUSED_IMPORT
    message = "`{name}` is imported and not used"
    hint = "remove it, or use it"

    def check(self) -> None:
        """Check each imported name; those for which a base seems to be missing are reported as that."""
        for unused in _unused_imports(self.context):
            if unused.child is None:
                name = unused.alias.bound
                removal = fixes.drop_import(unused.import_, name)
                place = place_of_word(unused.import_.statement.own, name)
                self.report(place, removal._replace(is_safe=True), name=name)


class UnusedParentImport(LintRule):
    """A class does not inherit from the parent class that is imported for it.

    The modular file imports a parent class and does not use it, and has a class of that name under the new model's that inherits from
    no parent class. So nothing is merged into it.

    Use instead `class Child(Parent)`, or remove the import.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(nn.Module):
        def forward(self, x):
            return 2 * x
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:7: `OlmoMLP` does not inherit from `LlamaMLP`, which is imported and not used
    hint: write `class OlmoMLP(LlamaMLP)`, or remove the import
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * x
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * x
    ```
    """

    code = Problem.UNUSED_PARENT_IMPORT
    message = (
        "`{child}` does not inherit from `{parent}`, which is imported and not used"
    )
    hint = "write `class {child}({parent})`, or remove the import"

    def check(self) -> None:
        """Check the unused imports of parent classes for which there is a class of that name."""
        for unused in _unused_imports(self.context):
            if unused.child is None:
                continue
            child, parent = unused.child.name, unused.alias.bound
            view = view_definition(unused.child)
            self.report(
                place_of_word(view.header, child),
                set_bases(view, [parent], f"Write `class {child}({parent})`"),
                fixes.drop_import(unused.import_, parent),
                related=place_of_word(unused.import_.statement.own, parent),
                child=child,
                parent=parent,
            )


class _UnusedAlias(NamedTuple):
    """An imported name that nothing uses, and the class that seems to be meant to inherit from it."""

    import_: Import
    alias: Alias
    child: Statement | None


def _unused_imports(context: LintContext) -> Iterator[_UnusedAlias]:
    """Yield the imported names that neither the modular file nor an output file uses."""
    for import_ in context.modular.module.imports:
        is_silenced = _ON_PURPOSE in import_.statement.code.text
        if is_silenced or import_.module == "__future__":
            continue
        for alias in import_.names:
            if _is_unused(context, import_, alias):
                yield _UnusedAlias(import_, alias, _find_child(context, alias.bound))


def _is_unused(context: LintContext, import_: Import, alias: Alias) -> bool:
    """Whether a name is in no other statement; one in a string may be an annotation."""
    first = alias.bound.partition(".")[0]
    if alias.name == "*" or first in context.written:
        return False
    path = context.modular.parent_of.get(alias.bound)
    if path is not None:
        # A name that its file does not have is reported as that.
        if alias.name not in context.layout.parents[path].source.names:
            return False
    for statement in context.modular.module.block.statements:
        if statement is not import_.statement and has_word(statement.code.text, first):
            return False
    return True


def _find_child(context: LintContext, base: str) -> Statement | None:
    """Return the last class without a parent class that is named like an imported class, apart from the models' names."""
    modular = context.modular
    path = modular.parent_of.get(base)
    if path is None:
        return None
    source = context.layout.parents[path].source
    original = modular.original_names[base]
    ending = original.removeprefix(source.name_forms.cased)
    if original not in source.classes or not ending[:1].isupper():
        return None
    for definition in reversed(modular.definitions.classes.values()):
        name = definition.name
        if name.endswith(ending) and not modular.parents_of(name):
            return definition.statement
    return None
