"""Finds the references of a file to classes and functions that get new names."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping

from modular.refactor.project_files import ProjectFiles
from modular.refactor.reference_finder import ReferenceFinder, References
from modular.semantics.meanings import QualifiedName
from modular.semantics.occurrences import (
    find_docstrings,
    find_strings_outside_functions,
    nodes_of_type,
)
from modular.semantics.variables import Binding, Use, Variable


class NameFinder(ReferenceFinder):
    """Finds the references to definitions, and uses of their new names."""

    def __init__(
        self,
        files: ProjectFiles,
        path: str,
        new_names: Mapping[QualifiedName, str],
        unique_names: Mapping[str, str],
    ) -> None:
        """Parse the parts of a file that have an old or a new name.

        Args:
            files: The files of the project.
            path: The file.
            new_names: The new name of each definition.
            unique_names: The new name of each old name that means nothing else in the
                project.

        Raises:
            RenameError: Python cannot parse the file.
        """
        self._old_names = {name for _, name in new_names}
        super().__init__(files, path, {*self._old_names, *new_names.values()})
        self._new_names = new_names
        self._unique_names = unique_names
        self._new_names_of_module: dict[str, str] = {}
        # The old names that each new name replaces in this file.
        self._old_names_by_new: defaultdict[str, set[str]] = defaultdict(set)

    def find(self) -> References:
        """Find the references of the file to definitions that get new names.

        Each step adds edits, conflicts and unclear places to `self.references`, and
        does not change the file itself.
        """
        self._add_edits_of_variables()
        for statement in nodes_of_type(self.tree, ast.ImportFrom):
            self._add_edits_of_aliased_imports(statement)
        for attribute in nodes_of_type(self.tree, ast.Attribute):
            self._add_edits_of_attribute(attribute)
        self._add_edits_of_strings()
        self._record_conflicts()
        self._record_merged_names()
        self.references.sort()
        return self.references

    def _add_edits_of_variables(self) -> None:
        """Add edits for the variables of the file that refer to a renamed definition.

        A local variable with the same name is another variable, and keeps it.
        """
        for variable in self.variables.all:
            if variable.name not in self._old_names:
                continue
            if not variable.bindings:
                # The name is a builtin, or bound by `import *`.
                self._add_edits_of_star_import(variable)
                continue
            new = self._find_new_name(variable)
            if new is not None:
                self._rename_everywhere(variable, new)

    def _rename_everywhere(self, variable: Variable, new: str) -> None:
        """Add edits for all bindings and uses of a variable that gets a new name.

        The binding `LlamaMLP = None` after `except ImportError` is edited, too, because
        it binds the same variable as the import of `LlamaMLP`.
        """
        if variable.is_global:
            self._new_names_of_module[variable.name] = new
        self._old_names_by_new[new].add(variable.name)
        for binding in variable.bindings:
            self._add_edit_of_binding(variable, binding, new)
        for use in variable.uses:
            self._add_edits_of_use(variable, use, new)

    def _find_new_name(self, variable: Variable) -> str | None:
        """Return the new name of a variable; None if it keeps its name.

        After `from llama import LlamaMLP`, the variable `LlamaMLP` gets the new name of
        the class `LlamaMLP`. If several of its bindings refer to renamed definitions,
        the first one decides.
        """
        for binding in variable.bindings:
            # `from llama import MLP as LlamaMLP` chooses the name for this file.
            if not _has_alias(binding):
                new_name = self._new_name_of_binding(variable, binding)
                if new_name is not None:
                    return new_name
        return None

    def _new_name_of_binding(self, variable: Variable, binding: Binding) -> str | None:
        """Return the new name of the definition that a binding refers to, or None."""
        return self._new_name(self.definitions_of_binding(variable, binding))

    def _new_name(self, definitions: Iterable[QualifiedName]) -> str | None:
        """Return the new name of the first definition that gets one; None if none does."""
        for definition in definitions:
            if definition in self._new_names:
                return self._new_names[definition]
        return None

    def _add_edit_of_binding(
        self, variable: Variable, binding: Binding, new: str
    ) -> None:
        """Add an edit for one binding of a variable that gets a new name.

        - A parameter keeps its name, without an edit. It is added to the unclear places.
        - `from llama import old` becomes `from llama import new`, if `old` of `llama` is
          renamed.
        - Any other binding of the variable gets the new name, too, even if it binds
          another object: `old = None` becomes `new = None`, and `from other import old`
          becomes `from other import old as new`.

        Args:
            variable: The variable, with its old name.
            binding: The definition, assignment, import or parameter.
            new: The new name.
        """
        node = binding.node
        name = variable.name
        is_plain_import = isinstance(node, ast.alias) and node.asname is None
        new_definition_name = self._new_name_of_binding(variable, binding)
        if isinstance(node, ast.arg):
            # Callers may pass the parameter by keyword, as in `build(old=1)`.
            self.references.unclear.append(self.place_of_name(node, name))
        elif is_plain_import and new_definition_name is not None:
            # `from llama import new`
            self.rename_at(node, name, new)
        else:
            # `class new`, `new = None` or `from other import old as new`
            self.rename_variable(node, name, new)

    def _add_edits_of_use(self, variable: Variable, use: Use, new: str) -> None:
        """Add edits where a name is read, also in a quoted annotation."""
        if use.is_quoted:
            self.rename_in_string(use.node, variable.name, new)
        else:
            self.rename_at(use.node, variable.name, new)

    def _add_edits_of_star_import(self, variable: Variable) -> None:
        """Add edits for a name that only `from module import *` can bind."""
        new = self._new_name(self.files.imported_as(self.path, variable.name))
        if new is not None:
            # `_record_conflicts` looks for other meanings of the new name.
            self._old_names_by_new[new].add(variable.name)
            for use in variable.uses:
                self._add_edits_of_use(variable, use, new)

    def _add_edits_of_aliased_imports(self, node: ast.ImportFrom) -> None:
        """Add edits for imports such as `from llama import LlamaMLP as MLP`.

        Only `LlamaMLP` is replaced. The alias `MLP` stays.
        """
        for alias in node.names:
            if alias.asname is None or alias.name not in self._old_names:
                continue
            new = self._new_name(self.imported_definitions(Binding(alias, node)))
            if new is not None:
                self.rename_at(alias, alias.name, new)

    def _add_edits_of_attribute(self, node: ast.Attribute) -> None:
        """Add an edit for a definition that is read from a module.

        An example is `modeling_llama.LlamaMLP` after `from . import modeling_llama`.
        """
        if node.attr not in self._old_names:
            return
        new = self._new_name(self.definitions_of_expression(node))
        if new is not None:
            self.rename_at(node, node.attr, new)

    def _add_edits_of_strings(self) -> None:
        """Add edits for the strings that name a renamed definition.

        These are whole strings, as in `__all__` and `_no_split_modules`, and words of
        docstrings. There, the name of a function counts only between backquotes, since
        `rotate` can be an English word.
        """
        new_names = dict(self._unique_names)
        new_names.update(self._new_names_of_module)
        for string in find_strings_outside_functions(self.tree):
            name = string.value
            if isinstance(name, str) and name in new_names:
                self.rename_in_string(string, name, new_names[name])
        for docstring in find_docstrings(self.tree):
            for name, new in new_names.items():
                pattern = r"`{}`" if name.islower() else r"\b{}\b"
                self.rename_in_string(docstring, name, new, pattern)

    def _record_conflicts(self) -> None:
        """Record the places where a new name already means something else.

        If the edits replace `LlamaMLP` with `LlamaGate`, these are the places that bind
        or use a `LlamaGate` before the edits.
        """
        for variable in self.variables.all:
            is_new_name = variable.name in self._old_names_by_new
            if not is_new_name:
                continue
            nodes = [binding.node for binding in variable.bindings]
            # A quoted annotation is skipped: the binding of its name is recorded.
            nodes += [use.node for use in variable.uses if not use.is_quoted]
            for node in nodes:
                place = self.place_of_name(node, variable.name)
                self.references.conflicts.append(place)

    def _record_merged_names(self) -> None:
        """Record the new names that would each replace several old names."""
        for new_name, old_names in self._old_names_by_new.items():
            if len(old_names) > 1:
                self.references.merged_names.append(new_name)


def _has_alias(binding: Binding) -> bool:
    """Return whether an import binds something under a name that is not its own."""
    alias = binding.node
    return isinstance(alias, ast.alias) and alias.asname not in (None, alias.name)
