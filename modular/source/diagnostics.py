"""Errors and findings as values."""

from collections.abc import Iterable
from enum import Enum
from functools import lru_cache
from pathlib import PurePath
from typing import Any, NamedTuple

from modular.system.addresses import DOCUMENTATION
from modular.system.printable import one_line


_MAX_ERROR_CHARS = 300


class Severity(Enum):
    """How much a diagnostic counts, from most to least.

    Attributes:
        ERROR: It makes a command fail, and keeps the files of the model from being
            written.
        WARNING: It is reported, and a command succeeds.
        INFO: It is reported only if the user asks for all findings.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Problem(Enum):
    """The kinds of diagnostics.

    Attributes:
        id: The stable code.
        severity: Its level, unless settings change that.
        relation: The words before the related place of a diagnostic.
    """

    SYNTAX_ERROR = ("MOD101", Severity.ERROR, "imported at")
    NOT_UTF8 = ("MOD102", Severity.ERROR, "imported at")
    NOT_FOUND = ("MOD103", Severity.ERROR, "imported at")
    EMPTY_FILE = ("MOD104", Severity.ERROR)
    NOT_A_MODULAR_FILE = ("MOD105", Severity.ERROR)
    TOO_DEEP = ("MOD106", Severity.ERROR, "imported at")
    OUTSIDE_ROOT = ("MOD107", Severity.ERROR)
    CANNOT_WRITE = ("MOD108", Severity.ERROR)
    FORMATTER_FAILED = ("MOD109", Severity.ERROR)
    TOO_LARGE = ("MOD110", Severity.ERROR, "imported at")
    INTERNAL_ERROR = ("MOD111", Severity.ERROR)
    NOTHING_FOUND = ("MOD112", Severity.ERROR)
    OTHER_RELEASE = ("MOD113", Severity.WARNING)
    PARENT_FILE_NOT_FOUND = ("MOD201", Severity.ERROR)
    NAME_NOT_IN_PARENT = ("MOD202", Severity.ERROR)
    CONFIG_FROM_MODELING = ("MOD203", Severity.ERROR)
    IMPORT_FROM_PACKAGE = ("MOD204", Severity.ERROR)
    DEPENDENCY_CYCLE = ("MOD205", Severity.ERROR)
    TWO_PARENTS = ("MOD301", Severity.ERROR)
    NO_INHERIT_DECORATOR_WITH_OTHERS = ("MOD302", Severity.ERROR)
    NOTHING_TO_UNRAVEL = ("MOD303", Severity.ERROR)
    UNUSED_REPLACEMENT = ("MOD304", Severity.ERROR, "needed at")
    DEFAULT_MISSING = ("MOD305", Severity.ERROR)
    UNDEFINED_BASE_OR_DECORATOR = ("MOD306", Severity.ERROR)
    CANNOT_FLATTEN = ("MOD307", Severity.ERROR)
    KEPT_PARENT = ("MOD308", Severity.INFO)
    USELESS_DEL = ("MOD401", Severity.WARNING)
    REMOVED_MEMBER_STILL_USED = ("MOD402", Severity.WARNING, "read at")
    USELESS_REMOVAL = ("MOD403", Severity.WARNING)
    MIXED_PREFIXES = ("MOD405", Severity.INFO, "imported at")
    WRONG_PARENT_FILE = ("MOD407", Severity.WARNING)
    UNDEFINED_NAME = ("MOD408", Severity.WARNING, "used at")
    LEFTOVER_NAME = ("MOD409", Severity.WARNING, "used at")
    IGNORED_STATEMENT = ("MOD410", Severity.WARNING, "left out")
    RESPELLED_PARENT = ("MOD412", Severity.WARNING)
    CONFLICTING_FUNCTIONS = ("MOD413", Severity.WARNING, "used at")
    INCONSISTENT_BASES = ("MOD414", Severity.WARNING)
    DROPPED_COMMENT = ("MOD415", Severity.INFO)
    CHANGED_CLASS = ("MOD416", Severity.WARNING)
    CHANGED_METHOD = ("MOD417", Severity.WARNING)
    CAPTURED_NAME = ("MOD418", Severity.WARNING, "used at")
    RENAMED_NAME = ("MOD419", Severity.WARNING, "defined at")
    RENAMED_INSIDE_WORD = ("MOD492", Severity.WARNING, "written at")
    SUPER_PAST_PARENT = ("MOD421", Severity.WARNING)
    DROPPED_ARGUMENT = ("MOD422", Severity.WARNING)
    UNREACHABLE_AFTER_SUPER = ("MOD423", Severity.WARNING, "returns at")
    MISSED_MODEL_IMPORT = ("MOD431", Severity.WARNING)
    IMPORT_OUTSIDE_OUTPUT = ("MOD432", Severity.WARNING)
    WRONG_MODEL_TYPE = ("MOD441", Severity.WARNING)
    DANGLING_IMPORT = ("MOD442", Severity.WARNING, "used at")
    UNANNOTATED_SETTING = ("MOD443", Severity.WARNING)
    UNUSED_DEFINITION = ("MOD451", Severity.WARNING)
    IGNORED_ASSIGNMENT = ("MOD452", Severity.WARNING, "used instead")
    UNUSED_IMPORT = ("MOD453", Severity.WARNING)
    UNUSED_PARENT_IMPORT = ("MOD454", Severity.WARNING, "imported at")
    REDUNDANT_OVERRIDE = ("MOD455", Severity.INFO)
    REMOVED_SETTING_STILL_READ = ("MOD456", Severity.WARNING, "read at")
    MISSPELLED_OVERRIDE = ("MOD458", Severity.WARNING)
    LOST_VALUE = ("MOD469", Severity.WARNING)
    HIDDEN_MIXIN_METHOD = ("MOD470", Severity.WARNING)
    MISSING_POST_INIT = ("MOD476", Severity.WARNING)
    UNKNOWN_NAME_IN_STRING = ("MOD477", Severity.WARNING, "inherited from")
    MISSPELLED_ATTRIBUTE = ("MOD478", Severity.WARNING)
    NAME_FROM_TWO_FILES = ("MOD479", Severity.WARNING, "imported at")
    INHERITED_CALL_MISMATCH = ("MOD481", Severity.WARNING, "called at")
    LOST_DATACLASS = ("MOD482", Severity.WARNING)
    KERNEL_OVER_FORWARD = ("MOD485", Severity.WARNING)
    WRONG_DOCSTRING_DEFAULT = ("MOD487", Severity.INFO, "compared with")
    FIELD_WITHOUT_DEFAULT = ("MOD488", Severity.WARNING, "default at")
    MUTABLE_DEFAULT = ("MOD493", Severity.WARNING)
    LOST_KERNEL_DECORATOR = ("MOD490", Severity.WARNING)
    UNUSED_IGNORE = ("MOD491", Severity.WARNING)
    STALE_FILE = ("MOD501", Severity.ERROR, "generated from")
    MISSING_FILE = ("MOD502", Severity.ERROR, "generated from")
    ORPHAN = ("MOD503", Severity.ERROR, "generated from")
    HAND_EDITED = ("MOD504", Severity.ERROR, "generated from")
    NOT_ADDED = ("MOD505", Severity.ERROR, "generated from")

    def __init__(
        self, id: str, severity: Severity, relation: str = "inherited from"
    ) -> None:
        """Set the code, the severity and what connects the two places."""
        self.id = id
        self.severity = severity
        self.relation = relation

    @property
    def title(self) -> str:
        """Its name for users: `syntax-error` for `SYNTAX_ERROR`."""
        return self.name.lower().replace("_", "-")

    @property
    def url(self) -> str:
        """The address of its page."""
        return f"{DOCUMENTATION}/rules/{self.id}/"


class Place(NamedTuple):
    """A place in a source file.

    Attributes:
        path: The file, relative to the root.
        line: The line, from 1.
        column: The column in characters, from 1.
        width: The number of characters to mark.
        text: The line; empty if it is not known or very long.
        end_line: The last line, if several lines are meant; else 0.
    """

    path: str
    line: int = 1
    column: int = 1
    width: int = 1
    text: str = ""
    end_line: int = 0

    @property
    def is_whole_file(self) -> bool:
        """Whether no line is meant, but a file, a folder or a target as such."""
        return not self.text and (self.line, self.column) == (1, 1)

    @property
    def position(self) -> str:
        """The place as `path:line:column`, or the path of a whole file.

        It is empty for the whole project.
        """
        if self.path == ".":
            return ""
        if self.is_whole_file:
            return self.path
        return f"{self.path}:{self.line}:{self.column}"


class Edit(NamedTuple):
    """New text for a span of a file. An empty span is an insertion.

    Attributes:
        path: The file, relative to the root.
        line: The line on which the span begins, from 1.
        column: The column in characters, from 1.
        end_line: The line on which it ends.
        end_column: The column before which it ends.
        text: The new text, with ``\\n`` line ends.
        old: The text that the span holds, with ``\\n`` line ends.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    old: str


class Fix(NamedTuple):
    """An autofix.

    Attributes:
        title: What it does, for a menu.
        edits: The edits, which do not overlap.
        is_safe: Whether the generated files stay the same, and nothing is lost that the
            author may still want.
    """

    title: str
    edits: tuple[Edit, ...]
    is_safe: bool = False


class Diagnostic(NamedTuple):
    """An error or a finding.

    Attributes:
        code: Its kind.
        place: Its place.
        message: What is wrong.
        hint: What to do about it; may be empty.
        related: A second place, such as a line of the parent, or None.
        level: The severity that a rule or the project's settings give it; None: that of
            its code.
        fixes: Autofixes, the best first. Most diagnostics have none or one.
    """

    code: Problem
    place: Place
    message: str
    hint: str = ""
    related: Place | None = None
    level: Severity | None = None
    fixes: tuple[Fix, ...] = ()

    def __str__(self) -> str:
        """Return one line with the place, the message and the hint."""
        code = f"{self.severity.value}[{self.code.id}]"
        position = self.place.position
        text = f"{code}: {self.message}"
        if position:
            text = f"{position}: {text}"
        if self.hint:
            text += f" ({self.hint})"
        return one_line(text)

    @property
    def severity(self) -> Severity:
        """The level at which it counts."""
        return self.level or self.code.severity

    def as_json(self) -> list[Any]:
        """Return the diagnostic as a list that JSON can hold, for `from_json`."""
        return [
            self.code.name,
            self.place,
            self.message,
            self.hint,
            self.related,
            None if self.level is None else self.level.value,
            self.fixes,
        ]

    @staticmethod
    def from_json(values: list[Any]) -> "Diagnostic":
        """Return the diagnostic that `as_json` turned into a list of values."""
        code, place, message, hint, related, level, fix_values = values
        fixes = []
        for title, edits, is_safe in fix_values:
            fixes.append(Fix(title, tuple(Edit(*edit) for edit in edits), is_safe))
        return Diagnostic(
            code=Problem[code],
            place=Place(*place),
            message=message,
            hint=hint,
            related=None if related is None else Place(*related),
            level=None if level is None else Severity(level),
            fixes=tuple(fixes),
        )

    @property
    def is_error(self) -> bool:
        """Whether it counts as an error."""
        return self.severity is Severity.ERROR


def did_you_mean(
    name: str, known_names: Iterable[str], min_similarity: float = 0.7
) -> str:
    """Suggest the known names that are closest to a misspelt one.

    Args:
        name: The misspelt name.
        known_names: The names that may be meant.
        min_similarity: The least similarity of a close name. Equal names have 1.

    Returns:
        A question such as "did you mean `LlamaMLP`?"; empty if no name is close.
    """
    close_names = nearest(name, known_names, min_similarity)
    listed = " or ".join(f"`{close_name}`" for close_name in close_names)
    return f"did you mean {listed}?" if listed else ""


def with_suggestion(message: str, name: str, known_names: Iterable[str]) -> str:
    """Return a message, followed by the closest known names if there are any."""
    suggestion = did_you_mean(name, known_names)
    return f"{message}; {suggestion}" if suggestion else message


def nearest(
    name: str, known_names: Iterable[str], min_similarity: float = 0.7
) -> list[str]:
    """Return up to three known names that are close to a name, the closest first.

    Args:
        name: A name that may be misspelt.
        known_names: The names to compare it with. If one of them differs only in upper
            and lower case, it is the only result.
        min_similarity: The least similarity of a close name. Equal names have 1.
    """
    return list(_nearest(name, frozenset(known_names), min_similarity))


@lru_cache(maxsize=256)
def _nearest(
    name: str, known_names: frozenset[str], min_similarity: float
) -> tuple[str, ...]:
    """Return up to three known names that are close to a name, the closest first.

    The arguments are hashable, so that results are cached: an editor asks the same
    again after each key stroke.
    """
    from difflib import get_close_matches  # only needed for misspelt names

    by_lower_case = {known.lower(): known for known in sorted(known_names)}
    lower_case = name.lower()
    # A name in which only the case is wrong is the only suggestion.
    if lower_case in by_lower_case:
        return (by_lower_case[lower_case],)
    matches = get_close_matches(lower_case, by_lower_case, n=3, cutoff=min_similarity)
    return tuple(by_lower_case[match] for match in matches)


def internal_error(error: Exception, path: str) -> Diagnostic:
    """Return the diagnostic of an unexpected error: a mistake in the converter itself.

    Its message names the exception, and the function and line that raised it.

    Args:
        error: The error.
        path: The file that was being converted.
    """
    import traceback  # slow to import, and seldom needed

    innermost_call = traceback.extract_tb(error.__traceback__)[-1]
    file_name = PurePath(innermost_call.filename).name
    place = f"{innermost_call.name}, {file_name}, line {innermost_call.lineno}"
    reason = f"{type(error).__name__}: {str(error)[:_MAX_ERROR_CHARS]}"
    message = f"internal error: {reason} (in {place})"
    hint = "please report it, with the modular file"
    return Diagnostic(Problem.INTERNAL_ERROR, Place(path), message, hint)


def killed(path: str, past_verb: str) -> Diagnostic:
    """Return the diagnostic of a file whose worker process was killed.

    Args:
        path: The file.
        past_verb: The work that was interrupted, such as `formatted`.
    """
    message = f"the process that {past_verb} this file was killed"
    hint = "run again with `--jobs 1`, and check that there is enough memory"
    return Diagnostic(Problem.INTERNAL_ERROR, Place(path), message, hint)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether one of some diagnostics counts as an error."""
    return any(diagnostic.is_error for diagnostic in diagnostics)


def prevents_conversion(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether there are no generated texts because of some diagnostics.

    A diagnostic whose code is an error prevents the conversion. A lint finding does not,
    even at the level error: its model is converted and compared, but not written.
    """
    return any(diagnostic.code.severity is Severity.ERROR for diagnostic in diagnostics)


def by_place(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics sorted by path, line, column and code, without duplicates."""
    unique = dict.fromkeys(diagnostics)
    return sorted(
        unique, key=lambda diagnostic: (*diagnostic.place[:3], diagnostic.code.id)
    )
