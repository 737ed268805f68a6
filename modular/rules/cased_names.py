"""Cased names: how a model's name (`qwen2_5_vl`) stands in class names (`Qwen2_5_VL`).

The table `model_type -> ConfigClass` of the project decides. It is read as text, from the files of the setting
`model_types.files`, or from the `model_type = "..."` lines of the configuration classes. A model that is not there gets each part
in title case.
"""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from modular.source.blocks import split
from modular.source.code import generated

_CONFIG = "Config"
_CONFIG_CLASS = re.compile(r"^class +(\w+)Config\b", re.MULTILINE)
_MODEL_TYPE = re.compile(r"^[ \t]+model_type\s*(?::[^=\n]*)?=\s*[\"']([\w-]+)[\"']", re.MULTILINE)


@dataclass(frozen=True)
class CasedNames:
    """The table of model types and their configuration classes, in its order."""

    table: Mapping[str, str]

    def cased(self, model: str) -> str:
        """Return the cased form of a model name."""
        name = self.table.get(model) or self.table.get(model.replace("_", "-"))
        if name is not None:
            return name.removesuffix(_CONFIG)
        return "".join(part.title() for part in model.split("_"))

    def lower(self, cased: str) -> str:
        """Return the model name behind a cased name or prefix."""
        if model_type := self._model_types.get(cased + _CONFIG):
            return model_type.replace("-", "_")
        return "_".join(re.split(r"(?<!^)(?=[A-Z])", cased)).lower()

    @cached_property
    def _model_types(self) -> dict[str, str]:
        return {name: model_type for model_type, name in self.table.items()}


def read_table(texts: Iterable[str], variable: str) -> dict[str, str]:
    """Read the table out of the sources that build it: a literal, updates with literals, entries put in front."""
    table: dict[str, str] = {}
    for text in texts:
        for statement in split(generated(text + "\n", "", 1)).statements:
            if variable in statement.own.text:
                table = _apply(statement.own.text, variable, table)
    return table


def _apply(text: str, variable: str, table: dict[str, str]) -> dict[str, str]:
    try:
        node = ast.parse(text).body[0]
    except SyntaxError:
        return table
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Name) and target.id == variable:
            return _value(node.value, variable, table)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.value.args:
        function = node.value.func
        if isinstance(function, ast.Attribute) and function.attr == "update":
            if isinstance(function.value, ast.Name) and function.value.id == variable:
                return table | _value(node.value.args[0], variable, table)
    return table


def _value(node: ast.expr, variable: str, table: dict[str, str]) -> dict[str, str]:
    """Read a mapping written as a literal, as a call with a literal, or with the table itself unpacked into it."""
    if isinstance(node, ast.Name) and node.id == variable:
        return table
    if isinstance(node, ast.Call):
        merged: dict[str, str] = {}
        for part in [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg is None)]:
            merged.update(_value(part, variable, table))
        return merged
    try:
        return {str(key): str(value) for key, value in dict(ast.literal_eval(node)).items()}
    except (ValueError, TypeError):
        return {}


def table_from_classes(texts: Iterable[str]) -> dict[str, str]:
    """Read the same pairs out of configuration classes that say `model_type = "..."`."""
    table: dict[str, str] = {}
    for text in texts:
        classes = list(_CONFIG_CLASS.finditer(text))
        ends = [*(following.start() for following in classes[1:]), len(text)]
        for found, end in zip(classes, ends, strict=False):
            if model_type := _MODEL_TYPE.search(text, found.end(), end):
                table[model_type.group(1)] = found.group(1) + _CONFIG
    return table
