"""Draw the moving picture and the chart of the README.

    python docs/make_pictures.py

The picture is made of real conversions: a modular file is changed step by step, and each
generated text is what `modular convert` writes for it. The figures of the chart are those of
`comparison.md`. A test checks that both files are up to date.
"""

import re
import tempfile
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from modular.run import api
from modular.run.api import Options


FOLDER = Path(__file__).parent

_PARENT = """\
from torch import nn


class LlamaMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.proj = nn.Linear(config.size, config.size)
        self.act_fn = nn.SiLU()

    def forward(self, x):
        return self.act_fn(self.proj(x))
"""

_STATES = (
    """\
from torch import nn

from ..llama.modeling_llama import LlamaMLP


class OwlMLP(LlamaMLP):
    pass
""",
    """\
from torch import nn

from ..llama.modeling_llama import LlamaMLP


class OwlMLP(LlamaMLP):
    def __init__(self, config):
        super().__init__(config)
        self.act_fn = nn.GELU()
""",
    """\
from torch import nn

from ..llama.modeling_llama import LlamaMLP


class OwlMLP(LlamaMLP):
    def __init__(self, config):
        super().__init__(config)
        self.act_fn = nn.GELU()

    def forward(self, x):
        return x + self.act_fn(self.proj(x))
""",
)
"""The modular file each time that it is saved."""

_SECONDS = 10
_FRAMES_PER_STATE = 2
"""First the modular file changes; then it is saved, and the generated file changes."""

_LINE_HEIGHT = 17
_TOP = 58
_PANE_WIDTH = 420
_STYLE = """\
  text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1b1f25; white-space: pre; }
  .title { font: 600 13px system-ui, sans-serif; }
  .pane { fill: #f6f7f9; stroke: #cfd4dc; }
  .changed { fill: #cdeed6; }
  .frame { opacity: 0; animation: show %ds step-end infinite; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e2e6ec; }
    .pane { fill: #1e222a; stroke: #3a414c; }
    .changed { fill: #1c4d2e; }
  }
  @media (prefers-reduced-motion: reduce) { .frame { animation: none; } .last { opacity: 1; } }
"""


_CHART_ROWS = {
    "modular": "`modular convert`, all of them, without a cache",
    "converter of transformers": "Hugging Face converter, all 326 modular files",
}
"""The rows of `comparison.md` that the chart shows, by the names of the bars."""


def saving_picture() -> str:
    """Return the picture in which a modular file is edited and saved three times."""
    generated = [_convert(text) for text in _STATES]
    frames = []
    for number, modular in enumerate(_STATES):
        before = max(0, number - 1)
        old_modular, old_generated = _STATES[before], generated[before]
        # Before the first save, both files are shown as they are.
        frames.append((modular, old_modular, old_generated, old_generated, "edit"))
        frames.append((modular, modular, generated[number], old_generated, "save"))

    line_count = max(text.count("\n") for text in (*_STATES, *generated))
    height = _TOP + line_count * _LINE_HEIGHT + 12
    share = 100 / len(frames)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 {height}" '
        'width="880" role="img" aria-label="A modular file is edited and saved three '
        'times. Each time, the generated file changes.">\n',
        f"<style>\n{_STYLE % _SECONDS}"
        f"  @keyframes show {{ 0% {{ opacity: 1; }} {share:.3f}% {{ opacity: 0; }} }}\n"
        "</style>\n",
    ]
    for number, (modular, old_modular, text, old_text, step) in enumerate(frames):
        delay = number * _SECONDS / len(frames)
        last = " last" if number == len(frames) - 1 else ""
        parts.append(f'<g class="frame{last}" style="animation-delay:{delay:.3f}s">\n')
        title = "modular_owl.py" + (" ●" if step == "edit" else " saved")
        parts += _pane(10, height, title, modular, old_modular)
        parts += _pane(450, height, "modeling_owl.py", text, old_text)
        parts.append("</g>\n")
    return "".join([*parts, "</svg>\n"])


def _convert(modular: str) -> str:
    """Return what a modular file generates, without the banner."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        files = {
            "pyproject.toml": '[tool.modular]\nmodels = ["models"]\n'
            'inheritance = "transformers"\n[tool.modular.banner]\ntext = ""\n',
            "models/llama/modeling_llama.py": _PARENT,
            "models/owl/modular_owl.py": modular,
        }
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        report = api.convert(options=Options(root=root, cache=False, jobs=1))
        (text,) = report.texts.values()
    return text


def _pane(x: int, height: int, title: str, text: str, old_text: str) -> Iterator[str]:
    """Yield a pane with the lines of a file, of which the new ones are highlighted."""
    yield (
        f'<rect class="pane" x="{x}" y="30" width="{_PANE_WIDTH}" '
        f'height="{height - 36}" rx="6"/>\n'
        f'<text class="title" x="{x + 4}" y="20">{title}</text>\n'
    )
    old_lines = old_text.splitlines()
    for number, line in enumerate(text.splitlines()):
        y = _TOP + number * _LINE_HEIGHT
        if line.strip() and line not in old_lines:
            yield (
                f'<rect class="changed" x="{x + 6}" y="{y - 13}" '
                f'width="{_PANE_WIDTH - 12}" height="{_LINE_HEIGHT}"/>\n'
            )
        if line.strip():
            yield (
                f'<text x="{x + 12}" y="{y}" xml:space="preserve">'
                f"{escape(line, quote=False)}</text>\n"
            )


def speed_chart() -> str:
    """Return a chart of the CPU time that both converters take for the whole corpus.

    Raises:
        LookupError: `comparison.md` does not state one of the figures.
    """
    page = (FOLDER / "comparison.md").read_text(encoding="utf-8")
    rows = []
    for name, row in _CHART_ROWS.items():
        match = re.search(
            rf"^\| {re.escape(row)} \| (?:about )?([\d.]+) T", page, re.MULTILINE
        )
        if match is None:
            raise LookupError(f"comparison.md has no row `{row}`")
        rows.append((name, float(match[1])))
    title = "CPU time for all models of transformers, in units of parsing their files"
    return _bars(title, rows)


def _bars(title: str, rows: Sequence[tuple[str, float]]) -> str:
    """Return a chart with a horizontal bar for each number of units of time."""
    longest = max(units for _, units in rows)
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 112" width="760" '
        f'role="img" aria-label="{title}: '
        + ", ".join(f"{name} {units:g}" for name, units in rows)
        + '">\n<style>\n'
        "  text { font: 13px system-ui, sans-serif; fill: #1b1f25; }\n"
        "  .title { font-weight: 600; }\n  rect { fill: #1f5fc4; }\n"
        "  @media (prefers-color-scheme: dark) { text { fill: #e2e6ec; } "
        "rect { fill: #82b1ff; } }\n</style>\n"
        f'<text class="title" x="10" y="20">{title}</text>\n'
    ]
    for number, (name, units) in enumerate(rows):
        y = 36 + number * 36
        width = 470 * units / longest
        parts.append(
            f'<text x="10" y="{y + 17}">{name}</text>\n'
            f'<rect x="200" y="{y}" width="{width:.1f}" height="24" rx="3"/>\n'
            f'<text x="{208 + width:.1f}" y="{y + 17}">{units:g}</text>\n'
        )
    return "".join([*parts, "</svg>\n"])


def pictures() -> Iterator[tuple[str, str]]:
    """Yield the path, relative to this folder, and the text of each picture."""
    yield "images/saving.svg", saving_picture()
    yield "images/speed.svg", speed_chart()


def main() -> None:
    """Write the pictures."""
    for name, text in pictures():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
