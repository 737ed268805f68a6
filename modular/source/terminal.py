"""Diagnostics for people: the message, the place, the line with a mark under what is wrong, and what to write instead."""

from collections.abc import Callable, Iterable
from textwrap import wrap
from unicodedata import category, east_asian_width

from modular.source.diagnostics import Diagnostic, Place, by_place, relation
from modular.source.printable import one_line


LONGEST = 240
"""Characters of a source line that are worth showing."""

_TAB = 4
_RED, _YELLOW, _BLUE, _BOLD = "31", "33", "34", "1"

_Paint = Callable[[str, str], str]


def render(diagnostics: Iterable[Diagnostic], *, colour: bool = False, columns: int | None = None) -> str:
    """Return diagnostics, sorted by place, with a blank line after each.

    Messages are wrapped at words to so many ``columns``; None: not at all.
    """
    paint = _coloured if colour else _plain
    return "".join(_block(_cleaned(each), paint, columns) + "\n" for each in by_place(diagnostics))


def _cleaned(diagnostic: Diagnostic) -> Diagnostic:
    """Return a diagnostic whose every text is one line that controls no terminal."""

    def cleaned(place: Place) -> Place:
        return place._replace(path=one_line(place.path), text=one_line(place.text))

    return diagnostic._replace(
        place=cleaned(diagnostic.place),
        message=one_line(diagnostic.message),
        hint=one_line(diagnostic.hint),
        related=None if diagnostic.related is None else cleaned(diagnostic.related),
    )


def _block(diagnostic: Diagnostic, paint: _Paint, columns: int | None) -> str:
    place, related = diagnostic.place, diagnostic.related
    mark = _RED if diagnostic.is_error else _YELLOW
    width = max(len(str(each.line)) for each in (place, related or place))
    code = diagnostic.code.id
    head = f"{code} {diagnostic.severity.value}"
    linked = (
        head if paint is _plain else head.replace(code, f"\x1b]8;;{diagnostic.code.url}\x1b\\{code}\x1b]8;;\x1b\\")
    )
    lines = _wrapped(f"{head}  {diagnostic.message}", head, paint(linked, mark), columns)
    lines += [f"{' ' * width} {paint('-->', _BLUE)} {paint(_position(place), _BOLD)}"]
    lines += _excerpt(place, width, mark, paint)
    if related is not None:
        lines.append(f"{' ' * (width + 4)}{relation(diagnostic)} {_position(related)}")
        lines += _excerpt(related, width, _BLUE, paint)
    if diagnostic.hint:
        head = f"{' ' * (width + 4)}hint:"
        lines += _wrapped(f"{head} {diagnostic.hint}", head, head.replace("hint:", paint("hint:", _BLUE)), columns)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _position(place: Place) -> str:
    return f"{place.path}:{place.line}:{place.column}"


def _wrapped(text: str, head: str, painted: str, columns: int | None) -> list[str]:
    """A text in lines of so many columns, all but the first indented as its ``head`` is long, which is painted."""
    indent = " " * (len(head) + 1)
    lines = [text] if columns is None else wrap(text, columns, subsequent_indent=indent, break_long_words=False)
    return [painted + lines[0].removeprefix(head), *lines[1:]]


def _excerpt(place: Place, width: int, mark: str, paint: _Paint) -> list[str]:
    """The line of a place with its number, and the mark below; of a very long line the part around the mark."""
    start = place.column - 1
    first = max(0, start - LONGEST // 3) if len(place.text) > LONGEST else 0
    line = place.text[first : first + LONGEST]
    before, marked = line[: start - first], line[start - first : start - first + place.width]
    if not line.strip():
        return []
    number = paint(f"{place.line:>{width + 1}} |", _BLUE)
    below = paint(f"{' ' * (width + 1)} |", _BLUE)
    arrows = "^" * max(1, _columns(_shown(marked)))
    return [f"{number} {_shown(line)}", f"{below} {' ' * _columns(_shown(before))}{paint(arrows, mark)}"]


def _shown(text: str) -> str:
    """What a terminal is given: tabs as blanks."""
    return text.replace("\t", " " * _TAB)


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(_width(letter) for letter in text)


def _width(letter: str) -> int:
    if category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(letter) in "WF" else 1


def _plain(text: str, style: str) -> str:
    return text


def _coloured(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m"
