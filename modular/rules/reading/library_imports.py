"""Imports from another library: in what comes from a parent file of the source library they become absolute.

A project may inherit from the models of a package that is not its own (the setting `source-library`). The relative
imports of such a parent file would point nowhere, so they name their package, and what they bring keeps its name. Only
imports from the parent model's own files stay relative: the new model has such files of its own.

Settings `pyproject.toml`:

```toml
[tool.modular]
source-library = "vendor/transformers"
```

Parent `vendor/transformers/models/clip/processing_clip.py`:

```python
from ...image_utils import CLIP_MEAN
from .configuration_clip import CLIPConfig


class CLIPProcessor:
    config: CLIPConfig
    mean = CLIP_MEAN
```

Parent `vendor/transformers/models/clip/configuration_clip.py`:

```python
class CLIPConfig:
    model_type = "clip"
```

Modular `models/tulip/modular_tulip.py`:

```python
from transformers.models.clip.processing_clip import CLIPProcessor


class TulipProcessor(CLIPProcessor):
    pass
```

Output `models/tulip/processing_tulip.py`:

```python
from transformers.image_utils import CLIP_MEAN

from .configuration_tulip import TulipConfig


class TulipProcessor:
    config: TulipConfig
    mean = CLIP_MEAN
```
"""

from collections.abc import Iterator
from dataclasses import replace

from modular.rules.names.renaming import Spelling
from modular.source.import_statements import Found, find, module_span
from modular.source.module import Module


def as_seen_from_outside(module: Module, package: tuple[str, ...], spelling: Spelling) -> tuple[Module, Spelling]:
    """Return a parent file of another library with absolute imports, and its spelling with the names to keep.

    ``package`` is the one that the file is in, such as `("transformers", "models", "clip")`.
    """
    mask = module.code.mask
    found = [each for each in find(mask) if each.level and not _is_own_file(each, spelling)]
    edits = [(*module_span(mask, each.start), _absolute(each, package)) for each in found]
    names = frozenset(name for each in found for name in _names(each))
    return replace(module, code=module.code.replace(edits)), replace(spelling, keep=spelling.keep | names)


def _is_own_file(found: Found, spelling: Spelling) -> bool:
    """Whether an import is from a file of the same model, such as `.configuration_clip`."""
    of_model = f"_{spelling.lower}"
    return found.level == 1 and any(found.module == f"{file_type}{of_model}" for file_type in spelling.file_types)


def _names(found: Found) -> Iterator[str]:
    for name in found.names:
        yield name.name
        yield name.bound


def _absolute(found: Found, package: tuple[str, ...]) -> str:
    base = package[: len(package) - found.level + 1]
    return ".".join([*base, found.module] if found.module else base)
