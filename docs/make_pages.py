"""Writes `rules.md` and `errors.md` from what the rules and errors say of themselves.

    python docs/make_pages.py

A test holds that the pages are what this writes.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from modular.cli import error_book, rule_book
from modular.cli.error_book import Case, Page
from modular.source.diagnostics import Problem, Severity


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

_KINDS = {Severity.ERROR: "an error", Severity.WARNING: "a warning"}

_RULES = """# Rules

What a modular file may say, and what comes out. Each rule stands in a file below `modular/rules`, and this page is made from
those files; `modular rule NAME` prints one of them. The examples are tests: from the parent and the modular file exactly the
output is made, formatted with ruff and without the banner.

A *modular file* is `models/<model>/modular_<model>.py`. A *parent file* is a model file of another model that it imports
from; a *parent class* is the base of one of its classes that came from there.
"""

_ERRORS = """# Errors

What can be wrong with a modular file, by code. An error keeps the files of its model from being written; the other models go
on. A warning does not; [which of them count](linting.md) is a matter of settings. `modular rule CODE` prints one of these. The examples are tests: what stands under *Before* gives
exactly this error or warning, what stands under *After* does not; the [parent files](#the-parents) of all of them stand at
the end. This page is made from `modular/cli/error_book.toml`.
"""

_PARENTS = """## The parents

Where the examples inherit, they inherit from these files.
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
    """Return the page of the errors. The parent files of the examples stand on it once."""
    entries = [error_book.explain(code) for code in Problem]
    lines = [_ERRORS, "| code | name | | what is wrong |", "| --- | --- | --- | --- |", *map(_row, entries), ""]
    for entry in entries:
        text = replace(entry, given=Case({})).as_markdown()
        lines.append(f"## {entry.code.id}\n\n`{entry.code.title}`, {_KINDS[entry.code.severity]}. {text}")
    parents = {path: source for entry in entries for path, source in entry.given.files.items()}
    lines += [_PARENTS, *(f"```python\n{block}```\n" for block in Case(parents).blocks())]
    return _page(lines)


def _row(entry: Page) -> str:
    code, summary = entry.code, entry.summary.replace("|", "\\|")
    return f"| [{code.id}](#{code.id.lower()}) | `{code.title}` | {code.severity.value} | {summary} |"


def _page(lines: list[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name of each page in this folder and its text."""
    yield "rules.md", rules_page()
    yield "errors.md", errors_page()


def main() -> None:
    """Write the pages."""
    for name, text in pages():
        (Path(__file__).parent / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
