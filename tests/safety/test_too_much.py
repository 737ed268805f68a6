"""Sources that are too deep, too large, too many or no files at all end in an error, in bounded time and memory."""

import os
import resource
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from modular import Options, Report, convert
from modular.conversion.converter import Converter
from modular.git import git as git_module
from modular.git.git import ChangesError, contents, texts_at
from modular.rules.settings import SettingsError
from modular.source.loading import LARGEST
from tests.hooks import repository as repositories
from tests.hooks.repository import Repository
from tests.safety.projects import command, environment, make, models, run


DEEP = 100_000
MEMORY = 1_500_000_000
SECONDS = 60

IMPORT = "from ..base.modeling_base import BaseModel\n"
PARENT = "class BaseModel:\n    def f(self, a=1, **kwargs):\n        return a\n"
BASE = {"models/base/modeling_base.py": PARENT}
FINE = models("fine")
CHILD = "models/child/modular_child.py"
FLAT = "models/child/modeling_child.py"


def child(body: str, bases: str = "BaseModel", head: str = IMPORT) -> dict[str, str]:
    """A model beside its parent."""
    return {**BASE, CHILD: f"{head}\n\nclass ChildModel({bases}):\n{body}"}


def converted(root: Path, files: Mapping[str, str | bytes], jobs: int = 1) -> Report:
    return convert(options=Options(root=make(root, files, formatter="ruff"), cache=False, jobs=jobs))


def errors(report: Report) -> list[tuple[str, str]]:
    return [(diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics if diagnostic.is_error]


def bounded(root: Path, files: Mapping[str, str | bytes]) -> subprocess.CompletedProcess[str]:
    """Convert a project in a process of its own, with little memory and time; a crash is a negative return code."""
    make(root, files)
    return subprocess.run(
        command("convert", "--jobs", "1", "--no-cache"),
        cwd=root,
        env=environment(root),
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )


HOSTILE: dict[str, tuple[bytes, str]] = {
    "parentheses": (b"x = " + b"(" * DEEP + b")" * DEEP + b"\n", "MOD106"),
    "brackets": (b"x = " + b"[" * DEEP + b"]" * DEEP + b"\n", "MOD106"),
    "unary operators": (b"x = " + b"-" * DEEP + b"1\n", "MOD106"),
    "words": (b"x = " + b"not " * DEEP + b"1\n", "MOD106"),
    "attributes": (b"x = a" + b".a" * DEEP + b"\n", "MOD106"),
    "calls": (b"x = a" + b"()" * DEEP + b"\n", "MOD106"),
    "binary operators": (b"x = 1" + b" + 1" * DEEP + b"\n", "MOD106"),
    "powers": (b"x = 1" + b" ** 1" * DEEP + b"\n", "MOD106"),
    "lambdas": (b"x = " + b"lambda: " * DEEP + b"1\n", "MOD106"),
    "indents": (b"".join(b" " * depth + b"if x:\n" for depth in range(1000)) + b" " * 1000 + b"x = 1\n", "MOD106"),
    "f-strings": (b"x = " + b'f"{' * 1000 + b"1" + b'}"' * 1000 + b"\n", "MOD106"),
    "a NUL byte": (b"x = 1\0\n", "MOD102"),
    "UTF-16": ("x = 'é'\n".encode("utf-16"), "MOD102"),
    "Latin-1": ("x = 'é'\n".encode("latin-1"), "MOD102"),
    "an open string": (b'x = """\n' + b"a\n" * 1000, "MOD101"),
    "an open bracket": (b"x = (\n" + b"a,\n" * 1000, "MOD101"),
    "a line of 50 MB": (b"x = '" + b"a" * 50_000_000 + b"'\n", "MOD110"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_in_a_modular_file(tmp_path: Path, name: str) -> None:
    data, code = HOSTILE[name]
    modular = data if data.startswith(b"\xff") else child("    pass\n")[CHILD].encode() + data
    done = bounded(tmp_path, {**BASE, CHILD: modular})
    assert done.returncode == 1, done.stderr[-500:]
    assert f"error[{code}]" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / FLAT).exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_in_a_parent_file(tmp_path: Path, name: str) -> None:
    """What the child does not need of it may go unseen; but it is an error, or the child is right."""
    data, _ = HOSTILE[name]
    base = data if data.startswith(b"\xff") else PARENT.encode() + data
    done = bounded(tmp_path, {**child("    pass\n"), "models/base/modeling_base.py": base})
    assert "Traceback" not in done.stderr
    flat = (tmp_path / FLAT).read_text(encoding="utf-8") if done.returncode == 0 else PARENT
    assert done.returncode in (0, 1) and flat.endswith(PARENT.partition(":")[2]), done.stderr[-500:]
    assert (tmp_path / FLAT).exists() == (done.returncode == 0)


@pytest.mark.parametrize("default", ["1" + " and 1" * DEEP, "a" + "[0]" * 3000, "1" + "+1" * 9000])
def test_parameters_that_a_syntax_tree_would_not_survive(tmp_path: Path, default: str) -> None:
    """They are the one thing that is read into a tree which has no bounds of its own."""
    files = child("    def f(self, b=2, **super_kwargs):\n        super().f()\n")
    files["models/base/modeling_base.py"] = PARENT.replace("a=1", f"a={default}")
    assert [code for code, _ in errors(converted(tmp_path, files))] == ["MOD106"]


@pytest.mark.parametrize("value", ["lambda: " * 6000 + "1", "a" + "()" * 6000])
def test_code_of_which_an_old_python_cannot_tell_how_deep_it_is(tmp_path: Path, value: str) -> None:
    """It does not know the f-string, and LibCST, which does, has no bounds."""
    body = f'    text = f"{{Later["x"]}}"\n    value = {value}\n\n\nclass Later:\n    pass\n'
    done = run(make(tmp_path, child(body), formatter="ruff"), "check", "--no-cache", "--jobs", "1")
    assert done.returncode == 1
    assert done.stderr.startswith("error[MOD106]")


def test_a_small_file_that_asks_for_much(tmp_path: Path) -> None:
    parent = "class BaseModel:\n    def f(self):\n" + "        x = 1\n" * 10_000
    children = "".join(f"\n\nclass Many{number}Model(BaseModel):\n    pass\n" for number in range(1_900))
    report = converted(tmp_path, {**FINE, "models/base/modeling_base.py": parent, CHILD: IMPORT + children})
    assert errors(report) == [("MOD110", CHILD)]
    assert not (tmp_path / FLAT).exists()
    assert (tmp_path / "models/fine/modeling_fine.py").exists()


def test_more_classes_than_a_model_has(tmp_path: Path) -> None:
    classes = "".join(f"\n\nclass C{number}Model(BaseModel):\n    x = 1\n" for number in range(20_000))
    report = converted(tmp_path, {**BASE, CHILD: IMPORT + classes})
    assert errors(report) == [("MOD110", CHILD)]
    assert [diagnostic.message for diagnostic in report.diagnostics if "2000 classes" in diagnostic.message] != []


def test_a_small_file_with_very_many_mistakes(tmp_path: Path) -> None:
    deleted = "".join(f"        del self.a{number}\n" for number in range(20_000))
    report = converted(tmp_path, child(f"    def f(self, a=1, **kwargs):\n        super().f()\n{deleted}"))
    assert [diagnostic.code.id for diagnostic in report.diagnostics] == ["MOD401"] * 20_000


LONG: dict[str, dict[str, str]] = {
    "comments in an import": child(
        "    size = 1\n",
        head="from ..base.modeling_base import (\n    BaseModel,\n" + "    # not,  that one\n" * 20_000 + ")\n",
    ),
    "blanks between bases": child("    size = 1\n", f"BaseModel,{' ' * 500_000}metaclass=type"),
    "blanks in an import": child("    size = 1\n", head=f"{IMPORT}import os,{' ' * 500_000}sys\n"),
    "strings that name the parent's model": {
        "models/mamba/modeling_mamba.py": "class MambaModel:\n    names = [" + "'mamba', " * DEEP + "]\n",
        CHILD: "from ..mamba.modeling_mamba import MambaModel\n\n\nclass ChildModel(MambaModel):\n    size = 1\n",
    },
}
MANY: dict[str, dict[str, str]] = {
    "statements in a line": child("    size = 1\n\n\nx = 1;" + "a;" * 25_000 + "\n"),
    "bases": child(
        "    size = 1\n",
        "BaseModel, " + ", ".join(f"m.B{number}" for number in range(50_000)),
        f"import m\n\n{IMPORT}",
    ),
    "classes": child(
        "    size = 1\n" + "".join(f"\n\nclass C{number}Model(BaseModel):\n    x = 1\n" for number in range(1_900))
    ),
    "deletions in a line": child(
        "    size = 1\n\n    def f(self, a=1):\n        super().f(a);" + "del self.a;" * 10_000 + "\n"
    ),
}


@pytest.mark.parametrize("name", [*LONG, *(pytest.param(name, marks=pytest.mark.slow) for name in MANY)])
def test_what_is_long_takes_time_in_proportion(tmp_path: Path, name: str) -> None:
    """These take minutes or hours where time grows with the square of the length: the command is given a minute."""
    done = bounded(tmp_path, {**LONG, **MANY}[name])
    assert done.returncode == 0, done.stderr[-500:]
    text = (tmp_path / FLAT).read_text(encoding="utf-8")
    assert "    size = 1\n" in text
    assert text.count("'child'") == (DEEP if "mamba" in str(LONG.get(name)) else 0)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_number_that_python_itself_would_not_read(tmp_path: Path, jobs: int) -> None:
    """It is no error, whoever looks for errors: with few models this process does, with many the formatter."""
    files = {**models(*(f"m{number}" for number in range(20))), **child(f"    size = {'9' * 5000}\n")}
    assert errors(converted(tmp_path, files, jobs)) == []
    assert (tmp_path / FLAT).exists()


def test_names_that_go_in_circles(tmp_path: Path) -> None:
    text = (
        "def f():\n    return g()\n\n\ndef g():\n    return f(A, B)\n\n\nA = B\nB = A\n\n\nclass C(D):\n    a = f\n\n\n"
        "class D(C):\n    b = g\n\n\nclass E(E):\n    pass\n\n\n"
    )
    files = child("    c = C\n", head=f"{IMPORT}\n\n{text}")
    assert errors(converted(tmp_path, files)) == [("MOD306", CHILD), ("MOD306", CHILD)]
    files[CHILD] = files[CHILD].replace("class C(D)", "class C(f())").replace("class E(E)", "class E(g())")
    assert errors(converted(tmp_path, files)) == []
    flat = (tmp_path / FLAT).read_text(encoding="utf-8")
    lines = ("def f():", "def g():", "A = B", "B = A", "class C(f()):", "class D(C):", "class E(g()):")
    assert [flat.count(f"{line}\n") for line in lines] == [1] * 7


def test_a_long_chain_of_names_that_need_each_other(tmp_path: Path) -> None:
    chain = "".join(f"a{number} = a{number + 1}\n" for number in range(1_500)) + "a1500 = 1\n"
    files = child("    size = a0\n", head=f"{IMPORT}\n{chain}")
    assert errors(converted(tmp_path, files)) == []
    lines = (tmp_path / FLAT).read_text(encoding="utf-8").splitlines()
    assert lines.index("a1500 = 1") < lines.index("a1499 = a1500") < lines.index("a0 = a1")


def test_files_that_are_no_files(tmp_path: Path) -> None:
    """A pipe that nobody writes to would keep a reader for ever."""
    make(tmp_path, child("    pass\n", head="from ..base.modeling_pipe import BaseModel\n"))
    for path in ("pipe/modular_pipe.py", "base/modeling_pipe.py"):
        (tmp_path / "models" / path).parent.mkdir(exist_ok=True)
        os.mkfifo(tmp_path / "models" / path)
    (tmp_path / "models/folder/modular_folder.py").mkdir(parents=True)
    done = bounded(tmp_path, FINE)
    assert done.returncode == 1
    assert "MOD201" in done.stderr and "Traceback" not in done.stderr
    assert (tmp_path / "models/fine/modeling_fine.py").read_text(encoding="utf-8").endswith("return a\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 4_000 + "]" * 4_000 + "\n", "nested too deeply"),
        ("a" + ".a" * DEEP + " = 1\n", "bytes in a line are too many"),
        ("a = '" + "y" * 50_000_000 + "'\n", "too many"),
        ("[tool]\nmodular = 1\n", "expected a table"),
        ("[tool.modular]\nmodels = " + "9" * 9_000 + "\n", "digits"),
        (HOSTILE["a NUL byte"][0], "pyproject.toml"),
        (HOSTILE["UTF-16"][0], "utf-8"),
        (HOSTILE["an open string"][0], "pyproject.toml"),
    ],
    ids=["nested", "dotted", "large", "no table", "digits", "nul", "utf-16", "open"],
)
def test_settings(tmp_path: Path, text: str | bytes, message: str) -> None:
    make(tmp_path, FINE)
    (tmp_path / "pyproject.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SettingsError, match=message):
        convert(options=Options(root=tmp_path, cache=False))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CONFIG_MAPPING_NAMES = " + "(" * DEEP, "CONFIG_MAPPING_NAMES"),
        ("CONFIG_MAPPING_NAMES = {'a': " + "-" * DEEP + "1}", "CONFIG_MAPPING_NAMES"),
        ("CONFIG_MAPPING_NAMES = {'a': 'b'" + "+ 'b'" * DEEP + "}", "CONFIG_MAPPING_NAMES"),
        ("CONFIG_MAPPING_NAMES = {'a': , }", "CONFIG_MAPPING_NAMES"),
        ("x = " + 'f"{' * DEEP, "CONFIG_MAPPING_NAMES"),
        ("CONFIG_MAPPING_NAMES = {}\0", "NUL"),
        (b"CONFIG_MAPPING_NAMES = {'\xe9': ''}", "UTF-8"),
        ("CONFIG_MAPPING_NAMES = {" + "'a': 'AConfig', " * DEEP + "}", "too many"),
    ],
    ids=["brackets", "signs", "sum", "syntax", "formatted", "nul", "latin-1", "large"],
)
def test_the_table_of_names(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(SettingsError, match=rf"auto_mappings\.py: .*{message}"):
        converted(tmp_path, {**FINE, "models/auto/auto_mappings.py": text})


def test_configuration_classes_instead_of_the_table(tmp_path: Path) -> None:
    """What cannot be read gives no name, and is refused only where somebody needs it."""
    (tmp_path / "models/folder/configuration_folder.py").mkdir(parents=True)
    files = {
        "models/a/configuration_a.py": 'class AConfig:\n    model_type = "' + "a" * 50_000_000 + '"\n',
        "models/b/configuration_b.py": b"class BConfig:\n    model_type = '\xe9'\n",
        "models/c/configuration_c.py": "class CConfig:\n    x = " + "(" * DEEP + '\n    model_type = "fine"\n',
    }
    assert errors(converted(tmp_path, {**FINE, **files})) == []


@pytest.mark.parametrize(("dies", "jobs"), [(False, 1), (False, 2), (True, 2)])
def test_what_nobody_foresaw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies: bool, jobs: int) -> None:
    """An exception, or the end of a process, is an error of the model that it came from; the others go on."""
    parent = os.getpid()
    fill = Converter._fill

    def failing(self: Converter, conversion: Any, inspects: bool) -> None:
        if conversion.modular == "models/m3/modular_m3.py" and dies and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        if conversion.modular == "models/m3/modular_m3.py" and not dies:
            raise KeyError("surprise")
        fill(self, conversion, inspects)

    monkeypatch.setattr(Converter, "_fill", failing)
    report = converted(tmp_path, models(*(f"m{number}" for number in range(20))), jobs)
    assert errors(report) == [("MOD111", "models/m3/modular_m3.py")]
    if not dies:
        assert "KeyError: 'surprise' (in failing, test_too_much.py, line " in report.diagnostics[0].message
        assert "report it" in report.diagnostics[0].hint
    assert len(list(tmp_path.glob("models/m*/modeling_m*.py"))) == 19


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """What a repository holds at a commit may be much larger than the repository itself."""
    return repositories.make(tmp_path / "project")


def test_a_file_of_a_commit_that_is_larger_than_a_source_may_be_is_not_read(repository: Repository) -> None:
    repository.write(
        {"models/large.py": "#" * (LARGEST + 1), "models/full.py": "#" * (LARGEST - 1) + "\n", "models/a b.py": "1\n"}
    )
    repository.commit()
    texts = texts_at(repository.root, "HEAD", ["models/large.py", "models/full.py", "models/none.py", "models/a b.py"])
    assert {path: len(text) for path, text in texts.items()} == {"models/full.py": LARGEST, "models/a b.py": 2}


def test_files_of_a_commit_that_are_too_large_together_are_refused(repository: Repository) -> None:
    repository.write({f"models/{number}.py": f"{number}\n" for number in range(5)})
    repository.commit()
    names = [f"HEAD:models/{number}.py" for number in range(5)]
    assert list(contents(repository.root, names, 10)) == [b"0\n", b"1\n", b"2\n", b"3\n", b"4\n"]
    with pytest.raises(ChangesError, match="too large: more than 9 bytes"):
        list(contents(repository.root, names, 9))


def test_one_file_of_a_commit_is_read_at_a_time(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """What git prints is bounded, but not what the files have together."""
    monkeypatch.setattr(git_module, "_LONGEST_ANSWER", 4_000)
    texts = [f"{number}{'#' * 998}\n" for number in range(5)]
    repository.write({f"models/{number}.py": text for number, text in enumerate(texts)})
    repository.commit()
    names = ["HEAD:models/none.py", "HEAD:models", *(f"HEAD:models/{number}.py" for number in range(5))]
    assert list(contents(repository.root, names)) == [None, None, *(text.encode() for text in texts)]


def test_git_that_prints_without_end_is_ended(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree that holds a smaller tree many times, which does so too, is short on disk and endless when listed."""
    monkeypatch.setattr(git_module, "_LONGEST_ANSWER", 10_000_000)
    tree = repository.git("rev-parse", "HEAD:models").stdout.strip()
    for _ in range(12):
        entries = "".join(f"040000 tree {tree}\t{number:02}\n" for number in range(20))
        (repository.root / "entries").write_text(entries, encoding="utf-8")
        tree = repository.run(["sh", "-c", "git mktree < entries"]).stdout.strip()
    with pytest.raises(ChangesError, match="git printed more than 10,000,000 bytes"):
        git_module.git(repository.root, "ls-tree", "-r", tree)
