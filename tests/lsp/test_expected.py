"""A project that is opened before the editor opens a file of it, while there is nothing else to do."""

import pickle
from io import BytesIO
from pathlib import Path

import pytest

from modular.lsp import projects, workspace
from modular.lsp.analysis import Analysis
from modular.lsp.projects import Projects
from modular.lsp.protocol import Diagnostic, Document
from modular.lsp.worker import Urgency, Worker
from modular.run.pipes import Pipes
from tests.lsp.texts import FILES, OLMO
from tests.support import write_project


WRONG = "[tool.modular]\nmodels = 1\n"


class Told:
    """What is published, and how often a project was opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.found: dict[str, list[str]] = {}
        self.opened: list[Path] = []
        self.projects = Projects(self._publish, Worker())
        open_project = workspace.open_project

        def counted(root: Path) -> object:
            self.opened.append(root)
            return open_project(root)

        monkeypatch.setattr(workspace, "open_project", counted)

    def _publish(self, uri: str, found: list[Diagnostic], version: int | None) -> None:
        self.found[uri] = [each.message for each in found]

    def expect(self, root: Path) -> None:
        list(self.projects.expect(root))

    def open(self, root: Path) -> None:
        document = Document((root / OLMO).as_uri(), 1, FILES[OLMO].replace("LlamaMLP\n", "LlamaMlp\n"))
        list(self.projects.take(document))


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    return Told(monkeypatch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_project(tmp_path / "project", FILES)
    return tmp_path / "project"


def test_it_is_opened_once(told: Told, root: Path) -> None:
    told.expect(root / "models")
    assert told.opened == [root]
    told.open(root)
    assert told.opened == [root]
    assert "LlamaMlp" in told.found[(root / OLMO).as_uri()][0]


def test_a_current_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages are read all the same, until there are no more."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    said = BytesIO(pickle.dumps(("ask", (7, "file:///x.py", "hover", (), Urgency.NOW))))
    with pytest.raises(EOFError):
        Analysis(Pipes(said, BytesIO())).work()


def test_nothing_is_said_of_it_before(told: Told, root: Path) -> None:
    (root / "pyproject.toml").write_text(WRONG, encoding="utf-8")
    told.expect(root)
    assert told.found == {}
    told.open(root)
    assert list(told.found) == [(root / "pyproject.toml").as_uri()]


def test_after_a_while_what_is_on_disk_counts(told: Told, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, "FRESH", -1.0)
    told.expect(root)
    (root / "pyproject.toml").write_text(WRONG, encoding="utf-8")
    told.open(root)
    assert list(told.found) == [(root / "pyproject.toml").as_uri()]


def test_another_project_is_opened_instead(told: Told, root: Path, tmp_path: Path) -> None:
    write_project(tmp_path / "other", FILES)
    told.expect(tmp_path / "other")
    told.open(root)
    assert told.opened == [tmp_path / "other", root]
    assert list(told.found) == [(root / OLMO).as_uri()]
