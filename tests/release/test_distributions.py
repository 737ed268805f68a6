"""What a release hands out: the wheel, the sdist and the editor's extension, built from a clean clone.

They are left in `dist/`, where the release workflow takes them from.
"""

import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

import modular


ROOT = Path(__file__).resolve().parents[2]
NAME = f"modular_models-{modular.__version__}"

PARENT = "class LlamaMLP:\n    scale = 1\n"
CHILD = "from ..llama.modeling_llama import LlamaMLP\n\n\nclass OlmoMLP(LlamaMLP):\n    pass\n"


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command that must succeed, and return what it printed."""
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh clone of what is committed."""
    folder = tmp_path_factory.mktemp("release") / "modular"
    run("git", "clone", "--quiet", ROOT, folder, cwd=ROOT)
    return folder


@pytest.fixture(scope="session")
def dist(clone: Path) -> Path:
    """The folder with the wheel and the sdist of the clone."""
    folder = ROOT / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", folder, clone, cwd=clone)
    return folder


def tracked(clone: Path) -> set[str]:
    """The files of the package that git tracks."""
    return set(run("git", "ls-files", "modular", cwd=clone).splitlines())


def test_the_wheel_holds_the_package_and_nothing_else(clone: Path, dist: Path) -> None:
    with ZipFile(dist / f"{NAME}-py3-none-any.whl") as wheel:
        names = set(wheel.namelist())
    about = {
        f"{NAME}.dist-info/{file}"
        for file in (
            "METADATA",
            "RECORD",
            "WHEEL",
            "entry_points.txt",
            "licenses/LICENSE",
        )
    }
    assert names == tracked(clone) | about
    assert "modular/py.typed" in names


def test_the_sdist_holds_what_it_is_built_from(clone: Path, dist: Path) -> None:
    with tarfile.open(dist / f"{NAME}.tar.gz") as sdist:
        names = {
            member.name.removeprefix(f"{NAME}/")
            for member in sdist.getmembers()
            if member.isfile()
        }
    others = {
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "pyproject.toml",
        "PKG-INFO",
        ".gitignore",
    }
    assert names == tracked(clone) | others


def test_the_wheel_works_in_an_empty_environment(dist: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    scripts = environment / ("Scripts" if sys.platform == "win32" else "bin")
    wheel = dist / f"{NAME}-py3-none-any.whl"
    run(
        scripts / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        wheel,
        cwd=tmp_path,
    )
    assert modular.__version__ in run(scripts / "modular", "--version", cwd=tmp_path)

    project = tmp_path / "project"
    sources = {
        "pyproject.toml": '[tool.modular]\npreset = "transformers"\nmodels = ["models"]\n',
        "models/llama/modeling_llama.py": PARENT,
        "models/olmo/modular_olmo.py": CHILD,
    }
    for path, text in sources.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
    run(scripts / "modular", "convert", cwd=project)
    assert "class OlmoMLP:\n    scale = 1\n" in (
        project / "models/olmo/modeling_olmo.py"
    ).read_text(encoding="utf-8")
    run(scripts / "modular-models", "check", cwd=project)
    pages = tmp_path / "project" / "pages"
    run(scripts / "modular", "review", "--output", pages, cwd=project)
    assert (pages / "index.html").is_file()


def test_the_extension_is_of_the_same_version(clone: Path, dist: Path) -> None:
    folder = clone / "editors/vscode"
    run(
        "npm",
        "ci",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        cwd=folder,
    )
    vsix = dist / f"modular-models-{modular.__version__}.vsix"
    run("npm", "run", "package", "--", "--out", vsix, cwd=folder)
    with ZipFile(vsix) as packed:
        assert (
            f'Version="{modular.__version__}"'
            in packed.read("extension.vsixmanifest").decode()
        )
        names = set(packed.namelist())
    steps = ("install", "open", "preview", "fix", "convert")
    files = {
        "LICENSE.txt",
        "changelog.md",
        "dist/extension.js",
        "images/icon.png",
        "package.json",
        "readme.md",
        *(f"walkthrough/{step}.md" for step in steps),
    }
    about = {"[Content_Types].xml", "extension.vsixmanifest"}
    assert names == about | {f"extension/{file}" for file in files}
