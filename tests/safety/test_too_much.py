"""Sources that are too deep, too large, too many or no files at all end in an error, in bounded time and memory."""

import os
import resource
import signal
import subprocess
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.git import repository as git_repository
from modular.git.repository import GitError, read_blobs, read_texts_at
from modular.settings.settings import SettingsError
from modular.source.loading import MAX_SOURCE_BYTES
from tests.repository import make as repository_at
from tests.safety.projects import converted, ended, errors, make, models, start


DEEP = 100_000
MEMORY = 1_500_000_000

PARENT = "models/base/modeling_base.py"
MODULAR = "models/child/modular_child.py"
GENERATED = "models/child/modeling_child.py"
IMPORT = "from ..base.modeling_base import BaseModel\n"
SIZE = "    size = 1\n"
METHOD = "    def f(self, a=1, **kwargs):\n        return a\n"
BASE = {PARENT: f"class BaseModel:\n{METHOD}"}


def child(
    body: str = SIZE, bases: str = "BaseModel", head: str = IMPORT
) -> dict[str, str]:
    """A model beside its parent."""
    return {**BASE, MODULAR: f"{head}\n\nclass ChildModel({bases}):\n{body}"}


def bounded(
    root: Path, files: Mapping[str, str | bytes]
) -> subprocess.CompletedProcess[str]:
    """Convert a project in a process of its own, with little memory and time."""
    begin = partial(resource.setrlimit, resource.RLIMIT_AS, (MEMORY, MEMORY))
    done = ended(
        start(make(root, files), "convert", "--jobs", "1", "--no-cache", begin=begin)
    )
    assert done.returncode in (0, 1) and "Traceback" not in done.stderr, done.stderr[
        -500:
    ]
    return done


HOSTILE: dict[str, tuple[bytes, str]] = {
    "parentheses": (b"x = " + b"(" * DEEP + b")" * DEEP + b"\n", "MOD106"),
    "unary operators": (b"x = " + b"-" * DEEP + b"1\n", "MOD106"),
    "binary operators": (b"x = 1" + b" + 1" * DEEP + b"\n", "MOD106"),
    "lambdas": (b"x = " + b"lambda: " * DEEP + b"1\n", "MOD106"),
    "indents": (
        b"".join(b" " * depth + b"if x:\n" for depth in range(1000))
        + b" " * 1000
        + b"x = 1\n",
        "MOD106",
    ),
    "f-strings": (b"x = " + b'f"{' * 1000 + b"1" + b'}"' * 1000 + b"\n", "MOD106"),
    "a NUL byte": (b"x = 1\0\n", "MOD102"),
    "Latin-1": ("x = 'é'\n".encode("latin-1"), "MOD102"),
    "an open string": (b'x = """\n' + b"a\n" * 1000, "MOD101"),
    "a line of 50 MB": (b"x = '" + b"a" * 50_000_000 + b"'\n", "MOD110"),
}


@pytest.mark.slow
@pytest.mark.parametrize("path", [MODULAR, PARENT])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code(tmp_path: Path, name: str, path: str) -> None:
    """What the child does not need of its parent file may go unseen; but it is an error, or the child is right."""
    data, code = HOSTILE[name]
    files = child()
    done = bounded(tmp_path, {**files, path: files[path].encode() + data})
    if done.returncode == 0:
        assert path == PARENT
        assert (tmp_path / GENERATED).read_text(encoding="utf-8").endswith(METHOD)
    else:
        assert f"error[{code}]" in done.stderr
        assert not (tmp_path / GENERATED).exists()


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("1" + " and 1" * DEEP, "1"),
        ("1", "lambda: " * 6000 + "1"),
        ("1", "a" + "()" * 6000),
    ],
)
def test_deep_code_that_is_needed(tmp_path: Path, parameter: str, value: str) -> None:
    """LibCST, which reads it, has no bounds; an old Python cannot tell how deep it is beside an f-string that is new."""
    body = f'    x = f"{{Later["x"]}}"\n    y = {value}\n\n    def f(self, **super_kwargs):\n        super().f()\n'
    files = child(f"{body}\n\nclass Later:\n    pass\n")
    files[PARENT] = BASE[PARENT].replace("a=1", f"a={parameter}")
    assert [code for code, _ in errors(converted(make(tmp_path, files, "ruff")))] == [
        "MOD106"
    ]


def children(count: int) -> str:
    """So many children of one parent."""
    return "".join(
        f"\n\nclass C{number}Model(BaseModel):\n    x = 1\n" for number in range(count)
    )


@pytest.mark.parametrize("statement", ["print(a, 1)\n", 'x = ["a", "b"]\n'])
def test_a_modular_file_with_very_many_names_and_strings(
    tmp_path: Path, statement: str
) -> None:
    """Its conversion takes time in proportion, which is too long for a check."""
    head = f"{IMPORT}\n\nclass ChildModel(BaseModel):\n    x = 1\n\n\n"
    for count, code in ((8_000, []), (10_000, [("MOD110", MODULAR)])):
        files = {**models("fine"), **BASE, MODULAR: head + statement * count}
        assert errors(converted(make(tmp_path, files))) == code
        assert (tmp_path / "models/fine/modeling_fine.py").exists()


@pytest.mark.parametrize(("lines", "count"), [(10_000, 1_900), (1, 2_100)])
def test_a_small_file_that_asks_for_much(
    tmp_path: Path, lines: int, count: int
) -> None:
    parent = "class BaseModel:\n    def f(self):\n" + "        x = 1\n" * lines
    report = converted(
        make(
            tmp_path,
            {**models("fine"), PARENT: parent, MODULAR: IMPORT + children(count)},
        )
    )
    assert errors(report) == [("MOD110", MODULAR)]
    assert not (tmp_path / GENERATED).exists()
    assert (tmp_path / "models/fine/modeling_fine.py").exists()


def test_a_small_file_with_very_many_mistakes(tmp_path: Path) -> None:
    deleted = "".join(f"        del self.a{number}\n" for number in range(8_000))
    report = converted(
        make(
            tmp_path,
            child(f"    def f(self, a=1, **kwargs):\n        super().f()\n{deleted}"),
        )
    )
    assert [diagnostic.code.id for diagnostic in report.diagnostics] == [
        "MOD401"
    ] * 8_000


NAMES = "".join(f", m.B{number}" for number in range(12_000))
LONG: dict[str, dict[str, str]] = {
    "comments in an import": child(
        head="from ..base.modeling_base import (\n    BaseModel,\n"
        + "    # not,  that one\n" * 20_000
        + ")\n"
    ),
    "blanks between bases": child(bases=f"BaseModel,{' ' * 500_000}metaclass=type"),
    "blanks in an import": child(head=f"{IMPORT}import os,{' ' * 500_000}sys\n"),
    "strings that name the parent's model": child()
    | {PARENT: BASE[PARENT] + "    n = [" + "'base', " * DEEP + "]\n"},
}
MANY: dict[str, dict[str, str]] = {
    "statements in a line": child(f"{SIZE}\n\nx = 1;{'a;' * 20_000}\n"),
    "bases": child(bases=f"BaseModel{NAMES}", head=f"import m\n\n{IMPORT}"),
    "classes": child(SIZE + children(1_900)),
    "deletions in a line": child(
        f"{SIZE}\n    def f(self, a=1):\n        super().f(a);{'del self.a;' * 8_000}\n"
    ),
}


@pytest.mark.parametrize(
    "name", [*LONG, *(pytest.param(name, marks=pytest.mark.slow) for name in MANY)]
)
def test_what_is_long_takes_time_in_proportion(tmp_path: Path, name: str) -> None:
    """These take minutes or hours where time grows with the square of the length."""
    files = {**LONG, **MANY}[name]
    assert bounded(tmp_path, files).returncode == 0
    text = (tmp_path / GENERATED).read_text(encoding="utf-8")
    assert SIZE in text
    assert text.count("'child'") == files[PARENT].count("'base'")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_number_that_python_itself_would_not_read(tmp_path: Path, jobs: int) -> None:
    """It is no error, whoever looks for errors: with few models this process does, with many the formatter."""
    files = {
        **models(*(f"m{number}" for number in range(20))),
        **child(f"    size = {'9' * 5000}\n"),
    }
    assert errors(converted(make(tmp_path, files, "ruff"), jobs)) == []
    assert (tmp_path / GENERATED).exists()


@pytest.mark.parametrize(("base", "is_refused"), [("D", True), ("f()", False)])
def test_names_in_cycles_end_the_search_for_dependencies(
    tmp_path: Path, base: str, is_refused: bool
) -> None:
    """`A = B` before `B = A` is a certain NameError, and a base is refused by itself."""
    functions = (
        "def f():\n    return g(A)\n\n\ndef g():\n    return f(B)\n\n\nA = B\nB = A\n"
    )
    classes = f"\n\nclass C({base}):\n    a = f\n\n\nclass D(C):\n    b = g\n"
    files = child("    c = C\n", head=f"{IMPORT}\n\n{functions}{classes}")
    refusals = [("MOD306", MODULAR)] if is_refused else []
    found = errors(converted(make(tmp_path, files)))
    assert sorted(found) == [*refusals, ("MOD408", MODULAR)]
    assert not (tmp_path / GENERATED).exists()


def test_a_long_chain_of_names_that_need_each_other(tmp_path: Path) -> None:
    chain = (
        "".join(f"a{number} = a{number + 1}\n" for number in range(1_500))
        + "a1500 = 1\n"
    )
    assert (
        errors(
            converted(
                make(
                    tmp_path,
                    child("    size = a0\n", head=f"{IMPORT}\n{chain}"),
                    "ruff",
                )
            )
        )
        == []
    )
    lines = (tmp_path / GENERATED).read_text(encoding="utf-8").splitlines()
    assert (
        lines.index("a1500 = 1") < lines.index("a1499 = a1500") < lines.index("a0 = a1")
    )


def test_files_that_are_no_files(tmp_path: Path) -> None:
    """A pipe that nobody writes to would keep a reader for ever; a file with a hole takes no room on a disk."""
    made = {"models/pipe/a.py": "", "models/hole/modular_hole.py": ""}
    make(
        tmp_path,
        {
            **models("fine"),
            **child(head="from ..base.modeling_pipe import BaseModel\n"),
            **made,
        },
    )
    os.truncate(tmp_path / "models/hole/modular_hole.py", 4_000_000_000)
    for path in ("pipe/modular_pipe.py", "base/modeling_pipe.py"):
        os.mkfifo(tmp_path / "models" / path)
    (tmp_path / "models/folder/modular_folder.py").mkdir(parents=True)
    printed = bounded(tmp_path, {}).stderr
    assert "MOD201" in printed and "MOD110" in printed
    assert (
        (tmp_path / "models/fine/modeling_fine.py")
        .read_text(encoding="utf-8")
        .endswith(METHOD)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CONFIG_MAPPING_NAMES = " + "(" * DEEP, "CONFIG_MAPPING_NAMES"),
        ("CONFIG_MAPPING_NAMES = {'a': " + "-" * DEEP + "1}", "CONFIG_MAPPING_NAMES"),
        (
            "CONFIG_MAPPING_NAMES = {'a': 'b'" + "+ 'b'" * DEEP + "}",
            "CONFIG_MAPPING_NAMES",
        ),
        ("CONFIG_MAPPING_NAMES = {'a': , }", "CONFIG_MAPPING_NAMES"),
        ("CONFIG_MAPPING_NAMES = {}\0", "NUL"),
        (
            "CONFIG_MAPPING_NAMES = {" + "'a': 'AConfig', " * DEEP + "}",
            "the file is too large",
        ),
    ],
    ids=["brackets", "signs", "sum", "syntax", "nul", "large"],
)
def test_the_table_of_names(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=rf"auto_mappings\.py: .*{message}"):
        converted(
            make(tmp_path, {**models("fine"), "models/auto/auto_mappings.py": text})
        )


def test_configuration_classes_instead_of_the_table(tmp_path: Path) -> None:
    """What cannot be read gives no name, and is refused only where somebody needs it."""
    (tmp_path / "models/folder/configuration_folder.py").mkdir(parents=True)
    files: dict[str, str | bytes] = {
        "models/a/configuration_a.py": 'class AConfig:\n    model_type = "'
        + "a" * 50_000_000
        + '"\n',
        "models/b/configuration_b.py": b"class BConfig:\n    model_type = '\xe9'\n",
        "models/c/configuration_c.py": "class CConfig:\n    x = "
        + "(" * DEEP
        + '\n    model_type = "fine"\n',
    }
    assert errors(converted(make(tmp_path, {**models("fine"), **files}))) == []


@pytest.mark.parametrize(("dies", "jobs"), [(False, 1), (False, 2), (True, 2)])
def test_what_nobody_foresaw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies: bool, jobs: int
) -> None:
    """An exception, or the end of a process, is an error of the model that it came from; the others go on."""
    parent = os.getpid()
    convert_source = Converter._convert_source

    def failing(self: Converter, source: Any, inspects: bool) -> Conversion:
        if source.modular.path == "models/m3/modular_m3.py":
            if dies and os.getpid() != parent:
                os.kill(os.getpid(), signal.SIGKILL)
            raise KeyError("surprise")
        return convert_source(self, source, inspects)

    monkeypatch.setattr(Converter, "_convert_source", failing)
    report = converted(
        make(tmp_path, models(*(f"m{number}" for number in range(20)))), jobs
    )
    assert errors(report) == [("MOD111", "models/m3/modular_m3.py")]
    assert len(list(tmp_path.glob("models/m*/modeling_m*.py"))) == 19


def test_a_file_of_a_commit_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    repository = repository_at(tmp_path / "project")
    small = {
        "models/full.py": "#" * (MAX_SOURCE_BYTES - 1) + "\n",
        "models/a b.py": "1\n",
    }
    repository.write({**small, "models/large.py": "#" * (MAX_SOURCE_BYTES + 1)})
    repository.commit()
    assert (
        read_texts_at(
            repository.root, "HEAD", ["models/large.py", "models/none.py", *small]
        )
        == small
    )


def test_files_of_a_commit_are_read_one_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What git prints is bounded, but not what the files have together, which has a bound of its own."""
    repository = repository_at(tmp_path / "project")
    monkeypatch.setattr(git_repository, "MAX_OUTPUT_BYTES", 4_000)
    texts = [f"{number}{'#' * 998}\n" for number in range(5)]
    repository.write({f"models/{number}.py": text for number, text in enumerate(texts)})
    repository.commit()
    names = [
        "HEAD:models/none.py",
        "HEAD:models",
        *(f"HEAD:models/{number}.py" for number in range(5)),
    ]
    monkeypatch.setattr(git_repository, "MAX_COMMIT_BYTES", 5_000)
    assert list(read_blobs(repository.root, names)) == [
        None,
        None,
        *(text.encode() for text in texts),
    ]
    monkeypatch.setattr(git_repository, "MAX_COMMIT_BYTES", 4_999)
    with pytest.raises(GitError, match="too large: more than 4,999 bytes"):
        list(read_blobs(repository.root, names))


def test_git_that_prints_without_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree that holds a smaller tree many times, which does so too, is short on disk and endless when listed."""
    repository = repository_at(tmp_path / "project")
    monkeypatch.setattr(git_repository, "MAX_OUTPUT_BYTES", 10_000_000)
    tree = repository.git("rev-parse", "HEAD:models").stdout.strip()
    for _ in range(12):
        entries = "".join(f"040000 tree {tree}\t{number:02}\n" for number in range(20))
        (repository.root / "entries").write_text(entries, encoding="utf-8")
        tree = repository.run(["sh", "-c", "git mktree < entries"]).stdout.strip()
    with pytest.raises(GitError, match="git printed more than 10,000,000 bytes"):
        git_repository.run_git(repository.root, "ls-tree", "-r", tree)


@pytest.mark.parametrize("stars", [7, 2_000])
def test_links_that_lead_to_their_folder_do_not_multiply_ruffs_sources(
    tmp_path: Path, stars: int
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for number in range(8):
        (root / f"link{number}").symlink_to(".")
    pattern = "*/" * stars
    settings = f'src = ["{pattern}zz*", "{pattern}models"]\n'
    done = bounded(root, {**child(), "ruff.toml": settings})
    assert done.returncode == 0, done.stderr
