"""The rules of projects whose classes do what Python's inheritance does.

With `inheritance = "python"`, rules that say what merging loses have nothing to say, and
a finding that says where a class differs from Python is an error.
"""

from modular.source.diagnostics import Diagnostic, Problem, Severity


_ABOUT_MERGING = frozenset(
    {
        Problem.CHANGED_CLASS,
        Problem.CHANGED_METHOD,
        Problem.CAPTURED_NAME,
        Problem.CONFLICTING_FUNCTIONS,
        Problem.RENAMED_NAME,
        Problem.RENAMED_INSIDE_WORD,
        Problem.DROPPED_ARGUMENT,
        Problem.UNREACHABLE_AFTER_SUPER,
        Problem.LOST_VALUE,
        Problem.HIDDEN_MIXIN_METHOD,
        Problem.LOST_DATACLASS,
    }
)
"""Rules about what transformers merges differently from Python."""


def applies(code: Problem, is_like_python: bool) -> bool:
    """Whether a lint rule is used in a project.

    If generated classes do what Python's inheritance does, rules about merging are not
    used. `CANNOT_FLATTEN` is used only then.

    Args:
        code: The code of the rule's findings, such as `LOST_VALUE`.
        is_like_python: Whether generated classes do what Python's inheritance does.
    """
    if is_like_python:
        return code not in _ABOUT_MERGING
    return code is not Problem.CANNOT_FLATTEN


def judge_by_python(finding: Diagnostic) -> Diagnostic:
    """Return a finding as an error if the class differs from Python's inheritance."""
    if finding.code is Problem.INCONSISTENT_BASES:
        return finding._replace(level=Severity.ERROR)
    return finding
