"""Markdown of a rule's page, as a terminal shows it."""

from modular.cli.rendering.markdown import render_markdown
from modular.cli.rendering.terminal import coloured, plain


PAGE = """\
# MOD1 a-title

A **strong `word`** and [a link](https://example.com) in a paragraph.

- the first item,
  which goes on
- the second

```python
def f(x):

    return x
```
"""


def test_headings_lists_and_code_have_no_marks() -> None:
    assert (
        render_markdown(PAGE, 30, plain)
        == """\
MOD1 a-title

A strong `word` and a link
in a paragraph.

- the first item, which goes
  on
- the second

    def f(x):

        return x
"""
    )


def test_headings_and_inline_code_are_painted() -> None:
    rendered = render_markdown("# Title\n\nCall `f`.\n", 80, coloured)
    assert rendered == "\x1b[1mTitle\x1b[0m\n\nCall \x1b[34mf\x1b[0m.\n"


def test_code_that_is_broken_at_the_end_of_a_line_stays_painted() -> None:
    rendered = render_markdown("see `b c`\n", 7, coloured)
    assert rendered == "see \x1b[34mb\nc\x1b[0m\n"
