"""The packages: imports lead only downwards, the architecture page is true, and tests are where they belong."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import modular
from tests.docs.markdown import blocks, read


PACKAGE = Path(modular.__file__).parent
PACKAGES = (
    "cli",
    "lsp",
    "review",
    "infer",
    "effects",
    "refactor",
    "scaffold",
    "provenance",
    "run",
    "cache",
    "format",
    "conversion",
    "lint",
    "flatten",
    "git",
    "rules",
    "semantics",
    "project",
    "settings",
    "source",
    "system",
)
"""From top to bottom: a package imports from itself and from those below it alone."""


def imported(path: Path) -> Iterator[str]:
    """The modules of ours that a file imports, as dotted names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.ImportFrom)
            and node.level == 0
            and (node.module or "").split(".")[0] == "modular"
        ):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (
                alias.name for alias in node.names if alias.name.startswith("modular.")
            )


def in_cycles(root: Path) -> list[str]:
    """The files that are in a cycle of imports, those inside functions and for types alone counted."""
    files = {
        ".".join(path.relative_to(root.parent).with_suffix("").parts): path
        for path in root.rglob("*.py")
    }
    arrows = {
        name.removesuffix(".__init__"): {
            target
            if target in files or f"{target}.__init__" in files
            else target.rpartition(".")[0]
            for target in imported(path)
        }
        for name, path in files.items()
    }

    def reached(name: str) -> set[str]:
        found: set[str] = set()
        waiting = set(arrows[name])
        while waiting:
            following = waiting.pop()
            if following not in found:
                found.add(following)
                waiting |= arrows.get(following, set())
        return found

    return sorted(name for name in arrows if name in reached(name))


def upward(root: Path) -> list[str]:
    """The imports that lead from a package to one above it, or to one that is not in the list."""
    found = []
    for path in sorted(root.rglob("*.py")):
        package = path.relative_to(root).parts[0]
        allowed = (
            PACKAGES[PACKAGES.index(package) :] if package in PACKAGES else PACKAGES
        )
        for name in imported(path):
            target = name.split(".")[1]
            if target not in allowed and not target.startswith("__"):
                found.append(f"{path.relative_to(root)} imports {name}")
    return found


def test_no_import_leads_upwards() -> None:
    assert upward(PACKAGE) == []


def test_an_import_that_leads_upwards_is_found(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "text.py").write_text(
        "def f():\n    from modular.run import api\n\nfrom modular.source import code\n"
    )
    assert upward(tmp_path) == ["source/text.py imports modular.run.api"]


def test_no_file_is_in_a_cycle_of_imports() -> None:
    assert in_cycles(PACKAGE) == []


def test_a_cycle_of_imports_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "modular" / "source"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "text.py").write_text(
        "def f():\n    from modular.source.code import Code\n"
    )
    (folder / "code.py").write_text("import modular.source.lines\n")
    (folder / "lines.py").write_text(
        "if TYPE_CHECKING:\n    from modular.source import text\n"
    )
    (folder / "user.py").write_text("from modular.source import text\n")
    assert in_cycles(tmp_path / "modular") == [
        "modular.source.code",
        "modular.source.lines",
        "modular.source.text",
    ]


def test_relative_imports_are_not_used() -> None:
    """They would not be seen by the test above."""
    nodes = (
        (path, node)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )
    assert [
        path for path, node in nodes if isinstance(node, ast.ImportFrom) and node.level
    ] == []


def test_the_packages_are_all_there_is() -> None:
    entries = {path.name for path in PACKAGE.iterdir()} - {"__pycache__"}
    assert entries == {
        *PACKAGES,
        "__init__.py",
        "__init__.pyi",
        "__main__.py",
        "py.typed",
        "schema.json",
    }


def test_each_folder_of_tests_is_a_package_or_explained_to_contributors() -> None:
    tests = Path(__file__).parent
    folders = {path.parent.name for path in tests.glob("*/test_*.py")}
    guide = read("CONTRIBUTING.md")
    others = folders - {*PACKAGES}
    assert [name for name in sorted(others) if f"tests/{name}" not in guide] == []


def test_each_command_has_one_file_of_tests() -> None:
    tests = Path(__file__).parent
    commands = {path.stem for path in PACKAGE.glob("cli/commands/*.py")} - {"__init__"}
    files = {path.stem for path in tests.glob("commands/test_*.py")}
    assert files == {f"test_{command}" for command in commands}


def test_the_diagram_shows_the_packages_in_their_order() -> None:
    drawing, _ = blocks("docs/architecture.md", "mermaid")
    drawn = [line.strip() for line in drawing.text.splitlines()]
    assert [line.partition("[")[0] for line in drawn if "[" in line] == list(PACKAGES)
    assert " --> ".join(PACKAGES) in drawn


def named_in_architecture() -> list[tuple[str, str]]:
    """Return the modules that the page on the architecture names, each with a function or class, or an empty text."""
    text = " ".join(read("docs/architecture.md").split())
    module = rf"(?:{'|'.join(PACKAGES)})(?:/\w+)+(?:\.py)?"
    return re.findall(rf"`({module})(?:: (\w+))?`", text)


def test_the_modules_that_the_architecture_page_names_exist() -> None:
    modules = {path for path, _ in named_in_architecture()}
    assert len(modules) > 15
    assert [path for path in sorted(modules) if not (PACKAGE / path).exists()] == []


def test_the_functions_that_the_architecture_page_names_exist() -> None:
    named = [(path, name) for path, name in named_in_architecture() if name]
    assert len(named) > 15
    for path, name in named:
        tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
        definitions = (ast.FunctionDef, ast.ClassDef)
        names = {node.name for node in ast.walk(tree) if isinstance(node, definitions)}
        assert name in names, f"{path}: {name}"
