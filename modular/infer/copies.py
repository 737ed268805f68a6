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
        """Return whether the code was copied from a class or function, or from its method.

        A comment can name any file of the model's folder. So the source
        `models.llama.modular_llama.LlamaMLP.forward` counts as a method of `LlamaMLP` in
        `models/llama/modeling_llama.py`.

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
    parts = dotted_name.split(".")
    is_method = parts[-2][:1].isupper()
    if is_method:
        *folders, _module, class_name, method = parts
        return CopySource("/".join(folders), f"{class_name}.{method}")
    *folders, _module, name = parts
    return CopySource("/".join(folders), name)
