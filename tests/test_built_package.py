"""What goes into the package that is built: the kinds of files that it has, and no others that lie about in its folder."""

import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path


ROOT = Path(__file__).parents[1]
KINDS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "hatch"
]["build"]["include"]


def goes_along(path: str) -> bool:
    return any(fnmatch(f"/{path}", kind.replace("**/", "*")) for kind in KINDS)


def test_every_file_of_the_package_goes_along() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "modular"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "modular/py.typed" in listed.splitlines()
    assert [path for path in listed.splitlines() if not goes_along(path)] == []


def test_what_lies_about_does_not() -> None:
    assert [
        path
        for path in ("modular/.env", "modular/cli/notes.txt", "key.pem")
        if goes_along(path)
    ] == []
