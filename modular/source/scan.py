"""Masks source texts: replaces strings and comments by filler.

A masked text has the same length as its text, and code appears in it as it is. Regular
expressions over a masked text never see the inside of a string or a comment. Functions
below find the ends of lines, logical lines and blocks in masked texts.
"""

import re
from collections.abc import Iterator


STRING = '"'
"""Filler for the characters of a plain string literal, quotes and newlines included."""
FSTRING = "'"
"""Filler for the literal parts of an f-string; its replacement fields stay code."""
COMMENT = " "
"""Filler for comments and escaped line ends: a masked text is blank there."""

_TOKEN = re.compile(
    r"""
      \#[^\n]*
    | \\\n
    | \"\"\"(?>[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*)(?:\"\"\"|\Z)
    | \'\'\'(?>[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*)(?:\'\'\'|\Z)
    | "(?!"")(?>[^"\\\n]*+(?:\\.[^"\\\n]*+)*)"
    | '(?!'')(?>[^'\\\n]*+(?:\\.[^'\\\n]*+)*)'
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTE = re.compile(r"\"\"\"|'''|\"|'")
_FORMATTED_PREFIX = re.compile(r"(?<!\w)(?:[ft]r?|r[ft])\Z", re.IGNORECASE)

_FIELD_TOKEN = re.compile(r"""\\\n|["']|\#[^\n]*|[\[({]|[\])}]|!(?!=)|:""")
_BRACE = re.compile(r"[{}]")
_LITERAL_TOKENS = {
    quote: re.compile(
        rf"\\N\{{[^}}]*\}}|\\[^{{}}]|\{{\{{|\}}\}}|\{{|\}}|{quote}", re.DOTALL
    )
    for quote in ('"""', "'''", '"', "'")
}
"""What ends or interrupts the literal part of an f-string, by its quotes."""


def mask_text(text: str) -> str:
    """Return the masked text of a Python source text with ``\\n`` line ends."""
    return _Masker(text).mask_all()


class _Masker:
    """Builds the masked text of a text from its beginning to its end.

    Each method continues the masked text at `masked_end`, and moves this offset.

    Attributes:
        text: The text.
        masked_end: The offset up to which the masked text is built.
    """

    def __init__(self, text: str) -> None:
        """Begin with an empty masked text."""
        self.text = text
        self.masked_end = 0
        self._pieces: list[str] = []

    def mask_all(self) -> str:
        """Return the whole text with its strings and comments overwritten.

        The code between them is copied, and so are the fields of f-strings.
        """
        # The tokens are strings, comments, and backslashes that continue a line.
        while match := _TOKEN.search(self.text, self.masked_end):
            start, end = match.span()
            self._copy_until(start)
            if self.text[start] in "#\\":
                self._fill_until(end, COMMENT)
            elif self._is_formatted(start):
                # The token can end too early, at a quote inside of a field.
                self._mask_fstring()
            else:
                self._fill_until(end, STRING)
        self._copy_until(len(self.text))
        return "".join(self._pieces)

    def _copy_until(self, end: int) -> None:
        """Extend the masked text to an offset by the text itself."""
        self._pieces.append(self.text[self.masked_end : end])
        self.masked_end = end

    def _fill_until(self, end: int, filler: str) -> None:
        """Extend the masked text to an offset by filler."""
        self._pieces.append(filler * (end - self.masked_end))
        self.masked_end = end

    def _is_formatted(self, quote: int) -> bool:
        """Whether the literal at an offset is an f-string or t-string."""
        if self.text[quote - 1 : quote] not in tuple("fFtTrR"):
            return False
        prefix = _FORMATTED_PREFIX.search(self.text, max(0, quote - 3), quote)
        return prefix is not None

    def _mask_fstring(self) -> None:
        """Overwrite the text of the f-string at the current offset, but not its fields.

        In `f"a {b} c"` the code `b` stays. Inside the braces of a field, the quotes of
        the f-string may be used again (PEP 701).
        """
        opening = _QUOTE.match(self.text, self.masked_end)
        assert opening is not None
        quote = opening[0]
        self._fill_until(opening.end(), FSTRING)
        while match := _LITERAL_TOKENS[quote].search(self.text, self.masked_end):
            if match[0] == "{":
                self._fill_until(match.start(), FSTRING)
                self._copy_until(match.end())
                self._mask_field()
            else:
                # The token is `{{`, an escape, or the quote that ends the f-string.
                self._fill_until(match.end(), FSTRING)
                if match[0] == quote:
                    return
        self._fill_until(len(self.text), FSTRING)

    def _mask_field(self) -> None:
        """Mask a field of an f-string after its opening brace.

        The value and the closing brace stay. The conversion and format spec, which are
        `!r:>9` in `{value!r:>9}`, are overwritten.
        """
        open_brackets = 0
        while match := _FIELD_TOKEN.search(self.text, self.masked_end):
            token = match[0]
            self._copy_until(match.start())
            if token in "\"'":
                self._mask_nested_string()
            elif token[0] in "#\\":
                self._fill_until(match.end(), COMMENT)
            elif open_brackets == 0 and token in "!:":
                # The value ends. In brackets, a colon is that of a slice or a dict.
                self._mask_format_spec()
                return
            elif open_brackets == 0 and token == "}":
                self._copy_until(match.end())
                return
            else:
                self._copy_until(match.end())
                if token in "([{":
                    open_brackets += 1
                elif token in ")]}":
                    open_brackets = max(0, open_brackets - 1)
        # The field is never closed.
        self._copy_until(len(self.text))

    def _mask_nested_string(self) -> None:
        """Overwrite a string literal inside a field of an f-string."""
        if self._is_formatted(self.masked_end):
            self._mask_fstring()
            return
        # A quote that is never closed is overwritten alone.
        match = _TOKEN.match(self.text, self.masked_end)
        end = self.masked_end + 1 if match is None else match.end()
        self._fill_until(end, STRING)

    def _mask_format_spec(self) -> None:
        """Mask the end of an f-string's field: its format spec and the closing brace.

        The conversion and the format spec, such as `!r:>9`, are overwritten. A spec can
        contain other fields, which stay: of `:>{width}}` only `:>` is overwritten.
        """
        while match := _BRACE.search(self.text, self.masked_end):
            self._fill_until(match.start(), FSTRING)
            self._copy_until(match.end())
            if match[0] == "}":
                # The field ends.
                return
            # Another field begins inside of the spec.
            self._mask_field()
        # The spec is never closed.
        self._fill_until(len(self.text), FSTRING)


_ROUND = bytes.maketrans(b"[]{}", b"()()")
NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")
"""All bytes that are not brackets."""


def lines_at_depth(masked_text: str, first: int, indent: str) -> Iterator[int]:
    """Yield the offsets of the lines at a certain depth of indentation.

    Lines that are indented more are left out, and so are lines inside brackets.

    Args:
        masked_text: The code with strings and comments overwritten.
        first: The offset of the first line, which is yielded, too.
        indent: The indent of that line, and of the other lines to yield.
    """
    yield first
    open_brackets = 0
    counted_end = first
    for match in re.compile(rf"\n{indent}(?=\S)").finditer(masked_text, first):
        # The match begins with the end of the line above.
        line = match.start() + 1
        open_brackets += count_open_brackets(masked_text, counted_end, line)
        counted_end = line
        if open_brackets == 0:
            yield line


def logical_line_end(masked_text: str, start: int) -> int:
    """Return the offset after the logical line that begins at an offset.

    A logical line ends at the first line end that is not inside brackets.

    Args:
        masked_text: The code with strings and comments overwritten.
        start: The offset at which the line begins.
    """
    depth = 0
    end = start
    while end < len(masked_text):
        line_start = end
        end = line_end(masked_text, line_start)
        depth += count_open_brackets(masked_text, line_start, end)
        if depth <= 0:
            break
    return end


def count_open_brackets(masked_text: str, start: int, end: int) -> int:
    """Return how many more brackets open than close between two offsets.

    Args:
        masked_text: The code with strings and comments overwritten.
        start: The first offset.
        end: The offset after the last one.
    """
    brackets = masked_text[start:end].encode().translate(_ROUND, NO_BRACKETS)
    return brackets.count(b"(") - brackets.count(b")")


def find_outside_brackets(
    masked_text: str, character: str, start: int
) -> Iterator[int]:
    """Yield the offsets of a character that are not inside brackets.

    Args:
        masked_text: The code with strings and comments overwritten.
        character: The character.
        start: The offset at which the search begins, outside of brackets.
    """
    open_brackets = 0
    counted_end = start
    position = masked_text.find(character, start)
    while position >= 0:
        open_brackets += count_open_brackets(masked_text, counted_end, position)
        counted_end = position
        if open_brackets == 0:
            yield position
        position = masked_text.find(character, position + 1)


def count_leading_blanks(text: str, blanks: str | None = None) -> int:
    """Return how many blanks a text begins with.

    Args:
        text: The text.
        blanks: The characters that count as blanks; None: all white space.
    """
    return len(text) - len(text.lstrip(blanks))


def line_end(text: str, position: int) -> int:
    """Return the offset after the line that holds a position."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1
