"""Guesses the new name of a parent class that is no longer in its file, from an earlier conversion."""

from collections.abc import Callable

from modular.project import file_types
from modular.project.project import Project
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import ParentSource
from modular.source.definitions import find_definitions
from modular.source.module import Module


_MIN_SHARED_WORDS = 0.5
"""The share of words, of all words of two classes, that a class and its renamed version have in common."""


def likely_name(
    project: Project,
    modular: ModularFile,
    parent: ParentSource,
    name: str,
    read: Callable[[str], Module | None],
) -> str | None:
    """Return the class that a renamed parent class is probably called now.

    It is the class of the parent file that has most words in common with the child
    that an earlier run generated.

    Args:
        project: The project.
        modular: The modular file.
        parent: The parent file as it is now.
        name: A base of the modular file that the parent file does not define.
        read: Returns the file at a path; None if it does not exist.

    Returns:
        None if nothing was generated, or no class is similar.
    """
    children = [child for child, bases in modular.bases.items() if name in bases]
    if not children:
        return None
    # The class that an earlier run has generated for the first child.
    child = children[0]
    file_type = file_types.of_class(child, modular.cased, project.settings)
    module = read(project.output_path(modular.path, file_type))
    if module is None:
        return None
    generated = find_definitions(module).classes.get(child)
    if generated is None:
        return None

    # The share of words that both classes have is between 0 and 1.
    likely_class = None
    largest_share = 0.0
    for class_ in find_definitions(parent.module).classes.values():
        shared_words = generated.words & class_.words
        share = len(shared_words) / len(generated.words | class_.words)
        if share >= _MIN_SHARED_WORDS and share > largest_share:
            likely_class = class_.name
            largest_share = share
    return likely_class
