"""A class that changes what another class of the modular file needs, but is not used: its changes would be lost."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from modular.flatten.autofixes import rename_definition
from modular.flatten.flattened import Flattened
from modular.flatten.layout import Layout
from modular.lint.context import LintContext
from modular.lint.rule import LintRule
from modular.rules.files.drafts import ALL, DraftStatement
from modular.rules.files.exports import exported_names
from modular.rules.files.used_names import UsedNames
from modular.source import fixes
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.definitions import ModuleBinding
from modular.source.diagnostics import Fix, Place, Problem
from modular.source.places import place_of_word
from modular.source.source_slice import join_slices
from modular.source.walking import walk


class UnusedReplacement(LintRule):
    """A class is not used where another class needs its parent class, which lacks its changes."""

    code = Problem.UNUSED_REPLACEMENT
    message = "`{name}` is never used: it should be used when `{child}` is defined, whose parent needs `{parent}`"
    hint = "call it `{inlined}`, and `{child}` takes it in the place of `{parent}`; or remove the class"

    def check(self) -> None:
        """Check the unused classes whose changes another class goes without."""
        for unused in _find_unused_classes(self.context):
            if unused.is_replaced and not unused.is_same:
                renamed = rename_definition(self.modular, unused.name, unused.inlined)
                _report(self, unused, renamed)


class UnusedClass(LintRule):
    """A class is never used: what would need it is overridden.

    A class changes one that another parent class needs. But the class that inherits from that one no longer needs it: the method
    that did is overridden, and does not name the class. Or what comes of the class is the same as the parent's, so that nothing is
    lost. What is listed in `__all__` is meant for others, and is not reported.

    Use the class where it is meant, list it in `__all__`, or remove it.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..llama.modeling_llama import LlamaMLP, LlamaModel


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * self.up_proj(x)


    class OlmoModel(LlamaModel):
        def __init__(self, config):
            nn.Module.__init__(self)
            self.mlp = nn.Identity()
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:7: `OlmoMLP` is never used: the parent of `OlmoModel` needs `LlamaMLP`, but `OlmoModel` no longer does
    hint: write `OlmoMLP` where `OlmoModel` should use it, list it in `__all__`, or remove the class
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):
        def __init__(self, config):
            nn.Module.__init__(self)
            self.mlp = nn.Identity()
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..llama.modeling_llama import LlamaMLP, LlamaModel


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * self.up_proj(x)


    class OlmoModel(LlamaModel):
        def __init__(self, config):
            nn.Module.__init__(self)
            self.mlp = OlmoMLP(config.text_config)
    ```
    """

    code = Problem.UNUSED_CLASS
    message = "`{name}` is never used: the parent of `{child}` needs `{parent}`, but `{child}` no longer does"
    hint = f"write `{{name}}` where `{{child}}` should use it, list it in `{ALL}`, or remove the class"

    def check(self) -> None:
        """Check the unused classes of which no changes are lost."""
        for unused in _find_unused_classes(self.context):
            if not unused.is_replaced:
                _report(self, unused)
            elif unused.is_same:
                message = (
                    "`{name}` is never used, and is generated the same as `{parent}`"
                )
                _report(self, unused, message=message, hint="remove the class")


class _UnusedClass(NamedTuple):
    """A class that changes a class which another one needs, and that nothing uses.

    Attributes:
        definition: The class.
        parent: Its parent class, as its own file calls it.
        inlined: The name under which the parent class is inlined.
        child: The class whose parent needs the parent class.
        place: The place in the parent file of that need.
        is_replaced: Whether the child uses the inlined parent class instead.
        is_same: Whether the class is generated like its parent class.
    """

    definition: ModuleBinding
    parent: str
    inlined: str
    child: str
    place: Place
    is_replaced: bool
    is_same: bool

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.definition.name


def _report(
    rule: LintRule,
    unused: _UnusedClass,
    *autofixes: Fix,
    message: str = "",
    hint: str = "",
) -> None:
    """Report an unused class, with fixes of which the last removes it."""
    statement = unused.definition.statement
    rule.report(
        place_of_word(view_definition(statement).header, unused.name),
        *autofixes,
        fixes.remove(statement, f"Remove `{unused.name}`"),
        related=unused.place,
        message=message,
        hint=hint,
        name=unused.name,
        child=unused.child,
        parent=unused.parent,
        inlined=unused.inlined,
    )


def _find_unused_classes(context: LintContext) -> Iterator[_UnusedClass]:
    """Yield the classes that another class of the modular file seems to be meant to use, and that nothing uses or exports."""
    modular, nodes = context.modular, context.nodes
    exports = modular.last_assignment(ALL)
    exported = set() if exports is None else set(exported_names(exports))
    for name, definition in modular.definitions.classes.items():
        parents = modular.parents_of(name)
        if not parents or name in exported or name in context.layout.mentioned:
            continue
        if not _changes_its_parent(definition):
            continue
        needs = list(_find_needs(context.layout, name, parents[0]))
        if not needs or _is_quoted(nodes, name):
            continue

        parent = modular.original_names[parents[0]]
        renamer = context.layout.parents[modular.parent_of[parents[0]]].renamer
        inlined = renamer.word(parent)
        replaced = [
            need for need in needs if _uses_inlined(nodes, need.child, inlined, name)
        ]
        need = replaced[0] if replaced else needs[0]
        yield _UnusedClass(
            definition=definition,
            parent=parent,
            inlined=inlined,
            child=need.child,
            place=need.place,
            is_replaced=bool(replaced),
            is_same=_is_same(context.layout.flattened[name], name, inlined),
        )


def _is_same(flat: Flattened, name: str, inlined: str) -> bool:
    """Whether a flattened class differs from its parent class only by its name."""
    result = join_slices([run.code for run in flat.parts], flat.path).normalized()
    parent = flat.parent.code.normalized()
    return result.replace(name, inlined) == parent.replace(name, inlined)


def _changes_its_parent(definition: ModuleBinding) -> bool:
    """Whether a class differs from its parent class by more than its name."""
    view = view_definition(definition.statement)
    if view.decorators.text or len(view.bases) > 1:
        return True
    for statement in view.body.statements:
        if statement.kind is not Kind.STRING and not statement.does_nothing:
            return True
    return False


def _uses_inlined(
    nodes: Mapping[str, DraftStatement], child: str, inlined: str, name: str
) -> bool:
    """Whether a flattened class, or a dependency of it, uses the inlined parent class instead of the class ``name``."""
    if child not in nodes:
        return False
    reached = walk([child], lambda used: (nodes[used].words & nodes.keys()) - {name})
    return any(inlined in nodes[used].words for used in reached)


def _is_quoted(nodes: Mapping[str, DraftStatement], name: str) -> bool:
    """Whether an annotation in quotes names the class."""
    codes = []
    for node in nodes.values():
        if node.name != name:
            codes += [run.code for run in node.parts]
    return name in UsedNames(codes, frozenset())


class _Need(NamedTuple):
    """A class of the modular file whose parent needs another class of its file, and the place of that need."""

    child: str
    place: Place


def _find_needs(layout: Layout, name: str, base: str) -> Iterator[_Need]:
    """Yield the other classes of the modular file whose parents depend on the parent class of a class."""
    modular = layout.modular
    path, needed = modular.parent_of[base], modular.original_names[base]
    statements = {}
    for statement in layout.parents[path].source.module.block.statements:
        if statement.name:
            statements[statement.name] = statement
    for child, parent in modular.children_of(path):
        if child != name and parent != needed:
            place = _find_use(parent, needed, statements)
            if place is not None:
                yield _Need(child, place)


def _find_use(
    start: str, needed: str, statements: Mapping[str, Statement]
) -> Place | None:
    """Return the place at which a class of a parent file, or a dependency of it, uses another definition of the file."""

    def dependencies(name: str) -> list[str]:
        return sorted(statements[name].words & statements.keys())

    for user in walk([start], dependencies):
        if needed in dependencies(user):
            return place_of_word(statements[user].bare_code, needed)
    return None
