"""Rules for classes that cannot do the same as an inheriting class if they are merged."""

from collections.abc import Iterator

from modular.flatten.merged_class import MergedClass
from modular.lint.builder_differences import has_values
from modular.lint.captures import describe, find_captures, find_mentions
from modular.lint.differences import compare_class
from modular.lint.inheritance import read_inheritance
from modular.lint.output.class_uses import find_class_uses
from modular.lint.rule import LintRule
from modular.rules.classes.class_attributes import is_removal
from modular.rules.classes.merge_record import Obstacle
from modular.rules.files.drafts import Draft, DraftStatement, OutputRun
from modular.semantics.ancestors import Ancestor
from modular.semantics.classes import model_class
from modular.semantics.meanings import Definition
from modular.semantics.statements import facts_of
from modular.source.blocks import Kind, split
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.definitions import ModuleBinding
from modular.source.diagnostics import Problem
from modular.source.places import place_at, place_of, place_of_word


_TYPING_BASES = ("Generic", "Protocol")


class CannotFlatten(LintRule):
    """A name has a different meaning in the generated file than in its source file.

    A generated file combines code from the modular file and its parent files, but in
    the generated file, each name can have only one meaning. In the example, the modular
    file defines its own `round`, and an inherited method calls Python's `round`. In the
    generated file, the inherited method would call your `round` and could return
    something else.

    With the setting `inheritance = "python"`, a generated class must do exactly what
    your class does in Python. So modular reports an error and writes no file. There is
    no error if two conditions are met: the parent file only imports the conflicting
    name, and modular can safely import it under another name (see `import-aliases`).

    Give your definition or import another name. If two parent files use the name
    differently, override the code that uses it.

    Given `pyproject.toml`:

    ```toml
    [tool.modular]
    inheritance = "python"
    ```

    Given `models/llama/modeling_llama.py`:

    ```python
    class LlamaScaler:
        def scale(self, x):
            return round(x / 2)
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaScaler


    def round(x):
        return x.round()


    class OlmoScaler(LlamaScaler):
        def rounded(self, x):
            return round(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:8:7: `OlmoScaler` cannot be flattened: `OlmoScaler` uses Python's own `round`; in the generated file, `round` is the `round` of `models/olmo/modular_olmo.py`
    hint: define it under another name in `models/olmo/modular_olmo.py`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaScaler


    def round_tensor(x):
        return x.round()


    class OlmoScaler(LlamaScaler):
        def rounded(self, x):
            return round_tensor(x)
    ```
    """

    code = Problem.CANNOT_FLATTEN
    message = "`{child}` cannot be flattened: {reason}"

    def check(self) -> None:
        """Report names and code that mean something else in a generated file."""
        for capture in find_captures(self.context):
            reason, hint = describe(self.context, capture)
            place, related = self.context.attribute_to_modular(
                capture.owner, capture.place
            )
            # A statement such as `A, B = 1, 2` has no name that the rule's own message
            # could mention.
            has_name = capture.owner.isidentifier()
            self.report(
                place,
                related=related,
                message="" if has_name else "{reason}",
                hint=hint,
                child=capture.owner,
                reason=reason,
            )
        for draft in self.layout.drafts.values():
            self._check_globals(draft)
            self._check_namespaces(draft)
            self._check_decorators(draft)
        self._check_enums()

    def _check_enums(self) -> None:
        """Report classes that inherit from an enum with members such as `RED = 1`.

        Python refuses them.
        """
        for name, obstacle in self.layout.kept_parents.items():
            parent = self.modular.first_parent_of(name)
            definition = Definition(
                self.modular.parent_of[parent],
                self.modular.original_names[parent],
                Kind.CLASS,
            )
            resolver = self.context.resolver
            statement = resolver.statement(definition)
            if statement is None or not resolver.is_enum(definition):
                continue
            if has_values(model_class(statement)):
                self.report(
                    obstacle.place,
                    related=obstacle.related,
                    hint="define the class without a parent class",
                    child=name,
                    reason=f"Python does not let a class inherit from `{parent}`, an "
                    "enum with members",
                )

    def _check_globals(self, draft: Draft) -> None:
        """Report the first global that one source file sets and another one uses.

        A function of the modular file contains `global size`, and code of a parent file
        reads `size`. In Python, each file has such a variable of its own.
        """
        words_by_path: dict[str, set[str]] = {}
        for statement in draft.statements.values():
            for run in statement.parts:
                words = words_by_path.setdefault(run.code.path, set())
                words |= run.code.words()
        for statement in draft.statements.values():
            for name, run in _find_set_globals(statement):
                for path, words in words_by_path.items():
                    is_other_file = path != run.code.path
                    if not is_other_file or name not in words:
                        continue
                    place, related = self.context.attribute_to_modular(
                        statement.name, place_of_word(run.code, name)
                    )
                    self.report(
                        place,
                        related=related,
                        child=statement.name,
                        reason=f"it sets the global `{name}`, and code of `{path}` "
                        f"uses the `{name}` of its own file",
                        hint=f"give the global `{name}` another name",
                    )
                    return

    def _check_decorators(self, draft: Draft) -> None:
        """Report `@LlamaMLP.register`, which would be called for the generated class."""
        for statement in draft.statements.values():
            code = statement.code
            if "@" not in code.masked_text or code.path not in self.layout.parents:
                continue
            definition = split(code).statements[0]
            for decorator in view_definition(definition).decorator_names:
                class_name, _, method = decorator.partition(".")
                if not method or class_name not in self.layout.flattened:
                    continue
                place, related = self.context.attribute_to_modular(
                    class_name, place_of_word(code, class_name)
                )
                self.report(
                    place,
                    related=related,
                    child=class_name,
                    reason=f"`{statement.name}` of the parent file has the decorator "
                    f"`@{decorator}`, which would change the generated class",
                    hint=f"write `{statement.name}` without the decorator",
                )

    def _check_namespaces(self, draft: Draft) -> None:
        """Report inherited functions that call `globals()`, which sees another file."""
        for statement in draft.statements.values():
            if "globals" not in statement.words:
                continue
            for mention, run in find_mentions(statement):
                is_inherited = run.code.path in self.layout.parents
                if not is_inherited or mention.name != "globals":
                    continue
                place, related = self.context.attribute_to_modular(
                    statement.name, place_of_word(run.code, "globals")
                )
                self.report(
                    place,
                    related=related,
                    child=statement.name,
                    reason="`globals()` sees the names of the generated file, and "
                    f"not those of `{run.code.path}`",
                    hint="override the code that calls `globals()`",
                )


def _find_header_lines(class_: DefinitionView) -> set[int]:
    """Return the numbers of the lines with the headers of a class's methods."""
    lines: set[int] = set()
    for statement in class_.body.statements:
        if statement.kind is Kind.FUNCTION:
            header = view_definition(statement).header
            line_count = header.text.count("\n")
            lines.update(range(header.line, header.line + line_count))
    return lines


def _find_set_globals(statement: DraftStatement) -> Iterator[tuple[str, OutputRun]]:
    """Yield the names that functions of a statement set after `global`, with their code."""
    if "global" not in statement.words:
        return
    for part in split(statement.code).statements:
        for name in sorted(facts_of(part).nested_global_names):
            for run in statement.parts:
                if {"global", name} <= run.code.words():
                    yield name, run


class KeptParent(LintRule):
    """modular keeps the parent class as a base, because it cannot merge the classes.

    The generated file is correct, but longer than it could be: it contains the parent
    class as well (see `kept-parents`). With the setting `inheritance = "python"`, a
    generated class must do exactly what your class does in Python. If modular merged
    your class and the parent class into one, the merged class would do something else,
    for one of these reasons:

    - **Your code uses the parent class by its name,** as in `isinstance(x, LlamaMLP)`
      or `LlamaMLP[int]`.
    - **`super()` is used as a value, in a nested function, or to read a class
      attribute.** modular also keeps the parent class if you pass one of its methods as
      a value, as in `apply(super().forward)`.
    - **Your class has a base before the parent class,** such as `Mixin` in
      `class OlmoMLP(Mixin, LlamaMLP)`. This base has a member that the parent class
      has, too, calls a method of the parent class by `super()`, or has code that
      modular cannot read.
    - **By `super()`, you call a method that may depend on its own name:** a decorator
      of the method uses the name, as `cached_property` does, or the method's code reads
      its own name or variables, for example by `sys._getframe()`.
    - **You replace a method whose decorator may store it:** with `@register`, the
      parent's method stays in a table.
    - **A statement below the parent class uses the class,** as `register(LlamaMLP)`
      does.
    - **You remove a member** that a base of the parent class has, too.
    - **Both classes use a private name** such as `__size`. In Python, each class has
      its own `__size`. A private name of the parent class alone counts if your file
      computes names of attributes, as `getattr(self, name)` does.
    - **Both classes use a `global` variable** that one of them sets.
    - **The parent class has type parameters,** as in `class LlamaMLP(Generic[T])`, and
      your class does not repeat them, as in `class OlmoMLP(LlamaMLP)`. In Python, your
      class then has no type parameters.
    - **The body of one of the classes calls `vars()` or `locals()`,** which returns all
      members of the body.
    - **The two classes have different fields of a dataclass,** or different keywords in
      their headers.
    - **Python does something when a class inherits:** the parent class has
      `__init_subclass__`, `__slots__` or a metaclass, or is a named tuple or a
      protocol.
    - **The parent class defines `__hash__`, and your class `__eq__`.** In Python, your
      class then has no `__hash__`.

    To get a single class, do not inherit from the parent class, but write out what you
    need from it.

    Given `pyproject.toml`:

    ```toml
    [tool.modular]
    inheritance = "python"
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            parent = super()
            return parent.forward(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:18: `OlmoMLP` inherits from a copy of `LlamaMLP`: `super()` is used as a value
    hint: call the method in a statement of the method itself, as `super().method(...)`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            forward = super().forward
            return forward(x)
    ```
    """

    code = Problem.KEPT_PARENT
    is_stylistic = True
    message = "`{child}` inherits from a copy of `{parent}`: {reason}"

    def check(self) -> None:
        """Report each kept parent class, with the reason why it is not merged."""
        for name, obstacle in self.layout.kept_parents.items():
            self.report(
                obstacle.place,
                related=obstacle.related,
                hint="{advice}",
                child=name,
                parent=self.modular.first_parent_of(name),
                reason=obstacle.reason,
                advice=obstacle.hint,
            )

    def find_obstacles(self, mergeable: set[str]) -> dict[str, Obstacle]:
        """Return the classes that cannot be merged, each with the first obstacle.

        Args:
            mergeable: The classes for which an earlier call has found no obstacle. Only
                their bases are checked again, because these depend on other classes.
                The classes for which this call finds none are added.
        """
        obstacles = {}
        for name, definition in self.modular.definitions.classes.items():
            found = self._find_obstacles_of(
                definition, checks_only_bases=name in mergeable
            )
            obstacle = next(found, None)
            if obstacle is None:
                mergeable.add(name)
            else:
                obstacles[name] = obstacle
        return obstacles

    def _find_obstacles_of(
        self, definition: ModuleBinding, checks_only_bases: bool
    ) -> Iterator[Obstacle]:
        """Yield what prevents the merge of a class of the modular file with its parent.

        Args:
            definition: The class.
            checks_only_bases: Whether the rest of the class was checked before.
        """
        merged_class = self.layout.flattened.get(definition.name)
        if merged_class is None:
            # No parent class is merged, perhaps because of its type arguments.
            if definition.name not in self.layout.kept_parents:
                yield from self._check_type_arguments(definition)
        elif checks_only_bases:
            yield from self._check_bases(merged_class)
        else:
            yield from self._find_uses(merged_class)
            yield from self._check_bases(merged_class)
            yield from self._compare(merged_class)

    def _find_uses(self, merged_class: MergedClass) -> Iterator[Obstacle]:
        """Yield the first use of a parent class that is neither a base nor a method call.

        An example is `isinstance(x, LlamaMLP)`. In the methods of the child,
        `LlamaMLP.forward(self, x)` and `super(LlamaMLP, self)` are allowed.
        """
        for use in find_class_uses(self.modular.module, merged_class.parent.name):
            code = use.statement.code
            place = place_at(code, use.start, len(merged_class.parent.name))
            is_in_child = use.statement.name == merged_class.child.name
            # A default value is evaluated when the class is defined, and not when the
            # method runs.
            is_default = place.line in _find_header_lines(merged_class.child)
            is_in_super = code.masked_text[: use.start].endswith("super(")
            is_method_call = use.member != "" or is_in_super
            if is_in_child and is_method_call and not is_default:
                continue
            hint = f"use `{merged_class.child.name}` instead, if it means the same"
            yield Obstacle(place, "its name is used here", hint)
            return

    def _check_type_arguments(self, definition: ModuleBinding) -> Iterator[Obstacle]:
        """Yield the first parent class with type arguments: `LlamaMLP[int]`."""
        for base in self.modular.generic_parents_of(definition.name):
            place = place_of_word(view_definition(definition.statement).header, base)
            hint = f"write `{base}` without type arguments"
            yield Obstacle(place, "it has type arguments", hint)
            return

    def _check_bases(self, merged_class: MergedClass) -> Iterator[Obstacle]:
        """Yield a base before the parent class, or a removed member that a base has."""
        parent_index = merged_class.child.bases.index(merged_class.parent.name)
        for base in merged_class.child.bases[:parent_index]:
            yield from self._check_earlier_base(merged_class, base)
        yield from self._check_removals(merged_class)

    def _compare(self, merged_class: MergedClass) -> Iterator[Obstacle]:
        """Yield the differences between a merged class and Python's."""
        for difference in compare_class(read_inheritance(self.context, merged_class)):
            yield Obstacle(
                difference.place,
                difference.message,
                difference.hint,
                difference.related,
            )

    def _check_earlier_base(
        self, merged_class: MergedClass, base: str
    ) -> Iterator[Obstacle]:
        """Yield a base before the parent class if it may have a member like the parent's.

        An example is `Doubled` in `class OlmoMLP(Doubled, LlamaMLP)`, if both define
        `forward`. Python uses the `forward` of `Doubled`. The generated class contains
        the `forward` of `LlamaMLP`, and uses this one. A base that cannot be read may
        have any member.

        Args:
            merged_class: The class, merged with its parent class.
            base: The base as the class header names it, `Doubled`.
        """
        forbidden_members = _find_forbidden_members(merged_class)
        for ancestor in self._find_classes_before_parent(merged_class, base):
            members = self.context.resolver.members(ancestor.meaning)
            if members is None:
                yield _describe_earlier_base(
                    merged_class,
                    base,
                    "its members are not known",
                    f"write `{merged_class.parent.name}` first",
                )
                return
            shared = sorted(members & forbidden_members)
            if shared:
                parent = merged_class.parent.name
                yield _describe_earlier_base(
                    merged_class,
                    base,
                    f"has a member `{shared[0]}` like it",
                    f"write `{shared[0]}` out in `{merged_class.child.name}`; if you mean that of "
                    f"`{parent}`, write `{parent}` first",
                )
                return

    def _find_classes_before_parent(
        self, merged_class: MergedClass, base: str
    ) -> Iterator[Ancestor]:
        """Yield the classes that Python searches before the parent class.

        These are the base and its ancestors. The parent class and its own ancestors are
        left out: Python searches them later, even if the base inherits from them, too.
        Classes such as `Generic[T]` have no members that matter, and are left out.

        Args:
            merged_class: The class, merged with its parent class.
            base: A base before the parent class.
        """
        searched_later = {merged_class.parent.name}
        for _, ancestor in self._ancestors_of_parent(merged_class):
            searched_later.add(ancestor.name)
        for ancestor in self.context.base_and_ancestors(merged_class.child.name, base):
            is_typing = ancestor.name.rpartition(".")[2] in _TYPING_BASES
            if not is_typing and ancestor.name not in searched_later:
                yield ancestor

    def _check_removals(self, merged_class: MergedClass) -> Iterator[Obstacle]:
        """Yield the first removed attribute that the generated class still has.

        `size = AttributeError()` removes only the `size` of the parent class. The
        generated class inherits from the bases of the parent class. If one of them has
        a `size`, too, the class gets that.
        """
        for name, statement in merged_class.attributes.items():
            if not is_removal(statement):
                continue
            for base, ancestor in self._ancestors_of_parent(merged_class):
                # None if the members of the class are not known.
                members = self.context.resolver.members(ancestor.meaning)
                if members is not None and name in members:
                    yield Obstacle(
                        place_of(statement.bare_code),
                        f"`{base}` has a member `{name}`, too",
                        "write the value that the class should have",
                    )
                    return

    def _ancestors_of_parent(
        self, merged_class: MergedClass
    ) -> Iterator[tuple[str, Ancestor]]:
        """Yield the ancestors of a parent class, each with the base it comes from.

        For `class LlamaMLP(Scaled)` and `class Scaled(nn.Module)`, yield `Scaled` and
        `nn.Module`, each with the base `Scaled`.

        Args:
            merged_class: The child class, merged with its parent class.
        """
        for base in merged_class.parent.bases:
            for ancestor in self.context.base_and_ancestors(
                merged_class.child.name, base
            ):
                yield base, ancestor


def _describe_earlier_base(
    merged_class: MergedClass, base: str, reason: str, hint: str
) -> Obstacle:
    """Return the obstacle of a base that comes before the parent class.

    Args:
        merged_class: The class, merged with its parent class.
        base: The base as the class header names it.
        reason: The end of the message.
        hint: What to write instead.
    """
    return Obstacle(
        place_of_word(merged_class.child.header, base),
        f"`{base}` comes before the parent class, and {reason}",
        hint,
    )


def _find_forbidden_members(merged_class: MergedClass) -> set[str]:
    """Return the members that a base before the parent class must not have.

    If `Doubled` in `class OlmoMLP(Doubled, LlamaMLP)` has one of these members, the
    class in the modular file and the generated class behave differently. There are
    three cases:

    - `OlmoMLP` inherits `size`. In the modular file, `self.size` is the `size` of
      `Doubled`. The generated class has the `size` of `LlamaMLP`.
    - `OlmoMLP` reads `super().size`, which differs in the same way.
    - `LlamaMLP` reads `super().size`. In the modular file, this skips `Doubled`, which
      comes before `LlamaMLP`. The generated class contains this code, and `Doubled` is
      a base of the generated class.
    """
    method_names = {method.name for method in merged_class.inherited.values()}
    parent_members = method_names | merged_class.inherited_attributes.keys()
    override_names = {method.name for method in merged_class.overriding.values()}
    child_members = override_names | merged_class.attributes.keys()

    inherited = parent_members - child_members
    used_by_child = parent_members & _names_used_by_super(merged_class.child)
    used_by_parent = _names_used_by_super(merged_class.parent)
    return inherited | used_by_child | used_by_parent


def _names_used_by_super(view: DefinitionView) -> set[str]:
    """Return the members that a class uses by `super()`, such as `forward`."""
    names = set()
    if "super" in view.code.masked_text:
        for use in facts_of(view.statement).super_uses:
            if use.method:
                names.add(use.method)
    return names
