"""Finds the references of a file to classes and functions that get new names."""

from collections.abc import Iterable, Mapping, Sequence

import libcst as cst
from libcst import matchers
from libcst.helpers import get_full_name_for_node
from libcst.metadata import (
    Access,
    Assignment,
    BaseAssignment,
    GlobalScope,
    ImportAssignment,
    QualifiedName,
    QualifiedNameSource,
    Scope,
    ScopeProvider,
)

from modular.refactor.project_files import Definition, ProjectFiles
from modular.refactor.reference_finder import ReferenceFinder
from modular.rules.files.drafts import ALL
from modular.source.diagnostics import Place
from modular.source.source_slice import SourceSlice


_ALL = matchers.Name(ALL)


class NameFinder(ReferenceFinder):
    """Finds the references to definitions, and uses of their new names."""

    def __init__(
        self,
        files: ProjectFiles,
        path: str,
        slices: Sequence[SourceSlice],
        new_names: Mapping[Definition, str],
    ) -> None:
        """``slices`` are the parts of the file that the tree consists of."""
        super().__init__(files, path, slices)
        self._new_names = new_names
        self._definition_names = {name for _, name in new_names}
        self._written_names: dict[str, set[str]] = {}
        self._uses_of_new_names: list[cst.Name] = []
        self._other_names: set[cst.CSTNode] = set()
        self._renamed_globals: dict[str, str] = {}

    def visit_Module(self, node: cst.Module) -> None:
        scopes = {
            scope
            for scope in self.metadata[ScopeProvider].values()
            if isinstance(scope, Scope)
        }
        for scope in scopes:
            self._rename_bindings(scope)
            for access in scope.accesses:
                self._rename_access(access)
                if not access.referents and isinstance(access.node, cst.Name):
                    self._rename_star_import(access.node)

    def leave_Module(self, original_node: cst.Module) -> None:
        """Refuse new names that mean something else already, or two things."""
        for name in self._uses_of_new_names:
            if name.value in self._written_names:
                self.references.conflicts.append(self._place(name))
        for new, old_names in self._written_names.items():
            if len(old_names) > 1:
                self.references.conflicts.append(Place(self._path, 0, text=new))

    def _rename_bindings(self, scope: Scope) -> None:
        """Rename what binds a renamed name in one scope: a second binding follows.

        An example is `try: from .llama import LlamaMLP` with `except ImportError:
        LlamaMLP = None`.
        """
        bindings: dict[str, list[BaseAssignment]] = {}
        for assignment in scope.assignments:
            if isinstance(assignment, Assignment):
                bindings.setdefault(assignment.name, []).append(assignment)
        for name, assignments in bindings.items():
            new_name = None
            for assignment in assignments:
                if not _has_alias(assignment):
                    qualified_names = assignment.get_qualified_names_for(name)
                    new_name = new_name or self._new_name(qualified_names, name)
            if new_name is None:
                continue
            if isinstance(scope, GlobalScope):
                self._renamed_globals[name] = new_name
            for assignment in assignments:
                self._rename_binding(assignment, new_name)

    def _rename_access(self, access: Access) -> None:
        """Rename a name that is read, also in a quoted annotation."""
        for referent in access.referents:
            if _has_alias(referent) or not isinstance(referent, Assignment):
                continue
            new = self._name_after(referent)
            if new is None:
                continue
            if isinstance(access.node, cst.Name):
                self._rename(access.node, new)
            elif isinstance(access.node, cst.SimpleString):
                self._edit_quoted(access.node, referent.name, new)

    def _rename_star_import(self, node: cst.Name) -> None:
        """Rename a name that only `from module import *` can bind."""
        for definition in self._files.sources_of(self._path, node.value):
            new = self._new_names.get(definition)
            if new is not None:
                self._rename(node, new)
                return

    def _name_after(self, referent: Assignment) -> str | None:
        """Return the new name of a binding if one of its scope's bindings is renamed."""
        qualified_names: set[QualifiedName] = set()
        for assignment in referent.scope[referent.name]:
            if assignment.scope is referent.scope and not _has_alias(assignment):
                qualified_names |= assignment.get_qualified_names_for(referent.name)
        return self._new_name(qualified_names, referent.name)

    def _new_name(
        self, qualified_names: Iterable[QualifiedName], name: str
    ) -> str | None:
        if name not in self._definition_names:
            return None
        for definition in self._definitions(qualified_names):
            if definition in self._new_names:
                return self._new_names[definition]
        return None

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        """Rename a name that is imported under another one."""
        module = "." * len(node.relative)
        if node.module is not None:
            module += get_full_name_for_node(node.module) or ""
        if isinstance(node.names, cst.ImportStar):
            return
        for alias in node.names:
            self._other_names.add(alias.name)
            if alias.asname is None:
                continue
            name = alias.evaluated_name
            qualified_name = QualifiedName(
                f"{module}.{name}", QualifiedNameSource.IMPORT
            )
            new = self._new_name([qualified_name], name)
            if new is not None and isinstance(alias.name, cst.Name):
                self._edit(alias.name, new)

    def visit_Global(self, node: cst.Global) -> None:
        for item in node.names:
            if item.name.value in self._renamed_globals:
                self._rename(item.name, self._renamed_globals[item.name.value])

    def visit_Assign(self, node: cst.Assign) -> None:
        if any(matchers.matches(target.target, _ALL) for target in node.targets):
            self._rename_exports(node.value)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        if matchers.matches(node.target, _ALL):
            self._rename_exports(node.value)

    def _rename_exports(self, value: cst.BaseExpression) -> None:
        """Rename what `__all__` lists."""
        if not isinstance(value, cst.List | cst.Tuple):
            return
        for element in value.elements:
            if isinstance(element.value, cst.SimpleString):
                name = str(element.value.evaluated_value)
                new = self._new_names.get(Definition(self._path, name))
                if new is not None:
                    self._edit_quoted(element.value, name, new)

    def visit_Name(self, node: cst.Name) -> None:
        is_new = node.value in self._new_names.values()
        if is_new and node not in self._other_names:
            self._uses_of_new_names.append(node)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._other_names.add(node.attr)
        if node.attr.value not in self._definition_names:
            return
        imported = [
            name
            for name in self._qualified_names(node)
            if name.source is QualifiedNameSource.IMPORT
        ]
        new = self._new_name(imported, node.attr.value)
        if new is not None:
            self._edit(node.attr, new)

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._other_names.add(node.keyword)

    def _rename(self, node: cst.Name, new: str, variable: str = "") -> None:
        self._written_names.setdefault(variable or new, set()).add(node.value)
        super()._rename(node, new)


def _has_alias(assignment: BaseAssignment) -> bool:
    """Tell whether an import binds something under another name."""
    if not isinstance(assignment, ImportAssignment):
        return False
    node = assignment.node
    if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
        return True
    return any(
        alias.asname is not None and alias.evaluated_alias == assignment.name
        for alias in node.names
    )
