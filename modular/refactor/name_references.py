"""Finds the references of a file to classes and functions that get new names."""

import ast
from collections.abc import Mapping, Sequence

from modular.refactor.project_files import Definition, ProjectFiles
from modular.refactor.reference_finder import ReferenceFinder, References
from modular.refactor.scopes import Binding, Scope, Use
from modular.rules.files.drafts import ALL
from modular.source.diagnostics import Place
from modular.source.source_slice import SourceSlice


class NameFinder(ReferenceFinder):
    """Finds the references to definitions, and uses of their new names."""

    def __init__(
        self,
        files: ProjectFiles,
        path: str,
        slices: Sequence[SourceSlice],
        new_names: Mapping[Definition, str],
    ) -> None:
        """Parse a part of a file.

        Args:
            files: The files of the project.
            path: The file.
            slices: The parts of the file that may have references.
            new_names: The new name of each definition.

        Raises:
            SyntaxError: Python cannot parse these parts.
            RecursionError: They are nested too deeply.
        """
        super().__init__(files, path, slices)
        self._new_names = new_names
        self._old_names = {name for _, name in new_names}
        self._written_names: dict[str, set[str]] = {}

    def find(self) -> References:
        """Return the references of the file."""
        self._rename_variables()
        for node in ast.walk(self.tree):
            match node:
                case ast.ImportFrom():
                    self._rename_aliased_imports(node)
                case ast.Attribute():
                    self._rename_attribute(node)
                case ast.Assign() | ast.AugAssign():
                    self._rename_exports(node)
        self._record_conflicts()
        return self.references

    def _rename_variables(self) -> None:
        """Rename the variables that refer to definitions, where scopes say so."""
        renamed_in_scope: dict[Scope, dict[str, str]] = {}
        for scope in self.scopes.scopes:
            renamed_in_scope[scope] = self._rename_bindings(scope)
        for scope in self.scopes.scopes:
            for use in scope.uses:
                if use.name not in self._old_names:
                    continue
                binding_scope = scope.find(use.name)
                if binding_scope is None:
                    self._rename_star_import(use)
                elif use.name in renamed_in_scope[binding_scope]:
                    self._rename_use(use, renamed_in_scope[binding_scope][use.name])

    def _rename_bindings(self, scope: Scope) -> dict[str, str]:
        """Rename what binds a renamed name in one scope: a second binding follows.

        An example is `try: from .llama import LlamaMLP` with `except ImportError:
        LlamaMLP = None`.

        Returns:
            The new name of each renamed variable of the scope.
        """
        renamed = {}
        for name in self._old_names & scope.bindings.keys():
            bindings = scope.bindings[name]
            new_name = None
            for binding in bindings:
                if not _has_alias(binding):
                    new_name = new_name or self._new_name(scope, name, binding)
            if new_name is None:
                continue
            renamed[name] = new_name
            for binding in bindings:
                self._rename_binding(scope, name, binding, new_name)
        return renamed

    def _new_name(self, scope: Scope, name: str, binding: Binding) -> str | None:
        """Return the new name of what a binding refers to; None if it keeps its name."""
        for definition in self.definitions_of_binding(scope, name, binding):
            if definition in self._new_names:
                return self._new_names[definition]
        return None

    def _rename_binding(
        self, scope: Scope, name: str, binding: Binding, new: str
    ) -> None:
        """Rename what binds a name: an assignment, a definition or an import.

        `import old` becomes `import new` if the imported definition is renamed. The
        import of another definition, as after `except ImportError`, becomes
        `import old as new`. A parameter keeps its name, since callers may use it.
        """
        node = binding.node
        if isinstance(node, ast.arg):
            self.references.unclear.append(self.place_of_name(node, name))
        elif not isinstance(node, ast.alias):
            self._write(node, name, new)
        elif node.asname is not None:
            self._write(node, name, new, is_last=True)
        elif self._new_name(scope, name, binding) is not None:
            self._write(node, name, new)
        elif node.name == name:
            self.rename_at(node, name, f"{name} as {new}")
            self._written_names.setdefault(new, set()).add(name)

    def _rename_use(self, use: Use, new: str) -> None:
        """Rename a name that is read, also in a quoted annotation."""
        if isinstance(use.node, ast.Constant):
            self.rename_in_string(use.node, use.name, new)
        else:
            self._write(use.node, use.name, new)

    def _rename_star_import(self, use: Use) -> None:
        """Rename a name that only `from module import *` can bind."""
        if not isinstance(use.node, ast.Name):
            return
        for definition in self.files.sources_of(self.path, use.name):
            new = self._new_names.get(definition)
            if new is not None:
                self._write(use.node, use.name, new)
                return

    def _rename_aliased_imports(self, node: ast.ImportFrom) -> None:
        """Rename the names that a statement imports under other names."""
        for alias in node.names:
            if alias.asname is None or alias.name not in self._old_names:
                continue
            binding = Binding(alias, node)
            new = self._new_name(self.scopes.module, alias.name, binding)
            if new is not None:
                self.rename_at(alias, alias.name, new)

    def _rename_attribute(self, node: ast.Attribute) -> None:
        """Rename a definition that is an attribute of an imported module."""
        if node.attr not in self._old_names:
            return
        for definition in self.definitions_of_expression(node):
            if definition in self._new_names:
                self.rename_at(node, node.attr, self._new_names[definition])
                return

    def _rename_exports(self, node: ast.Assign | ast.AugAssign) -> None:
        """Rename what `__all__` lists."""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if ALL not in names or not isinstance(node.value, ast.List | ast.Tuple):
            return
        for element in node.value.elts:
            if isinstance(element, ast.Constant) and isinstance(element.value, str):
                name = element.value
                new = self._new_names.get(Definition(self.path, name))
                if new is not None:
                    self.rename_in_string(element, name, new)

    def _record_conflicts(self) -> None:
        """Record new names that already mean something else, or two things."""
        for scope in self.scopes.scopes:
            for name in self._written_names.keys() & scope.bindings.keys():
                for binding in scope.bindings[name]:
                    place = self.place_of_name(binding.node, name)
                    self.references.conflicts.append(place)
            for use in scope.uses:
                is_string = isinstance(use.node, ast.Constant)
                if use.name in self._written_names and not is_string:
                    place = self.place_of_name(use.node, use.name)
                    self.references.conflicts.append(place)
        for new, old_names in self._written_names.items():
            if len(old_names) > 1:
                self.references.conflicts.append(Place(self.path, 0, text=new))

    def _write(
        self, node: ast.AST, old: str, new: str, *, is_last: bool = False
    ) -> None:
        """Replace a variable, and note that the file has its new name from now on."""
        self._written_names.setdefault(new, set()).add(old)
        self.rename_at(node, old, new, is_last=is_last)


def _has_alias(binding: Binding) -> bool:
    """Tell whether an import binds something under another name."""
    alias = binding.node
    return isinstance(alias, ast.alias) and alias.asname not in (None, alias.name)
