"""Order: the classes come in the modular's order, each after its dependencies that are not there yet.

Each class is in the file that its file type says. A class that another one depends on, and that the modular defines
further down, is at its later place.

Dependencies found through a parent file come so: for each class among them, in the parent file's order, first its own,
then the class; last the rest. Both times the names of the parent file come first, in its order, and those of the
modular after them, in the modular's order. What both files define has, among the dependencies of such a class, the parent's
place, and in the rest the modular's. What a file defines twice is at its first place. Names that the parent file only
has from another parent file, classes too, sort after all others, in descending order.

The dependencies of a class without a parent class come so: first what was inlined from parent files, file by file in the order in
which the first name of each comes alphabetically, in the order of that file; then the modular's own names in its order.

The names of the setting `first-names` (`logger`, `_CHECKPOINT_FOR_DOC`, `_CONFIG_FOR_DOC`) come first in every file.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


def rotate(x):
    return -x


class LlamaNorm(nn.Module):
    eps = 1e-6


class LlamaMLP(nn.Module):
    def forward(self, x):
        return rotate(x)


class LlamaLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = LlamaNorm()
        self.mlp = LlamaMLP()
```

Modular `models/my_model/modular_my_model.py`:

```python
from ...utils import logging
from ..llama.modeling_llama import LlamaLayer, LlamaNorm


def shift(x):
    return x + 1


logger = logging.get_logger(__name__)


class MyModelLayer(LlamaLayer):
    def forward(self, x):
        logger.info("shifted")
        return shift(x)


class MyModelNorm(LlamaNorm):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn

from ...utils import logging


logger = logging.get_logger(__name__)


def rotate(x):
    return -x


class MyModelMLP(nn.Module):
    def forward(self, x):
        return rotate(x)


def shift(x):
    return x + 1


class MyModelLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = MyModelNorm()
        self.mlp = MyModelMLP()

    def forward(self, x):
        logger.info("shifted")
        return shift(x)


class MyModelNorm(nn.Module):
    eps = 1e-6
```
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from modular.flatten.flatten import flatten_class
from modular.flatten.flattened import Flattened
from modular.rules.files import file_types
from modular.rules.files.dependencies import Scope
from modular.rules.files.drafts import (
    Draft,
    DraftStatement,
    Provenance,
    make_output_run,
)
from modular.rules.names import class_names
from modular.rules.names.cased_names import CasedNames
from modular.rules.reading.merging import merge
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import RenamedFile
from modular.settings.settings import CONFIGURATION, Settings
from modular.source.blocks import Kind, Statement, statement_of
from modular.source.definitions import Definitions, ModuleBinding
from modular.source.diagnostics import Diagnostic, Problem
from modular.source.indentation import normalize_indentation
from modular.source.parts import view_definition
from modular.source.places import place_of


_MOST_CLASSES = 2_000
_LARGEST = 10_000_000
"""Characters that may come of one modular file: a small one can ask for the same large class very many times."""


@dataclass(eq=False)
class Layout:
    """Lays the classes of a modular file out over its output files.

    ``flattened`` are the classes with a parent class, as they were merged; ``mentioned`` is
    every identifier that some statement uses, apart from its own name; ``size`` counts the characters of all statements.
    """

    modular: ModularFile
    parents: Mapping[str, RenamedFile]
    names: CasedNames
    settings: Settings
    drafts: dict[str, Draft] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    flattened: dict[str, Flattened] = field(default_factory=dict)
    mentioned: set[str] = field(default_factory=set)
    size: int = 0

    def __post_init__(self) -> None:
        own = self.modular.definitions
        self.scopes = {
            path: merge(file, own, self.settings) for path, file in self.parents.items()
        }
        self.origin_of: dict[str, str] = {}
        self.own_scope = self._own_scope()

    def _own_scope(self) -> Scope:
        """The modular's own definitions with the functions and assignments that it imports from parent files."""
        own, merged = self.modular.definitions, Definitions()
        for definition in own.nodes().values():
            merged.add(definition)
        for name, path in self.modular.parent_of.items():
            self._adopt(self.modular.original_names[name], path, merged)
        return Scope(merged, own.lines, {})

    def _adopt(self, name: str, path: str, merged: Definitions) -> None:
        """Inline an imported function or assignment, with its dependencies, from its parent file."""
        parent = self.scopes[path]
        if name in merged.nodes() or name not in parent.nodes or parent.is_class(name):
            return
        nodes = {
            adopted: parent.nodes[adopted]
            for adopted in [name, *sorted(parent.object_dependencies(name))]
        }
        own = self.modular.definitions.nodes().keys()
        new = {
            adopted: node
            for adopted, node in nodes.items()
            if own.isdisjoint((adopted, node.name))
        }
        for definition in new.values():
            merged.add(definition)
        self.origin_of.update(dict.fromkeys(new, path))
        if nodes[name].kind is Kind.FUNCTION:
            dependencies = {
                adopted: parent.object_dependencies(adopted)
                for adopted in nodes
                if not parent.is_class(adopted)
            }
            for every_scope in self.scopes.values():
                every_scope.adopt(nodes, dependencies)

    def run(self) -> None:
        """Place every class of the modular file, with its dependencies."""
        for number, (name, definition) in enumerate(
            self.modular.definitions.classes.items()
        ):
            file_type = file_types.of_class(name, self.modular.cased, self.settings)
            draft = self.drafts.setdefault(file_type, Draft(file_type))
            if parents := self.modular.parents_of(name):
                self._place_inheriting(definition, parents[0], draft)
            else:
                self._place_plain(definition, draft)
            if self.size > _LARGEST or number >= _MOST_CLASSES:
                message = f"more than {_LARGEST} characters or {_MOST_CLASSES} classes are generated, up to `{name}`"
                hint = "split it into several models"
                place = place_of(definition.statement.own)
                self.diagnostics.append(
                    Diagnostic(Problem.TOO_LARGE, place, message, hint)
                )
                return

    def _place_inheriting(
        self, definition: ModuleBinding, base: str, draft: Draft
    ) -> None:
        path = self.modular.parent_of[base]
        scope, file = self.scopes[path], self.parents[path]
        flat = self._flatten(definition.statement, base, file)
        self.diagnostics += flat.diagnostics
        self.flattened[definition.name] = flat
        dependencies = self._same_file_dependencies(
            scope.dependencies_of_words(
                flat.words - file.sibling_names, definition.name
            ),
            scope,
            draft,
        )
        reached = scope.closure(dependencies, draft.statements)
        for name in scope.sort_dependencies(reached):
            self._put(self._node(name, scope.nodes[name]), draft)
        self._put(DraftStatement(definition.name, [*flat.parts], flat.words), draft)

    def _flatten(self, statement: Statement, base: str, file: RenamedFile) -> Flattened:
        renamed = file.renamer.word(self.modular.original_names[base])
        parent = file.definitions.classes[renamed].statement
        prose = class_names.rename_prose_of_class(
            parent.code, renamed, statement.name, self.names, self.settings.keep_names
        )
        lead = class_names.rename_prose_of_class(
            parent.lead, renamed, statement.name, self.names, self.settings.keep_names
        )
        parent = statement_of(prose, len(lead.text), parent.kind, base)
        file_type = file_types.of_class(
            statement.name, self.modular.cased, self.settings
        )
        merges = self.settings.merge_docstrings and file_type == CONFIGURATION
        return flatten_class(
            view_definition(normalize_indentation(parent)),
            view_definition(normalize_indentation(statement)),
            frozenset({base}),
            merges,
        )

    def _place_plain(self, definition: ModuleBinding, draft: Draft) -> None:
        scope = self.own_scope
        dependencies = self._same_file_dependencies(
            scope.dependencies_of_words(definition.words, definition.name), scope, draft
        )
        for name in self._plain_order(dependencies - draft.statements.keys()):
            self._put(self._node(name, scope.nodes[name]), draft)
        self._put(self._node(definition.name, definition), draft)

    def _node(self, name: str, definition: ModuleBinding) -> DraftStatement:
        part = make_output_run(
            "", definition.statement.code, self.modular.path, Provenance.NEEDED
        )
        is_definition = definition.kind in (Kind.CLASS, Kind.FUNCTION)
        return DraftStatement(name, [part], definition.words, is_definition)

    def _put(self, node: DraftStatement, draft: Draft) -> None:
        draft.put(node)
        self.size += sum(len(part.code.text) for part in node.parts)
        self.mentioned |= node.words - {node.name}

    def _plain_order(self, names: set[str]) -> list[str]:
        """Those inlined from each parent file in its order, then the modular's own in its order."""
        paths = list(
            dict.fromkeys(
                self.origin_of[name] for name in sorted(names & self.origin_of.keys())
            )
        )

        def place(name: str) -> tuple[int, int, str]:
            path = self.origin_of.get(name)
            lines = (
                self.own_scope.file_lines
                if path is None
                else self.scopes[path].file_lines
            )
            return (
                len(paths) if path is None else paths.index(path),
                lines.get(name, 0),
                name,
            )

        return sorted(names, key=place)

    def _same_file_dependencies(
        self, dependencies: set[str], scope: Scope, draft: Draft
    ) -> set[str]:
        """Leave out the classes of another file, which are imported from there, and the modular's, which have places of their own."""
        staying = set()
        for name in dependencies:
            file_type = file_types.of_class(name, self.modular.cased, self.settings)
            if scope.is_class(name) and file_type != draft.file_type:
                draft.sibling_imports[name] = file_type
            elif name not in self.modular.definitions.classes:
                staying.add(name)
        return staying
