"""Generate the reference pages of the documentation.

The pages in `language/` and `rules/` contain the texts of the rules, errors and
warnings; `rules.md` and `errors.md` list them. The page `output.md` describes the JSON
Schema of the package.

    python docs/make_pages.py

A test checks that the pages are up to date.
"""

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from modular.lint import rule_book
from modular.lint.rule_book import page
from modular.source.diagnostics import Problem


FOLDER = Path(__file__).parent

GROUPS = {
    "Names": ("cased-names", "renaming", "prefixes", "class-names"),
    "Imports and merging": ("model-imports", "library-imports", "merging"),
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
        "dependencies",
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
"""The rules by group, in the order of the page."""

_RULES = """# Rules of the language

These rules define what you can write in a modular file, and what modular generates from it. Each rule has a page with examples.
`modular rule NAME` prints this page in the terminal.

All examples run as tests: modular generates exactly the output that they show, formatted with ruff. Only the banner is left out.

- A *modular file* is `models/<model>/modular_<model>.py`.
- A *parent file* is a file of another model that the modular file imports from.
- A *parent class* is a class of a parent file that a class of the modular file inherits from.
"""

_ERRORS = """# Errors and warnings

This page lists the errors and warnings of modular by code. Each code has a page that explains what is wrong, why it matters and how you
fix it. `modular rule CODE` prints this page in the terminal.

If a model has an error, modular writes none of its files, but converts the other models. If a model has only warnings, modular writes its
files. modular reports findings of level info only with `--verbose`. You can [change the level](linting.md) of each warning and info.

All examples on the pages run as tests:

- *Invalid* code gives exactly the finding below it.
- *Fixed* code is the result of the first autofix.
- *Valid* code gives no finding.

| code | name | | autofix | what is wrong |
| --- | --- | --- | --- | --- |
"""

_OUTPUT = """# Output and exit codes

## Exit codes

All commands use the same exit codes:

| exit code | meaning |
| --- | --- |
| 0 | success: no finding counts as an error |
| 1 | a finding counts as an error, a generated file is stale or missing, or a model breaks |
| 2 | usage error, such as an unknown option, setting, target or commit, or a missing formatter |
| 130, 143 | Ctrl-C or `SIGTERM` ended the command; each model has either all of its old files or all of its new ones (after Ctrl-C, `modular watch` exits with 0) |

[Use in CI](ci.md) explains the exit codes of `modular check` and `modular convert`.

## Text

Commands print results on standard output, and findings and other messages on standard error. A finding begins with its level and its
code: `error[MOD202]:` or `warning[MOD402]:`. `modular rule MOD202` prints the [page of the code](errors.md). If the exit code is 2, the
message begins with `error:`.

Commands use colors and links only on a terminal. If you set `NO_COLOR`, they use no colors.

## JSON

With `--output-format json`, a command prints one object. Its field `schema` is 1. This number increases with each incompatible change, but
new fields can appear at any time. Paths are relative to the root of the project. The file `schema.json` in the package `modular` contains
the JSON Schema. The tables below are generated from it.
"""


def rules_page() -> str:
    """Return the list of all rules.

    Raises:
        LookupError: A rule is in no group, or a group names a rule that does not exist.
    """
    known = {rule.name: rule for rule in rule_book.rules()}
    if left_out := known.keys() - {name for names in GROUPS.values() for name in names}:
        raise LookupError(f"in no group: {', '.join(sorted(left_out))}")
    lines = [_RULES]
    for group, names in GROUPS.items():
        lines.append(f"## {group}\n\n| rule | summary |\n| --- | --- |")
        lines += [
            f"| [`{name}`](language/{name}.md) | {_cell(known[name].summary)} |"
            for name in names
        ]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def errors_page() -> str:
    """Return the list of all codes."""
    return _ERRORS + "".join(map(_row, Problem))


def _row(code: Problem) -> str:
    autofix = "yes" if "\nFixed `" in page(code).text else ""
    link = f"[{code.id}](rules/{code.id}.md)"
    return f"| {link} | `{code.title}` | {code.severity.value} | {autofix} | {page(code).summary} |\n"


def output_page() -> str:
    """Return the page that describes exit codes, text output and JSON output."""
    schema = json.loads((files("modular") / "schema.json").read_text(encoding="utf-8"))
    parts = [_OUTPUT]
    for name, definition in schema["$defs"].items():
        rows = "".join(
            f"| `{field}` | {kind} | {text} |\n"
            for field, kind, text in _fields("", definition)
        )
        parts.append(
            f"### {name}\n\n{definition['description']}\n\n| field | type | |\n| --- | --- | --- |\n{rows}"
        )
    return "\n".join(parts)


def _fields(
    prefix: str, definition: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """Yield the path, type and description of each field, including nested fields."""
    for name, value in definition.get("properties", {}).items():
        field = f"{prefix}{name}"
        yield field, _kind(value), _cell(value.get("description", ""))
        for inner in (value, *value.get("oneOf", ())):
            yield from _fields(f"{field}.", inner)
            yield from _fields(f"{field}[].", inner.get("items", {}))


def _kind(value: Mapping[str, Any]) -> str:
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "enum" in value:
        return ", ".join(f"`{choice}`" for choice in value["enum"])
    if "const" in value:
        return f"`{value['const']}`"
    if "oneOf" in value:
        return " or ".join(map(_kind, value["oneOf"]))
    if value.get("type") == "array":
        return f"list of {_kind(value['items'])}"
    kind = value["type"]
    return kind if isinstance(kind, str) else " or ".join(kind)


def navigation() -> str:
    """Return `mkdocs.yml` with a line for each page in `language/` and `rules/`."""
    below = {
        "- rules.md": [
            f"language/{name}.md" for names in GROUPS.values() for name in names
        ],
        "- errors.md": [
            f"rules/{code.id}.md" for code in sorted(Problem, key=lambda code: code.id)
        ],
    }
    lines = []
    for line in (FOLDER.parent / "mkdocs.yml").read_text(encoding="utf-8").splitlines():
        entry = line.strip()
        if not entry.startswith(("- language/", "- rules/")):
            lines.append(line)
            lines += [line.replace(entry, f"- {page}") for page in below.get(entry, ())]
    return "\n".join(lines) + "\n"


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path, relative to this folder, and the text of each generated file."""
    yield "../mkdocs.yml", navigation()
    yield "rules.md", rules_page()
    for rule in rule_book.rules():
        yield f"language/{rule.name}.md", f"# {rule.name}\n\n{rule.text.rstrip()}\n"
    yield "errors.md", errors_page()
    yield "output.md", output_page()
    for code in Problem:
        yield f"rules/{code.id}.md", page(code).as_markdown()


def main() -> None:
    """Write the pages."""
    for name, text in pages():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
