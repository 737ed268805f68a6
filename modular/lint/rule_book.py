"""The rules of the modular language, and the errors and warnings, as a book: what each says of itself.

A rule of the language is a file below `modular/rules`, each group a folder; one more is told by the module that carries it
out, `modular/flatten/layout.py`. Its docstring begins with one sentence, then says exactly what the rule does, then gives
examples. It is read as text, so that nothing heavy is imported to print a rule.

A finding has a page by its code: what is wrong, why, what to use instead, and examples. A lint rule's page is the docstring of
its class. What the conversion refuses is told in `errors.md`, in the same form; that begins with the parent files that examples
share. All examples are tests.
"""

import ast
import inspect
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath

from modular.source.diagnostics import Problem


_EXAMPLE = re.compile(r"^(?:Given|Invalid|Valid) (?:`|command).*:$", re.MULTILINE)
"""Where an example begins."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its name (`del-attribute`) and its whole text in Markdown."""

    name: str
    text: str

    @property
    def summary(self) -> str:
        """The first sentence."""
        return self.text.partition("\n")[0]


@cache
def rules() -> tuple[Rule, ...]:
    """Return all rules by name."""
    package = files("modular")
    groups = [entry for entry in (package / "rules").iterdir() if entry.is_dir()]
    entries = [
        package / "flatten" / "layout.py",
        *(entry for group in groups for entry in group.iterdir()),
    ]
    book = []
    for entry in entries:
        if entry.name.endswith(".py") and not entry.name.startswith("_"):
            text = ast.get_docstring(ast.parse(entry.read_text(encoding="utf-8"))) or ""
            # A module without an example is not a rule: it holds what rules share.
            if "```" in text:
                name = entry.name.removesuffix(".py").replace("_", "-")
                book.append(Rule(name, f"{text}\n"))
    return tuple(sorted(book, key=lambda rule: rule.name))


@dataclass(frozen=True, slots=True)
class Page(Rule):
    """The page of a code."""

    code: Problem

    @property
    def meaning(self) -> str:
        """Why that is wrong, and what to use instead."""
        return _parted(self.text)[0].partition("\n")[2].strip()

    def as_markdown(self) -> str:
        """The whole page."""
        return f"# {self.code.id} {self.code.title} ({self.code.severity.value})\n\n{self.text}"


def page(code: Problem) -> Page:
    """Return the page of a code."""
    return _pages()[code]


def find_page(name: str) -> Page | None:
    """Return the page of a code given by its number or its name (`MOD202`, `name-not-in-parent`), if there is one."""
    return next(
        (
            page(code)
            for code in Problem
            if name.upper() == code.id or name.lower() == code.title
        ),
        None,
    )


@cache
def _pages() -> dict[Problem, Page]:
    from modular.lint.inspection import RULES

    parents, *sections = (
        (files("modular.lint") / "errors.md")
        .read_text(encoding="utf-8")
        .split("\n# MOD")
    )
    texts = {f"MOD{section[:3]}": section[3:] for section in sections}
    texts |= {
        rule.code.id: inspect.getdoc(rule) or ""
        for rule in RULES
        if rule.code.id not in texts
    }
    return {
        code: Page(
            code.title, _with_parents(f"{texts[code.id].strip()}\n", parents), code
        )
        for code in Problem
    }


def _with_parents(text: str, parents: str) -> str:
    """Give the shared parent files that a page names, unless it gives its own, before its first example."""
    explanation, examples = _parted(text)
    for block in re.split(r"\n(?=Given `)", parents):
        path = block.split("`")[1]
        if PurePosixPath(path).stem in text and f"Given `{path}`" not in text:
            explanation += f"{block.strip()}\n\n"
    return explanation + examples


def _parted(text: str) -> tuple[str, str]:
    """What is said before the first example, and the examples."""
    first = _EXAMPLE.search(text)
    start = first.start() if first is not None else len(text)
    return text[:start], text[start:]
