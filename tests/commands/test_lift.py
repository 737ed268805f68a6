"""`modular lift`: edits of generated files move into the modular file or the parent."""

import os
from pathlib import Path

import pytest

from modular.infer import lift as lift_module
from modular.infer import lift_targets
from modular.infer.edited_parts import EditedPart
from modular.infer.lift_proof import LiftState
from modular.infer.lifter import Lifter
from modular.run.options import Options
from modular.run.output_record import OutputRecord
from modular.source.diagnostics import Diagnostic, Place, Problem
from tests.flock import run_modular
from tests.repository import commit, make
from tests.support import source, write_project


PARENT = source("""
    from torch import nn


    class EagleWing(nn.Module):
        span = 2

        def __init__(self, config):
            super().__init__()
            self.size = config.size
            self.bone = config.bone

        def beat(self, x):
            x = x + self.size
            return x

        def rest(self):
            return None


    def glide(x):
        return x


    class EagleModel(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.wing = EagleWing(config)

        def fly(self, x):
            return glide(self.wing.beat(x))
    """)

MODULAR = source("""
    # A bird of the night.
    from ..eagle.modeling_eagle import EagleModel, EagleWing


    class OwlWing(EagleWing):
        # Owls rest by day.
        def rest(self):
            return "day"


    class OwlModel(EagleModel):
        pass
    """)

GENERATED = "models/owl/modeling_owl.py"
MODULAR_PATH = "models/owl/modular_owl.py"


@pytest.fixture(params=["transformers", "python"])
def owl(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A converted project with one parent and one child, for both kinds of inheritance."""
    settings = f'[tool.modular]\nmodels = ["models"]\ninheritance = "{request.param}"\n'
    files = {
        "pyproject.toml": settings,
        "models/eagle/modeling_eagle.py": PARENT,
        MODULAR_PATH: MODULAR,
    }
    write_project(tmp_path, files)
    assert run_modular("convert", cwd=tmp_path).returncode == 0
    return tmp_path


def edit(root: Path, old: str, new: str, path: str = GENERATED) -> str:
    """Replace a text in a file, and return the new text of the file."""
    file = root / path
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    return file.read_text()


def lifted(root: Path, edited: str) -> str:
    """Lift, check that the model generates the edited file, and return the added lines."""
    done = run_modular("lift", "owl", cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert run_modular("check", cwd=root).returncode == 0
    assert (root / GENERATED).read_text() == edited
    old_lines = MODULAR.split("\n")
    new_lines = (root / MODULAR_PATH).read_text().split("\n")
    return "\n".join(line for line in new_lines if line and line not in old_lines)


def test_a_target_that_does_not_exist_is_an_error(owl: Path) -> None:
    done = run_modular("lift", "oowl", cwd=owl)
    assert "error[MOD103]" in done.stderr
    assert done.returncode == 2


def test_an_edit_of_an_own_line_is_made_in_the_modular_file(owl: Path) -> None:
    edited = edit(owl, '"day"', '"noon"')
    assert lifted(owl, edited) == '        return "noon"'
    assert "# Owls rest by day." in (owl / MODULAR_PATH).read_text()


def test_a_changed_inherited_method_is_an_override(owl: Path) -> None:
    edited = edit(owl, "x = x + self.size", "x = x - self.size")
    added = lifted(owl, edited)
    assert added == (
        "    def beat(self, x):\n        x = x - self.size\n        return x"
    )


def test_a_line_that_is_added_at_the_end_of_init_follows_a_super_call(
    owl: Path,
) -> None:
    edited = edit(
        owl,
        "self.bone = config.bone\n",
        "self.bone = config.bone\n        self.eye = 3\n",
    )
    assert lifted(owl, edited) == (
        "    def __init__(self, config):\n"
        "        super().__init__(config)\n"
        "        self.eye = 3"
    )


def test_a_changed_attribute_is_an_attribute(owl: Path) -> None:
    edited = edit(owl, "    span = 2", "    span = 3")
    assert lifted(owl, edited) == "    span = 3"


def test_a_removed_method_is_removed_and_its_comment_stays_elsewhere(owl: Path) -> None:
    edited = edit(
        owl,
        "    def beat(self, x):\n        x = x + self.size\n        return x\n\n",
        "",
    )
    added = lifted(owl, edited)
    assert "AttributeError" in added


def test_a_new_function_and_its_import_are_added(owl: Path) -> None:
    edited = edit(owl, "x = x + self.size", "x = math.floor(x)")
    edited = edit(
        owl, "from torch import nn\n", "import math\n\nfrom torch import nn\n"
    )
    added = lifted(owl, edited)
    assert added.startswith("import math\n")


def test_a_new_function_that_a_new_function_uses_and_its_import_are_added(
    owl: Path,
) -> None:
    edit(owl, "x = x + self.size", "x = soar(x) + self.size")
    new = "def lift_off(x):\n    return nn.Identity()(x)\n\n\n"
    new += "def soar(x):\n    return lift_off(x)\n\n\n"
    edited = edit(owl, "class OwlWing", f"{new}class OwlWing")
    added = lifted(owl, edited)
    assert "def lift_off(x):" in added
    assert "from torch import nn" in added


def test_an_inherited_class_that_an_override_uses_is_named(owl: Path) -> None:
    modular = "from ..eagle.modeling_eagle import EagleModel\n\n\n"
    (owl / MODULAR_PATH).write_text(f"{modular}class OwlModel(EagleModel):\n    pass\n")
    assert run_modular("convert", cwd=owl).returncode == 0
    edited = edit(owl, "return glide(self.wing", "return OwlWing(x) + glide(self.wing")
    assert "import EagleModel, EagleWing, glide" in lifted(owl, edited)
    child = "class OwlWing(EagleWing):\n    pass\n"
    assert child in (owl / MODULAR_PATH).read_text()


def test_a_guarded_import_that_an_override_uses_is_added(owl: Path) -> None:
    guard = "# Optional.\nif has_numpy():\n    import numpy as np\n"
    imports = f"import nn\n\nfrom numbers import has_numpy\n\n{guard}"
    convert_with_parent(owl, "import nn\n", imports)
    convert_with_parent(owl, "return glide(self", "return np.ravel(x) + glide(self")
    edited = edit(owl, "np.ravel(x) +", "np.ravel(x) -")
    added = lifted(owl, edited)
    assert guard in added
    assert "from numbers import has_numpy" in added


def test_an_override_whose_guarded_import_would_move_is_left(owl: Path) -> None:
    guard = "if has_{0}():\n    import {0}\n"
    guards = guard.format("scipy") + "\n" + guard.format("numpy")
    imports = "import nn\n\nfrom numbers import has_numpy, has_scipy\n\n"
    convert_with_parent(owl, "import nn\n", imports + guards)
    convert_with_parent(owl, "return None", "return scipy.rest()")
    convert_with_parent(owl, "x = x + self.size", "x = numpy.ravel(scipy.rest(x))")
    text = (owl / MODULAR_PATH).read_text()
    edit(owl, "numpy.ravel(scipy.rest(x))", "numpy.ravel(x) + scipy.rest(x)")
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 1
    assert "cannot be made without also changing `imports`" in done.stdout
    assert (owl / MODULAR_PATH).read_text() == text


def test_a_class_that_only_a_suppressed_line_has_used_is_named(owl: Path) -> None:
    plain = "from ..eagle.modeling_eagle import EagleModel\n\n\n"
    plain += "class OwlModel(EagleModel):\n    wings = [OwlWing]  # noqa: F821\n"
    (owl / MODULAR_PATH).write_text(plain)
    assert run_modular("convert", cwd=owl).returncode == 0
    edited = edit(owl, "self.wing = OwlWing(config)", "self.wing = OwlWing(None)")
    lifted(owl, edited)
    text = (owl / MODULAR_PATH).read_text()
    assert "class OwlWing(EagleWing):\n    pass\n" in text


def test_a_changed_function_of_the_parent_is_defined_again(owl: Path) -> None:
    edited = edit(
        owl, "def glide(x):\n    return x\n", "def glide(x):\n    return 2 * x\n"
    )
    assert lifted(owl, edited) == "def glide(x):\n    return 2 * x"


def test_an_edit_that_cannot_be_expressed_is_left_and_nothing_is_touched(
    owl: Path,
) -> None:
    edit(
        owl,
        "class OwlModel(nn.Module):",
        "print('loaded')\n\n\nclass OwlModel(nn.Module):",
    )
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 1
    assert "1 edit left" in done.stdout
    assert (owl / MODULAR_PATH).read_text() == MODULAR


def test_a_statement_that_was_appended_is_named_with_its_line(owl: Path) -> None:
    text = (owl / GENERATED).read_text() + "\n\nprint('loaded')\n"
    (owl / GENERATED).write_text(text)
    done = run_modular("lift", "owl", cwd=owl)
    line = text.count("\n")
    assert f"{GENERATED}:{line}: other code" in done.stdout


def test_a_definition_at_another_place_is_named_with_its_line(owl: Path) -> None:
    glide = "def glide(x):\n    return x\n"
    text = edit(owl, f"{glide}\n\n", "") + f"\n\n{glide}"
    (owl / GENERATED).write_text(text)
    done = run_modular("lift", "owl", cwd=owl)
    line = text[: text.index("class OwlModel")].count("\n") + 1
    assert f"{GENERATED}:{line}: other code" in done.stdout


def test_all_models_are_looked_up_in_one_record_of_outputs(
    owl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    class CountedRecord(OutputRecord):
        def __init__(self, root: Path) -> None:
            opened.append(root)
            super().__init__(root)

    monkeypatch.setattr(lift_module, "OutputRecord", CountedRecord)
    monkeypatch.setattr(lift_targets, "OutputRecord", CountedRecord)
    child = "from ..owl.modeling_owl import OwlModel\n\n\nclass KiteModel(OwlModel):\n    pass\n"
    write_project(owl, {"models/kite/modular_kite.py": child})
    assert run_modular("convert", cwd=owl).returncode == 0
    edit(owl, "    span = 2", "    span = 3")
    edit(owl, "    span = 2", "    span = 3", "models/kite/modeling_kite.py")
    lift_module.lift((), options=Options(root=owl))
    assert len(opened) == 1


def test_diff_shows_the_edit_and_writes_nothing(owl: Path) -> None:
    edit(owl, "    span = 2", "    span = 3")
    done = run_modular("lift", "owl", "--diff", cwd=owl)
    assert done.returncode == 1
    assert "+    span = 3\n" in done.stdout
    assert (owl / MODULAR_PATH).read_text() == MODULAR


def test_a_generated_file_is_a_target_and_other_models_stay(owl: Path) -> None:
    edit(owl, "    span = 2", "    span = 3")
    assert run_modular("lift", GENERATED, cwd=owl).returncode == 0
    assert "    span = 3" in (owl / MODULAR_PATH).read_text()


def test_an_inherited_line_is_edited_in_the_parent(owl: Path) -> None:
    edited = edit(owl, "x = x + self.size", "x = x - self.size")
    done = run_modular("lift", "owl", "--to-parent", cwd=owl)
    assert done.returncode == 0, done.stdout
    parent = (owl / "models/eagle/modeling_eagle.py").read_text()
    assert parent == PARENT.replace("x = x + self.size", "x = x - self.size")
    assert (owl / MODULAR_PATH).read_text() == MODULAR
    assert run_modular("check", cwd=owl).returncode == 0
    assert (owl / GENERATED).read_text() == edited


def test_edits_of_the_parent_and_of_the_modular_file_are_made_together(
    owl: Path,
) -> None:
    edit(owl, "x = x + self.size", "x = x - self.size")
    edited = edit(owl, '"day"', '"noon"')
    done = run_modular("lift", "owl", "--to-parent", cwd=owl)
    assert done.returncode == 0, done.stdout
    parent = (owl / "models/eagle/modeling_eagle.py").read_text()
    assert parent == PARENT.replace("x = x + self.size", "x = x - self.size")
    assert (owl / MODULAR_PATH).read_text() == MODULAR.replace('"day"', '"noon"')
    assert run_modular("check", cwd=owl).returncode == 0
    assert (owl / GENERATED).read_text() == edited


def test_a_parent_that_is_generated_is_not_edited(owl: Path) -> None:
    child = "from ..owl.modeling_owl import OwlModel\n\n\nclass KiteModel(OwlModel):\n    pass\n"
    write_project(owl, {"models/kite/modular_kite.py": child})
    assert run_modular("convert", cwd=owl).returncode == 0
    parent = (owl / GENERATED).read_text()
    edited = edit(owl, "x + self.size", "x - 1", "models/kite/modeling_kite.py")
    done = run_modular("lift", "kite", "--to-parent", cwd=owl)
    assert done.returncode == 0
    assert (owl / GENERATED).read_text() == parent
    assert run_modular("check", "kite", cwd=owl).returncode == 0
    assert (owl / "models/kite/modeling_kite.py").read_text() == edited


def test_an_edit_that_is_not_written_is_not_called_moved(owl: Path) -> None:
    edit(owl, "    span = 2", "    span = 3")
    os.link(owl / MODULAR_PATH, owl / "second.py")
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 1
    assert "has a second name" in done.stderr
    assert "moved" not in done.stdout


def test_an_edit_of_several_models_is_said_once(owl: Path) -> None:
    for name in ("wren", "kite"):
        text = MODULAR.replace("Owl", name.title())
        write_project(owl, {f"models/{name}/modular_{name}.py": text})
    assert run_modular("convert", cwd=owl).returncode == 0
    for name in ("owl", "wren", "kite"):
        edit(owl, "x + self.size", "x - 1", f"models/{name}/modeling_{name}.py")
    done = run_modular("lift", cwd=owl)
    assert done.returncode == 0
    assert done.stdout.endswith(
        "the same edit in 3 files: it belongs in models/eagle/modeling_eagle.py, "
        "which `--to-parent` edits\n"
    )


def test_nothing_to_lift(owl: Path) -> None:
    done = run_modular("lift", cwd=owl)
    assert done.returncode == 0
    assert done.stdout == "nothing to lift: no generated file was edited\n"


@pytest.mark.parametrize("is_parent_committed", [True, False])
def test_a_committed_file_that_waits_for_a_change_of_its_parent_is_not_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_parent_committed: bool
) -> None:
    repository = make(tmp_path / "repository")
    repository.write({"models/eagle/modeling_eagle.py": PARENT, MODULAR_PATH: MODULAR})
    repository.modular("convert")
    repository.commit()
    parent = "models/eagle/modeling_eagle.py"
    edit(repository.root, "    span = 2", "    span = 3", parent)
    if is_parent_committed:
        repository.commit()
    else:
        monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "empty"))
    repository.modular("check")
    done = repository.modular("lift")
    assert done.stdout == "nothing to lift: no generated file was edited\n"


def test_a_later_change_of_the_modular_file_is_kept(tmp_path: Path) -> None:
    repository = make(tmp_path / "repository")
    repository.write({"models/eagle/modeling_eagle.py": PARENT, MODULAR_PATH: MODULAR})
    repository.modular("convert")
    repository.commit()
    root = repository.root
    edit(root, "    span = 2", "    span = 3")
    edit(root, '"day"', '"noon"', MODULAR_PATH)
    done = repository.modular("lift")
    assert done.returncode == 0, done.stdout
    text = (root / MODULAR_PATH).read_text()
    assert '"noon"' in text and "span = 3" in text


def test_an_edit_of_a_line_that_the_modular_file_changed_too_is_refused(
    tmp_path: Path,
) -> None:
    repository = make(tmp_path / "repository")
    repository.write({"models/eagle/modeling_eagle.py": PARENT, MODULAR_PATH: MODULAR})
    repository.modular("convert")
    repository.commit()
    root = repository.root
    edit(root, '"day"', '"dawn"')
    edit(root, '"day"', '"noon"', MODULAR_PATH)
    done = repository.modular("lift")
    assert done.returncode == 1
    assert "MOD504" in done.stderr
    assert '"noon"' in (root / MODULAR_PATH).read_text()


def test_an_edit_below_a_lifted_one_changes_the_right_line(owl: Path) -> None:
    own_methods = source("""
        class OwlWing(EagleWing):
            # Owls rest by day.
            def rest(self):
                when = "day"
                return when

            def hunt(self):
                first = 1

                second = 2
                return first
        """)
    file = owl / MODULAR_PATH
    text = file.read_text()
    start = text.index("class OwlWing")
    end = text.index("\n\n\nclass OwlModel")
    file.write_text(text[:start] + own_methods.strip() + text[end:])
    assert run_modular("convert", "owl", cwd=owl).returncode == 0
    edit(owl, '        when = "day"\n', '        when = "day"\n        wait = 1\n')
    edited = edit(owl, "        second = 2\n", "")
    assert run_modular("lift", "owl", cwd=owl).returncode == 0
    assert (owl / GENERATED).read_text() == edited
    assert run_modular("check", cwd=owl).returncode == 0
    assert "        second = 2\n" not in file.read_text()
    assert "        first = 1\n\n        return" in file.read_text()


def test_new_functions_keep_their_order_on_disk(owl: Path) -> None:
    functions = (
        "def first(x):\n    return x\n\n\ndef second(x):\n    return x\n\n\n"
        "class OwlWing(nn.Module):"
    )
    edit(owl, "class OwlWing(nn.Module):", functions)
    edited = edit(owl, "x = x + self.size", "x = first(second(x))")
    assert "def first(x):" in lifted(owl, edited)


def convert_owl_that_raises(root: Path) -> None:
    """Write and convert the model of the owl with a method that only raises."""
    raising = '    def rest(self):\n        raise AttributeError("Not needed")\n'
    start = MODULAR.index("    # Owls rest")
    modular = MODULAR[:start] + raising + MODULAR[MODULAR.index("\n\nclass OwlModel") :]
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "transformers"\n',
        "models/eagle/modeling_eagle.py": PARENT,
        MODULAR_PATH: modular,
    }
    write_project(root, files)
    assert run_modular("convert", cwd=root).returncode == 0


def test_a_method_is_added_below_one_that_raises(tmp_path: Path) -> None:
    convert_owl_that_raises(tmp_path)
    edited = edit(tmp_path, "x = x + self.size", "x = x - self.size")
    done = run_modular("lift", "owl", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / GENERATED).read_text() == edited
    assert run_modular("check", cwd=tmp_path).returncode == 0


def test_a_docstring_that_is_not_inherited_is_written_in_the_override(
    owl: Path,
) -> None:
    parent = owl / "models/eagle/modeling_eagle.py"
    with_docstring = '    def beat(self, x):\n        "Beat once."\n'
    parent.write_text(
        parent.read_text().replace("    def beat(self, x):\n", with_docstring)
    )
    assert run_modular("convert", cwd=owl).returncode == 0
    edited = edit(owl, "x = x + self.size", "x = x - self.size")
    assert '"Beat once."' in lifted(owl, edited)


def test_a_function_that_no_code_uses_any_more_is_said_to_be_dropped(
    owl: Path,
) -> None:
    edit(owl, "return glide(self.wing.beat(x))", "return self.wing.beat(x)")
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 1
    assert "no code uses `glide` any more" in done.stdout
    assert "return self.wing.beat(x)" in (owl / MODULAR_PATH).read_text()


def test_a_function_at_another_place_than_it_is_generated_is_said(owl: Path) -> None:
    text = (owl / GENERATED).read_text()
    wing = text[text.index("class OwlWing") : text.index("def glide")]
    soar = "def soar(x):\n    return x\n\n\n"
    model = text[text.index("class OwlModel") :].replace("glide(self", "soar(self")
    glide = "def glide(x):\n    return x\n\n\n"
    heading = text[: text.index("class OwlWing")]
    model = model.rstrip("\n").replace("soar(", "glide(soar(") + ")\n"
    (owl / GENERATED).write_text(heading + soar + wing + glide + model)
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 1
    assert "move it there in the generated file" in done.stdout


def test_a_model_that_cannot_be_converted_is_an_error(owl: Path) -> None:
    edit(owl, "x = x + self.size", "x = x - self.size")
    modular = (owl / MODULAR_PATH).read_text()
    broken = modular + "\n\nclass OwlTail(EagleTail):\n    pass\n"
    broken = broken.replace("EagleModel, ", "EagleModel, EagleTail, ")
    (owl / MODULAR_PATH).write_text(broken)
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 1
    assert "error" in done.stdout + done.stderr
    assert (owl / MODULAR_PATH).read_text() == broken


def test_a_line_is_edited_and_lifted_again_before_the_first_edit_is_committed(
    owl: Path,
) -> None:
    commit(owl)
    edit(owl, "x = x + self.size", "x = x - self.size")
    assert run_modular("lift", "owl", cwd=owl).returncode == 0
    edited = edit(owl, "x = x - self.size", "x = x * self.size")
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 0, done.stdout + done.stderr
    assert run_modular("check", cwd=owl).returncode == 0
    assert (owl / GENERATED).read_text() == edited


def test_check_names_lift_for_lines_that_people_wrote(owl: Path) -> None:
    commit(owl)
    edit(owl, "x = x + self.size", "x = x - self.size")
    done = run_modular("check", cwd=owl)
    assert done.returncode == 1
    assert f"run `modular lift {GENERATED}`" in done.stdout
    assert "To update the generated files" not in done.stdout


def test_a_new_member_moves_below_the_inherited_ones(owl: Path) -> None:
    commit(owl)
    convert_with_parent(owl, "span = 2", "span = 2\n    bones = 3")
    edit(owl, "    bones = 3\n", "    feathers = 4\n    bones = 3\n")
    edit(owl, "x = x + self.size", "x = x - self.size")
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 0, done.stdout
    assert "; new members move below the inherited ones)" in done.stdout
    assert "    bones = 3\n    feathers = 4\n" in (owl / GENERATED).read_text()
    assert "class OwlWing(EagleWing):" in (owl / MODULAR_PATH).read_text()
    assert run_modular("check", cwd=owl).returncode == 0
    # The generated file is an output again, which the next conversion may replace.
    edit(owl, "feathers = 4", "feathers = 5", MODULAR_PATH)
    assert run_modular("convert", cwd=owl).returncode == 0


def test_a_new_member_moves_although_another_edit_is_left(owl: Path) -> None:
    edit(owl, "    span = 2\n", "    beak = 1\n    span = 2\n")
    edit(owl, "class OwlModel", "print('loaded')\n\n\nclass OwlModel")
    assert run_modular("lift", "owl", cwd=owl).returncode == 1
    text = (owl / GENERATED).read_text()
    assert "    span = 2\n    beak = 1\n" in text
    assert "print('loaded')" in text
    assert "class OwlWing(EagleWing):" in (owl / MODULAR_PATH).read_text()


@pytest.mark.parametrize(
    "new", ["feathers: int = 4\n    bones = 1", "feathers = 4\n    bones = feathers"]
)
def test_a_member_whose_place_matters_does_not_move(owl: Path, new: str) -> None:
    attributes = "".join(f"\n    feather_{number} = {number}" for number in range(199))
    convert_with_parent(owl, "span = 2", f"span = 2\n    bones = 1{attributes}")
    edited = edit(owl, "    bones = 1\n", f"    {new}\n")
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 1
    assert "OwlWing.feathers: " in done.stdout
    assert (owl / GENERATED).read_text() == edited


@pytest.mark.parametrize("owl", ["transformers"], indirect=True)
def test_a_new_value_of_an_enum_does_not_move(owl: Path) -> None:
    values = "".join(f"\n    feather_{number} = {number}" for number in range(199))
    old = "from torch import nn\n\n\nclass EagleWing(nn.Module):\n    span = 2"
    # No base of `EagleWing` is called an enum.
    new = (
        "from enum import Enum as Values\n\nfrom torch import nn\n\n\n"
        f"class EagleKind(Values):\n    pass\n\n\n"
        f"class EagleWing(EagleKind):\n    span = 2{values}"
    )
    convert_with_parent(owl, old, new)
    edited = edit(owl, "    span = 2\n", "    feathers = 4\n    span = 2\n")
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 1
    assert "OwlWing.feathers: " in done.stdout
    assert (owl / GENERATED).read_text() == edited


def test_another_order_of_inherited_members_is_left(owl: Path) -> None:
    rest = "    def rest(self):\n        return None\n"
    beat = "    def beat(self, x):\n        x = x + self.size\n        return x\n"
    own = rest.replace("None", '"day"')
    edit(owl, f"{beat}\n{own}", f"{own}\n{beat}")
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 1
    assert "the members of a class have the order of the parent class" in done.stdout
    assert (owl / MODULAR_PATH).read_text() == MODULAR


def test_a_short_class_that_cannot_inherit_is_written_without_its_parent(
    owl: Path,
) -> None:
    convert_with_parent(owl, "span = 2", "span = 2\n    bones = 3")
    edited = edit(owl, "    bones = 3\n", "    feathers: int = 4\n    bones = 3\n")
    shown = run_modular("lift", "owl", "--diff", cwd=owl)
    assert (
        "without its parent; with it, a new member is generated below" in shown.stdout
    )
    assert "class OwlWing(nn.Module):" in lifted(owl, edited)


def test_a_comment_above_an_inherited_class_is_said_to_be_inherited(owl: Path) -> None:
    feathers = "".join(f"\n    feather_{number} = {number}" for number in range(199))
    wing = "# A wing.\nclass EagleWing(nn.Module):\n    span = 2"
    convert_with_parent(
        owl, "class EagleWing(nn.Module):\n    span = 2", wing + feathers
    )
    edit(owl, "# A wing.\n", "")
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 1
    assert "comments above a class are inherited from its parent" in done.stdout


def test_an_edit_is_lifted_although_another_one_must_be_taken_back(owl: Path) -> None:
    settings = '[tool.modular]\nmodels = ["models"]\ninheritance = "transformers"\n'
    (owl / "pyproject.toml").write_text(settings)
    attributes = "\n".join(f"    feather_{number} = {number}" for number in range(199))
    convert_with_parent(
        owl, "    span = 2", f"{attributes}\n    # In all.\n    span = 2"
    )
    own = '    """A wing."""\n\n    claws = 3\n\n'
    edit(owl, "    # Owls rest", f"{own}    # Owls rest", MODULAR_PATH)
    assert run_modular("convert", cwd=owl).returncode == 0
    # The comment of the removed attribute stays, above that of the modular file. Code
    # that generates this changes the attributes, too.
    edit(owl, "    span = 2\n", "")
    edit(owl, "    feather_50 = 50\n", "")
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 1
    assert "feather_50 = AttributeError()" in (owl / MODULAR_PATH).read_text()
    assert "OwlWing.feather_50 (removed)" in done.stdout
    assert "other lines differ, which nothing generates" in done.stdout


def test_an_import_and_a_guard_that_no_code_uses_any_more_are_dropped(
    owl: Path,
) -> None:
    guard = "if has_numpy():\n    import numpy as np\n"
    text = PARENT.replace(
        "import nn\n", f"import nn\n\nfrom numbers import has_numpy\n\n{guard}", 1
    )
    text = text.replace("return None", "return np.zeros(1)")
    (owl / "models/eagle/modeling_eagle.py").write_text(text)
    (owl / MODULAR_PATH).write_text(
        "from ..eagle.modeling_eagle import EagleModel, EagleWing\n\n\n"
        "class OwlWing(EagleWing):\n    pass\n\n\n"
        "class OwlModel(EagleModel):\n    pass\n"
    )
    assert run_modular("convert", cwd=owl).returncode == 0
    edit(owl, "return np.zeros(1)", "return None")
    edit(owl, "from torch import nn\n", "import textwrap\nfrom torch import nn\n")
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 0, done.stdout
    assert run_modular("check", cwd=owl).returncode == 0
    assert "numpy as np" not in (owl / GENERATED).read_text()


def test_a_copy_of_a_class_in_another_file_must_have_the_same_edit(
    tmp_path: Path,
) -> None:
    parent = "class EagleImageProcessor:\n    size = 2\n\n\n"
    copying = (
        f"{parent}class EagleImageProcessorPil:\n    kwargs = EagleImageProcessor\n"
    )
    files = {
        "pyproject.toml": '[tool.modular]\nmodels = ["models"]\n',
        "models/eagle/image_processing_eagle.py": parent,
        "models/eagle/image_processing_pil_eagle.py": copying,
        MODULAR_PATH: "from ..eagle.image_processing_eagle import EagleImageProcessor\n"
        "from ..eagle.image_processing_pil_eagle import EagleImageProcessorPil\n\n\n"
        "class OwlImageProcessor(EagleImageProcessor):\n    pass\n\n\n"
        "class OwlImageProcessorPil(EagleImageProcessorPil):\n    pass\n",
    }
    write_project(tmp_path, files)
    assert run_modular("convert", cwd=tmp_path).returncode == 0
    pil = "models/owl/image_processing_pil_owl.py"
    assert "    size = 2" in (tmp_path / pil).read_text()
    edit(tmp_path, "    size = 2\n", "    size = 3\n", pil)
    done = run_modular("lift", "owl", cwd=tmp_path)
    assert done.returncode == 1
    reason = "`OwlImageProcessor` is generated in image_processing_owl.py, too"
    assert f"{reason}: make the same edit there" in done.stdout


def test_an_edit_stays_somebodys_work_if_the_modular_file_cannot_be_written(
    owl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(owl)
    edited = edit(owl, "x = x + self.size", "x = x - self.size")
    failure = Diagnostic(Problem.CANNOT_WRITE, Place(MODULAR_PATH), message="full")
    monkeypatch.setattr(
        lift_module, "write_updated_files", lambda root, files: {MODULAR_PATH: failure}
    )
    report = lift_module.lift("owl", options=Options(root=owl))
    assert report.problems == (failure,)
    assert run_modular("convert", cwd=owl).returncode == 1
    assert (owl / GENERATED).read_text() == edited


def convert_with_parent(root: Path, old: str, new: str) -> None:
    """Change the parent file, and convert its child."""
    parent = root / "models/eagle/modeling_eagle.py"
    text = parent.read_text()
    assert text.count(old) == 1
    parent.write_text(text.replace(old, new))
    assert run_modular("convert", cwd=root).returncode == 0


def test_an_attribute_below_a_blank_line_keeps_it(owl: Path) -> None:
    convert_with_parent(owl, "span = 2", "span = 2\n\n    bones = 3")
    edited = edit(owl, "    bones = 3\n", "    bones = 4\n")
    assert lifted(owl, edited) == "    bones = 4"


def test_a_new_member_between_inherited_ones_of_a_long_class_is_left(
    owl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    feathers = "".join(f"    feather_{number} = 1\n" for number in range(199))
    convert_with_parent(owl, "    span = 2\n", f"    span = 2\n{feathers}")
    edit(owl, "    span = 2\n", "    span = 2\n    extra: bool = True\n")
    attempts = []
    lift_part = Lifter._lift

    def count_attempts(lifter: Lifter, part: EditedPart, start: LiftState) -> bool:
        attempts.append(part)
        return lift_part(lifter, part, start)

    monkeypatch.setattr(Lifter, "_lift", count_attempts)
    report = lift_module.lift(["owl"], options=Options(root=owl))
    (left,) = report.models[0].left
    assert left.reason.startswith("a new member is generated below")
    assert len(attempts) <= 2


def test_the_comment_of_a_removed_attribute_goes_to_the_next_one(owl: Path) -> None:
    own = "    claws = 8\n    toes = 4\n\n    # In all.\n    bones = 3\n\n"
    edit(owl, "    # Owls rest", f"{own}    # Owls rest", MODULAR_PATH)
    convert_with_parent(owl, "span = 2", "span = 2\n    bones = 1\n    toes = 1")
    edited = edit(owl, "    bones = 3\n", "")
    assert lifted(owl, edited).split("\n") == [
        "    claws = 8",
        "    # In all.",
        "    toes = 4",
        "    # In all.",
        "    bones = AttributeError()",
    ]


def test_a_class_that_no_code_uses_any_more_is_named_to_keep_it(owl: Path) -> None:
    modular = owl / MODULAR_PATH
    plain = "from ..eagle.modeling_eagle import EagleModel\n\n\n"
    plain += "class OwlModel(EagleModel):\n    pass\n"
    modular.write_text(plain)
    assert run_modular("convert", cwd=owl).returncode == 0
    edited = edit(owl, "self.wing = OwlWing(config)", "self.wing = None")
    edited = edit(owl, "return glide(self.wing.beat(x))", "return glide(x)")
    lifted(owl, edited)
    assert "class OwlWing(EagleWing):\n    pass" in modular.read_text()


def test_blank_lines_above_the_imports_are_written_as_they_are_generated(
    owl: Path,
) -> None:
    modular = owl / MODULAR_PATH
    modular.write_text(modular.read_text().replace("night.\n", "night.\n\n"))
    convert_with_parent(owl, "from torch import nn", "\nfrom torch import nn")
    text = (owl / GENERATED).read_text()
    above, below = text.split("from torch import nn\n")
    use = below.replace("return x\n", "return textwrap.dedent(x)\n", 1)
    (owl / GENERATED).write_text(
        above + "import textwrap\n\nfrom torch import nn\n" + use
    )
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 0, done.stdout
    assert run_modular("check", cwd=owl).returncode == 0
    assert "return textwrap.dedent(x)" in (owl / GENERATED).read_text()


def test_an_import_is_written_in_the_layout_in_which_it_is_generated(
    owl: Path,
) -> None:
    edit(owl, "import nn\n", "import (\n    nn,\n)\n")
    done = run_modular("lift", "owl", cwd=owl)
    assert "only the layout was edited" in done.stdout
    edit(owl, "import nn\n", "import (\n    nn,\n)\n")
    edited = edit(owl, "x = x + self.size", "x = x - self.size")
    assert run_modular("lift", "owl", cwd=owl).returncode == 0
    assert run_modular("check", cwd=owl).returncode == 0
    assert edited.replace("(\n    nn,\n)", "nn") == (owl / GENERATED).read_text()


def test_imports_that_no_formatter_sorts_may_come_in_another_order(
    tmp_path: Path,
) -> None:
    inlined = "import torch\nfrom torch import nn\n\n\n"
    parent = source("""
        from torch import nn
        import torch


        class EagleMLP:
            def __init__(self):
                self.act = nn.SiLU()
                self.scale = torch.ones(2)
        """)
    files = {
        "pyproject.toml": '[tool.modular]\nmodels = ["models"]\nformatter = "none"\n',
        "models/eagle/modeling_eagle.py": parent,
        MODULAR_PATH: source("""
            from ..eagle.modeling_eagle import EagleMLP


            class OwlMLP(EagleMLP):
                pass
            """),
    }
    write_project(tmp_path, files)
    assert run_modular("convert", cwd=tmp_path).returncode == 0
    edit(tmp_path, "nn.SiLU()", "nn.GELU()")
    edit(tmp_path, "from torch import nn\nimport torch\n", inlined.rstrip() + "\n")
    done = run_modular("lift", "owl", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert run_modular("check", cwd=tmp_path).returncode == 0
    assert "nn.GELU()" in (tmp_path / GENERATED).read_text()


def test_the_layout_of_another_file_of_the_model_follows_a_new_import(
    owl: Path,
) -> None:
    modular = owl / MODULAR_PATH
    config = "from ...base import (\n    Config,\n)\n"
    text = modular.read_text().replace("night.\n", f"night.\n{config}")
    modular.write_text(f"{text}\n\nclass OwlConfig(Config):\n    size = 1\n")
    assert run_modular("convert", cwd=owl).returncode == 0
    edit(
        owl,
        "from torch import nn\n",
        "from torch import nn\n\nfrom ...base import rest\n",
    )
    edit(owl, "x = x + self.size", "x = rest(x)")
    done = run_modular("lift", "owl", cwd=owl)
    assert done.returncode == 0, done.stdout
    assert run_modular("check", cwd=owl).returncode == 0


def test_a_line_of_a_method_that_super_calls_is_said_to_belong_to_the_parent(
    tmp_path: Path,
) -> None:
    override = "    def beat(self, x):\n        return super().beat(super().beat(x))\n"
    modular = MODULAR.replace(
        "\n\n\nclass OwlModel", f"\n\n{override}\n\nclass OwlModel"
    )
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        "models/eagle/modeling_eagle.py": PARENT,
        MODULAR_PATH: modular,
    }
    write_project(tmp_path, files)
    assert run_modular("convert", cwd=tmp_path).returncode == 0
    edited = edit(tmp_path, "x = x + self.size", "x = x - self.size")
    done = run_modular("lift", "owl", cwd=tmp_path)
    assert "it is a copy of the parent's code: edit it" in done.stdout
    done = run_modular("lift", "owl", "--to-parent", cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / GENERATED).read_text() == edited
    assert run_modular("check", cwd=tmp_path).returncode == 0


def test_an_override_skips_the_parent_as_the_explicit_super_of_its_class_does(
    owl: Path,
) -> None:
    convert_with_parent(
        owl,
        "x = x + self.size",
        "x = [super(EagleWing, self).beat(y) for y in x]",
    )
    edited = edit(owl, "self).beat(y) for y in x]", "self).beat(y) for y in x[1:]]")
    added = lifted(owl, edited)
    assert added.startswith("    def beat(self, x):\n        x = [super(")


def test_a_line_of_a_class_that_is_not_merged_is_edited_in_a_child_class_or_the_parent(
    tmp_path: Path,
) -> None:
    dataclass = "from dataclasses import dataclass\n"
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        "models/eagle/modeling_eagle.py": f"{dataclass}\n\n"
        "@dataclass\nclass EagleEgg:\n    size: int\n    width: int = 1\n",
        MODULAR_PATH: f"{dataclass}\nfrom ..eagle.modeling_eagle import EagleEgg\n\n\n"
        "@dataclass(eq=False)\nclass OwlEgg(EagleEgg):\n    color: str = 'white'\n",
    }
    write_project(tmp_path, files)
    assert run_modular("convert", cwd=tmp_path).returncode == 0
    edited = edit(tmp_path, "width: int = 1", "width: int = 2")
    done = run_modular("lift", "owl", "--diff", cwd=tmp_path)
    assert "EagleEgg.width (new child class, in place of the parent)" in done.stdout
    assert "import EagleEgg as _EagleEgg\n" in done.stdout
    assert "+class EagleEgg(_EagleEgg):\n+    width: int = 2\n" in done.stdout
    assert run_modular("lift", "owl", "--to-parent", cwd=tmp_path).returncode == 0
    assert (tmp_path / GENERATED).read_text() == edited


def test_an_edit_with_which_a_class_is_not_merged_is_left_with_the_reason(
    tmp_path: Path,
) -> None:
    bones = "".join(f"    bone_{number} = {number}\n" for number in range(40))
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        "models/eagle/modeling_eagle.py": f"class EagleWing(dict):\n    items = 1\n{bones}",
        MODULAR_PATH: "from ..eagle.modeling_eagle import EagleWing\n\n\n"
        "class OwlWing(EagleWing):\n    bone_3 = 5\n",
    }
    write_project(tmp_path, files)
    assert run_modular("convert", cwd=tmp_path).returncode == 0
    edit(tmp_path, "    items = 1\n", "")
    done = run_modular("lift", "owl", cwd=tmp_path)
    assert "inherits from a copy of `EagleWing`: `dict` has a member" in done.stdout


def test_a_renamed_class_keeps_its_place(owl: Path) -> None:
    modular = (owl / MODULAR_PATH).read_text()
    modular = modular.replace(
        "class OwlWing", "class OwlSong:\n    pitch = 3\n\n\nclass OwlWing"
    )
    (owl / MODULAR_PATH).write_text(modular)
    assert run_modular("convert", cwd=owl).returncode == 0
    edited = edit(owl, "class OwlSong", "class OwlCall")
    lifted(owl, edited)
    assert (owl / MODULAR_PATH).read_text() == modular.replace("OwlSong", "OwlCall")


def test_a_table_of_deprecated_names_is_added(owl: Path) -> None:
    text = (owl / GENERATED).read_text()
    table = (
        '__getattr__ = deprecate_attr(__name__, rename={"Uhu": (OwlModel, "2.0")})\n'
    )
    import_ = "from ...utils.deprecation import deprecate_attr\n"
    edited = text.replace("nn\n\n", f"nn\n\n{import_}\n", 1) + f"\n\n{table}"
    (owl / GENERATED).write_text(edited)
    assert lifted(owl, edited) == import_ + table.strip()


def test_an_attribute_does_not_hide_the_blank_line_of_a_method_that_raises(
    tmp_path: Path,
) -> None:
    convert_owl_that_raises(tmp_path)
    edited = edit(tmp_path, "span = 2", "span = 3")
    assert "    span = 3" in lifted(tmp_path, edited)


def test_a_stale_file_below_a_changed_parent_is_no_edit_without_git(
    tmp_path: Path,
) -> None:
    child = (
        "from ..{0}.modeling_{0} import {1}MLP\n\n\nclass {2}MLP({1}MLP):\n    {3}\n"
    )
    files = {
        "pyproject.toml": "[tool.modular]\nformatter = 'none'\n",
        "models/a/modeling_a.py": "class AMLP:\n    x = 1\n",
        "models/b/modular_b.py": child.format("a", "A", "B", "y = 1"),
        "models/c/modular_c.py": child.format("b", "B", "C", "z = 1"),
    }
    write_project(tmp_path, files)
    assert run_modular("convert", cwd=tmp_path).returncode == 0
    edit(tmp_path, "y = 1", "y = 2", "models/b/modular_b.py")
    assert run_modular("convert", "b", cwd=tmp_path).returncode == 0
    assert run_modular("lift", cwd=tmp_path).returncode == 0
    modular_c = (tmp_path / "models/c/modular_c.py").read_text()
    assert modular_c == files["models/c/modular_c.py"]
