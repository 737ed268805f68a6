"""What `modular nearest` calls: which classes, functions and methods of the library are closest to those of a file."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from modular.cache import result_cache
from modular.infer.fragments import METHOD, Fragment, Piece, fragments
from modular.infer.index import IndexedFile, folders_of, methods_of, read_index
from modular.infer.ranking import About, Near, rank
from modular.infer.relations import read_relations, year
from modular.infer.targets import model_of
from modular.project.project import Project
from modular.rules.classes.methods import methods
from modular.run.api import Options
from modular.run.selection import relative_to_root
from modular.source import module as modules
from modular.source.blocks import Statement
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean
from modular.source.diffs import compare
from modular.source.loading import load, nesting_problem, syntax_problem
from modular.source.module import Module
from modular.source.parts import parts_of


MOST = 10
"""How many are listed for each class at most."""


@dataclass(frozen=True)
class Neighbour:
    """A class, function or method of the library that is close to the one asked for.

    ``same`` and ``different`` are the methods of both that are equal, names aside, or not; ``missing`` those that only the
    library's class has, ``new`` those that it does not have. ``diff`` leads from it, renamed, to the one asked for.
    """

    path: str
    model: str
    name: str
    similarity: float
    same: tuple[str, ...] = ()
    different: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    diff: str = ""


@dataclass(frozen=True)
class Asked:
    """A class, function or method of a file, with its neighbours, the nearest first."""

    name: str
    kind: str
    nearest: tuple[Neighbour, ...]


@dataclass(frozen=True)
class NearestReport:
    """What is near to the classes and functions of a file, in its order; or what is wrong."""

    root: Path
    asked: tuple[Asked, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def nearest(
    target: str, *, before: Sequence[str] = (), with_diff: bool = False, options: Options = Options()
) -> NearestReport:
    """Return what of the library is nearest to the classes and functions of ``FILE``, ``FILE:CLASS`` or a method.

    ``before`` are models that count as not there yet, and so do all that depend on them. Raises `settings.SettingsError`.
    """
    project = options.open()
    file, _, name = target.partition(":") if not Path(target).exists() else (target, "", "")
    path = relative_to_root(project, file) or file
    loaded = load(Path(file), path)
    problem = loaded.problem or syntax_problem(loaded.text, path)
    if problem is None:
        module = modules.read(path, loaded.text)
        problem = nesting_problem(module.code.text, module.code.mask, path)
    if problem is not None:
        return NearestReport(project.root, (), (problem,))
    search = _Nearest(project, module, path, options)
    return search.report(name, before, with_diff)


class _Nearest:
    """The search for what is near to one file."""

    def __init__(self, project: Project, module: Module, path: str, options: Options) -> None:
        self.project = project
        self.module = module
        self.path = path
        self.model = model_of(project, path) or PurePosixPath(path).stem
        self.cased = project.names.cased(self.model)
        cache = result_cache.folder() if options.cache else None
        self.index = read_index(project, cache, options.source_library)
        self.relations = read_relations(project, options.source_library)

    def report(self, name: str, before: Sequence[str], with_diff: bool) -> NearestReport:
        """Rank what is near to all classes and functions, or to the one with this name."""
        found = list(fragments(self.module, self.model, self.cased))
        asked = [each for each in found if (each.name == name if name else each.kind != METHOD)]
        problems = self._problems(name, found, asked, before)
        if problems:
            return NearestReport(self.project.root, (), tuple(problems))
        left_out = self.relations.with_dependents(self.path.rpartition("/")[0])
        left_out |= folders_of(self.index, self.project.settings.infer_leave_out)
        for folder in folders_of(self.index, before):
            left_out |= self.relations.with_dependents(folder)
        about = About(self.model, year(self.module.header.text), found)
        ranked = rank(self.index, asked, left_out, self.relations.uses(left_out), MOST, about)
        own = methods_of(found)
        answers = (
            Asked(each.name, each.kind, tuple(self._neighbour(each, near, own, with_diff) for near in nears))
            for each, nears in zip(asked, ranked, strict=True)
        )
        return NearestReport(self.project.root, tuple(answers))

    def _problems(
        self, name: str, found: Sequence[Fragment], asked: Sequence[Fragment], before: Collection[str]
    ) -> list[Diagnostic]:
        problems = []
        if not asked:
            hint = did_you_mean(name, (each.name for each in found)) or "check the name"
            message = f"no class, function or method `{name}`" if name else "the file has no classes or functions"
            problems.append(Diagnostic(Problem.NOT_FOUND, Place(self.path), message, hint))
        known = {PurePosixPath(file.folder).name for file in self.index.files}
        for model in before:
            if model not in known:
                hint = did_you_mean(model, known) or "check the name"
                problems.append(Diagnostic(Problem.NOT_FOUND, Place(model), "no such model", hint))
        return problems

    def _neighbour(
        self, asked: Fragment, near: Near, own: Mapping[str, Mapping[str, Piece]], with_diff: bool
    ) -> Neighbour:
        mine, its = own.get(asked.name, {}), near.file.methods.get(near.fragment.name, {})
        both = [key for key in mine if key in its]
        return Neighbour(
            near.file.path,
            near.file.model,
            near.fragment.name,
            round(near.similarity, 3),
            tuple(key for key in both if mine[key].digest == its[key].digest),
            tuple(key for key in both if mine[key].digest != its[key].digest),
            tuple(key for key in its if key not in mine),
            tuple(key for key in mine if key not in its),
            self._diff(asked, near.file, near.fragment.name) if with_diff else "",
        )

    def _diff(self, asked: Fragment, file: IndexedFile, name: str) -> str:
        from modular.conversion.converter import Converter  # it reads LibCST, which only this asks for
        from modular.rules.names.renaming import Renamer
        from modular.rules.renamed_file import RenamedFile

        source = Converter(self.project, {}).parent(file.path)
        renamed = RenamedFile(source, Renamer(source.spelling, self.model, self.cased, self.model))
        theirs = {node.name: node.statement for node in renamed.definitions.nodes().values()}
        mine = {each.name: each for each in self.module.block.statements if each.name}
        word, _, key = name.partition(".")
        old = _text(theirs[renamed.renamer.word(word)], key)
        new = _text(mine[asked.name.partition(".")[0]], asked.name.partition(".")[2])
        return compare(old, new).text(f"{file.path}:{name}", f"{self.path}:{asked.name}")


def _text(statement: Statement, key: str) -> str:
    if key:
        statement = methods(parts_of(statement).body.statements)[key].statement
    return statement.own.text
