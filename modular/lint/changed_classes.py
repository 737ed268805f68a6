"""Rules that report generated classes and methods that differ from those in Python."""

from collections.abc import Iterator

from modular.flatten.merged_class import MergedClass
from modular.lint.differences import compare_class
from modular.lint.inheritance import Certainty, Difference, Harm, read_inheritance
from modular.lint.method_differences import compare_methods
from modular.lint.rule import LintRule, Precision
from modular.source.diagnostics import Problem, Severity


class ChangedClass(LintRule):
    """A generated class has other members, fields or instances than in Python.

    Code that works with your class in Python can fail with the generated class, or get
    other values from it. In Python, your class inherits from its parent class. modular
    instead writes the statements of both classes into one generated class, which has
    the bases of the parent class. Most generated classes still behave like your class
    in Python. The class in the example does not: the parent's method `split` has the
    default `size=size`. In Python, this is the parent's `size`, but in the generated
    class it is your `size`.

    The finding is an error if Python cannot import the generated file or create an
    object of the class. The finding is a warning if only a result differs, and an info
    if modular cannot tell whether the class is affected. modular reports a class in the
    following cases:

    - **Your attribute without an annotation replaces a field of a parent dataclass.**
      In Python, the field stays. The configuration classes of transformers are
      dataclasses, too.
    - **Your dataclass inherits from a class that is not a dataclass,** or from a
      dataclass with other arguments in `@dataclass`.
    - **Your `@dataclass` writes a method that the parent class defines.** The generated
      class has the parent's method instead.
    - **Your class inherits from a named tuple or a protocol.** The generated class then
      is a named tuple or protocol itself.
    - **Your class has a different metaclass from its parent class,** or different
      keywords in its `class` line.
    - **Your decorators replace a decorator that changes the parent class,** such as
      `@total_ordering`.
    - **Both classes use the same private name,** such as `__size`, or the same `global`
      variable.
    - **The parent class has `a = b = 1`, and your class sets `a`.** Your assignment
      replaces the whole line, so the generated class has no `b`.
    - **Your class has an annotation such as `size: int`.** In the generated class, it
      replaces a method or property `size` of the parent class.
    - **You replace an attribute that the body of the parent class reads,** as in
      `def f(self, x=size)`. The parent's code then reads your value.
    - **You replace an attribute whose value is a call,** such as `size = next(sizes)`.
      In the generated class, this call no longer runs.
    - **Your class defines `__eq__`, and its parent class defines `__hash__`.** The
      generated class has both. In Python, your class has no `__hash__`.
    - **The parent class defines `__init_subclass__`,** or has an attribute whose
      `__set_name__` looks at the class.
    - **A base that you list before the parent class** calls a method of the parent
      class with `super()`.

    Change your class as the hint of the finding says. If the finding has no hint,
    define the class without a parent class.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTPatches:
        size = 4

        def split(self, x, size=size):
            return x // size
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTPatches


    class OlmoPatches(ViTPatches):
        size = 8
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: in the generated class, the parent's `split` reads this `size`; in Python it reads the parent's value
    hint: write out `split` with the value that it should have
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTPatches


    class OlmoPatches(ViTPatches):
        size = 8

        def split(self, x, size=4):
            return x // size
    ```

    Given `models/clip/modeling_clip.py`:

    ```python
    from dataclasses import dataclass


    @dataclass
    class CLIPOutput:
        loss: float = 0.0
        size: int = 1
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from dataclasses import dataclass

    from ..clip.modeling_clip import CLIPOutput


    @dataclass
    class OlmoOutput(CLIPOutput):
        size = 2
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:8:5: this removes the field `size` from the generated dataclass, or becomes its default; in Python, the field of `CLIPOutput` stays
    hint: write the field with its annotation: `size: ... = ...`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from dataclasses import dataclass

    from ..clip.modeling_clip import CLIPOutput


    @dataclass
    class OlmoOutput(CLIPOutput):
        size: int = 2
    ```
    """

    code = Problem.CHANGED_CLASS
    levels = (Severity.WARNING, Severity.ERROR, Severity.INFO)
    message = "{reason}"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report where a generated class is not the class that Python makes."""
        for difference in compare_class(read_inheritance(self.context, merged_class)):
            report_difference(self, difference)


class ChangedMethod(LintRule):
    """A generated method behaves differently than with Python's inheritance.

    The generated method can fail, or return a different result from your method in
    Python. modular replaces a call such as `super().forward(x)` with the body of the
    parent's method. So the generated method contains both your code and the parent's
    code. This has three consequences:

    - Your code and the parent's code use the same local variables.
    - modular moves an assignment below the `super()` call up to the line where the
      parent's code assigns to the same attribute.
    - If your method has no decorators, the generated method gets the decorators of the
      parent's method.

    In the example, you write `self.count = 8` below the `super()` call. modular moves
    this assignment up into the parent's code, above the line that calls `len(self)` and
    so reads `self.count`.

    The finding is an error if calling the generated method fails. The finding is a
    warning if only a result differs, and an info if modular cannot tell whether the
    method is affected. modular reports a method in the following cases:

    - **Your assignment moves above a line that sets a value it needs.** The assignment
      may also need this value indirectly, because it calls a method that reads the
      value.
    - **Your assignment moves above a line that reads the attribute indirectly:**
      through a property, a special method as in `len(self)`, a function that gets
      `self`, or another variable for `self`. If the line is yours, a method that it
      calls counts, too.
    - **Your method can return below the `super()` call.** modular moves your assignments
      above this `return`, and `self.post_init()` below it. Your `del` removes the
      parent's assignment even if the method returns first.
    - **Your assignment or `del` in one method** also replaces or removes an assignment
      in another method of the parent class.
    - **Your assignment reads the attribute that it sets,** and replaces the only
      earlier line that sets this attribute.
    - **Your assignment replaces a line of the parent's method that does more:** this
      line also sets another attribute, as in `self.a = self.b = 1`, runs the setter of
      a property, or takes an item from an iterator.
    - **The parent's method has a variable with the same name** as an import, a function
      or a builtin that your method uses, or as a variable that one of your nested
      functions reads. In the generated method, your code may then read the parent's
      variable, or fail.
    - **The parent's method changes `kwargs`,** and your code reads `kwargs` below the
      `super()` call. In Python, the parent's method changes only a copy.
    - **modular moves `super().__init__()` up, or `self.post_init()` down,** past a line
      of `__init__` that uses the same attribute or variable as the moved call.
    - **Your override becomes static, abstract, `async` or a generator** like the
      parent's method, or loses the decorator of the parent's method.
    - **Your `super()` call skips the parent class,** because you use `super()` as a
      value, under another name, or in `await super().f()`. modular reports a call such
      as `x = super().f(y)` only if the method `f` of a base does not accept `y`.
    - **Your method repeats a statement of the parent's method,** such as
      `self.count += 1`. In the generated method, this statement runs only once.
    - **Your `del` removes only one of the parent's assignments to the attribute.**
    - **Your `del` removes an assignment that also sets something else,** as in
      `self.a = self.b = 1`, or in `self.a = self.measure()` if `measure` sets another
      attribute.
    - **Your `super()` call names a different class from the one that contains the
      call,** as in `super(LlamaMLP, self).forward(x)` in the class `OlmoMLP`.
    - **The parent's method can return early.** In the generated method, this `return`
      skips your code below the `super()` call.
    - **You write code below `return super().forward(x)`.** In Python, this code never
      runs, but in the generated method it may run.
    - **Your method and the parent's use a variable of the same name.** In the generated
      method, one reads the value that the other sets.

    Change your code as the hint says, or copy the parent's code into your method in
    place of the `super()` call.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTLayers:
        def __init__(self, config):
            self.count = config.count
            self.half = len(self) // 2

        def __len__(self):
            return self.count
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayers


    class OlmoLayers(ViTLayers):
        def __init__(self, config):
            super().__init__(config)
            self.count = 8
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this assignment is moved up to where the parent assigns `self.count`, above a line that reads it through `__len__`; in Python it runs afterwards
    hint: to keep it below, annotate it: `self.count: int = 8`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayers


    class OlmoLayers(ViTLayers):
        def __init__(self, config):
            super().__init__(config)
            self.count: int = 8
    ```

    Given `models/gemma/modeling_gemma.py`:

    ```python
    class GemmaLayer:
        def __init__(self, config):
            self.total = 0
            self.size = config.size

        def resize(self, factor):
            self.size = self.size * factor
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..gemma.modeling_gemma import GemmaLayer


    class OlmoLayer(GemmaLayer):
        def __init__(self, config):
            super().__init__(config)
            self.total = 2 * self.size
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this assignment is moved up to where the parent assigns `self.total`, before `self.size` is set; in Python it runs afterwards
    hint: to keep it below, annotate it: `self.total: Any = 2 * self.size`, and write `from typing import Any`
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..gemma.modeling_gemma import GemmaLayer


    class OlmoLayer(GemmaLayer):
        def __init__(self, config):
            super().__init__(config)
            self.size = 8

        def resize(self, factor):
            super().resize(factor)
            self.factor = factor
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this assignment also replaces the parent's assignment to `self.size` in `resize`; Python keeps both
    hint: to keep it below, annotate it: `self.size: int = 8`
    ```

    Given `models/clip/modeling_clip.py`:

    ```python
    class CLIPPatches:
        def split(self, x):
            size = x // 2
            self.last = size
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..clip.modeling_clip import CLIPPatches


    def size(x):
        return x * 2


    class OlmoPatches(CLIPPatches):
        def split(self, x):
            super().split(x)
            self.first = size(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:11:22: this `size` is a variable of the parent's body that replaces the call; in Python it is the `size` of this file
    hint: import or define `size` under another name
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..clip.modeling_clip import CLIPPatches


    def double(x):
        return x * 2


    class OlmoPatches(CLIPPatches):
        def split(self, x):
            super().split(x)
            self.first = double(x)
    ```

    Given `models/beit/modeling_beit.py`:

    ```python
    class BeitCounter:
        count = 0

        def step(self):
            self.count += 1
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..beit.modeling_beit import BeitCounter


    class OlmoCounter(BeitCounter):
        def step(self):
            super().step()
            self.count += 1
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: the parent's code, which replaces the call, already contains this statement, so it runs once; in Python it runs twice
    hint: write `self.count = self.count + 1`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..beit.modeling_beit import BeitCounter


    class OlmoCounter(BeitCounter):
        def step(self):
            super().step()
            self.count = self.count + 1
    ```

    Given `models/bert/modeling_bert.py`:

    ```python
    class BertPruner:
        heads = 4

        def __init__(self, config):
            size = config.size
            self.width = 2 * size

        def prune(self, heads):
            if not heads:
                return
            self.heads -= heads
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..bert.modeling_bert import BertPruner


    class OlmoPruner(BertPruner):
        def prune(self, heads):
            super().prune(heads)
            self.is_pruned = True
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this statement is skipped if the code of the parent's `prune`, which replaces the call, returns early; Python always runs it
    hint: move it above the call, or copy the code of the parent's method and change it
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..bert.modeling_bert import BertPruner


    class OlmoPruner(BertPruner):
        def __init__(self, config):
            size = 8
            super().__init__(config)
            self.depth = size
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:8:22: this `size` has the value that the parent's code gave it; in Python it would keep the value that this method gave it
    hint: give the variable another name
    ```
    """

    code = Problem.CHANGED_METHOD
    levels = (Severity.WARNING, Severity.ERROR, Severity.INFO)
    precision = Precision(findings=4, real=3)
    message = "{reason}"

    def check_in_steps(self) -> Iterator[None]:
        """Report where the methods of a class behave differently from those in Python.

        Yields:
            None after each comparison, as a class can have thousands.
        """
        for merged_class in self.layout.flattened.values():
            for differences in compare_methods(
                read_inheritance(self.context, merged_class)
            ):
                for difference in differences:
                    report_difference(self, difference)
                yield


def report_difference(rule: LintRule, difference: Difference) -> None:
    """Report a difference from Python as a finding of a rule.

    Its level is info if it is uncertain whether the difference exists, and error if the
    class certainly cannot be used.

    Args:
        rule: The rule, whose message is `{reason}`.
        difference: The difference.
    """
    level = None
    if difference.certainty is Certainty.POSSIBLE:
        level = Severity.INFO
    elif difference.harm is not Harm.OTHER_RESULT:
        level = Severity.ERROR
    rule.report(
        difference.place,
        *difference.fixes,
        related=difference.related,
        # The texts may quote code with braces, such as an f-string.
        hint="{advice}",
        level=level,
        reason=difference.message,
        advice=difference.hint,
    )
