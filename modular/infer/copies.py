"""Reads comments such as `# Copied from models.llama.modeling_llama.LlamaMLP`."""

import re
from typing import NamedTuple

from modular.source.source_slice import SourceSlice


_SOURCE = re.compile(r"#\s*(?:Copied|Adapted) from ((?:\w+\.){2,}\w+)", re.IGNORECASE)


class CopySource(NamedTuple):
    """The code that a comment names as the source of a copy.

    Attributes:
        folder: The path of its model's folder, such as `transformers/models/llama`.
        name: The name of the class or function; that of a method is `Class.method`.
    """

    folder: str
    name: str

    def is_from(self, path: str, name: str) -> bool:
        """Return whether the code was copied from a class or function, or from a part.

        A comment `# Copied from models.llama.modular_llama.LlamaMLP.forward` names a
        method of the class `LlamaMLP` in `models/llama/modeling_llama.py`. So only the
        folder of the path matters: the comment may name another file of the model.

        Args:
            path: The path of the file with the class or function.
            name: The name of the class or function.
        """
        class_or_function = self.name.partition(".")[0]
        folder = path.rpartition("/")[0]
        return class_or_function == name and self.is_in(folder)

    def is_in(self, folder: str) -> bool:
        """Return whether the code was copied from a file in the folder of a model.

        The comment may name the folder `models/llama` or `transformers/models/llama`,
        and the path may be `models/llama` or `src/transformers/models/llama`. Both mean
        the same folder if one of them ends with the other.

        Args:
            folder: The path of the folder.
        """
        # The slash prevents that `my_models/llama` ends with `models/llama`.
        folder_in_comment = f"/{self.folder}"
        path = f"/{folder}"
        return path.endswith(folder_in_comment) or folder_in_comment.endswith(path)


def copy_source_of(lead: SourceSlice) -> str:
    """Return the dotted name of the source in the comments above some code, or ""."""
    comment = _SOURCE.search(lead.text)
    return comment[1] if comment else ""


def parse_copy_source(dotted_name: str) -> CopySource:
    """Split the dotted name of a source into the folder and the name in the file.

    The name of a method follows that of its class, which begins with a capital:

        models.llama.modeling_llama.LlamaMLP.forward  # models/llama, LlamaMLP.forward
        models.llama.modeling_llama.rotate            # models/llama, rotate
    """
    *packages, module_or_class, name = dotted_name.split(".")
    if module_or_class[:1].isupper():
        name = f"{module_or_class}.{name}"
        packages.pop()
    return CopySource("/".join(packages), name)
