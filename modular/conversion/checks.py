"""What keeps a modular file from being converted: its parent files, and the names that are imported from them."""

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from modular.conversion.sources import Sources
from modular.flatten import autofixes
from modular.lint.renamed_parents import likely_name
from modular.project import library as libraries
from modular.project.naming import MODULAR
from modular.project.project import Project
from modular.rules.files import file_types
from modular.rules.reading.model_imports import (
    check_imported_names,
    check_library_imports,
)
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import ParentSource
from modular.settings.settings import MODELS
from modular.source import fixes
from modular.source.blocks import Kind
from modular.source.diagnostics import (
    Diagnostic,
    Fix,
    Problem,
    did_you_mean,
    has_errors,
    nearest,
)
from modular.source.import_statements import Import
from modular.source.loading import load
from modular.source.parts import view_definition
from modular.source.places import place_of_module, place_of_word


_DOTS = {2: "two dots", 3: "three dots"}
"""Leading dots of model imports."""


def check(
    sources: Sources, modular: ModularFile, missing: tuple[str, ...]
) -> list[Diagnostic]:
    """Find all that keeps the file from being converted, as far as its parent files are there."""
    problems = check_library_imports(
        modular,
        sources.project.settings,
        lambda name: _find_import(sources.project, name),
    )
    for path, import_ in modular.model_imports:
        if path in missing:
            problems.append(_missing_parent(sources, modular.path, path, import_))
        elif (problem := sources.problem(path)) is not None:
            problems.append(problem._replace(related=place_of_module(import_)))
    present = (path for path in modular.parent_paths if path not in missing)
    readable = {
        path: sources.parent(path) for path in present if sources.problem(path) is None
    }

    def likely(parent: ParentSource, name: str) -> str | None:
        return likely_name(sources.project, modular, parent, name, sources.scanned)

    problems += check_imported_names(
        modular, readable, sources.project.settings, likely
    )
    if has_errors(problems):
        problems += sources.broken(readable)
    return problems + _with_two_parents(modular)


def _find_import(project: Project, name: str) -> str | None:
    """Return the module, as a modular file names it in an import, of the first model file that defines a name.

    Looked at first are the models by whose names the name begins. None if no file defines it.
    """
    places = [("..", folder) for folder in project.model_folders]
    if project.library is not None and project.library.is_found:
        package = f"{project.settings.library_name}.{MODELS}."
        places += [
            (package, folder)
            for folder in project.library.models.iterdir()
            if folder.is_dir()
        ]
    definition = re.compile(
        rf"^(?:class|def|async def) +{re.escape(name)}\b", re.MULTILINE
    )

    def rank(place: tuple[str, Path]) -> tuple[bool, int, str]:
        model = place[1].name.replace("_", "")
        return not name.lower().startswith(model), -len(model), place[1].name

    for package, folder in sorted(places, key=rank):
        for file in sorted(folder.glob("*.py")):
            is_model_file = file_types.of_file(file.stem, project.settings) is not None
            if is_model_file and definition.search(load(file, file.name).text):
                return f"{package}{folder.name}.{file.stem}"
    return None


def _missing_parent(
    sources: Sources, modular: str, path: str, statement: Import
) -> Diagnostic:
    """Report a parent file that is not there."""
    hint, modules = _instead_of(sources, modular, path, statement)
    written = tuple(fixes.write_module(statement, module) for module in modules)
    place = place_of_module(statement)
    return Diagnostic(
        Problem.PARENT_FILE_NOT_FOUND,
        place,
        f"no parent file `{path}`",
        hint,
        fixes=written,
    )


def _instead_of(
    sources: Sources, modular: str, path: str, statement: Import
) -> tuple[str, Sequence[str]]:
    """Return what to do about a parent file that is not there, and the modules, dots included, that may have been meant."""
    if generator := sources.project.generator(path):
        return (
            f"`{generator}` would generate it: correct its errors, or define there what the file should hold",
            (),
        )
    for level, dots in _DOTS.items() if statement.level else ():
        there = statement._replace(level=level)
        if any(map(sources.exists, sources.project.resolve(modular, there))):
            return f"write {dots}: `{there.source}`", [there.source]
    library = sources.project.library_of(path)
    if library is not None and not library.is_found:
        hint = f"is not in {libraries.describe_searched_folders(sources.project.root)}: install it, or name its folder"
        return f"`{library.name}` {hint} in the setting `source-library`", ()
    folder, stem = sources.project.locate(path).parent, PurePosixPath(path).stem
    package = statement.source.removesuffix(f"{folder.name}.{stem}")
    if not folder.is_dir():
        known = [entry.name for entry in folder.parent.glob("*") if entry.is_dir()]
        models = nearest(folder.name, known) if stem.endswith(folder.name) else ()
        hint = (
            did_you_mean(folder.name, known) or "there is no such model: check its name"
        )
        return hint, [
            f"{package}{model}.{stem.removesuffix(folder.name)}{model}"
            for model in models
        ]
    present = [
        entry.stem
        for entry in folder.glob("*_*.py")
        if entry.is_file() and not entry.name.startswith((MODULAR, "_"))
    ]
    listed = ", ".join(f"`{entry}`" for entry in sorted(present)) or "no model files"
    hint = did_you_mean(stem, present) or f"`{folder.name}` has {listed}"
    return hint, [f"{package}{folder.name}.{entry}" for entry in nearest(stem, present)]


def _with_two_parents(modular: ModularFile) -> list[Diagnostic]:
    problems = []
    for definition in modular.definitions.classes.values():
        parents = modular.parents_of(definition.name)
        if len(parents) > 1:
            message = f"`{definition.name}` has {len(parents)} parent classes: {', '.join(f'`{parent}`' for parent in parents)}"
            hint = "inherit from one of them, and write out what you need of the others"
            place = place_of_word(
                view_definition(definition.statement).header, parents[1]
            )
            kept = autofixes.keep_one_parent(
                view_definition(definition.statement), parents
            )
            without_imports = (
                _without_unused_imports(modular, definition.name, parent, fix)
                for parent, fix in zip(parents, kept, strict=True)
            )
            problems.append(
                Diagnostic(
                    Problem.TWO_PARENTS,
                    place,
                    message,
                    hint,
                    fixes=tuple(without_imports),
                )
            )
    return problems


def _without_unused_imports(
    modular: ModularFile, child: str, parent: str, fix: Fix
) -> Fix:
    """Add to a fix that keeps one parent class the removal of the other imports that nothing else uses."""
    removed = set(modular.parents_of(child)) - {parent}
    child_statement = modular.definitions.classes[child].statement
    for statement in modular.module.block.statements:
        if statement.kind is Kind.IMPORT:
            continue
        if statement is not child_statement:
            removed -= statement.words
            continue
        view = view_definition(statement)
        removed -= view.decorators.words()
        for member in view.body.statements:
            removed -= member.words
    drops = fixes.drop_imports(modular.module.imports, removed)
    return fixes.joined(fix.title, (fix, *drops))
