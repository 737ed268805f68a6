"""Models are converted after their parents, each once, and stale parents count as regenerated."""

import dataclasses
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from modular import Options, check, convert
from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.project.opening import open_project
from modular.run.engine import Engine
from tests.reporting import (
    diagnostics,
    lines,
    report,
)
from tests.safety.projects import make
from tests.support import FORMATTING, statuses


Modular = Callable[..., Result]

LENGTH = 14
"""Models in a line: enough for more processes than one."""

BASE = """\
class BaseNorm:
    size = 1


class BaseMLP:
    size = 1
"""

FIRST = """\
from ..base.modeling_base import BaseMLP, BaseNorm


class M1Norm(BaseNorm):
    pass


class M1MLP(BaseMLP):
    pass
"""


def link(number: int) -> str:
    """A model whose norm comes from the hand-written file, and whose MLP is that of the model before."""
    before, name = f"M{number - 1}", f"M{number}"
    return (
        f"from ..base.modeling_base import BaseNorm\nfrom ..m{number - 1}.modeling_m{number - 1} import {before}MLP\n\n\n"
        f"class {name}Norm(BaseNorm):\n    pass\n\n\nclass {name}MLP({before}MLP):\n    pass\n"
    )


def modeling(number: int) -> str:
    return f"models/m{number}/modeling_m{number}.py"


def flat(number: int, norm: int, mlp: int) -> str:
    return f"class M{number}Norm:\n    size = {norm}\n\n\nclass M{number}MLP:\n    size = {mlp}\n"


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modular: Modular) -> Path:
    """The line, converted and in the cache."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "project"
    texts = {
        f"models/m{number}/modular_m{number}.py": link(number)
        for number in range(2, LENGTH + 1)
    }
    texts["pyproject.toml"] = '[tool.modular]\npreset = "transformers"\n' + FORMATTING
    texts["models/base/modeling_base.py"] = BASE
    texts["models/m1/modular_m1.py"] = FIRST
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    modular("convert")
    modular("check")
    return root


@pytest.fixture
def conversions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[], list[str]]:
    """Which models were converted since, in the order of their conversion, whatever the process."""
    log = tmp_path / "conversions"
    convert = Converter.convert

    def logging(self: Converter, path: str) -> Conversion:
        with open(log, "a", encoding="utf-8") as file:
            file.write(path.split("/")[1] + "\n")
        return convert(self, path)

    monkeypatch.setattr(Converter, "convert", logging)
    return lambda: log.read_text(encoding="utf-8").split() if log.exists() else []


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def modular_child(name: str, parent: str, letters: str = "AB") -> str:
    source = f"from ..{parent.lower()}.modeling_{parent.lower()} import {', '.join(parent + letter for letter in letters)}\n"
    return source + "".join(
        f"\n\nclass {name}{letter}({parent}{letter}):\n    pass\n" for letter in letters
    )


def flat_model(name: str, value: int, letters: str = "AB") -> str:
    return "\n\n".join(
        f"class {name}{letter}:\n    value = {value}\n" for letter in letters
    )


LINE = {
    "models/base/modeling_base.py": flat_model("Base", 1),
    "models/aa/modular_aa.py": modular_child("Aa", "Base"),
    "models/bb/modular_bb.py": modular_child("Bb", "Aa"),
    "models/cc/modular_cc.py": modular_child("Cc", "Bb"),
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    return make(tmp_path / "project", LINE)


def circle_of_three() -> dict[str, str]:
    """Return three modular files: aya takes from yi, yi from bolt, and bolt from aya."""
    takes = {"aya": "yi", "yi": "bolt", "bolt": "aya"}
    source = "from ..{parent}.modeling_{parent} import {P}MLP\n\n\nclass {M}MLP({P}MLP):\n    pass\n"
    return {
        f"models/{model}/modular_{model}.py": source.format(
            parent=parent, P=parent.title(), M=model.title()
        )
        for model, parent in takes.items()
    }


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_each_is_converted_once(
    line: Path, modular: Modular, conversions: Callable[[], list[str]], jobs: str
) -> None:
    replace(line / "models/base/modeling_base.py", "size = 1", "size = 2")
    done = modular("check", "--output-format", "json", "--jobs", jobs)
    assert set(statuses(done).values()) == {"stale"}
    assert conversions() == [f"m{number}" for number in range(1, LENGTH + 1)]
    assert modular("convert", "--jobs", jobs).exit_code == 0
    texts = [
        (line / modeling(number)).read_text(encoding="utf-8")
        for number in range(1, LENGTH + 1)
    ]
    assert texts == [flat(number, 2, 2) for number in range(1, LENGTH + 1)]


def test_a_target_lets_only_its_ancestors_be_converted_before_it(
    line: Path, modular: Modular, conversions: Callable[[], list[str]]
) -> None:
    replace(line / "models/base/modeling_base.py", "size = 1", "size = 2")
    assert modular("convert", "m4").exit_code == 0
    assert conversions() == ["m1", "m2", "m3", "m4"]
    assert (line / modeling(4)).read_text(encoding="utf-8") == flat(4, 2, 2)
    assert (line / modeling(3)).read_text(encoding="utf-8") == flat(3, 1, 1)


def test_what_turns_out_the_same_converts_nothing_behind_it(
    line: Path, modular: Modular, conversions: Callable[[], list[str]]
) -> None:
    replace(
        line / "models/m3/modular_m3.py",
        "class M3Norm",
        "# Nothing else is new.\n\n\nclass M3Norm",
    )
    modular("convert", "m3")
    assert modular("check").exit_code == 0
    assert conversions() == ["m3"]


def test_the_result_that_edits_are_compared_with_stays_in_the_cache(
    line: Path, conversions: Callable[[], list[str]]
) -> None:
    path = "models/base/modeling_base.py"
    for size in range(2, 8):
        (line / path).write_text(BASE.replace("size = 1", f"size = {size}"))
        # A file that changed just before a run may not have its last content yet.
        time.sleep(0.02)
        check(options=Options(jobs=1))
        edited = conversions()
        check(options=Options(jobs=1, unsaved={path: BASE}))
        assert conversions() == edited


def test_a_change_in_the_middle(
    line: Path, modular: Modular, conversions: Callable[[], list[str]]
) -> None:
    replace(
        line / "models/m3/modular_m3.py",
        "class M3MLP(M2MLP):\n    pass",
        "class M3MLP(M2MLP):\n    size = 3",
    )
    assert modular("convert").exit_code == 0
    assert conversions() == [f"m{number}" for number in range(3, LENGTH + 1)]
    assert (line / modeling(LENGTH)).read_text(encoding="utf-8") == flat(LENGTH, 1, 3)


def test_a_change_in_the_middle_and_at_the_end(
    line: Path, modular: Modular, conversions: Callable[[], list[str]]
) -> None:
    """Of a modular file that changed nothing is known: it is converted at once, and again after the models that it takes from."""
    replace(
        line / "models/m3/modular_m3.py",
        "class M3MLP(M2MLP):\n    pass",
        "class M3MLP(M2MLP):\n    size = 3",
    )
    replace(
        line / "models/m5/modular_m5.py",
        "class M5Norm(BaseNorm):\n    pass",
        "class M5Norm(BaseNorm):\n    size = 5",
    )
    assert modular("convert", "m5").exit_code == 0
    assert conversions() == ["m3", "m5", "m4", "m5"]
    assert (line / modeling(5)).read_text(encoding="utf-8") == flat(5, 5, 3)


def test_models_with_unsaved_changes_are_converted_once(
    line: Path, conversions: Callable[[], list[str]]
) -> None:
    modulars = [f"models/m{number}/modular_m{number}.py" for number in (3, 4, 5)]
    unsaved = {path: f"# New.\n{(line / path).read_text()}" for path in modulars}
    base = "models/base/modeling_base.py"
    unsaved[base] = BASE.replace("size = 1", "size = 2")
    project = dataclasses.replace(open_project(line), unsaved=unsaved)

    results = Engine(project, Options(jobs=1)).run(project.modular_files)
    assert conversions() == [f"m{number}" for number in range(1, LENGTH + 1)]
    last = modeling(LENGTH)
    text = results[f"models/m{LENGTH}/modular_m{LENGTH}.py"].texts[last]
    assert text == flat(LENGTH, 2, 2)


def test_an_unsaved_text_that_is_also_on_disk_does_not_delay_a_model(
    line: Path,
) -> None:
    modulars = [f"models/m{number}/modular_m{number}.py" for number in (3, 5)]
    for path in modulars:
        (line / path).write_text(f"# New.\n{(line / path).read_text()}")
    unsaved = {path: (line / path).read_text() for path in modulars}
    project = dataclasses.replace(open_project(line), unsaved=unsaved)

    progress: list[tuple[str, int, int]] = []
    options = Options(jobs=1, progress=lambda *step: progress.append(step))
    Engine(project, options).run(project.modular_files)
    assert progress[:3] == [
        ("converting models", 0, 2),
        ("converting models", 1, 2),
        ("converting models", 2, 2),
    ]


@pytest.mark.parametrize("keeps_files", [False, True])
def test_workers_send_the_output_files_only_if_they_are_kept(
    line: Path, keeps_files: bool
) -> None:
    changed = "models/m3/modular_m3.py"
    unsaved = {
        changed: f"# New.\n{(line / changed).read_text()}",
        "models/base/modeling_base.py": BASE.replace("size = 1", "size = 2"),
    }
    project = dataclasses.replace(open_project(line), unsaved=unsaved)
    engine = Engine(project, Options(jobs=2))
    engine.keeps_files = keeps_files
    results = engine.run(project.modular_files)
    for number in range(1, LENGTH + 1):
        paths = [
            file.path
            for file in results[f"models/m{number}/modular_m{number}.py"].files
        ]
        assert paths == ([modeling(number)] if keeps_files else [])


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_check_keeps_output_files_and_a_conversion_does_not(
    line: Path, dry_run: bool
) -> None:
    replace(line / "models/base/modeling_base.py", "size = 1", "size = 2")
    options = Options(root=line, jobs=2, store=False)
    checked = check(options=options)
    converted_only = convert(dry_run=dry_run, options=options)
    modulars = [f"models/m{number}/modular_m{number}.py" for number in (1, LENGTH)]
    for path in modulars:
        assert checked.results[path].files != ()
        assert converted_only.results[path].files == ()


def test_what_is_known_of_fresh_parents_is_not_found_out_again(
    root: Path, converted: list[str]
) -> None:
    options = Options(root=root, jobs=1)
    convert(options=options)
    (root / "models/aa/modeling_aa.py").write_text(
        flat_model("Aa", 9), encoding="utf-8"
    )
    check(options=options)
    converted.clear()
    check(options=options)
    assert converted == []


@pytest.mark.parametrize("cache", [False, True])
def test_a_model_that_fails_is_as_it_is_on_disk(root: Path, cache: bool) -> None:
    """It could be converted with the stale parent, but not with the fresh one: its children see neither."""
    (root / "models/aa/modular_aa.py").write_text(
        modular_child("Aa", "Base", "A"), encoding="utf-8"
    )
    (root / "models/aa/modeling_aa.py").write_text(
        flat_model("Aa", 2), encoding="utf-8"
    )
    (root / "models/bb/modeling_bb.py").write_text(
        flat_model("Bb", 3), encoding="utf-8"
    )
    options = Options(root=root, jobs=1, cache=cache, force=True)
    report = convert(options=options)
    assert [
        (diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics
    ] == [("MOD202", "models/bb/modular_bb.py")]
    assert (
        (root / "models/cc/modeling_cc.py")
        .read_text(encoding="utf-8")
        .endswith(flat_model("Cc", 3))
    )
    assert (
        (root / "models/aa/modeling_aa.py")
        .read_text(encoding="utf-8")
        .endswith(flat_model("Aa", 1, "A"))
    )


def test_a_stale_parent_from_the_future(root: Path) -> None:
    """What came of it cannot be kept; it is not mixed up with what the cache has, which holds for the fresh parent."""
    options = Options(root=root, jobs=1, force=True)
    convert(options=options)
    check(options=options)
    stale = root / "models/aa/modeling_aa.py"
    stale.write_text(flat_model("Aa", 9), encoding="utf-8")
    os.utime(stale, (time.time() + 3600,) * 2)
    (root / "models/bb/modeling_bb.py").write_text("# Not this.\n", encoding="utf-8")
    convert(options=options)
    assert (
        (root / "models/bb/modeling_bb.py")
        .read_text(encoding="utf-8")
        .endswith(flat_model("Bb", 1))
    )


def test_an_error_of_the_caller_ends_a_run_with_other_processes(tmp_path: Path) -> None:
    """They may just be sending what nobody reads any more."""
    base = (
        flat_model("Base", 1)
        + "\n\n"
        + "".join(f"VALUE_{number} = {number}\n" for number in range(1000))
    )
    big = "class BaseA:\n    value = 1\n" + "".join(
        f"    value_{number} = {number}\n" for number in range(4_000)
    )
    models = {
        f"models/m{number}/modular_m{number}.py": modular_child(
            f"M{number}", "Base", "A"
        )
        for number in range(12)
    }
    root = make(
        tmp_path / "project",
        {"models/base/modeling_base.py": f"{base}\n\n{big}", **models},
    )

    def stop(phase: str, done: int, total: int) -> None:
        # Before the first model, no worker has started.
        if done:
            raise KeyboardInterrupt

    progress: Callable[[str, int, int], None] = stop
    with pytest.raises(KeyboardInterrupt):
        check(options=Options(root=root, jobs=2, cache=False, progress=progress))


def test_circle(tmp_path: Path) -> None:
    circle = (
        "modular files inherit from each other in a cycle: models/aya/modular_aya.py -> models/yi/modular_yi.py -> "
        "models/bolt/modular_bolt.py -> models/aya/modular_aya.py"
    )
    assert report(tmp_path, circle_of_three()) == lines(f"""
        error[MOD205]: {circle}
          --> models/aya/modular_aya.py:1:8
         1 | from ..yi.modeling_yi import YiMLP
           |        ^^^^^^^^^^^^^^
             hint: let one of them inherit from a hand-written file

        error[MOD205]: {circle}
          --> models/bolt/modular_bolt.py:1:8
         1 | from ..aya.modeling_aya import AyaMLP
           |        ^^^^^^^^^^^^^^^^
             hint: let one of them inherit from a hand-written file

        error[MOD205]: {circle}
          --> models/yi/modular_yi.py:1:8
         1 | from ..bolt.modeling_bolt import BoltMLP
           |        ^^^^^^^^^^^^^^^^^^
             hint: let one of them inherit from a hand-written file

        """)


def test_a_kept_import_closes_no_circle(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[tool.modular]\nmodels = ["models"]\n'
        'file-names = "{model}.py"\nmodel-imports = "keep"\ninheritance = "python"\n',
        "models/wren.py": "class WrenMLP:\n    pass\n",
        "models/yi.py": "class YiMLP:\n    pass\n",
        "models/modular_aya.py": "from .wren import WrenMLP\nfrom models.yi import YiMLP\n\n\n"
        "class AyaMLP(WrenMLP):\n    pass\n\n\n"
        "class AyaMoe(YiMLP):  # modular: keep\n    pass\n",
        "models/modular_yi.py": "from .aya import AyaMLP\n\n\n"
        "class YiMLP(AyaMLP):\n    pass\n",
    }
    reported = diagnostics(tmp_path, files)
    assert [diagnostic for diagnostic in reported if diagnostic.is_error] == []


def test_circle_of_files_that_were_generated_once(tmp_path: Path) -> None:
    generated = {
        f"models/{model}/modeling_{model}.py": f"class {model.title()}MLP:\n    pass\n"
        for model in ("aya", "yi", "bolt")
    }
    reported = diagnostics(tmp_path, {**circle_of_three(), **generated})
    assert [(diagnostic.code.id, diagnostic.place.path) for diagnostic in reported] == [
        ("MOD205", "models/aya/modular_aya.py"),
        ("MOD205", "models/bolt/modular_bolt.py"),
        ("MOD205", "models/yi/modular_yi.py"),
    ]
