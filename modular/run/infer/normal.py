"""What makes two pieces of code the same for the formatter: everything but blanks, line breaks and brackets around wholes."""

import re

from modular.source.code import Code


_LAYOUT = re.compile(r"[ \t\n]+|\)|(?<![\w\])])\(|,(?=\s*[)\]}])")


def normal(code: Code) -> str:
    """Return code less its layout; strings and comments as they stand.

    Code with two normal forms is not the same. With one, it nearly always is, once it is formatted: the proof says whether.
    """
    pieces, done = [], 0
    text = code.text
    for match in _LAYOUT.finditer(code.mask):
        start, end = match.span()
        pieces.append(text[done:start])
        done = end
        if "#" in (between := text[start:end]):
            pieces += [f"{line.strip()}\n" for line in between.split("\n") if line.strip().startswith("#")]
    pieces.append(text[done:])
    return "".join(pieces)
