"""Calls in modular files whose arguments a changed parent no longer takes."""

from collections.abc import Iterator

import pytest

import modular
from modular import Impact, Options
from modular.effects.broken_calls import methods_with_changed_header
from modular.effects.parent_changes import ChangedParent
from modular.source.module import read
from tests.effects.elder import ELDER_PATH, LONE_PATH, make_elder
from tests.repository import Repository


PARENT = """\
def shade(leaf):
    return leaf


class ElderStem:
    def __init__(self, config):
        self.width = config

    @staticmethod
    def bend(angle):
        return 1


class ElderTwig(ElderStem):
    def carry(self, load, side=0):
        return 1


class ElderLeaf(ElderStem):
    def grow(self, by):
        return by
"""

CHILD = """\
from ..elder.modeling_elder import ElderLeaf, ElderStem, ElderTwig, shade


class LoneTwig(ElderTwig):
    def hang(self):
        return self.carry(
            1
        )

    def lean(self):
        return self.bend(3)


class LoneBranch(LoneTwig):
    def hang(self):
        return self.carry(load=2)

    def carry(self, load):
        return super().carry(load)


class LoneLeaf(ElderLeaf):
    def grow(self, by):
        return super().grow(by) + 1

    def stretch(self, *sizes):
        return self.grow(1) + self.carry(2)


class LoneStem(ElderTwig):
    def hang(self):
        return self.carry(load=1) + super().carry(load=2)

    def drop(self):
        return self.carry()


def plant(config):
    stem = ElderStem(config)
    return shade(LoneTwig(config)), stem
"""


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    repository = make_elder(tmp_path_factory.mktemp("calls") / "project")
    repository.write({ELDER_PATH: PARENT, LONE_PATH: CHILD})
    repository.modular("convert", "lone")
    repository.commit()
    return repository


@pytest.fixture
def repository(committed: Repository) -> Iterator[Repository]:
    """The repository; afterwards its parent file is as it was."""
    yield committed
    committed.write({ELDER_PATH: PARENT})


def effects(repository: Repository, old: str, new: str) -> Impact:
    assert old in PARENT
    repository.write({ELDER_PATH: PARENT.replace(old, new)})
    return modular.impact(options=Options(root=repository.root, jobs=1))


def problems(result: Impact) -> list[str]:
    """Return what breaks in the modular file of `lone`, without its path."""
    lines = [str(problem) for problem in result.problems()]
    return [
        line.removeprefix(f"{LONE_PATH}:")
        for line in lines
        if line.startswith(LONE_PATH)
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "carry(self, load, side=0)",
            "carry(self, load, side)",
            [
                "6: `LoneTwig` calls `self.carry` without `side`: the parameters of "
                "`ElderTwig.carry` changed to `(self, load, side)`",
                "19: `LoneBranch` calls `super().carry` without `side`: the parameters "
                "of `ElderTwig.carry` changed to `(self, load, side)`",
                "32: `LoneStem` calls `self.carry` without `side`: the parameters of "
                "`ElderTwig.carry` changed to `(self, load, side)`",
                "32: `LoneStem` calls `super().carry` without `side`: the parameters of "
                "`ElderTwig.carry` changed to `(self, load, side)`",
            ],
        ),
        (
            "carry(self, load, side=0)",
            "carry(self, weight, side=0)",
            [
                "32: `LoneStem` calls `self.carry` with `load`, which is not a parameter of "
                "it: the parameters of `ElderTwig.carry` changed to `(self, weight, "
                "side)`",
                "32: `LoneStem` calls `super().carry` with `load`, which is not a parameter "
                "of it: the parameters of `ElderTwig.carry` changed to `(self, weight, "
                "side)`",
            ],
        ),
        ("carry(self, load, side=0)", "carry(self, load, side=0, top=1)", []),
        (
            "grow(self, by)",
            "grow(self, by, speed)",
            [
                "24: `LoneLeaf` calls `super().grow` without `speed`: the parameters of "
                "`ElderLeaf.grow` changed to `(self, by, speed)`"
            ],
        ),
        (
            "bend(angle)",
            "bend(angle, force)",
            [
                "11: `LoneTwig` calls `self.bend` without `force`: the parameters of "
                "`ElderTwig.bend` changed to `(angle, force)`"
            ],
        ),
        ("bend(angle)", "bend(turn)", []),
        (
            "shade(leaf)",
            "shade(leaf, light)",
            [
                "40: `plant` calls `shade` without `light`: the parameters of `shade` "
                "changed to `(leaf, light)`"
            ],
        ),
        (
            "__init__(self, config)",
            "__init__(self, config, depth)",
            [
                "39: `plant` calls `ElderStem` without `depth`: the parameters of "
                "`ElderStem.__init__` changed to `(self, config, depth)`",
                "40: `plant` calls `LoneTwig` without `depth`: the parameters of "
                "`ElderTwig.__init__` changed to `(self, config, depth)`",
            ],
        ),
    ],
)
def test_a_call_that_a_parent_no_longer_takes_is_broken_at_its_line(
    repository: Repository, old: str, new: str, expected: list[str]
) -> None:
    assert problems(effects(repository, old, new)) == expected


def test_classes_that_inherit_from_each_other_do_not_stop_the_search(
    repository: Repository,
) -> None:
    cycle = "class LoneRing(LoneLoop, ElderTwig):\n    pass\n\n\n"
    cycle += "class LoneLoop(LoneRing):\n    pass\n"
    try:
        repository.write({LONE_PATH: f"{CHILD}\n\n{cycle}"})
        result = effects(
            repository, "carry(self, load, side=0)", "carry(self, load, to)"
        )
    finally:
        repository.write({LONE_PATH: CHILD})
    assert "6: `LoneTwig` calls `self.carry` without `to`" in "\n".join(
        problems(result)
    )


def test_a_new_header_without_new_parameters_breaks_no_call(
    repository: Repository,
) -> None:
    assert problems(effects(repository, "grow(self, by)", "grow(self, by: int)")) == []


def test_the_method_that_python_finds_first_among_several_bases_is_called() -> None:
    old = """\
class ElderRoot:
    def turn(self, angle): ...


class ElderLeft(ElderRoot): ...


class ElderRight(ElderRoot):
    def turn(self, angle): ...


class ElderCrown(ElderLeft, ElderRight): ...
"""
    new = old.replace("turn(self, angle)", "turn(self, angle, force)", 1)
    parent = ChangedParent(read("elder.py", old), read("elder.py", new))
    assert not methods_with_changed_header(parent, "ElderCrown")
    assert list(methods_with_changed_header(parent, "ElderLeft")) == ["turn"]
