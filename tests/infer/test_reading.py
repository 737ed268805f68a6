"""The index is kept by content: what has changed is read anew, and an index from the cache gives what a new one gives."""

import os

import pytest

from modular.infer import reading
from modular.infer.fragments import fragments
from modular.infer.index import Index
from modular.infer.reading import read_index
from modular.project.opening import open_project
from modular.source import module as modules
from modular.source.reading import read_bytes
from tests.support import write_project


MODELS = [f"m{number}" for number in range(20)]
WORDS = {f"m{number}": f"word_{number // 2}" for number in range(20)}
"""Each stands in two models."""


def path(model: str) -> str:
    return f"models/{model}/modeling_{model}.py"


def text(model: str, word: str) -> str:
    return f"class {model.title()}Norm:\n    def forward(self, {word}):\n        return {word} + {len(model)}\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """More models than an index is kept for in parts."""
    write_project(tmp_path, {path(each): text(each, WORDS[each]) for each in MODELS})
    return tmp_path


@pytest.fixture
def read(project, tmp_path_factory, monkeypatch):
    """Reads the index with a cache; `.parsed` are the files that were read as Python, `.opened` those that were read at all."""
    cache = tmp_path_factory.mktemp("cache")

    def run(folder=cache):
        run.parsed, run.opened = [], []
        with monkeypatch.context() as patched:
            patched.setattr(
                reading.modules, "read", lambda name, text: run.parsed.append(name) or modules_read(name, text)
            )
            patched.setattr(
                reading,
                "read_bytes",
                lambda place, most: run.opened.append(place.relative_to(project).as_posix())
                or read_bytes(place, most),
            )
            return read_index(open_project(project), folder)

    run.cache = cache
    return run


@pytest.fixture
def settled(monkeypatch):
    """What a test has written counts as written long ago."""
    monkeypatch.setattr(reading, "_SETTLED", -1_000_000_000_000)


modules_read = modules.read


def found(index: Index) -> dict[str, object]:
    """All that an index says, by the paths and names of what it holds."""
    said: dict[str, object] = {"size": index.size}
    for file in index.files:
        for number, piece in enumerate(file.pieces, file.first):
            assert index.file_of(number) == file
            places = sorted(index.places(number))
            weights = sorted(index.weights[place] for place in places)
            holders = sorted(
                holder.path for place in places for each in index.holders(place) if (holder := index.file_of(each))
            )
            said[f"{file.path}:{piece.name}"] = (piece, index.weight(number), weights, holders)
    return said


def test_what_has_not_changed_is_not_read_again(read):
    first = found(read())
    assert read.parsed == sorted(path(each) for each in MODELS)
    assert found(read()) == first
    assert read.parsed == []


def test_what_the_file_system_says_is_as_it_was_is_not_even_opened(read, settled):
    first = found(read())
    assert found(read()) == first
    assert read.opened == []


def test_a_change_that_leaves_the_size_is_seen(read, project, settled):
    read()
    (project / path("m3")).write_text(text("m3", "w0rd_1"), encoding="utf-8")
    index = read()
    assert read.opened == [path("m3")]
    assert found(index) == found(read_index(open_project(project), None))


def test_what_was_written_a_moment_ago_is_read_again(read):
    """It may change once more without a change of its time."""
    read()
    read()
    assert read.opened == sorted(path(each) for each in MODELS)


def test_many_new_times_without_a_change_are_kept(read, project, settled):
    first = found(read())
    for each in MODELS[:17]:
        os.utime(project / path(each), (1, 1))
    assert found(read()) == first
    assert (read.opened, read.parsed) == ([path(each) for each in sorted(MODELS[:17])], [])
    read()
    assert read.opened == []


def test_only_what_has_changed_is_read_again(read, project):
    read()
    (project / path("m3")).write_text(text("m3", "changed"), encoding="utf-8")
    (project / path("m4")).unlink()
    write_project(project, {path("new"): text("new", WORDS["m5"])})
    index = read()
    assert read.parsed == [path("m3"), path("new")]
    assert [each.model for each in index.files] == sorted({*MODELS, "new"} - {"m4"})
    assert found(index) == found(read_index(open_project(project), None))


def test_after_many_changes_it_is_stored_anew(read, project):
    read()
    for each in MODELS[:17]:
        (project / path(each)).write_text(text(each, "changed"), encoding="utf-8")
    index = read()
    assert len(read.parsed) == 17
    assert found(index) == found(read_index(open_project(project), None))
    read()
    assert read.parsed == []


def test_grams_are_found_by_their_hashes(read, project):
    read()
    module = modules.read(path("m3"), (project / path("m3")).read_text(encoding="utf-8"))
    norm = next(fragments(module, "m3", "M3"))
    for index in (read(), read(None)):
        places = {index.place_of(gram) for gram in norm.grams}
        number = next(file.first for file in index.files if file.model == "m3")
        assert places == set(index.places(number))
        assert index.place_of(1) is None


def test_common_words_count_for_nothing_and_rare_ones_for_most(read):
    index = read()
    weights = sorted({index.weights[place] for place in index.places(index.files[0].first)})
    assert weights[0] == 0  # `def forward(self,` is in all
    assert weights[-1] == round(1000 * 2.351375)  # ln(21 / 2), for what two classes of twenty have


@pytest.mark.parametrize("damage", [b"", b"x", b"x" * 1000])
def test_a_damaged_index_is_made_anew(read, damage):
    first = found(read())
    (stored,) = read.cache.iterdir()
    stored.write_bytes(damage)
    assert found(read()) == first
    assert len(read.parsed) == len(MODELS)
    assert stored.stat().st_size > len(damage)


def test_an_index_cut_short_is_made_anew(read):
    first = found(read())
    (stored,) = read.cache.iterdir()
    stored.write_bytes(stored.read_bytes()[:-4])
    assert found(read()) == first


def test_files_that_cannot_be_read_are_passed_over(read, project):
    (project / path("m3")).write_bytes(b"x" * 1_000_001)
    (project / path("m4")).unlink()
    (project / path("m4")).mkdir()
    assert [each.model for each in read().files] == [each for each in sorted(MODELS) if each not in ("m3", "m4")]


def test_modular_files_say_what_is_derived(read, project):
    write_project(project, {"models/m3/modular_m3.py": "x = 1\n"})
    assert [each.model for each in read().files if each.derived] == ["m3"]
