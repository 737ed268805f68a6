"""Inference in a library with one file for each model, whose classes share names."""

from tests.flock import run_modular
from tests.support import source, write_project


SETTINGS = """
    [tool.modular]
    models = ["lib/models"]
    package = "lib.models"
    file-names = "{model}.py"
    model-imports = "keep"
    ordinary-imports = ["base"]
    """

PAPA = '''
    """The model of Papa."""

    from .base import Module


    class Attention(Module):
        def __init__(self, size):
            super().__init__()
            self.size = size
            self.half = size // 2

        def forward(self, x):
            x = x + self.size
            return x * self.half


    class Model(Module):
        def __init__(self, size):
            super().__init__()
            self.attention = Attention(size)

        def forward(self, x):
            x = self.attention.forward(x)
            return x

        def layers(self):
            return [self.attention]
    '''

BASE = "class Module:\n    pass\n"


def infer(report, acme: str, others: dict[str, str] = {}, settings: str = SETTINGS):
    """Return what is inferred for the model `acme`."""
    files = {
        "pyproject.toml": settings,
        "lib/models/base.py": BASE,
        "lib/models/papa.py": PAPA,
        "lib/models/acme.py": acme,
        **others,
    }
    answer = report(files, "acme")
    assert not answer.diagnostics
    (only,) = answer.inferences
    return only


def test_a_class_of_the_same_name_is_inherited_under_the_name_of_its_model(report):
    acme = PAPA.replace("Papa", "Acme").replace("return [self", "return (1,) + [self")
    inference = infer(report, acme)
    assert inference.text == source('''
        """The model of Acme."""

        from .papa import Model as PapaModel


        class Model(PapaModel):
            def layers(self):
                return (1,) + [self.attention]
        ''')
    assert inference.proof.value == "identical"


def test_imports_from_other_models_are_kept(report):
    acme = source(PAPA).replace(
        "from .base import Module\n",
        "from .base import Module\nfrom .tango import Tango\nfrom .tango import turn as rotate\n",
    )
    acme += (
        "\n\nclass Other(Tango):\n    def forward(self, x):\n        return rotate(x)\n"
    )
    tango = "class Tango:\n    pass\n\n\ndef turn(x):\n    return x\n"
    inference = infer(report, acme, {"lib/models/tango.py": tango})
    assert inference.proof.value == "identical"
    assert "from .tango import Tango\n" in inference.text
    assert "from .tango import turn as rotate\n" in inference.text
    assert "class Other(Tango):  # modular: keep\n" in inference.text


def test_code_that_no_class_uses_is_generated(report):
    acme = (
        source(PAPA)
        + "\n\nLAYERS = {1: Model}\n\nTOKENS = ['a']\n\nEntryClass = Model\n"
    )
    inference = infer(report, acme.replace("'", '"'))
    assert inference.proof.value == "identical"
    assert 'TOKENS = ["a"]\n' in inference.text
    assert "EntryClass = Model\n" in inference.text


def test_a_model_that_inherits_nothing_gets_no_modular_file(report):
    acme = """
        from .base import (
            Module
        )


        class Other(Module):
            def run(self, x):
                return [x] * 3
        """
    inference = infer(report, acme)
    assert inference.text == ""
    assert [skipped.reason for skipped in inference.by_hand] == [
        "no other model has code that it could inherit"
    ]


def test_an_import_from_another_model_that_is_not_kept_is_the_reason(report):
    acme = source(PAPA).replace(
        "from .base import Module\n",
        "from .base import Module\nfrom .tango import turn as rotate\n",
    )
    acme += "\n\nclass Other:\n    def forward(self, x):\n        return rotate(x)\n"
    tango = {"lib/models/tango.py": "def turn(x):\n    return x\n"}
    inlined = SETTINGS.replace('"keep"', '"inline"')
    inference = infer(report, acme, tango, inlined)
    assert inference.text == ""
    assert [skipped.reason for skipped in inference.by_hand] == [
        "`rotate` is imported from another model: such imports stay with the setting "
        '`model-imports = "keep"`'
    ]


def test_a_guard_stays_below_the_flag_that_it_reads(report):
    flag = (
        '\n\nHAS_TURN = len("abc") > 2\n\n\nif HAS_TURN:\n'
        "    from math import sin as turn\nelse:\n    from math import cos as turn\n"
    )
    acme = source(PAPA).replace("import Module\n", f"import Module\n{flag}")
    inference = infer(report, acme.replace("return [self", "return [turn(1), self"))
    assert inference.proof.value == "identical"
    assert "class Attention" not in inference.text
    assert inference.text.index("HAS_TURN =") < inference.text.index("if HAS_TURN")


def test_an_import_of_the_same_module_may_be_written_otherwise(report):
    acme = source(PAPA).replace("from .base", "from lib.models.base")
    inference = infer(report, acme.replace("return [self", "return (1,) + [self"))
    assert "class Model(PapaModel):" in inference.text
    assert inference.proof.value == "reordered"


def test_models_that_cannot_inherit_are_grouped_by_reason(tmp_path):
    files = {"pyproject.toml": SETTINGS, "lib/models/base.py": BASE}
    for name in ("papa", "oscar", "kilo"):
        text = (
            f"from .base import Module\n\n\nclass {name.title()}(Module):\n    x = 1\n"
        )
        files[f"lib/models/{name}.py"] = text
    write_project(tmp_path, {path: source(text) for path, text in files.items()})
    done = run_modular("infer", "lib/models", cwd=tmp_path)
    group = "no other model has code that it could inherit"
    assert f"3 models (kilo, oscar, papa): {group}" in done.stderr
    done = run_modular("infer", "lib/models", "--verbose", cwd=tmp_path)
    assert done.stderr.count("stays hand-written") == 3


def test_an_import_that_no_code_uses_is_dropped_where_ruff_does_not_format(report):
    acme = (
        source(PAPA)
        .replace("Papa", "Acme")
        .replace("import Module", "import Module, Old")
    )
    settings = SETTINGS + '    formatter = "none"\n'
    base = {"lib/models/base.py": f"{BASE}\n\nclass Old:\n    pass\n"}
    inference = infer(report, acme, base, settings)
    assert "class Model(PapaModel):" in inference.text
    user = {"lib/models/user.py": "from .acme import Old\n"}
    inference = infer(report, acme, {**base, **user}, settings)
    assert inference.text == ""


def test_files_that_are_not_formatted_are_replaced_only_by_force(report):
    acme = source(PAPA).replace("Papa", "Acme").replace("size // 2", "size//2")
    inference = infer(report, acme)
    assert inference.proof.value == "identical"
    assert not inference.equals_files_on_disk
