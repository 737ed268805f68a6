"""Relative imports that lead out of the output folder, where what is generated goes to a folder of its own."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from modular.lint.subject import Subject
from modular.rules.renamed_file import RenamedFile
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.import_statements import Import
from modular.source.places import place_of_module


def find(subject: Subject) -> Iterator[Diagnostic]:
    """Report them, each once, where there is no such module seen from the output folder."""
    output = subject.project.settings.output
    if not output:
        return
    seen: set[str] = set()
    for module in subject.heads.values():
        folder = PurePosixPath(module.path).parent
        for each in module.imports:
            if each.source in seen or not _leads_out(folder, output, each) or _is_there(subject, folder, each):
                continue
            seen.add(each.source)
            place, related = _origin(subject, each)
            message = f"seen from `{folder}`, `{each.source}` leads out of `{output}`, and there is no such module"
            hint = "import it by an absolute name, in the modular file"
            yield Diagnostic(Problem.IMPORT_LEADS_OUT, place, message, hint, related)


def _leads_out(folder: PurePosixPath, output: str, each: Import) -> bool:
    return each.level - 1 > len(folder.relative_to(output).parts)


def _is_there(subject: Subject, folder: PurePosixPath, each: Import) -> bool:
    if each.level > len(folder.parts) + 1:
        return False
    target = (folder, *folder.parents)[each.level - 1].joinpath(*filter(None, (each.module or "").split(".")))
    return subject.exists(f"{target}.py") or subject.project.locate(str(target)).is_dir()


def _origin(subject: Subject, each: Import) -> tuple[Place, Place | None]:
    """Where the modular file imports the same, or a parent file whose import it brings, and that file's import."""
    for one in subject.modular.module.imports:
        if one.source == each.source:
            return place_of_module(one), None
    for path, statement in subject.modular.model_imports:
        if (brought := _of_parent(subject.layout.parents[path], each.source)) is not None:
            return place_of_module(statement), brought
    return Place(subject.modular.path), None


def _of_parent(parent: RenamedFile, source: str) -> Place | None:
    return next((place_of_module(each) for each in parent.imports if each.source == source), None)
