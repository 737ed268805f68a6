"""Completes imports, base classes, methods to override and attributes in `del self.`."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from lsprotocol import types as lsp

from modular.lsp import inheritance, syntax
from modular.lsp.positions import line_at
from modular.lsp.project_file import ProjectFile
from modular.rules.classes.methods import find_methods
from modular.rules.reading.modular_file import ModularFile
from modular.semantics.imports import parent_files
from modular.source.blocks import Kind
from modular.source.definition_view import (
    DefinitionView,
    class_named,
    view_definition,
)


_FROM = re.compile(r"\s*from\s+(\.+|[\w.]*\.)([\w.]*)\Z")
_NAMES = re.compile(r"from\s+(\.*)([\w.]+)\s+import\s*\(?[\w\s,]*\Z")
_DEL = re.compile(r"\s*del\s(?:[\w\s.,]*,)?\s*self\.(\w*)\Z")
_BASE = re.compile(r"class\s+\w+\((?:[\w\s.,]*,)?\s*\w*\Z")
_METHOD = re.compile(r"\s+(?:async\s+)?def\s+\w*\Z")
"""Patterns of the text before the cursor, which may not be Python yet."""

_MAX_IMPORT_LINES = 40
"""Number of lines of an import statement that are searched."""

_KINDS = {
    Kind.CLASS: lsp.CompletionItemKind.Class,
    Kind.FUNCTION: lsp.CompletionItemKind.Function,
    Kind.ASSIGNMENT: lsp.CompletionItemKind.Variable,
}


def completions(
    file: ProjectFile, params: lsp.CompletionParams
) -> list[lsp.CompletionItem]:
    """Return the completions at the cursor of a modular file.

    These are only completions that depend on parent files. Language servers for Python
    complete everything else.
    """
    if not file.is_modular:
        return []
    cursor = file.cursor_position(params.position)

    lines = file.workspace.lines(file.path)[: cursor.line]
    text_before = line_at(lines, cursor.line)[: cursor.column - 1]

    # After `class A(`.
    modular = file.workspace.last_readable_file(file.path)
    if modular is not None and _BASE.match(text_before):
        return list(_bases(file, modular))

    # After `del self.` or `def` in a class with a parent.
    class_name, method = _enclosing_names(lines)
    parent = inheritance.first_parent(file.workspace, modular, class_name)
    if modular is not None and parent is not None:
        if _DEL.match(text_before):
            return _deletable_attributes(parent, method)
        if _METHOD.match(text_before):
            return list(_methods(modular, class_name, parent))

    # After `from ..`.
    module_match = _FROM.match(text_before)
    if module_match is not None:
        module_prefix = module_match[1] + module_match[2]
        return list(_modules(file, module_prefix))

    # After `from ..llama.modeling_llama import (`, which can be some lines above.
    import_text = "\n".join([*lines[-_MAX_IMPORT_LINES:-1], text_before])
    names_match = _NAMES.search(import_text)
    if names_match is not None:
        dots, module = names_match.groups()
        return list(_names(file, len(dots), module))
    return []


def _deletable_attributes(
    parent: DefinitionView, method: str
) -> list[lsp.CompletionItem]:
    """Return the attributes that `del self.` can name in a method of a child class.

    These are the attributes that the parent's method assigns.
    """
    kind = lsp.CompletionItemKind.Field
    detail = f"{parent.name}.{method}"
    attributes = syntax.assigned_attributes(parent, method)
    return [lsp.CompletionItem(name, kind=kind, detail=detail) for name in attributes]


def _modules(file: ProjectFile, module_prefix: str) -> Iterator[lsp.CompletionItem]:
    """Yield the models, or the files of a model, that an import can continue with.

    - After `from ..llama.`, these are files such as `modeling_llama`.
    - After `from .`, if all models share a folder, these are files as well.
    - After `from ..` in other projects, these are models such as `llama`.

    Args:
        file: The modular file with the import.
        module_prefix: The text after `from`, such as `..llama.`.
    """
    dots = len(module_prefix) - len(module_prefix.lstrip("."))
    # The part after the last dot is still being typed: `..llama.mod` has `llama` only.
    packages = module_prefix[dots:].split(".")[:-1]

    has_model_folders = file.workspace.project.settings.file_names.has_model_folders
    may_mean_model_folder = bool(packages) or not has_model_folders
    if may_mean_model_folder:
        # `from ..llama.`, or `from .` if all models share a folder.
        folders = _package_folders(file, dots, packages)
        if any(folder.is_dir() for folder in folders.values()):
            yield from _files_of_other_models(file, folders)
            return

    # `from ..` or `from ...models.`
    for models_folder in _models_folders(file, dots, packages):
        yield from _other_models(file, models_folder)


def _models_folders(
    file: ProjectFile, dots: int, packages: Iterable[str]
) -> Iterator[Path]:
    """Yield the existing models folders that a package such as `..` can mean.

    These are the parents of the folders that an invented model would have there.
    """
    invented_folders = _package_folders(file, dots, [*packages, "model"]).values()
    for invented_folder in invented_folders:
        models_folder = invented_folder.parent
        if models_folder.is_dir():
            yield models_folder


def _package_folders(
    file: ProjectFile, dots: int, packages: Iterable[str]
) -> dict[str, Path]:
    """Return the folders that a package such as `..llama` can mean, sorted.

    A project only tells which files an import can mean. So this asks for an invented
    file in the package, such as `..llama.modeling_model`, and returns its folders.

    Args:
        file: The modular file with the import.
        dots: The number of dots before the packages.
        packages: The names of the package and those that contain it.

    Returns:
        A map from the path of a folder in the project to its place on disk. The folder
        may not exist.
    """
    project = file.workspace.project
    settings = project.settings
    invented_file = settings.file_names.stem(settings.default_file_type, "model")
    module = ".".join([*packages, invented_file])
    folders = {}
    for path in sorted(parent_files(project, file.path, dots, module)):
        folders[str(PurePosixPath(path).parent)] = project.locate(path).parent
    return folders


def _other_models(
    file: ProjectFile, models_folder: Path
) -> Iterator[lsp.CompletionItem]:
    """Yield the models in a models folder, except for the model of a file."""
    model_of_file = PurePosixPath(file.path).parent.name
    for entry in sorted(models_folder.iterdir()):
        is_package = entry.name.isidentifier() and entry.name != "__pycache__"
        if is_package and entry.name != model_of_file and entry.is_dir():
            yield lsp.CompletionItem(entry.name, kind=lsp.CompletionItemKind.Module)


def _files_of_other_models(
    file: ProjectFile, folders: Mapping[str, Path]
) -> Iterator[lsp.CompletionItem]:
    """Yield the model files in some folders that do not belong to the model of a file.

    Args:
        file: The modular file that imports them.
        folders: The place of each folder on disk, by its path in the project. A folder
            may not exist.
    """
    project = file.workspace.project
    home_of_file = project.model_home(file.path)
    for folder_path, folder in folders.items():
        for entry in sorted(folder.glob("*.py")):
            path = f"{folder_path}/{entry.name}"
            is_model_file = project.settings.file_names.parse(entry.stem) is not None
            if is_model_file and project.model_home(path) != home_of_file:
                kind = lsp.CompletionItemKind.File
                yield lsp.CompletionItem(entry.stem, kind=kind, detail=path)


def _names(file: ProjectFile, dots: int, module: str) -> Iterator[lsp.CompletionItem]:
    """Yield the names that can be imported from a parent file, classes first.

    Args:
        file: The modular file with the import.
        dots: The number of dots before the name of the module.
        module: The name of the module, such as `llama.modeling_llama`.
    """
    workspace = file.workspace
    for path in parent_files(workspace.project, file.path, dots, module):
        if not workspace.converter.exists(path):
            continue
        statements = workspace.module(path).block.statements
        for kind, item_kind in _KINDS.items():
            names = [
                statement.name for statement in statements if statement.kind is kind
            ]
            # A name that is defined twice is offered once.
            for name in dict.fromkeys(names):
                if name != "__all__":
                    yield lsp.CompletionItem(name, kind=item_kind, detail=path)
        # The import means the first file that exists.
        return


def _bases(file: ProjectFile, modular: ModularFile) -> Iterator[lsp.CompletionItem]:
    """Yield the classes that a file imports from models."""
    for name, path in modular.parent_of.items():
        module = file.workspace.module(path)
        if class_named(module, modular.original_names[name]) is not None:
            kind = lsp.CompletionItemKind.Class
            yield lsp.CompletionItem(name, kind=kind, detail=path)


def _methods(
    modular: ModularFile, class_name: str, parent: DefinitionView
) -> Iterator[lsp.CompletionItem]:
    """Yield the parent's methods that a class can override, with their parameters.

    Methods that the class overrides already are left out. The completion of `forward`
    inserts `forward(self, x):`.
    """
    class_ = view_definition(modular.definitions.classes[class_name].statement)
    overrides = find_methods(class_.body.statements)
    for key, method in find_methods(parent.body.statements).items():
        # Setters and overloads have keys such as `size.setter`, and are not offered.
        is_setter_or_overload = key != method.name
        if not is_setter_or_overload and key not in overrides:
            # The user has typed `def` already.
            header = method.header.text.strip().rstrip(":").partition("def ")[2]
            yield lsp.CompletionItem(
                key,
                kind=lsp.CompletionItemKind.Method,
                detail=f"{parent.name}.{key}",
                insert_text=f"{header}:",
            )


def _enclosing_names(lines: Sequence[str]) -> tuple[str, str]:
    """Return the names of the class and method around the last line, or empty names.

    The last line may be half typed, so the lines cannot be parsed. They are searched
    upwards for the nearest `class` and `def` instead.
    """
    method_name = ""
    for line in reversed(lines):
        method = re.match(r"\s+(?:async\s+)?def\s+(\w+)", line)
        if method is not None and not method_name:
            method_name = method[1]
        class_ = re.match(r"class\s+(\w+)", line)
        if class_ is not None:
            return class_[1], method_name
    return "", method_name
