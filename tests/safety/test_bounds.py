"""What no single parser refuses is bounded too: what a file asks for, what stands around it, and what nobody foresaw."""

import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from modular import Options, Report, convert
from modular.conversion.converter import Converter
from modular.rules.settings import SettingsError
from tests.flock import run_modular
from tests.safety.projects import command, environment, make
from tests.support import source


DEEP = 100_000
SECONDS = 60

IMPORT = "from ..base.modeling_base import BaseModel\n"
BASE = {"models/base/modeling_base.py": "class BaseModel:\n    def f(self, a=1, **kwargs):\n        return a\n"}
FINE = {"models/fine/modular_fine.py": f"{IMPORT}\n\nclass FineModel(BaseModel):\n    pass\n"}


def converted(root: Path, files: Mapping[str, str | bytes], jobs: int = 1) -> Report:
    return convert(options=Options(root=make(root, files, formatter="ruff"), cache=False, jobs=jobs))


def errors(report: Report) -> list[tuple[str, str]]:
    return [(diagnostic.code.id, diagnostic.place.path) for diagnostic in report.diagnostics if diagnostic.is_error]


def models(count: int) -> dict[str, str]:
    return {
        f"models/m{number}/modular_m{number}.py": f"{IMPORT}\n\nclass M{number}Model(BaseModel):\n    pass\n"
        for number in range(count)
    }


def generated(root: Path) -> int:
    return len(list(root.glob("models/m*/modeling_m*.py")))


@pytest.mark.parametrize("default", ["1" + " and 1" * DEEP, "a" + "[0]" * 3000, "1" + "+1" * 9000])
def test_parameters_that_a_syntax_tree_would_not_survive(tmp_path: Path, default: str) -> None:
    """They are the one thing that is read into a tree which has no bounds of its own."""
    child = source(
        """
        from ..base.modeling_base import BaseModel


        class ChildModel(BaseModel):
            def f(self, b=2, **super_kwargs):
                super().f()
        """
    )
    parent = BASE["models/base/modeling_base.py"].replace("a=1", f"a={default}")
    files = {"models/base/modeling_base.py": parent, "models/child/modular_child.py": child}
    ((code, _),) = errors(converted(tmp_path, files))
    assert code == "MOD106"


@pytest.mark.parametrize("value", ["lambda: " * 6000 + "1", "a" + "()" * 6000])
def test_code_of_which_an_old_python_cannot_tell_how_deep_it_is(tmp_path: Path, value: str) -> None:
    """It does not know the f-string, and LibCST, which does, has no bounds."""
    text = f'    text = f"{{Later["x"]}}"\n    value = {value}\n'
    child = f"{IMPORT}\n\nclass ChildModel(BaseModel):\n{text}\n\nclass Later:\n    pass\n"
    root = make(tmp_path, {**BASE, "models/child/modular_child.py": child}, formatter="ruff")
    done = run_modular("check", "--no-cache", "--jobs", "1", cwd=root)
    assert done.returncode == 1
    assert done.stderr.startswith("error[MOD106]")


def test_a_small_file_that_asks_for_much(tmp_path: Path) -> None:
    parent = "class BaseModel:\n    def f(self):\n" + "        x = 1\n" * 10_000
    children = "".join(f"\n\nclass Many{number}Model(BaseModel):\n    pass\n" for number in range(5_000))
    files = {"models/base/modeling_base.py": parent, "models/many/modular_many.py": IMPORT + children}
    report = converted(tmp_path, {**files, **models(1)})
    assert errors(report) == [("MOD110", "models/many/modular_many.py")]
    assert not (tmp_path / "models/many/modeling_many.py").exists()
    assert (tmp_path / "models/m0/modeling_m0.py").exists()


def test_a_small_file_with_very_many_mistakes(tmp_path: Path) -> None:
    deleted = "".join(f"        del self.a{number}\n" for number in range(20_000))
    child = (
        f"{IMPORT}\n\nclass ChildModel(BaseModel):\n    def f(self, a=1, **kwargs):\n        super().f()\n{deleted}"
    )
    report = converted(tmp_path, {**BASE, "models/child/modular_child.py": child})
    assert [diagnostic.code.id for diagnostic in report.diagnostics] == ["MOD401"] * 20_000


def test_names_that_go_in_circles(tmp_path: Path) -> None:
    text = source(
        """
        from ..base.modeling_base import BaseModel


        def f():
            return g()


        def g():
            return f(A, B)


        A = B
        B = A


        class C(D):
            a = f


        class D(C):
            b = g


        class E(E):
            pass


        class RingModel(BaseModel):
            c = C
        """
    )
    ring = "models/ring/modular_ring.py"
    assert errors(converted(tmp_path, {**BASE, ring: text})) == [("MOD306", ring), ("MOD306", ring)]
    text = text.replace("class C(D)", "class C(f())").replace("class E(E)", "class E(g())")
    assert errors(converted(tmp_path, {**BASE, ring: text})) == []
    flat = (tmp_path / "models/ring/modeling_ring.py").read_text(encoding="utf-8")
    lines = ("def f():", "def g():", "A = B", "B = A", "class C(f()):", "class D(C):", "class E(g()):")
    assert [flat.count(f"{line}\n") for line in lines] == [1] * 7


def test_an_indent_of_a_thousand_levels_in_a_parent_file(tmp_path: Path) -> None:
    indents = "".join(" " * level + "if x:\n" for level in range(1000)) + " " * 1000 + "x = 1\n"
    files = {"models/base/modeling_base.py": f"{indents}{BASE['models/base/modeling_base.py']}", **FINE}
    assert errors(converted(tmp_path, files)) == [("MOD106", "models/base/modeling_base.py")]


def test_files_that_are_no_files(tmp_path: Path) -> None:
    """A pipe that nobody writes to would keep a reader for ever."""
    child = "from ..base.modeling_pipe import BaseModel\n\n\nclass ChildModel(BaseModel):\n    pass\n"
    make(tmp_path, {**BASE, **FINE, "models/child/modular_child.py": child})
    for path in ("pipe/modular_pipe.py", "base/modeling_pipe.py"):
        (tmp_path / "models" / path).parent.mkdir(exist_ok=True)
        os.mkfifo(tmp_path / "models" / path)
    (tmp_path / "models/folder/modular_folder.py").mkdir(parents=True)
    done = subprocess.run(
        command("convert", "--no-cache"), cwd=tmp_path, env=environment(tmp_path), capture_output=True, timeout=SECONDS
    )
    assert done.returncode == 1
    assert b"MOD201" in done.stderr and b"Traceback" not in done.stderr
    assert (tmp_path / "models/fine/modeling_fine.py").read_text(encoding="utf-8").endswith("return a\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 4_000 + "]" * 4_000 + "\n", "nested too deeply"),
        ("a" + ".a" * DEEP + " = 1\n", "bytes in a line are too many"),
        ("a = '" + "y" * 50_000_000 + "'\n", "too many"),
        ("[tool]\nmodular = 1\n", "expected a table"),
        ("[tool.modular]\nmodels = " + "9" * 9_000 + "\n", "digits"),
    ],
    ids=["nested", "dotted", "large", "no table", "digits"],
)
def test_settings(tmp_path: Path, text: str, message: str) -> None:
    make(tmp_path, {**BASE, **FINE})
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
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
    files = {**BASE, **FINE, "models/auto/auto_mappings.py": text}
    with pytest.raises(SettingsError, match=rf"auto_mappings\.py: .*{message}"):
        converted(tmp_path, files)


def test_configuration_classes_instead_of_the_table(tmp_path: Path) -> None:
    """What cannot be read gives no name, and is refused only where somebody needs it."""
    (tmp_path / "models/folder/configuration_folder.py").mkdir(parents=True)
    files = {
        "models/a/configuration_a.py": 'class AConfig:\n    model_type = "' + "a" * 50_000_000 + '"\n',
        "models/b/configuration_b.py": b"class BConfig:\n    model_type = '\xe9'\n",
        "models/c/configuration_c.py": "class CConfig:\n    x = " + "(" * DEEP + '\n    model_type = "fine"\n',
    }
    assert errors(converted(tmp_path, {**BASE, **FINE, **files})) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_that_nobody_foresaw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    """It is an error of its model, which says what happened and where; the others go on."""
    fill = Converter._fill

    def failing(self: Converter, conversion: Any, inspects: bool) -> None:
        if conversion.modular == "models/m3/modular_m3.py":
            raise KeyError("surprise")
        fill(self, conversion, inspects)

    monkeypatch.setattr(Converter, "_fill", failing)
    report = converted(tmp_path, {**BASE, **models(20)}, jobs)
    assert errors(report) == [("MOD111", "models/m3/modular_m3.py")]
    assert "KeyError: 'surprise' (in failing, test_bounds.py, line " in report.diagnostics[0].message
    assert "report it" in report.diagnostics[0].hint
    assert generated(tmp_path) == 19


def test_a_process_that_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is noticed, and costs no more than the file on which it died."""
    parent = os.getpid()
    convert_one = Converter.convert

    def dying(self: Converter, path: str) -> Any:
        if path == "models/m3/modular_m3.py" and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return convert_one(self, path)

    monkeypatch.setattr(Converter, "convert", dying)
    report = converted(tmp_path, {**BASE, **models(20)}, jobs=2)
    assert errors(report) == [("MOD111", "models/m3/modular_m3.py")]
    assert generated(tmp_path) == 19


LONG = {
    "comments in an import": (
        "from ..base.modeling_base import (\n    BaseModel,\n" + "    # not,  that one\n" * 20_000 + ")\n\n\n",
        "",
    ),
    "blanks in an import": (f"{IMPORT}import os,{' ' * 500_000}sys\n\n\n", ""),
}


@pytest.mark.parametrize("name", LONG)
def test_what_is_long_takes_time_in_proportion(tmp_path: Path, name: str) -> None:
    """These take hours where time grows with the square of the length: the command is given a minute."""
    head, body = LONG[name]
    child = f"{head}class ChildModel(BaseModel):\n{body}    size = 1\n"
    make(tmp_path, {**BASE, "models/child/modular_child.py": child})
    done = subprocess.run(
        command("convert", "--no-cache"), cwd=tmp_path, env=environment(tmp_path), capture_output=True, timeout=SECONDS
    )
    assert done.returncode == 0
    assert "    size = 1\n" in (tmp_path / "models/child/modeling_child.py").read_text(encoding="utf-8")


def test_very_many_strings_that_name_the_parents_model(tmp_path: Path) -> None:
    parent = "class MambaModel:\n    names = [" + "'mamba', " * 100_000 + "]\n"
    child = "from ..mamba.modeling_mamba import MambaModel\n\n\nclass ChildModel(MambaModel):\n    pass\n"
    make(tmp_path, {"models/mamba/modeling_mamba.py": parent, "models/child/modular_child.py": child})
    done = subprocess.run(
        command("convert", "--no-cache"), cwd=tmp_path, env=environment(tmp_path), capture_output=True, timeout=SECONDS
    )
    assert done.returncode == 0
    assert (tmp_path / "models/child/modeling_child.py").read_text(encoding="utf-8").count("'child'") == 100_000


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_number_that_python_itself_would_not_read(tmp_path: Path, jobs: int) -> None:
    """It is no error, whoever looks for errors: with few models this process does, with many the formatter."""
    child = f"{IMPORT}\n\nclass ChildModel(BaseModel):\n    size = {'9' * 5000}\n"
    assert errors(converted(tmp_path, {**BASE, **models(20), "models/child/modular_child.py": child}, jobs)) == []
    assert (tmp_path / "models/child/modeling_child.py").exists()


MANY: dict[str, tuple[str, str]] = {
    "statements in a line": ("", "\n\nx = 1;" + "a;" * 25_000 + "\n"),
    "bases": (", ".join(f"m.B{number}" for number in range(50_000)), ""),
    "classes": ("", "".join(f"\n\nclass C{number}Model(BaseModel):\n    x = 1\n" for number in range(1_900))),
    "deletions in a line": ("", "\n    def f(self, a=1):\n        super().f(a);" + "del self.a;" * 10_000 + "\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_what_is_many_takes_time_in_proportion(tmp_path: Path, name: str) -> None:
    """These take minutes where time grows with the square of the number: the command is given one."""
    bases, further = MANY[name]
    child = (
        f"import m\n\n{IMPORT}\n\nclass ChildModel(BaseModel{', ' if bases else ''}{bases}):\n    size = 1\n{further}"
    )
    make(tmp_path, {**BASE, "models/child/modular_child.py": child})
    done = subprocess.run(
        command("convert", "--no-cache"), cwd=tmp_path, env=environment(tmp_path), capture_output=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert "    size = 1\n" in (tmp_path / "models/child/modeling_child.py").read_text(encoding="utf-8")


def test_more_classes_than_a_model_has(tmp_path: Path) -> None:
    classes = "".join(f"\n\nclass C{number}Model(BaseModel):\n    x = 1\n" for number in range(20_000))
    report = converted(tmp_path, {**BASE, "models/many/modular_many.py": IMPORT + classes})
    assert errors(report) == [("MOD110", "models/many/modular_many.py")]
    assert [diagnostic.message for diagnostic in report.diagnostics if "2000 classes" in diagnostic.message] != []
