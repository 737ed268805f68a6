"""The page of each code: what is wrong, why, what to use instead, and examples, which are tests.

A lint rule's page is the docstring of its class. What the conversion refuses is told in `errors.md`, in the same form; it begins
with the parent files that examples share.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath

from modular import lint
from modular.source.diagnostics import Problem


_BLOCK = re.compile(
    r"^(?P<role>Given|Invalid|Finding|Fixed|Valid)(?: `(?P<path>[^`\n]+)`| command)?(?: \((?P<remark>[^)\n]+)\))?:\n\n"
    r"```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_COMMAND = "$ "


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page: what it is an example of, the file's path (empty: a command or a finding), and a remark."""

    role: str
    path: str
    remark: str
    text: str


@dataclass(frozen=True, slots=True)
class Case:
    """An example of a page: files by path, the command that is given (by default all is converted), and what comes of it.

    ``finding`` is what is reported, as `path:line:column: message` and the hint; ``fixed`` the files after the first autofix.
    """

    files: Mapping[str, Block]
    command: str
    finding: str
    fixed: Mapping[str, Block]


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a code: one sentence, what else is said before the examples, and the whole text in Markdown."""

    code: Problem
    text: str

    @property
    def summary(self) -> str:
        """The first sentence: what is wrong."""
        return self.text.partition("\n")[0]

    @property
    def meaning(self) -> str:
        """Why that is wrong, and what to use instead."""
        return _BLOCK.split(self.text)[0].partition("\n")[2].strip()

    @property
    def heading(self) -> str:
        """The code with its name and level."""
        return f"{self.code.id} {self.code.title} ({self.code.severity.value})"

    def as_markdown(self) -> str:
        """The whole page."""
        return f"# {self.heading}\n\n{self.text}"

    def cases(self) -> Iterator[Case]:
        """Yield the examples, each with the files that are given for all of them; one ends where another role begins anew."""
        given: dict[str, Block] = {}
        case: list[Block] = []
        for block in map(_block, _BLOCK.finditer(self.text)):
            if block.role == "Given":
                given[block.path] = block
                continue
            starts_anew = block.role in ("Invalid", "Valid") and case and case[-1].role != block.role
            if starts_anew:
                yield _case(given, case)
                case = []
            case.append(block)
        yield _case(given, case)


def _block(found: re.Match[str]) -> Block:
    groups = found.groupdict(default="")
    return Block(groups["role"], groups["path"], groups["remark"], groups["text"])


def _case(given: Mapping[str, Block], blocks: list[Block]) -> Case:
    sources = [block for block in blocks if block.role in ("Invalid", "Valid")]
    return Case(
        files={**given, **{block.path: block for block in sources if not block.text.startswith(_COMMAND)}},
        command=next((block.text[2:].strip() for block in sources if block.text.startswith(_COMMAND)), ""),
        finding=next((block.text for block in blocks if block.role == "Finding"), ""),
        fixed={block.path: block for block in blocks if block.role == "Fixed"},
    )


def page(code: Problem) -> Page:
    """Return the page of a code."""
    return _pages()[code]


def find_page(name: str) -> Page | None:
    """Return the page of a code given by its number or its name (`MOD202`, `name-not-in-parent`), if there is one."""
    found = (code for code in Problem if name.upper() == code.id or name.lower() == code.title)
    return next(map(page, found), None)


@cache
def _pages() -> dict[Problem, Page]:
    parents, *sections = (files("modular.cli") / "errors.md").read_text(encoding="utf-8").split("\n# MOD")
    texts = {f"MOD{section[:3]}": section[3:] for section in sections}
    texts |= {rule.code.id: inspect.getdoc(rule) or "" for rule in lint.RULES if rule.code.id not in texts}
    return {code: Page(code, _with_parents(f"{texts[code.id].strip()}\n", parents)) for code in Problem}


def _with_parents(text: str, parents: str) -> str:
    """Give the shared parent files that a page names, unless it gives its own, before its first example."""
    shared = [found for found in _BLOCK.finditer(parents) if PurePosixPath(found["path"]).stem in text]
    given = [found.group() for found in shared if f"Given `{found['path']}`" not in text]
    first = _BLOCK.search(text)
    start = first.start() if first is not None else len(text)
    return text[:start] + "".join(f"{block}\n\n" for block in given) + text[start:]
