"""Lint rules for definitions, assignments and imports that no generated file uses."""

from collections.abc import Collection, Iterator
from functools import cached_property

from modular.flatten.autofixes import (
    MAX_KNOWN_NAMES,
    rename_definition,
    set_bases,
)
from modular.lint.context import LintContext
from modular.lint.replaced_members import DATACLASS
from modular.lint.rule import LintRule, Precision
from modular.rules.classes.class_attributes import find_attributes
from modular.rules.files.drafts import ALL, GETATTR
from modular.rules.files.exports import exported_names
from modular.source import fixes
from modular.source.assignments import assigned_target
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.definitions import ModuleBinding
from modular.source.diagnostics import Problem, Severity, did_you_mean, nearest
from modular.source.import_statements import Alias, Import
from modular.source.places import place_of_word
from modular.source.source_slice import words


_CHECKED_KINDS = (Kind.FUNCTION, Kind.CLASS, Kind.ASSIGNMENT)
_NOQA = "noqa"


class UnusedDefinition(LintRule):
    """A definition of the modular file is in no generated file.

    The definition has no effect, because modular does not copy it into a generated
    file. The finding has two causes:

    - **No class uses the definition.** modular copies a function or assignment into a
      generated file only if a class in this file needs it. In the example, no class
      calls `scaled`.
    - **You define the name twice.** The generated file then contains only the last of
      both definitions. If the last definition is a class or function, modular writes it
      at the position of the first definition.

    Use the definition in a class, or remove it.

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
    models/olmo/modular_olmo.py:4:5: `scaled` is in no generated file, because no class uses it
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
    precision = Precision(findings=16, real=16)
    message = "`{name}` is in no generated file, because no class uses it"
    hint = "use it, or remove it{suggest_alternative}"
    _HINT_IF_EXPORTED = "use it in a class, or remove it and its name in `__all__`"
    _HINT_IF_READ = "use it in a class, or remove it and the code that reads it"

    def check(self) -> None:
        """Report definitions that are not generated or are defined again.

        If a function is defined twice, only the last definition is generated.
        """
        # Names that may be unused: those with a meaning for Python, such as `__all__`,
        # and the first names of a file, such as `logger`.
        accepted = (ALL, GETATTR, *self.context.project.settings.first_names)
        first_definitions: dict[str, Statement] = {}
        last_definitions: dict[str, Statement] = {}
        statements = self.modular.module.block.statements
        for statement in statements:
            if statement.name:
                first_definitions.setdefault(statement.name, statement)
                last_definitions[statement.name] = statement

        repeated_names = {
            name
            for name, first in first_definitions.items()
            if last_definitions[name] is not first
        }
        next_users = self._next_users(repeated_names)
        for statement, next_user in zip(statements, next_users, strict=True):
            name = statement.name
            if not name or name in accepted or statement.kind not in _CHECKED_KINDS:
                continue
            is_defined_again = last_definitions[name] is not statement
            # A second assignment may use the first, as in `size = size + 1`.
            if is_defined_again and statement.kind is not Kind.ASSIGNMENT:
                is_first = first_definitions[name] is statement
                is_used_between = next_user is not last_definitions[name]
                self._report_replaced(statement, is_first, is_used_between)
            elif name not in self.context.generated:
                self._report_unused(statement)

    def _next_users(self, names: Collection[str]) -> list[Statement | None]:
        """Return, for each statement, the next one below that uses its name.

        Args:
            names: The names whose users are wanted.

        Returns:
            A list as long as the module's statements. It has None for a statement that
            defines none of the names, or whose name no statement below contains.
        """
        statements = self.modular.module.block.statements
        if not names:
            return [None] * len(statements)

        next_users: list[Statement | None] = []
        last_seen: dict[str, Statement] = {}
        for statement in reversed(statements):
            next_users.append(last_seen.get(statement.name))
            for word in words(statement.code.text).intersection(names):
                last_seen[word] = statement
        next_users.reverse()
        return next_users

    @cached_property
    def _exported(self) -> frozenset[str]:
        """The names in `__all__`."""
        exports = self.modular.last_assignment(ALL)
        return frozenset() if exports is None else frozenset(exported_names(exports))

    def _report_replaced(
        self, statement: Statement, is_first: bool, is_used_between: bool
    ) -> None:
        """Report a function or class that is defined again further down.

        There is no fix if the modular file uses the name between both definitions.

        Args:
            statement: The definition.
            is_first: Whether it is the first one.
            is_used_between: Whether another statement uses the name before the last
                definition.
        """
        name = statement.name
        autofixes = []
        if not is_used_between:
            autofixes.append(fixes.remove(statement, f"Remove `{name}`"))
        message = "`{name}` is defined twice, and only the last definition is used"
        # The last definition is generated at the place of the first one.
        if is_first and name in self.context.generated:
            message += ", at the position of the first one"
        self.report(
            place_of_word(statement.bare_code, name),
            *autofixes,
            message=message,
            hint="remove or rename one of them",
            name=name,
        )

    def _report_unused(self, statement: Statement) -> None:
        """Report a definition that no output file contains.

        The fixes rename it like a similar generated definition, which it may be meant
        to replace, or remove it.
        """
        name = statement.name
        generated = self.context.generated
        autofixes = []
        alternative = ""
        # Among very many names, the search takes too long.
        if len(generated) <= MAX_KNOWN_NAMES:
            similar_names = nearest(name, generated)
            for similar_name in similar_names:
                autofixes.append(rename_definition(self.modular, name, similar_name))
            if similar_names:
                alternative = f"; {did_you_mean(name, similar_names)}"
        # Code such as a module-level `if`, which is not generated, may use it.
        is_read = self.context.is_used_outside(statement, name)
        if not is_read:
            autofixes.append(fixes.remove(statement, f"Remove `{name}`"))
        if name in self._exported:
            hint = self._HINT_IF_EXPORTED
        elif is_read:
            hint = self._HINT_IF_READ
        else:
            hint = self.hint
        self.report(
            place_of_word(statement.bare_code, name),
            *autofixes,
            hint=hint,
            name=name,
            suggest_alternative=alternative,
        )


class IgnoredAssignment(LintRule):
    """An assignment is ignored, because the parent file assigns to the same name.

    The generated file contains the parent's value instead of yours. If the modular file
    and the parent file define a function of the same name, modular uses yours. But if
    both files assign to the same name, modular uses the parent's assignment. In the
    example, the inherited code still reads the parent's `INF`, which is `1e6`.

    If modular should use your assignments to some names, list these names in the
    setting `replacing-assignments` or `replacing-unless-none`. With the setting
    `inheritance = "python"`, the finding is an error.

    Assign your value to another name, and override the parent's code that should read
    this value.

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
    models/olmo/modular_olmo.py:4:1: this `INF` is ignored: the `INF` of `models/siglip/modeling_siglip.py` is used instead
    hint: remove it, or rename it and override the code that should use the new name
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
    levels = (Severity.WARNING, Severity.ERROR)
    precision = Precision(findings=1, real=1)
    message = "this `{name}` is ignored: the `{name}` of `{path}` is used instead"
    hint = "remove it, or rename it and override the code that should use the new name"
    _HINT_IF_USED = "rename it, and override the code that should use the new name"

    def check(self) -> None:
        """Report assignments that a generated file lacks, because it has the parent's.

        For example, both files set `SIZES`, to different values.
        """
        # Names such as `logger`, which each file sets for itself. It does no harm that the
        # modular file and the parent file both have one.
        first_names = self.context.project.settings.first_names
        for name, definition in self.modular.definitions.assignments.items():
            generated = self.context.generated.get(name)
            if generated is None or name in first_names:
                continue
            # A generated assignment is one piece of code, from one source file.
            source_path = generated.parts[0].code.path
            # None if this file is the modular file.
            parent_file = self.layout.parents.get(source_path)
            if parent_file is None:
                continue
            replacement = parent_file.definitions.assignments.get(name)
            if replacement is not None:
                self._report_if_different(definition, replacement, source_path)

    def _report_if_different(
        self, ignored: ModuleBinding, replacement: ModuleBinding, parent_path: str
    ) -> None:
        """Report an assignment of the modular file if the parent file sets another value.

        Args:
            ignored: The assignment of the modular file, which is not generated.
            replacement: The parent file's assignment, which is generated instead.
            parent_path: The path of the parent file.
        """
        code = ignored.statement.bare_code
        new_code = replacement.statement.bare_code
        if code.has_same_code(new_code):
            return
        autofixes = []
        hint = self._HINT_IF_USED
        if not self.context.is_used_outside(ignored.statement, ignored.name):
            title = f"Remove `{ignored.name}`"
            autofixes.append(fixes.remove(ignored.statement, title))
            hint = self.hint
        self.report(
            place_of_word(code, ignored.name),
            *autofixes,
            related=new_code,
            hint=hint,
            # In Python, the modular file would use its own value. A project with
            # `inheritance = "python"` must do what Python does.
            is_error=self.context.is_like_python,
            name=ignored.name,
            path=parent_path,
        )


class UnusedImport(LintRule):
    """An imported name is not used.

    The import has no effect: the rest of the modular file does not contain the imported
    name, and no generated file needs it. modular does not report an import with the
    comment `# noqa: F401`.

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
        """Report unused imported names.

        If `LlamaMLP` is unused, but there is a class `OlmoMLP` without a parent, then
        this class should probably inherit from it. That is left to
        `UnusedParentImport`. If the code uses an undefined name that is spelled like
        the imported one, that is left to `UndefinedName`.
        """
        for import_, alias in _imported_names(self.context):
            name = alias.bound
            if not _is_unused(self.context, import_, alias):
                continue
            has_probable_child = _find_child(self.context, name) is not None
            if not has_probable_child and not self._is_misspelt(name):
                self._report_import(import_, alias)

    def _is_misspelt(self, name: str) -> bool:
        """Whether generated code uses an undefined name that is similar to a name."""
        if len(self._undefined_names) > MAX_KNOWN_NAMES:
            return False
        return bool(nearest(name, self._undefined_names))

    @cached_property
    def _undefined_names(self) -> frozenset[str]:
        """The undefined names of all generated files."""
        names: set[str] = set()
        for file in self.context.files:
            names.update(undefined.name for undefined in self.context.undefined(file))
        return frozenset(names)

    def _report_import(self, import_: Import, alias: Alias) -> None:
        """Report an unused imported name.

        An unused `dataclass` is probably missing above a class with fields but without
        decorators. Then no fix removes the import.
        """
        name = alias.bound
        place = place_of_word(import_.statement.bare_code, name)
        class_ = None
        if alias.name == DATACLASS:
            class_ = self._find_undecorated_class()
        if class_ is None:
            removal = fixes.remove_import(import_, name)
            self.report(place, removal._replace(is_safe=True), name=name)
        else:
            hint = f"write `@{name}` above `{class_.name}`, or remove the import"
            self.report(place, hint=hint, name=name)

    def _find_undecorated_class(self) -> DefinitionView | None:
        """Return the first class with fields such as `size: int`, but no decorators."""
        for definition in self.modular.definitions.classes.values():
            view = view_definition(definition.statement)
            if not view.decorators.text and _has_fields(view):
                return view
        return None


class UnusedParentImport(LintRule):
    """A class does not inherit from the parent class that is imported for it.

    The generated class contains no code of the imported class, although the names of
    both classes suggest that your class should inherit from it. In the example, the
    modular file imports the class `LlamaMLP` and does not use it. It also defines a
    class `OlmoMLP` without a parent class, and the names of both classes differ only in
    the model's prefix.

    Inherit from the imported class, as in `class OlmoMLP(LlamaMLP)`, or remove the
    import.

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
        """Report an unused `LlamaMLP` if there is a class `OlmoMLP` without parent."""
        for import_, alias in _imported_names(self.context):
            child = _find_child(self.context, alias.bound)
            if child is None or not _is_unused(self.context, import_, alias):
                continue
            parent = alias.bound
            view = view_definition(child)
            self.report(
                place_of_word(view.header, child.name),
                set_bases(view, [parent], f"Write `class {child.name}({parent})`"),
                fixes.remove_import(import_, parent),
                related=place_of_word(import_.statement.bare_code, parent),
                child=child.name,
                parent=parent,
            )


def _imported_names(context: LintContext) -> Iterator[tuple[Import, Alias]]:
    """Yield the imported names that should be used, after their imports."""
    for import_ in context.modular.module.imports:
        is_silenced = _NOQA in import_.statement.code.text
        if not is_silenced and import_.module != "__future__":
            for alias in import_.names:
                yield import_, alias


def _is_unused(context: LintContext, import_: Import, alias: Alias) -> bool:
    """Whether neither a generated file nor the modular file needs an imported name.

    The generated files neither define nor import it, and no other statement of the
    modular file contains it, not even in a string, which may be an annotation.

    Args:
        context: The modular file and what was generated from it.
        import_: The import statement.
        alias: The imported name, and the name that the statement gives it.
    """
    # The names of `import *` are not known.
    if alias.name == "*":
        return False
    # `import a.b` binds `a`.
    bound_name = alias.bound.partition(".")[0]
    is_generated = bound_name in context.output_names
    if is_generated or context.is_used(import_, bound_name):
        return False
    # None if the name is not imported from a parent file.
    parent_path = context.modular.parent_of.get(alias.bound)
    if parent_path is None:
        return True
    # If the parent file does not define the name, the import is wrong. Another rule
    # reports it.
    return alias.name in context.layout.parents[parent_path].source.names


def _has_fields(view: DefinitionView) -> bool:
    """Whether the body of a class has annotated assignments, as a dataclass has."""
    for statement in find_attributes(view.body.statements).values():
        target = assigned_target(statement)
        if target is not None and target.annotated:
            return True
    return False


def _find_child(context: LintContext, base: str) -> Statement | None:
    """Return the class that should probably inherit from an imported class.

    For `LlamaMLP`, return a class `OlmoMLP` without a parent class: only the names of
    the models differ. Of `OlmoMLP` and `OlmoTextMLP`, return the last one.

    Args:
        context: The modular file and what was generated from it.
        base: The imported name.
    """
    modular = context.modular
    path = modular.parent_of.get(base)
    if path is None:
        # It is not imported from a parent file.
        return None
    source = context.layout.parents[path].source
    # `LlamaMLP` is the name in the parent file, also after `import LlamaMLP as Base`.
    class_name = modular.original_names[base]
    # `LlamaMLP` without the name of its model is `MLP`.
    ending = class_name.removeprefix(source.name_forms.cased)
    if class_name not in source.classes or not ending[:1].isupper():
        return None
    for definition in reversed(modular.definitions.classes.values()):
        name = definition.name
        if name.endswith(ending) and not modular.parents_of(name):
            return definition.statement
    return None
