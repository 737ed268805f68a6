"""Random models whose files use the same names for different things.

Each model has two parent files and a modular file. Each of them binds some names of a
small pool at module level, in many ways, and has a class whose methods use them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random


NAMES = ("SIZE", "scale", "Helper", "sqrt", "round", "m")
BINDINGS = {
    "SIZE": (
        "SIZE = {n}",
        "SIZE = {n}\nSIZE += 1",
        "SIZE, OTHER = {n}, 2",
        "from math import pi as SIZE",
        "from cmath import inf as SIZE",
        "SIZE = {{}}\nSIZE.update(a={n})",
        "SIZE = []\nfor step in range({n}):\n    SIZE.append(step)",
        "if {n} > 1:\n    SIZE = 1\nelse:\n    SIZE = 0",
        "try:\n    import none_such\n\n    SIZE = 7\nexcept ImportError:\n    SIZE = {n}",
    ),
    "scale": (
        "def scale(x):\n    return (x, {n})",
        "scale = lambda x: [x, {n}]",
        "def scale(x):\n    return (x, {n})\n\n\nscale = wrap(scale)",
        "from math import floor as scale",
        "from math import ceil as scale",
    ),
    "Helper": (
        "class Helper:\n    value = {n}",
        "class Helper:\n    pass\n\n\nHelper.value = {n}",
    ),
    "sqrt": (
        "from math import sqrt",
        "from cmath import sqrt",
        "def sqrt(x):\n    return {n}",
    ),
    "round": ("def round(x):\n    return {n}", "from math import trunc as round"),
    "m": ("import math as m", "import cmath as m"),
}
"""The ways in which a file can bind each name."""

USES = {
    "SIZE": "SIZE",
    "scale": "scale(2)",
    "Helper": "Helper.value",
    "sqrt": "sqrt(4)",
    "round": "round(2.4)",
    "m": "m.sqrt(9)",
}
"""How methods use each name."""

WRAP = "def wrap(f):\n    return lambda x: {f(x)}"


@dataclass(frozen=True)
class NamedModel:
    """A model whose files share names.

    Attributes:
        number: The number of the random model.
        parents: The texts of the parent files, by the stem of the model: `fern`.
        modular: The text of the modular file.
    """

    number: int
    parents: dict[str, str]
    modular: str

    @property
    def letters(self) -> str:
        """Letters that only the names of this model have."""
        number = self.number
        letters = ""
        for _ in range(4):
            number, digit = divmod(number, 20)
            letters += "bcdfghjklmnpqrstvwxz"[digit]
        return letters

    def files(self) -> dict[str, str]:
        """Return the files by path. The models are called `fernbbbb`, for example."""
        files = {}
        for stem, text in self.parents.items():
            model = f"{stem}{self.letters}"
            path = f"models/{model}/modeling_{model}.py"
            files[path] = self._complete(text)
        model = f"moss{self.letters}"
        files[f"models/{model}/modular_{model}.py"] = self._complete(self.modular)
        return files

    def _complete(self, text: str) -> str:
        for stem in ("fern", "pine", "moss"):
            text = text.replace(f"{stem}#", f"{stem}{self.letters}")
            text = text.replace(f"{stem.title()}#", f"{stem.title()}{self.letters}")
        return text


def random_named_model(number: int, *, is_apart: bool = False) -> NamedModel:
    """Return the random model of a number.

    Args:
        number: The number.
        is_apart: Whether each file spells the names that it binds in a way of its own.
    """
    random = Random(number)
    bound: dict[str, dict[str, str]] = {}
    texts = {}
    for stem in ("fern", "pine", "moss"):
        bound[stem] = {}
        for name in random.sample(NAMES, random.randint(1, 3)):
            binding = random.choice(BINDINGS[name]).format(n=random.randint(1, 4))
            if not _is_documented(stem, name, binding, bound):
                bound[stem][name] = binding
        uses = random.sample(NAMES, 2)
        uses = [name for name in uses if name in bound[stem] or name == "round"]
        texts[stem] = _file_text(stem, bound[stem], uses or list(bound[stem])[:1])
        if is_apart:
            texts[stem] = _spell_apart(texts[stem], stem, bound[stem])
    imports = (
        "from ..fern#.modeling_fern# import Fern#A\n"
        "from ..pine#.modeling_pine# import Pine#B\n"
    )
    return NamedModel(
        number, {"fern": texts["fern"], "pine": texts["pine"]}, imports + texts["moss"]
    )


def _is_documented(
    stem: str, name: str, binding: str, bound: dict[str, dict[str, str]]
) -> bool:
    """Whether a function of the modular file takes the place of a parent's, as documented."""
    if stem != "moss" or not binding.startswith("def"):
        return False
    others = [bound[parent].get(name, "") for parent in ("fern", "pine")]
    return any(other.startswith("def") for other in others)


def _file_text(stem: str, bindings: dict[str, str], uses: list[str]) -> str:
    """Return the text of a file: its bindings, and one or two classes."""
    parts = list(bindings.values())
    if any("wrap(" in part for part in parts):
        parts.insert(0, WRAP)
    title = stem.title()
    values = ", ".join(USES[name] for name in uses)
    method = f"    def of_{stem}(self):\n        return [{values}]"
    if stem == "moss":
        parts.append(f"class Moss#A(Fern#A):\n{method}")
        parts.append("class Moss#B(Pine#B):\n    pass")
    else:
        suffix = "A" if stem == "fern" else "B"
        parts.append(f"class {title}#{suffix}:\n{method}")
    return "\n\n\n".join(parts) + "\n"


def _spell_apart(text: str, stem: str, bindings: dict[str, str]) -> str:
    """Return a text in which the names that it binds have the name of the file."""
    import re

    for name in (*bindings, "wrap", "OTHER"):
        text = re.sub(
            rf"(?<!import )(?<!\.)\b{name}\b", f"{name}_of_{stem[::-1]}", text
        )
        text = re.sub(
            rf"import {name}$",
            f"import {name} as {name}_of_{stem[::-1]}",
            text,
            flags=re.MULTILINE,
        )
    return text


def methods(number: int) -> Iterator[tuple[str, str]]:
    """Yield the classes of a model and the methods that can be called."""
    letters = NamedModel(number, {}, "").letters
    yield f"Moss{letters}A", "of_fern"
    yield f"Moss{letters}A", "of_moss"
    yield f"Moss{letters}B", "of_pine"
