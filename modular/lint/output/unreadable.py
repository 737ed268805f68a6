"""Files that the formatter cannot read: a source is not Python, or is Python only at first sight."""

from modular.flatten.formatted import Failure
from modular.flatten.outputs import OutputFile
from modular.lint.rule import LintRule
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.loading import syntax_problem
from modular.source.places import place_of


class FormatterFailed(LintRule):
    """@ERROR"""

    code = Problem.FORMATTER_FAILED
    message = "{reader} cannot read the generated `{path}`: {reason}"
    hint = "correct the line; nothing of this model was written"

    def check(self) -> None:
        """Say where the failures come from: from parent files that are not Python, else from lines of the output files."""
        failures = self.subject.formatted.failures if self.subject.formatted is not None else ()
        failed = [(file, failure) for failure in failures for file in self.subject.files if file.path == failure.path]
        if failed:
            self.findings += filter(None, map(self._broken_parent, self.layout.parents))
        for file, failure in failed if not self.findings else ():
            self._report(file, failure)

    def _broken_parent(self, path: str) -> Diagnostic | None:
        problem = syntax_problem(self.layout.parents[path].source.module.code.text, path)
        if problem is None:
            return None
        imported, _ = self.subject.anchored("", problem.place)
        return problem._replace(related=imported)

    def _report(self, file: OutputFile, failure: Failure) -> None:
        place, related = Place(self.modular.path), None
        if (line := file.at_line(failure.line)) is not None:
            statement, code = line
            place, related = self.subject.anchored(statement.name, place_of(code))
        reader = "Python" if self.layout.settings.formatter == "none" else "the formatter"
        self.report(place, related=related, reader=reader, path=file.path, reason=failure.message)
