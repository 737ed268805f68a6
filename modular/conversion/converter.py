"""Converts one modular file into its output files, unformatted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from modular.conversion import afterwards, lints
from modular.conversion.afterwards import missing_parameters
from modular.conversion.formatted import Formatted
from modular.conversion.layout import Layout
from modular.conversion.lints.subject import Subject
from modular.conversion.memory import LaidOut, Memory
from modular.conversion.outputs import OutputFile, OutputStatement
from modular.conversion.renamed_parents import likely_name
from modular.project.defining import find_import
from modular.project.naming import MODULAR
from modular.project.project import Project, model_name
from modular.rules.drafts import Draft, Node, Piece, Way
from modular.rules.files.copied_in import copy_in
from modular.rules.files.deprecated_names import GETATTR, split_deprecated
from modular.rules.files.exports import ALL, split_exports
from modular.rules.files.imports import import_statement, needed_imports
from modular.rules.files.load_order import order_by_need
from modular.rules.files.soft_dependencies import guard_soft_dependencies
from modular.rules.files.used_names import UsedNames
from modular.rules.modular_file import ModularFile
from modular.rules.names import prefixes
from modular.rules.names.renaming import Renamer, Spelling
from modular.rules.reading.library_imports import as_seen_from_outside
from modular.rules.reading.model_imports import check_imported_names, check_library_imports
from modular.rules.renamed_file import ParentSource, RenamedFile
from modular.source import fixes, ignore_comments
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.code import Code, generated
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean, has_errors, internal_error, nearest
from modular.source.ignore_comments import IgnoreComments
from modular.source.import_statements import Import
from modular.source.loading import Loaded, decode, load, nesting_problem, refused, syntax_problem, too_deep
from modular.source.module import Module
from modular.source.places import as_written, place_of, place_of_module, place_of_word
from modular.source.trees import UnreadableError


_DOTS = {2: "two dots", 3: "three dots"}
"""Leading dots of model imports."""


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
    ``readable`` are modular files of which it is known that they are Python. With a memory, files that are converted again
    and again, a little changed, take less time.
    """

    def __init__(
        self,
        project: Project,
        overlay: Mapping[str, str],
        readable: frozenset[str] = frozenset(),
        memory: Memory | None = None,
    ) -> None:
        self.project = project
        self.memory = memory
        self.overlay = dict(overlay)
        self.readable = readable
        self._parents: dict[str, ParentSource] = {}
        self._problems: dict[str, Diagnostic] = {}
        self._modules: dict[str, Module | None] = {}

    def refresh(self, path: str, text: str | None) -> None:
        """Take a fresh text for a file from now on; None: what is on disk."""
        self._parents.pop(path, None)
        self._problems.pop(path, None)
        self._modules.pop(path, None)
        self.overlay.pop(path, None)
        if text is not None:
            self.overlay[path] = text

    def load(self, path: str) -> Loaded:
        """Read a file: the fresh text if it was just generated, else what is on disk."""
        if path in self.overlay:
            return decode(self.overlay[path].encode(), path)
        if self.project.leads_out(path):
            return refused(Problem.OUTSIDE_ROOT, path, "the file leads out of the project's root", "remove the link")
        return load(self.project.locate(path), path)

    def exists(self, path: str) -> bool:
        """Whether a file is on disk or was just generated."""
        return path in self.overlay or self.project.locate(path).is_file()

    def convert(self, path: str) -> Conversion:
        """Convert one modular file. Errors are among the diagnostics; then there are no files."""
        return self._convert(path, None)

    def read(self, path: str, text: str | None = None) -> ModularFile | None:
        """Return a modular file, unchecked, with another text if one is given; None if it cannot be read."""
        loaded = self.load(path) if text is None else Loaded(text)
        if loaded.problem is not None:
            return None
        try:
            return self.modular_file(self._module(path, loaded.text))
        except RecursionError:
            return None

    def _module(self, path: str, text: str) -> Module:
        return modules.read(path, text) if self.memory is None else self.memory.read(path, text)

    def place_of_import(self, path: str, parent: str) -> Place:
        """Return where a modular file imports from what another one generates."""
        module = modules.read(path, self.load(path).text)
        for each in module.imports:
            if any(self.project.generator(found) == parent for found in self.project.resolve(path, each)):
                return place_of_module(each)
        return Place(path)

    def diagnose(self, path: str, formatted: Formatted) -> list[Diagnostic]:
        """Return the diagnostics of a modular file once more, with what the formatter found in its files."""
        latest = self.memory.latest if self.memory is not None else None
        if latest is not None and latest.modular.path == path:
            inspected = afterwards.inspect(latest.layout, latest.files, formatted)
            found = [*latest.before, *latest.layout.diagnostics, *inspected]
            are_all = not has_errors(found)
            everything = [*found, *latest.lints] if are_all else found
            written = [self._as_written(each, latest.modular.module) for each in everything]
            return latest.ignored.silence(written, are_all=are_all)
        return self._convert(path, formatted).diagnostics

    def _convert(self, path: str, formatted: Formatted | None) -> Conversion:
        """Convert a modular file. What goes wrong here without having been foreseen concerns this file alone."""
        conversion = Conversion(path)
        try:
            self._fill(conversion, formatted)
        except (RecursionError, MemoryError):
            problems = self._broken(conversion.reads) or [too_deep(path)]
            return Conversion(path, diagnostics=problems, reads=conversion.reads)
        except UnreadableError as error:
            problems = self._broken(conversion.reads) or [_unreadable_statement(error)]
            return Conversion(path, diagnostics=problems, reads=conversion.reads)
        except Exception as error:
            problems = self._broken(conversion.reads) or [internal_error(error, path)]
            return Conversion(path, diagnostics=problems, reads=conversion.reads)
        return conversion

    def _broken(self, paths: Iterable[str]) -> list[Diagnostic]:
        """Say which parent files are not Python. That is only asked where something else went wrong: most are."""
        texts = {path: self._parents[path].module.code.text for path in paths if path in self._parents}
        return [problem for path, text in texts.items() if (problem := syntax_problem(text, path)) is not None]

    def _fill(self, conversion: Conversion, formatted: Formatted | None) -> None:
        path = conversion.modular
        if self.memory is not None:
            self.memory.begin(path)
        loaded = self._load_modular(path)
        if loaded.problem is not None:
            conversion.diagnostics.append(loaded.problem)
            return
        ignored = ignore_comments.read(path, loaded.text)
        module = self._module(path, ignored.text)
        if (problem := nesting_problem(module.code.text, module.code.mask, path)) is not None:
            conversion.diagnostics.append(problem)
            return
        modular = self.modular_file(module)
        conversion.newline = loaded.newline
        conversion.source_lines = loaded.text.count("\n")
        conversion.reads = self._candidates(modular)
        conversion.waiting = tuple(each for each in modular.parent_paths if not self.exists(each))
        conversion.diagnostics += self._check(modular, conversion.waiting)
        if not has_errors(conversion.diagnostics):
            self._flatten(modular, ignored, conversion, formatted)
        conversion.texts = {file.path: file.text for file in conversion.files}
        conversion.diagnostics = [self._as_written(each, modular.module) for each in conversion.diagnostics]
        conversion.diagnostics = ignored.silence(conversion.diagnostics, are_all=bool(conversion.files))

    def _as_written(self, diagnostic: Diagnostic, module: Module) -> Diagnostic:
        """Show the lines as their files have them: a parent's code was renamed before anything was found in it.

        A fix was made for the lines as they were found.
        """

        def written(place: Place) -> Place:
            return as_written(place, (module if place.path == module.path else self.parent(place.path).module).lines)

        place, related = written(diagnostic.place), diagnostic.related
        return replace(
            diagnostic,
            place=place,
            related=None if related is None else written(related),
            fixes=diagnostic.fixes if place == diagnostic.place else (),
        )

    def _load_modular(self, path: str) -> Loaded:
        if not PurePosixPath(path).name.startswith(MODULAR) or not path.endswith(".py") or not path.isprintable():
            hint = f"modular files are called `{MODULAR}<model>.py`"
            message = f"no `{MODULAR}` in the name" if path.isprintable() else "the name cannot be printed"
            problem = Diagnostic(Problem.NOT_MODULAR, Place(path), message, hint)
            return Loaded("", problem)
        if rivals := self.project.rivals(path):
            message = f"`{rivals[0]}` would generate the same files"
            hint = "give the models different names, or generate into folders of their own"
            return Loaded("", Diagnostic(Problem.CANNOT_WRITE, Place(path), message, hint))
        loaded = self.load(path)
        if loaded.problem is not None:
            return loaded
        if not loaded.text.strip():
            problem = Diagnostic(
                Problem.EMPTY_FILE, Place(path), "the file is empty", "write the classes of the model"
            )
            return replace(loaded, problem=problem)
        if path in self.readable:
            return loaded
        if self.memory is not None:
            return replace(loaded, problem=self.memory.syntax_problem(path, loaded.text))
        return replace(loaded, problem=syntax_problem(loaded.text, path))

    def modular_file(self, module: Module) -> ModularFile:
        """Return a modular file as the rules see it."""

        def parent_path(statement: Import) -> str | None:
            paths = self.project.resolve(module.path, statement)
            return next((path for path in paths if self.exists(path)), paths[0] if paths else None)

        def own_module(statement: Import) -> str | None:
            return self.project.own_module(module.path, statement)

        model = model_name(module.path)
        return ModularFile(module, model, self.project.names.cased(model), parent_path, own_module)

    def _candidates(self, modular: ModularFile) -> tuple[str, ...]:
        """The paths at which parent files may be; the files that its names are read from belong to a library's."""
        found = [path for _, each in modular.model_imports for path in self.project.resolve(modular.path, each)]
        libraries = [library for path in found if (library := self.project.library_of(path)) is not None]
        return tuple(dict.fromkeys([*found, *(path for library in libraries[:1] for path in library.name_files)]))

    def _check(self, modular: ModularFile, missing: tuple[str, ...]) -> list[Diagnostic]:
        """Find all that keeps the file from being converted, as far as its parent files are there."""
        found = check_library_imports(modular, self.project.settings, lambda name: find_import(self.project, name))
        parents = {path: self.parent(path) for path in modular.parent_paths if path not in missing}
        for path, each in modular.model_imports:
            if path in missing:
                found.append(self._missing_parent(modular.path, path, each))
            elif path in self._problems:
                found.append(self._unreadable_parent(path, each))
        readable = {path: parent for path, parent in parents.items() if path not in self._problems}

        def likely(parent: ParentSource, name: str) -> str | None:
            return likely_name(self.project, modular, parent, name, self._read)

        found += check_imported_names(modular, readable, self.project.settings, likely)
        if has_errors(found):
            found += self._broken(readable)
        return found + self._check_parents(modular)

    def _missing_parent(self, modular: str, path: str, statement: Import) -> Diagnostic:
        if generator := self.project.generator(path):
            hint = f"`{generator}` would generate it: correct its errors, or define there what the file should hold"
            return _no_parent_file(path, statement, hint)
        if hint := self._other_dots(modular, statement):
            return _no_parent_file(path, statement, hint)
        folder = self.project.locate(path).parent
        library = self.project.library_of(path)
        if library is not None and not library.is_found:
            hint = f"install `{library.name}`, or name its folder in the setting `source-library`"
            return _no_parent_file(path, statement, hint)
        stem = PurePosixPath(path).stem
        if not folder.is_dir():
            known = [each.name for each in folder.parent.glob("*") if each.is_dir()]
            hint = did_you_mean(folder.name, known) or "there is no such model: check its name"
            models = nearest(folder.name, known)
            written = [(each, f"{stem.removesuffix(folder.name)}{each}") for each in models]
            return _no_parent_file(path, statement, hint, written if stem.endswith(folder.name) else ())
        present = [each.stem for each in folder.glob("*_*.py") if not each.name.startswith((MODULAR, "_"))]
        hint = did_you_mean(stem, present)
        listed = ", ".join(f"`{each}`" for each in sorted(present)) or "no model files"
        files = [(folder.name, each) for each in nearest(stem, present)]
        return _no_parent_file(path, statement, hint or f"`{folder.name}` has {listed}", files)

    def _other_dots(self, modular: str, statement: Import) -> str:
        """Say with how many leading dots an import would name a parent file, if it would."""
        for level, dots in _DOTS.items() if statement.level else ():
            there = replace(statement, level=level)
            if any(map(self.exists, self.project.resolve(modular, there))):
                return f"write {dots}: `{there.source}`"
        return ""

    def _unreadable_parent(self, path: str, statement: Import) -> Diagnostic:
        """Say why a parent file cannot be read, and where the modular file asks for it."""
        return replace(self._problems[path], related=place_of_module(statement))

    def _check_parents(self, modular: ModularFile) -> list[Diagnostic]:
        found = []
        for definition in modular.definitions.classes.values():
            parents = modular.parents_of(definition.name)
            if len(parents) > 1:
                message = f"`{definition.name}` has {len(parents)} parent classes: {', '.join(f'`{each}`' for each in parents)}"
                hint = "inherit from one of them, and write out what you need of the others"
                place = place_of_word(definition.statement.parts.header, parents[1])
                found.append(Diagnostic(Problem.TWO_PARENTS, place, message, hint))
        return found

    def parent(self, path: str) -> ParentSource:
        """Return a parent file, scanned."""
        if path not in self._parents:
            model = PurePosixPath(path).parent.name
            settings = self.project.settings
            cased = self.project.names_of(path).cased(model)
            spelling = Spelling(model, cased, settings.keep_names, settings.all_file_types)
            module = self._scan_parent(path)
            library = self.project.library_of(path)
            if library is not None:
                module, spelling = as_seen_from_outside(module, library.package(path), spelling)
            self._parents[path] = ParentSource(module, spelling)
        return self._parents[path]

    def _scan_parent(self, path: str) -> Module:
        """Read and scan a parent file; one that cannot be read is empty, and the problem is noted."""
        loaded = self.load(path)
        try:
            module = modules.read(path, loaded.text)
            problem = loaded.problem or nesting_problem(module.code.text, module.code.mask, path)
        except RecursionError:
            problem = too_deep(path)
        if problem is None:
            return module
        self._problems[path] = problem
        return modules.read(path, "")

    def _flatten(
        self, modular: ModularFile, ignored: IgnoreComments, conversion: Conversion, formatted: Formatted | None
    ) -> None:
        parents = {path: self._renamed(path, modular, conversion) for path in modular.parent_paths}
        known = self.memory.flattenings.get(modular.path, {}) if self.memory is not None else {}
        layout = Layout(modular, parents, self.project.names, self.project.settings, known=known)
        layout.run()
        if has_errors(layout.diagnostics):
            conversion.diagnostics += layout.diagnostics
            return
        copy_in(layout.drafts, self.project.settings)
        for draft in layout.drafts.values():
            order_by_need(draft, self.project.settings.first_names)
        files = [_without(ignored, self._output(modular, parents, draft)) for draft in layout.drafts.values()]
        before = conversion.diagnostics
        conversion.diagnostics = [*before, *layout.diagnostics, *afterwards.inspect(layout, files, formatted)]
        if not has_errors(conversion.diagnostics):
            conversion.files = files
            found = self._lint(layout, conversion)
            found = missing_parameters.less_arguments(layout, found, conversion.diagnostics)
            conversion.diagnostics += found
            if self.memory is not None:
                self.memory.flattenings[modular.path] = layout.flattenings
                self.memory.latest = LaidOut(modular, ignored, layout, files, before, found)

    def _lint(self, layout: Layout, conversion: Conversion) -> list[Diagnostic]:
        """Look for what may be meant otherwise; what is read for that counts among what was read."""

        def read(path: str) -> Module | None:
            if path not in conversion.reads:
                conversion.reads += (path,)
            return self._read(path)

        return lints.inspect(Subject(layout, conversion.files, self.project, self.exists, read))

    def _read(self, path: str) -> Module | None:
        """Return a file, scanned once; None if it cannot be read."""
        if path not in self._modules:
            loaded = self.load(path)
            self._modules[path] = None if loaded.problem is not None else modules.read(path, loaded.text)
        return self._modules[path]

    def _renamed(self, path: str, modular: ModularFile, conversion: Conversion) -> RenamedFile:
        source = self.parent(path)
        pairs = [
            (name, modular.original_names[base])
            for name in modular.definitions.classes
            for base in modular.parents_of(name)
            if modular.parent_of[base] == path
        ]
        classes = [each.name for each in source.module.block.statements if each.kind is Kind.CLASS]
        prefix = prefixes.choose(pairs, modular.cased, source.spelling.cased, classes)
        odd = [
            name
            for name, parent in pairs
            if prefixes.of_class(name, parent, modular.cased, source.spelling.cased) not in (prefix.chosen, None)
        ]
        conversion.diagnostics += _prefix_warnings(prefix, path, modular, odd)
        lower = modular.model if prefix.chosen == modular.cased else self.project.names.lower(prefix.chosen)
        renamer = Renamer(source.spelling, lower, self.project.names.cased(lower), modular.model)
        return (
            RenamedFile(source, renamer) if self.memory is None else self.memory.renamed(modular.path, source, renamer)
        )

    def _output(self, modular: ModularFile, parents: Mapping[str, RenamedFile], draft: Draft) -> OutputFile:
        nodes = draft.in_order(self.project.settings.first_names) + self._ending(modular, draft.file_type)
        body = [OutputStatement(node.name, tuple(node.parts)) for node in nodes]
        banner = Piece("", self._banner(modular), Way.MADE)
        head = [banner, Piece("", modular.module.header, Way.OWN)]
        imports = self._imports(modular, parents, draft, nodes)
        statements = [OutputStatement("", (each,)) for each in head]
        statements += [OutputStatement("", tuple(map(_imported, codes))) for codes in imports]
        path = self.project.output_path(modular.path, draft.file_type)
        return OutputFile(path, draft.file_type, tuple(statements + body))

    def _banner(self, modular: ModularFile) -> Code:
        banner = self.project.settings.banner
        name = PurePosixPath(modular.path).name
        return generated(banner.replace("{path}", modular.path).replace("{name}", name), modular.path, 1)

    def _imports(
        self, modular: ModularFile, parents: Mapping[str, RenamedFile], draft: Draft, nodes: list[Node]
    ) -> list[list[Code]]:
        used = UsedNames([part.code for node in nodes for part in node.parts], frozenset(draft.nodes))
        statements = list(modular.import_statements)
        for name, file_type in draft.own_imports.items():
            statements.append(import_statement(f".{file_type}_{modular.model}", name, modular.path))
        for file in parents.values():
            statements += file.import_statements
        needed = needed_imports(statements, used)
        if draft.file_type in self.project.settings.soft_dependency_types:
            return guard_soft_dependencies(needed, self.project.settings, modular.path)
        return [*([each.render()] for each in needed.plain), *(each.render() for each in needed.guarded)]

    def _ending(self, modular: ModularFile, file_type: str) -> list[Node]:
        found = []
        for name, split in ((GETATTR, split_deprecated), (ALL, split_exports)):
            statement = modular.special(name)
            if statement is not None:
                code = split(statement, modular.cased, self.project.settings).get(file_type)
                if code is not None:
                    found.append(Node(name, [Piece("", code, Way.OWN)]))
        return found


def _imported(code: Code) -> Piece:
    return Piece("", code, Way.MADE if code.made else Way.IMPORT)


def _without(ignored: IgnoreComments, file: OutputFile) -> OutputFile:
    """Return an output file without the comments for the modular file alone."""
    if not ignored.comments:
        return file
    taken_out = (
        OutputStatement(
            each.name, tuple(replace(part, code=run) for part in each.parts for run in ignored.taken_out(part.code))
        )
        for each in file.statements
    )
    return replace(file, statements=tuple(taken_out))


def _unreadable_statement(error: UnreadableError) -> Diagnostic:
    hint = "correct its syntax, or write it so that an older Python can read it as well"
    return Diagnostic(Problem.SYNTAX_ERROR, place_of(error.code), "LibCST cannot read this statement", hint)


def _no_parent_file(path: str, statement: Import, hint: str, instead: Iterable[tuple[str, str]] = ()) -> Diagnostic:
    """Report a parent file that is not there; ``instead`` are the models and modules that may have been meant."""
    place = place_of_module(statement)
    package = (statement.module or "").split(".")[:-2]
    ways_out = tuple(fixes.write(place, ".".join([*package, *each])) for each in instead)
    return Diagnostic(Problem.PARENT_FILE_NOT_FOUND, place, f"no parent file `{path}`", hint, fixes=ways_out)


def _prefix_warnings(prefix: prefixes.Prefix, path: str, modular: ModularFile, odd: Sequence[str]) -> list[Diagnostic]:
    """Report more than one prefix at the first class with another one than was chosen, and a prefix that falls back."""
    statement = next(each for parent, each in modular.model_imports if parent == path)
    place = place_of_module(statement)
    listed = ", ".join(f"`{each}`" for each in prefix.met)
    rest = f"what else comes from that file is called `{prefix.chosen}...`; if that is wrong,"
    if prefix.fell_back is not None:
        message = (
            f"`{path}` has classes of its own that begin like the prefix `{prefix.fell_back}` (of {listed}): "
            f"`{prefix.chosen}` is used"
        )
        hint = f"{rest} define those classes too, under the names that they should have"
        return [Diagnostic(Problem.PREFIX_FALLS_BACK, place, message, hint)]
    if len(prefix.met) > 1:
        message = (
            f"the classes that inherit from `{path}` use more than one prefix, {listed}: `{prefix.chosen}` is used"
        )
        hint = f"{rest} give the classes that inherit from it one prefix"
        header = modular.definitions.classes[odd[0]].statement.parts.header
        return [Diagnostic(Problem.SEVERAL_PREFIXES, place_of_word(header, odd[0]), message, hint, place)]
    return []
