"""The explanation of every code: its before yields exactly that code, its after nothing."""

import re
from contextlib import chdir
from pathlib import Path

import pytest

from modular.cli.error_book import Case, Page, explain, find
from modular.cli.rendering.stale import stale_files
from modular.conversion.converter import Converter
from modular.run import api
from modular.source.diagnostics import Diagnostic, Problem
from tests.diagnostics.reporting import lines


def codes(folder: Path, entry: Page, example: Case) -> set[str]:
    """Convert an example and return the codes of what is reported."""
    return {each.code.id for each in reported(folder, entry, example)}


def reported(folder: Path, entry: Page, example: Case) -> list[Diagnostic]:
    """Convert an example and return what is reported."""
    root = folder / "project"
    sources = {**entry.given.files, **example.files}
    for path, data in {"pyproject.toml": b"", **{path: each.data for path, each in sources.items()}}.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    run = api.check if example.command.startswith("modular check") else api.convert
    with chdir(root):
        report = run(example.targets, options=api.Options(root=root, cache=False))
    return [*report.diagnostics, *stale_files(report.files)]


@pytest.mark.parametrize("code", [code for code in Problem if code is not Problem.INTERNAL], ids=lambda code: code.id)
def test_before_yields_the_code_and_after_nothing(code: Problem, tmp_path: Path) -> None:
    entry = explain(code)
    assert codes(tmp_path / "before", entry, entry.before) == {code.id}
    assert codes(tmp_path / "after", entry, entry.after) == set()


def test_internal_error_is_what_was_not_foreseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = explain(Problem.INTERNAL)
    assert codes(tmp_path / "after", entry, entry.after) == set()
    monkeypatch.delattr(Converter, "_flatten")
    assert codes(tmp_path / "before", entry, entry.before) == {"MOD111"}


def test_the_page_on_editors_names_the_codes_whose_hints_can_be_written(tmp_path: Path) -> None:
    """Two are among them whose examples are not such cases."""
    entries = {code: explain(code) for code in Problem if code is not Problem.INTERNAL}
    offered = {
        code.id
        for code, entry in entries.items()
        if any(each.fixes for each in reported(tmp_path / code.id, entry, entry.before))
    }
    page = (Path(__file__).parents[2] / "docs/editors.md").read_text(encoding="utf-8")
    table = page[page.index("The code actions write") : page.index("## A session")]
    named = set()
    for first, last in re.findall(r"MOD(\d+)(?: to MOD(\d+))?", table):
        named |= {each.id for each in Problem if int(first) <= int(each.id[3:]) <= int(last or first)}
    assert named == offered | {"MOD410", "MOD421"}


def test_an_entry_as_text() -> None:
    assert (
        explain(Problem.EMPTY_FILE)
        .as_text()
        .startswith(
            lines("""
        MOD104 empty-file (error)

        The modular file is empty.

        A modular file defines the classes of its model; nothing can be generated from an empty one.

        Given:

            # models/llama/modeling_llama.py
            from torch import nn
        """)
        )
    )
    assert (
        explain(Problem.EMPTY_FILE)
        .as_text()
        .endswith(
            lines("""
        Before:

            # models/olmo/modular_olmo.py

        After:

            # models/olmo/modular_olmo.py
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                pass
        """)
        )
    )


def test_an_entry_as_markdown() -> None:
    assert (
        explain(Problem.OUTSIDE_ROOT)
        .as_markdown()
        .endswith(
            lines("""
        **After**

        ```python
        # models/olmo/modular_olmo.py
        class OlmoMLP:
            scale = 1
        ```

        ```console
        $ modular convert models/olmo/modular_olmo.py
        ```
        """)
        )
    )


def test_entries_are_found_by_number_and_by_name() -> None:
    for name in ("MOD205", "mod205", "circle", "Circle"):
        entry = find(name)
        assert entry is not None
        assert entry.code is Problem.CIRCLE
    assert find("MOD999") is None


def test_codes_are_stable() -> None:
    assert {code.id: code.title for code in Problem} == {
        "MOD101": "syntax-error",
        "MOD102": "not-utf8",
        "MOD103": "not-found",
        "MOD104": "empty-file",
        "MOD105": "not-a-modular-file",
        "MOD106": "too-deep",
        "MOD107": "outside-root",
        "MOD108": "cannot-write",
        "MOD109": "formatter-failed",
        "MOD110": "too-large",
        "MOD111": "internal-error",
        "MOD112": "nothing-found",
        "MOD201": "parent-file-not-found",
        "MOD202": "name-not-in-parent",
        "MOD203": "config-from-modeling",
        "MOD204": "import-from-package",
        "MOD205": "circle",
        "MOD301": "two-parents",
        "MOD302": "no-inherit-decorator-with-others",
        "MOD303": "nothing-to-unravel",
        "MOD304": "unused-replacement",
        "MOD305": "default-missing",
        "MOD306": "undefined-base-or-decorator",
        "MOD401": "del-of-missing-attribute",
        "MOD402": "deleted-attribute-still-read",
        "MOD403": "removal-of-missing-member",
        "MOD404": "raise-does-not-remove",
        "MOD405": "several-prefixes",
        "MOD406": "prefix-falls-back",
        "MOD407": "name-from-other-parent",
        "MOD408": "undefined-name",
        "MOD409": "leftover-name",
        "MOD410": "left-out",
        "MOD411": "unused-class",
        "MOD412": "spelled-otherwise",
        "MOD421": "super-call-stays",
        "MOD422": "dropped-argument",
        "MOD423": "cut-off-by-return",
        "MOD424": "del-not-merged",
        "MOD425": "error-not-called",
        "MOD431": "missed-model-import",
        "MOD432": "import-leads-out",
        "MOD441": "other-model-type",
        "MOD442": "made-by-nobody",
        "MOD451": "ends-nowhere",
        "MOD452": "assignment-ignored",
        "MOD453": "unused-import",
        "MOD454": "lost-base",
        "MOD455": "same-as-inherited",
        "MOD456": "removed-setting-still-read",
        "MOD491": "unused-ignore",
        "MOD501": "stale-file",
        "MOD502": "missing-file",
        "MOD503": "orphan",
    }
