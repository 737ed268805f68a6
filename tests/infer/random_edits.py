"""Random edits of the generated files of transformers, and what `modular lift` makes of them.

`python -m tests.infer.random_edits --edits 400 --seed 1` prints each edit that is not lifted.
"""

import argparse
import ast
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from bench.corpus import make_project
from modular.conversion.converter import Converter
from modular.infer.flat import remove_empty_guards
from modular.infer.improve import improve_model
from modular.infer.index import FragmentIndex, ParentModels
from modular.infer.lift import LiftedModel, lift_model
from modular.infer.proof import find_findings, format_texts
from modular.infer.relations import Relations
from modular.infer.targets import InferTarget
from modular.project.opening import open_project
from modular.project.project import Project
from modular.provenance.origins import blamed_lines
from modular.provenance.outline import read_outline
from modular.run.output_record import OutputRecord
from modular.source import module as modules
from modular.source.diffs import compare
from modular.source.module import normalize_text


@dataclass
class Lines:
    """The lines of a generated file, and its syntax tree."""

    lines: list[str]
    random: random.Random

    @property
    def tree(self) -> ast.Module:
        return ast.parse("\n".join(self.lines))

    def classes(self) -> list[ast.ClassDef]:
        return [node for node in self.tree.body if isinstance(node, ast.ClassDef)]

    def methods(self) -> list[ast.FunctionDef]:
        return [
            node
            for class_ in self.classes()
            for node in class_.body
            if isinstance(node, ast.FunctionDef)
        ]


def change_number(file: Lines) -> bool:
    """Change a number in a method."""
    found = [
        node
        for method in file.methods()
        for node in ast.walk(method)
        if isinstance(node, ast.Constant)
        and type(node.value) in (int, float)
        and node.lineno == node.end_lineno
    ]
    if not found:
        return False
    node = file.random.choice(found)
    line = file.lines[node.lineno - 1]
    assert node.end_col_offset is not None
    encoded = line.encode()
    new = encoded[: node.col_offset] + b"37" + encoded[node.end_col_offset :]
    file.lines[node.lineno - 1] = new.decode()
    return True


def _simple_statements(file: Lines) -> list[ast.stmt]:
    return [
        node
        for method in file.methods()
        for node in method.body
        if isinstance(node, ast.Assign | ast.Expr)
        and node.lineno == node.end_lineno
        and not isinstance(getattr(node, "value", None), ast.Constant)
        and len(method.body) > 2
    ]


def remove_line(file: Lines) -> bool:
    """Remove a simple statement of a method."""
    found = _simple_statements(file)
    if not found:
        return False
    del file.lines[file.random.choice(found).lineno - 1]
    return True


def add_line(file: Lines) -> bool:
    """Add a statement to a method."""
    found = _simple_statements(file)
    if not found:
        return False
    node = file.random.choice(found)
    indent = " " * node.col_offset
    text = file.random.choice(
        ["self.extra_size = 12", "extra = 3", "print('reached')", "self.norm = None"]
    )
    file.lines.insert(node.lineno, f"{indent}{text}")
    return True


def change_call(file: Lines) -> bool:
    """Wrap the value of an assignment in a call."""
    found = [
        node
        for node in _simple_statements(file)
        if isinstance(node, ast.Assign)
        and len(file.lines[node.lineno - 1]) < 90
        and "#" not in file.lines[node.lineno - 1]
    ]
    if not found:
        return False
    node = file.random.choice(found)
    assert isinstance(node, ast.Assign)
    line = file.lines[node.lineno - 1].encode()
    start = node.value.col_offset
    name = f"check_{node.lineno}"
    file.lines[node.lineno - 1] = (
        line[:start] + f"{name}(".encode() + line[start:] + b")"
    ).decode()
    for class_ in file.classes():
        if class_.lineno <= node.lineno <= (class_.end_lineno or 0):
            first = min(
                [class_.lineno, *(item.lineno for item in class_.decorator_list)]
            )
            file.lines[first - 1 : first - 1] = [
                f"def {name}(value):",
                "    return value",
                "",
                "",
            ]
            return True
    return False


def add_method(file: Lines) -> bool:
    """Add a method at the end of a class."""
    classes = [node for node in file.classes() if node.end_lineno]
    if not classes:
        return False
    node = file.random.choice(classes)
    assert node.end_lineno is not None
    text = [
        "",
        "    def extra_method(self, size: int = 3) -> int:",
        "        return size + 1",
    ]
    file.lines[node.end_lineno : node.end_lineno] = text
    return True


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(item.lineno for item in node.decorator_list)])


def remove_method(file: Lines) -> bool:
    """Remove a method of a class that has others."""
    found = []
    for class_ in file.classes():
        methods = [node for node in class_.body if isinstance(node, ast.FunctionDef)]
        if len(methods) > 1:
            found += [node for node in methods if node.name != "__init__"]
    if not found:
        return False
    node = file.random.choice(found)
    del file.lines[_first_line(node) - 1 : node.end_lineno]
    return True


def change_attribute(file: Lines) -> bool:
    """Change, add or remove a class attribute."""
    found = [
        node
        for class_ in file.classes()
        for node in class_.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and node.lineno == node.end_lineno
        and isinstance(node.value, ast.Constant)
        and len(class_.body) > 1
    ]
    if not found:
        return False
    node = file.random.choice(found)
    index = node.lineno - 1
    action = file.random.choice(["change", "add", "remove"])
    if action == "remove":
        del file.lines[index]
    elif action == "add":
        file.lines.insert(index + 1, "    extra_flag = True")
    else:
        assert isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        line = file.lines[index].encode()
        end = node.value.end_col_offset
        new = line[: node.value.col_offset] + b"None" + line[end:]
        file.lines[index] = new.decode()
    return True


def add_import(file: Lines) -> bool:
    """Import a module, and use it in a method."""
    found = _simple_statements(file)
    if not found:
        return False
    node = file.random.choice(found)
    file.lines.insert(node.lineno, f"{' ' * node.col_offset}print(textwrap.dedent(''))")
    for statement in file.tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            file.lines.insert(statement.lineno - 1, "import textwrap")
            return True
    return False


def change_decorator(file: Lines) -> bool:
    """Add a decorator to a method, or remove its decorators."""
    methods = [
        node
        for node in file.methods()
        if not {ast.unparse(item) for item in node.decorator_list}
        & {"property", "staticmethod", "classmethod"}
        and not any(".setter" in ast.unparse(item) for item in node.decorator_list)
    ]
    imports_torch = "\nimport torch\n" in "\n".join(file.lines)
    if not methods or not imports_torch:
        return False
    node = file.random.choice(methods)
    start = _first_line(node) - 1
    if node.decorator_list:
        del file.lines[start : node.lineno - 1]
    else:
        file.lines.insert(start, "    @torch.no_grad()")
    return True


def change_signature(file: Lines) -> bool:
    """Add a parameter with a default to a method with a header of one line."""
    found = [
        node
        for node in file.methods()
        if file.lines[node.lineno - 1].rstrip().endswith("):")
        and not node.args.kwarg
        and not node.args.vararg
        and node.args.args
    ]
    if not found:
        return False
    node = file.random.choice(found)
    line = file.lines[node.lineno - 1].rstrip()
    file.lines[node.lineno - 1] = line.removesuffix("):") + ", extra_size=None):"
    return True


EDITS: tuple[Callable[[Lines], bool], ...] = (
    change_number,
    remove_line,
    add_line,
    change_call,
    add_method,
    remove_method,
    change_attribute,
    add_import,
    change_decorator,
    change_signature,
)


MAX_HEADER_LINES = 4
"""The lines around an override: a blank line, a decorator, the header and a call."""


@dataclass
class Trial:
    """An edit of a generated file, and what became of it.

    `is_too_long` says that the modular file has more lines than the edit and the header
    of each override, and that `infer --improve` finds a smaller form.
    """

    path: str
    kinds: tuple[str, ...]
    result: LiftedModel
    edited: str
    is_proved: bool
    has_other_layout: bool
    added_lines: int
    edited_lines: int
    is_long: bool
    is_too_long: bool
    is_inherited: bool

    @property
    def verdict(self) -> str:
        """Whether the edit is lifted; `layout` if only that differs."""
        if self.result.left or self.result.diagnostics:
            return "refused"
        if not self.is_proved:
            return "WRONG"
        return "layout" if self.has_other_layout else "lifted"


def _is_generated(project: Project, path: str) -> bool:
    text = (project.root / path).read_text(encoding="utf-8")
    return "This file was automatically generated from" in text


@cache
def _read_inherited_lines(project: Project, modular: str) -> dict[str, set[int]] | None:
    """Return the inherited lines (from 1) of each generated file of a model.

    The result is None if the model cannot be converted, or if the disk has other files.
    """
    converter = Converter(project, {})
    conversion = converter.convert(modular)
    generated = format_texts(project, conversion.texts)
    has_errors = any(problem.is_error for problem in conversion.diagnostics)
    if has_errors or any(
        project.load(path, {}).text != text for path, text in generated.items()
    ):
        return None
    inherited = {}
    for output in conversion.files:
        outline = read_outline(output.path, normalize_text(generated[output.path]))

        def read_lines(path: str) -> list[str]:
            return project.load(path, {}).text.split("\n")

        lines = blamed_lines(output, outline, sources=read_lines)
        inherited[output.path] = {
            number
            for number, line in enumerate(lines, start=1)
            if line.path not in (None, modular)
        }
    return inherited


def _is_inherited_edit(original: str, edited: str, inherited: set[int]) -> bool:
    """Return whether all changed lines are inherited, or below an inherited line."""
    for hunk in compare(original, edited).hunks:
        first = hunk.old_line
        removed = range(first, first + len(hunk.removed))
        numbers = set(removed) if removed else {first - 1}
        if not numbers <= inherited:
            return False
    return True


@cache
def _index(root: Path) -> FragmentIndex:
    return FragmentIndex(open_project(root))


def _count_improvable_lines(project: Project, modular: str) -> int:
    """Return how many lines a modular file has that its classes could inherit."""
    models = ParentModels(_index(project.root), Relations({}), ())
    folder, _, name = modular.rpartition("/")
    model = name.removeprefix("modular_").removesuffix(".py")
    return improve_model(project, InferTarget(model, folder), models).saved_lines


def _undefined_names(path: str, text: str) -> set[str]:
    """Return what ruff says about undefined names in a text."""
    messages = {finding.message for finding in find_findings(path, text, ())}
    return {message for message in messages if message.startswith("Undefined name")}


def without_layout(text: str) -> tuple[str, str]:
    """Return the code and the other characters of a text, without blanks and commas.

    The members of classes and the characters are sorted, as new members can move.
    """
    characters = "".join(sorted(char for char in text if char not in " \n(),"))
    tree = ast.parse(text)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            node.body.sort(key=ast.dump)
    return ast.dump(tree), characters


def make_trial(
    project: Project,
    path: str,
    modular: str,
    chosen: random.Random,
    *,
    needs_inherited: bool,
) -> Trial | None:
    """Edit a generated file at random, lift the edit, and convert the result again.

    The result is None if the file cannot be edited as wanted.
    """
    inherited = _read_inherited_lines(project, modular)
    if inherited is None:
        return None
    original = project.load(path, {}).text
    file = Lines(original.split("\n"), chosen)
    kinds = []
    for _ in range(chosen.choice([1, 1, 1, 2, 3, 5])):
        edit = chosen.choice(EDITS)
        if edit(file):
            kinds.append(edit.__name__)
        try:
            file.tree
        except SyntaxError:
            return None
    text = "\n".join(file.lines)
    text = format_texts(project, {path: text}).get(path, original)
    if not kinds or text == original:
        return None
    is_inherited = _is_inherited_edit(original, text, inherited[path])
    if needs_inherited and not is_inherited:
        return None
    edited_project = replace(project, unsaved={path: text})
    result = lift_model(
        edited_project,
        modular,
        to_parent=False,
        record=OutputRecord(edited_project.root),
    )
    new_texts = {item.path: item.new_source for item in result.files}
    proof_project = replace(project, unsaved=new_texts)
    conversion = Converter(proof_project, {}).convert(modular)
    generated = format_texts(proof_project, conversion.texts)
    on_disk = new_texts.get(path, text)
    added = sum(
        line.startswith("+") and not line.startswith("+++")
        for item in result.files
        for line in item.diff.split("\n")
    )
    # No converter generates an `if` that contains only `pass`.
    wanted = remove_empty_guards(modules.read(path, text))
    if wanted != text:
        wanted = format_texts(project, {path: wanted})[path]
    new_modular = proof_project.load(modular, {}).text
    new_undefined_names = _undefined_names(modular, new_modular)
    new_undefined_names -= _undefined_names(modular, project.load(modular, {}).text)
    # The removal of a line can leave a name undefined.
    new_undefined_names -= _undefined_names(path, text)
    difference = compare(original, text)
    edited_lines = difference.added + difference.removed
    is_long = added > edited_lines + MAX_HEADER_LINES * len(result.lifted)
    is_too_long = is_long and (
        _count_improvable_lines(proof_project, modular)
        > _count_improvable_lines(project, modular)
    )
    return Trial(
        path=path,
        kinds=tuple(kinds),
        result=result,
        edited=text,
        is_proved=generated.get(path) == on_disk
        and without_layout(on_disk) == without_layout(wanted)
        and not new_undefined_names,
        has_other_layout=on_disk != text,
        added_lines=added,
        edited_lines=edited_lines,
        is_long=is_long,
        is_too_long=is_too_long,
        is_inherited=is_inherited,
    )


def main() -> None:
    """Lift random edits, and count what became of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--edits", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--root", type=Path)
    parser.add_argument("--save", type=Path, help="Folder for edits that are left.")
    options = parser.parse_args()
    root = options.root or make_project(Path(tempfile.mkdtemp()))
    project = open_project(root)
    paths = []
    for path in project.files_of_models():
        modular = project.generating_modular(path)
        if modular is not None and _is_generated(project, path):
            paths.append((path, modular))
    chosen = random.Random(options.seed)
    counts: Counter[str] = Counter()
    forms: Counter[str] = Counter()
    done = 0
    while done < options.edits:
        path, modular = chosen.choice(paths)
        start = time.process_time()
        # A third of all edits, at least, are edits of inherited code alone.
        needs_inherited = done % 3 == 0
        trial = make_trial(
            project, path, modular, chosen, needs_inherited=needs_inherited
        )
        if trial is None:
            continue
        done += 1
        left = trial.result.left
        verdict = trial.verdict
        counts[verdict] += 1
        counts["inherited"] += trial.is_inherited
        counts["long"] += trial.is_long
        counts["too long"] += trial.is_too_long
        forms.update(item.form for item in trial.result.lifted)
        print(
            f"{verdict:8} {Path(path).name} {','.join(trial.kinds)} "
            f"{'inherited ' * trial.is_inherited}"
            f"+{trial.added_lines} for {trial.edited_lines}"
            f"{' LONG' * trial.is_long}{' TOO LONG' * trial.is_too_long} {time.process_time() - start:.1f}s",
            flush=True,
        )
        for item in left:
            print(
                f"    {item.part.id.title} ({item.part.id.kind.value}): {item.reason}"
            )
        is_saved = bool(left) or verdict == "WRONG" or trial.is_too_long
        if is_saved and options.save:
            (options.save / f"{done}_{Path(path).name}").write_text(trial.edited)
        for problem in trial.result.diagnostics[:2]:
            print(f"    {problem}")
    print(dict(counts), dict(forms))


if __name__ == "__main__":
    main()
