"""Soft dependencies: in files that must be importable without torch, its imports are under a guard.

In the file types of the setting `soft-dependencies`, `image_processing_pil` and `feature_extraction`, all imports of torch
are gathered under one `if is_torch_available():`, and those of torchvision under one `if is_torchvision_available():`.
They are taken from among the plain imports and from guards without another branch. The functions themselves are added
to the import from `...utils`, which is made if there is none.

Modular `models/my_model/modular_my_model.py`:

```python
import numpy as np
import torch
from torchvision.transforms import functional as F

from ...image_processing_backends import PilBackend
from ...utils import logging


logger = logging.get_logger(__name__)


class MyModelImageProcessorPil(PilBackend):
    def resize(self, image):
        logger.info("resizing")
        return np.asarray(F.resize(torch.tensor(image)))
```

Output `models/my_model/image_processing_pil_my_model.py`:

```python
import numpy as np

from ...image_processing_backends import PilBackend
from ...utils import is_torch_available, is_torchvision_available, logging


if is_torch_available():
    import torch
if is_torchvision_available():
    from torchvision.transforms import functional as F


logger = logging.get_logger(__name__)


class MyModelImageProcessorPil(PilBackend):
    def resize(self, image):
        logger.info("resizing")
        return np.asarray(F.resize(torch.tensor(image)))
```
"""

from collections.abc import Iterable

from modular.rules.files.imports import ChosenGuard, NeededImports
from modular.settings.settings import Settings
from modular.source.code import SourceSlice, generated
from modular.source.import_statements import Import
from modular.source.indentation import STEP


def guard_soft_dependencies(
    needed: NeededImports, settings: Settings, path: str
) -> list[list[SourceSlice]]:
    """Return the imports of a file, each as its runs of code, with those of the soft dependencies in one guard each.

    Plain imports and guards without another branch give up theirs; the guards' functions are imported from `utils`.
    """
    functions = settings.soft_dependencies_guards
    soft: dict[str, list[Import]] = {}
    plain = _sort_out(needed.plain, settings, soft)
    guarded = []
    for chosen in needed.guarded:
        if chosen.guard.others:
            guarded.append(chosen)
        elif (
            kept := _sort_out(chosen.imports, settings, soft)
        ) or chosen.guard.lasting:
            guarded.append(ChosenGuard(chosen.guard, tuple(kept)))
    rendered = [[chosen.render()] for chosen in plain]
    for package, function in functions.items():
        if package in soft:
            line = generated(
                f"from {settings.soft_dependencies_utils} import {function}\n", path, 1
            )
            rendered.insert(
                len(rendered) if _has_room(plain, function, settings) else 0, [line]
            )
    guards = [
        _guard(function, soft[package], path)
        for package, function in functions.items()
        if package in soft
    ]
    return [*rendered, *(chosen.render() for chosen in guarded), *guards]


def _has_room(plain: Iterable[Import], function: str, settings: Settings) -> bool:
    """Whether an import from `utils` is there that does not name the function yet; otherwise one is made, at the top."""
    return any(
        chosen.source == settings.soft_dependencies_utils
        and function not in (name.bound for name in chosen.names)
        for chosen in plain
    )


def _sort_out(
    imports: Iterable[Import], settings: Settings, soft: dict[str, list[Import]]
) -> list[Import]:
    """Move the imports of soft dependencies to ``soft``, by package, and return the others."""
    kept = []
    for import_ in imports:
        package = _package(import_)
        if package in settings.soft_dependencies_guards:
            soft.setdefault(package, []).append(import_)
        else:
            kept.append(import_)
    return kept


def _package(import_: Import) -> str:
    module = import_.names[0].name if import_.module is None else import_.module
    return module.partition(".")[0] if import_.level == 0 else ""


def _guard(function: str, imports: Iterable[Import], path: str) -> list[SourceSlice]:
    return [
        generated(f"if {function}():\n", path, 1),
        *(_below(import_.render()) for import_ in imports),
    ]


def _below(code: SourceSlice) -> SourceSlice:
    """An import as it stands below a guard's first line."""
    stripped = code.cut(
        len(code.text) - len(code.text.lstrip()), len(code.text.rstrip())
    )
    end = len(stripped.text)
    return stripped.replace([(0, 0, STEP), (end, end, "\n")])
