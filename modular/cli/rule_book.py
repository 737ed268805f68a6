"""The rules of the modular language as a book: what each file below `modular/rules` says of itself, and its examples.

Each group of rules is a folder. One more rule is told by the module that carries it out, `modular/flatten/layout.py`.

A rule's docstring begins with one sentence, then says exactly what the rule does, then gives examples: settings and parent
files if there are any, a modular file, and what comes out of them, formatted and without the banner. Everything is read
as text, so that nothing heavy is imported to print a rule.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files


_FENCED = re.compile(
    r"^(?P<role>Settings|Parent|Modular|Output) `(?P<path>[^`\n]+)`:\n\n```(?:python|toml)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_FENCE = re.compile(r"^```\w", re.MULTILINE)
_OUTPUT = "Output"
_ELSEWHERE = ("flatten", "layout.py")


class UnknownRuleError(LookupError):
    """There is no rule with a name. The message names the nearest ones."""


class RuleTextError(ValueError):
    """A rule's docstring is missing or does not have the form of this book. The message names the rule."""


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a rule: source files and the files that come out, as texts by path relative to a project's root."""

    files: Mapping[str, str]
    outputs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its name (`del-attribute`), its first sentence, its whole text in Markdown, and the examples in the text."""

    name: str
    summary: str
    text: str
    examples: tuple[Example, ...]


@cache
def rules() -> tuple[Rule, ...]:
    """Return all rules by name. Raises RuleTextError."""
    package = files("modular")
    groups = [entry for entry in (package / "rules").iterdir() if entry.is_dir()]
    entries = [package.joinpath(*_ELSEWHERE), *(entry for group in groups for entry in group.iterdir())]
    found = [entry for entry in entries if entry.name.endswith(".py") and not entry.name.startswith("_")]
    sources = {_name(entry.name): entry for entry in found}
    return tuple(read(name, sources[name].read_text(encoding="utf-8")) for name in sorted(sources))


def find(name: str) -> Rule:
    """Return the rule of a name, written with dashes or underscores. Raises UnknownRuleError and RuleTextError."""
    wanted = _name(name.lower())
    known = {rule.name: rule for rule in rules()}
    if wanted in known:
        return known[wanted]
    near = get_close_matches(wanted, sorted(known), n=3, cutoff=0.4) or sorted(known)
    raise UnknownRuleError(f"no rule `{name}`; there is {', '.join(f'`{each}`' for each in near)}")


def _name(file: str) -> str:
    return file.removesuffix(".py").replace("_", "-")


def read(name: str, source: str) -> Rule:
    """Read a rule from the source of its file. Raises RuleTextError."""
    text = ast.get_docstring(ast.parse(source))
    if text is None:
        raise RuleTextError(f"the rule `{name}` has no docstring")
    text += "\n"
    return Rule(name, text.partition("\n")[0], text, tuple(_examples(name, text)))


def _examples(name: str, text: str) -> Iterator[Example]:
    """Read the examples, of which each ends with its last output."""
    if len(_FENCE.findall(text)) != len(_FENCED.findall(text)):
        raise RuleTextError(f"the rule `{name}` has code without a title like ``Parent `models/a/modeling_a.py`:``")
    sources: dict[str, str] = {}
    outputs: dict[str, str] = {}
    for block in _FENCED.finditer(text):
        if block["role"] == _OUTPUT:
            outputs[block["path"]] = block["code"]
            continue
        if outputs:
            yield Example(sources, outputs)
            sources, outputs = {}, {}
        sources[block["path"]] = block["code"]
    if not outputs:
        raise RuleTextError(f"the rule `{name}` has no output after its last example")
    yield Example(sources, outputs)
