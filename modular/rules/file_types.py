"""File types: the ending of a class name says into which file the class goes."""

from modular.settings import MODELING, Settings


def of_class(name: str, cased: str, settings: Settings) -> str:
    """Return the file type of a class of the model with this cased name."""
    rest = name.replace(cased, "")
    endings = [ending for ending in settings.file_types if rest.endswith(ending)]
    return settings.file_types[max(endings, key=len)] if endings else MODELING


def of_file(stem: str, settings: Settings) -> str | None:
    """Return the file type of a model file's name without `.py` (`modeling_llama`), or None if it is no model file."""
    return next((each for each in settings.all_file_types if stem.startswith(each + "_")), None)
