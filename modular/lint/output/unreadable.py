"""A lint rule for generated files that the formatter cannot read."""

from modular.flatten.formatted import Failure
from modular.flatten.outputs import OutputFile
from modular.lint.ignored_statements import NOT_ASYNC, loses_async
from modular.lint.rule import LintRule
from modular.source.diagnostics import Problem
from modular.source.loading import syntax_problem


class FormatterFailed(LintRule):
    """A generated file is not valid Python, so the formatter cannot read it."""

    code = Problem.FORMATTER_FAILED
    message = "{reader} cannot read the generated `{path}`: {reason}"
    hint = "correct the line; no file of this model was written"

    def check(self) -> None:
        """Report why output files cannot be formatted.

        If parent files are not valid Python, that explains all failures, and only the
        errors in these files are reported. Otherwise this reports the lines of the
        output files that the formatter cannot read.
        """
        file_by_path = {file.path: file for file in self.context.files}
        # The formatter may have read files of other models, too.
        failures = [
            failure
            for failure in self.context.formatted.failures
            if failure.path in file_by_path
        ]
        if not failures:
            return
        parent_errors = []
        for path, parent in self.layout.parents.items():
            error = syntax_problem(parent.source.module.code.text, path)
            if error is not None:
                import_place, _ = self.context.attribute_to_modular("", error.place)
                parent_errors.append(error._replace(related=import_place))
        if parent_errors:
            self.findings += parent_errors
            return
        for failure in failures:
            self._report(file_by_path[failure.path], failure)

    def _report(self, file: OutputFile, failure: Failure) -> None:
        """Report a line of an output file that the formatter cannot read."""
        place, related = self.context.place_in(file, failure.line)
        reader = "the formatter"
        if self.context.project.settings.formatter == "none":
            reader = "Python"
        self.report(
            place,
            related=related,
            hint=self._hint_at_lost_async(file, failure),
            reader=reader,
            path=file.path,
            reason=failure.message,
        )

    def _hint_at_lost_async(self, file: OutputFile, failure: Failure) -> str:
        """Return the hint for a line that is unreadable because its method lost `async`.

        If an `async def` overrides a `def` of the parent class, the generated method is
        a `def`, in which `await` is an error. The hint is empty for all other lines.
        """
        line = file.at_line(failure.line)
        if line is None:
            return ""
        class_name, method_key = line.statement.name, line.run.member
        merged_class = self.layout.flattened.get(class_name)
        if merged_class is None or not loses_async(merged_class, method_key):
            return ""
        return NOT_ASYNC.format(method=merged_class.overriding[method_key].name)
