"""The origins of generated lines are found once, and kept in the cache with the result."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from modular.cache import fingerprints
from modular.cache.fingerprints import FILE_CLOCK_TICK_NS
from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.flatten.outputs import Renaming
from modular.provenance.origin_runs import decode, encode, join_lines, pair_runs
from modular.provenance.origins import BlamedLine
from modular.rules.files.drafts import Provenance
from tests.birds import HAWK
from tests.support import statuses


Run = Callable[..., Result]

PARENT = "models/hawk/modeling_hawk.py"
OWL = "models/owl/modeling_owl.py"
OWLET = "models/owlet/modeling_owlet.py"


def random_line(number: int, random_: random.Random) -> BlamedLine:
    """A line whose values are drawn from so few that neighbours often form a run."""
    is_made = random_.random() < 0.2
    renamed = random_.choice([None, Renaming("hawk", "owl")])
    return BlamedLine(
        line=number,
        kind=Provenance.MADE if is_made else Provenance.INHERITED,
        path=None if is_made else random_.choice([PARENT, OWL]),
        origin_line=None if is_made else number + random_.choice([0, 0, 0, 1]),
        class_=random_.choice([None, "OwlWing"]),
        member=random_.choice([None, "beat"]),
        renamed=None if is_made else renamed,
    )


@pytest.mark.parametrize("seed", range(20))
def test_runs_keep_every_line(seed: int) -> None:
    random_ = random.Random(seed)
    lines = [random_line(number, random_) for number in range(1, 200)]
    runs = decode(encode({OWL: join_lines(lines)}))[OWL]
    assert [line for run in runs for line in run.lines()] == lines


@pytest.mark.parametrize("seed", range(20))
def test_paired_runs_have_the_same_lines(seed: int) -> None:
    random_ = random.Random(seed)
    first = [random_line(number, random_) for number in range(1, 100)]
    second = [random_line(number, random_) for number in range(1, 100)]
    pairs = []
    for run, other in pair_runs(join_lines(first), join_lines(second)):
        pairs += zip(run.lines(), other.lines(), strict=True)
    assert pairs == list(zip(first, second, strict=True))


def test_adjacent_lines_of_one_source_are_one_run() -> None:
    lines = []
    for number, origin_line in enumerate([7, 8, 9, 4, 5], start=1):
        lines.append(
            BlamedLine(
                line=number,
                kind=Provenance.OWN,
                path=OWL,
                origin_line=origin_line,
                class_=None,
                member=None,
                renamed=None,
            )
        )
    assert [run.line_count for run in join_lines(lines)] == [3, 2]


def entries(root: Path) -> list[Path]:
    """The files of the cache."""
    return sorted((root.parent / "cache").glob("results-*/*"))


def stored_origins(root: Path) -> list[str]:
    """The origins in each entry of the cache."""
    origins = []
    for entry in entries(root):
        line, _, _ = entry.read_bytes().partition(b"\n")
        _, _, content = line.partition(b"\t")
        origins.append(json.loads(content)[-1])
    return origins


@pytest.mark.parametrize(
    "command",
    [["blame", OWLET], ["blame", "--deep", OWLET], ["where", f"{PARENT}:22"]],
    ids=["blame", "deep", "where"],
)
def test_who_asks_again_converts_nothing(
    birds: Path, modular: Run, converted: list[str], command: list[str]
) -> None:
    first = modular(*command)
    assert first.exit_code == 0
    converted.clear()
    assert modular(*command).stdout == first.stdout
    assert converted == []


def test_a_check_does_not_find_the_origins_of_lines(birds: Path, modular: Run) -> None:
    assert modular("check").exit_code == 0
    assert stored_origins(birds) == ["", ""]


def test_causes_need_no_second_conversion(
    birds: Path, modular: Run, converted: list[str]
) -> None:
    modular("check")
    (birds / PARENT).write_text(HAWK.replace("glide(x)\n\n", "glide(2 * x)\n\n"))
    converted.clear()
    first = modular("check")
    assert "HawkWing.beat, models/hawk/modeling_hawk.py:22: 2 files" in first.stdout
    assert sorted(converted) == ["owl", "owlet"]
    converted.clear()
    assert modular("check").stdout == first.stdout
    assert converted == []


def test_no_cache_stores_no_origins(birds: Path, modular: Run) -> None:
    (birds / PARENT).write_text(HAWK.replace("glide(x)\n\n", "glide(2 * x)\n\n"))
    assert "HawkWing.beat" in modular("check", "--no-cache").stdout
    assert stored_origins(birds) == []


def test_origins_are_outdated_when_only_the_lines_of_a_parent_move(
    birds: Path, modular: Run
) -> None:
    """The generated text is the same, but comes from other lines."""
    assert f"{PARENT}:15 14) class OwlWing" in modular("blame", OWL).stdout
    (birds / PARENT).write_text("# A comment.\n" + HAWK)
    assert statuses(modular("check", "--output-format", "json")) == {
        OWL: "identical",
        OWLET: "identical",
    }
    assert f"{PARENT}:16 14) class OwlWing" in modular("blame", OWL).stdout


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"inherited", b"own"), (b"hawk.py", b"jay.py"), (b"1, ", b"9, "), (b"]", b"")],
)
def test_damaged_origins_are_found_again(
    birds: Path, modular: Run, converted: list[str], old: bytes, new: bytes
) -> None:
    first = modular("blame", OWL)
    for path in entries(birds):
        data = path.read_bytes()
        position = data.rfind(old)
        assert position >= 0
        path.write_bytes(data[:position] + new + data[position + len(old) :])
    converted.clear()
    assert modular("blame", OWL).stdout == first.stdout
    assert converted != []


def test_origins_are_not_stored_if_a_parent_changes_meanwhile(
    birds: Path, modular: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would be kept as those of lines that were read before the change."""
    modular("check")
    convert = Converter.convert

    def change_and_convert(
        self: Converter, path: str, *, inspects: bool = True
    ) -> Conversion:
        (birds / PARENT).write_text("# A comment.\n" + HAWK)
        return convert(self, path, inspects=inspects)

    with monkeypatch.context() as patch:
        patch.setattr(Converter, "convert", change_and_convert)
        patch.setattr(fingerprints, "FILE_CLOCK_TICK_NS", FILE_CLOCK_TICK_NS)
        modular("blame", OWL)
    (birds / PARENT).write_text(HAWK)
    assert f"{PARENT}:15 14) class OwlWing" in modular("blame", OWL).stdout
