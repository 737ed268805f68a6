"""Tells for each generated class what it inherits, and why it is generated."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.flatten.outputs import OutputFile
from modular.project.project import Project
from modular.provenance.outline import first_filled_line, line_owners
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.definition_view import view_definition


class ClassOrigin(str, Enum):
    """Why a class is generated.

    Attributes:
        OWN: The modular file contains the whole class.
        INHERITED: The modular file contains a child of a class in a parent file.
        DEPENDENCY: Another generated class uses the class, which a parent file contains.
    """

    OWN = "own"
    INHERITED = "inherited"
    DEPENDENCY = "dependency"


@dataclass(frozen=True, slots=True)
class GeneratedClass:
    """A class of a generated file.

    Attributes:
        name: The name of the class.
        bases: The bases in the generated file, as written.
        parent: The class of a parent file that the code comes from; empty if the
            modular file contains the whole class.
        origin: Why the class is generated.
    """

    name: str
    bases: tuple[str, ...]
    parent: str
    origin: ClassOrigin


def find_classes(
    project: Project, modular: str, regenerated: Mapping[str, str]
) -> tuple[GeneratedClass, ...]:
    """Return the classes that a modular file generates, file by file in their order.

    Args:
        project: The project.
        modular: The modular file, relative to the root.
        regenerated: Texts by path that count instead of the files on disk.

    Returns:
        The classes; none if the modular file cannot be converted.
    """
    converter = Converter(project, dict(regenerated))
    return describe_classes(project, converter.convert(modular), regenerated)


def describe_classes(
    project: Project, conversion: Conversion, regenerated: Mapping[str, str]
) -> tuple[GeneratedClass, ...]:
    """Return the classes that a conversion generates, with their bases and parents.

    Args:
        project: The project.
        conversion: The result of converting a modular file.
        regenerated: Texts by path that count instead of the files on disk.

    Returns:
        The classes, file by file in their order; none if the modular file could not be
        converted.
    """
    if conversion.flattened is None:
        return ()
    modular = conversion.flattened.modular
    classes: list[GeneratedClass] = []
    for file in conversion.files:
        for statement in modules.read(file.path, file.text).block.statements:
            if statement.kind is not Kind.CLASS:
                continue
            name = statement.name
            bases = view_definition(statement).bases
            is_in_modular = name in modular.definitions.classes
            parents = modular.parent_classes(name) if is_in_modular else ()
            if parents:
                parent, origin = parents[0].name, ClassOrigin.INHERITED
            elif is_in_modular:
                parent, origin = "", ClassOrigin.OWN
            else:
                # Only a parent file has the class, and another generated class uses it.
                parent = _copied_class(project, file, name, regenerated)
                origin = ClassOrigin.DEPENDENCY
            classes.append(GeneratedClass(name, bases, parent, origin))
    return tuple(classes)


def _copied_class(
    project: Project, file: OutputFile, name: str, regenerated: Mapping[str, str]
) -> str:
    """Return the name of the class that a generated class is a copy of.

    For `OlmoNorm`, which was copied from a parent file and renamed, this is `LlamaNorm`.

    Args:
        project: The project.
        file: The file with the generated class.
        name: Name of the generated class.
        regenerated: Texts by path that count instead of the files on disk.

    Returns:
        The class of the parent file that contains the first lines of the copy; empty if
        none of its lines is in a class of a source file.
    """
    # The code of the class consists of slices, each with adjacent lines of one source. A
    # slice with only the comments above the class is in no class of the source.
    for code in file.find(name):
        if code.is_synthetic:
            # The converter wrote it, so no source has it.
            continue
        source = modules.read(code.path, project.load(code.path, regenerated).text)
        owners_by_line = line_owners(source)
        owner = owners_by_line.get(first_filled_line(code))
        if owner is not None and owner.class_ is not None:
            return owner.class_
    return ""
