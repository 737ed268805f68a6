"""Converts all models that a rename affects, and compares the results with its edits.

Generated files are edited like those that people write. If the models then generate
these texts, the rename changes nothing but names.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from modular.flatten.formatted import Failure, Formatted
from modular.format.formatting import format_texts
from modular.provenance.origins import blamed_lines
from modular.provenance.outline import read_outline
from modular.refactor.project_files import ProjectFiles
from modular.rules.files.drafts import ALL
from modular.run.report import find_blocking_errors
from modular.source import module as modules
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Place
from modular.source.module import Module, normalize_text
from modular.source.source_slice import SourceSlice


_TOKEN = re.compile(r"""\w+|["']+|[^\w\s(),]""")
"""Words, signs, and strings, which quotes fill in a masked text.

The formatter adds and removes parentheses and commas, so these are left out.
"""

_MISSING = "nothing would be generated here any more"
_UNORDERED = (Kind.IMPORT, Kind.GUARD)


class Difference(NamedTuple):
    """A place at which a generated file changes by more than names.

    Attributes:
        modular: The modular file.
        place: The line of the generated file, or the place of an error.
        reason: What is wrong; empty if another line is generated.
        origin: The line of the source file from which the line is generated, if known.
    """

    modular: str
    place: Place
    reason: str = ""
    origin: Place | None = None


@dataclass
class Proof:
    """The generated files after a rename.

    Attributes:
        texts: The text of each generated file of the converted models, by path.
        reads: The files that each of these models reads.
        differences: The places at which they differ from what was expected.
    """

    texts: dict[str, str] = field(default_factory=dict)
    reads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)


@dataclass(frozen=True)
class _Result:
    """A conversion of a model, and the formatted files that it generates.

    Attributes:
        conversion: The conversion.
        read_texts: The edited text of each file that it read, None for an unedited file.
        texts: The formatted text of each file.
        failures: The files that could not be formatted, because of syntax errors.
    """

    conversion: Conversion
    read_texts: Mapping[str, str | None]
    texts: Mapping[str, str]
    failures: Sequence[Failure]


@dataclass
class Prover:
    """Converts models in edited projects.

    A model is converted again only if the texts that it read have changed.

    Attributes:
        files: The files of the project without the edits.
        inspects: Whether lint rules run, which takes long. A rename that changes only
            names adds no finding.
    """

    files: ProjectFiles
    inspects: bool = False
    _results: dict[str, _Result] = field(default_factory=dict)
    _formatted: dict[tuple[str, str], str | Failure] = field(default_factory=dict)
    _texts_on_disk: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _converter(self) -> Converter:
        """Reads each file once for all proofs, except for those that they edit."""
        return Converter(self.files.project, {})

    def generate(self, texts: Mapping[str, str], models: Collection[str]) -> Proof:
        """Convert models, and return what they generate.

        If a model has errors, these are the differences of the result.

        Args:
            texts: Texts by path that are read instead of the files on disk.
            models: The modular files of the models.

        Raises:
            modular.system.ruff.FormatterError: The formatter cannot be run.
        """
        proof = Proof()
        for level in self._convert_levels(texts, models):
            for modular in level:
                self._add_result(proof, modular)
        return proof

    def prove(
        self,
        expected: Mapping[str, str],
        models: Collection[str],
        undecided: "Undecided | None" = None,
    ) -> Proof:
        """Convert models in an edited project, and compare what they generate.

        Args:
            expected: The edited texts by path, also of generated files.
            models: The modular files of the models.
            undecided: Lines in which a member may have its old or its new name.

        Raises:
            modular.system.ruff.FormatterError: The formatter cannot be run.
        """
        texts = {path: normalize_text(text) for path, text in expected.items()}
        generated_paths = sorted(texts.keys() & self.files.generated.keys())
        formatted = self._format({path: texts[path] for path in generated_paths})
        texts.update(formatted.texts)
        proof = Proof()
        for level in self._convert_levels(texts, models):
            for modular in level:
                self._add_result(proof, modular)
                self._compare(proof, modular, texts, undecided)
            # The children of a model that differs would be converted in vain.
            if proof.differences:
                break
        return proof

    def _convert_levels(
        self, texts: Mapping[str, str], models: Collection[str]
    ) -> Iterator[list[str]]:
        """Convert models, and yield those that are done: parents before their children.

        Args:
            texts: The edited texts by path, which are read instead of the files on disk.
            models: The modular files of the models.
        """
        self._read_instead(texts)
        for level in self._levels(models):
            outdated = [modular for modular in level if self._is_outdated(modular)]
            self._convert(outdated)
            yield level
            # Children of these models, which are in the next levels, read the new texts.
            for modular in outdated:
                for path, text in self._results[modular].texts.items():
                    if self._converter.load(path).text != text:
                        self._converter.refresh(path, text)

    def _levels(self, models: Collection[str]) -> Iterator[list[str]]:
        """Yield models in groups, so that the parents of a model are in earlier groups."""
        parents = {}
        for modular in models:
            parents[modular] = self.files.parent_models(modular).intersection(models)
        sorter = TopologicalSorter(parents)
        try:
            sorter.prepare()
        except CycleError:
            # Models that inherit from each other are refused when they are converted.
            yield sorted(models)
            return
        while sorter.is_active():
            level = sorter.get_ready()
            yield sorted(level)
            sorter.done(*level)

    def _read_instead(self, texts: Mapping[str, str]) -> None:
        """Let conversions read some texts, and all other files as they are on disk."""
        old_texts = self._converter.overlay
        for path in old_texts.keys() - texts.keys():
            # The converter reads the file from disk again.
            self._converter.refresh(path, None)
        for path, text in texts.items():
            if old_texts.get(path) != text:
                self._converter.refresh(path, text)

    def _add_result(self, proof: Proof, modular: str) -> None:
        """Add what a model generates, and its errors, to a proof.

        Args:
            proof: The proof.
            modular: The modular file of the model, which was converted.
        """
        result = self._results[modular]
        proof.texts.update(result.texts)
        proof.reads[modular] = result.conversion.reads
        diagnostics = result.conversion.diagnostics
        for error in find_blocking_errors(self.files.project, diagnostics):
            proof.differences.append(Difference(modular, error.place, error.message))
        for path, line, column, message in result.failures:
            place = Place(path, line, column)
            proof.differences.append(Difference(modular, place, message))

    def _compare(
        self,
        proof: Proof,
        modular: str,
        texts: Mapping[str, str],
        undecided: "Undecided | None",
    ) -> None:
        """Compare what a model generates with the texts that it should generate.

        Args:
            proof: The proof, to which differences are added.
            modular: The modular file of the model.
            texts: The expected texts by path. Files without an expected text should not
                change.
            undecided: Lines in which a member may have its old or its new name.
        """
        result = self._results[modular]
        for path in self.files.outputs[modular]:
            if path in texts and path not in result.texts:
                proof.differences.append(Difference(modular, Place(path), _MISSING))
        for path, text in result.texts.items():
            expected = texts[path] if path in texts else self._text_on_disk(path)
            if undecided is not None:
                expected = undecided.decide(expected)
                text = undecided.decide(text)
            lines = text.split("\n")
            for number in different_lines(expected, text, path):
                place = Place(path, number, 1, 1, lines[number - 1])
                proof.differences.append(Difference(modular, place))

    def _text_on_disk(self, path: str) -> str:
        """Return the text of a file, which is read only once."""
        if path not in self._texts_on_disk:
            self._texts_on_disk[path] = self.files.project.load(path, {}).text
        return self._texts_on_disk[path]

    def locate(self, differences: Iterable[Difference]) -> Iterator[Difference]:
        """Yield differences with the source lines that the generated lines come from.

        The origins of a file take long to find, so all its differences are located
        together. A difference that is not in a generated file is yielded unchanged.
        """
        differences_by_output: dict[tuple[str, str], list[Difference]] = {}
        for difference in differences:
            output = (difference.modular, difference.place.path)
            differences_by_output.setdefault(output, []).append(difference)

        for (modular, path), differences_of_file in differences_by_output.items():
            result = self._results.get(modular)
            if result is None or path not in result.texts:
                yield from differences_of_file
                continue
            origins = self._find_origins(result, path)
            for difference in differences_of_file:
                line = difference.place.line
                origin = origins[line - 1] if line <= len(origins) else None
                yield difference._replace(origin=origin)

    def _find_origins(self, result: _Result, path: str) -> list[Place | None]:
        """Return the source line of each line of a generated file, if it has one."""

        def source_lines(source: str) -> list[str]:
            """Return the lines of a source file on disk."""
            return self._text_on_disk(source).split("\n")

        outline = read_outline(path, result.texts[path])
        [file] = [file for file in result.conversion.files if file.path == path]
        return [line.place for line in blamed_lines(file, outline, source_lines)]

    def _is_outdated(self, modular: str) -> bool:
        """Return whether a model must be converted, because a text that it reads changed."""
        result = self._results.get(modular)
        if result is None:
            return True
        current_texts = self._converter.overlay
        for path, text in result.read_texts.items():
            if current_texts.get(path) != text:
                return True
        return False

    def _convert(self, models: Iterable[str]) -> None:
        """Convert models that read the edited texts, and keep the results."""
        conversions = {}
        unformatted: dict[str, str] = {}
        for modular in models:
            conversion = self._converter.convert(modular, inspects=self.inspects)
            # The flattened models of all converted modular files would take much memory.
            conversions[modular] = conversion.reduce(keeps_files=True)
            unformatted.update(conversion.texts)
        # All files are formatted at once, because it takes long to start a formatter.
        formatted = self._format(unformatted)

        edited_texts = self._converter.overlay
        for modular, conversion in conversions.items():
            read_paths = (modular, *conversion.reads)
            outputs = {}
            for path in conversion.texts.keys() & formatted.texts.keys():
                outputs[path] = normalize_text(formatted.texts[path])
            failures = [
                failure
                for failure in formatted.failures
                if failure.path in conversion.texts
            ]
            self._results[modular] = _Result(
                conversion=conversion,
                read_texts={path: edited_texts.get(path) for path in read_paths},
                texts=outputs,
                failures=failures,
            )

    def _format(self, texts: Mapping[str, str]) -> Formatted:
        """Format texts. Results are kept, since most texts of the next proof are equal."""
        new_texts = {}
        for path, text in texts.items():
            if (path, text) not in self._formatted:
                new_texts[path] = text
        self._format_anew(new_texts)

        formatted_texts = {}
        failures = []
        for path, text in texts.items():
            result = self._formatted[path, text]
            if isinstance(result, Failure):
                failures.append(result)
            else:
                formatted_texts[path] = result
        return Formatted(texts=formatted_texts, failures=tuple(failures))

    def _format_anew(self, texts: Mapping[str, str]) -> None:
        """Run the formatter over texts, and keep the text or the failure of each."""
        project = self.files.project
        formatted = format_texts(texts, project.root, project.settings.formatter)
        failures = {failure.path: failure for failure in formatted.failures}
        for path, text in texts.items():
            result = formatted.texts.get(path, failures.get(path))
            assert result is not None, "a file without a text has a failure"
            self._formatted[path, text] = result


@dataclass(frozen=True)
class Undecided:
    """Lines of generated files with a member of an object whose class is not clear.

    Attributes:
        old: The old name of the member.
        new: The new name.
        lines: The tokens of each line, with the new name.
    """

    old: str
    new: str
    lines: frozenset[tuple[str, ...]]

    def decide(self, text: str) -> str:
        """Return a text with the new name of the member in all undecided lines.

        Such a line has a member of an object whose class is unknown, so the old and the
        new name are both right. After this, texts that differ only there are equal.
        """
        if not self.lines or self.old not in text:
            return text
        lines = text.split("\n")
        for index, line in enumerate(lines):
            # Most lines do not have the name, and renaming words takes long.
            if self.old in line:
                new_line = rename_word(line, self.old, self.new)
                if _tokens(new_line) in self.lines:
                    lines[index] = new_line
        return "\n".join(lines)


def undecided_lines(
    places: Iterable[Place], old: str, new: str
) -> frozenset[tuple[str, ...]]:
    """Return the lines of places, with a new name in the place of an old one."""
    return frozenset(_tokens(rename_word(place.text, old, new)) for place in places)


def rename_word(text: str, old: str, new: str) -> str:
    """Replace a word with another one."""
    return re.sub(rf"\b{re.escape(old)}\b", new, text)


def different_lines(expected: str, actual: str, path: str) -> Iterator[int]:
    """Yield the first differing line of each statement of a generated file.

    Comments, docstrings, the order of statements and line breaks do not count. If
    statements are only missing, line 1 is yielded.

    Args:
        expected: The expected text.
        actual: The text that is generated, whose lines are yielded.
        path: The generated file.
    """
    if expected == actual:
        return
    expected_module = modules.read(path, expected)
    actual_module = modules.read(path, actual)
    expected_counts = Counter(map(_code_key, expected_module.block.statements))
    actual_counts = Counter(map(_code_key, actual_module.block.statements))
    missing_counts = expected_counts - actual_counts
    surplus_counts = actual_counts - expected_counts
    if missing_counts and not surplus_counts:
        yield 1
    for statement in actual_module.block.statements:
        key = _code_key(statement)
        if surplus_counts[key] > 0:
            surplus_counts[key] -= 1
            yield _first_difference(statement, expected_module)


def _code_key(statement: Statement) -> tuple[str, ...]:
    """Return a key that is equal for statements that differ only in ways without effect.

    These are comments, docstrings and line breaks and, for imports and `__all__`, the
    order of the names.
    """
    is_order_insensitive = statement.kind in _UNORDERED or statement.name == ALL
    if is_order_insensitive:
        return tuple(sorted(set(_TOKEN.findall(statement.bare_code.text))))
    # In the masked text, comments are blank, and all strings look the same.
    return _tokens(statement.bare_code.masked_text)


def _tokens(masked_text: str) -> tuple[str, ...]:
    """Return the words and signs of code; all strings count as the same."""
    tokens = []
    for token in _TOKEN.findall(masked_text):
        is_string = token[0] in "\"'"
        tokens.append('"' if is_string else token)
    return tuple(tokens)


def _first_difference(statement: Statement, expected: Module) -> int:
    """Return the first line of a statement that the expected statement does not have.

    Args:
        statement: The generated statement, which is not as expected.
        expected: The expected file. If it has no statement of this name, the first line
            of the generated statement is returned.
    """
    expected_lines: set[tuple[str, ...]] = set()
    for expected_statement in expected.block.statements:
        has_same_name = expected_statement.name == statement.name
        if has_same_name and expected_statement.kind is statement.kind:
            expected_lines.update(_token_lines(expected_statement.bare_code))
    first_line = statement.bare_code.line
    if not expected_lines:
        return first_line
    for line, tokens in enumerate(_token_lines(statement.bare_code), first_line):
        if tokens not in expected_lines:
            return line
    return first_line


def _token_lines(code: SourceSlice) -> Iterator[tuple[str, ...]]:
    """Yield the tokens of each line. A masked text has no line ends in strings."""
    offset = 0
    for line in code.text.split("\n"):
        end = offset + len(line)
        yield _tokens(code.masked_text[offset:end])
        offset = end + 1
