"""Tells which file of the project or of its source library an import means.

Two kinds of imports are resolved:

- **A model import** names a parent file, which is a file of another model. Its code is
  inlined. It can be hand-written, generated, or in the source library.
- **Any import** names a module, as Python finds it. Packages such as torch, which are in
  no folder of the project, have no file.

The functions do not read files. Most return all paths at which a file may be, best first,
because whether a file exists depends on who asks: a text can be unsaved, or generated in
the same run.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.project import file_types
from modular.project.project import Project, join_path, model_name
from modular.settings.settings import MODELS
from modular.source.blocks import Kind, Statement
from modular.source.import_statements import (
    Alias,
    Import,
    find_imports,
    import_of,
    relative_stem,
)


_MAX_INDEXED_IMPORTS = 2048
"""As many imports as several models, their parents and the bases of these have."""


def parent_files(
    project: Project, path: str, level: int, module: str
) -> tuple[str, ...]:
    """Return the paths at which the parent file of a model import may be, best first.

    With the setting `output = "generated"`, the parent file of an import from
    `..llama.modeling_llama` can be `models/llama/modeling_llama.py`, where people write
    files, or `generated/llama/modeling_llama.py`.

    Args:
        project: The project.
        path: The path of the modular file with the import.
        level: The number of leading dots of the import.
        module: The module's name after the dots.

    Returns:
        The paths, or an empty tuple if this is not a model import.
    """
    parts = module.split(".")
    is_model_file = file_types.is_model_file(parts[-1], project.settings)
    if not is_model_file:
        return ()
    stems = list(_model_stems(project, path, level, parts))
    # Another file of the same model is not a parent file.
    if _sibling_of_stems(project, path, stems) is not None:
        return ()
    paths: list[str] = []
    for stem in stems:
        paths += _parent_files_in_project(project, stem)
    is_absolute = level == 0
    if is_absolute:
        paths += _parent_files_in_library(project, parts)
    return tuple(paths)


def parent_files_of(project: Project, path: str, import_: Import) -> tuple[str, ...]:
    """Return the paths at which the parent file of a model import may be, best first.

    See `parent_files`.
    """
    return parent_files(project, path, import_.level, import_.module or "")


def choose_parent_file(
    paths: Sequence[str], exists: Callable[[str], bool]
) -> str | None:
    """Return the parent file that a model import means.

    Args:
        paths: The paths at which the file may be, from `parent_files`.
        exists: Returns whether there is a file at a path.

    Returns:
        The first path with a file. If there is no file, it is the first path, which an
        error about the missing file names. None if this is not a model import.
    """
    for path in paths:
        if exists(path):
            return path
    return paths[0] if paths else None


def module_files(
    project: Project, path: str, level: int, module: str
) -> tuple[str, ...]:
    """Return the paths at which an imported module may be, best first.

    `lib.llama` can be `lib/llama.py` or `lib/llama/__init__.py`, below the root of the
    project or below a folder such as `src`. A parent file can also be generated, or be in
    the source library.

    Args:
        project: The project.
        path: The path of the file with the import.
        level: The number of leading dots of the import.
        module: The module's name after the dots.

    Returns:
        The paths. There is none if the dots lead out of the project.
    """
    paths = list(parent_files(project, path, level, module))
    for stem in module_stems(project, path, level, module):
        paths += (f"{stem}.py", f"{stem}/__init__.py")
    return tuple(dict.fromkeys(paths))


def module_stems(
    project: Project, path: str, level: int, module: str
) -> tuple[str, ...]:
    """Return the paths, without `.py`, at which Python may find a module, best first.

    They are also paths of packages, which are folders. See `module_files`.

    Args:
        project: The project.
        path: The file with the import, relative to the root.
        level: The number of leading dots of the import.
        module: The module's name after the dots.
    """
    if level > 0:
        stem = relative_stem(path, level, module)
        return () if stem is None else (stem,)
    if not module:
        return ()
    stems = [*_stems_in_models_folders(project, module)]
    stems += _stems_in_source_folders(project, module)
    top_name, _, rest = module.partition(".")
    if project.library is not None and top_name == project.library.name:
        # The prefix `src/transformers` takes the place of the name `transformers`.
        stems.append(
            join_path(project.library.prefix, rest.replace(".", "/")).rstrip("/")
        )
    stems.append(module.replace(".", "/"))
    return tuple(dict.fromkeys(stems))


def find_module_stem(
    project: Project, path: str, level: int, module: str
) -> str | None:
    """Return the path, without `.py`, that an import gives to a module of the project.

    The module need not exist. A relative import has a path. An absolute import has one
    only if it leads to a models folder, as `transformers.models.llama` does, and also
    `src.transformers.models.llama`.

    Args:
        project: The project.
        path: The file with the import, relative to the root.
        level: The number of leading dots of the import.
        module: The module's name after the dots.

    Returns:
        The path; None if the import leads elsewhere.
    """
    if level > 0:
        return relative_stem(path, level, module)
    stem_in_models = next(_stems_in_models_folders(project, module), None)
    if stem_in_models is not None:
        return stem_in_models
    # `src.transformers.models.llama`
    stem = module.replace(".", "/")
    for folder in project.models_folders:
        if f"{stem}/".startswith(f"{folder}/"):
            return stem
    return None


class ImportedName(NamedTuple):
    """The meaning of an imported name: a module, or a name in it.

    Attributes:
        level: The number of leading dots of the import.
        module: The parts of the module's name.
        names: The name in this module, and attributes of it. It is empty for a module.
        is_star: Whether the import is `from module import *`, which may bind the name.
    """

    level: int
    module: tuple[str, ...]
    names: tuple[str, ...]
    is_star: bool = False

    @property
    def dotted_name(self) -> str:
        """The module and the names, without the leading dots."""
        return ".".join((*self.module, *self.names))


def imported_names(
    statement: Statement, name: str, attributes: tuple[str, ...] = ()
) -> Iterator[ImportedName]:
    """Yield each meaning that the imports of a statement may give to a name.

    For example:

    - After `from .. import llama as m`, `m.LlamaMLP` is `llama.LlamaMLP` of `..`.
    - After `import a.b as m`, `m.X` is `X` of the module `a.b`.
    - After `import a.b`, which binds only `a`, `a.c.X` is `c.X` of the module `a`.
    - After `from .llama import *`, `LlamaMLP` may be a name of `.llama`.

    Args:
        statement: An import, or a statement with imports in it.
        name: The name.
        attributes: The attributes after the name.
    """
    index = _index_imported_names(statement)
    # A star import may bind any name.
    numbered_names = [*index.get(name, ()), *index.get("*", ())]
    numbered_names.sort(key=lambda numbered: numbered.position)
    for _, imported in numbered_names:
        names = (name,) if imported.is_star else imported.names
        yield imported._replace(names=(*names, *attributes))


class _NumberedName(NamedTuple):
    """A name that an import binds, and its position among all names of a statement."""

    position: int
    imported: ImportedName


@lru_cache(maxsize=_MAX_INDEXED_IMPORTS)
def _index_imported_names(
    statement: Statement,
) -> Mapping[str, Sequence[_NumberedName]]:
    """Return the meanings that the imports of a statement give to each name.

    The meanings of star imports have the key `*`. The number of a meaning is its position
    among all names of the imports, so that those of a name and of `*` can be ordered.

    Args:
        statement: An import, or a statement with imports in it, such as a `try`.
    """
    whole_import = import_of(statement) if statement.kind is Kind.IMPORT else None
    imports = (
        [whole_import]
        if whole_import
        else find_imports(statement.bare_code.masked_text)
    )
    meanings: dict[str, list[_NumberedName]] = {}
    position = 0
    for import_ in imports:
        for alias in import_.names:
            bound_name, imported = _bound_by(import_.level, import_.module, alias)
            numbered = _NumberedName(position, imported)
            meanings.setdefault(bound_name, []).append(numbered)
            position += 1
    return meanings


def _bound_by(level: int, module: str | None, alias: Alias) -> tuple[str, ImportedName]:
    """Return the name that one alias of an import binds, and the meaning of this name.

    - `from .a import X as Y` binds `Y`, which means `X` of the module `.a`.
    - `import a.b as c` binds `c`, which means the module `a.b`.
    - `import a.b` binds `a`, which means the module `a`.

    Args:
        level: The number of leading dots of the import.
        module: The module's name after the dots; None for `import a.b`.
        alias: The alias, such as `X as Y` or `*`.
    """
    is_plain_import = module is None
    if is_plain_import:
        if alias.alias is not None:
            return alias.alias, ImportedName(0, tuple(alias.name.split(".")), ())
        first_name = alias.name.partition(".")[0]
        return first_name, ImportedName(0, (first_name,), ())

    is_star = alias.name == "*"
    return alias.bound, ImportedName(
        level=level,
        module=tuple(module.split(".")) if module else (),
        names=() if is_star else (alias.name,),
        is_star=is_star,
    )


def sibling_module(project: Project, modular: str, import_: Import) -> str | None:
    """Return the module of the same model that an import names by a long path.

    In the modular file of `llama`, `from ..llama.configuration_llama import X` names
    the module `configuration_llama` beside it, which generated files import as
    `.configuration_llama`.

    Args:
        project: The project.
        modular: The path of the modular file.
        import_: An import of the modular file.

    Returns:
        The name of the module. None if the import names another model, or has the
        short form `.configuration_llama` already.
    """
    has_short_form = import_.level == 1
    parts = (import_.module or "").split(".")
    is_model_file = file_types.is_model_file(parts[-1], project.settings)
    if has_short_form or not is_model_file:
        return None
    stems = _model_stems(project, modular, import_.level, parts)
    return _sibling_of_stems(project, modular, stems)


def parent_module(project: Project, modular: str, path: str) -> str:
    """Return the module by which a modular file imports a parent file.

    This is `.modeling_olmo` in the same folder, `..llama.modeling_llama` in a sibling
    folder, and an absolute name such as `transformers.models.llama.modeling_llama`
    elsewhere. In a models folder without a package, it is a longer relative name
    such as `...others.llama.modeling_llama`.

    Args:
        project: The project.
        modular: The path of the modular file.
        path: The path of the parent file.
    """
    file = PurePosixPath(path)
    sibling = f"{file.parent.name}.{file.stem}"
    # The shortest import that means this file is chosen.
    for level, module in ((1, file.stem), (2, sibling)):
        if path in parent_files(project, modular, level, module):
            return "." * level + module

    library = project.library_of(path)
    if library is not None:
        return ".".join((*library.package(path), file.stem))
    for folder, package in project.settings.packages.items():
        if package and path.startswith(f"{folder}/"):
            path_in_package = file.relative_to(folder).with_suffix("")
            return ".".join((package, *path_in_package.parts))

    # Without a package, the file has no absolute name.
    return _relative_module(modular, file)


def _relative_module(modular: str, file: PurePosixPath) -> str:
    """Return the module by which a modular file imports a file, with dots.

    `models/olmo/modular_olmo.py` imports `others/llama/modeling_llama.py` as
    `...others.llama.modeling_llama`.
    """
    folders = PurePosixPath(modular).parent.parts
    # `commonprefix` compares whole parts here, because it gets tuples.
    common_count = len(os.path.commonprefix([folders, file.parent.parts]))
    levels_up = len(folders) - common_count
    dots = "." * (levels_up + 1)
    return dots + ".".join(file.with_suffix("").parts[common_count:])


def _model_stems(
    project: Project, path: str, level: int, parts: list[str]
) -> Iterator[str]:
    """Yield the paths, without `.py`, at which an imported file of a model may be.

    Args:
        project: The project.
        path: The path of the modular file.
        level: The number of leading dots of the import.
        parts: The parts of the module's name.
    """
    module = ".".join(parts)
    if level == 0:
        yield from _stems_in_models_folders(project, module)
        return

    # `..llama.modeling_llama` in `models/new/modular_new.py`
    stem = relative_stem(path, level, module)
    if stem is not None:
        yield stem
    # `..llama.modeling_llama` in `drafts/modular_new.py`: a draft can have the imports
    # that it needs after it has been moved to the folder of its model.
    is_draft = not _path_below_models(project, path)
    path_from_draft = _path_of_model_import(level, parts)
    if is_draft and path_from_draft:
        for models in project.models_folders:
            yield join_path(models, path_from_draft)


def _stems_in_models_folders(project: Project, module: str) -> Iterator[str]:
    """Yield the paths, without `.py`, that a module has in the packages of the models.

    If `src/lib/models` is the package `lib.models`, the module `lib.models.llama` has the
    path `src/lib/models/llama`.
    """
    for folder in project.models_folders:
        package = project.settings.packages[folder]
        if not package:
            continue
        if module == package:
            yield folder
        elif module.startswith(f"{package}."):
            submodule = module.removeprefix(f"{package}.")
            yield join_path(folder, submodule.replace(".", "/"))


def _stems_in_source_folders(project: Project, module: str) -> Iterator[str]:
    """Yield the paths, without `.py`, that a module has below folders such as `src`.

    If `src/lib/models` is the package `lib.models`, Python finds top-level packages in
    `src`. So the module `lib.utils` has the path `src/lib/utils`.
    """
    for folder, package in project.settings.packages.items():
        package_path = package.replace(".", "/")
        if package and folder.endswith(f"/{package_path}"):
            source_folder = folder.removesuffix(f"/{package_path}")
            yield join_path(source_folder, module.replace(".", "/"))


def _path_of_model_import(level: int, parts: list[str]) -> str:
    """Return the path below the models folder that a relative import in a model means.

    In `models/new`, both `..llama.modeling_llama` and `...models.llama.modeling_llama`
    mean `llama/modeling_llama`. The result is empty for other imports.
    """
    if level == 2 and len(parts) == 2:
        return "/".join(parts)
    if level == 3 and len(parts) == 3 and parts[0] == MODELS:
        return "/".join(parts[1:])
    return ""


def _sibling_of_stems(
    project: Project, modular: str, stems: Iterable[str]
) -> str | None:
    """Return the name of an imported module if it is a file of the same model.

    In `models/new/modular_new.py`, `from ..new.configuration_new import NewConfig` names
    the module `configuration_new`.

    Args:
        project: The project.
        modular: The path of the modular file.
        stems: The candidate paths of the imported file, without `.py`.

    Returns:
        The name of the module, or None for a file of another model.
    """
    modular_folder = modular.rpartition("/")[0]
    file_names = project.settings.file_names
    for stem in stems:
        folder, _, module = stem.rpartition("/")
        if folder != modular_folder:
            continue
        # All files in the folder of a model are of this model.
        if file_names.has_model_folders:
            return module
        # In a folder that all models share, `configuration_new` is of the model `new`.
        file_name = file_names.parse(module)
        if file_name is not None and file_name.model == model_name(modular):
            return module
    return None


def _parent_files_in_project(project: Project, stem: str) -> list[str]:
    """Return the paths at which a parent file may be in the project, best first.

    With the setting `output = "generated"`, these are
    `models/llama/modeling_llama.py`, where people write files, and
    `generated/llama/modeling_llama.py`. Without the setting, both are the same.

    Args:
        project: The project.
        stem: The path without `.py`, such as `models/llama/modeling_llama`.

    Returns:
        The paths. There are none if the file belongs to no model, or if the settings
        say that imports from this file stay imports.
    """
    # `llama/modeling_llama`
    path_below_models = _path_below_models(project, stem)
    if not path_below_models:
        return []
    parts = path_below_models.split("/")
    is_in_model_folder = len(parts) > 1
    if project.settings.file_names.has_model_folders and not is_in_model_folder:
        return []
    if is_never_inlined(project, parts):
        return []
    hand_written = f"{stem}.py"
    if not project.settings.output:
        return [hand_written]
    path = PurePosixPath(hand_written)
    generated = str(project.generated_folder(path.parent) / path.name)
    if generated == hand_written:
        return [hand_written]
    if project.generating_modular(generated) is not None:
        return [generated, hand_written]
    # No modular file generates the parent file, so it is probably hand-written.
    return [hand_written, generated]


def _parent_files_in_library(project: Project, parts: list[str]) -> list[str]:
    """Return the path of a parent file in the source library, in a list.

    The list is empty if the module contains no model. It is also empty if the settings
    name the module in `ordinary-imports`: code is then imported from it, not inlined.

    Args:
        project: The project.
        parts: The parts of the module's name: `transformers`, `models`, `llama` and
            `modeling_llama`.
    """
    library = project.library
    if library is None or parts[:2] != [project.settings.library_name, MODELS]:
        return []
    is_in_model_folder = len(parts) >= 4
    parts_below_models = parts[2:]
    if not is_in_model_folder or is_never_inlined(project, parts_below_models):
        return []
    return [library.module_path(".".join(parts))]


def is_never_inlined(project: Project, parts: Sequence[str]) -> bool:
    """Whether imports from a module below a models folder are never inlined.

    Args:
        project: The project.
        parts: The parts of the module's name below the models folder.
    """
    return ".".join(parts) in project.settings.ordinary_imports


def _path_below_models(project: Project, path: str) -> str:
    """Return a path relative to its models folder: `llama/modeling_llama.py`.

    It is empty if the path is in none of the project's models folders.
    """
    if not project.is_in_models_folder(path):
        return ""
    for models in project.models_folders:
        if models == ".":
            return path
        if path.startswith(f"{models}/"):
            return path.removeprefix(f"{models}/")
    return ""
