"""`modular nearest`: the library code that is closest to that of a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from modular.conversion.sources import Sources
from modular.infer.fragments import METHOD, Fragment
from modular.infer.index import ParentModels, SimilarFragment, read_index
from modular.infer.ranking import Ranking
from modular.infer.relations import read_relations
from modular.infer.targets import model_of
from modular.project.project import Project
from modular.rules.classes.methods import find_methods
from modular.rules.names.renaming import Renamer
from modular.run.api import Options
from modular.run.selection import relative_to_root
from modular.source.blocks import Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean
from modular.source.diffs import compare
from modular.source.loading import load, read_module, syntax_problem
from modular.source.module import Module
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
        reason: Why it comes before the next neighbour, if similarity does not tell.
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
    reason: str = ""


@dataclass(frozen=True)
class QueryResult:
    """A queried class, function or method and its neighbours.

    Attributes:
        name: Its name in the file.
        neighbours: The neighbours, nearest first.
        diff: The diff from the nearest one, renamed, if one was asked for.
    """

    name: str
    neighbours: tuple[Neighbour, ...]
    diff: str = ""


@dataclass(frozen=True)
class NearestReport:
    """The results for the definitions of a file, in order.

    The diagnostics say what is wrong with the target, or which library files cannot be
    read.
    """

    results: tuple[QueryResult, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def nearest(
    target: str,
    *,
    before: Sequence[str] = (),
    with_diff: bool = False,
    options: Options = Options(),
) -> NearestReport:
    """Return the library code that is closest to the definitions of a file.

    Args:
        target: The path of a file, or `FILE:CLASS` or `FILE:CLASS.METHOD`.
        before: Models to exclude, with all models that depend on them.
        with_diff: Whether to compare each definition with the nearest one.
        options: The options of the run.

    Raises:
        modular.settings.settings.SettingsError: The settings are wrong.
    """
    project = options.open()
    file, name = target, ""
    if not Path(target).exists():
        file, _, name = target.partition(":")
    relative_path = relative_to_root(project, file)
    path = relative_path or file
    module = _read_target(project, file, relative_path)
    if isinstance(module, Diagnostic):
        return NearestReport((), (module,))

    model = model_of(project, path) or PurePosixPath(path).stem
    models = _parent_models(project, path, before, options)
    ranking = Ranking(models, module, model)
    queries = []
    for fragment in ranking.fragments:
        is_definition = fragment.kind != METHOD
        if fragment.name == name or (not name and is_definition):
            queries.append(fragment)
    problems = models.index.report_unknown(before)
    if not queries:
        problems.insert(0, _report_missing(ranking, path, name))
    if problems:
        return NearestReport((), tuple(problems))

    results = []
    for query in queries:
        similar = _find_similar(ranking, query)
        reasons = ranking.explain_order(query, similar)
        query_methods = ranking.methods.get(query.name, {})
        neighbours = []
        for candidate, reason in zip(similar, reasons, strict=True):
            neighbours.append(_neighbour(query_methods, candidate, reason))
        diff = ""
        if with_diff and similar:
            diff = _diff_from(project, similar[0], module, model, query.name)
        results.append(QueryResult(query.name, tuple(neighbours), diff))
    return NearestReport(tuple(results), tuple(models.index.find_unreadable_files()))


def _read_target(
    project: Project, file: str, relative_path: str | None
) -> Module | Diagnostic:
    """Read the queried file, which may be outside the project."""
    if relative_path is None:
        loaded = load(Path(file), file)
    else:
        loaded = project.load(relative_path, {})
    path = relative_path or file
    if loaded.problem is None:
        problem = syntax_problem(loaded.text, path)
        if problem is not None:
            return problem
    return read_module(path, loaded)


def _parent_models(
    project: Project, path: str, before: Sequence[str], options: Options
) -> ParentModels:
    """Return the models whose code a file can be compared with.

    The file's own model, the models ``before``, those that depend on either, and those
    that the settings leave out are excluded.
    """
    index_folder = cache_folder() if options.cache else None
    index = read_index(project, index_folder, options.source_library)
    relations = read_relations(project, options.source_library)
    folder = path.rpartition("/")[0]
    excluded = index.folders_of(project.settings.infer_leave_out)
    excluded |= relations.with_dependents([folder, *index.folders_of(before)])
    return ParentModels(index, relations, excluded)


def _report_missing(ranking: Ranking, path: str, name: str) -> Diagnostic:
    """Return the diagnostic of a file without the queried definition."""
    message = "the file has no classes or functions"
    if name:
        message = f"no class, function or method `{name}`"
    names = [fragment.name for fragment in ranking.fragments]
    hint = did_you_mean(name, names) or "check the name"
    return Diagnostic(Problem.NOT_FOUND, Place(path), message, hint)


def _find_similar(ranking: Ranking, query: Fragment) -> list[SimilarFragment]:
    """Return the nearest fragments that are similar enough to be listed."""
    nearest_fragments = ranking.find_nearest(query, MAX_NEIGHBOURS)
    return [
        fragment
        for fragment in nearest_fragments
        if fragment.similarity >= MIN_SIMILARITY
    ]


def _neighbour(
    query_methods: Mapping[str, Fragment], similar: SimilarFragment, reason: str
) -> Neighbour:
    """Return a similar fragment as a neighbour, with its methods compared.

    Args:
        query_methods: The methods of the queried class by name.
        similar: The similar fragment.
        reason: Why it comes before the next neighbour.
    """
    file = similar.file
    methods = file.methods.get(similar.fragment.name, {})
    equal: list[str] = []
    different: list[str] = []
    new: list[str] = []
    for name, method in query_methods.items():
        if name not in methods:
            new.append(name)
        elif methods[name].digest == method.digest:
            equal.append(name)
        else:
            different.append(name)
    return Neighbour(
        path=file.path,
        model=file.model,
        name=similar.fragment.name,
        similarity=round(similar.similarity, 3),
        equal_methods=tuple(equal),
        different_methods=tuple(different),
        missing_methods=tuple(name for name in methods if name not in query_methods),
        new_methods=tuple(new),
        copies=similar.copies,
        reason=reason,
    )


def _diff_from(
    project: Project, similar: SimilarFragment, module: Module, model: str, query: str
) -> str:
    """Return the diff from a similar fragment, renamed, to the queried one.

    Args:
        project: The project.
        similar: The similar fragment.
        module: The queried file.
        model: The name of its model.
        query: The name of the queried fragment.
    """
    path = similar.file.path
    source = Sources(project, {}).parent(path)
    cased = project.names.cased(model)
    renamed = source.renamed(Renamer(source.name_forms, model, cased, model))
    bindings = renamed.definitions.by_name()
    statements = {}
    for statement in module.block.statements:
        statements[statement.name] = statement

    name, _, method = similar.fragment.name.partition(".")
    query_name, _, query_method = query.partition(".")
    old = _text_of(bindings[renamed.renamer.word(name)].statement, method)
    new = _text_of(statements[query_name], query_method)
    diff = compare(old, new)
    return diff.text(f"{path}:{similar.fragment.name}", f"{module.path}:{query}")


def _text_of(statement: Statement, method: str) -> str:
    """Return the text of a definition, or of a method of a class."""
    if method:
        body = view_definition(statement).body
        statement = find_methods(body.statements)[method].statement
    return statement.bare_code.text
