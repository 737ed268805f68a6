"""The merge record says of every merge of the corpus what comparing the generated code finds."""

from pathlib import Path

import pytest

from modular.conversion import converter
from modular.lint.context import LintContext
from modular.lint.merged_bodies import merged_bodies
from modular.run import api
from modular.run.options import Options
from modular.source.diagnostics import Diagnostic


def test_the_record_agrees_with_the_generated_code(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged_count = 0

    def compare(context: LintContext, before: object = ()) -> list[Diagnostic]:
        nonlocal merged_count
        for flat in context.layout.flattened.values():
            bodies = merged_bodies(flat)
            assert {body.key for body in bodies} == flat.merges.keys()
            for body in bodies:
                merge = flat.merges[body.key]
                assert merge.super_call is body.super_call
                assert merge.generated_statements == body.generated_statements
                merged_count += 1
        return []

    monkeypatch.setattr(converter.inspection, "inspect", compare)
    api.check(options=Options(root=corpus, jobs=1, cache=False))
    assert merged_count > 1_000
