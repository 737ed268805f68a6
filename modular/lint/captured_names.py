"""Rules about names that mean something else in a generated file."""

from collections.abc import Sequence

from modular.lint.captures import Capture, describe, find_captures
from modular.lint.context import LintContext
from modular.lint.rule import LintRule, Precision
from modular.semantics.classes import model_class
from modular.semantics.functions import model_function
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Problem, Severity


class _CaptureRule(LintRule):
    """Reports names with a different meaning in the generated file."""

    is_about_functions = False

    def check(self) -> None:
        """Report the first use of each name that means something else in a generated file.

        A rule reports either functions or other names, see `is_about_functions`.
        """
        for capture in self.context.memoized(_list_captures, ""):
            # An uncertain meaning is reported only if an `import *` is the reason.
            if not capture.is_certain and not capture.has_star:
                continue
            kinds = {capture.source.kind, capture.generated.kind}
            # `IgnoredAssignment` reports an assignment of the modular file.
            is_of_modular = capture.source.path == self.modular.path
            is_ignored_assignment = is_of_modular and kinds == {Kind.ASSIGNMENT}
            are_functions = kinds == {Kind.FUNCTION}
            if not is_ignored_assignment and are_functions == self.is_about_functions:
                self.check_capture(capture)

    def check_capture(self, capture: Capture) -> None:
        """Report a captured name.

        If it is not known whether an `import *` binds the name, the level is info.
        """
        message, hint = describe(self.context, capture)
        place, related = self.context.attribute_to_modular(capture.owner, capture.place)
        level = None if capture.is_certain else Severity.INFO
        self.report(place, related=related, hint=hint, level=level, reason=message)


def _list_captures(context: LintContext, _: str) -> tuple[Capture, ...]:
    """Return the captured names, which two rules report."""
    return tuple(find_captures(context))


class CapturedName(_CaptureRule):
    """A name has a different meaning in the generated file than in its source file.

    In the generated file, inherited code uses a different object than in its parent
    file. modular combines code from the modular file and from parent files in one
    generated file, where each name can have only one meaning. In the example, the
    modular file defines its own `round`, and an inherited method calls Python's
    `round`. In the generated file, the inherited method calls your `round`.

    modular does not report definitions that replace those of the parent file on
    purpose. A function in the modular file replaces the function of the same name in
    the parent file. A class in the modular file replaces a class of the parent file if
    both have the same name after renaming.

    Give your definition or import another name. If the name has different meanings in
    two parent files, override the code that uses it.

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


class ConflictingFunctions(_CaptureRule):
    """A class uses a different function from the one that its parent class uses.

    In the generated class, inherited code calls a function from another parent file.
    This function has the same name, but may return a different result. In the example,
    `OlmoAttention` inherits from `LlamaAttention`, and `OlmoVisionAttention` inherits
    from `SiglipAttention`. Both parent files define a function `attention`, but the
    generated file can contain only one function of this name. The generated file
    contains the `attention` of Llama's file, so `OlmoVisionAttention` calls the wrong
    function.

    modular reports nothing if the modular file shows that you want the function that
    the generated file contains. It shows this in two cases:

    - The modular file imports one of the two functions by its name.
    - Your class sets an attribute, such as `scaling`, that the function in the
      generated file reads. The function of your class's parent file does not read the
      attribute.

    In the modular file, define a function `attention` that works for both classes, or
    override the code that calls it.

    Given `models/llama/modeling_llama.py`:

    ```python
    def attention(x):
        return x


    class LlamaAttention:
        def forward(self, x):
            return attention(x)
    ```

    Given `models/siglip/modeling_siglip.py`:

    ```python
    def attention(x):
        return -x


    class SiglipAttention:
        def forward(self, x):
            return attention(x)
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaAttention
    from ..siglip.modeling_siglip import SiglipAttention


    class OlmoAttention(LlamaAttention):
        pass


    class OlmoVisionAttention(SiglipAttention):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:9:7: `OlmoVisionAttention` uses the `attention` of `models/siglip/modeling_siglip.py`; in the generated file, `attention` is the `attention` of `models/llama/modeling_llama.py`
    hint: override the code of `OlmoVisionAttention` that uses `attention`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaAttention, attention
    from ..siglip.modeling_siglip import SiglipAttention


    class OlmoAttention(LlamaAttention):
        pass


    class OlmoVisionAttention(SiglipAttention):
        pass
    ```
    """

    code = Problem.CONFLICTING_FUNCTIONS
    precision = Precision(findings=3, real=1)
    message = "{reason}"
    is_about_functions = True

    def check_capture(self, capture: Capture) -> None:
        """Report inherited code that calls another function than in its own file.

        It is not reported if the author seems to want the function that is called in the
        generated file. For example, only that function reads `module.scaling`, and the
        class of the modular file sets `self.scaling`.
        """
        merged_class = self.layout.flattened.get(capture.owner)
        # The modular file imports one of the functions on purpose.
        is_imported = capture.name in self.modular.parent_of
        if merged_class is None or is_imported:
            return
        source, generated = capture.source.statement, capture.generated.statement
        assert source is not None, "it is a function"
        assert generated is not None, "it is a function"
        # Functions that differ only in annotations and comments do the same. But if their
        # code is equal, they differ by what a name in it means, or by an object that they
        # change.
        is_same_code = source.bare_code.has_same_code(generated.bare_code)
        if not is_same_code and _comparison_key(source) == _comparison_key(generated):
            return
        class_ = model_class(merged_class.child.statement)
        attributes_of_class = class_.attributes.keys() | class_.members.keys()
        read_only_by_generated = _attributes_read(generated) - _attributes_read(source)
        if attributes_of_class.isdisjoint(read_only_by_generated):
            super().check_capture(capture)


def _comparison_key(function: Statement) -> tuple[Sequence[str], list[str]]:
    """Return the parameters and statements of a function, for a comparison.

    Annotations of parameters, comments and the docstring are left out.
    """
    view = view_definition(function)
    body = view.body_without_docstring
    return view.parameters, [statement.bare_code.normalized() for statement in body]


def _attributes_read(function: Statement) -> set[str]:
    """Return the attributes of parameters that a function reads: `x` of `module.x`."""
    parameters = view_definition(function).parameter_names
    attributes: set[str] = set()
    for _, facts in model_function(function).body:
        for mention in facts.mentions:
            if mention.name in parameters:
                attributes.update(mention.attributes[:1])
    return attributes
