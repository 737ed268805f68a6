"""Compares random modular files with their generated files by running both.

A modular file is also plain Python. Its classes, as Python inherits them, and the flat
classes should do the same, or a finding should say where they do not.

    python -m tests.properties.judge --files 2000 --seed 1

With `--inheritance python`, the generated classes must do the same, or there must be an
error: a finding is no excuse.
"""

import argparse
import ast
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from modular.run import api
from modular.source.diagnostics import Diagnostic
from tests.properties.random_models import (
    LIBRARY,
    SETTINGS,
    Class,
    Model,
    random_model,
)


BATCH_SIZE = 200
BATCH_TIMEOUT_S = 600
MAX_SHRINKING_ROUNDS = 40

UNRELATED = frozenset({"MOD405", "MOD406", "MOD453", "MOD454", "MOD455", "MOD491"})
"""Codes of findings that do not say that something behaves differently."""


@dataclass(frozen=True)
class Difference:
    """A member that behaves differently in the modular and in the generated file.

    Attributes:
        class_name: The class; empty if the generated file cannot be imported.
        member: The method or attribute.
        plain: What it does as Python inherits it, in JSON.
        flat: What it does in the generated file, in JSON.
        ran: The classes and methods that ran in either of them.
    """

    class_name: str
    member: str
    plain: str
    flat: str
    ran: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Verdict:
    """What came of one model.

    Attributes:
        model: The model.
        generated: The generated file; empty if there is an error.
        findings: The findings about the modular file.
        problem: Why the model cannot be compared, or an empty string.
        differences: All differences.
        silent: Those without a finding.
    """

    model: Model
    generated: str
    findings: tuple[Diagnostic, ...]
    problem: str
    differences: tuple[Difference, ...]
    silent: tuple[Difference, ...]

    def __str__(self) -> str:
        """Return both sources, the generated file, the findings and the silent differences."""
        lines = [f"model {self.model.number}"]
        for path, text in self.model.files().items():
            lines += [f"--- {path}", text]
        lines += [f"--- {self.model.generated_path}", self.generated.lstrip("# \n")]
        for finding in self.findings:
            lines.append(
                f"{finding.code.id} line {finding.place.line}: {finding.message}"
            )
        for difference in self.silent:
            lines += [
                f"{difference.class_name}.{difference.member} differs without a finding:",
                f"    inherited: {difference.plain}",
                f"    generated: {difference.flat}",
            ]
        return "\n".join(lines)


def judge(
    models: Sequence[Model],
    muted: frozenset[str] = frozenset(),
    inheritance: str = "transformers",
) -> list[Verdict]:
    """Convert models, and compare what their classes do.

    Args:
        models: Models of different numbers.
        muted: Codes of findings that do not count.
        inheritance: The setting of this name. With `python`, no finding counts.
    """
    settings = f'[tool.modular]\ninheritance = "{inheritance}"\n{SETTINGS}'
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _write(root, {"pyproject.toml": settings, "zoo/library.py": LIBRARY})
        for model in models:
            _write(root, model.files())
        options = api.Options(root=root, jobs=1, cache=False, info=True)
        report = api.convert(options=options)
        findings: dict[str, list[Diagnostic]] = {}
        for diagnostic in report.diagnostics:
            if diagnostic.code.id in muted:
                continue
            findings.setdefault(diagnostic.place.path, []).append(diagnostic)
        generated = {}
        for model in models:
            path = root / model.generated_path
            if path.exists():
                generated[model.number] = path.read_text(encoding="utf-8")
        observed = _observe(root, list(generated))
        return [
            _verdict(
                model,
                generated.get(model.number, ""),
                findings.get(model.modular_path, []),
                observed.get(model.number, []),
                are_excuses=inheritance != "python",
            )
            for model in models
        ]


def _write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def _observe(root: Path, numbers: Sequence[int]) -> dict[int, list[dict[str, object]]]:
    """Return the differences of models by number, as the script prints them."""
    script = Path(__file__).with_name("judge_calls.py")
    command = [sys.executable, "-I", str(script), str(root), *map(str, numbers)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=BATCH_TIMEOUT_S, check=True
    )
    observed = {}
    for line in done.stdout.splitlines():
        document = json.loads(line)
        observed[int(document["number"])] = document["differences"]
    return observed


def _verdict(
    model: Model,
    generated: str,
    findings: Sequence[Diagnostic],
    observed: Iterable[dict[str, object]],
    are_excuses: bool,
) -> Verdict:
    problem = "" if generated else "error"
    differences = []
    for entry in observed:
        if "problem" in entry:
            problem = str(entry["problem"])
            continue
        ran = frozenset((owner, method) for owner, method in entry["ran"])
        differences.append(
            Difference(
                class_name=str(entry["class"]),
                member=str(entry["member"]),
                plain=str(entry["plain"]),
                flat=str(entry["flat"]),
                ran=ran,
            )
        )
    reported = _reported_members(model, findings) if are_excuses else set()
    silent = [
        difference
        for difference in differences
        if not _is_reported(difference, reported)
    ]
    return Verdict(
        model=model,
        generated=generated,
        findings=tuple(findings),
        problem=problem,
        differences=tuple(differences),
        silent=tuple(silent),
    )


def _is_reported(difference: Difference, reported: set[tuple[str, str]]) -> bool:
    """Whether a finding is at the member, or at a method that it runs."""
    if not difference.class_name:
        return bool(reported)
    members = {(difference.class_name, difference.member), *difference.ran}
    return bool(members & reported)


def _reported_members(
    model: Model, findings: Iterable[Diagnostic]
) -> set[tuple[str, str]]:
    """Return the classes and members at which there are findings.

    A finding also counts for the members that its message names.
    """
    tree = ast.parse(model.files()[model.modular_path])
    reported = set()
    for finding in findings:
        if finding.code.id in UNRELATED:
            continue
        for class_ in tree.body:
            if not isinstance(class_, ast.ClassDef):
                continue
            if not class_.lineno <= finding.place.line <= (class_.end_lineno or 0):
                continue
            reported.add((class_.name, _member_at(class_, finding.place.line)))
            for word in finding.message.split("`")[1::2]:
                reported.add((class_.name, word.rpartition(".")[2]))
    return reported


def _member_at(class_: ast.ClassDef, line: int) -> str:
    """Return the name of the member on a line; empty for the header."""
    for statement in class_.body:
        start = statement.lineno
        match statement:
            case ast.FunctionDef(name=name, decorator_list=decorators):
                start = min([start, *(each.lineno for each in decorators)])
            case (
                ast.Assign(targets=[ast.Name(id=name)])
                | ast.AnnAssign(target=ast.Name(id=name))
            ):
                pass
            case _:
                continue
        if start <= line <= (statement.end_lineno or 0):
            return name
    return ""


def shrink(
    verdicts: Sequence[Verdict],
    muted: frozenset[str] = frozenset(),
    inheritance: str = "transformers",
) -> list[Verdict]:
    """Return verdicts about smaller models, in which a member still differs silently.

    Args:
        verdicts: Verdicts with silent differences.
        muted: Codes of findings that do not count.
        inheritance: The setting with which they were converted.
    """
    smallest = dict(enumerate(verdicts))
    pending = set(smallest)
    for _ in range(MAX_SHRINKING_ROUNDS):
        origins = []
        candidates = []
        for key in sorted(pending):
            for model in _smaller_models(smallest[key]):
                candidates.append(_renumbered(model, len(origins)))
                origins.append(key)
        shrunk = set()
        for verdict in _judge_in_batches(candidates, muted, inheritance):
            key = origins[verdict.model.number]
            if _is_smaller(verdict, smallest[key]):
                smallest[key] = verdict
                shrunk.add(key)
        pending = shrunk
        if not pending:
            break
    return list(smallest.values())


def _is_smaller(candidate: Verdict, verdict: Verdict) -> bool:
    """Whether a smaller model fails, and not only because a name is missing in it."""
    if not candidate.silent or candidate.model.size >= verdict.model.size:
        return False
    outcomes = verdict.silent[0].plain + verdict.silent[0].flat
    new_outcomes = candidate.silent[0].plain + candidate.silent[0].flat
    return all(
        error in outcomes or error not in new_outcomes
        for error in ("AttributeError", "NameError", "UnboundLocalError")
    )


def _smaller_models(verdict: Verdict) -> Iterator[Model]:
    """Yield smaller models, the first without all members that did not run."""
    model = verdict.model
    difference = verdict.silent[0]
    members = {name for _, name in difference.ran} | {difference.member}
    classes = []
    for group in (model.parents, model.children):
        kept = []
        for class_ in group:
            used = tuple(item for item in class_.members if item.name in members)
            kept.append(replace(class_, members=used))
        classes.append(tuple(kept))
    yield Model(model.number, *classes)
    yield from model.smaller()


def _renumbered(model: Model, number: int) -> Model:
    """Return a model with another number in all names."""

    def rename(text: str) -> str:
        for name in ("Llama", "Gemma"):
            text = text.replace(f"{name}{model.number}", f"{name}{number}")
        return text

    def rename_class(class_: Class) -> Class:
        members = []
        for member in class_.members:
            body = tuple(tuple(map(rename, lines)) for lines in member.body)
            head = tuple(map(rename, member.head))
            members.append(replace(member, head=head, body=body))
        return replace(
            class_,
            name=rename(class_.name),
            bases=tuple(map(rename, class_.bases)),
            members=tuple(members),
        )

    return Model(
        number,
        tuple(map(rename_class, model.parents)),
        tuple(map(rename_class, model.children)),
    )


def _judge_in_batches(
    models: Sequence[Model], muted: frozenset[str], inheritance: str
) -> Iterator[Verdict]:
    for start in range(0, len(models), BATCH_SIZE):
        yield from judge(models[start : start + BATCH_SIZE], muted, inheritance)


def main() -> int:
    """Judge random models; return 1 if a difference is silent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument(
        "--seed", type=int, default=0, help="The number of the first file."
    )
    parser.add_argument(
        "--show", type=int, default=3, help="How many failures to print."
    )
    parser.add_argument(
        "--inheritance", choices=("python", "transformers"), default="transformers"
    )
    options = parser.parse_args()

    numbers = range(options.seed, options.seed + options.files)
    is_like_python = options.inheritance == "python"
    models = [random_model(number, is_like_python) for number in numbers]
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    failures = []
    for verdict in _judge_in_batches(models, frozenset(), options.inheritance):
        counts[verdict.problem or "compared"] += 1
        if verdict.problem == "error":
            reasons.update({f.code.id: 1 for f in verdict.findings if f.is_error})
        counts["with differences"] += bool(verdict.differences)
        if verdict.silent:
            failures.append(verdict)
    print(dict(counts), f"silent: {len(failures)}")
    print("errors:", dict(reasons))
    shown = failures[: options.show]
    for verdict in shrink(shown, inheritance=options.inheritance):
        print(verdict)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
