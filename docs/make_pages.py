"""Generate the reference pages of the documentation.

The pages in `language/` and `rules/` contain the texts of the rules, errors and
warnings; `rules.md` and `errors.md` list them. The page `commands.md` describes the
commands, and `output.md` the JSON Schema of the package. `llms.txt` lists the rules for
language models. `settings.schema.json` is the JSON Schema of `[tool.modular]`, made from
`settings.md` and the presets.

    python docs/make_pages.py

A test checks that the pages are up to date.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from modular.cli.help import GroupedCommand
from modular.cli.main import COMMAND_SECTIONS
from modular.cli.main import main as modular
from modular.lint import rule_book
from modular.lint.rule_book import page
from modular.settings import settings
from modular.source.diagnostics import Problem
from modular.system.addresses import DOCUMENTATION


FOLDER = Path(__file__).parent

GROUPS = {
    "Names": ("cased-names", "renaming", "prefixes", "class-names"),
    "Imports and merging": (
        "model-imports",
        "library-imports",
        "import-aliases",
        "merging",
    ),
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
    "Classes as Python inherits them": (
        "body-order",
        "inlined-call",
        "replaced-assignments",
        "kept-methods",
        "kept-parents",
    ),
    "Files": (
        "dependencies",
        "module-changes",
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

These rules say what you can write in a modular file, and what modular generates from it. Each rule has a page with examples, which `modular rule NAME`
prints in the terminal. All examples run as tests. Their output is complete except for the banner.

- A *modular file* is `models/<model>/modular_<model>.py`.
- A *parent file* is a file of another model that the modular file imports from.
- A *parent class* is a class of a parent file that a class of the modular file inherits from.
"""

_ERRORS = """# Errors and warnings

This page lists all errors and warnings. Click a code to read what is wrong, why that is bad, and what to write instead. In the terminal,
`modular rule CODE` prints the same text.

If a model has an error, modular writes none of its files, but still converts the other models. Warnings do not stop a conversion. modular shows
findings of level info only if you pass `--verbose`. You can [change the level](linting.md) of each warning and info.

Tests run all examples on the pages of the codes:

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
| 130, 143 | Ctrl-C or `SIGTERM` stopped the command; each model has either all of its old files or all of its new ones (`modular watch` exits with 0 after Ctrl-C) |

`--diff` makes a command print its changes instead of writing them. The command then exits with 1 if anything would change, like
`ruff format --diff`.

See also the exit codes of [`modular check` and `modular convert`](ci.md#the-check-and-its-exit-codes).

## Text

Commands print results to standard output, and findings and other messages to standard error. A finding begins with its level and its
code, such as `error[MOD202]:`. To read about it, run `modular rule MOD202` or open the [page of the code](errors.md). The message of a
usage error begins with `error:`.

Commands print colors and links only on a terminal. To turn off the colors, set `NO_COLOR`.

## JSON

With `--output-format json`, a command prints one object. Its field `schema` is 1 today, and increases with each incompatible change of the format. Later
versions of modular can add fields without increasing this number. Paths are relative to the root of the project. `--quiet` leaves out warnings and files that are up to date.

The field `edit` of a finding names the file and the line to edit: `"edit": "models/my_model/modular_my_model.py:12"`.

The field `fixes` lists autofixes. A fix with `"applicability": "safe"` does not change the generated files. Each fix is a list of edits. An
edit replaces the text between a start (`line`, `column`) and an end (`end_line`, `end_column`) with `text`. The end is exclusive:
the edit does not replace the character at `end_line`, `end_column`. If a file has several edits, apply the last one first, because an edit moves the text below it.

The tables below describe the object of each command. The file `schema.json` in the package describes the same objects as a JSON Schema.
"""


_COMMANDS = r"""# Commands

This page lists all commands with their options. `modular COMMAND --help` prints the same in the terminal. A `TARGET` is the name of a model,
a modular file or a folder. Without a target, a command works on the whole project.

All commands use the same [exit codes](output.md#exit-codes).

Your shell can complete commands, options and models. Write one of these lines into its configuration:

| shell | line |
| --- | --- |
| bash | `eval "$(_MODULAR_COMPLETE=bash_source modular)"` |
| zsh | `eval "$(_MODULAR_COMPLETE=zsh_source modular)"` |
| fish | `_MODULAR_COMPLETE=fish_source modular \| source` |
"""

_LLMS = """# modular

> modular generates flat model files from short files `modular_<model>.py`, whose classes inherit from those of other models.

- Never edit a generated file. Its first lines name the modular file to edit.
- After each edit, run `modular convert <model>`, which writes the generated files, and `modular verify <model>`, which prints each problem as `path:line: CODE message`. Its last
  line says what to do next.
- `modular rule CODE` and `modular rule NAME` print the pages that are listed here.
- `modular blame FILE:LINE` shows where a line of a generated file comes from.
- With `--output-format json`, findings contain the line to edit, and edits that can be applied as they are.

## Guides

"""

_GUIDES = {
    "A new model": "new-model",
    "From flat code to a modular file": "infer",
    "An edit of a generated file": "lift",
    "Commands": "commands",
    "Settings": "settings",
    "Output and exit codes": "output",
    "Python API": "python",
}
"""The pages that `llms.txt` lists before the rules, by title."""


def commands_page() -> str:
    """Return the page that describes all commands and their options."""
    context = click.Context(modular, info_name="modular")
    parts = [_COMMANDS]
    for heading, summaries in COMMAND_SECTIONS.items():
        parts.append(f"## {heading}\n")
        for name in summaries:
            command = modular.get_command(context, name)
            if command is not None:
                parts.append(_describe_command(command, context))
    return "\n".join(parts)


def _describe_command(command: click.Command, parent: click.Context) -> str:
    """Return the section of a command: how it is called, its options and examples."""
    context = click.Context(command, parent, info_name=command.name)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    paragraphs = []
    for paragraph in (command.help or "").split("\n\n"):
        paragraphs.append(" ".join(paragraph.split()))
    text = "\n\n".join(paragraphs)
    lines = [f"### {context.command_path}\n\n```text\n{usage}\n```\n\n{text}\n"]

    rows = []
    # These are the options without `--help`.
    for param in command.params:
        record = param.get_help_record(context)
        if record is not None and isinstance(param, click.Option):
            names, help = (" ".join(text.split()) for text in record)
            rows.append(f"| `{_cell(names)}` | {_cell(help)} |")
    if rows:
        lines += ["| option | |\n| --- | --- |", *rows, ""]

    if isinstance(command, GroupedCommand):
        lines.append("Examples:\n")
        for example, effect in command.examples.items():
            lines.append(f"- `{example}`: {effect}")
    return "\n".join(lines) + "\n"


def llms_text() -> str:
    """Return the text for language models, which lists the rules and errors."""
    lines = []
    for title, page_name in _GUIDES.items():
        lines.append(f"- [{title}]({DOCUMENTATION}/{page_name}/)")
    known = {rule.name: rule for rule in rule_book.rules()}
    for group, names in GROUPS.items():
        lines.append(f"\n## Rules of the language: {group}\n")
        for name in names:
            address = f"{DOCUMENTATION}/language/{name}/"
            lines.append(f"- [{name}]({address}): {known[name].summary}")
    lines.append("\n## Errors and findings\n")
    for code in Problem:
        summary = page(code).summary
        lines.append(f"- [{code.id} {code.title}]({code.url}): {summary}")
    return _LLMS + "\n".join(lines) + "\n"


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
    levels = page(code).listed_levels
    return (
        f"| {link} | `{code.title}` | {levels} | {autofix} | {page(code).summary} |\n"
    )


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


_OPEN_TABLES = {
    "file-types": {"type": "string"},
    "soft-dependencies.guards": {"type": "string"},
    "copied-instead-of-imported": {"type": "string"},
    "lint.per-file-ignores": {"type": "array", "items": {"type": "string"}},
}
"""Tables whose keys a project may add to, with the schema of their values."""

_OTHER_TYPES: Mapping[str, dict[str, Any]] = {
    "package": {
        "anyOf": [
            {"type": "string"},
            {"type": "object", "additionalProperties": {"type": "string"}},
        ]
    },
    "preset": {"enum": list(settings.presets())},
    "formatter": {"enum": list(settings.FORMATTERS)},
    "inheritance": {"enum": list(settings.INHERITANCES)},
    "model-imports": {"enum": list(settings.MODEL_IMPORTS)},
}
"""Schemas of values that are not told by the type of the default."""


def settings_schema() -> str:
    """Return a JSON Schema of `pyproject.toml` that describes `[tool.modular]`.

    It allows everything in other tables.
    """
    preset_file = files("modular.settings.presets") / "transformers.toml"
    preset = tomllib.loads(preset_file.read_text(encoding="utf-8"))
    # What was different in earlier releases is not a setting.
    del preset["until"]
    table = _table_schema({"preset": settings.DEFAULT_PRESET, **preset}, "")
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": f"{DOCUMENTATION}/settings.schema.json",
        "title": "Settings of modular: the table [tool.modular] of pyproject.toml",
        "type": "object",
        "properties": {
            "tool": {"type": "object", "properties": {"modular": table}},
        },
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _table_schema(table: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the schema of a table of settings, given the default of each.

    Args:
        table: The defaults by key.
        prefix: The dotted name of the table with a dot after it; empty for the whole.
    """
    descriptions = _setting_descriptions()
    properties = {}
    for key, default in table.items():
        name = f"{prefix}{key}"
        if isinstance(default, dict) and name not in _OPEN_TABLES:
            properties[key] = _table_schema(default, f"{name}.")
            continue
        properties[key] = {
            "description": descriptions[name],
            **_value_schema(name, default),
            "default": default,
        }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _value_schema(name: str, default: object) -> dict[str, Any]:
    """Return the schema of the values of one setting."""
    if name in _OTHER_TYPES:
        return _OTHER_TYPES[name]
    if name in _OPEN_TABLES:
        return {"type": "object", "additionalProperties": _OPEN_TABLES[name]}
    if isinstance(default, list):
        return {"type": "array", "items": {"type": "string"}}
    return {"type": "boolean" if isinstance(default, bool) else "string"}


def _setting_descriptions() -> dict[str, str]:
    """Return the first paragraph of each section of `settings.md`, without links."""
    page = (FOLDER / "settings.md").read_text(encoding="utf-8")
    descriptions = {}
    for section in page.split("\n### `")[1:]:
        name, _, text = section.partition("`\n\n")
        paragraph = " ".join(text.partition("\n\n")[0].split())
        descriptions[name] = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", paragraph)
    return descriptions


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
    yield "commands.md", commands_page()
    yield "output.md", output_page()
    yield "llms.txt", llms_text()
    schema = settings_schema()
    yield "settings.schema.json", schema
    yield "../modular/settings/settings.schema.json", schema
    for code in Problem:
        yield f"rules/{code.id}.md", page(code).as_markdown()


def main() -> None:
    """Write the pages."""
    for name, text in pages():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
