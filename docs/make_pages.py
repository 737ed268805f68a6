"""Writes `rules.md`, `errors.md` and the pages in `rules/` from what rules and errors say of themselves.

    python docs/make_pages.py

A test holds that the pages are what this writes.
"""

from collections.abc import Iterator
from pathlib import Path

from modular.cli import rule_book
from modular.cli.rule_pages import page
from modular.source.diagnostics import Problem


GROUPS = {
    "Names": ("cased-names", "renaming", "prefixes", "class-names"),
    "What is read and merged": ("model-imports", "library-imports", "merging"),
    "Classes": (
        "bases",
        "decorators",
        "docstrings",
        "config-docstrings",
        "class-attributes",
        "methods",
        "raising-override",
        "super-call",
        "del-attribute",
        "init-order",
        "super-kwargs",
        "explicit-parent-call",
    ),
    "Files": (
        "needs",
        "layout",
        "load-order",
        "file-types",
        "imports",
        "own-files",
        "used-names",
        "soft-dependencies",
        "copied-in",
        "exports",
        "deprecated-names",
    ),
}
"""The rules in the order in which they are best read."""

_RULES = """# Rules

What a modular file may say, and what comes out. Each rule stands in a file below `modular/rules`, and this page is made from
those files; `modular rule NAME` prints one of them. The examples are tests: from the parent and the modular file exactly the
output is made, formatted with ruff and without the banner.

A *modular file* is `models/<model>/modular_<model>.py`. A *parent file* is a model file of another model that it imports
from; a *parent class* is the base of one of its classes that came from there.
"""

_ERRORS = """# Errors and warnings

What can be wrong with a modular file, by code. Each has a page of its own. An error keeps the files of its model from being
written; the other models go on. A warning does not; [which of them count](linting.md) is a matter of settings.
`modular rule CODE` prints a page. Its examples are tests: what is called *Invalid* gives exactly the finding below it, *Fixed* is
what the first autofix makes of that, and *Valid* gives no finding.

| code | name | | autofix | what is wrong |
| --- | --- | --- | --- | --- |
"""


def rules_page() -> str:
    """Return the page of the rules. Raises LookupError if a rule is in no group, or there is no rule of a name."""
    known = {rule.name: rule for rule in rule_book.rules()}
    if left_out := known.keys() - {name for names in GROUPS.values() for name in names}:
        raise LookupError(f"in no group: {', '.join(sorted(left_out))}")
    lines = [_RULES]
    for group, names in GROUPS.items():
        lines += [f"**{group}**\n", *(f"- [`{name}`](#{name}) {known[name].summary}" for name in names), ""]
    for group, names in GROUPS.items():
        lines.append(f"## {group}\n")
        lines += [f"### `{name}`\n\n{known[name].text}" for name in names]
    return _page(lines)


def errors_page() -> str:
    """Return the list of all codes."""
    return _ERRORS + "".join(map(_row, Problem))


def _row(code: Problem) -> str:
    autofix = "yes" if any(case.fixed for case in page(code).cases()) else ""
    link = f"[{code.id}](rules/{code.id}.md)"
    return f"| {link} | `{code.title}` | {code.severity.value} | {autofix} | {page(code).summary} |\n"


def _page(lines: list[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name of each page in this folder and its text."""
    yield "rules.md", rules_page()
    yield "errors.md", errors_page()
    for code in Problem:
        yield f"rules/{code.id}.md", page(code).as_markdown()


def main() -> None:
    """Write the pages."""
    for name, text in pages():
        (Path(__file__).parent / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
