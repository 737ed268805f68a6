"""The house: few rooms, and imports that only lead downwards."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import modular
from tests.docs.markdown import blocks, read


HALL = Path(modular.__file__).parent
ROOMS = ("cli", "traceback", "run", "conversion", "project", "rules", "source")
"""From top to bottom: what stands in a room imports from it and from those behind it alone."""


def imported(path: Path) -> Iterator[str]:
    """The modules of ours that a file imports, as dotted names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] == "modular":
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith("modular."))


def upward(hall: Path) -> list[str]:
    """The imports that lead from a room to one above it, or to a room that is not in the list."""
    found = []
    for path in sorted(hall.rglob("*.py")):
        room = path.relative_to(hall).parts[0]
        allowed = ROOMS[ROOMS.index(room) :] if room in ROOMS else ROOMS
        for name in imported(path):
            target = name.split(".")[1]
            if target not in allowed and not target.startswith("__"):
                found.append(f"{path.relative_to(hall)} imports {name}")
    return found


def test_no_import_leads_upwards() -> None:
    assert upward(HALL) == []


def test_an_import_that_leads_upwards_is_found(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "text.py").write_text(
        "def f():\n    from modular.run import api\n\nfrom modular.source import code\n"
    )
    assert upward(tmp_path) == ["source/text.py imports modular.run.api"]


def test_relative_imports_are_not_used() -> None:
    """They would not be seen by the test above."""
    nodes = (
        (path, node) for path in HALL.rglob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )
    assert [path for path, node in nodes if isinstance(node, ast.ImportFrom) and node.level] == []


def test_the_hall_has_at_most_ten_entries() -> None:
    entries = {path.name for path in HALL.iterdir()} - {"__pycache__"}
    assert entries == {*ROOMS, "__init__.py", "__main__.py", "py.typed"}
    assert len(entries) <= 10


def test_the_drawing_of_the_house_shows_its_rooms_in_their_order() -> None:
    (drawing,) = blocks("docs/architecture.md", "mermaid")
    drawn = [line.strip() for line in drawing.text.splitlines()]
    assert [line.partition("[")[0] for line in drawn if "[" in line] == list(ROOMS)
    assert " --> ".join(ROOMS) in drawn


def test_the_files_that_the_page_of_the_house_names_are_there() -> None:
    named = re.findall(rf"`((?:{'|'.join(ROOMS)})(?:/\w+)+(?:\.py)?)`", read("docs/architecture.md"))
    assert len(named) > 15
    assert [path for path in named if not (HALL / path).exists()] == []
