"""The Python files of a project that people write, and which of them an import names."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from modular.conversion.converter import Converter
from modular.flatten.outputs import OutputFile
from modular.project.project import Project
from modular.rules.files import file_types
from modular.rules.reading.modular_file import ModularFile
from modular.settings.settings import MODELING
from modular.source.import_statements import relative_stem
from modular.source.module import Module


_SKIPPED = frozenset({"__pycache__", "build", "dist", "node_modules", "site-packages"})
_ENVIRONMENT = "pyvenv.cfg"


@dataclass(frozen=True)
class ProjectFiles:
    """The files of a project as text and as statements. Each is read once; paths are relative to the root."""

    project: Project
    _texts: dict[str, str] = field(default_factory=dict)
    _converted: dict[str, Sequence[OutputFile]] = field(default_factory=dict)

    @cached_property
    def converter(self) -> Converter:
        """Reads modular files, and knows how they rename their parents."""
        return Converter(self.project, {})

    @cached_property
    def generated(self) -> dict[str, str]:
        """The modular file of each generated file."""
        return {
            path: modular
            for modular in self.project.modular_files
            for path in self.outputs(modular)
        }

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """All Python files that are not generated, sorted."""
        return tuple(
            sorted(path for path in self._walk() if path not in self.generated)
        )

    def outputs(self, modular: str) -> tuple[str, ...]:
        """Return the files that a modular file generates: one for each type of file that its classes have."""
        file = self.modular(modular)
        if file is None:
            return ()
        settings = self.project.settings
        types = {
            file_types.of_class(name, file.cased, settings)
            for name in file.definitions.classes
        } or {MODELING}
        return tuple(
            self.project.output_path(modular, type_) for type_ in sorted(types)
        )

    def modular(self, path: str) -> ModularFile | None:
        """Return a modular file; None if it cannot be read, or is not one."""
        module = self.module(path) if path in self.project.modular_files else None
        return None if module is None else self.converter.modular_file(module)

    def importable(self, path: str) -> tuple[str, ...]:
        """Return the paths by which others import what a source defines: its own, and those of what it generates."""
        return (path, *self.outputs(path))

    def converted(self, modular: str) -> Sequence[OutputFile]:
        """Return what a modular file generates, unformatted; nothing if it has errors."""
        if modular not in self._converted:
            self._converted[modular] = self.converter.convert(
                modular, inspects=False
            ).files
        return self._converted[modular]

    def text(self, path: str) -> str:
        """Return the text of a file; nothing if it cannot be read."""
        if path not in self._texts:
            self._texts[path] = self.project.load(path, {}).text
        return self._texts[path]

    def mentioning(self, word: str) -> list[str]:
        """Return the sources in which a word appears."""
        return [path for path in self.sources if word in self.text(path)]

    def module(self, path: str) -> Module | None:
        """Return the statements of a file; None if they cannot be told."""
        return self.converter.scanned(path)

    def defined(self, path: str) -> frozenset[str]:
        """Return the names of the classes and functions that a file defines at module level."""
        module = self.module(path)
        statements = module.block.statements if module is not None else ()
        return frozenset(
            statement.name for statement in statements if statement.is_definition
        )

    def sources_of(self, path: str, name: str) -> Iterator[tuple[str, str]]:
        """Yield what a name may be that a file imports at its top: the path of a file, and the name there."""
        module = self.module(path)
        for statement in module.imports if module is not None else ():
            for alias in statement.names:
                if alias.bound in (name, "*"):
                    original = name if alias.bound == "*" else alias.name
                    for source in self.imported_files(
                        path, statement.level, statement.module or ""
                    ):
                        yield source, original

    def imported_files(self, path: str, level: int, module: str) -> tuple[str, ...]:
        """Return the paths at which a module may be that a file imports, with ``level`` leading dots."""
        inside = module.replace(".", "/")
        stems = [
            f"{root}/{inside}" if root else inside
            for root in ("", *self._package_roots)
        ]
        if level:
            stems = list(filter(None, [relative_stem(path, level, module)]))
        plain = (
            path for stem in stems for path in (f"{stem}.py", f"{stem}/__init__.py")
        )
        return (*self.project.resolve_module(path, level, module), *plain)

    @cached_property
    def _package_roots(self) -> list[str]:
        """The folders, from the root, in which the project's package appears."""
        packages = self.project.settings.packages
        inside = {
            folder: f"/{packages[folder].replace('.', '/')}"
            for folder in self.project.models_folders
        }
        return [
            f"/{folder}".removesuffix(end)[1:]
            for folder, end in inside.items()
            if f"/{folder}".endswith(end)
        ]

    def _walk(self) -> Iterator[str]:
        """Yield the project's Python files, but for links, hidden folders and installed packages."""
        for folder, folders, names in os.walk(self.project.root):
            if _ENVIRONMENT in names:
                folders.clear()
                continue
            folders[:] = [
                name
                for name in folders
                if name not in _SKIPPED and not name.startswith(".")
            ]
            inside = os.path.relpath(folder, self.project.root).replace(os.sep, "/")
            for name in names:
                if (
                    name.endswith(".py")
                    and name.isprintable()
                    and not os.path.islink(os.path.join(folder, name))
                ):
                    yield name if inside == "." else f"{inside}/{name}"
