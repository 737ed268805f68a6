"""In a merged method, `super().__init__()` comes first and `self.post_init()` last.

If your `__init__` calls `super().__init__(config)`, modular replaces the call with the
body of the parent's `__init__` (see `super-call`). The merged body has statements of
both methods. Two calls in it move:

- **`super().__init__`** moves to the top, below the docstring, because PyTorch modules
  need this call before anything else. If the call is not the first statement of the
  parent's method, it stays where it is.
- **`self.post_init()`** moves to the end, below the statements that you add.

If the merged body contains one of these calls several times, only the first one moves.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn

from ...modeling_utils import PreTrainedModel


class LlamaModel(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.norm = nn.LayerNorm(config.hidden_size)
        self.post_init()
```

Modular `models/my_model/modular_my_model.py`:

```python
from torch import nn

from ..llama.modeling_llama import LlamaModel


class MyModel(LlamaModel):
    def __init__(self, config):
        size = config.hidden_size
        super().__init__(config)
        self.embed = nn.Embedding(config.vocab_size, size)
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn

from ...modeling_utils import PreTrainedModel


class MyModel(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        size = config.hidden_size
        self.norm = nn.LayerNorm(config.hidden_size)
        self.embed = nn.Embedding(config.vocab_size, size)
        self.post_init()
```
"""

from collections.abc import Sequence

from modular.rules.classes.merge_record import Step
from modular.semantics.facts import CodeFacts
from modular.semantics.statements import facts_of, facts_of_text
from modular.source.blocks import Statement


_INIT = "__init__"
POST_INIT = "post_init"
"""The method of `PreTrainedModel` that runs last, so that authors count on its move."""


def move_post_init_last(steps: Sequence[Step]) -> list[Step]:
    """Move the first generated statement that calls `self.post_init` to the end."""
    for index, step in enumerate(steps):
        if step.fate.is_generated and _calls_post_init(step):
            return [*steps[:index], *steps[index + 1 :], step]
    return list(steps)


def move_super_init_first(
    steps: Sequence[Step], parent_body: Sequence[Statement]
) -> list[Step]:
    """Move the call to `super().__init__` to the front of a merged body.

    PyTorch modules need this call before attributes are set. If the call in the parent's
    own method is not its first statement, nothing moves.

    Args:
        steps: The statements of the merged body without its docstring.
        parent_body: The body of the parent's method without its docstring.
    """
    # A call below the parent's first statement stays there. Finding calls is slow, so
    # only statements with the word `__init__` are searched.
    for statement in parent_body[1:]:
        if _INIT in statement.words and _uses_super_init(facts_of(statement)):
            return list(steps)
    for index, step in enumerate(steps):
        if not step.fate.is_generated or _INIT not in step.code.masked_text:
            continue
        if _uses_super_init(_facts_of_step(step)):
            return [step, *steps[:index], *steps[index + 1 :]]
    return list(steps)


def _calls_post_init(step: Step) -> bool:
    """Whether a statement contains a call to `self.post_init`."""
    if POST_INIT not in step.code.masked_text:
        return False
    calls = _facts_of_step(step).calls
    return any(call.function == f"self.{POST_INIT}" for call in calls)


def _uses_super_init(facts: CodeFacts) -> bool:
    """Whether code contains `super().__init__`."""
    return any(use.method == _INIT for use in facts.super_uses)


def _facts_of_step(step: Step) -> CodeFacts:
    """Return what a statement does in the generated body."""
    if step.rewritten is None:
        return facts_of(step.statement)
    return facts_of_text(step.rewritten.text.lstrip("\n"))
