"""The examples in the texts of the rules."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from modular.lint.rule_book import Rule


_FENCED = re.compile(
    r"^(?P<role>Settings|Parent|Modular|Output) `(?P<path>[^`\n]+)`:\n\n```(?:python|toml)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_FENCE = re.compile(r"^```\w", re.MULTILINE)


@dataclass
class Example:
    """Source files and the files that come out, as texts by path relative to a project's root."""

    files: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)


def examples(rule: Rule) -> Iterator[Example]:
    """Yield the examples, of which each ends with its last output."""
    assert len(_FENCE.findall(rule.text)) == len(_FENCED.findall(rule.text)), (
        f"{rule.name} has code without a title"
    )
    example = Example()
    for block in _FENCED.finditer(rule.text):
        is_output = block["role"] == "Output"
        if example.outputs and not is_output:
            yield example
            example = Example()
        (example.outputs if is_output else example.files)[block["path"]] = block["code"]
    assert example.outputs, f"{rule.name} has no output after its last example"
    yield example
