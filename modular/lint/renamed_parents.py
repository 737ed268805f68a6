"""What a parent class is called now that is not in its file any more: told by what was generated from it before."""

from collections.abc import Callable

from modular.project.project import Project
from modular.rules.files import file_types
from modular.rules.modular_file import ModularFile
from modular.rules.renamed_file import ParentSource
from modular.source.definitions import definitions
from modular.source.module import Module


_ALIKE = 0.5
"""The share of words that two classes have in common, of all their words, if one is the other under a new name."""


def likely_name(
    project: Project, modular: ModularFile, parent: ParentSource, name: str, read: Callable[[str], Module | None]
) -> str | None:
    """Return the class of a parent file that most resembles the generated class that once came from ``name``.

    ``read`` gives a file as it is; None: it is not there. None if nothing was generated, or nothing resembles it.
    """
    words = _words_once_generated(project, modular, name, read)
    classes = definitions(parent.module).classes.values()
    shares = {class_.name: len(words & class_.words) / len(words | class_.words) for class_ in classes if words}
    best = max(shares, key=shares.__getitem__, default=None)
    return best if best is not None and shares[best] >= _ALIKE else None


def _words_once_generated(
    project: Project, modular: ModularFile, name: str, read: Callable[[str], Module | None]
) -> frozenset[str]:
    """The words of the generated class that inherits from a parent."""
    for child in modular.definitions.classes:
        if name in modular.bases[child]:
            file_type = file_types.of_class(child, modular.cased, project.settings)
            module = read(project.output_path(modular.path, file_type))
            generated = None if module is None else definitions(module).classes.get(child)
            return frozenset() if generated is None else generated.words
    return frozenset()
