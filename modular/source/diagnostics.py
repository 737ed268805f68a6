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
        ERROR: It makes a command fail. An error by its code also keeps the files of the
            model from being written.
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
        title: The name.
        severity: Its level, unless settings change that.
        relation: The words before the related place of a diagnostic.
    """

    SYNTAX_ERROR = ("MOD101", "syntax-error", Severity.ERROR, "imported at")
    NOT_UTF8 = ("MOD102", "not-utf8", Severity.ERROR, "imported at")
    NOT_FOUND = ("MOD103", "not-found", Severity.ERROR, "imported at")
    EMPTY_FILE = ("MOD104", "empty-file", Severity.ERROR)
    NOT_MODULAR = ("MOD105", "not-a-modular-file", Severity.ERROR)
    TOO_DEEP = ("MOD106", "too-deep", Severity.ERROR, "imported at")
    OUTSIDE_ROOT = ("MOD107", "outside-root", Severity.ERROR)
    CANNOT_WRITE = ("MOD108", "cannot-write", Severity.ERROR)
    FORMATTER_FAILED = ("MOD109", "formatter-failed", Severity.ERROR)
    TOO_LARGE = ("MOD110", "too-large", Severity.ERROR, "imported at")
    INTERNAL = ("MOD111", "internal-error", Severity.ERROR)
    NOTHING_FOUND = ("MOD112", "nothing-found", Severity.ERROR)
    PARENT_FILE_NOT_FOUND = ("MOD201", "parent-file-not-found", Severity.ERROR)
    NAME_NOT_IN_PARENT = ("MOD202", "name-not-in-parent", Severity.ERROR)
    CONFIG_FROM_MODELING = ("MOD203", "config-from-modeling", Severity.ERROR)
    IMPORT_FROM_PACKAGE = ("MOD204", "import-from-package", Severity.ERROR)
    CIRCLE = ("MOD205", "dependency-cycle", Severity.ERROR)
    TWO_PARENTS = ("MOD301", "two-parents", Severity.ERROR)
    NO_INHERIT_WITH_OTHERS = (
        "MOD302",
        "no-inherit-decorator-with-others",
        Severity.ERROR,
    )
    NOTHING_TO_UNRAVEL = ("MOD303", "nothing-to-unravel", Severity.ERROR)
    UNUSED_REPLACEMENT = ("MOD304", "unused-replacement", Severity.ERROR, "needed at")
    DEFAULT_MISSING = ("MOD305", "default-missing", Severity.ERROR)
    UNDEFINED_BASE = ("MOD306", "undefined-base-or-decorator", Severity.ERROR)
    USELESS_DEL = ("MOD401", "useless-del", Severity.WARNING)
    REMOVED_STILL_USED = (
        "MOD402",
        "removed-member-still-used",
        Severity.WARNING,
        "read at",
    )
    USELESS_REMOVAL = ("MOD403", "useless-removal", Severity.WARNING)
    RAISE_WITHOUT_REMOVAL = ("MOD404", "raise-without-removal", Severity.WARNING)
    MIXED_PREFIXES = ("MOD405", "mixed-prefixes", Severity.INFO, "imported at")
    PREFIX_FALLBACK = ("MOD406", "prefix-fallback", Severity.INFO)
    WRONG_PARENT_FILE = ("MOD407", "wrong-parent-file", Severity.WARNING)
    UNDEFINED_NAME = ("MOD408", "undefined-name", Severity.WARNING, "used at")
    LEFTOVER_NAME = ("MOD409", "leftover-name", Severity.WARNING, "used at")
    IGNORED_STATEMENT = ("MOD410", "ignored-statement", Severity.WARNING, "left out")
    RESPELLED_PARENT = ("MOD412", "respelled-parent", Severity.WARNING)
    CONFLICTING_FUNCTIONS = (
        "MOD413",
        "conflicting-functions",
        Severity.WARNING,
        "used at",
    )
    INCONSISTENT_BASES = ("MOD414", "inconsistent-bases", Severity.WARNING)
    DROPPED_COMMENT = ("MOD415", "dropped-comment", Severity.INFO)
    SUPER_PAST_PARENT = ("MOD421", "super-past-parent", Severity.WARNING)
    DROPPED_ARGUMENT = ("MOD422", "dropped-argument", Severity.WARNING)
    UNREACHABLE_AFTER_SUPER = (
        "MOD423",
        "unreachable-after-super",
        Severity.WARNING,
        "returns at",
    )
    UNMERGED_DEL = ("MOD424", "unmerged-del", Severity.WARNING)
    UNCALLED_ERROR = ("MOD425", "uncalled-attribute-error", Severity.WARNING)
    SUPER_SKIPS_PARENT = ("MOD426", "super-skips-parent", Severity.INFO)
    OMITTED_ARGUMENT = ("MOD427", "omitted-argument", Severity.INFO)
    MISSED_MODEL_IMPORT = ("MOD431", "missed-model-import", Severity.WARNING)
    IMPORT_OUTSIDE_OUTPUT = ("MOD432", "import-outside-output", Severity.WARNING)
    WRONG_MODEL_TYPE = ("MOD441", "wrong-model-type", Severity.WARNING)
    DANGLING_IMPORT = ("MOD442", "dangling-import", Severity.WARNING, "used at")
    UNANNOTATED_SETTING = ("MOD443", "unannotated-setting", Severity.WARNING)
    UNUSED_DEFINITION = ("MOD451", "unused-definition", Severity.WARNING)
    IGNORED_ASSIGNMENT = (
        "MOD452",
        "ignored-assignment",
        Severity.WARNING,
        "used instead",
    )
    UNUSED_IMPORT = ("MOD453", "unused-import", Severity.WARNING)
    UNUSED_PARENT_IMPORT = (
        "MOD454",
        "unused-parent-import",
        Severity.WARNING,
        "imported at",
    )
    REDUNDANT_OVERRIDE = ("MOD455", "redundant-override", Severity.INFO)
    REMOVED_SETTING_READ = (
        "MOD456",
        "removed-setting-still-read",
        Severity.WARNING,
        "read at",
    )
    REDEFINED_METHOD = (
        "MOD457",
        "redefined-method",
        Severity.WARNING,
        "defined again at",
    )
    MISSPELLED_OVERRIDE = ("MOD458", "misspelled-override", Severity.WARNING)
    REPLACED_ELSEWHERE = (
        "MOD461",
        "replaced-elsewhere",
        Severity.WARNING,
        "replaced at",
    )
    EARLY_ASSIGNMENT = ("MOD462", "early-assignment", Severity.WARNING, "set at")
    DROPPED_REPETITION = ("MOD463", "dropped-repetition", Severity.WARNING, "kept at")
    SKIPPED_BY_RETURN = ("MOD464", "skipped-by-return", Severity.WARNING, "returns at")
    SHARED_VARIABLE = ("MOD465", "shared-variable", Severity.WARNING, "set at")
    CHANGED_VARIABLE = ("MOD466", "changed-variable", Severity.INFO, "set at")
    UNRETURNED_CALL = ("MOD467", "unreturned-call", Severity.INFO)
    UNCOVERED_BASE_METHOD = (
        "MOD468",
        "uncovered-base-method",
        Severity.INFO,
        "defined at",
    )
    LOST_VALUE = ("MOD469", "lost-value", Severity.WARNING)
    HIDDEN_MIXIN_METHOD = ("MOD470", "hidden-mixin-method", Severity.WARNING)
    SUPER_OF_ANOTHER_CLASS = ("MOD471", "super-of-another-class", Severity.WARNING)
    MOVED_ASSIGNMENT = ("MOD472", "moved-assignment", Severity.INFO, "used at")
    INEFFECTIVE_DELETION = (
        "MOD473",
        "ineffective-deletion",
        Severity.WARNING,
        "used at",
    )
    CODE_AFTER_RETURN = ("MOD474", "code-after-return", Severity.WARNING)
    MISSING_SUPER_INIT = ("MOD475", "missing-super-init", Severity.WARNING)
    MISSING_POST_INIT = ("MOD476", "missing-post-init", Severity.WARNING)
    UNKNOWN_NAME_IN_STRING = (
        "MOD477",
        "unknown-name-in-string",
        Severity.WARNING,
        "inherited from",
    )
    MISSPELLED_ATTRIBUTE = ("MOD478", "misspelled-attribute", Severity.WARNING)
    NAME_FROM_TWO_FILES = (
        "MOD479",
        "name-from-two-files",
        Severity.WARNING,
        "imported at",
    )
    RETURNED_VALUES_MISMATCH = (
        "MOD480",
        "returned-values-mismatch",
        Severity.WARNING,
        "unpacked at",
    )
    INHERITED_CALL_MISMATCH = (
        "MOD481",
        "inherited-call-mismatch",
        Severity.WARNING,
        "called at",
    )
    LOST_DATACLASS = ("MOD482", "lost-dataclass", Severity.WARNING)
    BUFFER_REGISTERED_TWICE = (
        "MOD484",
        "buffer-registered-twice",
        Severity.WARNING,
        "registered at",
    )
    KERNEL_OVER_FORWARD = ("MOD485", "kernel-over-forward", Severity.WARNING)
    MADE_UP_ADDRESS = ("MOD486", "made-up-address", Severity.INFO)
    UNUSED_IGNORE = ("MOD491", "unused-ignore", Severity.WARNING)
    STALE_FILE = ("MOD501", "stale-file", Severity.ERROR, "generated from")
    MISSING_FILE = ("MOD502", "missing-file", Severity.ERROR, "generated from")
    ORPHAN = ("MOD503", "orphan", Severity.ERROR, "generated from")

    def __init__(
        self, id: str, title: str, severity: Severity, relation: str = "inherited from"
    ) -> None:
        self.id = id
        self.title = title
        self.severity = severity
        self.relation = relation

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
    """

    path: str
    line: int = 1
    column: int = 1
    width: int = 1
    text: str = ""

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
        """Return this as values that JSON can hold, for `from_json`."""
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
        """Return the diagnostic of which `as_json` returned these values."""
        code, place, message, hint, related, level, fixes = values
        return Diagnostic(
            Problem[code],
            Place(*place),
            message,
            hint,
            None if related is None else Place(*related),
            None if level is None else Severity(level),
            fixes=tuple(
                Fix(title, tuple(Edit(*edit) for edit in edits), is_safe)
                for title, edits, is_safe in fixes
            ),
        )

    @property
    def is_error(self) -> bool:
        """Whether it counts as an error. Not each one prevents writing."""
        return self.severity is Severity.ERROR


def did_you_mean(name: str, known: Iterable[str], alike: float = 0.7) -> str:
    """Suggest the closest known names for a misspelt one.

    Args:
        name: The misspelt name.
        known: The known names.
        alike: The similarity that a name must have, from 0 to 1 for the same name.

    Returns:
        A question; empty if no name is close.
    """
    listed = " or ".join(f"`{near}`" for near in nearest(name, known, alike))
    return f"did you mean {listed}?" if listed else ""


def with_suggestion(message: str, name: str, known: Iterable[str]) -> str:
    """Return a message, followed by the closest known names if there are any."""
    suggestion = did_you_mean(name, known)
    return f"{message}; {suggestion}" if suggestion else message


def nearest(name: str, known: Iterable[str], alike: float = 0.7) -> list[str]:
    """Return up to three known names that are close to a name, the closest first.

    A name that differs only in upper and lower case is the only one.
    """
    return list(_nearest(name, frozenset(known), alike))


@lru_cache(maxsize=256)
def _nearest(name: str, known: frozenset[str], alike: float) -> tuple[str, ...]:
    """Do the work of `nearest`. An editor asks the same again at each key stroke."""
    from difflib import get_close_matches  # only needed for misspelt names

    by_lower = {other.lower(): other for other in sorted(known)}
    lowered = name.lower()
    if lowered in by_lower:
        return (by_lower[lowered],)
    matches = get_close_matches(lowered, by_lower, n=3, cutoff=alike)
    return tuple(by_lower[match] for match in matches)


def internal_error(error: Exception, path: str) -> Diagnostic:
    """Return the diagnostic of an unexpected error in this project's own code.

    Args:
        error: The error.
        path: The modular file that was converted.
    """
    import traceback  # slow to import, and seldom needed

    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{PurePath(frame.filename).name}, line {frame.lineno}"
    reason = f"{type(error).__name__}: {str(error)[:_MAX_ERROR_CHARS]}"
    message = f"internal error: {reason} (in {frame.name}, {where})"
    hint = "please report it, with the modular file"
    return Diagnostic(Problem.INTERNAL, Place(path), message, hint)


def killed(path: str, what: str) -> Diagnostic:
    """Return the diagnostic of a file whose worker was killed.

    Args:
        path: The file.
        what: What the worker did with it: a verb in the past tense.
    """
    hint = "run again with `--jobs 1`, and check that there is enough memory"
    return Diagnostic(
        Problem.INTERNAL,
        Place(path),
        f"the process that {what} this file was killed",
        hint,
    )


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether one of some diagnostics counts as an error."""
    return any(diagnostic.is_error for diagnostic in diagnostics)


def prevents_writing(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether the generated files cannot be written because of some diagnostics.

    An error by its code prevents that, whatever its level is.
    """
    return any(diagnostic.code.severity is Severity.ERROR for diagnostic in diagnostics)


def by_place(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics sorted by path, line, column and code, without duplicates."""
    unique = dict.fromkeys(diagnostics)
    return sorted(
        unique, key=lambda diagnostic: (*diagnostic.place[:3], diagnostic.code.id)
    )
