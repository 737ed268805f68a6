"""`Base.method(self, ...)` becomes `super().method(...)` if `Base` is a base.

The generated code still contains a call: modular does not replace it by the body of the
parent's method. You can write the call with or without `self` as its first argument.
For example, `nn.Module.__init__(self)` becomes `super().__init__()`.

- **`nn.Module` also counts as a base** if `GradientCheckpointingLayer` is a base,
  because `GradientCheckpointingLayer` inherits from `nn.Module`.
- **`PreTrainedModel` also counts as a base** if the name of a base contains this word.
- **Calls of other classes do not change.**
- **Calls below an unravelled call do not change either.** An unravelled call is a
  `super()` call that modular replaces by the parent's body. The statements below it
  become part of that body (see `super-call`).

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

from modular.rules.classes.bases import CHECKPOINTING_LAYER, PLAIN_MODULE
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.source_slice import SourceSlice, dotted_name_pattern


_PRETRAINED_MODEL = "PreTrainedModel"


def replace_parent_calls(statement: Statement, bases: tuple[str, ...]) -> SourceSlice:
    """Replace calls of a base class by calls of `super()`.

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
    if not any(name.rpartition(".")[2] in code.mask for name in class_names):
        return code

    search_start = statement.start
    if statement.kind is Kind.FUNCTION:
        header = view_definition(statement).header
        search_start = statement.header_start + len(header.text.rstrip())

    edits = []
    for call in _call_pattern(class_names).finditer(code.mask, search_start):
        is_attribute = code.mask[: call.start()].rstrip().endswith(".")
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
        class_names.add(PLAIN_MODULE)
    # `LlamaPreTrainedModel`, for example, inherits from `PreTrainedModel`.
    if any(_PRETRAINED_MODEL in base for base in bases):
        class_names.add(_PRETRAINED_MODEL)
    return frozenset(class_names)


@lru_cache(maxsize=64)
def _call_pattern(class_names: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern for the beginning of a call: `Base.method(` or with `self, `."""
    names = "|".join(map(dotted_name_pattern, sorted(class_names)))
    self_argument = r"(?P<self_argument>self\s*(?:,\s*|(?=\))))?"
    return re.compile(rf"\b(?:{names})\s*\.\s*(?P<method>\w+)\s*\(\s*{self_argument}")


def _call_edits(code: SourceSlice, call: re.Match[str]) -> list[tuple[int, int, str]]:
    """Return the edits that turn `Base.method(self, x)` into `super().method(x)`.

    Args:
        code: The code of the statement.
        call: A match of `_call_pattern` in the mask of the code, here
            `Base.method(self, `. If the first argument is not `self`, the match ends
            before this argument, and its group `self_argument` is None.

    Returns:
        The start, the end and the new text of each edit.
    """
    bracket_end = code.mask.index("(", call.end("method")) + 1
    comments = _comments_between(code, call.start(), bracket_end)
    edits = [(call.start(), bracket_end, f"super().{call['method']}({comments}")]
    has_no_other_argument = code.mask.startswith(")", call.end())
    if has_no_other_argument:
        # `Base.method( self )` becomes `super().method()`, without the blanks.
        comments = _comments_between(code, bracket_end, call.end())
        edits.append((bracket_end, call.end(), comments))
    elif call["self_argument"]:
        # `Base.method( self, x)` becomes `super().method( x)`.
        start, end = call.span("self_argument")
        edits.append((start, end, _comments_between(code, start, end)))
    return edits


def _comments_between(code: SourceSlice, start: int, end: int) -> str:
    """Return the comments between two offsets, with the blanks and line ends there.

    For `self,  # why` with a line end, this is `  # why` with the line end. Without a
    comment, the text is empty.

    Args:
        code: The code, which has no strings between the offsets.
        start: The first offset.
        end: The second offset.
    """
    text = code.text[start:end]
    if "#" not in text:
        return ""
    # In the mask, comments are blank.
    mask = code.mask[start:end]
    characters = zip(text, mask, strict=True)
    return "".join(character for character, masked in characters if masked.isspace())
