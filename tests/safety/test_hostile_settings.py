"""A check is safe whatever the settings say: nothing is written, nothing is run, and the answer is an ordinary error."""

from pathlib import Path

import pytest

from modular import Options, Report, check, convert
from modular.rules.settings import SettingsError
from modular.source.system.ruff import FormatterError
from tests.safety.hostile_settings import HARMLESS, REFUSED, whole
from tests.safety.projects import make
from tests.safety.traces import state


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
    text = whole(settings).replace("{outside}", str(around / "outside"))
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
