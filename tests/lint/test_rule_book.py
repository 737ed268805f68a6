"""The examples of every code's page: `Invalid` gives exactly the finding, `Fixed` is what the first autofix writes, `Valid` gives none."""

import re
from inspect import getsource
from pathlib import Path

import pytest

from modular.conversion.converter import Converter
from modular.lint import inspection
from modular.lint.rule import Precision
from modular.lint.rule_book import find_page, page
from modular.source.diagnostics import Diagnostic, Problem, Severity
from modular.source.edits import apply_edits
from tests.docs.markdown import read
from tests.lint.rule_cases import Case, cases, report


MIN_MEASURED_FINDINGS = 5
"""With fewer findings, the level of a rule does not depend on its precision."""

MAX_WARNINGS = 70
MIN_REAL_SHARE = 0.85
"""Bounds for the warnings on transformers 5.23."""

CASES = [
    pytest.param(
        code, case, id=f"{code.id}-{'invalid' if case.finding else 'valid'}-{number}"
    )
    for code in Problem
    for number, case in enumerate(cases(page(code)), 1)
    if code is not Problem.INTERNAL_ERROR
]


def written(diagnostic: Diagnostic) -> str:
    place = diagnostic.place
    hint = f"hint: {diagnostic.hint}\n" if diagnostic.hint else ""
    return f"{place.path}:{place.line}:{place.column}: {diagnostic.message}\n{hint}"


@pytest.mark.parametrize(("code", "case"), CASES)
def test_an_example(code: Problem, case: Case, tmp_path: Path) -> None:
    answer = report(tmp_path / "example", case.files, case.command)
    assert {diagnostic.code for diagnostic in answer} == (
        {code} if case.finding else set()
    )
    # The commands of a page are given in the project, which the test gives as the root.
    text = "".join(map(written, answer))
    text = text.replace(f" --root {tmp_path}/example/project", "")
    assert text.replace(f"{tmp_path}/example", "") == case.finding
    levels = {diagnostic.severity for diagnostic in answer}
    assert levels <= set(page(code).levels)
    autofixes = [fix for diagnostic in answer for fix in diagnostic.fixes]
    assert bool(autofixes) == bool(case.fixed)
    for path, block in case.fixed.items():
        assert apply_edits(case.files[path].text, autofixes[0].edits) == block.text


@pytest.mark.parametrize(
    "code",
    [code for code in Problem if code is not Problem.INTERNAL_ERROR],
    ids=lambda code: code.id,
)
def test_every_page_has_an_example_of_both_kinds(code: Problem) -> None:
    examples = list(cases(page(code)))
    assert any(case.finding for case in examples)
    assert any(case.fixed or not case.finding for case in examples)


def test_an_internal_error_is_what_was_not_foreseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (case,) = cases(page(Problem.INTERNAL_ERROR))
    assert report(tmp_path / "before", case.files) == []
    monkeypatch.delattr(Converter, "_flatten")
    assert [
        diagnostic.code for diagnostic in report(tmp_path / "after", case.files)
    ] == [Problem.INTERNAL_ERROR]


def test_every_finding_about_code_has_a_rule_of_its_own() -> None:
    codes = [rule.code for rule in inspection.RULES]
    assert len(codes) == len(set(codes))
    findings = {code for code in Problem if code.severity is not Severity.ERROR}
    assert findings - set(codes) == {Problem.OTHER_RELEASE, Problem.UNUSED_IGNORE}


def test_a_rule_is_an_info_if_it_is_stylistic_or_mostly_wrong() -> None:
    for rule in inspection.RULES:
        findings, real = rule.precision
        assert 0 <= real <= findings
        is_mostly_wrong = findings >= MIN_MEASURED_FINDINGS and real <= findings / 2
        is_info = rule.is_stylistic or is_mostly_wrong
        assert (rule.code.severity is Severity.INFO) == is_info, rule


def test_the_warnings_on_transformers_are_few_and_mostly_real() -> None:
    findings = 0
    real = 0
    for rule in inspection.RULES:
        if rule.code.severity is Severity.WARNING:
            findings += rule.precision.findings
            real += rule.precision.real
    assert findings <= MAX_WARNINGS
    assert real >= MIN_REAL_SHARE * findings


def test_a_page_states_the_precision_of_its_rule() -> None:
    assert Precision(findings=4, real=1).as_sentence() == (
        "In transformers 5.23, this rule has 4 findings, of which 1 is worth fixing."
    )
    assert Precision(findings=1, real=0).as_sentence() == (
        "In transformers 5.23, this rule has 1 finding, of which none is worth fixing."
    )
    assert Precision(findings=0, real=0).as_sentence() == (
        "This rule has no findings in transformers 5.23."
    )
    for rule in inspection.RULES:
        if rule.code.severity is not Severity.ERROR:
            assert rule.precision.as_sentence() in page(rule.code).meaning


def test_a_page_names_the_levels_of_its_findings_and_says_when_each_applies() -> None:
    assert (
        page(Problem.UNDEFINED_NAME)
        .as_markdown()
        .startswith("# MOD408 undefined-name (error or warning)\n")
    )
    changed_class = page(Problem.CHANGED_CLASS)
    assert changed_class.listed_levels == "warning, error or info"
    for rule in inspection.RULES:
        if "is_error=" in getsource(rule) or "report_difference(" in getsource(rule):
            assert Severity.ERROR in rule.levels or rule.code.severity is Severity.ERROR
        if len(rule.levels) > 1:
            assert "an error" in page(rule.code).meaning, rule


def test_pages_are_found_by_number_and_by_name() -> None:
    for name in ("MOD205", "mod205", "dependency-cycle", "Dependency-Cycle"):
        page = find_page(name)
        assert page is not None and page.code is Problem.DEPENDENCY_CYCLE
    assert find_page("MOD999") is None


def test_a_page_names_its_parent_files() -> None:
    text = page(Problem.EMPTY_FILE).as_markdown()
    assert text.startswith(
        "# MOD104 empty-file (error)\n\n## What it does\n\n"
        "Reports that the modular file is empty.\n\n"
        "## Why is this bad?\n\nA modular file defines"
    )
    assert (
        "\nGiven `models/llama/modeling_llama.py`:\n\n```python\nfrom torch import nn\n"
        in text
    )
    assert "siglip" not in text


@pytest.mark.parametrize("code", list(Problem), ids=lambda code: code.id)
def test_a_page_has_headings_and_loses_nothing(code: Problem) -> None:
    page_ = page(code)
    markdown = page_.as_markdown()
    headings = re.findall(r"^## (.*)$", markdown, re.MULTILINE)
    assert headings[0] == "What it does"
    assert headings[1].startswith("Why ")
    assert headings[2:4] == ["Example", "Use instead"]
    for paragraph in page_.text.split("\n\n")[1:]:
        assert paragraph.strip() in markdown


def test_codes_and_names_are_stable() -> None:
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
        "MOD113": "other-release",
        "MOD201": "parent-file-not-found",
        "MOD202": "name-not-in-parent",
        "MOD203": "config-from-modeling",
        "MOD204": "import-from-package",
        "MOD205": "dependency-cycle",
        "MOD301": "two-parents",
        "MOD302": "no-inherit-decorator-with-others",
        "MOD303": "nothing-to-unravel",
        "MOD304": "unused-replacement",
        "MOD305": "default-missing",
        "MOD306": "undefined-base-or-decorator",
        "MOD307": "cannot-flatten",
        "MOD308": "kept-parent",
        "MOD401": "useless-del",
        "MOD402": "removed-member-still-used",
        "MOD403": "useless-removal",
        "MOD405": "mixed-prefixes",
        "MOD407": "wrong-parent-file",
        "MOD408": "undefined-name",
        "MOD409": "leftover-name",
        "MOD410": "ignored-statement",
        "MOD412": "respelled-parent",
        "MOD413": "conflicting-functions",
        "MOD414": "inconsistent-bases",
        "MOD415": "dropped-comment",
        "MOD419": "renamed-name",
        "MOD492": "renamed-inside-word",
        "MOD421": "super-past-parent",
        "MOD422": "dropped-argument",
        "MOD423": "unreachable-after-super",
        "MOD431": "missed-model-import",
        "MOD432": "import-outside-output",
        "MOD441": "wrong-model-type",
        "MOD442": "dangling-import",
        "MOD416": "changed-class",
        "MOD417": "changed-method",
        "MOD418": "captured-name",
        "MOD443": "unannotated-setting",
        "MOD451": "unused-definition",
        "MOD452": "ignored-assignment",
        "MOD453": "unused-import",
        "MOD454": "unused-parent-import",
        "MOD455": "redundant-override",
        "MOD456": "removed-setting-still-read",
        "MOD458": "misspelled-override",
        "MOD469": "lost-value",
        "MOD470": "hidden-mixin-method",
        "MOD476": "missing-post-init",
        "MOD477": "unknown-name-in-string",
        "MOD478": "misspelled-attribute",
        "MOD479": "name-from-two-files",
        "MOD481": "inherited-call-mismatch",
        "MOD482": "lost-dataclass",
        "MOD485": "kernel-over-forward",
        "MOD487": "wrong-docstring-default",
        "MOD488": "field-without-default",
        "MOD490": "lost-kernel-decorator",
        "MOD491": "unused-ignore",
        "MOD493": "mutable-default",
        "MOD501": "stale-file",
        "MOD502": "missing-file",
        "MOD503": "orphan",
        "MOD504": "hand-edited",
        "MOD505": "not-added",
    }


def test_the_page_on_editors_names_the_codes_with_autofixes() -> None:
    with_autofix = {
        code.id for code in Problem if any(case.fixed for case in cases(page(code)))
    }
    text = read("docs/editors.md")
    table = text[
        text.index("the following codes have code actions") : text.index(
            "## Other editors"
        )
    ]
    named = set()
    for first, last in re.findall(r"MOD(\d+)(?: to MOD(\d+))?", table):
        named |= {
            code.id
            for code in Problem
            if int(first) <= int(code.id[3:]) <= int(last or first)
        }
    assert named == with_autofix
