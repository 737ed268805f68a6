"""Compare generated classes with the classes of Python's inheritance by running both.

Both are imported in this process and probed by the same small programs. Results,
exceptions, attributes and the recorded calls of each program must be the same.
"""

import ast
import itertools
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

import modular
from modular import Options, Severity


MODULAR = "models/moss/modular_moss.py"
GENERATED = "models/moss/modeling_moss.py"
PARENT = "models/fern/modeling_fern.py"
SECOND_PARENT = "models/reed/modeling_reed.py"

UNRELATED = {"MOD405", "MOD451", "MOD453", "MOD454", "MOD455", "MOD491"}
"""Codes of findings that say nothing about what a class does."""

Variants = Callable[[dict[str, str]], Iterator[tuple[dict[str, str], dict[str, str]]]]

PROBE_TIMEOUT_S = 0.5
MAX_DEPTH = 250

METHOD_ARGUMENTS = ("4", "", "2, y=3", "5, k=1, extra=2", "1, 2, 3")
INIT_ARGUMENTS = ("", "7", "2, 9", "2, y=3", "2, k=4, extra=5", "1, 2, 3")
OPERATIONS = {
    "__len__": "r = len(o)",
    "__call__": "r = o(2)",
    "__getitem__": "r = o[1]",
    "__getattr__": "r = o.nothing",
    "__getattribute__": "r = getattr(o, 'a', 0)",
    "__eq__": "r = o == {0}(), o == o, o != 1",
    "__hash__": "r = type(hash(o))",
    "__add__": "r = o + 1",
    "__iter__": "r = next(iter(o))",
    "__contains__": "r = 1 in o",
    "__bool__": "r = bool(o)",
    "__enter__": "r = o.__enter__()",
    "__repr__": "r = repr(o)",
    "__lt__": "r = o < 3",
    "__setattr__": "o.new = 5; r = 0",
    "__delattr__": "o.new = 5; del o.new; r = 0",
}
FOREIGN = {*dir(dict), *dir(list), *dir(BaseException)}
"""Members of builtin classes, which are not probed."""

PUBLIC = (
    "r = [(n, show(getattr({0}, n))) for n in sorted(dir({0})) if n[0] != '_']",
    "r = [n for n in sorted(dir({0}())) if n[0] != '_']",
    "r = {{b for b in {0}.__mro__ if 'base' in b.__module__}}",
    "r = getattr({0}, '__hash__') is None",
    "r = list(getattr({0}, '__dataclass_fields__', ()))",
    "r = list(getattr({0}, '_fields', ()))",
    "r = list(getattr({0}, '__members__', ()))",
    "r = sorted(getattr({0}, '__abstractmethods__', ()))",
)


FAILURES = ("NameError", "UnboundLocalError", "AttributeError", "TypeError")
"""Exceptions of code that does not fit together."""


class Timeout(BaseException):
    """A probe takes too long."""


@dataclass(frozen=True)
class Difference:
    """A probe with different outcomes.

    Attributes:
        class_: Name of the class.
        member: Name of the member that the probe uses.
        probe: The code.
        by_python: Outcome of Python's inheritance.
        by_file: Outcome of the generated class.
    """

    class_: str
    member: str
    probe: str
    by_python: str
    by_file: str

    @property
    def is_failure(self) -> bool:
        """Whether only the generated class fails in a way that no value explains."""
        fails = self.by_file.startswith((*FAILURES, "cannot be imported"))
        return fails and not self.by_python.startswith(FAILURES)


@dataclass
class Verdict:
    """What became of a project.

    Attributes:
        outcome: `invalid`, `refused`, `equal`, `said`, `documented` or `silent`.
        differences: All differences.
        documented: The differences that a documented transformation explains.
        unsaid: The differences that no finding is about.
        findings: The findings as text.
        generated: The generated file.
    """

    outcome: str
    differences: list[Difference] = field(default_factory=list)
    unsaid: list[Difference] = field(default_factory=list)
    documented: list[Difference] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    generated: str = ""


_COMPILED: dict[tuple[str, str], CodeType] = {}


def compiled(text: str, name: str) -> CodeType:
    """Return the code of a text, which is compiled once."""
    key = (name, text)
    if key not in _COMPILED:
        if len(_COMPILED) > 2000:
            _COMPILED.clear()
        _COMPILED[key] = compile(text, name, "exec", dont_inherit=True)
    return _COMPILED[key]


def _expire(number: int, frame: FrameType | None) -> None:
    raise Timeout


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Limit the CPU time and the depth of calls of some code."""
    previous = signal.signal(signal.SIGVTALRM, _expire)
    depth = sys.getrecursionlimit()
    frames = len(list(_frames()))
    sys.setrecursionlimit(frames + MAX_DEPTH)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        sys.setrecursionlimit(depth)
        signal.signal(signal.SIGVTALRM, previous)


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


def module_name(path: str) -> str:
    """Return the dotted name of a file."""
    return path.removesuffix(".py").replace("/", ".")


class Sandbox:
    """Modules of a project that are imported without the disk.

    `packages` are entered into `sys.modules` only while code of the sandbox runs.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)
        self.modules: dict[str, ModuleType] = {}

    @contextmanager
    def active(self) -> Iterator[None]:
        """Let imports find the modules of this sandbox."""
        own = [name for name in sys.modules if name.split(".")[0] == "models"]
        previous = {name: sys.modules.pop(name) for name in own}
        sys.modules.update(self.modules)
        try:
            yield
        finally:
            for name in self.modules:
                sys.modules.pop(name, None)
            sys.modules.update(previous)

    def load(self, path: str) -> ModuleType:
        """Execute a file as a module; call it in the order of imports."""
        name = module_name(path)
        parts = name.split(".")
        for end in range(1, len(parts)):
            package = ".".join(parts[:end])
            if package not in self.modules:
                made = ModuleType(package)
                made.__path__ = []
                self.modules[package] = made
                sys.modules[package] = made
        module = ModuleType(name)
        module.__package__ = name.rpartition(".")[0]
        module.__file__ = path
        self.modules[name] = module
        sys.modules[name] = module
        exec(compiled(self.files[path], path), module.__dict__)
        return module


LIBRARY = ("models/trace.py", "models/base.py")


def load_python(files: Mapping[str, str]) -> Sandbox:
    """Import the modular file as Python does, with the documented replacements.

    Functions and classes of the modular file take the place of those of the parents
    that get their names by the renaming. So the parents are executed a second time,
    with the definitions of the first time.
    """
    sandbox = Sandbox(files)
    parents = [path for path in (PARENT, SECOND_PARENT) if path in files]
    with sandbox.active(), limited(2 * PROBE_TIMEOUT_S):
        for path in (*LIBRARY, *parents):
            sandbox.load(path)
        child = sandbox.load(MODULAR).__dict__
        replacing = {path: replacements(files, path, child) for path in parents}
        if not any(replacing.values()):
            return sandbox
        for path in parents:
            load_with_replacements(sandbox, path, replacing[path])
        child = sandbox.load(MODULAR).__dict__
        for path in parents:
            namespace = sandbox.modules[module_name(path)].__dict__
            for name, new in replacements(files, path, child).items():
                replace_name(namespace, name, replacing[path][name], new)
    return sandbox


def load_with_replacements(
    sandbox: Sandbox, path: str, replaced: Mapping[str, Any]
) -> None:
    """Execute a parent file whose definitions are replaced when they are made."""
    tree = ast.parse(sandbox.files[path])
    body: list[ast.stmt] = []
    for node in tree.body:
        name = getattr(node, "name", None)
        changed = [each for each in replaced if is_changed_by(node, each)]
        for each in changed:
            body += ast.parse(f"{each} = _original[{each!r}]").body
        body.append(node)
        if name in replaced:
            body += ast.parse(f"_original[{name!r}] = {name}").body
            changed = [name]
        for each in changed:
            body += ast.parse(f"{each} = _replaced[{each!r}]").body
    tree.body = body
    name = module_name(path)
    module = ModuleType(name)
    module.__package__ = name.rpartition(".")[0]
    original: dict[str, Any] = {}
    module.__dict__["_original"] = original
    module.__dict__["_replaced"] = replaced
    sandbox.modules[name] = module
    sys.modules[name] = module
    exec(compile(tree, path, "exec"), module.__dict__)
    for each, value in original.items():
        if module.__dict__.get(each) is replaced[each]:
            module.__dict__[each] = value


def is_changed_by(node: ast.stmt, name: str) -> bool:
    """Return whether a statement at module level changes a class itself."""
    if not isinstance(node, (ast.Assign, ast.Expr)) or not name[0].isupper():
        return False
    return any(
        isinstance(each, ast.Name) and each.id == name for each in ast.walk(node)
    )


def replace_name(namespace: dict[str, Any], name: str, first: Any, new: Any) -> None:
    """Write a definition of the modular file over that of a parent file.

    `first` is the definition that the parent file was executed with.
    """
    for each in list(namespace.values()):
        if not isinstance(each, type) or first not in each.__bases__:
            continue
        each.__bases__ = tuple(
            new if base is first else base for base in each.__bases__
        )
    namespace[name] = new


def defined_names(text: str) -> dict[str, str]:
    """Return the functions and classes at module level."""
    found: dict[str, str] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = "function"
        if isinstance(node, ast.ClassDef):
            found[node.name] = "class"
    return found


def replacements(
    files: Mapping[str, str], path: str, child: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the definitions of the modular file that replace those of a parent."""
    model = path.split("/")[1]
    child_names = defined_names(files[MODULAR])
    replaced: dict[str, Any] = {}
    for name, kind in defined_names(files[path]).items():
        renamed_name = name
        if kind == "class":
            renamed_name = name.replace(model.capitalize(), "Moss")
        if child_names.get(renamed_name) == kind and renamed_name in child:
            replaced[name] = child[renamed_name]
    return replaced


def load_generated(files: Mapping[str, str], texts: Mapping[str, str]) -> Sandbox:
    """Import the generated files.

    Only the library is next to them, since nothing of a parent file may be needed.
    """
    sandbox = Sandbox({**files, **texts})
    with sandbox.active(), limited(2 * PROBE_TIMEOUT_S):
        for path in (*LIBRARY, *sorted(texts)):
            sandbox.load(path)
    return sandbox


_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_PRIVATE_CLASS = re.compile(r"(<function )_(?=[A-Z])")
_MODEL = re.compile(r"[Ff]ern|[Rr]eed|FERN|REED")


def renamed(text: str) -> str:
    """Return a text with the names of parents renamed, and without addresses.

    A function keeps the name of its class, which may be a kept parent class: `_MossA`.
    """
    text = _ADDRESS.sub("0x", text)
    text = _PRIVATE_CLASS.sub(r"\1", text)
    text = text.replace("modular_moss", "modeling_moss")
    return _MODEL.sub(
        lambda match: "moss" if match[0].islower() else match[0] and "Moss", text
    )


def outcome(sandbox: Sandbox, path: str, code: str) -> str:
    """Run a probe, and return what it shows."""
    trace = sandbox.modules["models.trace"].__dict__
    names = dict(sandbox.modules[module_name(path)].__dict__)
    names |= {"show": trace["show"], "islice": itertools.islice, "o": None, "r": None}
    trace["LOG"].clear()
    with sandbox.active():
        try:
            with limited(PROBE_TIMEOUT_S):
                exec(compiled(code, "probe"), names)
                shown = repr((trace["show"](names["r"]), trace["show"](names["o"])))
        except Timeout:
            return "timeout"
        except RecursionError:
            return "RecursionError"
        except Exception as error:
            details = ""
            if type(error) in (ValueError, KeyError, AssertionError):
                details = repr([a for a in error.args if isinstance(a, (int, str))])
            shown = f"{type(error).__name__}({details})"
        return renamed(f"{shown} {trace['LOG']}")


def probes(class_: str, namespace: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield members, and code that uses them."""
    cls = namespace[class_]
    for arguments in INIT_ARGUMENTS:
        yield "__init__", f"o = {class_}({arguments})"
    names = [
        name for name in sorted(dir(cls)) if name[0] != "_" and name not in FOREIGN
    ]
    methods = [name for name in names if callable(getattr(cls, name, None))]
    for name in methods:
        for number, arguments in enumerate(METHOD_ARGUMENTS):
            initial = INIT_ARGUMENTS[number]
            yield name, f"o = {class_}({initial}); r = o.{name}({arguments})"
    if len(methods) > 1:
        calls = "; ".join(f"r = o.{name}(3)" for name in methods)
        yield "sequence", f"o = {class_}(); {calls}"
    for name in names:
        if name not in methods:
            yield name, f"o = {class_}(); r = o.{name}"
        if isinstance(getattr(cls, name, None), property):
            yield name, f"o = {class_}(); o.{name} = 5; r = o.{name}"
            yield name, f"o = {class_}(); del o.{name}; r = 0"
    yield from special_probes(class_, cls)


def special_probes(class_: str, cls: type) -> Iterator[tuple[str, str]]:
    """Yield special methods and code that uses them, and code that shows the class."""
    for name, code in OPERATIONS.items():
        if getattr(cls, name, None) is not getattr(object, name, None):
            yield name, f"o = {class_}(); " + code.format(class_)
    for code in PUBLIC:
        yield "class", code.format(class_)


def compare(
    python: Sandbox, generated: Sandbox, classes: list[str]
) -> list[Difference]:
    """Return the differences of the classes."""
    found = []
    namespace = python.modules[module_name(MODULAR)].__dict__
    with python.active():
        programs = [
            (class_, member, code)
            for class_ in classes
            for member, code in probes(class_, namespace)
        ]
    for name in ("EntryClass", "build"):
        if name in namespace:
            programs.append(
                ("MossA", name, f"r = {name}; r = r() if r is not MossA else r")
            )
    for class_, member, code in programs:
        by_python = outcome(python, MODULAR, code)
        if by_python in ("timeout", "RecursionError"):
            continue
        by_file = outcome(generated, GENERATED, code)
        if by_python != by_file:
            found.append(Difference(class_, member, code, by_python, by_file))
    return found


def enclosing_names(text: str, line: int) -> set[str]:
    """Return the class at module level, and the member of it, around a line.

    For other statements at module level, return the names that they bind.
    """
    found: set[str] = set()
    for node in ast.parse(text).body:
        if not node.lineno <= line <= (node.end_lineno or 0):
            continue
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.add(node.name)
            for statement in node.body:
                end = statement.end_lineno or 0
                if statement.lineno <= line <= end and hasattr(statement, "name"):
                    found.add(statement.name)
            continue
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                found.add(each.id)
            elif isinstance(each, ast.alias):
                found.add(each.asname or each.name)
    return found


def used_names(class_: str, files: Mapping[str, str]) -> set[str]:
    """Return the class and all names of the files that its code can reach."""
    definitions: dict[str, set[str]] = {}
    for path in (PARENT, SECOND_PARENT, MODULAR):
        for node in ast.parse(files.get(path, "")).body:
            words = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            bound = {getattr(node, "name", "")}
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                bound = words
            for name in bound:
                definitions.setdefault(name, set()).update(words)
    reached: set[str] = set()
    waiting = [class_]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += definitions.get(name, ())
            # A class of the modular file takes the place of the parent's.
            waiting.append(_MODEL.sub("Moss", name))
    return reached


def is_said(
    difference: Difference, findings: list[Any], files: Mapping[str, str]
) -> bool:
    """Return whether a finding is about the class or the member of a difference.

    A finding at a statement or function at module level is about the classes whose
    code can reach the name.
    """
    class_ = difference.class_
    names = used_names(class_, files) | {difference.member}
    for finding in findings:
        if finding.severity is Severity.INFO:
            continue
        is_definition = difference.member in ("EntryClass", "build")
        if finding.code.id in UNRELATED and not is_definition:
            continue
        words = set(re.findall(r"\w+", f"{finding.message} {finding.hint or ''}"))
        if words & {class_, difference.member}:
            return True
        path = finding.place.path
        if path in files:
            if enclosing_names(files[path], finding.place.line) & names:
                return True
    return False


def settings(inheritance: str) -> str:
    """Return the settings of a project."""
    return (
        '[tool.modular]\nmodels = ["models"]\npackage = "models"\n'
        f'inheritance = "{inheritance}"\n'
    )


def write_files(folder: Path, files: Mapping[str, str], inheritance: str) -> None:
    """Write a project to a folder."""
    for path, text in {**files, "pyproject.toml": settings(inheritance)}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def convert(folder: Path, files: Mapping[str, str], inheritance: str) -> Any:
    """Convert the project in a folder without writing."""
    write_files(folder, files, inheritance)
    if SECOND_PARENT not in files:
        (folder / SECOND_PARENT).unlink(missing_ok=True)
    options = Options(root=str(folder), jobs=1, cache=False, store=False)
    return modular.convert("moss", dry_run=True, options=options)


def judge(
    folder: Path,
    files: dict[str, str],
    classes: list[str],
    inheritance: str,
    variants: Variants | None = None,
) -> Verdict:
    """Convert a project, and compare its classes with those of Python.

    Args:
        folder: Folder in which the project is written.
        files: The texts by path.
        classes: Classes of the modular file.
        inheritance: The setting of this name.
        variants: Yields sources in which documented transformations change nothing.
    """
    try:
        python = load_python(files)
    except (Exception, Timeout):
        return Verdict("invalid")
    report = convert(folder, files, inheritance)
    findings = [
        each
        for each in report.diagnostics
        if each.severity is not Severity.INFO and each.code.id not in UNRELATED
    ]
    verdict = Verdict("equal")
    verdict.findings = [
        f"{each.severity.value} {each.code.id} {each.place.position} {each.message}"
        for each in findings
    ]
    verdict.codes = [each.code.id for each in findings]
    texts = {path: text for path, text in report.texts.items() if "/moss/" in path}
    if GENERATED not in texts or any(each.is_error for each in report.diagnostics):
        verdict.outcome = "refused"
        return verdict
    verdict.generated = texts[GENERATED]
    try:
        generated = load_generated(files, texts)
        verdict.differences = compare(python, generated, classes)
    except (Exception, Timeout) as error:
        text = f"cannot be imported: {type(error).__name__} {error}"
        verdict.differences = [
            Difference(class_, "module", "r = 0", "", text) for class_ in classes
        ]
    if inheritance == "transformers":
        # Code that fails as Python says has no meaning that could change.
        verdict.differences = [
            each
            for each in verdict.differences
            if not each.by_python.startswith(FAILURES)
        ]
    verdict.unsaid = [
        difference
        for difference in verdict.differences
        if not is_said(difference, report.diagnostics, files)
    ]
    if verdict.unsaid and variants is not None:
        drop_documented(folder, files, verdict, inheritance, variants)
    if verdict.unsaid:
        verdict.outcome = "silent"
    elif len(verdict.differences) > len(verdict.documented):
        verdict.outcome = "said"
    elif verdict.documented:
        verdict.outcome = "documented"
    return verdict


def drop_documented(
    folder: Path,
    files: dict[str, str],
    verdict: Verdict,
    inheritance: str,
    variants: Variants,
) -> None:
    """Move differences that a documented transformation explains.

    A failure is never explained, since only what cannot fail need not be said.
    """
    for by_python, converted in variants(files):
        waiting = [each for each in verdict.unsaid if not each.is_failure]
        if not waiting:
            return
        try:
            python = load_python(by_python)
            texts = {GENERATED: verdict.generated}
            if converted != files:
                texts = dict(convert(folder, converted, inheritance).texts)
            generated = load_generated(files, texts)
        except (Exception, Timeout):
            continue
        if module_name(GENERATED) not in generated.modules:
            continue
        for each in waiting:
            expected = outcome(python, MODULAR, each.probe)
            if expected == outcome(generated, GENERATED, each.probe):
                verdict.unsaid.remove(each)
                verdict.documented.append(each)
