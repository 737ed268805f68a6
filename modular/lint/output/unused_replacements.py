"""A class that changes what another class of the modular file needs, but is not used: its changes would be lost."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from modular.flatten.autofixes import renamed
from modular.flatten.layout import Layout
from modular.lint.rule import LintRule
from modular.rules.drafts import ALL, Node
from modular.rules.files.exports import exported
from modular.rules.files.used_names import UsedNames
from modular.source import fixes
from modular.source.blocks import Kind, Statement
from modular.source.code import joined
from modular.source.definitions import Definition
from modular.source.diagnostics import Fix, Place, Problem
from modular.source.parts import parts_of
from modular.source.places import place_of_word
from modular.source.walking import walk


class _Need(NamedTuple):
    """A class of the modular that needs another class of its parent file, and where the file says so."""

    child: str
    place: Place


class _ReplacementRule(LintRule):
    """Looks at classes that would change a parent's class, are not used, and are not exported."""

    def check(self) -> None:
        """Look at each such class that another class of the modular file seems to be meant to use."""
        modular, layout = self.modular, self.layout
        statement = modular.special(ALL)
        public = set(exported(statement)) if statement is not None else set()
        for name, definition in modular.definitions.classes.items():
            parents = modular.parents_of(name)
            if parents and name not in public and name not in layout.mentioned and _changes(definition):
                needs = list(_needs(layout, name, parents[0]))
                if needs and not _is_quoted(self.subject.nodes, name):
                    given = _given(layout, parents[0])
                    lost = next(
                        (need for need in needs if _goes_without(self.subject.nodes, name, need.child, given)), None
                    )
                    self.check_unused(definition, parents[0], lost, needs[0])

    def check_unused(self, definition: Definition, base: str, lost: _Need | None, first: _Need) -> None:
        """Look at an unused class: a class that goes without its changes, if there is one, and the first that would not."""

    def is_the_same(self, name: str, base: str) -> bool:
        """Whether what comes of a class is its parent's class but for the name, so that nothing is lost."""
        flat, given = self.layout.flattened[name], _given(self.layout, base)
        result = joined([part.code for part in flat.parts], flat.path).normal()
        return result.replace(name, given) == flat.parent.code.normal().replace(name, given)

    def report_unused(self, definition: Definition, base: str, need: _Need, *autofixes: Fix, **texts: str) -> None:
        """Report the class."""
        self.report(
            place_of_word(parts_of(definition.statement).header, definition.name),
            *autofixes,
            fixes.remove(definition.statement, f"Remove `{definition.name}`"),
            related=need.place,
            name=definition.name,
            child=need.child,
            parent=self.modular.original_names[base],
            given=_given(self.layout, base),
            **texts,
        )


class UnusedReplacement(_ReplacementRule):
    """@ERROR"""

    code = Problem.UNUSED_REPLACEMENT
    message = "`{name}` is never used: it should be used when `{child}` is defined, whose parent needs `{parent}`"
    hint = "call it `{given}`, and `{child}` takes it in the place of `{parent}`; or remove the class"

    def check_unused(self, definition: Definition, base: str, lost: _Need | None, first: _Need) -> None:
        """Report it where a flattened class still needs what comes of the parent's class, and so goes without the changes."""
        if lost is not None and not self.is_the_same(definition.name, base):
            self.report_unused(
                definition, base, lost, renamed(self.modular, definition.name, _given(self.layout, base))
            )


class UnusedClass(_ReplacementRule):
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

    from ..llama.modeling_llama import LlamaMLP, LlamaModel


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

    def check_unused(self, definition: Definition, base: str, lost: _Need | None, first: _Need) -> None:
        """Report it where no class goes without its changes, or none of them is left in the end."""
        if lost is None:
            self.report_unused(definition, base, first)
        elif self.is_the_same(definition.name, base):
            message = "`{name}` is never used, and is generated the same as `{parent}`"
            self.report_unused(definition, base, lost, message=message, hint="remove the class")


def _given(layout: Layout, base: str) -> str:
    """The name under which a parent class is inlined."""
    modular = layout.modular
    return layout.parents[modular.parent_of[base]].renamer.word(modular.original_names[base])


def _goes_without(nodes: Mapping[str, Node], name: str, child: str, given: str) -> bool:
    """Whether a flattened class, or what it needs, uses the parent's class, inlined, instead of ``name``."""

    reached = walk([child], lambda used: (nodes[used].words & nodes.keys()) - {name})
    return child in nodes and any(given in nodes[used].words for used in reached)


def _changes(definition: Definition) -> bool:
    """Whether a class differs from its parent by more than its name."""
    parts = parts_of(definition.statement)
    if parts.decorators.text or len(parts.bases) > 1:
        return True
    return any(statement.kind is not Kind.STRING and not statement.does_nothing for statement in parts.body.statements)


def _is_quoted(nodes: Mapping[str, Node], name: str) -> bool:
    """Whether an annotation in quotes names the class."""
    codes = [part.code for node in nodes.values() if node.name != name for part in node.parts]
    return name in UsedNames(codes, frozenset())


def _needs(layout: Layout, name: str, base: str) -> Iterator[_Need]:
    """The other classes of the modular whose parent needs, directly or through others, the parent of a class."""
    modular = layout.modular
    path, needed = modular.parent_of[base], modular.original_names[base]
    source = layout.parents[path].source
    statements = {statement.name: statement for statement in source.module.block.statements if statement.name}
    for child, start in modular.children_of(path):
        if child != name and start != needed and (place := _use(start, needed, statements)) is not None:
            yield _Need(child, place)


def _use(start: str, needed: str, statements: Mapping[str, Statement]) -> Place | None:
    """The place at which a class of a parent file, or what it needs, uses another definition of that file."""

    def used(name: str) -> list[str]:
        return sorted(statements[name].words & statements.keys())

    user = next((name for name in walk([start], used) if needed in used(name)), None)
    return None if user is None else place_of_word(statements[user].own, needed)
