"""The corpus: the installed transformers package as a project of its own, made of its files and never imported."""

import re
import shutil
from importlib.metadata import distribution
from pathlib import Path


RELEASE = "5.23.0"
"""The release of transformers whose files are the corpus: 326 modular files, 667 files generated from them."""

MODELS = "src/transformers/models"
"""The folder of the models in the project."""

# The formatting settings of that release, as a project's own.
_PYPROJECT = """\
[tool.ruff]
target-version = "py311"
line-length = 119

[tool.ruff.lint]
preview = true
explicit-preview-rules = true
select = ["E", "F", "I", "W", "UP", "FURB", "SIM", "S110", "C4", "C901", "RUF013", "PERF102", "PLC1802", "PLC0208", "PIE794", "PLW1514"]
ignore = ["E501", "E741", "SIM1", "SIM905", "UP015", "UP031"]
extend-safe-fixes = ["UP006"]
external = ["NC"]

[tool.ruff.lint.per-file-ignores]
"__init__.py" = ["E402", "F401", "F403", "F811"]

[tool.ruff.lint.isort]
lines-after-imports = 2
known-first-party = ["transformers"]

[tool.ruff.format]
quote-style = "double"
indent-style = "space"
skip-magic-trailing-comma = false
line-ending = "auto"
"""


_VARIABLES = re.compile(
    r"\b(hidden_state|hidden_siz|attention_mas|num_layer|pixel_value|input_id)[a-z]\b"
)
"""Names that most classes use. A copy of the corpus has a digit for their last letter."""


def installed() -> Path:
    """Return the folder of the installed package. Raises LookupError if it is another release."""
    wheel = distribution("transformers")
    if wheel.version != RELEASE:
        raise LookupError(
            f"transformers {RELEASE} is needed, {wheel.version} is installed"
        )
    return Path(str(wheel.locate_file("transformers")))


def make_project(folder: Path, package: Path | None = None) -> Path:
    """Make the corpus a project in an empty folder (`src/transformers` and a `pyproject.toml`) and return the folder.

    ``package`` is the folder of another release of the package.
    """
    source, target = package or installed(), folder / "src" / "transformers"
    for path in sorted(source.rglob("*.py")):
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    (folder / "pyproject.toml").write_text(_PYPROJECT, encoding="utf-8")
    return folder


def make_copies(folder: Path, number: int) -> Path:
    """Make the corpus several times the models of one project, and return its folder.

    The first package is the corpus. The variables of the others have other names, so that
    their classes and functions are not those of the first.

    Args:
        folder: An empty folder.
        number: How many packages the project has.
    """
    make_project(folder)
    first = folder / "src" / "transformers"
    packages = ["transformers"]
    for copy in range(2, number + 1):
        packages.append(f"transformers{copy}")
        for path in sorted(first.rglob("*.py")):
            target = first.with_name(packages[-1]) / path.relative_to(first)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = _VARIABLES.sub(rf"\g<1>{copy}", path.read_text(encoding="utf-8"))
            text = text.replace("src/transformers/", f"src/{packages[-1]}/")
            target.write_text(text, encoding="utf-8")
    settings = ["[tool.modular]", 'preset = "transformers"']
    settings.append(f"models = {[f'src/{name}/models' for name in packages]}")
    settings.append("[tool.modular.package]")
    settings += [f'"src/{name}/models" = "{name}.models"' for name in packages]
    with (folder / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write("\n" + "\n".join(settings) + "\n")
    return folder
