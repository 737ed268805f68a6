"""Converts one modular file into its output files, unformatted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from modular.conversion import checks
from modular.conversion.conversion import Conversion, FlattenedModel
from modular.conversion.sources import Sources
from modular.flatten.assembly import make_output_file
from modular.flatten.formatted import Formatted
from modular.flatten.layout import lay_out
from modular.flatten.merged_class import MergedClass
from modular.flatten.outputs import OutputFile
from modular.lint import inspection
from modular.lint.captures import find_conflicting_imports
from modular.lint.context import LintContext
from modular.lint.first_bases import KeptParent
from modular.project.naming import MODULAR, is_modular_name
from modular.project.project import Project
from modular.rules.classes.merge_record import Obstacle
from modular.rules.names.renaming import Renamer
from modular.rules.reading.import_aliases import alias_imports
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import ParentSource, RenamedFile
from modular.semantics.imports import parent_files_of
from modular.semantics.model_names import is_computed, names_of_file
from modular.source import fixes, ignore_comments
from modular.source.diagnostics import (
    Diagnostic,
    Place,
    Problem,
    has_errors,
    internal_error,
    prevents_conversion,
)
from modular.source.ignore_comments import IgnoreComments
from modular.source.loading import (
    Loaded,
    nesting_problem,
    read_module,
    refuse,
    syntax_problem,
)
from modular.source.module import Module
from modular.source.places import place_of, place_on_disk
from modular.source.unreadable import UnreadableError
from modular.system import safe_paths
from modular.system.steps import Work, finish


class Converter(Sources):
    """Converts the modular files of a project."""

    def __init__(
        self, project: Project, overlay: Mapping[str, str], finds_info: bool = True
    ) -> None:
        """Create a converter.

        Args:
            project: The project.
            overlay: Texts that are read instead of the files on disk, by path.
            finds_info: Whether the lint rules run that only inform, and never warn.
        """
        super().__init__(project, overlay)
        self._finds_info = finds_info

    def convert(self, path: str, *, inspects: bool = True) -> Conversion:
        """Convert a modular file, as `convert_in_steps` does, in one step."""
        return finish(self.convert_in_steps(path, inspects=inspects))

    def convert_in_steps(self, path: str, *, inspects: bool = True) -> Work[Conversion]:
        """Convert a modular file into its output files, which are not formatted yet.

        Args:
            path: The path of the modular file.
            inspects: Whether lint rules run.

        Yields:
            None after each step.

        Returns:
            The output files, or the errors. An unexpected exception becomes an error
            of this file, so that other files can still be converted.
        """
        # An error in a file that was read before an exception can be its cause.
        reads: tuple[str, ...] = ()
        try:
            source = self._read_source(path)
            if isinstance(source, Diagnostic):
                return Conversion(path, diagnostics=(source,))
            reads = source.reads
            conversion = yield from self._convert_source(source, inspects)
            return conversion
        except Exception as error:
            diagnostics = self._explain_exception(error, path, reads)
            return Conversion(path, diagnostics=diagnostics, reads=reads)

    def diagnose(
        self, conversion: Conversion, formatted: Formatted
    ) -> tuple[Diagnostic, ...]:
        """Run the lint rules again, as `diagnose_in_steps` does, in one step."""
        return finish(self.diagnose_in_steps(conversion, formatted))

    def diagnose_in_steps(
        self, conversion: Conversion, formatted: Formatted
    ) -> Work[tuple[Diagnostic, ...]]:
        """Run the lint rules again, now that the generated files are formatted.

        Some rules look at the formatted text.

        Args:
            conversion: A conversion. If it has no flattened model because of earlier
                errors, its diagnostics do not change.
            formatted: The result of formatting its files.

        Yields:
            None after each step.

        Returns:
            All diagnostics of the conversion.
        """
        flattened = conversion.flattened
        if flattened is None:
            return conversion.diagnostics
        try:
            inspected = yield from self._inspect(flattened, formatted)
            return self._prepare_for_report(
                inspected.findings, flattened, is_inspected=bool(flattened.files)
            )
        except Exception as error:
            return self._explain_exception(error, conversion.modular, conversion.reads)

    def inspect(self, conversion: Conversion) -> Work[Conversion]:
        """Run the lint rules on a conversion that they have not checked yet, in steps.

        Args:
            conversion: The conversion. If it has no flattened model because of earlier
                errors, no rule runs.

        Yields:
            None after each step.

        Returns:
            The conversion with all diagnostics, and without files if one is an error of
            the conversion.
        """
        flattened = conversion.flattened
        if flattened is None:
            return conversion
        # The files are formatted later, so rules on formatted texts find nothing yet.
        no_formatted_texts = Formatted(texts={})
        try:
            # The findings include the warnings of the checks and of the layout.
            findings, reads = yield from self._inspect(flattened, no_formatted_texts)
            has_files = not prevents_conversion(findings)
            diagnostics = self._prepare_for_report(
                findings, flattened, is_inspected=has_files
            )
        except Exception as error:
            path = conversion.modular
            reads = conversion.reads
            diagnostics = self._explain_exception(error, path, reads)
            return Conversion(path, diagnostics=diagnostics, reads=reads)
        return replace(
            conversion,
            texts=conversion.texts if has_files else {},
            files=conversion.files if has_files else (),
            diagnostics=diagnostics,
            reads=tuple(dict.fromkeys((*conversion.reads, *reads))),
        )

    def renamer(self, path: str, modular: ModularFile) -> Renamer:
        """Return the renamer that replaces a parent's names, such as `Llama`.

        If the file has child classes of the parent, such as `MyModelTextMLP(LlamaMLP)`,
        `Llama` becomes `MyModelText`, the prefix that most of them propose. Without
        child classes, it becomes `MyModel`, the name of the modular file's model.

        Args:
            path: The path of the parent file.
            modular: The modular file that it is renamed for.
        """
        parent = self.parent(path)
        names = self.project.names
        choice = modular.choose_prefix(parent)
        has_child_classes = bool(choice.candidates)
        if has_child_classes:
            renamer = self.renamer_to_prefix(parent, choice.chosen, modular.model)
        else:
            renamer = parent.renamer_to(modular.model, names.cased(modular.model))
        # Only if whole words are renamed, some of them can keep their spelling.
        if not parent.name_forms.renames_whole_words:
            return renamer
        kept_words = self._find_kept(path, modular, renamer)
        return renamer._replace(kept=kept_words)

    def renamer_to_prefix(
        self, parent: ParentSource, prefix: str, model: str
    ) -> Renamer:
        """Return what replaces the name of a parent file's model by a prefix.

        With the prefix `OlmoText`, the class `LlamaMLP` becomes `OlmoTextMLP`, and
        `llama` becomes `olmo_text`. In the file name `modeling_llama`, the name of the
        new model replaces `llama`.

        Args:
            parent: The parent file.
            prefix: The prefix, such as `OlmoText`.
            model: The name of the new model, such as `olmo`.
        """
        names = self.project.names
        lower_prefix = names.lower(prefix)
        cased_prefix = prefix
        is_model_name = prefix.lower() == model.replace("_", "")
        if not parent.name_forms.renames_whole_words:
            cased_prefix = names.cased(lower_prefix)
        elif is_model_name:
            # The prefix `DDIM` of `DDIMOutput` is the name of the model `ddim`.
            lower_prefix = model
        renamer = parent.renamer_to(model, cased_prefix)
        return renamer._replace(new=lower_prefix)

    def _find_kept(
        self, path: str, modular: ModularFile, renamer: Renamer
    ) -> frozenset[str]:
        """Return the words and quoted strings of a parent file that are not renamed.

        Although it contains the name of the parent's model, a word stays in these cases:

        - The modular file uses the name, `self.llama_size`, `llama_x=1` or `"llama"`, or
          may compute it, as `getattr(self, name + "_size")` does.
        - The renamed word would be the name of something else.
        - The parent file computes the name of an attribute from the string.

        Args:
            path: The path of the parent file.
            modular: The modular file.
            renamer: Replaces the names of the parent's model.
        """
        child_names = names_of_file(modular.module)
        child_words = child_names.mentioned | child_names.defined | child_names.strings
        parent_names = self.names_of_model(path, renamer.old)
        # For `getattr(self, name + "_size")`, this is `_size`.
        computing_strings = names_of_file(self.parent(path).module).parts
        kept_strings = child_names.strings | (computing_strings - parent_names.defined)
        kept = {f'"{text}"' for text in kept_strings}

        # Members, parameters and variables of functions.
        names_in_use = parent_names.defined | child_words
        for name in parent_names.inner:
            child_uses_name = name in child_words
            if not child_uses_name:
                child_uses_name = is_computed(name, child_names.computed)
            new_name_is_used = renamer.part_of_text(name) in names_in_use
            if child_uses_name or new_name_is_used:
                kept |= {name, f'"{name}"'}

        # Names at module level. If the parent has `llama_eps` and `olmo_eps`, renaming
        # `llama_eps` would make one definition of the two.
        for name in parent_names.outer:
            new_name_exists = renamer.part_of_text(name) in parent_names.defined
            if new_name_exists and name not in child_names.mentioned:
                kept.add(name)
        return frozenset(kept)

    def _read_source(self, path: str) -> "_Source | Diagnostic":
        """Return a modular file with what its conversion needs, or an error.

        Ignore comments are removed from its code, because they must not get into
        generated files.
        """
        loaded = self._load_modular(path)
        if loaded.problem is not None:
            return loaded.problem
        comments = ignore_comments.read(path, loaded.text)
        text_without_comments = comments.text
        module = read_module(path, loaded._replace(text=text_without_comments))
        if isinstance(module, Diagnostic):
            return module
        size_problem = checks.check_size(module)
        if size_problem is not None:
            return size_problem
        modular = self.modular_file(module)
        return _Source(
            modular=modular,
            ignore_comments=comments,
            newline=loaded.newline,
            line_count=loaded.text.count("\n"),
            reads=self._paths_for_parents(modular),
        )

    def _load_modular(self, path: str) -> Loaded:
        """Return the text of a modular file, or the error that prevents its conversion.

        The path must be safe, because the paths of the output files are made from it. The
        text must be Python.
        """
        path_problem = safe_paths.problem(path)
        if path_problem:
            return refuse(
                Problem.NOT_A_MODULAR_FILE,
                path,
                f"the path {path_problem}",
                "rename the folder or the file",
            )
        if not is_modular_name(path):
            return refuse(
                Problem.NOT_A_MODULAR_FILE,
                path,
                f"no `{MODULAR}` in the name",
                f"modular files are called `{MODULAR}<model>.py`",
            )
        rivals = self.project.rivals(path)
        if rivals:
            return refuse(
                Problem.CANNOT_WRITE,
                path,
                f"`{rivals[0]}` would generate the same files",
                "give the models different names, or put them in different folders",
            )

        loaded = self.load(path)
        if loaded.problem is not None:
            return loaded
        if not loaded.text.strip():
            return refuse(
                Problem.EMPTY_FILE,
                path,
                "the file is empty",
                "add the classes of the model",
            )
        return loaded._replace(problem=syntax_problem(loaded.text, path))

    def _paths_for_parents(self, modular: ModularFile) -> tuple[str, ...]:
        """Return the paths of files, except the modular file, that a conversion depends on.

        These are all paths at which a parent file may be, and the files in which libraries
        list the cased names of their models, such as `GPTNeoX` for `gpt_neox`. The
        conversion is out of date if one of these files changes, appears or is deleted.
        """
        possible_parents: list[str] = []
        for _, import_ in modular.model_imports:
            possible_parents += parent_files_of(self.project, modular.path, import_)
        name_files: list[str] = []
        for path in possible_parents:
            library = self.project.library_of(path)
            if library is not None:
                name_files += library.name_files
        files_of_parent_models: list[str] = []
        # With `inheritance = "python"`, the other files of a parent's model, and those of
        # base classes, decide which names are renamed.
        if self.project.settings.is_like_python:
            for path in modular.parent_paths:
                name_forms = self.parent(path).name_forms
                model_names = self.names_of_model(path, name_forms)
                files_of_parent_models += model_names.reads
        paths = [*possible_parents, *files_of_parent_models, *name_files]
        # The keys of a dictionary are unique and ordered.
        return tuple(dict.fromkeys(paths))

    def _convert_source(self, source: "_Source", inspects: bool) -> Work[Conversion]:
        """Convert a modular file that could be read.

        Each of the stages (checks, flattening, lint rules) runs only if the stages before
        it found no errors. A conversion with errors has no output files.

        Args:
            source: The modular file.
            inspects: Whether lint rules run.
        """
        modular = source.modular
        missing = [path for path in modular.parent_paths if not self.exists(path)]
        problems = checks.check(self, modular, missing)
        if has_errors(problems):
            return self._make_conversion(source, problems)

        flattened = yield from self._flatten(source, problems)
        if has_errors(flattened.layout.diagnostics):
            problems += flattened.layout.diagnostics
            return self._make_conversion(source, problems)

        conversion = self._make_conversion(source, problems, flattened)
        if inspects:
            conversion = yield from self.inspect(conversion)
        return conversion

    def _make_conversion(
        self,
        source: "_Source",
        problems: Iterable[Diagnostic],
        flattened: FlattenedModel | None = None,
    ) -> Conversion:
        """Return the result of a conversion without lint rules.

        Args:
            source: The modular file.
            problems: The errors and warnings.
            flattened: The flattened model; None if there were errors.
        """
        files: tuple[OutputFile, ...] = ()
        reads = source.reads
        if flattened is not None:
            files = flattened.files
            reads += flattened.reads
        diagnostics = self._prepare_for_report(problems, source, is_inspected=False)
        return Conversion(
            modular=source.modular.path,
            texts={file.path: file.text for file in files},
            files=files,
            diagnostics=diagnostics,
            reads=reads,
            newline=source.newline,
            source_lines=source.line_count,
            flattened=flattened,
        )

    def _flatten(
        self, source: "_Source", warnings: Iterable[Diagnostic]
    ) -> Work[FlattenedModel]:
        """Merge the classes of a modular file with their parents into output files.

        In a project that follows Python's inheritance, a class that merging would change
        is not merged: its parent class is kept in the output file.

        Args:
            source: The modular file.
            warnings: The warnings of earlier checks, which lint rules need.
        """
        modular = source.modular
        # In the parent files, the names of the parent models become those of the child.
        parents = {}
        for path in modular.parent_paths:
            parents[path] = self.parent(path).renamed(self.renamer(path, modular))
        flattened = yield from self._lay_out(source, warnings, parents)
        if not self.project.settings.is_like_python:
            return flattened

        # The paths that decide which classes are merged, as unique and ordered keys.
        reads: dict[str, None] = {}
        if flattened.files:
            context = self._make_context(flattened, reads)
            conflicts = find_conflicting_imports(context)
            if conflicts:
                parents |= self._alias_imports(modular, parents, conflicts)
                flattened = yield from self._lay_out(source, warnings, parents)

        # The merged classes that are known to equal Python's inheritance.
        compared: set[str] = set()
        # Each round keeps the parents of more classes, so there are no more rounds than
        # classes.
        for _ in modular.definitions.classes:
            obstacles = self._find_obstacles(flattened, reads, compared)
            if not obstacles:
                break
            layout = flattened.layout
            flattened = yield from self._lay_out(
                source,
                warnings,
                parents,
                parents_to_keep={**layout.kept_parents, **obstacles},
                known=layout.flattened,
            )
        return replace(flattened, reads=tuple(reads))

    def _alias_imports(
        self,
        modular: ModularFile,
        parents: Mapping[str, RenamedFile],
        conflicts: Mapping[str, Sequence[str]],
    ) -> dict[str, RenamedFile]:
        """Return the parent files with conflicting imports, which get other names.

        If two files import different functions `sqrt`, one of them then has
        `from math import sqrt as math_sqrt`.

        Args:
            modular: The modular file.
            parents: All parent files, renamed.
            conflicts: The imported names that conflict, by the path of their file.
        """
        words_in_use = set(modular.module.code.words())
        for parent in parents.values():
            words_in_use |= parent.source.module.code.words()
        changed_parents = {}
        for path, names in conflicts.items():
            source = parents[path].source
            module = alias_imports(source.module, names, words_in_use)
            words_in_use |= module.code.words()
            source = ParentSource(module, source.name_forms, source.keeps_changes)
            changed_parents[path] = source.renamed(parents[path].renamer)
        return changed_parents

    def _find_obstacles(
        self, flattened: FlattenedModel, reads: dict[str, None], compared: set[str]
    ) -> dict[str, Obstacle]:
        """Return the classes that cannot be merged with their parents, with the obstacles.

        The merge itself finds most obstacles. If it finds none, the merged classes are
        compared with what Python's inheritance makes.

        Args:
            flattened: The flattened model.
            reads: Gets the paths of the files that the comparison reads.
            compared: The classes that earlier comparisons have found to be equal. The
                comparison skips them, and adds further ones.
        """
        layout = flattened.layout
        obstacles: dict[str, Obstacle] = {}
        for name, merged_class in layout.flattened.items():
            if merged_class.obstacles:
                obstacles[name] = merged_class.obstacles[0]
        if not obstacles and flattened.files:
            rule = KeptParent(self._make_context(flattened, reads))
            obstacles = rule.find_obstacles(compared)
        return obstacles

    def _lay_out(
        self,
        source: "_Source",
        warnings: Iterable[Diagnostic],
        parents: Mapping[str, RenamedFile],
        parents_to_keep: Mapping[str, Obstacle] = MappingProxyType({}),
        known: Mapping[str, MergedClass] = MappingProxyType({}),
    ) -> Work[FlattenedModel]:
        """Merge the classes of a modular file once, and make the output files.

        If the layout is incomplete, there are no output files.

        Args:
            source: The modular file.
            warnings: The warnings of earlier checks.
            parents: The renamed parent files by path.
            parents_to_keep: The classes whose parent class is not merged with them,
                each with the obstacle that prevents the merge.
            known: The classes that an earlier layout of the same files has merged.
        """
        modular = source.modular
        project = self.project
        layout = yield from lay_out(
            modular, parents, project.names, project.settings, parents_to_keep, known
        )
        files: list[OutputFile] = []
        if layout.is_complete:
            for draft in layout.drafts.values():
                files.append(make_output_file(project, modular, parents, draft))
        return FlattenedModel(
            modular=modular,
            ignore_comments=source.ignore_comments,
            layout=layout,
            files=tuple(files),
            warnings=tuple(warnings),
        )

    def _inspect(
        self, flattened: FlattenedModel, formatted: Formatted
    ) -> "Work[_Inspection]":
        """Run the lint rules in steps, and record which files they read or look for.

        The findings are out of date if one of these files changes, so a cached result
        depends on them.
        """
        # The keys of a dictionary are unique and ordered.
        reads = dict.fromkeys(flattened.reads)
        context = self._make_context(flattened, reads, formatted)
        # To find useless ignore comments, all rules must run.
        has_ignore_comments = bool(flattened.ignore_comments.comments)
        finds_info = self._finds_info or has_ignore_comments
        findings = yield from inspection.inspect(
            context, flattened.warnings, finds_info=finds_info
        )
        return _Inspection(findings, tuple(reads))

    def _make_context(
        self,
        flattened: FlattenedModel,
        reads: dict[str, None],
        formatted: Formatted = Formatted(texts={}),
    ) -> LintContext:
        """Return a flattened model in the form that lint rules look at.

        Args:
            flattened: The flattened model.
            reads: Gets the paths of the files that the rules read or look for.
            formatted: The result of formatting the output files, if it is known.
        """

        def exists(path: str) -> bool:
            """Whether a file exists; its path is recorded."""
            reads[path] = None
            return self.exists(path)

        def read(path: str) -> Module | None:
            """Return the statements of a file; its path is recorded."""
            reads[path] = None
            return self.load_module(path)

        return LintContext(
            layout=flattened.layout,
            files=flattened.files,
            project=self.project,
            exists=exists,
            read=read,
            shared_resolver=self.resolver,
            reads=reads,
            formatted=formatted,
        )

    def _prepare_for_report(
        self,
        diagnostics: Iterable[Diagnostic],
        source: "_Source | FlattenedModel",
        *,
        is_inspected: bool,
    ) -> tuple[Diagnostic, ...]:
        """Return the diagnostics that a user sees.

        They are made in three steps:

        1. The diagnostics quote lines as the files on disk have them.
        2. Diagnostics that an ignore comment suppresses are left out.
        3. If all rules ran, each comment that suppresses no diagnostic is reported.

        Args:
            diagnostics: The diagnostics of a conversion.
            source: The modular file and its ignore comments.
            is_inspected: Whether the lint rules ran, and the conversion has output files.
        """
        module = source.modular.module
        quoted = [self._quote_lines(diagnostic, module) for diagnostic in diagnostics]
        # Some rules do not run after an error.
        all_rules_ran = is_inspected and not prevents_conversion(quoted)
        suppressed = source.ignore_comments.suppress(quoted, are_all=all_rules_ran)
        return tuple(suppressed)

    def _quote_lines(self, diagnostic: Diagnostic, module: Module) -> Diagnostic:
        """Return a diagnostic that quotes, and can fix, the lines of the files on disk.

        Rules check parent files as they are after renaming, so a finding may quote
        `class OlmoMLP` where the file has `class LlamaMLP`.

        Args:
            diagnostic: A diagnostic of a rule.
            module: The modular file.
        """
        place = self._place_on_disk(diagnostic.place, module)
        related = diagnostic.related
        if related is not None:
            related = self._place_on_disk(related, module)
        quoted = diagnostic._replace(place=place, related=related)
        is_line_renamed = place != diagnostic.place
        if is_line_renamed:
            # The file does not have the line that the fixes edit.
            return quoted._replace(fixes=())
        # A fix may remove the last use of an import.
        return _with_import_removal(quoted, module)

    def _place_on_disk(self, place: Place, module: Module) -> Place:
        """Return a place in the modular file or a parent file with the line on disk."""
        is_in_modular = place.path == module.path
        file = module if is_in_modular else self.parent(place.path).module
        return place_on_disk(place, file.lines)

    def _explain_exception(
        self, error: Exception, path: str, reads: Iterable[str]
    ) -> tuple[Diagnostic, ...]:
        """Return the errors that describe an exception to the user.

        A syntax error in a parent file is the usual cause. Checking parent files is
        slow, so it is done only now.

        Args:
            error: The exception that ended a conversion.
            path: The path of the modular file.
            reads: The paths of the files that the conversion may have read.
        """
        broken = self.find_syntax_errors(reads)
        if broken:
            return tuple(broken)
        if isinstance(error, UnreadableError):
            unreadable = Diagnostic(
                Problem.SYNTAX_ERROR,
                place_of(error.code),
                "LibCST cannot read this statement",
                "correct its syntax, or use syntax that older Python versions accept",
            )
            return (unreadable,)
        if isinstance(error, RecursionError | MemoryError):
            return (nesting_problem(path),)
        return (internal_error(error, path),)


def _with_import_removal(diagnostic: Diagnostic, module: Module) -> Diagnostic:
    """Let the fixes of a diagnostic also remove the imports that they leave unused."""
    extended = [fixes.remove_unused_imports(module, fix) for fix in diagnostic.fixes]
    return diagnostic._replace(fixes=tuple(extended))


class _Source(NamedTuple):
    """A modular file that could be read."""

    modular: ModularFile
    ignore_comments: IgnoreComments
    newline: str
    line_count: int
    reads: tuple[str, ...]


class _Inspection(NamedTuple):
    """The findings of the lint rules, and the paths that the rules read."""

    findings: list[Diagnostic]
    reads: tuple[str, ...]
