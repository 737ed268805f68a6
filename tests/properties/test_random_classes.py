"""Random classes do what Python's inheritance does, or a finding says where not.

The projects are drawn by people who know the documentation and not the converter. With
Python's inheritance, generated classes are the same or nothing is generated. With the
rules of transformers, each difference that is not documented is said.
"""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from modular.rules.classes import inlined_call, super_call
from modular.rules.classes.merge_record import Fate
from tests.properties.class_traces import MODULAR, Verdict, judge
from tests.properties.conservation import lost_statements
from tests.properties.documented import has_removal, variants
from tests.properties.random_classes import RandomProject, random_project
from tests.properties.reduce_project import reduce_project
from tests.properties.rename_apart import rename_apart


pytestmark = pytest.mark.filterwarnings("ignore")

QUICK_SEEDS = range(0, 20)
SLOW_SEEDS = range(10_000, 10_050)
SEEDS_PER_TEST = 50
APART_QUICK_SEEDS = range(0, 12)
APART_SLOW_SEEDS = range(10_000, 10_030)
MODES = ["python", "transformers"]

MAX_REFUSED = 0.2
"""The share of projects that Python accepts and `inheritance = "python"` refuses.

One in five projects uses names for two things, which is refused in most cases.
"""

REDUCTION_STEPS = 200


@pytest.fixture(autouse=True)
def unfinished_coroutines() -> Iterator[None]:
    """Delete what the probes left while its warnings are ignored."""
    yield
    gc.collect()


def judged(folder: Path, project: RandomProject, inheritance: str) -> Verdict:
    """Judge a project; only the rules of transformers have documented differences."""
    documented = variants if inheritance == "transformers" else None
    return judge(folder, project.files, project.classes, inheritance, documented)


def described(folder: Path, project: RandomProject, inheritance: str) -> str:
    """Return the reduced files of a project with a silent difference."""

    def is_silent(files: dict[str, str]) -> bool:
        classes = [name for name in project.classes if name in files[MODULAR]]
        smaller = RandomProject(project.seed, files, classes)
        try:
            if inheritance == "transformers" and has_removal(files):
                return False
            return judged(folder, smaller, inheritance).outcome == "silent"
        except Exception:
            return False

    files = reduce_project(project.files, is_silent, REDUCTION_STEPS)
    classes = [name for name in project.classes if name in files[MODULAR]]
    smaller = RandomProject(project.seed, files, classes)
    verdict = judged(folder, smaller, inheritance)
    texts = [f"# {path}\n{text}" for path, text in files.items() if "/mod" in path]
    return "\n".join(
        [f"seed {project.seed}", *texts, verdict.generated, str(verdict.unsaid[:1])]
    )


def judge_seeds(folder: Path, seeds: range, inheritance: str) -> dict[str, list[int]]:
    """Return the seeds by outcome, and fail at a silent difference."""
    outcomes: dict[str, list[int]] = {}
    for seed in seeds:
        project = random_project(seed)
        verdict = judged(folder, project, inheritance)
        if verdict.outcome == "silent":
            raise AssertionError(described(folder, project, inheritance))
        outcomes.setdefault(verdict.outcome, []).append(seed)
    return outcomes


@pytest.mark.parametrize("inheritance", MODES)
def test_no_difference_is_silent(tmp_path: Path, inheritance: str) -> None:
    outcomes = judge_seeds(tmp_path, QUICK_SEEDS, inheritance)
    assert len(outcomes["equal"]) >= len(QUICK_SEEDS) // 20


@pytest.mark.slow
@pytest.mark.parametrize("start", SLOW_SEEDS[::SEEDS_PER_TEST])
@pytest.mark.parametrize("inheritance", MODES)
def test_no_difference_of_many_projects_is_silent(
    tmp_path: Path, inheritance: str, start: int
) -> None:
    outcomes = judge_seeds(tmp_path, range(start, start + SEEDS_PER_TEST), inheritance)
    valid = SEEDS_PER_TEST - len(outcomes.get("invalid", ()))
    if inheritance == "python":
        assert len(outcomes["refused"]) <= MAX_REFUSED * valid


def judge_apart(folder: Path, seeds: range) -> None:
    """Give names of their own to the files of projects, and judge those again."""
    for seed in seeds:
        project = random_project(seed)
        apart = RandomProject(seed, rename_apart(project.files), project.classes)
        verdict = judged(folder, apart, "python")
        if verdict.outcome == "silent":
            raise AssertionError(described(folder, apart, "python"))
        captured = [text for text in verdict.findings if "MOD418" in text]
        assert not captured, (seed, captured)


def test_projects_whose_files_share_no_name_stay_equal(tmp_path: Path) -> None:
    judge_apart(tmp_path, APART_QUICK_SEEDS)


@pytest.mark.slow
def test_many_projects_whose_files_share_no_name_stay_equal(tmp_path: Path) -> None:
    judge_apart(tmp_path, APART_SLOW_SEEDS)


def test_every_statement_of_a_method_is_generated(tmp_path: Path) -> None:
    for seed in APART_QUICK_SEEDS:
        project = random_project(seed)
        verdict = judged(tmp_path, project, "python")
        if verdict.outcome == "equal":
            lost = lost_statements(project.files, verdict.generated)
            assert not lost, (seed, lost)


def test_a_project_of_a_seed_is_always_the_same() -> None:
    assert random_project(3) == random_project(3)
    assert random_project(3) != random_project(4)


PARENT_WITH_METHOD = """
class FernA:
    def brew(self, x=1):
        self.a = x
        return x
"""
CHILD = """
from ..fern.modeling_fern import FernA


class MossA(FernA):
    def brew(self, x=1):
        super().brew(x)
        self.a = 5
"""


def small_project(parent: str, child: str) -> RandomProject:
    """Return a project of two texts."""
    files = dict(random_project(0).files)
    files["models/fern/modeling_fern.py"] = parent.lstrip()
    files[MODULAR] = child.lstrip()
    return RandomProject(0, files, ["MossA"])


def test_the_judge_accepts_a_class_that_is_the_same(tmp_path: Path) -> None:
    project = small_project(PARENT_WITH_METHOD, CHILD)
    assert judged(tmp_path, project, "python").outcome == "equal"


def test_the_judge_knows_a_documented_transformation(tmp_path: Path) -> None:
    project = small_project(PARENT_WITH_METHOD, CHILD.replace("self.a = 5", "pass"))
    without_pass = project.files[MODULAR].replace("        pass\n", "")
    project.files[MODULAR] = without_pass
    assert judged(tmp_path, project, "transformers").outcome == "documented"


def test_the_judge_sees_a_difference_that_is_said(tmp_path: Path) -> None:
    child = CHILD.replace("self.a = 5", "self.b = self.a")
    project = small_project(PARENT_WITH_METHOD, child)
    assert judged(tmp_path, project, "transformers").outcome == "said"


def is_silent(folder: Path, seed: int, inheritance: str) -> bool:
    """Tell whether the project of a seed has a difference that nothing says."""
    return judged(folder, random_project(seed), inheritance).outcome == "silent"


SEED_OF_A_SHORTENED_CALL = 36
SEED_OF_A_MERGED_METHOD = 23


def test_a_missing_condition_of_inlining_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_silent(tmp_path, SEED_OF_A_SHORTENED_CALL, "python")
    condition = "_passes_all_parameters"
    monkeypatch.setattr(inlined_call._Inlining, condition, lambda self: True)
    assert is_silent(tmp_path, SEED_OF_A_SHORTENED_CALL, "python")


def test_a_parents_body_that_is_not_rendered_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def render_child_alone(steps):
        return [step.code for step in steps if step.fate is Fate.OWN]

    assert not is_silent(tmp_path, SEED_OF_A_MERGED_METHOD, "transformers")
    monkeypatch.setattr("modular.flatten.merged_class.render_steps", render_child_alone)
    assert is_silent(tmp_path, SEED_OF_A_MERGED_METHOD, "transformers")


def test_a_statement_that_is_lost_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(super_call, "_add_missing", lambda body, added: body[1:])
    assert is_silent(tmp_path, SEED_OF_A_MERGED_METHOD, "transformers")
