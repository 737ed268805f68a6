"""If a file must be importable without torch, its imports of torch get a guard.

In a generated file that must be importable without torch, modular writes each import of
torch inside `if is_torch_available():`, and each import of torchvision inside
`if is_torchvision_available():`. It also imports these two functions from `...utils`.

The setting `soft-dependencies` lists the types of files that must be importable without
torch. By default, these are `image_processing_pil` and `feature_extraction`.

If an import of torch or torchvision is already inside another guard, modular moves the
import into the new guard. If the other guard has a second branch, such as `else:`, the
import stays in the other guard, because the branches belong together.

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
from modular.source.import_statements import Import
from modular.source.indentation import STEP
from modular.source.scan import count_leading_blanks
from modular.source.source_slice import SourceSlice, synthetic


def guard_soft_dependencies(
    needed: NeededImports, settings: Settings, path: str
) -> list[list[SourceSlice]]:
    """Return the imports of a file, with those of optional packages below guards.

    For a file that must be importable without torch, `import torch` is written below
    `if is_torch_available():`.

    Args:
        needed: The imports of the file.
        settings: The settings of the project, which name the packages and functions.
        path: The path of the modular file.

    Returns:
        The runs of code of each import and each guard.
    """
    # Soft imports are those of optional packages, such as torch.
    plain, soft = _split_off_soft(needed.plain, settings)
    guards = []
    for chosen in needed.guarded:
        guard = chosen.guard
        # The branches belong together, so a guard with an `else` does not change.
        if guard.other_branches:
            guards.append(chosen.render())
            continue
        kept, soft_of_guard = _split_off_soft(chosen.imports, settings)
        soft += soft_of_guard
        if kept or guard.verbatim_statements():
            guards.append(ChosenGuard(guard, tuple(kept)).render())

    rendered = [[import_.render()] for import_ in plain]
    for package, function in settings.soft_dependencies_guards.items():
        imports = [import_ for import_ in soft if _package_of(import_) == package]
        if not imports:
            continue
        # First the import of the guard's function, such as `is_torch_available`. The
        # formatter joins it with other imports from the same module.
        utils_import = f"from {settings.soft_dependencies_utils} import {function}\n"
        import_line = [synthetic(utils_import, path, 1)]
        if _has_import_to_extend(plain, function, settings):
            rendered.append(import_line)
        else:
            rendered.insert(0, import_line)

        # Then the guard with all imports of the package.
        lines = [synthetic(f"if {function}():\n", path, 1)]
        lines += [_indent(import_.render()) for import_ in imports]
        guards.append(lines)
    return rendered + guards


def _has_import_to_extend(
    imports: Iterable[Import], function: str, settings: Settings
) -> bool:
    """Whether a file has an import to which the function of a guard can be added.

    The function `is_torch_available` can be added to `from ...utils import logging`,
    but not to an import that already contains it.
    """
    for import_ in imports:
        is_from_utils = import_.source == settings.soft_dependencies_utils
        if is_from_utils and function not in import_.bound_names:
            return True
    return False


def _split_off_soft(
    imports: Iterable[Import], settings: Settings
) -> tuple[list[Import], list[Import]]:
    """Return the imports that need no guard, and those of optional packages.

    The settings list the optional packages, such as `torch`.
    """
    ordinary = []
    soft = []
    for import_ in imports:
        if _package_of(import_) in settings.soft_dependencies_guards:
            soft.append(import_)
        else:
            ordinary.append(import_)
    return ordinary, soft


def _package_of(import_: Import) -> str:
    """Return the package of an absolute import, such as `torch`; empty for others."""
    if import_.level > 0:
        return ""
    module = import_.module or import_.names[0].name
    return module.partition(".")[0]


def _indent(code: SourceSlice) -> SourceSlice:
    """Return an import as an indented line, without the lines above it."""
    text = code.text
    stripped = code.cut(count_leading_blanks(text), len(text.rstrip()))
    end = len(stripped.text)
    return stripped.replace([(0, 0, STEP), (end, end, "\n")])
