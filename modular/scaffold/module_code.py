"""Copies code around the classes of a parent model into a new modular file.

Where a model is one file, such code registers the classes: `EntryClass = LlamaForCausalLM`,
or functions with a decorator `@register_model`.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from modular.conversion.sources import Sources
from modular.project.project import Project
from modular.rules.files.drafts import ALL, GETATTR
from modular.rules.files.imports import choose_imports
from modular.rules.files.used_names import UsedNames
from modular.source.blocks import Kind, Statement
from modular.source.import_statements import Import
from modular.source.walking import walk


@dataclass(frozen=True)
class ModuleCode:
    """Functions and assignments of a parent file that no class of it uses.

    Attributes:
        imports: The imports that they need.
        text: Their code, with the names of the new model.
        new_names: The name of each of them in the new model, by its old name.
    """

    imports: str
    text: str
    new_names: Mapping[str, str]


def read_module_code(
    project: Project, path: str, model: str, parent_classes: Collection[str]
) -> ModuleCode:
    """Return the code of a parent file that a new model must copy, with its own names.

    A function or assignment that no class uses is copied if it mentions the parent model,
    such as `LlamaConfig`, or if copied code uses it. An example is code that registers the
    classes of the model.

    Args:
        project: The project.
        path: The parent file, in the folder of the new modular file.
        model: Name of the new model.
        parent_classes: The classes that the new model inherits from.
    """
    source = Sources(project, overlay={}).parent(path)
    renamer = source.renamer_to(model, project.names.cased(model))
    definitions: dict[str, Statement] = {}
    renamed: dict[str, Statement] = {}
    for offset, statement in source.module.statements_with_offsets():
        if statement.name and statement.name not in (ALL, GETATTR):
            definitions[statement.name] = statement
            renamed[statement.name] = source.renamed_statement(
                renamer, offset, statement
            )

    names = _find_unused_by_classes(definitions, parent_classes)
    # The renaming changes exactly the statements that mention the parent model.
    names_mentioning_model = [
        name for name in names if renamed[name].code.text != definitions[name].code.text
    ]
    copied_names = set(
        walk(names_mentioning_model, lambda name: definitions[name].words & names)
    )
    copied_names -= set(project.settings.first_names)
    copies = {name: renamed[name] for name in definitions if name in copied_names}
    return _join_code(project, source.module.imports, copies)


def _join_code(
    project: Project, imports: Iterable[Import], copies: Mapping[str, Statement]
) -> ModuleCode:
    """Return functions and assignments as code, with the imports that they need.

    Args:
        project: The project.
        imports: The imports of the file that they are copied from.
        copies: The functions and assignments with the names of the new model, by the
            names that they have in that file.
    """
    codes = [copy.code for copy in copies.values()]
    new_names = {old_name: copy.name for old_name, copy in copies.items()}
    needed_imports = choose_imports(
        [import_.statement for import_ in imports],
        UsedNames(codes, set(new_names.values())),
        is_like_python=project.settings.is_like_python,
    )
    import_texts = [import_.render().text for import_ in needed_imports.plain]
    return ModuleCode(
        imports="".join(text.lstrip("\n") for text in import_texts),
        text="".join(f"\n\n{code.text.strip()}\n" for code in codes),
        new_names=new_names,
    )


def _find_unused_by_classes(
    definitions: Mapping[str, Statement], parent_classes: Collection[str]
) -> set[str]:
    """Return the functions and assignments that no class uses, not even indirectly.

    Those that mention a class without a child in the new model are left out, too.

    Args:
        definitions: All definitions of the parent file by name.
        parent_classes: The classes that have a child in the new model.
    """
    all_names = definitions.keys()
    classes = set()
    for name, definition in definitions.items():
        if definition.kind is Kind.CLASS:
            classes.add(name)
    classes_and_used_names = set(
        walk(classes, lambda name: definitions[name].words & all_names)
    )
    classes_without_child = classes - set(parent_classes)
    unused_names = set()
    for name in all_names - classes_and_used_names:
        if definitions[name].words.isdisjoint(classes_without_child):
            unused_names.add(name)
    return unused_names
