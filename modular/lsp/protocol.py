"""The values that the editor is told, as the language server protocol has them, in plain tuples.

The process that works on projects makes them: it does not load pygls, and the server, which sends them, does not load what
works on projects. Their names, and those of their fields, are those of lsprotocol.
"""

from collections.abc import Sequence
from enum import Enum, IntEnum
from typing import NamedTuple


class Document(NamedTuple):
    """A file that is open: its address, the version of its text, and the text."""

    uri: str
    version: int
    text: str


class Position(NamedTuple):
    """A line and a column, both from 0; columns in the units that the editor counts in."""

    line: int
    character: int


class Range(NamedTuple):
    """From a position to the one behind the last."""

    start: Position
    end: Position


class Location(NamedTuple):
    """A place in a file."""

    uri: str
    range: Range


class DiagnosticSeverity(IntEnum):
    """How bad it is."""

    Error = 1
    Warning = 2
    Information = 3


class DiagnosticRelatedInformation(NamedTuple):
    """Another place that has to do with a diagnostic."""

    location: Location
    message: str


class Diagnostic(NamedTuple):
    """What is wrong at a place of a file."""

    range: Range
    message: str
    severity: DiagnosticSeverity
    code: str | None = None
    source: str | None = None
    related_information: Sequence[DiagnosticRelatedInformation] | None = None


class Command(NamedTuple):
    """What the server, or the editor, can be told to do."""

    title: str
    command: str
    arguments: Sequence[object]


class TextEdit(NamedTuple):
    """A change of a text."""

    range: Range
    new_text: str


class OptionalVersionedTextDocumentIdentifier(NamedTuple):
    """A file, in whatever version."""

    uri: str
    version: int | None


class TextDocumentEdit(NamedTuple):
    """The changes of a file."""

    text_document: OptionalVersionedTextDocumentIdentifier
    edits: Sequence[TextEdit]


class WorkspaceEdit(NamedTuple):
    """The changes of all files."""

    document_changes: Sequence[TextDocumentEdit]


class CodeActionKind(Enum):
    """What an action is for."""

    QuickFix = "quickfix"


class CodeAction(NamedTuple):
    """What can be done about something."""

    title: str
    kind: CodeActionKind
    diagnostics: Sequence[Diagnostic] | None = None
    is_preferred: bool | None = None
    edit: WorkspaceEdit | None = None
    command: Command | None = None


class MarkupKind(Enum):
    """How a text is written."""

    Markdown = "markdown"


class MarkupContent(NamedTuple):
    """A text that is shown."""

    kind: MarkupKind
    value: str


class Hover(NamedTuple):
    """What is shown beside the cursor."""

    contents: MarkupContent


class CompletionItemKind(IntEnum):
    """What may be written."""

    Class = 7
    Field = 5
    File = 17
    Function = 3
    Module = 9
    Variable = 6


class CompletionItem(NamedTuple):
    """What may be written at the cursor."""

    label: str
    kind: CompletionItemKind
    detail: str | None


class CodeLens(NamedTuple):
    """A line that is shown above others."""

    range: Range
    command: Command


class SymbolKind(IntEnum):
    """What a name stands for."""

    Class = 5
    Function = 12
    Variable = 13


class DocumentSymbol(NamedTuple):
    """A name that a file defines, with those below it."""

    name: str
    kind: SymbolKind
    range: Range
    selection_range: Range
    children: "Sequence[DocumentSymbol]"
