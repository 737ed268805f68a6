"""Copies code around the classes of a parent model into a new modular file.

Where a model is one file, such code registers the classes: `EntryClass = LlamaForCausalLM`,
or functions with a decorator `@register_model`.
"""

from collections.abc import Collection, Mapping, Sequence

from modular.conversion.sources import Sources
from modular.project.project import Project
from modular.rules.files.drafts import ALL, GETATTR
from modular.rules.files.imports import choose_imports
from modular.rules.files.used_names import UsedNames
from modular.rules.names.renaming import Renamer
from modular.source.blocks import Kind, Statement
from modular.source.walking import walk


class ModuleCode:
    """Functions and assignments of a parent file that no class of it uses.

    Attributes:
        statements: The statements by their old names, with the names of the new model.
    """

    def __init__(
        self, project: Project, path: str, model: str, parent_classes: Collection[str]
    ) -> None:
        """Find the code that mentions the parent model, and all that this code uses.

        Args:
            project: The project.
            path: The parent file, in the folder of the new modular file.
            model: Name of the new model.
            parent_classes: The classes that the new model inherits from.
        """
        source = Sources(project, overlay={}).parent(path)
        self._project = project
        self._imports = [import_.statement for import_ in source.module.imports]
        renamer = Renamer(
            old=source.name_forms,
            new=model,
            cased_new=project.names.cased(model),
            model=model,
        )
        definitions: dict[str, Statement] = {}
        renamed: dict[str, Statement] = {}
        for offset, statement in source.module.statements_with_offsets():
            if statement.name and statement.name not in (ALL, GETATTR):
                definitions[statement.name] = statement
                renamed[statement.name] = source.renamed_statement(
                    renamer, offset, statement
                )
        names = _find_around_classes(definitions, parent_classes)
        mentioning = [
            name
            for name in names
            if renamed[name].code.text != definitions[name].code.text
        ]
        needed = set(walk(mentioning, lambda name: definitions[name].words & names))
        needed -= set(project.settings.first_names)
        self.statements = {
            name: renamed[name] for name in definitions if name in needed
        }

    @property
    def text(self) -> str:
        """The code of the statements."""
        return "".join(
            f"\n\n{item.code.text.strip()}\n" for item in self.statements.values()
        )

    @property
    def imports(self) -> str:
        """The imports that the code needs."""
        codes = [statement.code for statement in self.statements.values()]
        defined = {statement.name for statement in self.statements.values()}
        chosen = choose_imports(
            self._imports,
            UsedNames(codes, defined),
            is_like_python=self._project.settings.is_like_python,
        )
        return "".join(import_.render().text.lstrip("\n") for import_ in chosen.plain)


def _find_around_classes(
    definitions: Mapping[str, Statement], parent_classes: Collection[str]
) -> set[str]:
    """Return the functions and assignments that no class uses, not even indirectly.

    Code that mentions a class which the new model does not inherit from is left out.
    """
    classes: Sequence[str] = [
        name for name, item in definitions.items() if item.kind is Kind.CLASS
    ]
    known = definitions.keys()
    used_by_classes = set(walk(classes, lambda name: definitions[name].words & known))
    others = set(classes) - set(parent_classes)
    names = set()
    for name in known - used_by_classes:
        if definitions[name].words.isdisjoint(others):
            names.add(name)
    return names
