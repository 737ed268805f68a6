"""What a parent class is called now that is not in its file any more: told by what was generated from it before."""

from collections.abc import Callable

from modular.project.project import Project
from modular.rules.files import file_types
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import ParentSource
from modular.source.definitions import definitions
from modular.source.module import Module


_ALIKE = 0.5
"""The share of words that two classes have in common, of all their words, if one is the other under a new name."""


def likely_name(
    project: Project,
    modular: ModularFile,
    parent: ParentSource,
    name: str,
    read: Callable[[str], Module | None],
) -> str | None:
    """Return the class of a parent file that most resembles the generated class that once came from ``name``.

    ``read`` gives a file as it is; None: it is not there. None if nothing was generated, or nothing resembles it.
    """
    child = next(
        (child for child, bases in modular.bases.items() if name in bases), None
    )
    if child is None:
        return None
    module = read(
        project.output_path(
            modular.path, file_types.of_class(child, modular.cased, project.settings)
        )
    )
    generated = None if module is None else definitions(module).classes.get(child)
    if generated is None:
        return None
    words, classes = generated.words, definitions(parent.module).classes.values()
    shares = {
        class_.name: len(words & class_.words) / len(words | class_.words)
        for class_ in classes
    }
    best = max(shares, key=shares.__getitem__, default=None)
    return best if best is not None and shares[best] >= _ALIKE else None
