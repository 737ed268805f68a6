"""Reports: counts of lines, and problems of a parent that several models share."""

from pathlib import Path

from modular.cli.rendering.diagnostics import render
from modular.run.report import join_parent_problems
from tests.reporting import LLAMA, OLMO, PARENT, diagnostics, lines, report


def test_errors_of_several_models_are_sorted_by_place(tmp_path: Path) -> None:
    modular = lines("""
        from ..llama.modeling_llama import LlamaMLP

        class {}MLP(LlamaMLP):
            def first(self):
                super().first()

            def second(self):
                super().second()
        """)
    answer = report(
        tmp_path,
        {
            LLAMA: PARENT,
            OLMO: modular.format("Olmo"),
            "models/aya/modular_aya.py": modular.format("Aya"),
        },
    )
    assert [
        line.split()[1]
        for line in answer.splitlines()
        if line.lstrip().startswith("-->")
    ] == [
        "models/aya/modular_aya.py:5:9",
        "models/aya/modular_aya.py:8:9",
        "models/olmo/modular_olmo.py:5:9",
        "models/olmo/modular_olmo.py:8:9",
    ]


def test_parent_class_that_was_renamed_is_said_once(tmp_path: Path) -> None:
    modular = "from ..llama.modeling_llama import LlamaMLP\n\n\nclass {0}MLP(LlamaMLP):\n    pass\n"
    files = {
        LLAMA: PARENT,
        OLMO: modular.format("Olmo"),
        "models/aya/modular_aya.py": modular.format("Aya"),
    }
    assert diagnostics(tmp_path, files) == ()
    reported = diagnostics(
        tmp_path, {LLAMA: PARENT.replace("LlamaMLP", "LlamaFeedForward")}
    )
    assert [diagnostic.place.path for diagnostic in reported] == [
        "models/aya/modular_aya.py",
        OLMO,
    ]
    assert render(join_parent_problems(reported)) == lines("""
        error[MOD202]: `models/llama/modeling_llama.py` has no `LlamaMLP`; 2 models import it: \
aya, olmo
          --> models/aya/modular_aya.py:1:36
         1 | from ..llama.modeling_llama import LlamaMLP
           |                                    ^^^^^^^^
             hint: it may be called `LlamaFeedForward` now

        """)
