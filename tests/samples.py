"""Diagnostics made by hand, for the tests of each format."""

from modular.source.diagnostics import Diagnostic, Edit, Fix, Place, Problem, Severity


ERROR = Diagnostic(
    Problem.NAME_NOT_IN_PARENT,
    Place(
        "models/olmo/modular_olmo.py",
        12,
        36,
        8,
        "from ..llama.modeling_llama import LlamaMlp",
    ),
    "`models/llama/modeling_llama.py` has no `LlamaMlp`",
    "did you mean `LlamaMLP`?",
    fixes=(
        Fix(
            "Write `LlamaMLP`",
            (
                Edit(
                    "models/olmo/modular_olmo.py",
                    12,
                    36,
                    12,
                    44,
                    "LlamaMLP",
                    "LlamaMlp",
                ),
            ),
        ),
    ),
)
WARNING = Diagnostic(
    Problem.REMOVED_MEMBER_STILL_USED,
    Place("models/olmo/modular_olmo.py", 7, 9, 10, "        del self.x"),
    "`del self.x` removes only the assignment",
    "override `forward` as well",
    Place("models/llama/modeling_llama.py", 105, 16, 6, "        return self.x"),
)
INFO = Diagnostic(
    Problem.REDUNDANT_OVERRIDE,
    Place("models/olmo/modular_olmo.py", 3, 5, 3, "    x = 1"),
    "`x` is the same as in the parent class",
    level=Severity.INFO,
)
BARE = Diagnostic(
    Problem.EMPTY_FILE, Place("models/aya/modular_aya.py"), "the file is empty"
)
