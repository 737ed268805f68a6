"""Converts one modular file into its output files, unformatted."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from modular.diagnostics import Code as Kind
from modular.diagnostics import Diagnostic, Place, has_errors
from modular.layout import Draft, Layout, Node
from modular.project import MODULAR, Project, model_name
from modular.rules import file_types, prefixes
from modular.rules.copied_in import copy_in
from modular.rules.deprecated_names import GETATTR, split_deprecated
from modular.rules.exports import ALL, split_exports
from modular.rules.imports import import_statement, needed_imports
from modular.rules.model_imports import check_imported_names, check_library_imports
from modular.rules.renaming import Renamer, Spelling
from modular.rules.soft_dependencies import guard_soft_dependencies
from modular.rules.used_names import UsedNames
from modular.source import module as modules
from modular.source.blocks import Kind as StatementKind
from modular.source.code import Code, generated
from modular.source.imports import Import
from modular.source.loading import Loaded, decode, load, syntax_problem
from modular.source.modular_file import ModularFile
from modular.source.module import Module
from modular.source.parts import take_apart
from modular.source.places import place_of
from modular.source.renamed import ParentSource, RenamedFile


@dataclass(frozen=True)
class OutputStatement:
    """A statement of an output file: its name (empty for imports and comments) and its runs of lines.

    Each run is given with the member (method or attribute) of a class that it belongs to, and knows its origin.
    """

    name: str
    parts: tuple[tuple[str, Code], ...]


@dataclass(frozen=True)
class OutputFile:
    """An output file before formatting. ``path`` is relative to the root."""

    path: str
    file_type: str
    statements: tuple[OutputStatement, ...]

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(code.text for statement in self.statements for _, code in statement.parts)

    def find(self, name: str, member: str = "") -> tuple[Code, ...]:
        """Return the runs of lines of a top-level name, or of one member of a class."""
        parts = (part for statement in self.statements if statement.name == name for part in statement.parts)
        return tuple(code for part_of, code in parts if not member or part_of == member)


@dataclass
class Conversion:
    """What came of one modular file.

    ``reads`` are the paths at which parent files were looked for. ``waiting`` are those of parent files that are nowhere:
    whoever knows that another modular file generates them converts that one first.
    """

    modular: str
    files: list[OutputFile] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    reads: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    newline: str = "\n"
    source_lines: int = 0
    texts: dict[str, str] = field(default_factory=dict)

    def without_origins(self) -> "Conversion":
        """Return this with the texts of the files alone, which is all that another process needs."""
        return replace(self, files=[])


class Converter:
    """Converts modular files of a project. Each parent file is read and scanned once.

    ``overlay`` holds the texts of files that were generated in the same run, by path; they count before those on disk.
    """

    def __init__(self, project: Project, overlay: Mapping[str, str]) -> None:
        self.project = project
        self.overlay = overlay
        self._parents: dict[str, ParentSource] = {}

    def load(self, path: str) -> Loaded:
        """Read a file: the fresh text if it was just generated, else what is on disk."""
        if path in self.overlay:
            return decode(self.overlay[path].encode(), path)
        return load(self.project.root, path)

    def exists(self, path: str) -> bool:
        """Whether a file is on disk or was just generated."""
        return path in self.overlay or (self.project.root / path).is_file()

    def convert(self, path: str) -> Conversion:
        """Convert one modular file. Errors are among the diagnostics; then there are no files."""
        conversion = Conversion(path)
        loaded = self._load_modular(path)
        if loaded.problem is not None:
            conversion.diagnostics.append(loaded.problem)
            return conversion
        modular = self._modular(modules.read(path, loaded.text))
        conversion.newline = loaded.newline
        conversion.source_lines = loaded.text.count("\n")
        conversion.reads = self._candidates(modular)
        conversion.waiting = tuple(each for each in modular.parent_paths if not self.exists(each))
        conversion.diagnostics += self._check(modular, conversion.waiting)
        if not has_errors(conversion.diagnostics):
            self._flatten(modular, conversion)
        conversion.texts = {file.path: file.text for file in conversion.files}
        return conversion

    def _load_modular(self, path: str) -> Loaded:
        if not PurePosixPath(path).name.startswith(MODULAR) or not path.endswith(".py"):
            hint = f"modular files are called `{MODULAR}<model>.py`"
            problem = Diagnostic(Kind.NOT_MODULAR, Place(path), f"no `{MODULAR}` in the name", hint)
            return Loaded("", problem)
        loaded = self.load(path)
        if loaded.problem is not None:
            return loaded
        if not loaded.text.strip():
            problem = Diagnostic(Kind.EMPTY_FILE, Place(path), "the file is empty", "write the classes of the model")
            return replace(loaded, problem=problem)
        return replace(loaded, problem=syntax_problem(loaded.text, path))

    def _modular(self, module: Module) -> ModularFile:
        def parent_path(statement: Import) -> str | None:
            paths = self.project.resolve(module.path, statement)
            return next((path for path in paths if self.exists(path)), paths[0] if paths else None)

        model = model_name(module.path)
        return ModularFile(module, model, self.project.names.cased(model), parent_path)

    def _candidates(self, modular: ModularFile) -> tuple[str, ...]:
        found = (path for _, each in modular.model_imports for path in self.project.resolve(modular.path, each))
        return tuple(dict.fromkeys(found))

    def _check(self, modular: ModularFile, missing: tuple[str, ...]) -> list[Diagnostic]:
        found = check_library_imports(modular, self.project.settings)
        for path, each in modular.model_imports:
            if path in missing:
                found.append(self._missing_parent(path, each))
        if has_errors(found):
            return found
        types = {path: file_types.of_file(PurePosixPath(path).stem, self.project.settings) or "" for path in modular.parent_paths}
        parents = {path: self.parent(path) for path in modular.parent_paths}
        found += check_imported_names(modular, parents, types)
        return found + self._check_parents(modular)

    def _missing_parent(self, path: str, statement: Import) -> Diagnostic:
        folder = (self.project.root / path).parent
        present = sorted(each.name for each in folder.glob("*.py")) if folder.is_dir() else []
        hint = f"`{folder.name}` has {', '.join(f'`{each}`' for each in present)}" if present else "check the model's name"
        return Diagnostic(Kind.PARENT_FILE_NOT_FOUND, place_of(statement.statement.own), f"no parent file `{path}`", hint)

    def _check_parents(self, modular: ModularFile) -> list[Diagnostic]:
        found = []
        for definition in modular.definitions.classes.values():
            parents = modular.parents_of(definition.name)
            if len(parents) > 1:
                message = f"`{definition.name}` has {len(parents)} parent classes: {', '.join(f'`{each}`' for each in parents)}"
                hint = "inherit from one of them, and write out what you need of the others"
                found.append(Diagnostic(Kind.TWO_PARENTS, place_of(take_apart(definition.statement).header), message, hint))
        return found

    def parent(self, path: str) -> ParentSource:
        """Return a parent file, scanned."""
        if path not in self._parents:
            model = PurePosixPath(path).parent.name
            settings = self.project.settings
            spelling = Spelling(model, self.project.names.cased(model), settings.keep_names, settings.all_file_types)
            self._parents[path] = ParentSource(modules.read(path, self.load(path).text), spelling)
        return self._parents[path]

    def _flatten(self, modular: ModularFile, conversion: Conversion) -> None:
        parents = {path: self._renamed(path, modular, conversion) for path in modular.parent_paths}
        layout = Layout(modular, parents, self.project.names, self.project.settings)
        layout.run()
        copy_in(layout.drafts, self.project.settings)
        conversion.diagnostics += layout.diagnostics
        if not has_errors(conversion.diagnostics):
            conversion.files = [self._output(modular, parents, draft) for draft in layout.drafts.values()]

    def _renamed(self, path: str, modular: ModularFile, conversion: Conversion) -> RenamedFile:
        source = self.parent(path)
        pairs = [
            (name, modular.original_names[base])
            for name in modular.definitions.classes
            for base in modular.parents_of(name)
            if modular.parent_of[base] == path
        ]
        classes = [each.name for each in source.module.block.statements if each.kind is StatementKind.CLASS]
        prefix = prefixes.choose(pairs, modular.cased, source.spelling.cased, classes)
        conversion.diagnostics += _prefix_warnings(prefix, path, modular)
        lower = modular.model if prefix.chosen == modular.cased else self.project.names.lower(prefix.chosen)
        return RenamedFile(source, Renamer(source.spelling, lower, self.project.names.cased(lower), modular.model))

    def _output(self, modular: ModularFile, parents: Mapping[str, RenamedFile], draft: Draft) -> OutputFile:
        nodes = draft.in_order(self.project.settings.first_names) + self._ending(modular, draft.file_type)
        body = [OutputStatement(node.name, tuple(node.parts)) for node in nodes]
        imports = self._imports(modular, parents, draft, nodes)
        head = [OutputStatement("", (("", code),)) for code in [self._banner(modular), modular.module.header, *imports]]
        path = self.project.output_path(modular.path, draft.file_type)
        return OutputFile(path, draft.file_type, tuple(head + body))

    def _banner(self, modular: ModularFile) -> Code:
        banner = self.project.settings.banner
        name = PurePosixPath(modular.path).name
        return generated(banner.replace("{path}", modular.path).replace("{name}", name), modular.path, 1)

    def _imports(
        self, modular: ModularFile, parents: Mapping[str, RenamedFile], draft: Draft, nodes: list[Node]
    ) -> list[Code]:
        used = UsedNames([code for node in nodes for _, code in node.parts], frozenset(draft.nodes))
        statements = list(modular.import_statements)
        for name, file_type in draft.own_imports.items():
            statements.append(import_statement(f".{file_type}_{modular.model}", name, modular.path))
        for file in parents.values():
            statements += file.import_statements
        needed = needed_imports(statements, used)
        if draft.file_type in self.project.settings.soft_dependency_types:
            return guard_soft_dependencies(needed, self.project.settings, modular.path)
        return [each.render() for each in [*needed.plain, *needed.guarded]]

    def _ending(self, modular: ModularFile, file_type: str) -> list[Node]:
        found = []
        for name, split in ((GETATTR, split_deprecated), (ALL, split_exports)):
            statement = modular.special(name)
            if statement is not None:
                code = split(statement, modular.cased, self.project.settings).get(file_type)
                if code is not None:
                    found.append(Node(name, [("", code)]))
        return found


def _prefix_warnings(prefix: prefixes.Prefix, path: str, modular: ModularFile) -> list[Diagnostic]:
    statement = next(each for parent, each in modular.model_imports if parent == path)
    place = place_of(statement.statement.own)
    listed = ", ".join(f"`{each}`" for each in prefix.met)
    hint = "give the classes that inherit from this file one prefix"
    if prefix.fell_back is not None:
        message = (
            f"`{path}` has classes of its own that begin like the prefix `{prefix.fell_back}` (of {listed}): "
            f"`{prefix.chosen}` is used"
        )
        return [Diagnostic(Kind.PREFIX_FALLS_BACK, place, message, hint)]
    if len(prefix.met) > 1:
        message = f"the classes that inherit from `{path}` use more than one prefix, {listed}: `{prefix.chosen}` is used"
        return [Diagnostic(Kind.SEVERAL_PREFIXES, place, message, hint)]
    return []
