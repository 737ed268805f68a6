"""Converts one modular file into the texts of its output files, unformatted."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from modular.diagnostics import Diagnostic
from modular.layout import Draft, Layout, Node
from modular.project import Project, model_name
from modular.rules import prefixes
from modular.rules.copied_in import copy_in
from modular.rules.deprecated_names import GETATTR, split_deprecated
from modular.rules.exports import ALL, split_exports
from modular.rules.imports import import_statement, needed_imports
from modular.rules.renaming import Renamer, Spelling
from modular.rules.soft_dependencies import guard_soft_dependencies
from modular.rules.used_names import UsedNames
from modular.source.code import Code, generated
from modular.source.modular_file import ModularFile
from modular.source.module import Module
from modular.source.parts import take_apart
from modular.source.renamed import ParentSource, RenamedFile


@dataclass(frozen=True)
class OutputStatement:
    """A statement of an output file: a name (empty for imports and comments), and its runs of lines with their members."""

    name: str
    parts: tuple[tuple[str, Code], ...]


@dataclass(frozen=True)
class OutputFile:
    """An output file before formatting."""

    path: str
    file_type: str
    statements: tuple[OutputStatement, ...]

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(code.text for statement in self.statements for _, code in statement.parts)


@dataclass
class Conversion:
    """What came of one modular file: its output files, or errors."""

    modular: str
    files: list[OutputFile] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


class Converter:
    """Converts modular files of a project. Parent files are read and scanned once."""

    def __init__(self, project: Project, overlay: Mapping[str, str]) -> None:
        self.project = project
        self.overlay = overlay
        self._parents: dict[str, ParentSource] = {}

    def text(self, path: str) -> str:
        """Return a file's text: the fresh one if it was just generated, else what is on disk."""
        if path in self.overlay:
            return self.overlay[path]
        return (self.project.root / path).read_text(encoding="utf-8")

    def exists(self, path: str) -> bool:
        """Whether a file is on disk or was just generated."""
        return path in self.overlay or (self.project.root / path).is_file()

    def parent(self, path: str) -> ParentSource:
        """Return a parent file, scanned."""
        if path not in self._parents:
            from modular.source.module import read

            model = path.split("/")[-2]
            settings = self.project.settings
            spelling = Spelling(model, self.project.names.cased(model), settings.keep_names, settings.all_file_types)
            self._parents[path] = ParentSource(read(path, self.text(path)), spelling)
        return self._parents[path]

    def convert(self, path: str) -> Conversion:
        """Convert one modular file."""
        from modular.source.module import read

        conversion = Conversion(path)
        modular = self._modular(read(path, self.text(path)))
        parents = {parent: self._renamed(parent, modular) for parent in modular.parent_paths}
        layout = Layout(modular, parents, self.project.names, self.project.settings)
        layout.run()
        copy_in(layout.drafts, self.project.settings)
        conversion.diagnostics += layout.diagnostics
        conversion.files = [self._output(modular, parents, draft) for draft in layout.drafts.values()]
        return conversion

    def _modular(self, module: Module) -> ModularFile:
        model = model_name(module.path)

        def parent_path(statement):
            paths = self.project.resolve(module.path, statement)
            return next((path for path in paths if self.exists(path)), None)

        return ModularFile(module, model, self.project.names.cased(model), parent_path)

    def _renamed(self, path: str, modular: ModularFile) -> RenamedFile:
        source = self.parent(path)
        pairs = []
        for definition in modular.definitions.classes.values():
            for base in take_apart(definition.statement).arguments:
                if modular.parent_of.get(base) == path:
                    pairs.append((definition.name, modular.original_names[base]))
        classes = [each.name for each in source.module.block.statements if each.kind.value == "class"]
        prefix = prefixes.choose(pairs, modular.cased, source.spelling.cased, classes)
        lower = modular.model if prefix.chosen == modular.cased else self.project.names.lower(prefix.chosen)
        return RenamedFile(source, Renamer(source.spelling, lower, self.project.names.cased(lower), modular.model))

    def _output(self, modular: ModularFile, parents: Mapping[str, RenamedFile], draft: Draft) -> OutputFile:
        nodes = draft.in_order(self.project.settings.first_names)
        nodes += self._ending(modular, draft.file_type)
        body = [OutputStatement(node.name, tuple(node.parts)) for node in nodes]
        imports = self._imports(modular, parents, draft, nodes)
        head = [OutputStatement("", (("", code),)) for code in [self._banner(modular), modular.module.header, *imports]]
        path = self.project.output_path(modular.path, draft.file_type)
        return OutputFile(path, draft.file_type, tuple(head + body))

    def _banner(self, modular: ModularFile) -> Code:
        banner = self.project.settings.banner
        name = modular.path.rpartition("/")[2]
        return generated(banner.replace("{path}", modular.path).replace("{name}", name), modular.path, 1)

    def _imports(self, modular: ModularFile, parents: Mapping[str, RenamedFile], draft: Draft, nodes: list[Node]) -> list[Code]:
        codes = [code for node in nodes for _, code in node.parts]
        used = UsedNames(codes, frozenset(draft.nodes))
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
