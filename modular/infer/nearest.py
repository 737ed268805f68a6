"""`modular nearest`: the library code that is closest to that of a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from modular.conversion.sources import Sources
from modular.infer.fragments import METHOD, Fragment
from modular.infer.index import (
    FragmentIndex,
    ParentModels,
    SimilarFragment,
    read_index,
)
from modular.infer.ranking import Ranking
from modular.infer.relations import Relations, read_relations
from modular.infer.targets import model_of, resolve_target
from modular.project.project import Project
from modular.run.api import Options
from modular.run.selection import relative_to_root
from modular.source.blocks import Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean
from modular.source.diffs import Diff, compare
from modular.source.loading import Loaded, load, read_module, syntax_problem
from modular.source.module import Module, statement_at
from modular.system.cache_folder import cache_folder


MAX_NEIGHBOURS = 10
"""The number of neighbours that are listed for each class."""

MIN_SIMILARITY = 0.1
"""Code that is less similar (0 to 1) is not listed."""


@dataclass(frozen=True)
class Neighbour:
    """A library class, function or method that is close to the queried one.

    Attributes:
        path: Its file.
        model: Its model.
        name: Its name; that of a method is `Class.method`.
        similarity: The shared part of both (0 to 1).
        equal_methods: The methods that are equal, apart from names of the model.
        different_methods: The methods that both have, but different.
        missing_methods: The methods that only the neighbour has.
        new_methods: The methods that only the queried class has.
        copies: The number of other library fragments with the same code.
    """

    path: str
    model: str
    name: str
    similarity: float
    equal_methods: tuple[str, ...] = ()
    different_methods: tuple[str, ...] = ()
    missing_methods: tuple[str, ...] = ()
    new_methods: tuple[str, ...] = ()
    copies: int = 0


@dataclass(frozen=True)
class QueryResult:
    """A queried class, function or method and its neighbours.

    Attributes:
        path: Its file, relative to the root.
        name: Its name in the file.
        neighbours: The neighbours, nearest first.
        diff: The diff from the nearest one, renamed, if one was asked for.
    """

    path: str
    name: str
    neighbours: tuple[Neighbour, ...]
    diff: str = ""


@dataclass(frozen=True)
class NearestReport:
    """The results for the definitions of a target, in order.

    The diagnostics say what is wrong with the target, or which library files cannot be
    read.
    """

    results: tuple[QueryResult, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class QueriedFile:
    """A file of the target.

    Attributes:
        module: The file, read.
        model: The name of its model.
        ranking: The ranking of its definitions among those of the library.
        queries: Its definitions to compare.
    """

    module: Module
    model: str
    ranking: Ranking
    queries: tuple[Fragment, ...]


def nearest(
    target: str,
    *,
    with_diff: bool = False,
    options: Options = Options(),
) -> NearestReport:
    """Return the library code that is closest to the definitions of a model or a file.

    Args:
        target: The name of a model, its folder or a Python file, or one of them with a
            definition: `llama:LlamaMLP` or `llama:LlamaMLP.forward`.
        with_diff: Whether to compare each definition with the nearest one.
        options: The options of the run.

    Raises:
        modular.settings.settings.SettingsError: The settings are wrong.
    """
    project = options.open()
    # The name of an existing file may contain a colon.
    file_target, name = target, ""
    if not Path(target).exists():
        file_target, _, name = target.partition(":")
    modules = []
    unreadable = []
    for module in _read_target(project, file_target):
        if isinstance(module, Diagnostic):
            unreadable.append(module)
        else:
            modules.append(module)
    if unreadable:
        return NearestReport((), tuple(unreadable))

    candidates = read_candidates(project, options)
    models = candidates.for_file(project, modules[0].path)
    files = [query_file(project, models, module, name) for module in modules]
    if not any(file.queries for file in files):
        return NearestReport((), (_report_missing(files, file_target, name),))

    results = []
    for file in files:
        for query in file.queries:
            results.append(_make_result(project, file, query, with_diff=with_diff))
    return NearestReport(tuple(results), tuple(models.index.find_unreadable_files()))


def _read_target(project: Project, target: str) -> list[Module | Diagnostic]:
    """Read the files of a target, which is a file, a folder or the name of a model.

    Returns:
        For each file the module, or a diagnostic if it cannot be read.
    """
    if Path(target).is_file():
        path = relative_to_root(project, target)
        if path is None:
            # The file is outside the project.
            return [_read_file(load(Path(target), target), target)]
        return [_read_file(project.load(path, {}), path)]
    paths = resolve_target(project, target)
    if isinstance(paths, Diagnostic):
        return [paths]
    return [_read_file(project.load(path, {}), path) for path in paths]


def _read_file(loaded: Loaded, path: str) -> Module | Diagnostic:
    """Return a queried file, or a diagnostic if it is missing or not Python."""
    return syntax_problem(loaded.text, path) or read_module(path, loaded)


def query_file(
    project: Project, models: ParentModels, module: Module, name: str
) -> QueriedFile:
    """Return a file with the classes and functions to search similar code for.

    Args:
        project: The project.
        models: The models that the file is compared with.
        module: The file, read.
        name: The class, function or method to compare, such as `LlamaMLP.forward`. If
            it is empty, all classes and functions are compared, but no methods.
    """
    model = model_of(project, module.path) or PurePosixPath(module.path).stem
    ranking = Ranking(models, module, model)
    queries = ranking.definitions
    if name:
        queries = [fragment for fragment in ranking.fragments if fragment.name == name]
    return QueriedFile(module, model, ranking, tuple(queries))


def _make_result(
    project: Project, file: QueriedFile, query: Fragment, *, with_diff: bool
) -> QueryResult:
    """Return the library code that is nearest to a class, function or method.

    Args:
        project: The project.
        file: The file that defines it.
        query: The class, function or method.
        with_diff: Whether the result has the diff from the nearest code, too.
    """
    query_methods = file.ranking.methods.get(query.name, {})
    similar_enough = []
    neighbours = []
    nearest_first = file.ranking.find_nearest(query, MAX_NEIGHBOURS, equal_first=True)
    for similar in nearest_first:
        if similar.similarity >= MIN_SIMILARITY:
            similar_enough.append(similar)
            neighbours.append(_make_neighbour(query_methods, similar))

    diff = ""
    if with_diff and similar_enough:
        nearest = similar_enough[0]
        difference = compare_with(project, nearest, file, query)
        diff = difference.text(
            f"{nearest.file.path}:{nearest.fragment.name}",
            f"{file.module.path}:{query.name}",
        )
    return QueryResult(file.module.path, query.name, tuple(neighbours), diff)


@dataclass(frozen=True)
class Candidates:
    """All models with which code can be compared.

    Attributes:
        index: The index of their classes and functions.
        relations: Which models inherit from which.
    """

    index: FragmentIndex
    relations: Relations

    def for_file(self, project: Project, path: str) -> ParentModels:
        """Return the models that the code of a file can be compared with.

        These are all models except for

        - the model of the file,
        - models that inherit from it, because their code may be a copy of it,
        - models that the settings leave out.

        Args:
            project: The project.
            path: The path of the file.
        """
        excluded = self.relations.with_dependents([project.model_home(path)])
        excluded |= self.index.folders_of(project.settings.infer_leave_out)
        return ParentModels(self.index, self.relations, excluded)


def read_candidates(project: Project, options: Options) -> Candidates:
    """Read all models with which code can be compared, which takes long."""
    index_folder = cache_folder() if options.cache else None
    return Candidates(
        index=read_index(project, index_folder, options.source_library),
        relations=read_relations(project, options.source_library),
    )


def _report_missing(files: Sequence[QueriedFile], target: str, name: str) -> Diagnostic:
    """Return the error for a target that lacks classes, or the one that the user named.

    Args:
        files: The files of the target.
        target: The target as the user gave it, such as `llama`.
        name: The class, function or method; empty if the user did not name one.
    """
    message = "no classes or functions"
    if name:
        message = f"no class, function or method `{name}`"
    names = []
    for file in files:
        names += [fragment.name for fragment in file.ranking.fragments]
    place = Place(target if len(files) > 1 else files[0].module.path)
    hint = did_you_mean(name, names) or "check the name"
    return Diagnostic(Problem.NOT_FOUND, place, message, hint)


def _make_neighbour(
    query_methods: Mapping[str, Fragment], similar: SimilarFragment
) -> Neighbour:
    """Return a report on a library class that is similar to a queried class.

    It lists which methods both have, equal or different, which only the library class
    has, and which only the queried class has.

    Args:
        query_methods: The methods of the queried class by name; none if a function or
            method is queried.
        similar: The similar class, function or method.
    """
    file = similar.file
    library_methods = file.methods.get(similar.fragment.name, {})
    equal: list[str] = []
    different: list[str] = []
    new: list[str] = []
    for name, query_method in query_methods.items():
        library_method = library_methods.get(name)
        if library_method is None:
            new.append(name)
        elif library_method.digest == query_method.digest:
            equal.append(name)
        else:
            different.append(name)
    missing = [name for name in library_methods if name not in query_methods]
    return Neighbour(
        path=file.path,
        model=file.model,
        name=similar.fragment.name,
        similarity=round(similar.similarity, 3),
        equal_methods=tuple(equal),
        different_methods=tuple(different),
        missing_methods=tuple(missing),
        new_methods=tuple(new),
        copies=similar.copies,
    )


def compare_with(
    project: Project, similar: SimilarFragment, file: QueriedFile, query: Fragment
) -> Diff:
    """Return the diff from a similar class, function or method to a queried one.

    If they only differ in the name of the model, the diff is empty: the similar code is
    first renamed, so that its `LlamaMLP` is called `MyModelMLP`, too.

    Args:
        project: The project.
        similar: The similar class, function or method.
        file: The queried file.
        query: The queried class, function or method.
    """
    path = similar.file.path
    renamed_statements = _read_renamed(project, path, file.model)
    old = _text_of(renamed_statements, similar.fragment)
    new = _text_of(file.module.block.statements, query)
    return compare(old, new)


def _read_renamed(project: Project, path: str, model: str) -> list[Statement]:
    """Return the statements of a library file with the names of another model.

    Args:
        project: The project.
        path: The path of the library file.
        model: The name of the other model.
    """
    # The index has the files on disk, so unsaved texts do not replace them here.
    source = Sources(project, overlay={}).parent(path)
    # In a conversion, `new` can be a prefix such as `my_model_text`. To compare code, the
    # model's name is enough.
    renamer = source.renamer_to(model, project.names.cased(model))
    return [
        source.renamed_statement(renamer, offset, statement)
        for offset, statement in source.module.statements_with_offsets()
    ]


def _text_of(statements: Sequence[Statement], fragment: Fragment) -> str:
    """Return the text of a class, function or method among the statements of its file.

    Its line identifies it, because a file can define the same name twice.
    """
    statement = statement_at(statements, fragment.line)
    assert statement is not None
    if fragment.kind == METHOD:
        body = view_definition(statement).body
        statement = statement_at(body.statements, fragment.line)
        assert statement is not None
    return statement.bare_code.text
