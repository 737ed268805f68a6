"""Keeps the comments of a modular file when classes of it are written anew."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from modular.conversion.conversion import Conversion
from modular.source import scan
from modular.source.blocks import Statement, split
from modular.source.definition_view import view_definition
from modular.source.indentation import STEP
from modular.source.module import Module
from modular.source.scan import line_end
from modular.source.source_slice import SourceSlice, synthetic


_DIRECTIVES = (
    "noqa",
    "type:",
    "fmt:",
    "isort:",
    "ruff:",
    "mypy:",
    "pylint:",
    "pyright:",
    "pragma:",
    "nosec",
    "modular:",
)
"""Beginnings of comments that tell a tool something about the code beside them."""


class Comment(NamedTuple):
    """A comment of a source file.

    ``line`` is its line number (from 1), and ``code`` the code before it on that line.
    """

    line: int
    text: str
    code: str

    @property
    def is_alone(self) -> bool:
        """Whether nothing else is on its line."""
        return not self.code

    @property
    def is_directive(self) -> bool:
        """Whether it is for a tool. It would have another meaning on another line."""
        return self.text.lstrip("# ").startswith(_DIRECTIVES)


def comments_of(code: SourceSlice) -> Iterator[Comment]:
    """Yield the comments of some code, in their order."""
    text = code.text
    start = text.find("#")
    while start >= 0:
        end = start + 1
        # The mask tells a comment from a `#` in a string.
        if code.mask[start] == scan.COMMENT:
            line_start = text.rfind("\n", 0, start) + 1
            end = line_end(text, start)
            line = code.line + text.count("\n", 0, start)
            before = text[line_start:start].strip()
            yield Comment(line, text[start:end].rstrip(), before)
        start = text.find("#", end)


def ungenerated_comments(module: Module, conversion: Conversion) -> list[Comment]:
    """Return the comments of a modular file that are in no generated file.

    Args:
        module: The modular file.
        conversion: The conversion of the same text.
    """
    generated = set[tuple[int, str]]()
    for code in _generated_code(conversion):
        # Synthetic code is the converter's own, with comments of no source.
        if code.path == module.path and not code.is_synthetic:
            for comment in comments_of(code):
                generated.add((comment.line, comment.text))

    return [
        comment
        for comment in comments_of(module.code)
        if (comment.line, comment.text) not in generated
    ]


def _generated_code(conversion: Conversion) -> Iterator[SourceSlice]:
    """Yield the source slices of which the generated files consist."""
    for file in conversion.files:
        for statement in file.statements:
            for run in statement.parts:
                yield run.code


def lost_comments(
    comments: Sequence[Comment], kept: Iterable[Comment]
) -> tuple[Comment, ...]:
    """Return the comments that are not among those that were kept.

    If three comments have the same text, and two with this text were kept, the third
    one is lost.
    """
    available = Counter(comment.text for comment in kept)
    lost = []
    for comment in comments:
        if available[comment.text] > 0:
            available[comment.text] -= 1
        else:
            lost.append(comment)
    return tuple(lost)


def insert_class_comments(
    old_class: Statement, text: str, comments: Iterable[Comment]
) -> str:
    """Return the new text of a class with comments of the old class.

    A comment beside code goes beside the same code. Any other comment goes above the
    member that it was above or in. If that member is gone, it goes above the next one.

    Args:
        old_class: The class that is replaced.
        text: The text that replaces it.
        comments: The comments to keep. Directives whose code is gone are left out.
    """
    # Without its last line end, the text has no empty line at the end.
    lines = text.removesuffix("\n").split("\n")
    others = []
    for comment in comments:
        index = _find_line(lines, comment.code)
        if index is not None:
            lines[index] = f"{lines[index].rstrip()}  {comment.text}"
        elif not comment.is_directive:
            # A directive would mean something else on a line of its own.
            others.append(comment)

    # The members of the new class have line numbers in the new text (from 1).
    new_class = split(synthetic(text, old_class.code.path, line=1)).statements[0]
    new_members = _members(new_class)
    comments_above: dict[int, list[str]] = defaultdict(list)
    comments_at_end: list[str] = []
    for comment in others:
        comment_line = f"{STEP}{comment.text}"
        member = _next_member(old_class, comment, new_members)
        if member is None:
            comments_at_end.append(comment_line)
        else:
            comments_above[member.line].append(comment_line)

    new_lines = []
    for number, line in enumerate(lines, start=1):
        new_lines += comments_above[number]
        new_lines.append(line)
    if comments_at_end:
        new_lines += ["", *comments_at_end]
    return "\n".join(new_lines) + "\n"


def _find_line(lines: Sequence[str], code: str) -> int | None:
    """Return the index of the line that has only some code and indentation.

    The result is None if there is no such line, or more than one.
    """
    stripped_lines = [line.strip() for line in lines]
    if code and stripped_lines.count(code) == 1:
        return stripped_lines.index(code)
    return None


def _members(statement: Statement) -> dict[tuple[str, int], Statement]:
    """Return the members of a class, keyed by name and occurrence of the name.

    The second method `f` of a class has the key `("f", 1)`.
    """
    counts: Counter[str] = Counter()
    members = {}
    for member in view_definition(statement).body_without_docstring:
        # A member without a name, such as `pass`, is known by its code.
        name = member.name or member.bare_code.mask
        members[name, counts[name]] = member
        counts[name] += 1
    return members


def _next_member(
    old_class: Statement,
    comment: Comment,
    new_members: dict[tuple[str, int], Statement],
) -> Statement | None:
    """Return the new member above which a comment of the old class goes.

    If the comment is above or in the old method `f`, this is the new `f`. If the new
    class has no `f`, this is the next member of the old class that the new class has,
    too. Without such a member, this is the `pass` of the new class. The result is None
    if the new class has no `pass` either.
    """
    for key, old_member in _members(old_class).items():
        line_count = old_member.code.text.count("\n")
        last_line = old_member.code.line + line_count - 1
        ends_above_comment = last_line < comment.line
        if not ends_above_comment and key in new_members:
            return new_members[key]
    for member in new_members.values():
        if member.does_nothing:
            return member
    return None
