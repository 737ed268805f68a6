"""`Base.method(self, ...)` becomes `super().method(...)` if `Base` is a base.

If your method should call the method of a base, such as `nn.Module`, without the
parent's code, name the base in the call. In the example, `super().__init__(config)`
would add all assignments of `LlamaMLP.__init__` to the generated method (see
`super-call`). `nn.Module.__init__(self)` adds none of these assignments: in the
generated method, modular writes `super().__init__()` in its place. It also does so for
`nn.Module.__init__()`, without `self`.

modular changes the call only if the class that it names is a base of the generated
class. It does not change calls to other classes, or calls that come after a `super()`
call that modular replaces. Two classes count as bases even if they are not in the list
of bases:

- **`nn.Module`,** if `GradientCheckpointingLayer` is a base, because
  `GradientCheckpointingLayer` inherits from `nn.Module`.
- **`PreTrainedModel`,** if the name of a base contains this word, such as
  `LlamaPreTrainedModel`.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


class LlamaMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)
```

Modular `models/my_model/modular_my_model.py`:

```python
from torch import nn

from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    def __init__(self, config):
        nn.Module.__init__(self)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn


class MyModelMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
```
"""

import re
from functools import lru_cache

from modular.rules.classes.bases import CHECKPOINTING_LAYER, NN_MODULE
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.source_slice import SourceSlice, dotted_name_pattern


_PRETRAINED_MODEL = "PreTrainedModel"


def replace_parent_calls(statement: Statement, bases: tuple[str, ...]) -> SourceSlice:
    """Replace calls to a base class with calls to `super()`.

    In a class with the base `nn.Module`, `nn.Module.__init__(self)` becomes
    `super().__init__()`. The decorators and the header of a method do not change,
    because `super()` does not work where they are evaluated.

    Args:
        statement: A method, or a statement of its body.
        bases: The bases of the generated class, as written.

    Returns:
        The new code of the statement.
    """
    code = statement.code
    class_names = _callable_classes(bases)
    # The search below is slow, so code that has none of the names is returned at once.
    if not any(name.rpartition(".")[2] in code.masked_text for name in class_names):
        return code

    search_start = statement.start
    if statement.kind is Kind.FUNCTION:
        header = view_definition(statement).header
        search_start = statement.header_start + len(header.text.rstrip())

    edits = []
    for call in _call_pattern(class_names).finditer(code.masked_text, search_start):
        is_attribute = code.masked_text[: call.start()].rstrip().endswith(".")
        if not is_attribute:
            edits += _call_edits(code, call)
    return code.replace(edits) if edits else code


@lru_cache(maxsize=64)
def _callable_classes(bases: tuple[str, ...]) -> frozenset[str]:
    """Return the names by which a class may call the methods of its base classes.

    These are its bases, and `nn.Module` or `PreTrainedModel` if a base is known to
    inherit from it.
    """
    class_names = set(bases)
    if CHECKPOINTING_LAYER in bases:
        class_names.add(NN_MODULE)
    # `LlamaPreTrainedModel`, for example, inherits from `PreTrainedModel`.
    if any(_PRETRAINED_MODEL in base for base in bases):
        class_names.add(_PRETRAINED_MODEL)
    return frozenset(class_names)


@lru_cache(maxsize=64)
def _call_pattern(class_names: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern for the start of a call: `Base.method(` or `Base.method(self, `.

    The group `function` is `Base.method(`. The group `self_argument` is `self, `, or
    `self` in `Base.method(self)`, or None if the first argument is not `self`.
    """
    names = "|".join(map(dotted_name_pattern, sorted(class_names)))
    self_argument = r"(?P<self_argument>self\s*(?:,\s*|(?=\))))?"
    function = rf"(?P<function>\b(?:{names})\s*\.\s*(?P<method>\w+)\s*\()"
    return re.compile(rf"{function}\s*{self_argument}")


def _call_edits(code: SourceSlice, call: re.Match[str]) -> list[tuple[int, int, str]]:
    """Return the edits that turn `Base.method(self, x)` into `super().method(x)`.

    Blanks before the first argument that stays are kept, others are not:

    - `Base.method( self, x)` becomes `super().method( x)`.
    - `Base.method( x)`, where the first argument is not `self`, becomes
      `super().method( x)`.
    - `Base.method( self )` and `Base.method( )` become `super().method()`.

    Comments in the replaced code are kept.

    Args:
        code: The code of the statement.
        call: A match of `_call_pattern` in the masked text of the code.

    Returns:
        The start, the end and the new text of each edit.
    """
    function_start, function_end = call.span("function")
    comments = _comments_between(code, function_start, function_end)
    edits = [(function_start, function_end, f"super().{call['method']}({comments}")]
    has_no_other_argument = code.masked_text.startswith(")", call.end())
    if has_no_other_argument:
        # In `Base.method( self )`, this is all between the brackets.
        removed_start, removed_end = function_end, call.end()
    elif call["self_argument"]:
        # In `Base.method( self, x)`, this is `self, `.
        removed_start, removed_end = call.span("self_argument")
    else:
        return edits
    comments = _comments_between(code, removed_start, removed_end)
    edits.append((removed_start, removed_end, comments))
    return edits


def _comments_between(code: SourceSlice, start: int, end: int) -> str:
    """Return the text between two offsets without its code, or "" if it has no comment.

    For `self,  # why` with a line end, this is `  # why` with the line end.

    Args:
        code: The code, which has no strings between the offsets.
        start: The first offset.
        end: The second offset.
    """
    text = code.text[start:end]
    if "#" not in text:
        return ""
    without_code = ""
    for character, masked in zip(text, code.masked_text[start:end], strict=True):
        # The masked text has code as it is, and blanks in place of comments.
        is_code = not masked.isspace()
        if not is_code:
            without_code += character
    return without_code
