"""Converts one modular file into its output files, unformatted."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from modular.conversion import checks
from modular.conversion.conversion import Conversion
from modular.conversion.sources import Sources
from modular.flatten.assembly import make_output_file
from modular.flatten.formatted import Formatted
from modular.flatten.layout import lay_out
from modular.lint import inspection
from modular.lint.subject import LintContext
from modular.project.naming import MODULAR
from modular.rules.names.renaming import Renamer
from modular.rules.reading.modular_file import ModularFile
from modular.source import ignore_comments
from modular.source.diagnostics import (
    Diagnostic,
    Place,
    Problem,
    has_errors,
    internal_error,
    prevents_writing,
)
from modular.source.ignore_comments import IgnoreComments
from modular.source.loading import (
    Loaded,
    read_module,
    refused,
    syntax_problem,
    too_deep,
)
from modular.source.module import Module
from modular.source.places import as_written, place_of
from modular.source.trees import UnreadableError
from modular.system import safe_paths


class Converter(Sources):
    """Converts modular files of a project."""

    def convert(self, path: str, *, inspects: bool = True) -> Conversion:
        """Convert one modular file. Errors are among the diagnostics; then there are no files.

        Unless it ``inspects``, nothing is looked for in what is generated. What goes wrong here without having been foreseen
        concerns this file alone.
        """
        conversion = Conversion(path)
        try:
            self._convert_into(conversion, inspects)
        except Exception as error:
            return Conversion(
                path,
                diagnostics=self._failed(conversion, error),
                reads=conversion.reads,
            )
        return conversion

    def diagnose(
        self, conversion: Conversion, formatted: Formatted
    ) -> list[Diagnostic]:
        """Return the diagnostics of a conversion with what a formatter has found in its files."""
        try:
            return (
                conversion.diagnostics
                if conversion.inspect is None
                else conversion.inspect(formatted)
            )
        except Exception as error:
            return self._failed(conversion, error)

    def _failed(self, conversion: Conversion, error: Exception) -> list[Diagnostic]:
        """What kept a modular file from being converted."""
        if broken := self.broken(conversion.reads):
            return broken
        if isinstance(error, UnreadableError):
            hint = "correct its syntax, or write it so that an older Python can read it as well"
            problem = Problem.SYNTAX_ERROR
            return [
                Diagnostic(
                    problem,
                    place_of(error.code),
                    "LibCST cannot read this statement",
                    hint,
                )
            ]
        is_too_deep = isinstance(error, RecursionError | MemoryError)
        return [
            too_deep(conversion.modular)
            if is_too_deep
            else internal_error(error, conversion.modular)
        ]

    def _convert_into(self, conversion: Conversion, inspects: bool) -> None:
        path = conversion.modular
        loaded = self._load_modular(path)
        ignored = ignore_comments.read(
            path, loaded.text if loaded.problem is None else ""
        )
        module = read_module(path, loaded._replace(text=ignored.text))
        if isinstance(module, Diagnostic):
            conversion.diagnostics.append(module)
            return
        modular = self.modular_file(module)
        conversion.newline = loaded.newline
        conversion.source_lines = loaded.text.count("\n")
        conversion.reads = self._candidates(modular)
        missing = tuple(
            parent_path
            for parent_path in modular.parent_paths
            if not self.exists(parent_path)
        )
        conversion.diagnostics += checks.check(self, modular, missing)
        if not has_errors(conversion.diagnostics):
            self._flatten(modular, ignored, conversion, inspects)
        conversion.texts = {file.path: file.text for file in conversion.files}
        conversion.diagnostics = self._reported(
            conversion.diagnostics, modular, ignored, bool(conversion.files)
        )

    def _reported(
        self,
        diagnostics: Sequence[Diagnostic],
        modular: ModularFile,
        ignored: IgnoreComments,
        has_files: bool,
    ) -> list[Diagnostic]:
        """Diagnostics as they are reported: with lines as their files have them, without those that comments silence."""
        written = [
            self._as_written(diagnostic, modular.module) for diagnostic in diagnostics
        ]
        return ignored.silence(
            written, are_all=has_files and not prevents_writing(diagnostics)
        )

    def _as_written(self, diagnostic: Diagnostic, module: Module) -> Diagnostic:
        """Show the lines as their files have them: a parent's code was renamed before anything was found in it.

        A fix was made for the lines as they were found.
        """

        def written(place: Place) -> Place:
            return as_written(
                place,
                (
                    module
                    if place.path == module.path
                    else self.parent(place.path).module
                ).lines,
            )

        place, related = written(diagnostic.place), diagnostic.related
        return diagnostic._replace(
            place=place,
            related=None if related is None else written(related),
            fixes=diagnostic.fixes if place == diagnostic.place else (),
        )

    def _load_modular(self, path: str) -> Loaded:
        if problem := safe_paths.problem(path):
            return refused(
                Problem.NOT_MODULAR,
                path,
                f"the path {problem}",
                "rename the folder or the file",
            )
        if not PurePosixPath(path).name.startswith(MODULAR) or not path.endswith(".py"):
            hint = f"modular files are called `{MODULAR}<model>.py`"
            return refused(
                Problem.NOT_MODULAR, path, f"no `{MODULAR}` in the name", hint
            )
        if rivals := self.project.rivals(path):
            hint = (
                "give the models different names, or generate into folders of their own"
            )
            return refused(
                Problem.CANNOT_WRITE,
                path,
                f"`{rivals[0]}` would generate the same files",
                hint,
            )
        loaded = self.load(path)
        if loaded.problem is not None:
            return loaded
        if not loaded.text.strip():
            return refused(
                Problem.EMPTY_FILE,
                path,
                "the file is empty",
                "write the classes of the model",
            )
        return loaded._replace(problem=syntax_problem(loaded.text, path))

    def _candidates(self, modular: ModularFile) -> tuple[str, ...]:
        """The paths at which parent files may be; the files that its names are read from belong to a library's."""
        paths = [
            path
            for _, import_ in modular.model_imports
            for path in self.project.resolve(modular.path, import_)
        ]
        libraries = [
            library
            for path in paths
            if (library := self.project.library_of(path)) is not None
        ]
        return tuple(
            dict.fromkeys(
                [
                    *paths,
                    *(path for library in libraries[:1] for path in library.name_files),
                ]
            )
        )

    def _flatten(
        self,
        modular: ModularFile,
        ignored: IgnoreComments,
        conversion: Conversion,
        inspects: bool,
    ) -> None:
        parents = {
            path: self.parent(path).renamed(self.renamer(path, modular))
            for path in modular.parent_paths
        }
        layout = lay_out(modular, parents, self.project.names, self.project.settings)
        if has_errors(layout.diagnostics):
            conversion.diagnostics += layout.diagnostics
            return
        files = [
            make_output_file(self.project, modular, parents, draft)
            for draft in layout.drafts.values()
        ]
        if inspects:
            before = conversion.diagnostics

            def record(path: str) -> None:
                """Add a path to the reads: findings depend on the file, or on its absence."""
                if path not in conversion.reads:
                    conversion.reads += (path,)

            def exists(path: str) -> bool:
                record(path)
                return self.exists(path)

            def read(path: str) -> Module | None:
                record(path)
                return self.scanned(path)

            def inspected(formatted: Formatted) -> list[Diagnostic]:
                return inspection.inspect(
                    LintContext(layout, files, self.project, exists, read, formatted),
                    before,
                )

            conversion.inspect = lambda formatted: self._reported(
                inspected(formatted), modular, ignored, bool(files)
            )
            conversion.diagnostics = inspected(Formatted({}))
        if not has_errors(conversion.diagnostics):
            conversion.files = files

    def renamer(self, path: str, modular: ModularFile) -> Renamer:
        """Return what renames a parent file for a modular file."""
        source = self.parent(path)
        prefix = modular.choose_prefix(source)
        lower = (
            modular.model
            if prefix.chosen == modular.cased
            else self.project.names.lower(prefix.chosen)
        )
        return Renamer(
            source.name_forms, lower, self.project.names.cased(lower), modular.model
        )
