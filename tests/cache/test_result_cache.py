"""The cache never changes what a command reports, whatever happens to its files."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import sleep

import pytest
from click.testing import Result

from modular import Options, Status, convert
from modular import check as run_check
from modular.cache import fingerprints
from modular.cache import result_cache as caches
from modular.cache.fingerprints import FILE_CLOCK_TICK_NS
from modular.system.ruff import RUFF_VARIABLE, ruff_executable
from tests.family import CHILD_OUTPUT, GRANDCHILD_OUTPUT
from tests.family import GRANDCHILD as GRANDCHILD_MODULAR
from tests.support import statuses


Modular = Callable[..., Result]

CHILD = "models/child/modeling_child.py"

MODULAR_CHILD = "models/child/modular_child.py"

GRANDCHILD = "models/grandchild/modeling_grandchild.py"

NOTHING_CHANGED = {CHILD: "identical", GRANDCHILD: "identical"}


@pytest.fixture
def filled(project: Path, modular: Modular, converted: list[str]) -> Path:
    """The project with all files converted and all results in the cache."""
    modular("convert")
    modular("check")
    converted.clear()
    return project


def entries(project: Path) -> list[Path]:
    """The files of the cache, of which each holds a model's result."""
    return sorted((project.parent / "cache").glob("results-*/*"))


def check(modular: Modular, *arguments: str) -> dict[str, str]:
    return statuses(modular("check", "--output-format", "json", *arguments))


def test_a_check_that_converts_nothing_loads_no_slow_package(filled: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from modular import Options, check\n"
        "print(len(check(options=Options(root=Path(sys.argv[1]))).files))\n"
        "print(sorted({'libcst', 'filelock', 'multiprocessing'} & sys.modules.keys()))\n"
    )
    outputs = []
    # The first process may convert, if modular itself was changed during the tests.
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code, filled],
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(done.stdout)
    assert outputs[1] == "2\n[]\n"


def test_an_unchanged_model_is_not_converted_again(
    filled: Path, modular: Modular, converted: list[str]
) -> None:
    assert check(modular) == NOTHING_CHANGED
    assert converted == []


def test_no_cache_converts_everything_again(
    filled: Path, modular: Modular, converted: list[str]
) -> None:
    assert check(modular, "--no-cache") == NOTHING_CHANGED
    assert sorted(set(converted)) == ["child", "grandchild"]


def test_a_changed_modular_file_makes_its_outputs_and_those_of_children_stale(
    filled: Path, modular: Modular
) -> None:
    path = filled / "models/child/modular_child.py"
    path.write_text(path.read_text().replace("return -self", "return +self"))
    assert check(modular) == {CHILD: "stale", GRANDCHILD: "stale"}


def test_a_changed_parent_file_makes_all_descendants_stale(
    filled: Path, modular: Modular
) -> None:
    path = filled / "models/base/modeling_base.py"
    path.write_text(
        path.read_text().replace("config.hidden_size, 4", "config.hidden_size, 8")
    )
    assert check(modular) == {CHILD: "stale", GRANDCHILD: "stale"}


def test_a_change_of_a_model_without_children_converts_no_other_model(
    filled: Path, modular: Modular, converted: list[str]
) -> None:
    path = filled / "models/grandchild/modular_grandchild.py"
    path.write_text(path.read_text().replace("    pass", "    size = 1"))
    assert check(modular) == {CHILD: "identical", GRANDCHILD: "stale"}
    assert converted == ["grandchild"]


def test_a_change_that_is_taken_back_converts_nothing(
    filled: Path, modular: Modular, converted: list[str]
) -> None:
    """The results from before the change are kept beside those from after it."""
    path = filled / "models/base/modeling_base.py"
    old_text = path.read_text()
    new_text = old_text.replace("config.hidden_size, 4", "config.hidden_size, 8")
    path.write_text(new_text)
    assert check(modular) == {CHILD: "stale", GRANDCHILD: "stale"}
    converted.clear()
    for _ in range(2):
        path.write_text(old_text)
        assert check(modular) == NOTHING_CHANGED
        path.write_text(new_text)
        assert check(modular) == {CHILD: "stale", GRANDCHILD: "stale"}
    assert converted == []


def test_a_deleted_parent_file_is_reported(filled: Path, modular: Modular) -> None:
    (filled / "models/base/modeling_base.py").unlink()
    done = modular("check", "child")
    assert done.exit_code == 1
    assert "MOD201" in done.stderr


def test_a_parent_that_is_no_longer_generated_is_read_from_its_other_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file that was read changes, but another one counts: where a modular file generates the parent, that comes first."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    parent = "class EagleWing:\n    size = {}\n"
    files = {
        "pyproject.toml": '[tool.modular]\noutput = "generated"\n[tool.modular.banner]\ntext = ""\n',
        "models/hawk/modeling_hawk.py": "class HawkWing:\n    size = 1\n",
        "models/eagle/modular_eagle.py": (
            "from ..hawk.modeling_hawk import HawkWing\n\n\nclass EagleWing(HawkWing):\n    size = 2\n"
        ),
        "models/eagle/modeling_eagle.py": parent.format(3),
        "models/owl/modular_owl.py": (
            "from ..eagle.modeling_eagle import EagleWing\n\n\nclass OwlWing(EagleWing):\n    pass\n"
        ),
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    options = Options(root=tmp_path)
    owl = tmp_path / "generated/owl/modeling_owl.py"
    convert(options=options)
    convert(
        options=options
    )  # now that the folder `generated` is there, which a formatter may ask for
    assert owl.read_text() == "class OwlWing:\n    size = 2\n"
    (tmp_path / "models/eagle/modular_eagle.py").unlink()
    convert(options=options)
    assert owl.read_text() == "class OwlWing:\n    size = 3\n"


def test_a_cycle_is_refused_though_each_model_is_in_the_cache(
    filled: Path, modular: Modular
) -> None:
    """Each of two models has inherited from the other one, which was written out; now both do."""
    child, grandchild = (
        filled / f"models/{model}/modular_{model}.py"
        for model in ("child", "grandchild")
    )
    grandchild.write_text(child.read_text().replace("ChildMLP", "GrandchildMLP"))
    child.write_text(
        "from ..grandchild.modeling_grandchild import GrandchildMLP\n\n\nclass ChildMLP(GrandchildMLP):\n    pass\n"
    )
    assert check(modular) == NOTHING_CHANGED
    grandchild.write_text(GRANDCHILD_MODULAR)
    done = modular("check")
    assert done.exit_code == 1
    assert (
        done.stderr.count(
            "error[MOD205]: modular files inherit from each other in a cycle"
        )
        == 2
    )


def test_changed_settings_make_files_stale(filled: Path, modular: Modular) -> None:
    path = filled / "pyproject.toml"
    path.write_text(
        path.read_text().replace('text = ""', 'text = "# made by modular\\n"')
    )
    assert check(modular) == {CHILD: "stale", GRANDCHILD: "stale"}


def test_another_kind_of_inheritance_ignores_cached_results(
    filled: Path, modular: Modular, converted: list[str]
) -> None:
    path = filled / "pyproject.toml"
    setting = '[tool.modular]\ninheritance = "python"\n'
    path.write_text(path.read_text().replace("[tool.modular]\n", setting))
    check(modular)
    assert converted


def test_another_ruff_of_the_same_version_ignores_cached_results(
    filled: Path,
    modular: Modular,
    converted: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = filled.parent / "ruff"
    program.write_text(f'#!/bin/sh\nexec {ruff_executable()} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv(RUFF_VARIABLE, str(program))
    check(modular)
    converted.clear()
    check(modular)
    assert not converted
    program.write_text(program.read_text() + "# rebuilt\n")
    check(modular)
    assert converted


def test_changed_formatter_settings_make_files_stale(
    filled: Path, modular: Modular
) -> None:
    path = filled / "pyproject.toml"
    path.write_text(path.read_text() + "\n[tool.ruff.format]\nindent-style = 'tab'\n")
    assert check(modular) == {CHILD: "stale", GRANDCHILD: "stale"}


def test_a_changed_cased_name_makes_files_stale(filled: Path, modular: Modular) -> None:
    """Another cased name: the parent's helper is called differently in the child."""
    base = filled / "models/base/modeling_base.py"
    helper = "class BaseNorm(nn.Module):\n    pass\n\n\nclass BaseMLP"
    base.write_text(
        base.read_text()
        .replace("class BaseMLP", helper)
        .replace("nn.Linear(", "BaseNorm(")
    )
    modular("convert")
    assert "class ChildNorm(nn.Module):" in (filled / CHILD).read_text()
    (filled / "models/child/configuration_child.py").write_text(
        'class CHILDConfig:\n    model_type = "child"\n'
    )
    assert check(modular, "child") == {CHILD: "stale"}


@pytest.mark.parametrize("name", ["identify_formatter", "_digest_of_modular"])
def test_results_of_another_version_are_not_used(
    filled: Path,
    modular: Modular,
    converted: list[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    """Of the formatter, or of modular itself: what is known from before does not count."""
    monkeypatch.setattr(fingerprints, name, lambda *_: "another")
    assert check(modular) == NOTHING_CHANGED
    assert sorted(set(converted)) == ["child", "grandchild"]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "flip": lambda data: bytes(
        byte ^ 1 if index % 100 == 99 else byte for index, byte in enumerate(data)
    ),
    "truncate": lambda data: data[: len(data) // 2],
    "garbage": lambda _: b"garbage" * 1000,
    "nested": lambda _: b"[" * 100_000 + b"\n" + b"[" * 100_000,
    "empty": lambda _: b"",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_counts_as_missing(
    filled: Path, modular: Modular, converted: list[str], damage: str
) -> None:
    for path in entries(filled):
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    for path in (CHILD, GRANDCHILD):
        (filled / path).unlink()
    assert modular("convert").exit_code == 0
    assert (filled / CHILD).read_text() == CHILD_OUTPUT
    assert (filled / GRANDCHILD).read_text() == GRANDCHILD_OUTPUT
    converted.clear()
    assert check(modular) == NOTHING_CHANGED
    assert converted == []


def test_an_entry_with_another_digest_counts_as_missing(
    filled: Path, modular: Modular
) -> None:
    """An entry whose text is another than when it was stored is not believed."""
    for path in entries(filled):
        path.write_text(path.read_text().replace("class ", "class Other"))
    for path in (CHILD, GRANDCHILD):
        (filled / path).unlink()
    assert modular("convert").exit_code == 0
    assert (filled / CHILD).read_text() == CHILD_OUTPUT


def test_a_folder_at_the_path_of_an_entry_does_no_harm(
    filled: Path, modular: Modular
) -> None:
    for path in entries(filled):
        path.unlink()
        path.mkdir()
    assert check(modular) == NOTHING_CHANGED


def test_a_cache_can_be_restored_at_another_path(
    filled: Path,
    modular: Modular,
    converted: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both the cache and the project stand elsewhere, as after a restore in CI."""
    shutil.copytree(tmp_path / "cache", tmp_path / "elsewhere/cache")
    shutil.copytree(filled, tmp_path / "elsewhere/project")
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "elsewhere/cache"))
    monkeypatch.chdir(tmp_path / "elsewhere/project")
    assert check(modular) == NOTHING_CHANGED
    assert converted == []


def with_content(reads: caches.Reads) -> bool:
    """Read all of a result, whatever it was made from."""
    return True


def test_the_entries_that_were_not_used_for_longest_are_deleted_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = caches.Cache(tmp_path)
    cache.store({key: caches.Result("model") for key in ("first", "second", "third")})
    for time, key in enumerate(("first", "second", "third")):
        os.utime(next(tmp_path.glob(f"results-*/{key}")), (time, time))
    assert cache.results("first", with_content), "now it was used last"
    monkeypatch.setattr(
        caches,
        "MAX_CACHE_BYTES",
        3 * next(tmp_path.glob("results-*/first")).stat().st_size,
    )
    cache.store({"fourth": caches.Result("model")})
    keys = ("first", "second", "third", "fourth")
    left = [key for key in keys if cache.results(key, with_content)]
    assert left == ["first", "third", "fourth"]


def test_a_run_that_stores_nothing_deletes_nothing(
    filled: Path, converted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache is too large by now, but only a run that stores results makes room."""
    before = entries(filled)
    monkeypatch.setattr(caches, "MAX_CACHE_BYTES", 0)
    child = next(filled.rglob("modular_child.py"))
    child.write_text(child.read_text() + "\n# changed\n")
    run_check(options=Options(root=filled, store=False, jobs=1))
    assert "child" in converted
    assert before
    assert entries(filled) == before


def test_a_cache_folder_that_cannot_be_written_does_no_harm(
    filled: Path,
    modular: Modular,
    converted: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "file/cache"))
    assert check(modular) == NOTHING_CHANGED
    assert sorted(set(converted)) == ["child", "grandchild"]


def test_the_cache_writes_nothing_into_the_project(filled: Path) -> None:
    names = {path.name for path in filled.rglob("*") if path.is_file()}
    assert names == {
        "pyproject.toml",
        "modeling_base.py",
        "modular_child.py",
        "modeling_child.py",
        "modular_grandchild.py",
        "modeling_grandchild.py",
    }


@pytest.mark.parametrize(
    "before", ["line-length = 100\n", None], ids=["changed", "new"]
)
def test_results_are_not_stored_if_formatter_settings_change_during_the_run(
    project: Path, before: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was formatted with them is not kept under those that were there before, and are there again."""
    monkeypatch.setattr(fingerprints, "FILE_CLOCK_TICK_NS", FILE_CLOCK_TICK_NS)
    file = project / "ruff.toml"

    def restore() -> None:
        file.unlink(missing_ok=True)
        if before is not None:
            file.write_text(before)

    def change(phase: str, done: int, total: int) -> None:
        file.write_text("line-length = 100\nindent-width = 2\n")

    restore()
    # Without the change during the run, results would be stored after this time.
    sleep(2 * FILE_CLOCK_TICK_NS / 1_000_000_000)
    convert(options=Options(root=project, jobs=1, progress=change))
    assert "\n  def" in (project / CHILD).read_text()
    restore()
    assert {file.status for file in run_check(options=Options(root=project)).files} == {
        Status.STALE
    }


@pytest.mark.parametrize("folder", ["results-3", "staged", "renames", "outputs"])
def test_a_pipe_in_the_cache_folder_is_not_waited_for(
    filled: Path, folder: str
) -> None:
    cache = filled.parent / "cache"
    (filled / MODULAR_CHILD).write_text(
        (filled / MODULAR_CHILD).read_text() + "# changed\n"
    )
    shutil.rmtree(cache / folder, ignore_errors=True)
    (cache / folder).unlink(missing_ok=True)
    if folder == "outputs":
        os.mkfifo(cache / folder)
    else:
        (cache / folder).mkdir(parents=True)
        root_digest = fingerprints.digest(os.fsencode(filled.resolve()))
        os.mkfifo(cache / folder / "a.jsonl")
        os.mkfifo(cache / folder / f"{root_digest}.json")
        os.mkfifo(
            cache
            / folder
            / fingerprints.Fingerprints(Options(root=filled).open()).key(
                MODULAR_CHILD, has_info=False
            )
        )
    for command in (["convert"], ["rename", "ParentMLP", "ParentGate", "--diff"]):
        done = subprocess.run(
            [sys.executable, "-m", "modular", *command],
            cwd=filled,
            capture_output=True,
            timeout=60,
        )
        assert b"Traceback" not in done.stderr
