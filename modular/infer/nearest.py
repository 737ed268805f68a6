"""What `modular nearest` calls: which classes, functions and methods of the library are closest to those of a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from modular.cache import result_cache
from modular.conversion.sources import Sources
from modular.infer.files import model_of
from modular.infer.fragments import METHOD, Fragment
from modular.infer.index import ParentModels, read_index
from modular.infer.ranking import Ranking, Similar
from modular.infer.relations import read_relations
from modular.project.project import Project
from modular.rules.classes.methods import methods
from modular.rules.names.renaming import Renamer
from modular.run.api import Options
from modular.run.selection import relative_to_root
from modular.source.blocks import Statement
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean
from modular.source.diffs import compare
from modular.source.loading import load, read_module, syntax_problem
from modular.source.module import Module
from modular.source.parts import view_definition


MOST = 10
"""How many are listed for each class at most."""


@dataclass(frozen=True)
class Neighbour:
    """A class, function or method of the library that is close to the one asked for.

    ``same`` and ``different`` are the methods of both that are equal, names aside, or not; ``missing`` those that only the
    library's class has, ``new`` those that it does not have. ``reason`` says why it is before the next one, where that is not
    less similar.
    """

    path: str
    model: str
    name: str
    similarity: float
    same: tuple[str, ...] = ()
    different: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Asked:
    """A class, function or method of a file, with its neighbours, the nearest first.

    ``diff`` leads from that one, renamed, to this, where it was asked for.
    """

    name: str
    nearest: tuple[Neighbour, ...]
    diff: str = ""


@dataclass(frozen=True)
class NearestReport:
    """What is near to the classes and functions of a file, in its order.

    ``diagnostics`` say what is wrong with the question, or which files of the library cannot be read.
    """

    asked: tuple[Asked, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def nearest(
    target: str,
    *,
    before: Sequence[str] = (),
    with_diff: bool = False,
    options: Options = Options(),
) -> NearestReport:
    """Return what of the library is nearest to the classes and functions of ``FILE``, ``FILE:CLASS`` or a method.

    ``before`` are models that count as not there yet, and so do all that depend on them. Raises `settings.SettingsError`.
    """
    project = options.open()
    file, _, name = (
        target.partition(":") if not Path(target).exists() else (target, "", "")
    )
    inside = relative_to_root(project, file)
    path = inside or file
    loaded = load(Path(file), path) if inside is None else project.load(inside, {})
    module = (
        loaded.problem or syntax_problem(loaded.text, path) or read_module(path, loaded)
    )
    if isinstance(module, Diagnostic):
        return NearestReport((), (module,))
    model = model_of(project, path) or PurePosixPath(path).stem
    index = read_index(
        project,
        result_cache.folder() if options.cache else None,
        options.source_library,
    )
    relations = read_relations(project, options.source_library)
    left_out = index.folders_of(project.settings.infer_leave_out)
    left_out |= relations.with_dependents(
        [path.rpartition("/")[0], *index.folders_of(before)]
    )
    models = ParentModels(
        index, left_out, relations.uses(left_out), relations.precedence(index.years)
    )
    ranking = Ranking(models, module, model)
    asked = [
        one
        for one in ranking.fragments
        if (one.name == name if name else one.kind != METHOD)
    ]
    problems = [
        *(() if asked else (_nothing(ranking, path, name),)),
        *index.unknown(before),
    ]
    if problems:
        return NearestReport((), tuple(problems))
    answers = []
    for fragment in asked:
        similar = ranking.nearest(fragment, MOST)
        diff = (
            _diff(project, module, model, fragment.name, similar[0])
            if with_diff and similar
            else ""
        )
        neighbours = [
            _neighbour(ranking.methods.get(fragment.name, {}), near, reason)
            for near, reason in zip(
                similar, ranking.reasons(fragment, similar), strict=True
            )
        ]
        answers.append(Asked(fragment.name, tuple(neighbours), diff))
    return NearestReport(tuple(answers), tuple(index.find_unreadable_files()))


def _nothing(ranking: Ranking, path: str, name: str) -> Diagnostic:
    """Report that there is nothing with a name in the file."""
    hint = (
        did_you_mean(name, (fragment.name for fragment in ranking.fragments))
        or "check the name"
    )
    message = (
        f"no class, function or method `{name}`"
        if name
        else "the file has no classes or functions"
    )
    return Diagnostic(Problem.NOT_FOUND, Place(path), message, hint)


def _neighbour(
    mine: Mapping[str, Fragment], similar: Similar, reason: str
) -> Neighbour:
    """Compare the methods of both."""
    file, name = similar.file, similar.fragment.name
    its = file.methods.get(name, {})
    both = [key for key in mine if key in its]
    return Neighbour(
        file.path,
        file.model,
        name,
        round(similar.similarity, 3),
        tuple(key for key in both if mine[key].digest == its[key].digest),
        tuple(key for key in both if mine[key].digest != its[key].digest),
        tuple(key for key in its if key not in mine),
        tuple(key for key in mine if key not in its),
        reason,
    )


def _diff(
    project: Project, module: Module, model: str, asked: str, near: Similar
) -> str:
    path, name = near.file.path, near.fragment.name
    source = Sources(project, {}).parent(path)
    renamed = source.renamed(
        Renamer(source.name_forms, model, project.names.cased(model), model)
    )
    theirs = {
        node.name: node.statement for node in renamed.definitions.nodes().values()
    }
    mine = {
        statement.name: statement
        for statement in module.block.statements
        if statement.name
    }
    word, _, key = name.partition(".")
    own_word, _, own_key = asked.partition(".")
    old, new = (
        _text(theirs[renamed.renamer.word(word)], key),
        _text(mine[own_word], own_key),
    )
    return compare(old, new).text(f"{path}:{name}", f"{module.path}:{asked}")


def _text(statement: Statement, key: str) -> str:
    if key:
        statement = methods(view_definition(statement).body.statements)[key].statement
    return statement.own.text
