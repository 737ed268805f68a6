"""Random fixes in files with every kind of line separator: no text is lost.

Each file has comments with separators that end no line for Python, and line ends of
all three kinds. After a fix, the file without its separators is what the fix of the
same file with plain line ends is.
"""

from functools import cache
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from modular.cli.main import main


IN_LINE_SEPARATORS = ("\x0b", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\f")
LINE_ENDS = ("\n", "\r\n", "\r")
LLAMA = """class LlamaMLP:
    def __init__(self, config):
        self.size = config.size

    def forward(self, x):
        return x + self.size

    def prune(self):
        return None


class LlamaModel:
    pass


class LlamaNorm:
    pass
"""


def random_modular(random: Random) -> list[str]:
    """Return the lines of a modular file with findings that have safe fixes."""
    lines = []
    if random.random() < 0.7:
        lines.append("# {comment} above all")
    names = ["LlamaMLP", *random.sample(["LlamaModel", "LlamaNorm"], 1)]
    random.shuffle(names)
    lines += [f"from ..llama.modeling_llama import {', '.join(names)}  # {{comment}}"]
    lines += ["", ""]
    if random.random() < 0.5:
        lines += ["# {comment} above", "TABLE = [1, 2]  # {comment}", "", ""]
    lines += ["class OlmoMLP(LlamaMLP):", '    """A doc {comment} string."""', ""]
    if random.random() < 0.7:
        lines += ["    def forward(self, x):", "        return x + self.size", ""]
    lines += ["    # {comment} above prune", "    def prune(self):"]
    lines += ['        return "{comment}"  # {comment}']
    if random.random() < 0.5:
        lines += ["", "    # {comment} at the end"]
    return lines


@cache
def fixed_text(root: Path, text: str) -> tuple[str, str]:
    """Return a modular file after `modular fix`, and what the command printed."""
    (root / "models/llama").mkdir(parents=True, exist_ok=True)
    (root / "models/olmo").mkdir(parents=True, exist_ok=True)
    (root / "pyproject.toml").write_text(
        '[tool.modular]\npreset = "transformers"\nmodels = ["models"]\nformatter = "none"\n'
    )
    (root / "models/llama/modeling_llama.py").write_text(LLAMA)
    path = root / "models/olmo/modular_olmo.py"
    path.write_bytes(text.encode())
    arguments = ["fix", "--root", str(root), "--no-cache", "--jobs", "1"]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return path.read_bytes().decode(), done.output


def fix_and_compare(root: Path, seed: int) -> bool:
    """Fix a file with separators and the same file without; return whether it changed."""
    random = Random(seed)
    lines = random_modular(random)
    separator = random.choice(IN_LINE_SEPARATORS)
    comment = f"a{separator}b{random.choice(IN_LINE_SEPARATORS)}c"
    line_ends = random.choice([LINE_ENDS, *[(end,) for end in LINE_ENDS]])
    plain = "".join(f"{line}\n" for line in lines).replace("{comment}", "a_b_c")
    text = ""
    for line in lines:
        line_end = random.choice(line_ends)
        if not line and line_end == "\n" and text.endswith("\r"):
            line_end = "\r"  # both together would be one line end
        text += line + line_end
    text = text.replace("{comment}", comment)
    if random.random() < 0.3:
        text = "\ufeff" + text
    if random.random() < 0.3:
        text = text.rstrip("\r\n")

    after, output = fixed_text(root, text)
    plain_after, plain_output = fixed_text(root, plain)
    assert output == plain_output, seed
    after_as_plain = after.removeprefix("\ufeff").replace(comment, "a_b_c")
    after_as_plain = after_as_plain.replace("\r\n", "\n").replace("\r", "\n")
    assert after_as_plain.rstrip("\n") == plain_after.rstrip("\n"), seed
    assert after.startswith("\ufeff") == text.startswith("\ufeff")
    kept_lines = [line for line in text.splitlines(keepends=True) if "above" in line]
    for line in kept_lines:
        assert line in after, (seed, line)
    return after != text


def test_fifteen_random_fixes_lose_no_text(tmp_path: Path) -> None:
    changed = [fix_and_compare(tmp_path, seed) for seed in range(15)]
    assert sum(changed) > 10


@pytest.mark.slow
def test_thirty_random_fixes_lose_no_text(tmp_path: Path) -> None:
    changed = [fix_and_compare(tmp_path, seed) for seed in range(1000, 1030)]
    assert sum(changed) > 22
