"""Compares what a modular file generates with the flat files."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.format import formatting
from modular.infer.equivalence import (
    compact_form,
    equal_after_formatting,
    equal_apart_from_layout,
    equal_apart_from_order,
    is_copy_comment,
    lines_without_copy_comments,
    normal_form,
)
from modular.infer.flat import FlatFile, FlatModel, read_flat_file
from modular.infer.relations import imported_names
from modular.project.project import Project
from modular.rules.files.drafts import ALL, GETATTR
from modular.rules.files.exports import exported_names, has_only_literal_names
from modular.rules.files.imports import read_guard
from modular.semantics.imports import find_module_stem
from modular.source.diagnostics import Diagnostic, Severity
from modular.source.import_statements import plain_imports
from modular.system.ruff import FormatterError, ruff_executable


_RUFF_ARGUMENTS = ("check", "--isolated", "--no-cache", "--exit-zero")
_RUFF_TIMEOUT_S = 60.0


class Proof(str, Enum):
    """How what is generated compares to a flat file, the strongest proof first.

    Attributes:
        IDENTICAL: The same bytes, apart from the banner.
        SHORTENED: The same lines in the same order, without some lines of the flat
            file, such as copy comments and unused functions.
        REORDERED: The same imports and statements in another order or layout, or below
            another heading. Inside of classes, see `equivalence.equal_apart_from_order`.
        DIFFERENT: Not proved.
    """

    IDENTICAL = "identical"
    SHORTENED = "identical except for dropped lines"
    REORDERED = "reordered"
    DIFFERENT = "different"


@dataclass
class Comparison:
    """The differences between a flat file and what is generated for it.

    Attributes:
        file: The flat file.
        proof: What is proved.
        missing: Definitions that are not generated.
        unused: Missing definitions that no generated definition needs.
        extra: Generated definitions that the flat file does not have.
        changed: Definitions that are generated differently.
        reordered: Definitions that are generated with their lines in another order.
        misplaced: Definitions at another place.
        missing_imports: Names that are not imported, though a generated definition may
            use them.
        extra_imports: Names that only the generated file imports.
        missing_statements: The first lines of other statements that are not generated.
        dropped_copy_comments: The number of copy comments that are not generated.
        dropped_lines: The number of lines that the flat file has in addition, such as a
            docstring, comments and unused definitions.
    """

    file: FlatFile
    proof: Proof = Proof.DIFFERENT
    missing: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    reordered: list[str] = field(default_factory=list)
    misplaced: list[str] = field(default_factory=list)
    missing_imports: list[str] = field(default_factory=list)
    extra_imports: list[str] = field(default_factory=list)
    missing_statements: list[str] = field(default_factory=list)
    dropped_copy_comments: int = 0
    dropped_lines: int = 0

    @property
    def wrong_definitions(self) -> list[str]:
        """The definitions that are changed, extra, or needed and missing."""
        needed = [name for name in self.missing if name not in self.unused]
        return [*self.changed, *needed, *self.extra]


class ProofResult(NamedTuple):
    """A modular file, its conversion, and a comparison for each flat file."""

    text: str
    comparisons: list[Comparison]
    conversion: Conversion

    @property
    def errors(self) -> list["Finding"]:
        """The errors of the conversion that are in the modular file, not in a parent."""
        errors = []
        for diagnostic in self.conversion.diagnostics:
            is_error = diagnostic.severity is Severity.ERROR
            if is_error and diagnostic.place.path == self.conversion.modular:
                errors.append(Finding(diagnostic.place.line, diagnostic.message))
        return errors


class Finding(NamedTuple):
    """A finding of a linter in a modular file: its line (from 1) and its message."""

    line: int
    message: str


def prove(
    converter: Converter, flat: FlatModel, text: str, *, accepts_layout: bool = False
) -> ProofResult:
    """Format and convert a modular file, and compare what it generates with a model.

    The flat files are the complete files of this model, as people wrote them. The proof
    succeeds if the modular file generates the same files.

    Args:
        converter: The converter.
        flat: The flat files.
        text: The text of the modular file.
        accepts_layout: Whether the layout of definitions may differ from the flat files.

    Raises:
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    project = converter.project
    text = format_texts(project, {flat.modular: text})[flat.modular]
    converter.refresh(flat.modular, text)
    conversion = converter.convert(flat.modular)
    formatted = formatting.format_texts(
        conversion.texts, project.root, project.settings.formatter
    )
    if all(file.is_whole_model for file in flat.files):
        # Some rules read the report of the formatter. If only a part of the model's files
        # is generated, the report may call names undefined that the other files define.
        diagnostics = converter.diagnose(conversion, formatted)
        conversion = replace(conversion, diagnostics=diagnostics)
    generated_by_type = _read_generated(converter, conversion, formatted.texts)
    comparisons = []
    for file in flat.files:
        generated = generated_by_type.get(file.file_type)
        comparisons.append(_compare_exactly(project, file, generated, accepts_layout))
    return ProofResult(text, comparisons, conversion)


def prove_unformatted(converter: Converter, flat: FlatModel, text: str) -> ProofResult:
    """Convert a modular file, and compare its unformatted output with the flat files.

    This is faster than `prove`, since no formatter runs. There is no comparison if the
    file cannot be converted.

    Args:
        converter: The converter.
        flat: The files of the model as people wrote them.
        text: The text of the modular file.
    """
    converter.refresh(flat.modular, text)
    conversion = converter.convert(flat.modular)
    generated = _read_generated(converter, conversion, conversion.texts)
    comparisons = []
    if generated:
        for file in flat.files:
            generated_file = generated.get(file.file_type)
            comparisons.append(_compare(converter.project, file, generated_file))
    return ProofResult(text, comparisons, conversion)


def _read_generated(
    converter: Converter, conversion: Conversion, texts: Mapping[str, str]
) -> dict[str, FlatFile]:
    """Return the generated files by their file type, such as `modeling`.

    Args:
        converter: The converter.
        conversion: The conversion.
        texts: The text of each file by path, formatted or not.
    """
    files = {}
    for output in conversion.files:
        path = output.path
        files[output.file_type] = read_flat_file(converter.project, path, texts[path])
    return files


def format_texts(project: Project, texts: Mapping[str, str]) -> Mapping[str, str]:
    """Return texts by path, formatted as the project does it.

    Raises:
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    return formatting.format_texts(
        texts, project.root, project.settings.formatter
    ).texts


def read_formatted_files(project: Project, texts: Mapping[str, str]) -> list[FlatFile]:
    """Format some files, and return them as flat files.

    Args:
        project: The project.
        texts: The texts by path.

    Raises:
        modular.system.ruff.FormatterError: The formatter cannot be run.
    """
    formatted = format_texts(project, texts)
    return [read_flat_file(project, path, text) for path, text in formatted.items()]


def _compare(
    project: Project,
    file: FlatFile,
    generated: FlatFile | None,
    *,
    is_formatted: bool = False,
    accepts_layout: bool = False,
) -> Comparison:
    """Compare the definitions and imports of a flat file with those of the generated file.

    If no file of its type is generated, all definitions are missing.

    Args:
        project: The project.
        file: The flat file, as a person wrote it.
        generated: The file that is generated for it; None if no file of its type is.
        is_formatted: Whether both are formatted.
        accepts_layout: Whether definitions may differ in their layout.
    """
    if generated is None:
        return Comparison(file, missing=list(file.definitions))
    comparison = Comparison(file)
    _compare_names(comparison, generated)
    _compare_imports(project, comparison, generated)
    _compare_code(
        comparison, generated, is_formatted=is_formatted, accepts_layout=accepts_layout
    )
    return comparison


def _compare_names(comparison: Comparison, generated: FlatFile) -> None:
    """Add the missing, unused, extra and misplaced definitions to a comparison.

    If the flat file has `A, B, C, D`, and `B, A, E` are generated, then `C` and `D` are
    missing, `E` is extra, and `A` and `B` are misplaced. If `A` uses `D`, only `C` is
    unused.
    """
    file = comparison.file
    flat_names = file.definitions
    generated_names = generated.definitions
    comparison.missing += [name for name in flat_names if name not in generated_names]
    comparison.extra += [name for name in generated_names if name not in flat_names]

    common_names_in_flat_order = [
        name for name in flat_names if name in generated_names
    ]
    common_names_as_generated = [name for name in generated_names if name in flat_names]
    for name, generated_name in zip(
        common_names_in_flat_order, common_names_as_generated, strict=True
    ):
        if name != generated_name:
            comparison.misplaced.append(name)

    if file.is_whole_model:
        needed_names = file.generated_names
    else:
        needed_names = file.reachable_from(common_names_in_flat_order)
    comparison.unused += [
        name for name in comparison.missing if name not in needed_names
    ]


def _compare_imports(
    project: Project, comparison: Comparison, generated: FlatFile
) -> None:
    """Add the missing and extra imports to a comparison.

    An import of the flat file is missing if it is not generated, although generated code
    or another file may use it.

    Args:
        project: The project.
        comparison: The comparison of a flat file.
        generated: The file that is generated for the flat file.
    """
    flat_imports = _find_imports(project, comparison.file)
    generated_imports = _find_imports(project, generated)
    words_of_missing = comparison.file.words_only_in(comparison.missing)
    used_words = comparison.file.used_words
    stem = PurePosixPath(comparison.file.path).stem
    for import_ in sorted(flat_imports - generated_imports):
        name = import_.name
        if name in words_of_missing:
            # Only definitions that are not generated use it.
            continue
        # Code that uses the import `torch.nn` has the word `torch`.
        is_used_in_file = name.partition(".")[0] in used_words
        if is_used_in_file or (stem, name) in imported_names(project):
            comparison.missing_imports.append(name)
    for import_ in sorted(generated_imports - flat_imports):
        comparison.extra_imports.append(import_.name)


def _compare_code(
    comparison: Comparison,
    generated: FlatFile,
    *,
    is_formatted: bool,
    accepts_layout: bool,
) -> None:
    """Add the changed and reordered definitions to a comparison.

    - A definition is changed if its lines are not those of the flat file.
    - A definition is reordered if only the order or the layout of its lines differs.

    Args:
        comparison: The comparison of a flat file.
        generated: The file that is generated for the flat file.
        is_formatted: Whether both files are formatted. Lines of formatted files are
            compared as they are, except for blank lines and copy comments. Lines of
            unformatted files are compared without their layout.
        accepts_layout: Whether a definition with another layout is not changed.
    """
    form = lines_without_copy_comments if is_formatted else compact_form
    for name, definition in generated.definitions.items():
        wanted = comparison.file.definitions.get(name)
        if wanted is None:
            # The flat file does not have the definition.
            continue
        will_be_equal = equal_after_formatting(definition.code, wanted.code)
        if will_be_equal and not is_formatted:
            continue
        has_same_lines = equal_apart_from_order(definition, wanted, form)
        if not has_same_lines and accepts_layout:
            has_same_lines = equal_apart_from_layout(definition, wanted)
        if not has_same_lines:
            comparison.changed.append(name)
        elif not will_be_equal:
            comparison.reordered.append(name)


def _compare_exactly(
    project: Project, file: FlatFile, generated: FlatFile | None, accepts_layout: bool
) -> Comparison:
    """Return what differs between a flat file and the generated one, both formatted.

    The proof in the result says how much they differ:

    - IDENTICAL: Both files have the same text.
    - SHORTENED: The flat file also has copy comments, a docstring or unused definitions.
    - REORDERED: Both files have the same imports, definitions and other statements,
      apart from their order and layout. The flat file may also have more, as above.
    - DIFFERENT: The files differ in another way, or no file is generated.
    """
    # This compares the definitions and imports.
    comparison = _compare(
        project, file, generated, is_formatted=True, accepts_layout=accepts_layout
    )
    if generated is None:
        return comparison
    comparison.dropped_lines = max(0, file.line_count - generated.line_count)
    # Copy comments, such as `# Copied from ...`, are not generated.
    dropped_comments = _count_copy_comments(file) - _count_copy_comments(generated)
    comparison.dropped_copy_comments = dropped_comments

    # Other statements, such as `__all__ = [...]`, are neither definitions nor imports.
    flat_statements = Counter(_other_statements(file))
    generated_statements = Counter(_other_statements(generated))
    for text in flat_statements - generated_statements:
        first_line = text.partition("\n")[0]
        comparison.missing_statements.append(first_line)

    # The formatter may write a blank line below the banner.
    is_same_text = generated.text.lstrip("\n") == file.text.lstrip("\n")
    # An unused definition of the flat file is missing, but not wrong.
    has_wrong_code = bool(
        comparison.wrong_definitions
        or comparison.missing_imports
        or comparison.extra_imports
        or flat_statements != generated_statements
    )
    if is_same_text:
        comparison.proof = Proof.IDENTICAL
    elif has_wrong_code:
        comparison.proof = Proof.DIFFERENT
    elif _has_lines_in_order(file.text, generated.text):
        comparison.proof = Proof.SHORTENED
    else:
        comparison.proof = Proof.REORDERED
    return comparison


def _has_lines_in_order(text: str, shorter: str) -> bool:
    """Return whether a text has all lines of a shorter text in their order."""
    remaining_lines = iter(text.strip("\n").split("\n"))
    for line in shorter.strip("\n").split("\n"):
        # The search goes on below the line that the last search has found.
        if line not in remaining_lines:
            return False
    return True


class _ImportedName(NamedTuple):
    """An imported name: its guard and origin as text, and the name that is bound."""

    source: str
    name: str


def _find_imports(project: Project, file: FlatFile) -> set[_ImportedName]:
    """Return all imported names of a file, in a form in which files can be compared.

    `from .interfaces import X` and `from lib.models.interfaces import X` are equal if
    both mean the same module of the project. In `if is_torch_available(): import torch`,
    the import of `torch` differs from one without this condition.
    """
    names = set()
    for statement in file.module.block.statements:
        condition = ""
        imports = plain_imports([statement])
        guard = read_guard(statement)
        if guard is not None:
            condition = normal_form(guard.first_branch.header)
            imports = plain_imports(guard.first_statements)
        for import_ in imports:
            module_in_project = None
            if import_.module is not None:
                module_in_project = find_module_stem(
                    project, file.path, import_.level, import_.module
                )
            # A module outside of the project has the name by which it is imported.
            comparable_module = module_in_project or import_.source
            for name in import_.names:
                source = f"{condition} {comparable_module} {name}"
                names.add(_ImportedName(source, name.bound))
    return names


def _other_statements(file: FlatFile) -> Iterator[str]:
    """Yield statements other than definitions and imports, as comparable text.

    The converter writes `__all__` and `__getattr__` anew. So only the names in
    `__all__` count, and of `__getattr__` all but the layout.
    """
    for statement in file.other_statements:
        if statement.name == ALL and has_only_literal_names(statement):
            yield f"{ALL} = {exported_names(statement)}"
        elif statement.name == GETATTR:
            yield normal_form(statement.bare_code)
        else:
            yield lines_without_copy_comments(statement.code)


def _count_copy_comments(file: FlatFile) -> int:
    return sum(is_copy_comment(line) for line in file.text.split("\n"))


def find_findings(
    modular: str, text: str, diagnostics: Iterable[Diagnostic]
) -> list[Finding]:
    """Return what the converter and ruff report in a modular file, sorted.

    Findings of level info do not count: what they report may be intended.

    Args:
        modular: The path of the modular file.
        text: Its text.
        diagnostics: The diagnostics of its conversion.

    Raises:
        modular.system.ruff.FormatterError: Ruff cannot be run.
    """
    findings = set()
    for diagnostic in diagnostics:
        is_info = diagnostic.severity is Severity.INFO
        if diagnostic.place.path == modular and not is_info:
            findings.add(Finding(diagnostic.place.line, diagnostic.message))
    report = _run_ruff(modular, text, "--select", "F", "--output-format", "json")
    for entry in json.loads(report):
        findings.add(Finding(entry["location"]["row"], entry["message"]))
    return sorted(findings)


@lru_cache(maxsize=200)
def find_undefined_names(path: str, text: str) -> Mapping[str, int]:
    """Return how often a text uses each name that it does not define.

    A line with a `noqa` comment does not count. The answers are kept, because each
    edited part of a model is compared with the same files, and ruff starts slowly.

    Args:
        path: The path of the text, for messages.
        text: The text of a Python file. One with a syntax error has no such names.

    Raises:
        modular.system.ruff.FormatterError: Ruff cannot be run.
    """
    report = _run_ruff(path, text, "--select", "F821", "--output-format", "json")
    counts: Counter[str] = Counter()
    for entry in json.loads(report):
        # The message is "Undefined name `x`". Syntax errors are reported, too.
        if entry["code"] == "F821":
            counts[entry["message"].split("`")[1]] += 1
    return counts


def remove_unused_imports(modular: str, text: str) -> str:
    """Return a modular file without the imports that it does not use.

    Raises:
        modular.system.ruff.FormatterError: Ruff cannot be run.
    """
    return _run_ruff(modular, text, "--select", "F401", "--fix", "--quiet")


def _run_ruff(modular: str, text: str, *arguments: str) -> str:
    """Run `ruff check` on the text of a file, and return what it prints.

    Args:
        modular: The path of the file, for messages.
        text: Its text, which need not be on disk.
        arguments: Further arguments for ruff.

    Raises:
        modular.system.ruff.FormatterError: Ruff cannot be run.
    """
    command = [ruff_executable(), *_RUFF_ARGUMENTS, *arguments]
    command += ["--stdin-filename", modular, "-"]
    try:
        completed = subprocess.run(
            command,
            input=text.encode(),
            capture_output=True,
            timeout=_RUFF_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise FormatterError(f"ruff could not check `{modular}`: {error}") from error
    return completed.stdout.decode()
