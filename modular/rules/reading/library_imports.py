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

import re
from dataclasses import replace

from modular.rules.names.renaming import Spelling
from modular.source.module import Module


_RELATIVE = re.compile(
    r"(?:^|[;:])[ \t]*from\s*+(?P<source>(?P<dots>\.++)(?:\s*+(?P<module>(?!import\b)\w[\w.]*+))?)"
    r"\s*import\b(?P<names>\s*\([^)]*\)|[^\n;]*)",
    re.MULTILINE,
)
_WORD = re.compile(r"[^\W\d]\w*")


def as_seen_from_outside(module: Module, package: tuple[str, ...], spelling: Spelling) -> tuple[Module, Spelling]:
    """Return a parent file of another library with absolute imports, and its spelling with the names to keep.

    ``package`` is the one that the file is in, such as `("transformers", "models", "clip")`.
    """
    found = [match for match in _RELATIVE.finditer(module.code.mask) if not _is_own_file(match, spelling)]
    edits = [(*match.span("source"), _absolute(match, package)) for match in found]
    names = frozenset(name for match in found for name in _WORD.findall(match["names"]))
    return replace(module, code=module.code.replace(edits)), replace(spelling, keep=spelling.keep | names)


def _is_own_file(match: re.Match[str], spelling: Spelling) -> bool:
    """Whether an import is from a file of the same model, such as `.configuration_clip`."""
    of_model = f"_{spelling.lower}"
    return match["dots"] == "." and any(match["module"] == f"{each}{of_model}" for each in spelling.file_types)


def _absolute(match: re.Match[str], package: tuple[str, ...]) -> str:
    base = package[: len(package) - len(match["dots"]) + 1]
    return ".".join([*base, match["module"]] if match["module"] else base)
