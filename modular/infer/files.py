"""Selects the flat files of a model that one modular file can generate."""

from collections.abc import Iterable, Sequence

from modular.infer.equivalence import normal_form
from modular.infer.flat import (
    DEFINING,
    FlatFile,
    FlatModel,
    Remark,
    make_flat_model,
)
from modular.infer.targets import InferTarget
from modular.project import file_types
from modular.project.project import Project
from modular.rules.files.drafts import ALL
from modular.rules.files.exports import has_only_literal_names
from modular.settings.settings import CONFIGURATION, MODELING
from modular.source.assignments import item_owner
from modular.source.blocks import Kind, Statement
from modular.source.import_statements import import_of


def select_files(
    project: Project, target: InferTarget, files: Sequence[FlatFile]
) -> FlatModel:
    """Return the files that one modular file can generate, and the others with reasons.

    Two files with different classes of the same name cannot both be generated. The first
    of them in this order is selected: files whose type does not copy classes of another
    type, then the longer file.

    Args:
        project: The project.
        target: The model.
        files: All of its flat files.
    """
    cased = project.names.cased(target.model)
    copying_types = project.settings.copied_instead_of_imported

    def originals_and_longer_first(file: FlatFile) -> tuple[bool, int, str]:
        """Return a sort key of a file."""
        return file.file_type in copying_types, -file.line_count, file.path

    selected: list[FlatFile] = []
    # By path, why a file cannot be generated. It stays hand-written.
    by_hand: dict[str, Remark] = {}
    for file in sorted(files, key=originals_and_longer_first):
        unsupported = _find_unsupported(project, cased, file)
        problem = unsupported or _find_conflict(file, selected)
        if problem is None:
            selected.append(file)
        else:
            by_hand[file.path] = problem

    # A file with classes of another file, such as `image_processing_pil.py` with copies
    # from `image_processing.py`, can only be generated together with that file. This is
    # repeated, because a third file may have copies from a file that is removed.
    while problem := _find_class_of_other_file(project, cased, selected):
        by_hand[problem.path] = problem
        selected = [file for file in selected if file.path not in by_hand]

    return make_flat_model(
        project,
        target.model,
        target.modular,
        _configuration_first(selected),
        [by_hand[path] for path in sorted(by_hand)],
    )


def _configuration_first(files: Iterable[FlatFile]) -> list[FlatFile]:
    """Return files in order: the configuration, the modeling file, then others by type."""

    def sort_key(file: FlatFile) -> tuple[bool, bool, str]:
        """Return a key that is lowest for the file that comes first."""
        file_type = file.file_type
        # False is sorted before True.
        return file_type != CONFIGURATION, file_type != MODELING, file_type

    return sorted(files, key=sort_key)


def _find_unsupported(project: Project, cased: str, file: FlatFile) -> Remark | None:
    """Return the first code of a file that the converter cannot generate, or None.

    Because of it, the file must stay hand-written.

    Args:
        project: The project.
        cased: The model's name in class names, such as `MyModel`.
        file: The file.
    """
    names_above: set[str] = set()
    for statement in file.module.block.statements:
        is_defined_again = statement.kind in DEFINING and statement.name in names_above
        if is_defined_again:
            reason = f"`{statement.name}` is defined twice"
        else:
            reason = unsupported_statement(project, cased, file.file_type, statement)
        if reason:
            return Remark(file.path, file.line_of(statement), reason)
        names_above.add(statement.name)
    if not file.classes:
        return Remark(file.path, 1, "a file without classes is not generated")

    exports = file.special(ALL)
    if exports is None:
        return None
    line = file.line_of(exports)
    if not has_only_literal_names(exports):
        return Remark(file.path, line, "the list `__all__` is computed")
    for name in file.exports:
        if file_types.of_class(name, cased, project.settings) != file.file_type:
            reason = f"`__all__` lists `{name}`, whose name belongs in another file"
            return Remark(file.path, line, reason)
    return None


def unsupported_statement(
    project: Project, cased: str, file_type: str, statement: Statement
) -> str:
    """Return why a statement cannot be generated in a file of this type, or "".

    A modeling file, for example, cannot contain `print("hello")`, or the class
    `MyModelConfig`, which belongs in the configuration file.

    Args:
        project: The project.
        cased: The model's name in class names, such as `MyModel`.
        file_type: The type of the file that the statement is in, such as `modeling`.
        statement: A statement at module level.
    """
    # `TABLE["x"] = 1` is generated together with `TABLE`.
    is_item_assignment = bool(item_owner(statement))
    if statement.kind is Kind.OTHER and not is_item_assignment:
        return "statements that are not definitions are not generated"
    if statement.kind is Kind.IMPORT:
        return _unsupported_import(project, statement)
    if statement.kind is Kind.CLASS:
        settings = project.settings
        class_type = file_types.of_class(statement.name, cased, settings)
        # Files of some types copy the classes of another type, instead of importing
        # them.
        copied_type = settings.copied_instead_of_imported.get(file_type)
        if class_type not in (file_type, copied_type):
            return f"`{statement.name}` belongs in the {class_type} file"
    return ""


def _unsupported_import(project: Project, statement: Statement) -> str:
    """Return why a modular file cannot contain an import, or "" if it can.

    In transformers itself, no model may have `from transformers import Cache`. In a
    project whose source library is transformers, models may have this import.
    """
    imported = import_of(statement)
    if imported is None:
        return "this import cannot be read"
    is_project_the_library = project.library is None
    library = project.settings.library_name
    is_from_package = imported.level == 0 and imported.module == library
    if is_project_the_library and is_from_package:
        return (
            f"a modular file cannot import from the package `{library}` itself: "
            "import from the file that defines the name"
        )
    return ""


def _find_conflict(file: FlatFile, selected: Iterable[FlatFile]) -> Remark | None:
    """Return the first class of a file that another file defines differently, or None.

    One modular file cannot generate both, so the file must stay hand-written.

    Args:
        file: The file.
        selected: The files that are selected already.
    """
    for other_file in selected:
        for class_ in file.classes:
            other_class = other_file.definitions.get(class_.name)
            if other_class is None:
                continue
            if normal_form(other_class.code) != normal_form(class_.code):
                reason = (
                    f"`{class_.name}` differs from the class of the same name "
                    f"in `{other_file.path}`"
                )
                return Remark(file.path, file.line_of(class_), reason)
    return None


def _find_class_of_other_file(
    project: Project, cased: str, files: Sequence[FlatFile]
) -> Remark | None:
    """Return the first class that would be generated into none of some files, or None.

    The name of a class decides into which file it is generated. For example,
    `image_processing_pil.py` may have a copy of `MyModelImageProcessor`, which belongs in
    `image_processing.py`.

    Args:
        project: The project.
        cased: The model's name in class names, such as `MyModel`.
        files: The selected files.
    """
    types = {file.file_type for file in files}
    for file in files:
        for class_ in file.classes:
            class_type = file_types.of_class(class_.name, cased, project.settings)
            if class_type not in types:
                reason = f"`{class_.name}` belongs in the {class_type} file"
                return Remark(file.path, file.line_of(class_), reason)
    return None
