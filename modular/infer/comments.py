"""Finds the comments of a modular file that are lost when it is written anew."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from modular.conversion.conversion import Conversion
from modular.source import scan
from modular.source.module import Module
from modular.source.scan import line_end
from modular.source.source_slice import SourceSlice


class Comment(NamedTuple):
    """A comment of a source file: its line (from 1) and its text."""

    line: int
    text: str


def comments_of(code: SourceSlice) -> Iterator[Comment]:
    """Yield the comments of some code, in their order."""
    text = code.text
    hash_sign = text.find("#")
    while hash_sign >= 0:
        end = hash_sign + 1
        # The masked text tells a comment from a `#` in a string.
        if code.masked_text[hash_sign] == scan.COMMENT:
            end = line_end(text, hash_sign)
            line = code.line + text.count("\n", 0, hash_sign)
            yield Comment(line, text[hash_sign:end].rstrip())
        hash_sign = text.find("#", end)


def ungenerated_comments(module: Module, conversion: Conversion) -> list[Comment]:
    """Return the comments of a modular file that are in no generated file.

    Args:
        module: The modular file.
        conversion: The conversion of the same text.
    """
    generated_comments = set[Comment]()
    for code in _generated_code(conversion):
        # Code that the converter writes itself has no comments of the modular file.
        is_copied = code.path == module.path and not code.is_synthetic
        if is_copied:
            generated_comments.update(comments_of(code))
    return [
        comment
        for comment in comments_of(module.code)
        if comment not in generated_comments
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
    """Return the comments of a file that are lost in a new version of it.

    If three comments have the same text, and the new version has this text twice, the
    third one is lost.

    Args:
        comments: The comments of the old version.
        kept: The comments of the new version.
    """
    available = Counter(comment.text for comment in kept)
    lost = []
    for comment in comments:
        if available[comment.text] > 0:
            available[comment.text] -= 1
        else:
            lost.append(comment)
    return tuple(lost)
