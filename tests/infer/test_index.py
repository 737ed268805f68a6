"""The index reads only changed files again and equals a new index."""

import pytest

from modular.infer import index as indexes
from modular.infer.fragments import find_fragments
from modular.infer.index import FragmentIndex, read_index
from modular.project.opening import open_project
from modular.source import module as modules
from modular.source.loading import read_module
from tests.support import write_project


MODELS = [f"m{number}" for number in range(6)]


def path(model: str) -> str:
    return f"models/{model}/modeling_{model}.py"


def text(model: str, word: str) -> str:
    return f"class {model.title()}Norm:\n    def forward(self):\n        return self.{word} + {len(model)}\n"


@pytest.fixture
def project(tmp_path):
    """Models of which each two have the same class."""
    write_project(
        tmp_path,
        {path(model): text(model, f"word_{int(model[1:]) // 2}") for model in MODELS},
    )
    return tmp_path


@pytest.fixture
def read(project, tmp_path_factory, monkeypatch):
    """Reads the index with a cache; `.parsed` are the files that were read as Python."""
    cache = tmp_path_factory.mktemp("cache")

    def run(folder=cache):
        run.parsed = []
        with monkeypatch.context() as patched:
            patched.setattr(
                indexes,
                "read_module",
                lambda name, loaded: run.parsed.append(name)
                or read_module(name, loaded),
            )
            return read_index(open_project(project), folder)

    run.cache = cache
    return run


def said(index: FragmentIndex) -> dict[str, list[str]]:
    """For each class, how many 4-grams each class shares with it."""
    found = {}
    for file in index.files:
        for fragment in index.read_fragments(file):
            found[f"{file.path}:{fragment.name}"] = sorted(
                f"{similar.file.path}:{similar.fragment.name} {similar.shared}"
                for similar in index.find_similar(fragment.grams)
            )
    return found


def test_a_class_shares_most_grams_with_equal_classes(read):
    (norm,) = [
        fragment
        for fragment in find_fragments(
            modules.read("a.py", text("m9", "word_1")), "m9", "M9"
        )
        if fragment.kind == "class"
    ]
    shared = {
        similar.fragment.name: similar.shared
        for similar in read().find_similar(norm.grams)
    }
    assert [name for name, count in shared.items() if count == norm.size] == [
        "M2Norm",
        "M3Norm",
    ]


def test_unchanged_files_are_not_read_again(read):
    read()
    assert read.parsed == [path(model) for model in MODELS]
    read()
    assert read.parsed == []


def test_only_changed_files_are_read_again(read, project):
    read()
    (project / path("m3")).write_text(text("m3", "changed"), encoding="utf-8")
    (project / path("m4")).unlink()
    write_project(project, {path("new"): text("new", "word_2")})
    index = read()
    assert read.parsed == [path("m3"), path("new")]
    assert [file.model for file in index.files] == sorted({*MODELS, "new"} - {"m4"})
    assert said(index) == said(read(None)) == said(read())


@pytest.mark.parametrize("damage", [b"", b"x", b"x" * 1000])
def test_a_damaged_index_is_rebuilt(read, damage):
    first = said(read())
    (stored,) = read.cache.iterdir()
    stored.write_bytes(damage)
    assert said(read()) == first
    assert stored.stat().st_size > len(damage)


def test_a_truncated_index_is_rebuilt(read):
    first = said(read())
    (stored,) = read.cache.iterdir()
    stored.write_bytes(stored.read_bytes()[:-4])
    assert said(read()) == first
