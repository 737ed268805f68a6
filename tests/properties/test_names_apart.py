"""Names mean the same in a generated file as in the file of their code.

Random models use names for different things in their files. Their methods return what
Python's inheritance returns, or a finding says where not. If each file spells its names
in a way of its own, nothing is refused.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from modular import Options
from modular.run import api
from tests.properties.apart_files import spell_apart, without_tags
from tests.properties.random_names import (
    NamedModel,
    methods,
    random_named_model,
)
from tests.support import Converted, convert, write_project


QUICK_MODELS = 60
SLOW_MODELS = 100
MODELS_PER_TEST = 100
MAX_REFUSED_APART = 0.02
OWN_SETTINGS = """
[tool.modular]
models = ["models"]
package = "models"
output = "generated"
inheritance = "transformers"
formatter = "none"

[tool.modular.soft-dependencies]
utils = "transformers.utils"
"""
_MODEL_IMPORT = re.compile(r"^from \.\..*\n", re.MULTILINE)


def test_names_of_our_own_models_mean_the_same_if_each_file_spells_them_apart(
    tmp_path: Path,
) -> None:
    root = Path(__file__).parents[2]
    texts = {}
    for file in sorted((root / "models").rglob("*.py")):
        texts[file.relative_to(root).as_posix()] = file.read_text(encoding="utf-8")
    apart = spell_apart(texts)
    assert sum(text != texts[path] for path, text in apart.items()) >= 3
    settings = {"pyproject.toml": OWN_SETTINGS}
    generated = []
    for name, project in (("together", texts), ("apart", apart)):
        write_project(tmp_path / name, {**settings, **project})
        report = api.convert(options=Options(root=tmp_path / name, jobs=1))
        assert [finding for finding in report.diagnostics if finding.is_error] == []
        files = sorted((tmp_path / name / "generated").rglob("*.py"))
        generated.append({file.name: without_tags(file.read_text()) for file in files})
    assert len(generated[0]) >= 15
    assert generated[0] == generated[1]


def run_like_python(model: NamedModel) -> dict[str, Any]:
    """Run the files as Python imports them, and return the names of the modular file."""
    *parents, modular = model.files().values()
    names: dict[str, Any] = {}
    for text in parents:
        parent: dict[str, Any] = {}
        exec(text, parent)
        names.update({key: value for key, value in parent.items() if key[0] in "FP"})
    exec(_MODEL_IMPORT.sub("", modular), names)
    return names


def results(names: dict[str, Any], number: int) -> list[str]:
    """Call all methods, and return the results or errors."""
    found = []
    for class_name, method in methods(number):
        try:
            found.append(repr(getattr(names[class_name](), method)()))
        except Exception as error:
            found.append(repr(error))
    return found


def said_about(model: NamedModel, report: Converted) -> list[str]:
    """Return the warnings and errors about a model."""
    return [
        diagnostic.message
        for diagnostic in report.diagnostics
        if model.letters in diagnostic.place.path
        and diagnostic.severity.value != "info"
        and diagnostic.code.id not in ("MOD405", "MOD451", "MOD453")
    ]


def compare(
    root: Path, models: Sequence[NamedModel], inheritance: str
) -> tuple[list[int], int]:
    """Return the models that differ in silence, and how many have a finding."""
    settings = f'[tool.modular]\nmodels = ["models"]\ninheritance = "{inheritance}"\n'
    files = {"pyproject.toml": settings}
    for model in models:
        files.update(model.files())
    report = convert(root, files)
    silent = []
    said = 0
    for model in models:
        if said_about(model, report):
            said += 1
            continue
        name = f"moss{model.letters}"
        text = report.files[f"models/{name}/modeling_{name}.py"]
        names: dict[str, Any] = {}
        try:
            exec(text, names)
        except Exception:
            silent.append(model.number)
            continue
        expected = results(run_like_python(model), model.number)
        if results(names, model.number) != expected:
            silent.append(model.number)
    return silent, said


def check(root: Path, numbers: range, inheritance: str) -> None:
    """Check that no model of some numbers differs in silence."""
    models = [random_named_model(number) for number in numbers]
    silent, said = compare(root / "together", models, inheritance)
    assert silent == []
    assert said
    models = [random_named_model(number, is_apart=True) for number in numbers]
    silent, said = compare(root / "apart", models, inheritance)
    assert silent == []
    if inheritance == "python":
        assert said <= MAX_REFUSED_APART * len(models)


@pytest.mark.parametrize("inheritance", ["python", "transformers"])
def test_names_mean_the_same_or_a_finding_says_where_not(
    tmp_path: Path, inheritance: str
) -> None:
    check(tmp_path, range(QUICK_MODELS), inheritance)


@pytest.mark.slow
@pytest.mark.parametrize("inheritance", ["python", "transformers"])
@pytest.mark.parametrize("start", range(0, SLOW_MODELS, MODELS_PER_TEST))
def test_many_names_mean_the_same_or_a_finding_says_where_not(
    tmp_path: Path, start: int, inheritance: str
) -> None:
    check(tmp_path, range(start, start + MODELS_PER_TEST), inheritance)
