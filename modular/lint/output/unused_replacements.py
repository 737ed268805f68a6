"""A class that changes what another class of the modular file needs, but is not used: its changes would be lost."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from modular.flatten.autofixes import rename_definition
from modular.flatten.layout import Layout
from modular.lint.rule import LintRule
from modular.rules.files.drafts import ALL, DraftStatement
from modular.rules.files.exports import exported_names
from modular.rules.files.used_names import UsedNames
from modular.source import fixes
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.definitions import ModuleBinding
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_of_word
from modular.source.source_slice import joined
from modular.source.walking import walk


class _Need(NamedTuple):
    """A class of the modular that needs another class of its parent file, and where the file says so."""

    child: str
    place: Place


class UnusedReplacement(LintRule):
    """@ERROR"""

    code = Problem.UNUSED_REPLACEMENT
    message = "`{name}` is never used: it should be used when `{child}` is defined, whose parent needs `{parent}`"
    hint = "call it `{given}`, and `{child}` takes it in the place of `{parent}`; or remove the class"

    def check(self) -> None:
        """`UnusedClass` looks for it."""


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
        """Look at each class that another class of the modular file seems to be meant to use, and that nothing uses or exports."""
        modular, layout = self.modular, self.layout
        statement = modular.last_assignment(ALL)
        public = set(exported_names(statement)) if statement is not None else set()
        for name, definition in modular.definitions.classes.items():
            parents = modular.parents_of(name)
            if (
                parents
                and name not in public
                and name not in layout.mentioned
                and _changes(definition)
            ):
                needs = list(_needs(layout, name, parents[0]))
                if needs and not _is_quoted(self.subject.nodes, name):
                    self._report(definition, parents[0], needs)

    def _report(
        self, definition: ModuleBinding, base: str, needs: Sequence[_Need]
    ) -> None:
        """Report a class: as an error where another one goes without its changes, which the parent's class does not have."""
        name, given = definition.name, self._given(base)
        lost = next(
            (
                need
                for need in needs
                if _goes_without(self.subject.nodes, name, need.child, given)
            ),
            None,
        )
        rule: LintRule = self
        message = hint = ""
        autofixes = [fixes.remove(definition.statement, f"Remove `{name}`")]
        if lost is not None and self._is_the_same(name, given):
            message, hint = (
                "`{name}` is never used, and is generated the same as `{parent}`",
                "remove the class",
            )
        elif lost is not None:
            rule = self.as_rule(UnusedReplacement)
            autofixes.insert(0, rename_definition(self.modular, name, given))
        need = lost or needs[0]
        place = place_of_word(view_definition(definition.statement).header, name)
        texts = {
            "message": message,
            "hint": hint,
            "name": name,
            "child": need.child,
            "given": given,
        }
        rule.report(
            place,
            *autofixes,
            related=need.place,
            parent=self.modular.original_names[base],
            **texts,
        )

    def _is_the_same(self, name: str, given: str) -> bool:
        """Whether what comes of a class is its parent's class but for the name, so that nothing is lost."""
        flat = self.layout.flattened[name]
        result = joined([part.code for part in flat.parts], flat.path).normal()
        return result.replace(name, given) == flat.parent.code.normal().replace(
            name, given
        )

    def _given(self, base: str) -> str:
        """The name under which a parent class is inlined."""
        renamer = self.layout.parents[self.modular.parent_of[base]].renamer
        return renamer.word(self.modular.original_names[base])


def _goes_without(
    nodes: Mapping[str, DraftStatement], name: str, child: str, given: str
) -> bool:
    """Whether a flattened class, or what it needs, uses the parent's class, inlined, instead of ``name``."""

    reached = walk([child], lambda used: (nodes[used].words & nodes.keys()) - {name})
    return child in nodes and any(given in nodes[used].words for used in reached)


def _changes(definition: ModuleBinding) -> bool:
    """Whether a class differs from its parent by more than its name."""
    parts = view_definition(definition.statement)
    if parts.decorators.text or len(parts.bases) > 1:
        return True
    return any(
        statement.kind is not Kind.STRING and not statement.does_nothing
        for statement in parts.body.statements
    )


def _is_quoted(nodes: Mapping[str, DraftStatement], name: str) -> bool:
    """Whether an annotation in quotes names the class."""
    codes = [
        part.code for node in nodes.values() if node.name != name for part in node.parts
    ]
    return name in UsedNames(codes, frozenset())


def _needs(layout: Layout, name: str, base: str) -> Iterator[_Need]:
    """The other classes of the modular whose parent needs, directly or through others, the parent of a class."""
    modular = layout.modular
    path, needed = modular.parent_of[base], modular.original_names[base]
    source = layout.parents[path].source
    statements = {
        statement.name: statement
        for statement in source.module.block.statements
        if statement.name
    }
    for child, start in modular.children_of(path):
        if (
            child != name
            and start != needed
            and (place := _use(start, needed, statements)) is not None
        ):
            yield _Need(child, place)


def _use(start: str, needed: str, statements: Mapping[str, Statement]) -> Place | None:
    """The place at which a class of a parent file, or what it needs, uses another definition of that file."""

    def used(name: str) -> list[str]:
        return sorted(statements[name].words & statements.keys())

    user = next((name for name in walk([start], used) if needed in used(name)), None)
    return None if user is None else place_of_word(statements[user].own, needed)
