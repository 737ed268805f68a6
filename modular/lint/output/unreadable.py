"""Files that the formatter cannot read: a source is not Python, or is Python only at first sight."""

from modular.flatten.formatted import Failure
from modular.flatten.outputs import OutputFile
from modular.lint.ignored_statements import NOT_ASYNC, loses_async
from modular.lint.rule import LintRule
from modular.source.diagnostics import Diagnostic, Problem
from modular.source.loading import syntax_problem


class FormatterFailed(LintRule):
    """@ERROR"""

    code = Problem.FORMATTER_FAILED
    message = "{reader} cannot read the generated `{path}`: {reason}"
    hint = "correct the line; nothing of this model was written"

    def check(self) -> None:
        """Say where the failures come from: from parent files that are not Python, else from lines of the output files."""
        failures = self.context.formatted.failures
        failed = [
            (file, failure)
            for failure in failures
            for file in self.context.files
            if file.path == failure.path
        ]
        if failed:
            self.findings += filter(None, map(self._broken_parent, self.layout.parents))
        for file, failure in failed if not self.findings else ():
            self._report(file, failure)

    def _broken_parent(self, path: str) -> Diagnostic | None:
        problem = syntax_problem(
            self.layout.parents[path].source.module.code.text, path
        )
        if problem is None:
            return None
        imported, _ = self.context.attribute_to_modular("", problem.place)
        return problem._replace(related=imported)

    def _report(self, file: OutputFile, failure: Failure) -> None:
        place, related = self.context.place_in(file, failure.line)
        hint = self._hint(file, failure)
        reader = (
            "Python"
            if self.context.project.settings.formatter == "none"
            else "the formatter"
        )
        self.report(
            place,
            related=related,
            hint=hint,
            reader=reader,
            path=file.path,
            reason=failure.message,
        )

    def _hint(self, file: OutputFile, failure: Failure) -> str:
        """Say where the method in which a line appears has lost its `async`: that is what `await` misses."""
        statement, piece = file.run_at_line(failure.line) or (None, None)
        flat = None if statement is None else self.layout.flattened.get(statement.name)
        if flat is None or piece is None or not loses_async(flat, piece.member):
            return ""
        return NOT_ASYNC.format(method=flat.overriding[piece.member].name)
