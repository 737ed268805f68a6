"""Finds entries of `auto_map` in the `config.json` of a Hub repository that are wrong."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from modular.lint.context import LintContext
from modular.project.project import Project, join_path
from modular.semantics.meanings import Reason, Unknown
from modular.settings.settings import HUB_CONFIG
from modular.source.diagnostics import Place


_AUTO_MAP = "auto_map"


class WrongEntry(NamedTuple):
    """An entry of `auto_map` that names what does not exist.

    Attributes:
        value: The value of the entry, such as `modeling_acme.AcmeModel`.
        place: The place of the value.
        reason: Why it is wrong: the end of a message.
    """

    value: str
    place: Place
    reason: str


def find_wrong_entries(context: LintContext) -> Iterator[WrongEntry]:
    """Yield the entries of `auto_map` that name a class or file that does not exist.

    Transformers imports these classes when somebody loads the model from the Hub. Only
    a folder that all models share can be a repository on the Hub.
    """
    project = context.project
    if project.settings.file_names.has_model_folders:
        return
    folder = project.output_folder(context.modular.path)
    config_path = join_path(folder, HUB_CONFIG)
    # This records the file as an input of the result.
    if not context.exists(config_path):
        return

    text = project.load(config_path, {}).text
    output_paths = {file.path for file in context.files}
    for value in _read_auto_map(text):
        # `modeling_acme` and `AcmeModel`.
        module, _, class_name = value.rpartition(".")
        # `owner/repository--modeling_acme.AcmeModel` is in another repository.
        if not module.isidentifier() or not class_name.isidentifier():
            continue
        path = join_path(folder, f"{module}.py")
        place = _place_of_value(config_path, text, value)
        if path in output_paths or context.exists(path):
            meaning = context.resolver.meaning(path, class_name)
            if isinstance(meaning, Unknown) and meaning.reason is Reason.NOT_BOUND:
                yield WrongEntry(value, place, f"which `{path}` does not define")
        # Of several models in the folder, only the first one reports a missing file.
        elif context.modular.path == _first_modular(project, folder):
            yield WrongEntry(value, place, f"but there is no file `{path}`")


def _first_modular(project: Project, folder: str) -> str:
    """Return the first modular file whose outputs are in a folder."""
    return min(
        modular
        for modular in project.modular_files
        if project.output_folder(modular) == folder
    )


def _read_auto_map(text: str) -> Iterator[str]:
    """Yield the values of `auto_map` in a JSON text, such as `modeling_acme.AcmeModel`.

    The value for a tokenizer can be a list of two such strings.
    """
    try:
        config = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(config, dict):
        return
    auto_map = config.get(_AUTO_MAP)
    if not isinstance(auto_map, dict):
        return
    for value in auto_map.values():
        values = value if isinstance(value, list) else [value]
        for text_value in values:
            if isinstance(text_value, str):
                yield text_value


def _place_of_value(path: str, text: str, value: str) -> Place:
    """Return the place of the first string in a JSON text that has a given value."""
    for number, line in enumerate(text.split("\n"), start=1):
        offset = line.find(f'"{value}"')
        if offset >= 0:
            return Place(path, number, offset + 1, len(value) + 2, line)
    return Place(path)
