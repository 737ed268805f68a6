"""Compares code apart from layout, copy comments and the order of some lines."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from modular.source.assignments import assigned_target
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.indentation import normalize_indentation
from modular.source.module import lines_with_ends
from modular.source.python_trees import equal_trees
from modular.source.source_slice import SourceSlice


_COPY_COMMENT = re.compile(
    r"[ \t]*# (?:Copied from\b|Ignore copy[ \t]*$"
    r"|(?:[^#]*\b[Cc]opied|[Aa]dapted) from (?:\w+\.)*models\.\w+\.)"
)
_LAYOUT = re.compile(r"[ \t\n]+|\)|(?<![\w\])])\((?=[ \t]*\n)|,(?=\s*[)\]}])")
"""Blanks, line ends, trailing commas, and `(` at the end of a line that is not a call.

The `)` that belongs to such a bracket cannot be told from others, so each one matches.
"""

_TRAILING_COMMA = re.compile(r",\s*[)\]}]")
_DEFINITION = re.compile(r"(?:async def|class|def)\b|@")
_ORDERED_CLASS = re.compile(r"dataclass|Enum|Flag|NamedTuple")
"""A decorator or base with which the order of a class's attributes has a meaning."""

_INIT = "__init__"
_SELF = "self."


def is_copy_comment(line: str) -> bool:
    """Return whether a line is a comment that marks a copy. Inheritance replaces it."""
    return _COPY_COMMENT.match(line) is not None


def normal_form(code: SourceSlice) -> str:
    """Return code without copy comments and without layout that a formatter changes.

    Blanks, closing brackets and commas before them are left out. So `x = f(a, b)` and
    the same call on four lines, with a comma after `b`, have the same normal form:
    `x=f(a,b`. Strings, other comments and blank lines that a formatter keeps stay.

    Code with different normal forms is different. Code with the same normal form is
    nearly always equal. An exception is `f(a) + b` and `f(a + b)`.
    """
    return _without_layout(code.text, code.masked_text)


@lru_cache(maxsize=8_000)
def _without_layout(text: str, masked_text: str) -> str:
    """Return a text without blanks and closing brackets: `x=f(a,b` for `x = f(a, b)`.

    Closing brackets are left out because a formatter may add brackets around a long
    value: `x = (`, the value on the next line, and `)` below it. Such a `(` is at the end
    of a line, and is left out. Its `)` looks like any other, so each `)` is left out.

    Args:
        text: The text.
        masked_text: The text with strings and comments replaced by filler. So layout in
            a string is not found.
    """
    parts = []
    code_start = 0
    for layout in _LAYOUT.finditer(masked_text):
        start, end = layout.span()
        parts.append(text[code_start:start])
        # Comments are blank in the masked text, so what looks like layout there can be a
        # comment.
        layout_text = text[start:end]
        if "\n" in layout_text or "#" in layout_text:
            parts += _kept_lines(text, masked_text, start, end)
        code_start = end
    parts.append(text[code_start:])
    return "".join(parts)


def _kept_lines(text: str, masked_text: str, start: int, end: int) -> Iterator[str]:
    """Yield the comments and blank lines between two pieces of code that a formatter keeps.

    In this body of a function, these are `# First.` and the blank line:

        a = 1  # First.

        b = 2

    Args:
        text: The text with both pieces of code.
        masked_text: The text with strings and comments replaced by filler.
        start: Where the first piece of code, `a = 1`, ends. 0 if the text begins with
            comments or blank lines.
        end: Where the second piece of code, `b = 2`, begins: after its indentation, or
            at the end of the text if no code follows.
    """
    # In the example, the lines are `["# First.", "", ""]`: the rest of the line with
    # `a = 1`, a blank line, and the indentation of `b = 2`, which is stripped.
    lines = []
    for line in text[start:end].split("\n"):
        if not is_copy_comment(line):
            lines.append(line.strip())
    keeps_blank_lines = _keeps_blank_lines(text, masked_text, end)
    # The rest of the first line and the indentation of the last one are no blank lines.
    # But if the text begins with blank lines, the first one is a whole line, too.
    first_whole_line = 1 if start > 0 else 0
    last_index = len(lines) - 1
    for index, line in enumerate(lines):
        is_comment = bool(line)
        is_blank_line = not line and first_whole_line <= index < last_index
        if is_comment or (is_blank_line and keeps_blank_lines):
            yield f"{line}\n"


def _keeps_blank_lines(text: str, masked_text: str, end: int) -> bool:
    """Return whether a formatter keeps the blank lines above some code.

    The formatter sets the number of blank lines itself at the end of the text, above
    code without indentation, and above a function or class.

    Args:
        text: The text with the code.
        masked_text: The text with strings and comments replaced by filler.
        end: Where the code begins. The end of the text if no code follows.
    """
    is_end_of_text = end == len(masked_text)
    if is_end_of_text:
        return False
    is_unindented = text[end - 1] == "\n"
    is_definition = _DEFINITION.match(masked_text, end) is not None
    return not is_unindented and not is_definition


def compact_form(code: SourceSlice) -> str:
    """Return the normal form without blank lines."""
    return normal_form(code).replace("\n", "")


def equal_after_formatting(code: SourceSlice, wanted: SourceSlice) -> bool:
    """Return whether the formatter can be expected to turn code into the wanted code.

    Both must be equal apart from layout and copy comments. The formatter adds trailing
    commas but never removes one, so the code must not have more commas than the wanted
    code.

    Args:
        code: The code before formatting.
        wanted: The wanted code after formatting.
    """
    if normal_form(code) != normal_form(wanted):
        return False
    commas = len(_TRAILING_COMMA.findall(code.masked_text))
    return commas <= len(_TRAILING_COMMA.findall(wanted.masked_text))


def lines_without_copy_comments(code: SourceSlice) -> str:
    """Return the lines of code as they are, except for blank lines and copy comments.

    A copy comment, such as `# Copied from ...`, says that code is a copy. A blank line
    in a string stays.
    """
    kept_lines = []
    start = 0
    for line in lines_with_ends(code.text):
        end = start + len(line)
        # In the masked text, each character of a string is a quote, and each character
        # of a comment is a blank. So a blank line in a string counts as code.
        has_code = not code.masked_text[start:end].isspace()
        is_other_comment = not line.isspace() and not is_copy_comment(line)
        if has_code or is_other_comment:
            kept_lines.append(line)
        start = end
    return "".join(kept_lines).rstrip("\n")


def equal_apart_from_order(
    first: Statement,
    second: Statement,
    form: Callable[[SourceSlice], str] = compact_form,
) -> bool:
    """Return whether two definitions have the same lines, in an order of the same effect.

    Args:
        first: A definition.
        second: Another definition.
        form: Returns the form in which code is compared.
    """
    first_key = _order_insensitive_key(first, form)
    return first_key == _order_insensitive_key(second, form)


def equal_apart_from_layout(first: Statement, second: Statement) -> bool:
    """Return whether two definitions have the same comments and the same syntax trees.

    A call on one line equals the same call with a trailing comma, which a formatter
    writes on several lines.
    """
    if compact_form(first.code) != compact_form(second.code):
        return False
    # Closing brackets are not part of this form, so the trees are compared, too.
    return equal_trees(first.code.text, second.code.text)


def _order_insensitive_key(
    statement: Statement, form: Callable[[SourceSlice], str]
) -> tuple[str, ...]:
    """Return a key that is equal for definitions whose lines may only have swapped places.

    Adjacent methods and attributes of a class may, and adjacent assignments such as
    `self.x = 1` in `__init__`, unless one of them reads what another one sets.

    Args:
        statement: The definition.
        form: Returns the form in which code is compared.
    """
    is_class = statement.kind is Kind.CLASS
    is_init = statement.kind is Kind.FUNCTION and statement.name == _INIT
    if not (is_class or is_init):
        return (form(statement.code),)
    view = view_definition(normalize_indentation(statement))
    if view.is_inline:
        # The body, as in `class A: pass`, is on the line of the header.
        return (form(statement.code),)

    comments_above = view.lead
    key = [form(comments_above), form(view.decorators), form(view.header)]
    for group in _swappable_groups(view):
        # A member of a class can be an `__init__` or another class, in which lines may
        # swap places, too.
        member_keys = [_order_insensitive_key(member, form) for member in group]
        # The sorted keys are the same for each order of the members.
        for member_key in sorted(member_keys):
            key += member_key
    comments_at_end = view.body.footer
    key.append(form(comments_at_end))
    return tuple(key)


def _swappable_groups(view: DefinitionView) -> Iterable[Sequence[Statement]]:
    """Split the body of a class or `__init__` into groups of adjacent statements.

    Only the statements of the same group may swap places without an effect.
    """
    statements = view.body.statements
    if view.statement.kind is Kind.FUNCTION:
        return _reorderable_runs(statements, _attribute_use)
    if _ORDERED_CLASS.search(view.decorators.masked_text + view.header.masked_text):
        # The fields of a dataclass, for example, must keep their order.
        return [[statement] for statement in statements]
    return _reorderable_runs(statements, _member_use)


class _NameUse(NamedTuple):
    """The name that a statement sets, and the words that it may read.

    The name is empty if the statement does anything else.
    """

    name: str
    words: set[str]


def _reorderable_runs(
    statements: Iterable[Statement], name_use: Callable[[Statement], _NameUse]
) -> Iterator[list[Statement]]:
    """Split a body into runs of statements that may swap places.

    `self.a = x; self.b = y; self.c = self.a; self.d()` are three runs: the first two
    statements, the third, which reads `a`, and the last, which may do anything.

    Args:
        statements: The statements of the body.
        name_use: Returns the name that a statement sets, and its words.
    """
    run: list[Statement] = []
    names_set_by_run, words_of_run = set[str](), set[str]()
    for statement in statements:
        name, words = name_use(statement)
        may_do_anything = not name
        reads_run = not names_set_by_run.isdisjoint(words)
        is_used_by_run = name in names_set_by_run or name in words_of_run
        if may_do_anything or reads_run or is_used_by_run:
            if run:
                yield run
            run, names_set_by_run, words_of_run = [], set(), set()

        if may_do_anything:
            yield [statement]
        else:
            run.append(statement)
            names_set_by_run.add(name)
            words_of_run |= words
    if run:
        yield run


def _attribute_use(statement: Statement) -> _NameUse:
    """Return the attribute of `self` that a statement assigns, if any, and its words."""
    words = set(statement.bare_code.words())
    target = assigned_target(statement)
    if target is None or not target.text.startswith(_SELF):
        return _NameUse("", words)
    return _NameUse(target.text.removeprefix(_SELF), words)


def _member_use(statement: Statement) -> _NameUse:
    """Return the name that a class member sets, and the words that are read for it.

    `def f(self, x=size): ...` sets `f` and reads `size`. Its body is only executed later.
    `size = 1` sets `size`. The name is empty for any other member, such as an `if`,
    because it may do anything.
    """
    if statement.kind is Kind.FUNCTION:
        view = view_definition(normalize_indentation(statement))
        words = {*view.decorators.words(), *view.header.words()}
        # The header defines these names. It does not read them.
        words.difference_update(view.parameters, (statement.name,))
        return _NameUse(statement.name, words)

    words = set(statement.bare_code.words())
    target = assigned_target(statement)
    if target is None or not target.text.isidentifier():
        return _NameUse("", words)
    return _NameUse(target.text, words)
