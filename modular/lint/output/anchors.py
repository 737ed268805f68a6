"""From a place in generated code's origin to the line of the modular file that is answerable for it."""

from modular.rules.modular_file import ModularFile
from modular.source.diagnostics import Place
from modular.source.parts import parts_of
from modular.source.places import place_of_module, place_of_word


def anchored(modular: ModularFile, statement: str, place: Place) -> tuple[Place, Place | None]:
    """Return the place to name, which is in the modular file, and a second one if the code is a parent's.

    ``statement`` is the output statement in which the code stands. For a parent's code the modular class that inherits
    it is named, or else the import that brought it.
    """
    if place.path == modular.path:
        return place, None
    definition = modular.definitions.classes.get(statement)
    if definition is not None:
        return place_of_word(parts_of(definition.statement).header, statement), place
    imports = (each for path, each in modular.model_imports if path == place.path)
    found = (place_of_module(import_) for import_ in imports)
    return next(found, Place(modular.path)), place
