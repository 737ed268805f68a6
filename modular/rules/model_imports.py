"""Model imports: `from ..other.modeling_other import X` names a parent file, and what it names is inlined.

Refused are parent files that are not there, names that are not in them, configurations taken from a modeling file, and
imports from the library as a whole.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from modular.diagnostics import Code, Diagnostic, Place
from modular.settings import MODELING, Settings
from modular.source.imports import Import
from modular.source.modular_file import ModularFile
from modular.source.places import place_of, place_of_word
from modular.source.renamed import ParentSource


def check_library_imports(modular: ModularFile, settings: Settings) -> list[Diagnostic]:
    """Report imports from the library as a whole: they name no file that could be read."""
    found = []
    for each in modular.module.imports:
        if each.level == 0 and each.module == settings.source_library:
            names = ", ".join(name.name for name in each.names)
            message = f"`{names}` is imported from `{each.module}` as a whole"
            hint = f"import from the file that defines it, such as `from ..llama.modeling_llama import {each.names[0].name}`"
            found.append(Diagnostic(Code.IMPORT_FROM_PACKAGE, place_of(each.statement.own), message, hint))
    return found


def check_imported_names(
    modular: ModularFile, parents: Mapping[str, ParentSource], file_type_of: Mapping[str, str]
) -> list[Diagnostic]:
    """Report names that their parent file does not have, and configurations taken from a modeling file."""
    found = []
    known = {path: _known_names(parent) for path, parent in parents.items()}
    bases = modular.base_names
    for path, each in modular.model_imports:
        for name in each.names:
            place = place_of_word(each.statement.own, name.name)
            if name.name.endswith("Config") and file_type_of[path] == MODELING:
                found.append(_config_from_modeling(path, each, name.name, place))
            elif name.name not in known[path]:
                found.append(_not_there(name.name, path, place, known, name.bound in bases))
    return found


def _not_there(name: str, path: str, place: Place, known: Mapping[str, set[str]], is_base: bool) -> Diagnostic:
    """A name that its file does not have: harmless where another parent file has it and no class inherits from it."""
    message = f"`{path}` has no `{name}`"
    others = [other for other, names in known.items() if name in names]
    if others and not is_base:
        return Diagnostic(Code.NAME_FROM_OTHER_PARENT, place, message, f"import it from `{others[0]}`")
    hint = f"import it from `{others[0]}`" if others else _nearest(name, known[path])
    return Diagnostic(Code.NAME_NOT_IN_PARENT, place, message, hint)


def _known_names(parent: ParentSource) -> set[str]:
    defined = {each.name for each in parent.module.block.statements if each.name}
    return defined | {name.bound for each in parent.module.imports for name in each.names}


def _config_from_modeling(path: str, statement: Import, name: str, place: Place) -> Diagnostic:
    source = statement.source.replace(f"{MODELING}_", "configuration_")
    message = f"the configuration `{name}` is imported from the modeling file `{path}`"
    return Diagnostic(Code.CONFIG_FROM_MODELING, place, message, f"write `from {source} import {name}`")


def _nearest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, sorted(known), n=3)
    return f"did you mean {' or '.join(f'`{each}`' for each in near)}?" if near else ""
