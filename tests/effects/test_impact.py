"""`modular impact`: what a change does, before anything is written."""

import json
from pathlib import Path

import pytest

import modular
from modular.effects.impact import impact
from tests import schema
from tests.effects.elder import (
    ELDER,
    ELDER_PATH,
    LONE_PATH,
    OVERRIDING,
    edit,
    make_elder,
)
from tests.repository import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """`lone` overrides `grow` and calls `fall`; `young` and `grown` inherit all."""
    return make_elder(tmp_path / "project")


def commit_modular_file(repository: Repository, text: str) -> None:
    """Commit another modular file and the files that it generates."""
    repository.write({"models/lone/modular_lone.py": text})
    repository.modular("convert")
    repository.commit()


def test_the_same_change_in_several_models_stands_once(repository: Repository) -> None:
    edit(repository, "size = 1", "size = 2")
    done = repository.modular("impact")
    assert done.stdout == (
        "--- ElderLeaf.size, models/elder/modeling_elder.py:2: 3 files, +3 -3\n"
        "    3 models: grown, lone, young\n"
        "@@ models/grown/modeling_grown.py:2 @@\n"
        "-    size = 1\n"
        "+    size = 2\n"
        "\n"
        "3 files of 3 models would change: +3 -3, 1 cause\n"
    )
    assert done.returncode == 0
    assert "size = 1" in repository.read("models/young/modeling_young.py"), (
        "nothing is written"
    )


def test_nothing_has_changed(repository: Repository) -> None:
    done = repository.modular("impact")
    assert (done.returncode, done.stdout) == (0, "no generated file changes\n")


def test_what_was_converted_already_counts_as_well(repository: Repository) -> None:
    edit(repository, "size = 1", "size = 2")
    repository.modular("convert")
    assert repository.modular("impact").stdout.endswith(
        "3 files of 3 models would change: +3 -3, 1 cause\n"
    )


def test_the_commit_may_lack_some_generated_files_even_if_settings_change(
    repository: Repository,
) -> None:
    repository.git("rm", "--quiet", "--cached", "models/young/modeling_young.py")
    repository.git("commit", "--quiet", "--no-verify", "--message", "one less")
    settings = repository.read("pyproject.toml")
    repository.write({"pyproject.toml": f"# New.\n{settings}"})
    edit(repository, "size = 1", "size = 2")
    assert repository.modular("impact").stdout.endswith(
        "3 files of 3 models would change: +3 -3, 1 cause\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "broken"),
    [
        ("def grow(self, by)", "def rise(self, by)", "models/lone/modular_lone.py:5: `LoneLeaf` overrides `ElderLeaf.grow`, which is gone"),
        ("def fall(self)", "def drop(self)", "models/lone/modular_lone.py:9: `LoneLeaf` uses `ElderLeaf.fall`, which is gone"),
        (
            "def grow(self, by)",
            "def grow(self, by, slowly)",
            "models/lone/modular_lone.py:5: `LoneLeaf` overrides `ElderLeaf.grow`, whose parameters changed to `(self, by, slowly)`",
        ),
    ],
)  # fmt: skip
def test_what_breaks(repository: Repository, old: str, new: str, broken: str) -> None:
    edit(repository, old, new)
    done = repository.modular("impact")
    assert broken in done.stdout.splitlines()
    assert done.stdout.splitlines()[-1].endswith("; 1 place breaks")
    assert done.returncode == 1


def test_what_breaks_alike_in_several_models_stands_once(
    repository: Repository,
) -> None:
    repository.write(
        {"models/twin/modular_twin.py": OVERRIDING.replace("Lone", "Twin")}
    )
    repository.modular("convert")
    repository.commit()
    edit(repository, "def grow(self, by)", "def rise(self, by)")
    done = repository.modular("impact")
    broken = (
        "models/lone/modular_lone.py:5: `LoneLeaf` overrides `ElderLeaf.grow`, which is gone; "
        "the same at 1 more place:"
    )
    assert done.stdout.startswith(
        f"{broken}\n    models/twin/modular_twin.py:5: `TwinLeaf`\n\n--- "
    )
    assert done.stdout.endswith("; 2 places break\n")
    shown = repository.modular("impact", "--output-format", "markdown").stdout
    assert (
        f"\n#### What breaks\n\n- {broken}\n"
        "  - models/twin/modular_twin.py:5: `TwinLeaf`\n\n| cause "
    ) in shown


def test_an_override_with_super_kwargs_takes_new_parameters(
    repository: Repository,
) -> None:
    modular_file = OVERRIDING.replace("grow(self, by)", "grow(self, **super_kwargs)")
    commit_modular_file(repository, modular_file)
    edit(repository, "def grow(self, by)", "def grow(self, by, slowly)")
    assert "overrides" not in repository.modular("impact").stdout


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def grow(self, by)", "def grow(self, by: int)"),
        ("return None", "return 0"),
        (
            "    def fall(self)",
            "    def new(self):\n        return 1\n\n    def fall(self)",
        ),
    ],
)
def test_what_does_not_break(repository: Repository, old: str, new: str) -> None:
    edit(repository, old, new)
    done = repository.modular("impact")
    assert done.returncode == 0
    assert "break" not in done.stdout


def test_a_call_of_super_of_a_lost_method_is_broken(repository: Repository) -> None:
    modular_file = OVERRIDING.replace("self.fall()", "super().fall()")
    commit_modular_file(repository, modular_file)
    edit(repository, "def fall(self)", "def drop(self)")
    assert (
        "models/lone/modular_lone.py:9: `LoneLeaf` uses `ElderLeaf.fall`, which is gone"
    ) in repository.modular("impact").stdout.splitlines()


def test_an_override_with_other_parameters_of_its_own_is_not_broken(
    repository: Repository,
) -> None:
    modular_file = OVERRIDING.replace("grow(self, by)", "grow(self, by, speed=1)")
    commit_modular_file(repository, modular_file)
    edit(repository, "return None", "return 0")
    assert "overrides" not in repository.modular("impact").stdout


def test_an_override_that_has_the_new_parameters_already(
    repository: Repository,
) -> None:
    edit(repository, "def grow(self, by)", "def grow(self, by, slowly)")
    repository.write(
        {
            "models/lone/modular_lone.py": OVERRIDING.replace(
                "def grow(self, by)", "def grow(self, by, slowly)"
            )
        }
    )
    assert repository.modular("impact").returncode == 0


def test_a_model_that_cannot_be_converted_any_more(repository: Repository) -> None:
    edit(repository, "class ElderLeaf", "class ElderTwig")
    done = repository.modular("impact")
    assert done.returncode == 1
    assert "models/lone/modular_lone.py:1: MOD202" in done.stdout


HALF_TYPED = [
    "class X(Eld",
    "class X(ElderLeaf):\n    def f(self, ",
    "class X(ElderLeaf):\n    @property.\n    def f(self):",
]


@pytest.mark.parametrize("typed", HALF_TYPED)
def test_a_half_typed_class_in_a_modular_file_is_an_error(
    repository: Repository, typed: str
) -> None:
    path = "models/lone/modular_lone.py"
    repository.write({path: f"{OVERRIDING}\n\n{typed}\n"})
    edit(repository, "def grow(self, by)", "def rise(self, by)")
    done = repository.modular("impact")
    assert f"{path}:12: MOD101" in done.stdout or f"{path}:13: MOD101" in done.stdout
    assert f"{path}:5: `LoneLeaf` overrides `ElderLeaf.grow`, which is gone" in (
        done.stdout
    )
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("typed", HALF_TYPED[:2])
def test_a_half_typed_class_in_a_parent_file_is_an_error(
    repository: Repository, typed: str
) -> None:
    path = "models/elder/modeling_elder.py"
    repository.write({path: f"{ELDER}\n\n{typed}\n"})
    done = repository.modular("impact")
    assert f"{path}:" in done.stdout and "MOD101" in done.stdout
    assert "is gone" not in done.stdout
    assert (done.returncode, done.stderr) == (1, "")


def test_a_class_with_a_half_typed_method_loses_no_other_method(
    repository: Repository,
) -> None:
    edit(repository, "    def fall", "    def half(self,\n\n    def fall")
    done = repository.modular("impact")
    assert "models/elder/modeling_elder.py:7: MOD101" in done.stdout
    assert "is gone" not in done.stdout
    assert (done.returncode, done.stderr) == (1, "")


def test_a_parent_file_that_was_half_typed_in_the_commit(
    repository: Repository,
) -> None:
    edit(repository, "    def fall", "    def half(self,\n\n    def fall")
    repository.commit()
    repository.write({"models/elder/modeling_elder.py": ELDER})
    done = repository.modular("impact")
    assert (done.returncode, done.stdout) == (0, "no generated file changes\n")


def test_a_class_that_libcst_cannot_read_is_an_error(repository: Repository) -> None:
    path = "models/lone/modular_lone.py"
    unreadable = "class Lost(metaclass=Meta, *bases):\n    pass\n"
    repository.write({path: f"{OVERRIDING}\n\n{unreadable}"})
    edit(repository, "size = 1", "size = 2")
    done = repository.modular("impact")
    assert f"{path}:12: MOD101 LibCST cannot read this statement" in done.stdout
    assert (done.returncode, done.stderr) == (1, "")


def test_only_the_changes_of_one_file(repository: Repository) -> None:
    edit(repository, "size = 1", "size = 2")
    repository.write(
        {"models/lone/modular_lone.py": OVERRIDING.replace("return by", "return -by")}
    )
    done = repository.modular("impact", "models/lone/modular_lone.py")
    assert (
        "--- LoneLeaf.grow, models/lone/modular_lone.py:6: 1 file, +1 -1\n"
        in done.stdout
    )
    assert "young" not in done.stdout


@pytest.mark.parametrize(
    ("target", "models"),
    [
        ("lone", 1),
        ("elder", 3),
        ("models", 3),
        (".", 3),
        ("models/elder", 3),
        ("grown", 0),
    ],
)
def test_what_a_target_means(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, target: str, models: int
) -> None:
    """A change of `lone`, and one of the parent of all three."""
    monkeypatch.chdir(repository.root)
    edit(repository, "size = 1", "size = 2")
    repository.write(
        {"models/lone/modular_lone.py": OVERRIDING.replace("return by", "return -by")}
    )
    changes = modular.impact(target)
    assert len(changes.models) == models
    assert str(changes).endswith(changes.summary())


def test_a_file_that_is_deleted_is_a_target(repository: Repository) -> None:
    (repository.root / "models/elder/modeling_elder.py").unlink()
    done = repository.modular("impact", "models/elder/modeling_elder.py")
    assert done.returncode == 1
    assert "models/lone/modular_lone.py:1: MOD201" in done.stdout


def test_it_is_there_from_python() -> None:
    assert modular.impact is impact
    assert {"impact", "Impact"} <= set(dir(modular))


def test_backticks_in_a_copy_do_not_end_the_code_block_of_markdown(
    repository: Repository,
) -> None:
    copied = OVERRIDING.replace("        return by", "        return self.size + by")
    repository.write({"models/lone/modular_lone.py": copied})
    repository.modular("convert")
    repository.commit()
    edit(repository, "self.size + by", "self.size  # ```` @everyone")
    shown = repository.modular("impact", "--output-format", "markdown").stdout
    assert "\n  `````diff\n" in shown
    assert shown.endswith("# ```` @everyone\n  `````\n")


def test_an_override_that_is_no_copy_is_not_listed_as_unreached(
    repository: Repository,
) -> None:
    body = "        a = 1\n        b = 2\n        c = 3\n        return self.size + by"
    modular_file = OVERRIDING.replace("        return by", body)
    commit_modular_file(repository, modular_file)
    edit(repository, "self.size + by", "self.size + 2 * by")
    assert "does not reach" not in repository.modular("impact").stdout


def test_copies_that_a_change_does_not_reach_are_shown(repository: Repository) -> None:
    copied = OVERRIDING.replace("        return by", "        return self.size + by")
    repository.write({"models/lone/modular_lone.py": copied})
    repository.modular("convert")
    repository.commit()
    edit(repository, "return self.size + by", "return self.size + 2 * by")
    done = repository.modular("impact")
    section = (
        "does not reach models/lone/modular_lone.py:6: `LoneLeaf.grow` still has the "
        "old lines of `ElderLeaf.grow`\n"
        "-        return self.size + by\n"
        "+        return self.size + 2 * by\n"
    )
    assert section in done.stdout
    assert done.stdout.endswith("; 1 copied override keeps the old lines\n")
    assert done.returncode == 0
    shown = repository.modular("impact", "--output-format", "markdown").stdout
    assert shown.endswith(
        "\n#### What the change does not reach\n\n"
        "- models/lone/modular_lone.py:6: `LoneLeaf.grow` still has the old lines of "
        "`ElderLeaf.grow`\n\n"
        "  ```diff\n"
        "  -        return self.size + by\n"
        "  +        return self.size + 2 * by\n"
        "  ```\n"
    )
    printed = repository.modular("impact", "--output-format", "json").stdout
    schema.validate(printed, "impact")
    (values,) = json.loads(printed)["not_reached"]
    assert (values["parent"], values["share"]) == ("ElderLeaf.grow", 1.0)


def test_a_copy_that_changes_with_its_parent_is_reached(repository: Repository) -> None:
    copied = OVERRIDING.replace("        return by", "        return self.size + by")
    repository.write({"models/lone/modular_lone.py": copied})
    repository.modular("convert")
    repository.commit()
    edit(repository, "return self.size + by", "return self.size + 2 * by")
    updated = copied.replace("self.size + by", "self.size + 2 * by")
    repository.write({"models/lone/modular_lone.py": updated})
    assert "does not reach" not in repository.modular("impact").stdout


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return None", "return 0"),
        ("    def grow(self, by):\n        return self.size + by\n\n", ""),
    ],
    ids=["another method changes", "the method is deleted"],
)
def test_a_copy_whose_original_did_not_change_or_is_gone_is_not_unreached(
    repository: Repository, old: str, new: str
) -> None:
    copied = OVERRIDING.replace("        return by", "        return self.size + by")
    repository.write({"models/lone/modular_lone.py": copied})
    repository.modular("convert")
    repository.commit()
    edit(repository, old, new)
    options = modular.Options(root=repository.root, jobs=1)
    assert modular.impact(options=options).unreached == ()


PARENT_MLP = """\
class ElderMLP:
    def __init__(self, config):
        self.act_fn = config.act_fn
        self.size = config.size

    def forward(self, x):
        return self.act_fn(x)
"""

CHILD_MLP = """\
from ..elder.modeling_elder import ElderMLP


class LoneMLP(ElderMLP):
    def __init__(self, config):
        super().__init__(config)
        self.act_fn = abs
"""


@pytest.fixture
def attributes(repository: Repository) -> Repository:
    """`lone` sets `act_fn`, which its parent reads."""
    repository.write(
        {
            "models/elder/modeling_elder.py": ELDER + "\n\n" + PARENT_MLP,
            "models/lone/modular_lone.py": CHILD_MLP,
        }
    )
    repository.modular("convert")
    repository.commit()
    return repository


def test_an_attribute_that_nothing_reads_any_more_is_broken(
    attributes: Repository,
) -> None:
    edit(attributes, "self.act_fn", "self.activation")
    done = attributes.modular("impact")
    assert (
        "models/lone/modular_lone.py:7: `LoneMLP` sets `act_fn`, which nothing reads any more"
    ) in done.stdout.splitlines()
    assert done.returncode == 1


READING = """\
from ..elder.modeling_elder import ElderMLP


class LoneMLP(ElderMLP):
    def forward(self, x):
        return 2 * self.act_fn(x)
"""


@pytest.mark.parametrize(
    ("new", "is_broken"),
    [
        ("self.activation = config", True),
        ("object.__setattr__(self, 'act_fn', config)", False),
    ],
)
def test_an_attribute_that_nothing_sets_any_more_is_broken(
    attributes: Repository, new: str, is_broken: bool
) -> None:
    path = "models/lone/modular_lone.py"
    attributes.write({path: READING})
    attributes.modular("convert")
    attributes.commit()
    edit(attributes, "self.act_fn = config.act_fn", new)
    sentence = f"{path}:6: `LoneMLP` reads `self.act_fn`, which nothing sets any more"
    assert (sentence in attributes.modular("impact").stdout) == is_broken


def test_an_attribute_that_inherited_code_still_reads_is_not_broken(
    attributes: Repository,
) -> None:
    path = "models/lone/modular_lone.py"
    attributes.write({path: READING.replace("def forward", "def twice")})
    attributes.modular("convert")
    attributes.commit()
    edit(attributes, "self.act_fn = config.act_fn", "pass")
    assert "nothing sets" not in attributes.modular("impact").stdout


def test_an_attribute_that_is_still_read_is_not_broken(attributes: Repository) -> None:
    edit(attributes, "return self.act_fn(x)", "return 2 * self.act_fn(x)")
    assert attributes.modular("impact").returncode == 0


def test_an_attribute_that_nothing_read_before_is_not_broken_by_a_change(
    attributes: Repository,
) -> None:
    path = "models/lone/modular_lone.py"
    modular_file = CHILD_MLP + "        self.extra = 1\n"
    attributes.write({path: modular_file})
    attributes.modular("convert")
    attributes.commit()
    edit(attributes, "self.act_fn", "self.activation")
    printed = attributes.modular("impact").stdout
    assert f"{path}:7: `LoneMLP` sets `act_fn`" in printed
    assert "sets `extra`" not in printed


def test_a_renamed_attribute_that_the_child_does_not_set_breaks_nothing(
    attributes: Repository,
) -> None:
    edit(attributes, "self.size = config.size\n", "self.width = config.size\n")
    assert attributes.modular("impact").returncode == 0


CONFIG = "class ElderConfig:\n    size: int = 1\n    depth: int = 2\n"
CONFIG_PATH = "models/elder/configuration_elder.py"
LONE_CONFIG = "\n\nclass LoneConfig(ElderConfig):\n    pass\n"


@pytest.fixture
def configured(repository: Repository) -> Repository:
    """`lone` inherits a configuration, and reads one of its fields and another one."""
    modular_file = CHILD_MLP.replace("abs", "config.depth + config.height").replace(
        "import ElderMLP\n",
        "import ElderMLP\nfrom ..elder.configuration_elder import ElderConfig\n",
    )
    repository.write(
        {
            CONFIG_PATH: CONFIG,
            "models/elder/modeling_elder.py": ELDER + "\n\n" + PARENT_MLP,
            "models/lone/modular_lone.py": modular_file + LONE_CONFIG,
        }
    )
    repository.modular("convert")
    repository.commit()
    return repository


@pytest.mark.parametrize(
    "config",
    [CONFIG.replace("    depth: int = 2\n", ""), "class ElderConfig:\n    pass\n"],
    ids=["one field", "all fields"],
)
def test_a_removed_configuration_field_that_is_still_read_is_broken(
    configured: Repository, config: str
) -> None:
    configured.write({CONFIG_PATH: config})
    printed = configured.modular("impact").stdout
    assert (
        "models/lone/modular_lone.py:8: `LoneMLP` reads `config.depth`, which the "
        "configuration no longer has"
    ) in printed.splitlines()
    assert "`config.height`" not in printed


def test_a_field_of_a_configuration_that_is_no_longer_generated_is_not_reported(
    configured: Repository,
) -> None:
    path = "models/lone/modular_lone.py"
    configured.write({path: configured.read(path).replace(LONE_CONFIG, "")})
    assert "no longer has" not in configured.modular("impact").stdout


def test_a_file_that_was_stale_before_is_not_an_effect(repository: Repository) -> None:
    path = "models/lone/modeling_lone.py"
    repository.write({path: repository.read(path) + "\n# by hand\n"})
    repository.commit()
    edit(repository, "size = 1", "size = 2")
    done = repository.modular("impact")
    assert "by hand" not in done.stdout
    assert "3 files of 3 models would change: +3 -3, 1 cause" in done.stdout


def test_a_path_shows_only_its_own_effects(repository: Repository) -> None:
    edit(repository, "size = 1", "size = 2")
    modular_path = "models/young/modular_young.py"
    text = repository.read(modular_path).replace("pass", "depth = 3")
    repository.write({modular_path: text})
    done = repository.modular("impact", modular_path)
    assert "+    depth = 3" in done.stdout
    assert "size" not in done.stdout


def headings(printed: str) -> list[str]:
    """Return the headings of causes and of their variants."""
    lines = printed.splitlines()
    return [line for line in lines if line.startswith(("--- ", "    variant"))]


def test_a_renamed_method_and_its_calls_are_one_cause_with_variants(
    repository: Repository,
) -> None:
    edit(repository, "return None", "return self.grow(1)")
    repository.modular("convert")
    repository.commit()
    edit(repository, "grow", "rise")
    assert headings(repository.modular("impact").stdout) == [
        "--- ElderLeaf.rise, models/elder/modeling_elder.py:4: 3 files, +8 -6",
        "    variant 1, 2 files, +4 -4: grown, young",
        "    variant 2, 1 file, +4 -2: lone",
    ]


def test_lines_that_only_move_are_counted_and_not_shown(repository: Repository) -> None:
    fall = "    def fall(self):\n        return None\n"
    text = ELDER.replace(f"\n{fall}", "").replace("    size", f"{fall}\n    size")
    repository.write({ELDER_PATH: text})
    shown = repository.modular("impact").stdout
    assert "\n    3 files, +0 -0, 6 lines moved\n" in shown
    assert "def fall" not in shown


def test_a_changed_base_is_the_cause_of_all_lines_of_its_class(
    repository: Repository,
) -> None:
    repository.write(
        {
            "models/willow/modeling_willow.py": ELDER.replace(
                "Elder", "Willow"
            ).replace("return None", "return 2")
        }
    )
    commit_modular_file(repository, OVERRIDING)
    changed = OVERRIDING.replace("elder", "willow").replace("Elder", "Willow")
    repository.write({LONE_PATH: changed})
    assert headings(repository.modular("impact").stdout) == [
        "--- LoneLeaf, models/lone/modular_lone.py:4: 1 file, +1 -1"
    ]


def test_a_member_that_a_modular_file_deletes_is_caused_by_it(
    repository: Repository,
) -> None:
    repository.write({LONE_PATH: OVERRIDING.replace("return by", "return -by")})
    path = "models/young/modular_young.py"
    text = repository.read(path).replace("pass", "fall = AttributeError()")
    repository.write({path: text})
    assert headings(repository.modular("impact").stdout) == [
        f"--- YoungLeaf.fall, {path}:5: 2 files, +0 -4",
        f"--- LoneLeaf.grow, {LONE_PATH}:6: 1 file, +1 -1",
    ]


def test_the_summary_counts_the_errors_of_a_new_model(repository: Repository) -> None:
    text = OVERRIDING.replace("Lone", "Oak").replace("by\n", "super().fly(by)\n")
    repository.write({"models/oak/modular_oak.py": text})
    done = repository.modular("impact")
    assert done.stdout.endswith("\n1 new model; 1 place breaks\n")
    assert done.returncode == 1


def test_a_new_model_is_described_and_is_no_cause(repository: Repository) -> None:
    text = OVERRIDING.replace("Lone", "Oak")
    repository.write({"models/oak/modular_oak.py": text})
    done = repository.modular("impact")
    assert done.stdout == (
        "New model oak: 9 lines, 1 class from elder, overrides: OakLeaf.grow\n\n"
        "1 new model\n"
    )
    printed = repository.modular("impact", "--output-format", "json").stdout
    schema.validate(printed, "impact")
    (model,) = json.loads(printed)["new_models"]
    assert model["classes_from"] == {"elder": 1}


def test_a_deleted_modular_file_and_an_edited_generated_file_are_said(
    repository: Repository,
) -> None:
    (repository.root / LONE_PATH).unlink()
    path = "models/young/modeling_young.py"
    text = repository.read(path).replace("return None", "return 7")
    repository.write({path: text})
    shown = repository.modular("impact").stdout
    assert shown.startswith(
        f"Deleted {LONE_PATH}: its generated files are no longer generated\n"
        f"{path}:8: somebody edited this line: the file is neither an output of modular "
        "nor committed\n"
    )


def test_check_impact_and_review_skip_the_same_number_of_models(
    repository: Repository,
) -> None:
    repository.write({LONE_PATH: OVERRIDING.replace("return by", "return -by")})
    for command in (
        ["impact"],
        ["check", "--since", "HEAD"],
        ["review", "--since", "HEAD"],
    ):
        done = repository.modular(*command)
        assert "2 models skipped: no change affects them\n" in done.stderr


def test_an_error_that_a_model_had_before_is_not_counted(
    repository: Repository,
) -> None:
    broken = OVERRIDING.replace("ElderLeaf)", "ElderLeaf, ElderTwig)")
    repository.write({LONE_PATH: broken.replace("import ", "import ElderTwig, ")})
    repository.commit()
    edit(repository, "size = 1", "size = 2")
    done = repository.modular("impact")
    assert "breaks" not in done.stdout
    assert done.returncode == 0
    assert done.stdout.endswith("2 files of 2 models would change: +2 -2, 1 cause\n")


def test_check_names_the_renamed_method_as_the_one_cause_as_impact_does(
    repository: Repository,
) -> None:
    text = repository.read(ELDER_PATH)
    calling = f"{text}\n    def leap(self):\n        return self.fall()\n"
    repository.write({ELDER_PATH: calling})
    repository.modular("convert")
    repository.commit()
    repository.write({ELDER_PATH: calling.replace("fall", "drop")})
    causes = headings(repository.modular("impact", "models/elder").stdout)
    assert len(causes) == 1
    assert headings(repository.modular("check").stdout) == causes


def test_what_only_moves_because_of_one_of_two_edits_is_no_cause_of_its_own(
    repository: Repository,
) -> None:
    """The override of a renamed method is appended, instead of replacing the method."""
    edit(repository, "def grow", "def rise")
    edit(repository, "size = 1", "size = 2")
    causes = headings(repository.modular("impact", "--output-format", "text").stdout)
    titles = {line.split(",")[0] for line in causes if line.startswith("---")}
    assert titles == {"--- ElderLeaf.rise", "--- ElderLeaf.size"}


def test_check_tells_an_edit_from_a_file_that_was_stale_before(
    repository: Repository,
) -> None:
    stale = OVERRIDING.replace("return by", "return -by")
    repository.write({LONE_PATH: stale})
    repository.commit()
    edit(repository, "size = 1", "size = 2")
    assert headings(repository.modular("check").stdout) == [
        f"--- ElderLeaf.size, {ELDER_PATH}:2: 3 files, +3 -3",
        f"--- LoneLeaf.grow, {LONE_PATH}:6: 1 file, +1 -1",
    ]
