"""A check is safe whatever the settings say: nothing is written, nothing is run, and the answer is an ordinary error.

In the settings, `{outside}` is a folder beside the project, with a file `typing_extensions.py` and a folder `models` in it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from modular import Options, check, convert
from modular.settings import settings as settings_module
from tests.flock import run_modular
from tests.safety.projects import make, run, state


SCHEMA = "settings.schema.json"
WIDE = "a" * 2000
CONTROL = "\\u001b[2J\\u009b2J\\u202e\\u200f\\u0007\\r\\u007f\\u2028"

OUT = "points outside the project's root"
TOO_LONG = "is too long"
UNPRINTABLE = "cannot be printed"
NO_NAME = "is not a name"
NO_MODULE = "is not a module's name"

REFUSED: dict[str, tuple[str, str]] = {
    # What is generated goes where the file type says.
    "a type with an absolute path": (
        '[tool.modular.file-types]\nXMLP = "{outside}/typing"',
        NO_NAME,
    ),
    "a type that is long": (f'[tool.modular.file-types]\nXMLP = "{WIDE}"', NO_NAME),
    "the type of the sources": (
        '[tool.modular.file-types]\nXMLP = "modular"',
        "modular files",
    ),
    "a type like another source's": (
        '[tool.modular.file-types]\nXMLP = "modular_other"',
        "modular files",
    ),
    "an ending that is no name": (
        '[tool.modular.file-types]\n"../X" = "typing"',
        NO_NAME,
    ),
    # The output folder.
    "an absolute output": ('output = "{outside}"', OUT),
    "an output with dots": ('output = "../outside"', OUT),
    "an output with backslashes": ('output = "..\\\\outside"', OUT),
    "an output on a drive": ('output = "C:outside"', OUT),
    "an output at the top of a drive": ('output = "\\\\outside"', OUT),
    "an output that is an option of ruff": (
        'output = "--output-file={outside}/typing_extensions.py"',
        "begins with `-`",
    ),
    "a deep output": (f'output = "{"a/" * 40}"', TOO_LONG),
    "a long output": (f'output = "{WIDE}"', TOO_LONG),
    # The models' folders.
    "absolute models": ('models = ["{outside}/models"]', OUT),
    "models without a name": ('models = [""]', "is not a path"),
    # The table of names.
    "an absolute table": ('model-types.files = ["/etc/passwd"]', OUT),
    "a variable that is code": ('model-types.variable = "A = 1; B"', NO_NAME),
    # What is written into generated files.
    "a package that is a path": ('package = "../../outside"', NO_MODULE),
    "a guard that is code": (
        '[tool.modular.soft-dependencies.guards]\ntorch = "f(); g"',
        NO_NAME,
    ),
    "a guarded package that is code": (
        '[tool.modular.soft-dependencies.guards]\n"a; b" = "f"',
        NO_MODULE,
    ),
    "a module of guards that is code": (
        'soft-dependencies.utils = "os import system; "',
        NO_MODULE,
    ),
    "a guarded type that is a path": (
        'soft-dependencies.file-types = ["../a"]',
        NO_NAME,
    ),
    "a copied type that is a path": (
        '[tool.modular.copied-instead-of-imported]\nmodeling = "../a"',
        NO_NAME,
    ),
    "a copying type that is a path": (
        '[tool.modular.copied-instead-of-imported]\n"../a" = "modeling"',
        NO_NAME,
    ),
    "a banner that is code": (
        'banner.text = "import os"',
        "expected only comment lines",
    ),
    "a banner with code after a line end": (
        'banner.text = "# a\\rimport os"',
        "expected only comment lines",
    ),
    "a banner that is long": (
        "banner.text = '''" + "# {path}\n" * 1200 + "'''",
        TOO_LONG,
    ),
    "a left out model that is a path": ('infer.leave-out = ["../outside"]', NO_NAME),
    "a library with a NUL": ('source-library = "a\\u0000b"', UNPRINTABLE),
    "a formatter that is a program": ('formatter = "/bin/sh"', "expected one of"),
    "a preset that is a path": ('preset = "../../outside"', "unknown preset"),
    # What would control the terminal, or a workflow, if the message showed it.
    "a key that is a command": (f'"a\\n::error::made up{CONTROL}" = 1', "unknown key"),
    "a path that clears the screen": (f'output = "{CONTROL}"', UNPRINTABLE),
    "ruff's own settings that clear the screen": (
        f'[tool.ruff]\nextend = "/{CONTROL}.toml"',
        "not followed",
    ),
    "a key of ruff that clears the screen": (
        f'[tool.ruff]\n"{CONTROL}" = 1',
        "unknown field",
    ),
    # Settings of the formatter.
    "ruff's own settings in a device": (
        '[tool.ruff]\nextend = "/dev/zero"',
        "not a settings file",
    ),
    "ruff's own settings by a variable": (
        '[tool.ruff]\nextend = "${X:-/dev/zero}"',
        "not followed",
    ),
    "ruff's own settings at home": (
        '[tool.ruff]\nextend = "~/ruff.toml"',
        "not followed",
    ),
    "ruff's own settings in a cycle": (
        '[tool.ruff]\nextend = "pyproject.toml"',
        "Circular",
    ),
    "ruff's own settings with a secret": (
        '[tool.ruff]\nextend = "../outside/secret.toml"',
        "unknown field",
    ),
    "ruff's own settings in very many files": (
        '[tool.ruff]\nextend = "../outside/0.toml"',
        "more than 20",
    ),
    # Files that are no settings, or too much for a parser.
    "no table": ("[tool]\nmodular = 1", "expected a table"),
    "no TOML": ("models = [", "pyproject.toml"),
    "no UTF-8": ('"\udcff" = 1', "utf-8"),
    "a number with many digits": ("models = " + "9" * 9_000, "digits"),
    "nested deeply": ("a = " + "[" * 4_000 + "]" * 4_000, "nested too deeply"),
    "a key with many parts": (
        "a" + ".a" * 100_000 + " = 1",
        "bytes in a line are too many",
    ),
    "a long file": ("# long\n" * 100_000, "more than 250000 bytes"),
}
"""Settings that end the command, each with a regular expression for the message, which names what is wrong."""

HARMLESS: dict[str, str] = {
    "ruff writes elsewhere": '[tool.ruff]\noutput-format = "json"\ncache-dir = "{outside}/cache"',
    "ruff's own settings outside, by an escaped key": '[tool.ruff]\n"ext\\u0065nd" = "../outside/a.toml"',
    "black is told what to do": '[tool.modular]\nformatter = "black"\n[tool.black]\nworkers = 5000\ncolor = true',
    "an output that looks like options in a file": 'output = "@generated"',
    "an output with blanks and quotes": 'output = "a b\'c"',
}
"""Settings that do what they say, and no harm."""

HOSTILE_VALUES = (
    "true",
    "-1",
    "9" * 30,
    "1e400",
    "1979-05-27",
    '""',
    '"../../x"',
    '"a\\nb"',
    '"--config=x"',
    f'"{"x" * 5000}"',
    '["../.."]',
    '[""]',
    "[[]]",
    "[{a = 1}]",
    f'["{"*/" * 12}z"]',
    '["$HOME", "~", "\\u202e"]',
    "{}",
    "{a = {b = 1}}",
    '{"../x" = "y"}',
    '{"*" = ["x"]}',
)
"""Values of each kind, one of which fits each setting."""

MODULAR = "from ..base.modeling_base import BaseXMLP\n\n\nclass ExtensionsXMLP(BaseXMLP):\n    pass\n"
FILES = {
    "project/models/base/modeling_base.py": "class BaseXMLP:\n    pass\n",
    "project/models/extensions/modular_extensions.py": MODULAR,
    "outside/typing_extensions.py": "precious = 1\n",
    "outside/models/other/modular_other.py": "class OtherModel:\n    pass\n",
    "outside/a.toml": "line-length = 88\n",
    "outside/secret.toml": 'password = "precious"\n',
    **{
        f"outside/{number}.toml": f'extend = "{number + 1}.toml"\n'
        for number in range(21)
    },
}


def setting_keys(schema: Mapping[str, Any], table: str = "") -> Iterator[str]:
    """Yield the keys of all settings of a JSON schema, and of their tables."""
    for name, value in schema.get("properties", {}).items():
        key = f"{table}{name}"
        yield key
        yield from setting_keys(value, f"{key}.")


@pytest.fixture
def around(tmp_path: Path) -> Path:
    """The folder that holds the project and what is outside of it."""
    return make(tmp_path, FILES)


def use(around: Path, settings: str) -> Options:
    text = settings if settings.startswith("[tool") else f"[tool.modular]\n{settings}"
    text = text.replace("{outside}", str(around / "outside"))
    (around / "project/pyproject.toml").write_bytes(
        text.encode(errors="surrogateescape")
    )
    return Options(root=around / "project", cache=False)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(around: Path, name: str) -> None:
    settings, message = REFUSED[name]
    use(around, settings)
    folders = (around / "project", around / "outside")
    before = state(*folders)
    for command in ("check", "convert"):
        done = run(around / "project", command, "--root", ".", "--no-cache")
        assert (done.returncode, done.stdout) == (2, "")
        assert re.match(f"error: .*{message}", done.stderr, re.DOTALL)
        assert done.stderr.replace("\n", "").isprintable()
        assert "\n::" not in done.stderr and "precious" not in done.stderr
    assert state(*folders) == before


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(around: Path, name: str) -> None:
    options = use(around, HARMLESS[name])
    before, outside = state(around), state(around / "outside")
    report = check(options=options)
    assert [file.status.value for file in report.files] == ["missing"]
    assert report.diagnostics == ()
    assert state(around) == before
    assert [file.status.value for file in convert(options=options).files] == ["written"]
    assert state(around / "outside") == outside


@pytest.mark.slow
def test_every_setting_may_have_any_value(around: Path) -> None:
    """The keys come from the schema, so that this test knows each new setting."""
    schema = json.loads(Path(settings_module.__file__).with_name(SCHEMA).read_text())
    outside = state(around / "outside")
    keys = [*setting_keys(schema)]
    assert "tool.modular.models" in keys
    for key in keys:
        for value in HOSTILE_VALUES:
            (around / "project/pyproject.toml").write_text(f"{key} = {value}\n")
            # It raises what is not an ordinary error.
            done = run_modular("convert", cwd=around / "project")
            assert done.returncode in (0, 1, 2), (key, value)
            assert "internal error" not in done.stdout + done.stderr, (key, value)
    assert state(around / "outside") == outside
