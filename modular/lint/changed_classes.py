"""Reports classes that Python would make otherwise than the generated file does."""

from modular.flatten.flattened import Flattened
from modular.lint.differences import compare_class
from modular.lint.inheritance import Certainty, Difference, Harm, read_inheritance
from modular.lint.method_differences import compare_methods
from modular.lint.rule import LintRule, Precision
from modular.source.diagnostics import Problem, Severity


class ChangedClass(LintRule):
    """The generated class has other members, fields or instances than the one in Python.

    The generated class has the statements of both bodies in one, with the bases of the
    parent class. Python makes two classes out of them. Mostly that is the same, but not
    here:

    - **An attribute without annotation** over a field of a dataclass. In Python the field
      stays. Configurations of transformers are dataclasses, too.
    - **A dataclass** with other arguments than its parent class, whose parent class is none,
      or for which `@dataclass` writes methods that the parent class has.
    - **A class that inherits from a named tuple or protocol,** or with other keywords or
      another metaclass.
    - **Private names** such as `__size` in both classes, and `global` variables.
    - **`a = b = 1` in the parent class,** if your class sets `a`: the generated class has
      no `b`.
    - **`size: int` over a method or property** of the parent class, which removes it.
    - **An attribute that the parent's body reads,** as in `def f(self, x=size)`, which
      reads your value.
    - **A call in the parent's body,** such as `size = next(sizes)`, if your class replaces
      `size`.
    - **An `__eq__`** over a parent class with a `__hash__`, `__init_subclass__`, and a value
      whose `__set_name__` looks at the class.
    - **A base before the parent class** that calls a method of the parent class by
      `super()`.

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
    models/olmo/modular_olmo.py:5:5: the parent's `split` reads this `size` when the generated class is made; in Python it has the parent's value
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
    models/olmo/modular_olmo.py:8:5: the generated dataclass has no field `size`; in Python, it inherits the field from `CLIPOutput`
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
    message = "{reason}"

    def check_class(self, flat: Flattened) -> None:
        """Report where a generated class is not the class that Python makes."""
        for difference in compare_class(read_inheritance(self.context, flat)):
            report_difference(self, difference)


class ChangedMethod(LintRule):
    """A generated method does something else than the one in Python.

    modular replaces a call such as `super().forward(x)` by the body of the parent's
    method. Then both bodies share their variables, and an assignment below the call
    moves up to where the parent assigns the same attribute. An override also gets the
    decorators of the parent's method. These are the cases that this rule finds:

    - **An assignment moves above a line that reads the attribute** by a property, by a
      special method, as `len(self)` does, by a function that gets `self`, or by another
      variable for `self`. MOD472 reports lines that name the attribute.
    - **An assignment reads the attribute that it sets,** and replaces the only line that
      has set it.
    - **The parent's line did more:** it also sets another attribute, as in
      `self.a = self.b = 1`, runs the setter of a property, or takes an item of an
      iterator.
    - **A variable of the parent's body hides** an import, a function or a builtin that
      your code uses, or is the variable that one of your nested functions reads.
    - **The parent's body changes `kwargs`,** and your code reads it afterwards.
    - **`super().__init__()` moves up, or `self.post_init()` down,** past a line that sets
      the same attribute.
    - **An override becomes** static, abstract, `async` or a generator, or the decorator of
      the parent's method is lost.
    - **`super()` is used as a value, by another name or in `await super().f()`:** it skips
      the parent class. So does `x = super().f(y)`, which is reported if the method of the
      base does not take `y`.
    - **A statement that is in both bodies,** such as `self.count += 1`, runs only once.
    - **A `del` removes only one assignment** of several, or a call that does more.
    - **`super(LlamaMLP, self)`** names another class than its own.
    - **Code below the call** is skipped by a `return` in the parent's body, or runs below
      `return super().forward(x)`, where Python runs nothing.
    - **Both bodies use a variable of the same name,** and one reads what the other sets.

    Write out the parent's code, or change your code as the hint says.

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
    models/olmo/modular_olmo.py:7:9: this assignment is moved up to where the parent assigns `self.count`, above a line that reads it by `__len__`; in Python it runs last
    hint: to keep it below, annotate it: `self.count: int = ...`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayers


    class OlmoLayers(ViTLayers):
        def __init__(self, config):
            super().__init__(config)
            self.count: int = 8
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
    precision = Precision(findings=1, real=0)
    message = "{reason}"

    def check_class(self, flat: Flattened) -> None:
        """Report where the methods of a class do something else than in Python."""
        for difference in compare_methods(read_inheritance(self.context, flat)):
            report_difference(self, difference)


def report_difference(rule: LintRule, difference: Difference) -> None:
    """Report a difference from Python as a finding of a rule.

    It is an error if it is certain that the class cannot be used, and only information if
    it is not certain.

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
