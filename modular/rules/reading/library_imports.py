"""Relative imports in a parent file of another library become absolute imports.

Your project can inherit from models in another package, which the setting
`source-library` names. A relative import from a file of that package would not work in
your project, because your project does not contain the imported module. So modular
writes `from transformers.image_utils` instead of `from ...image_utils`.

- **The imported names do not change,** even if they contain the model's name, because
  the other library defines them. In the example, `CLIP_MEAN` keeps its name.
- **Imports from the parent model's own files stay relative,** because your model has
  such files, too: `.configuration_clip` becomes `.configuration_tulip`.

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
from modular.source.import_statements import LocatedImport, find_imports, module_span
from modular.source.module import Module


def keep_imported_names(module: Module, name_forms: ModelNameForms) -> ModelNameForms:
    """Return name forms that protect the names that a file imports from its library.

    The generated file imports these names from the library, where they are not renamed.

    Args:
        module: The parent file, still with relative imports.
        name_forms: The forms in which the file names its model.
    """
    kept_names = set(name_forms.keep)
    for import_ in _imports_from_library(module, name_forms):
        for alias in import_.names:
            kept_names.update((alias.name, alias.bound))
    return replace(name_forms, keep=frozenset(kept_names))


def make_imports_absolute(
    module: Module, package: tuple[str, ...], name_forms: ModelNameForms
) -> Module:
    """Make the relative imports of a parent file from another library absolute.

    The generated file belongs to the project, so `from ...utils import logging` must
    become `from transformers.utils import logging` in it.

    Args:
        module: The parent file.
        package: The package of the file, such as `("transformers", "models", "clip")`.
        name_forms: The forms in which the file names its model.
    """
    edits = []
    for import_ in _imports_from_library(module, name_forms):
        start, end = module_span(module.code.masked_text, import_.start)
        edits.append((start, end, _absolute_module(import_, package)))
    return replace(module, code=module.code.replace(edits))


def _imports_from_library(
    module: Module, name_forms: ModelNameForms
) -> Iterator[LocatedImport]:
    """Yield the relative imports of a file, except those from files of its model.

    The latter are renamed with the model.
    """
    for import_ in find_imports(module.code.masked_text):
        if import_.level > 0 and not _is_from_sibling_file(import_, name_forms):
            yield import_


def _is_from_sibling_file(import_: LocatedImport, name_forms: ModelNameForms) -> bool:
    """Whether an import is from a file of the same model: `.configuration_clip`."""
    if import_.level != 1:
        return False
    file_name = name_forms.file_names.parse(import_.module or "")
    return file_name is not None and file_name.model == name_forms.lower


def _absolute_module(import_: LocatedImport, package: tuple[str, ...]) -> str:
    """Return the absolute name of the module of a relative import.

    In the package `transformers.models.clip`, `...utils` is `transformers.utils`.
    """
    # One dot is the package itself, each further dot the package above.
    parent_count = import_.level - 1
    parts = list(package[: len(package) - parent_count])
    if import_.module:
        parts.append(import_.module)
    return ".".join(parts)
