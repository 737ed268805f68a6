"""The result of `modular infer` for one model, as values and as text."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from modular.infer.derive import DerivedClass
from modular.infer.flat import Remark
from modular.infer.parents import ParentClass
from modular.infer.proof import Proof
from modular.source.diagnostics import Diagnostic


FORMATTED = "the file was formatted first: line numbers refer to the formatted text"
"""The note on a flat file that is not formatted."""

_OMITTED = "not written: inherited as a dependency"


@dataclass(frozen=True, slots=True)
class InferredClass:
    """A class of an inferred modular file.

    Attributes:
        name: The name of the class.
        parent: The parent class, or None.
        parent_model: The name of the model of the parent class.
        derived: The class as a child of that.
        is_omitted: Whether the modular file does not mention it, because another class
            inherits it as a dependency.
    """

    name: str
    parent: ParentClass | None
    parent_model: str = ""
    derived: DerivedClass = DerivedClass()
    is_omitted: bool = False

    def __str__(self) -> str:
        """Return a line about the class: its parent, and what it does not inherit.

        For example, `OlmoMLP: LlamaMLP (models/llama/modeling_llama.py), written out
        forward`.
        """
        if self.parent is None:
            status = _OMITTED if self.is_omitted else "written out"
            return f"{self.name}: {status}"
        parts = []
        if self.derived.merged:
            parts.append(f"merged {', '.join(self.derived.merged)}")
        if self.derived.overridden:
            parts.append(f"written out {', '.join(self.derived.overridden)}")
        if self.is_omitted:
            parts.append(_OMITTED)
        details = "; ".join(parts) or "inherited whole"
        return f"{self.name}: {self.parent.name} ({self.parent.path}), {details}"


@dataclass(frozen=True)
class Inference:
    """The inferred modular file of a model.

    Attributes:
        model: The name of the model.
        modular: The path of the modular file.
        text: Its text, or "" if nothing would be shorter or there are errors.
        flat_lines: The number of lines of the flat files that it generates.
        modular_lines: Its own number of lines.
        dropped_lines: The number of lines of the flat files that are not generated.
        proofs: What is proved of each flat file.
        classes: The classes, in order.
        by_hand: Flat files that stay hand-written.
        notes: Notes on code that is not generated as it is, and on parent files that
            were skipped.
        diagnostics: Errors.
        diff: The diff from the existing modular file.
        before_lines: The number of lines of the existing modular file.
        remark: Why there is no text.
        source: The existing modular file, exactly as it was read, or None.
        new_source: The file that replaces it, with the same line ends.
    """

    model: str
    modular: str
    text: str = ""
    flat_lines: int = 0
    modular_lines: int = 0
    dropped_lines: int = 0
    proofs: Mapping[str, Proof] = field(default_factory=dict)
    classes: tuple[InferredClass, ...] = ()
    by_hand: tuple[Remark, ...] = ()
    notes: tuple[Remark, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    diff: str = ""
    before_lines: int = 0
    remark: str = ""
    source: str | None = None
    new_source: str = ""

    @property
    def saved_lines(self) -> int:
        """The lines that are saved. Dropped lines do not count."""
        if not self.text:
            return 0
        before = self.before_lines or self.flat_lines - self.dropped_lines
        return before - self.modular_lines

    @property
    def proof(self) -> Proof | None:
        """The weakest proof of all files, or None if there are no files."""
        return max(self.proofs.values(), key=list(Proof).index, default=None)

    @property
    def equals_files_on_disk(self) -> bool:
        """Whether the flat files, as people wrote them, are generated unchanged."""
        was_formatted = any(note.reason == FORMATTED for note in self.notes)
        return self.proof is Proof.IDENTICAL and not was_formatted

    def summary(self, *, verbose: bool = True) -> Iterator[str]:
        """Yield the lines of the report.

        Args:
            verbose: Whether it says what each class inherits.
        """
        yield from self._summarize_result()
        yield from self._summarize_parents()
        if verbose:
            yield from self._list_details()
        for note in self.notes:
            yield f"  {note.path}:{note.line}: {note.reason}"
        for remark in self.by_hand:
            place = f"{remark.path}:{remark.line}"
            yield f"  {place}: stays hand-written: {remark.reason}"

    def _list_details(self) -> Iterator[str]:
        """Yield the lines that only `--verbose` prints, about all files and classes."""
        for path, proof in self.proofs.items():
            yield f"  {path}: {proof.value}"
        for class_ in self.classes:
            yield f"  {class_}"

    def _summarize_result(self) -> Iterator[str]:
        """Yield a line on how much the modular file saves, or on why nothing is written.

        With an existing modular file, this is `9 lines instead of 12`, or else, with the
        lines of the generated files, `9 lines for 80`. After errors, which say why there
        is no file, nothing is yielded.
        """
        if self.proof is None:
            if not self.diagnostics:
                remark = self.remark or "no modular file: it would not be shorter"
                yield f"{self.modular}: {remark}"
            return
        compared = f"for {self.flat_lines}"
        if self.before_lines:
            compared = f"instead of {self.before_lines}"
        dropped = ""
        if self.dropped_lines:
            dropped = f", {self.dropped_lines} not generated"
        yield (
            f"{self.modular}: {self.modular_lines} lines {compared}, "
            f"{self.saved_lines} saved{dropped}; {self.proof.value}"
        )

    def _summarize_parents(self) -> Iterator[str]:
        """Yield one line on the parent models, if any class inherits.

        For example, it is `inherits from llama: 3 classes, glm: 1 class`.
        """
        counts: Counter[str] = Counter()
        for class_ in self.classes:
            if class_.parent is not None:
                counts[class_.parent_model] += 1
        models = []
        for model, count in counts.most_common():
            noun = "class" if count == 1 else "classes"
            models.append(f"{model}: {count} {noun}")
        if models:
            yield f"  inherits from {', '.join(models)}"
