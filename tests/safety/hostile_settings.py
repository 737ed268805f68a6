"""Settings that a project would have if it meant harm, each with what is said to it.

The words are a regular expression for the message of the error, or the codes of the diagnostics of a check. `{outside}` is
a folder beside the project, with a file `typing_extensions.py` and a folder `models` in it.
"""

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
    "a type with dots": ('[tool.modular.file-types]\nXMLP = "../../../outside/typing"', NO_NAME),
    "a type with a folder": ('[tool.modular.file-types]\nXMLP = "base/modeling"', NO_NAME),
    "a type with a backslash": ('[tool.modular.file-types]\nXMLP = "..\\\\..\\\\outside\\\\typing"', NO_NAME),
    "a type with a drive": ('[tool.modular.file-types]\nXMLP = "C:typing"', NO_NAME),
    "a type that is an option": ('[tool.modular.file-types]\nXMLP = "--config"', NO_NAME),
    "a type with a NUL": ('[tool.modular.file-types]\nXMLP = "a\\u0000b"', NO_NAME),
    "a type with a new line": ('[tool.modular.file-types]\nXMLP = "a\\nb"', NO_NAME),
    "a type that is long": (f'[tool.modular.file-types]\nXMLP = "{WIDE}"', NO_NAME),
    "the type of the sources": ('[tool.modular.file-types]\nXMLP = "modular"', "modular files"),
    "a type like another source's": ('[tool.modular.file-types]\nXMLP = "modular_other"', "modular files"),
    "an ending that is no name": ('[tool.modular.file-types]\n"../X" = "typing"', NO_NAME),
    # The output folder.
    "an absolute output": ('output = "{outside}"', OUT),
    "an output with dots": ('output = "../outside"', OUT),
    "an output with dots behind a folder": ('output = "models/../../outside"', OUT),
    "an output that is dots": ('output = ".."', OUT),
    "an output with backslashes": ('output = "..\\\\outside"', OUT),
    "an output on a drive": ('output = "C:/outside"', OUT),
    "an output on a server": ('output = "//server/share"', OUT),
    "an output that is an option of ruff": ('output = "--output-file={outside}/typing_extensions.py"', OPTION),
    "an output that is a dash": ('output = "-"', OPTION),
    "an output with an option in it": ('output = "generated/--fix"', OPTION),
    "a deep output": (f'output = "{LONG}"', TOO_LONG),
    "a deep output that is not long": (f'output = "{"a/" * 400}"', TOO_LONG),
    "a long output": (f'output = "{WIDE}"', TOO_LONG),
    "an output with a NUL": ('output = "a\\u0000b"', UNPRINTABLE),
    "an output with a new line": ('output = "a\\n::error::b"', UNPRINTABLE),
    "an output with an escape sequence": ('output = "\\u001b]0;title\\u0007"', UNPRINTABLE),
    "an output with a direction": ('output = "gen\\u202Eerated"', UNPRINTABLE),
    "an output that is a number": ("output = 1", "expected a string"),
    # The models' folders.
    "absolute models": ('models = ["{outside}/models"]', OUT),
    "models with dots": ('models = ["../outside/models"]', OUT),
    "models on a drive": ('models = ["C:models"]', OUT),
    "models with a NUL": ('models = ["mod\\u0000els"]', UNPRINTABLE),
    "models without a name": ('models = [""]', "is not a path"),
    "models that are a string": ('models = "models"', "expected a list"),
    "models in models": ('models = [["models"]]', "expected a list"),
    # The table of names.
    "an absolute table": ('model-types.files = ["/etc/passwd"]', OUT),
    "a table with dots": ('model-types.files = ["../../outside/typing_extensions.py"]', OUT),
    "a table that is a device": ('model-types.files = ["/dev/zero"]', OUT),
    "a variable that is code": ('model-types.variable = "A = 1; B"', NO_NAME),
    "a variable that is empty": ('model-types.variable = ""', NO_NAME),
    # What is written into generated files.
    "a package that is a path": ('package = "../../outside"', NO_MODULE),
    "a package with a NUL": ('package = "a\\u0000.models"', UNPRINTABLE),
    "a guard that is code": ('[tool.modular.soft-dependencies.guards]\ntorch = "f(); g"', NO_NAME),
    "a guarded package that is code": ('[tool.modular.soft-dependencies.guards]\n"a; b" = "f"', NO_MODULE),
    "a module of guards that is code": ('soft-dependencies.utils = "os import system; "', NO_MODULE),
    "a guarded type that is a path": ('soft-dependencies.file-types = ["../a"]', NO_NAME),
    "a copied type that is a path": ('[tool.modular.copied-instead-of-imported]\nmodeling = "../a"', NO_NAME),
    "a copying type that is a path": ('[tool.modular.copied-instead-of-imported]\n"../a" = "modeling"', NO_NAME),
    "a banner that is code": ('banner.text = "import os"', "expected comments"),
    "a banner with code behind a form feed": ('banner.text = "# a\\fimport os"', "expected comments"),
    "a banner with code behind a line end": ('banner.text = "# a\\rimport os"', "expected comments"),
    "a banner that is long": ("banner.text = '''" + "# {path}\n" * 1200 + "'''", TOO_LONG),
    # Models that are left out.
    "a model that is a path": ('infer.leave-out = ["../outside"]', NO_NAME),
    "a model that is long": (f'infer.leave-out = ["{WIDE}"]', NO_NAME),
    "a model that is no list": ('infer.leave-out = "llama"', "expected a list"),
    # All the rest.
    "a library with a NUL": ('source-library = "a\\u0000b"', UNPRINTABLE),
    "a name with a direction": ('keep-names = ["a\\u202Eb"]', UNPRINTABLE),
    "a formatter that is a program": ('formatter = "/bin/sh"', "expected one of"),
    "a preset that is a path": ('preset = "../../outside"', "no preset"),
    "an unknown key with an escape sequence": ('"\\u001b[2J" = 1', "unknown key"),
    # Settings of the formatter.
    "ruff's own settings in a device": ('[tool.ruff]\nextend = "/dev/zero"', "not a settings file"),
    "ruff's own settings in a secret": ('[tool.ruff]\nextend = "/proc/self/environ"', "not a settings file"),
    "ruff's own settings by a variable": ('[tool.ruff]\nextend = "${X:-/dev/zero}"', "not followed"),
    "ruff's own settings at home": ('[tool.ruff]\nextend = "~/ruff.toml"', "not followed"),
    "ruff's own settings by a quoted key": ('[tool.ruff]\n"extend" = "/dev/zero"', "not a settings file"),
    "ruff's own settings in one line": ('[tool]\nruff = { extend = "/dev/zero" }', "not a settings file"),
    "ruff's own settings in a circle": ('[tool.ruff]\nextend = "pyproject.toml"', "Circular"),
}
"""Settings that end the command: the message names what is wrong."""

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


def whole(settings: str) -> str:
    """Return settings with the table that they are in."""
    return settings if settings.startswith("[tool") else f"[tool.modular]\n{settings}"
