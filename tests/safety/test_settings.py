"""A check is safe whatever the settings say: nothing is written, nothing is run, and the answer is an ordinary error.

In the settings, `{outside}` is a folder beside the project, with a file `typing_extensions.py` and a folder `models` in it.
"""

from pathlib import Path

import pytest

from modular import Options, Report, check, convert
from modular.rules.settings import SettingsError
from modular.source.system.ruff import FormatterError
from tests.safety.projects import make, state


LONG = "a/" * 2000
WIDE = "a" * 2000

OUT = "leads out of the project's root"
OPTION = "begins with `-`"
TOO_LONG = "is too long"
UNPRINTABLE = "cannot be printed"
NO_NAME = "is not a name"
NO_MODULE = "is not a module's name"

REFUSED: dict[str, tuple[str, str]] = {
    # What is generated goes where the file type says.
    "a type with an absolute path": ('[tool.modular.file-types]\nXMLP = "{outside}/typing"', NO_NAME),
    "a type with a folder": ('[tool.modular.file-types]\nXMLP = "base/modeling"', NO_NAME),
    "a type that is an option": ('[tool.modular.file-types]\nXMLP = "--config"', NO_NAME),
    "a type with a new line": ('[tool.modular.file-types]\nXMLP = "a\\nb"', NO_NAME),
    "a type that is long": (f'[tool.modular.file-types]\nXMLP = "{WIDE}"', NO_NAME),
    "the type of the sources": ('[tool.modular.file-types]\nXMLP = "modular"', "modular files"),
    "a type like another source's": ('[tool.modular.file-types]\nXMLP = "modular_other"', "modular files"),
    "an ending that is no name": ('[tool.modular.file-types]\n"../X" = "typing"', NO_NAME),
    # The output folder.
    "an absolute output": ('output = "{outside}"', OUT),
    "an output with dots": ('output = "../outside"', OUT),
    "an output with backslashes": ('output = "..\\\\outside"', OUT),
    "an output on a drive": ('output = "C:/outside"', OUT),
    "an output on a server": ('output = "//server/share"', OUT),
    "an output that is an option of ruff": ('output = "--output-file={outside}/typing_extensions.py"', OPTION),
    "an output with an option in it": ('output = "generated/--fix"', OPTION),
    "a deep output": (f'output = "{LONG}"', TOO_LONG),
    "a long output": (f'output = "{WIDE}"', TOO_LONG),
    "an output with a NUL": ('output = "a\\u0000b"', UNPRINTABLE),
    "an output with an escape sequence": ('output = "\\u001b]0;title\\u0007"', UNPRINTABLE),
    "an output with a direction": ('output = "gen\\u202Eerated"', UNPRINTABLE),
    "an output that is a number": ("output = 1", "expected a string"),
    # The models' folders.
    "absolute models": ('models = ["{outside}/models"]', OUT),
    "models with dots": ('models = ["../outside/models"]', OUT),
    "models with a NUL": ('models = ["mod\\u0000els"]', UNPRINTABLE),
    "models without a name": ('models = [""]', "is not a path"),
    "models that are a string": ('models = "models"', "expected a list"),
    # The table of names.
    "an absolute table": ('model-types.files = ["/etc/passwd"]', OUT),
    "a table that is a device": ('model-types.files = ["/dev/zero"]', OUT),
    "a variable that is code": ('model-types.variable = "A = 1; B"', NO_NAME),
    # What is written into generated files.
    "a package that is a path": ('package = "../../outside"', NO_MODULE),
    "a package with a NUL": ('package = "a\\u0000.models"', UNPRINTABLE),
    "a guard that is code": ('[tool.modular.soft-dependencies.guards]\ntorch = "f(); g"', NO_NAME),
    "a guarded package that is code": ('[tool.modular.soft-dependencies.guards]\n"a; b" = "f"', NO_MODULE),
    "a module of guards that is code": ('soft-dependencies.utils = "os import system; "', NO_MODULE),
    "a guarded type that is a path": ('soft-dependencies.file-types = ["../a"]', NO_NAME),
    "a copied type that is a path": ('[tool.modular.copied-instead-of-imported]\nmodeling = "../a"', NO_NAME),
    "a banner that is code": ('banner.text = "import os"', "expected comments"),
    "a banner with code behind a form feed": ('banner.text = "# a\\fimport os"', "expected comments"),
    "a banner with code behind a line end": ('banner.text = "# a\\rimport os"', "expected comments"),
    "a banner that is long": ("banner.text = '''" + "# {path}\n" * 1200 + "'''", TOO_LONG),
    # Models that are left out.
    "a model that is a path": ('infer.leave-out = ["../outside"]', NO_NAME),
    "a model that is no list": ('infer.leave-out = "llama"', "expected a list"),
    # All the rest.
    "a library with a NUL": ('source-library = "a\\u0000b"', UNPRINTABLE),
    "a formatter that is a program": ('formatter = "/bin/sh"', "expected one of"),
    "a preset that is a path": ('preset = "../../outside"', "no preset"),
    "an unknown key with an escape sequence": ('"\\u001b[2J" = 1', "unknown key"),
    # Settings of the formatter.
    "ruff's own settings in a device": ('[tool.ruff]\nextend = "/dev/zero"', "not a settings file"),
    "ruff's own settings by a variable": ('[tool.ruff]\nextend = "${X:-/dev/zero}"', "not followed"),
    "ruff's own settings at home": ('[tool.ruff]\nextend = "~/ruff.toml"', "not followed"),
    "ruff's own settings by a quoted key": ('[tool.ruff]\n"extend" = "/dev/zero"', "not a settings file"),
    "ruff's own settings in one line": ('[tool]\nruff = { extend = "/dev/zero" }', "not a settings file"),
    "ruff's own settings in a circle": ('[tool.ruff]\nextend = "pyproject.toml"', "Circular"),
}
"""Settings that end the command, each with a regular expression for the message, which names what is wrong."""

HARMLESS: dict[str, str] = {
    "ruff writes elsewhere": '[tool.ruff]\noutput-format = "json"\ncache-dir = "{outside}/cache"',
    "ruff's own settings outside, by an escaped key": '[tool.ruff]\n"ext\\u0065nd" = "../outside/a.toml"',
    "ruff looks elsewhere": '[tool.ruff]\nsrc = ["{outside}", "/"]',
    "black is told what to do": '[tool.modular]\nformatter = "black"\n[tool.black]\nworkers = 5000\ncolor = true',
    "a library outside": 'source-library = "{outside}"',
    "models twice": 'models = ["models", "./models", "models/"]',
    "an output that looks like options in a file": 'output = "@generated"',
    "an output with blanks and quotes": 'output = "a b\'c"',
    "types with names of Python": '[tool.modular.file-types]\nXMLP = "import"',
}
"""Settings that do what they say, and no harm."""

MODULAR = "from ..base.modeling_base import BaseXMLP\n\n\nclass ExtensionsXMLP(BaseXMLP):\n    pass\n"
FILES = {
    "project/models/base/modeling_base.py": "class BaseXMLP:\n    pass\n",
    "project/models/extensions/modular_extensions.py": MODULAR,
    "outside/typing_extensions.py": "precious = 1\n",
    "outside/models/other/modular_other.py": "class OtherModel:\n    pass\n",
    "outside/a.toml": "line-length = 88\n",
}


@pytest.fixture
def around(tmp_path: Path) -> Path:
    """The folder that holds the project and what is outside of it."""
    return make(tmp_path, FILES)


def use(around: Path, settings: str) -> Options:
    text = settings if settings.startswith("[tool") else f"[tool.modular]\n{settings}"
    text = text.replace("{outside}", str(around / "outside"))
    (around / "project/pyproject.toml").write_text(text, encoding="utf-8")
    return Options(root=around / "project", cache=False)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(around: Path, name: str) -> None:
    settings, message = REFUSED[name]
    options = use(around, settings)
    before = state(around)
    with pytest.raises((SettingsError, FormatterError), match=message):
        check(options=options)
    with pytest.raises((SettingsError, FormatterError), match=message):
        convert(options=options)
    assert state(around) == before


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(around: Path, name: str) -> None:
    options = use(around, HARMLESS[name])
    before, outside = state(around), state(around / "outside")
    report: Report = check(options=options)
    assert [file.status.value for file in report.files] == ["missing"]
    assert report.diagnostics == ()
    assert state(around) == before
    assert [file.status.value for file in convert(options=options).files] == ["written"]
    assert state(around / "outside") == outside
