"""The names of your classes decide what the parent's name becomes in inherited code.

For example, the class `MyModelTextMLP(LlamaMLP)` makes modular write `MyModelText` for
`Llama` in everything that comes from the parent file. `MyModelText` is called the
prefix. File names are an exception: `.configuration_llama` always becomes
`.configuration_my_model`.

Each class that inherits from the parent file proposes a prefix. The proposals use the
*cased name*, which is the model's name as it is written in class names, such as
`MyModel` (see `cased-names`):

- **If the names of your class and its parent class have a common ending,** the prefix
  is the part of your name before this ending. `MyModelTextMLP` and `LlamaMLP` end with
  `MLP`, so the prefix is `MyModelText`. A common ending begins with a capital, and is
  shorter than both names.
- **If this prefix is shorter than the cased name,** and the name of the class contains
  the cased name, the prefix is the cased name. `NewMoeMLP(OldMoeMLP)` proposes
  `NewMoe`, and not `New`, in the model `new_moe`.
- **If your class has the same name as its parent class,** with or without the cased
  name before it, the prefix consists of the cased names of both models.
  `MyModelLlamaMLP(LlamaMLP)` proposes `MyModelLlama`.
- **If the names have no common ending,** the prefix is the cased name.
  `MyModelEncoder(LlamaLayer)` proposes `MyModel`.
- **A class proposes nothing** if it has the name of its parent class, and this name
  does not begin with the cased name of the parent's model. An example is
  `RMSNorm(RMSNorm)`.

modular uses the prefix that most classes propose. If they propose different prefixes,
it also reports [MOD405](../rules/MOD405.md). There are special cases:

- **If several prefixes are equally frequent,** and the cased name is one of them,
  modular uses the cased name. Otherwise modular compares the first class with each
  prefix, and uses the prefix whose first class comes last in the modular file.
- **If the prefix adds a word that classes of the parent file already have after
  `Llama`,** modular uses the cased name instead, and reports MOD405. For example, if
  the parent file has a class `LlamaTextMLP`, the prefix cannot be `MyModelText`:
  readers would take `MyModelTextMLP` for the new name of `LlamaTextMLP`.
- **With `inheritance = "python"`,** a common ending begins with a whole word: the
  prefix of `DDIMOutput(DDPMOutput)` is `DDIM`, and not `DDI`.

If no class inherits from a parent file, modular replaces the parent's name with the
cased name.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn

from .configuration_llama import LlamaConfig


class LlamaNorm(nn.Module):
    config: LlamaConfig


class LlamaMLP(nn.Module):
    norm = LlamaNorm
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


class MyModelTextMLP(LlamaMLP):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn

from .configuration_my_model import MyModelTextConfig


class MyModelTextNorm(nn.Module):
    config: MyModelTextConfig


class MyModelTextMLP(nn.Module):
    norm = MyModelTextNorm
```

The class's name is the cased name followed by the parent's whole name:

Parent `models/llama/modeling_llama.py`:

```python
class LlamaNorm:
    eps = 1e-6


class LlamaMLP:
    norm = LlamaNorm
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


class MyModelLlamaMLP(LlamaMLP):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
class MyModelLlamaNorm:
    eps = 1e-6


class MyModelLlamaMLP:
    norm = MyModelLlamaNorm
```
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from os.path import commonprefix
from typing import NamedTuple


class ClassPair(NamedTuple):
    """A modular class and its parent class, such as `MyModelMLP` and `LlamaMLP`.

    The parent class has the name that it has in its own file.
    """

    child: str
    parent: str


class PrefixChoice(NamedTuple):
    """The prefix that a parent file is renamed to.

    Attributes:
        chosen: The prefix.
        candidates: The prefixes that classes proposed, each once.
        rejected: The most frequent prefix, if the parent file uses it already.
    """

    chosen: str
    candidates: tuple[str, ...]
    rejected: str | None = None


def choose_prefix(
    pairs: Iterable[tuple[str, str]],
    cased: str,
    parent_cased: str,
    parent_classes: Sequence[str],
    whole_words: bool = False,
) -> PrefixChoice:
    """Choose the prefix that replaces the parent model's name in a parent file.

    Each class that inherits from the file proposes a prefix: `MyModelTextMLP(LlamaMLP)`
    proposes to replace `Llama` with `MyModelText`. The most frequent prefix is chosen:

    - If several are equally frequent, the model's cased name `MyModel` is chosen. If it is
      none of them, the prefix whose first class comes last is chosen.
    - If the parent file has a class `LlamaTextMLP`, the prefix `MyModelText` is rejected
      (see `_is_used_in_parent`), and `MyModel` is chosen.

    Args:
        pairs: The modular classes with the names of their parent classes in the file,
            such as `("MyModelTextMLP", "LlamaMLP")`.
        cased: The cased name of the model, such as `MyModel`.
        parent_cased: The cased name of the parent model, such as `Llama`.
        parent_classes: All classes of the parent file.
        whole_words: Whether a common ending begins with a word: `Output` and not
            `MOutput` for `DDPMOutput` and `DDIMOutput`.
    """
    counts: Counter[str] = Counter()
    for child, parent in pairs:
        prefix = class_prefix(child, parent, cased, parent_cased, whole_words)
        if prefix is not None:
            counts[prefix] += 1
    if not counts:
        return PrefixChoice(cased, ())

    # A counter keeps the order in which the prefixes were first proposed.
    candidates = tuple(counts)
    highest_count = max(counts.values())
    most_frequent = [prefix for prefix in counts if counts[prefix] == highest_count]
    if cased in most_frequent:
        return PrefixChoice(cased, candidates)
    # The generated files of transformers take the last one.
    chosen = most_frequent[-1]
    if _is_used_in_parent(chosen, cased, parent_cased, parent_classes):
        return PrefixChoice(cased, candidates, rejected=chosen)
    return PrefixChoice(chosen, candidates)


def _is_used_in_parent(
    prefix: str, cased: str, parent_cased: str, parent_classes: Iterable[str]
) -> bool:
    """Whether the parent file already has classes that begin with its form of a prefix.

    With the prefix `MyModelText`, modular would rename the parent's `LlamaMLP` to
    `MyModelTextMLP`. If the parent file also has a class `LlamaTextMLP`, readers would
    take `MyModelTextMLP` for the copy of `LlamaTextMLP`.

    Args:
        prefix: The prefix, such as `MyModelText`.
        cased: The cased name of the child's model, such as `MyModel`.
        parent_cased: The cased name of the parent's model, such as `Llama`.
        parent_classes: All classes of the parent file.
    """
    # `MyModelText` becomes `LlamaText`.
    prefix_in_parent = prefix.replace(cased, parent_cased)
    return any(name.startswith(prefix_in_parent) for name in parent_classes)


def class_prefix(
    class_name: str,
    parent_class: str,
    cased_model: str,
    cased_parent_model: str,
    whole_words: bool = False,
) -> str | None:
    """Return the prefix that the name of a class proposes.

    The prefix replaces the name of the parent's model in the parent file. For example,
    `MyModelTextMLP(LlamaMLP)` proposes `MyModelText`, because both names end with `MLP`.

    Args:
        class_name: The name of the child class.
        parent_class: The name of its parent class.
        cased_model: The name of the child's model in class names, such as `MyModel`.
        cased_parent_model: The name of the parent's model in class names: `Llama`.
        whole_words: Whether the common ending begins with a word.

    Returns:
        The prefix, or None if the class proposes nothing.
    """
    # `RMSNorm(RMSNorm)` has no model in its name.
    has_parent_model = parent_class.startswith(cased_parent_model)
    if class_name == parent_class and not has_parent_model:
        return None
    # `LlamaMLP(LlamaMLP)`, `MyModelLlamaMLP(LlamaMLP)` and `MyModelRMSNorm(RMSNorm)` keep the
    # parent's whole name. With the prefix `MyModelLlama`, all classes of the file keep it.
    if class_name in (parent_class, cased_model + parent_class):
        return cased_model + cased_parent_model
    ending = common_capitalized_ending(class_name, parent_class)
    if whole_words:
        ending = _without_broken_word(ending, class_name, parent_class)
    # `MyModelEncoder(LlamaLayer)` proposes `MyModel`.
    if not ending:
        return cased_model
    prefix = class_name.removesuffix(ending)
    # `NewMoeMLP(OldMoeMLP)` proposes the name of its model `NewMoe`. Without the common ending
    # `MoeMLP`, only `New` is left.
    has_model_name = cased_model in class_name
    if has_model_name and len(prefix) < len(cased_model):
        return cased_model
    # `MyModelTextMLP(LlamaMLP)` proposes `MyModelText`.
    return prefix


def _without_broken_word(ending: str, class_name: str, parent_class: str) -> str:
    """Return the part of a common ending of two names that begins with a whole word.

    `DDPMOutput` and `DDIMOutput` have the common ending `MOutput`. Its `M` is the end of
    the words `DDPM` and `DDIM`, so `Output` is returned.
    """
    # `DDP` and `DDI`, the beginnings before `MOutput`, end with capitals.
    beginning = class_name.removesuffix(ending)
    parent_beginning = parent_class.removesuffix(ending)
    if beginning[-1:].isupper() and parent_beginning[-1:].isupper():
        # Drop capitals up to the one that begins a word, as `O` begins `Output`.
        while ending[:1].isupper() and not ending[1:2].islower():
            ending = ending[1:]
    return ending if ending[:1].isupper() else ""


def with_prefix(
    class_name: str,
    parent_class: str,
    prefix: str,
    cased_model: str,
    cased_parent_model: str,
) -> str:
    """Return the name of a class with another prefix.

    The class `MyModelTextMLP(LlamaMLP)` has the prefix `MyModelText`. With the prefix
    `MyModel`, its name is `MyModelMLP`. Which part of a name is the prefix is decided
    by `class_prefix`.

    Args:
        class_name: The present name of the class.
        parent_class: The name of its parent class.
        prefix: The new prefix.
        cased_model: The name of the child's model in class names, such as `MyModel`.
        cased_parent_model: The name of the parent's model in class names: `Llama`.

    Returns:
        The new name. It is empty in two cases:

        - The old name does not begin with its prefix. For `Encoder(LlamaLayer)`,
          `class_prefix` returns `MyModel`.
        - For the new name, `class_prefix` would not return the new prefix. With the
          prefix `MyLlama`, the name would be `MyLlamaMLP(LlamaMLP)`. It ends with the
          parent's whole name, for which `class_prefix` returns `MyModel`.
    """
    old_prefix = class_prefix(class_name, parent_class, cased_model, cased_parent_model)
    if old_prefix is None or not class_name.startswith(old_prefix):
        return ""
    new_name = prefix + class_name.removeprefix(old_prefix)
    new_prefix = class_prefix(new_name, parent_class, cased_model, cased_parent_model)
    return new_name if new_prefix == prefix else ""


def common_ending(name: str, other_name: str) -> str:
    """Return the longest common ending of two names, empty if it is a whole name.

    For `MyModelMLP` and `LlamaMLP` this is `MLP`.
    """
    reversed_names = [name[::-1], other_name[::-1]]
    ending = commonprefix(reversed_names)[::-1]
    return "" if ending in (name, other_name) else ending


def common_capitalized_ending(name: str, other_name: str) -> str:
    """Return the common ending of two names, empty if it begins with no capital."""
    ending = common_ending(name, other_name)
    return ending if ending[:1].isupper() else ""
