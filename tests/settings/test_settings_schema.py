"""The JSON Schema of the settings agrees with the code that reads them."""

import json
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from modular.settings.settings import SettingsError, from_document
from tests.docs.markdown import blocks


SCHEMA = json.loads(
    (files("modular.settings") / "settings.schema.json").read_text(encoding="utf-8")
)

TABLES = [
    ("[tool.modular]\n", True),
    ('[tool.other]\nkey = "value"\n', True),
    ('[tool.modular]\npreset = "hub"\n', True),
    ('[tool.modular]\npreset = "nothing"\n', False),
    ('[tool.modular]\nformatter = "none"\n', True),
    ('[tool.modular]\nformatter = "yapf"\n', False),
    ('[tool.modular]\noutputs = "made"\n', False),
    ('[tool.modular]\nmodels = "models"\n', False),
    ("[tool.modular]\nmodels = [1]\n", False),
    ('[tool.modular]\nmerge-docstrings = "yes"\n', False),
    ('[tool.modular]\nmodels = ["m"]\npackage = { m = "a.b" }\n', True),
    ('[tool.modular.package]\n"models" = 1\n', False),
    ('[tool.modular.lint]\nerror = ["MOD4"]\n', True),
    ('[tool.modular.lint]\nerrors = ["MOD4"]\n', False),
    ('[tool.modular.lint.per-file-ignores]\n"*.py" = ["MOD4"]\n', True),
    ('[tool.modular.lint.per-file-ignores]\n"*.py" = "MOD4"\n', False),
    ('[tool.modular.file-types]\nAdapter = "adapting"\n', True),
    ("[tool.modular.file-types]\nAdapter = true\n", False),
    ('[tool.modular.soft-dependencies]\nguard = "x"\n', False),
    ('[tool]\nmodular = "yes"\n', False),
]


@pytest.mark.parametrize(("text", "is_valid"), TABLES)
def test_the_schema_accepts_what_the_settings_accept(text: str, is_valid: bool) -> None:
    document = tomllib.loads(text)
    validator = jsonschema.Draft7Validator(SCHEMA)
    assert validator.is_valid(document) is is_valid
    if is_valid:
        from_document(document)
    else:
        with pytest.raises(SettingsError):
            from_document(document)


def test_taplo_reads_the_schema_as_the_page_says(tmp_path: Path) -> None:
    (rule,) = [
        block.text
        for block in blocks("docs/editors.md", "toml")
        if "[[rule]]" in block.text
    ]
    schema_address = SCHEMA["$id"]
    assert schema_address in rule
    schema = Path(str(files("modular.settings") / "settings.schema.json"))
    local_rule = rule.replace(schema_address, schema.as_uri())
    (tmp_path / ".taplo.toml").write_text(local_rule, encoding="utf-8")
    settings = tmp_path / "pyproject.toml"
    command = [str(Path(sys.executable).with_name("taplo")), "lint"]

    settings.write_text('[project]\nname = "x"\n[tool.modular]\noutput = "made"\n')
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    settings.write_text('[tool.modular]\noutputs = "made"\n')
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "'outputs' was unexpected" in done.stderr
