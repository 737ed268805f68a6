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

from modular.rules.names.renaming import ModelNameForms
from modular.source.import_statements import Found, find, module_span
from modular.source.module import Module


def make_imports_absolute(
    module: Module, package: tuple[str, ...], name_forms: ModelNameForms
) -> tuple[Module, ModelNameForms]:
    """Return a parent file of another library with absolute imports, and its spelling with the names to keep.

    ``package`` is the one that the file is in, such as `("transformers", "models", "clip")`.
    """
    mask = module.code.mask
    imports = [
        import_
        for import_ in find(mask)
        if import_.level and not _is_own_file(import_, name_forms)
    ]
    edits = [
        (*module_span(mask, import_.start), _absolute(import_, package))
        for import_ in imports
    ]
    names = frozenset(name for import_ in imports for name in _names(import_))
    return replace(module, code=module.code.replace(edits)), replace(
        name_forms, keep=name_forms.keep | names
    )


def _is_own_file(import_: Found, name_forms: ModelNameForms) -> bool:
    """Whether an import is from a file of the same model, such as `.configuration_clip`."""
    of_model = f"_{name_forms.lower}"
    return import_.level == 1 and any(
        import_.module == f"{file_type}{of_model}"
        for file_type in name_forms.file_types
    )


def _names(import_: Found) -> Iterator[str]:
    for name in import_.names:
        yield name.name
        yield name.bound


def _absolute(import_: Found, package: tuple[str, ...]) -> str:
    base = package[: len(package) - import_.level + 1]
    return ".".join([*base, import_.module] if import_.module else base)
