"""A lint rule for names that mean something else in a generated file."""

from modular.lint.captures import Capture, describe, find_captures
from modular.lint.rule import LintRule, Precision
from modular.source.blocks import Kind
from modular.source.diagnostics import Problem


class CapturedName(LintRule):
    """A name has a different meaning in the generated file than in its source file.

    The code uses a different object from the one it was written for. For example,
    inherited code calls your `round` instead of Python's. A generated file combines
    code of the modular file and of its parent files. If two of these files use one name
    for different things, the generated file has only one of them.

    modular does not report what you replace on purpose: a function of the modular file
    replaces a parent's function of the same name, and a class replaces the parent's
    class that is renamed to its name.

    Give your definition or import another name. If two parent files use the name
    differently, override the code that uses it.

    Given `models/llama/modeling_llama.py`:

    ```python
    class LlamaScaler:
        def scale(self, x):
            return round(x / 2)
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaScaler


    def round(x):
        return x.round()


    class OlmoScaler(LlamaScaler):
        def rounded(self, x):
            return round(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:8:7: `OlmoScaler` uses Python's own `round`; in the generated file, `round` is the `round` of `models/olmo/modular_olmo.py`
    hint: define it under another name in `models/olmo/modular_olmo.py`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaScaler


    def round_tensor(x):
        return x.round()


    class OlmoScaler(LlamaScaler):
        def rounded(self, x):
            return round_tensor(x)
    ```
    """

    code = Problem.CAPTURED_NAME
    precision = Precision(findings=2, real=0)
    message = "{reason}"

    def check(self) -> None:
        """Report the first use of each name, unless another rule does."""
        for capture in find_captures(self.context):
            if capture.is_certain and not self._is_reported_elsewhere(capture):
                message, hint = describe(self.context, capture)
                place, related = self.context.attribute_to_modular(
                    capture.owner, capture.place
                )
                self.report(place, related=related, hint=hint, reason=message)

    def _is_reported_elsewhere(self, capture: Capture) -> bool:
        """Whether another rule reports a name.

        `ConflictingFunctions` reports functions, and `IgnoredAssignment` an assignment of
        the modular file.
        """
        source, generated = capture.source.statement, capture.generated.statement
        if source is None or generated is None:
            return False
        kinds = {source.kind, generated.kind}
        is_of_modular = capture.source.path == self.modular.path
        return kinds == {Kind.FUNCTION} or (
            is_of_modular and kinds == {Kind.ASSIGNMENT}
        )
