"""Copied in: a file that must not import from another one of its model has what it needs from there copied in.

An `image_processing_pil` file never imports from the model's `image_processing` file, for that needs torchvision (the
setting `copied-instead-of-imported` says which file types these are). What it would import stands in it as a copy, next
to the statement that is as far down as the original is in its own file: before it if that is a class or function, behind
it otherwise.

Modular `models/my_model/modular_my_model.py`:

```python
from ...image_processing_backends import PilBackend, TorchvisionBackend
from ...processing_utils import ImagesKwargs


class MyModelImageProcessorKwargs(ImagesKwargs):
    min_pixels: int


class MyModelImageProcessor(TorchvisionBackend):
    valid_kwargs = MyModelImageProcessorKwargs


class MyModelImageProcessorPil(PilBackend):
    valid_kwargs = MyModelImageProcessorKwargs
```

Output `models/my_model/image_processing_my_model.py`:

```python
from ...image_processing_backends import TorchvisionBackend
from ...processing_utils import ImagesKwargs


class MyModelImageProcessorKwargs(ImagesKwargs):
    min_pixels: int


class MyModelImageProcessor(TorchvisionBackend):
    valid_kwargs = MyModelImageProcessorKwargs
```

Output `models/my_model/image_processing_pil_my_model.py`:

```python
from ...image_processing_backends import PilBackend
from ...processing_utils import ImagesKwargs


class MyModelImageProcessorKwargs(ImagesKwargs):
    min_pixels: int


class MyModelImageProcessorPil(PilBackend):
    valid_kwargs = MyModelImageProcessorKwargs
```
"""

from collections.abc import Mapping

from modular.rules.drafts import Draft, Node
from modular.rules.settings import Settings


def copy_in(drafts: Mapping[str, Draft], settings: Settings) -> None:
    """Replace the forbidden imports between the drafts of a model by copies."""
    for file_type, source_type in settings.copied_instead_of_imported.items():
        if file_type in drafts and source_type in drafts:
            _copy(drafts[source_type], drafts[file_type], settings)


def _copy(source: Draft, draft: Draft, settings: Settings) -> None:
    wanted = [name for name, file_type in draft.own_imports.items() if file_type == source.file_type]
    order = [node.name for node in source.in_order(settings.first_names)]
    for name in sorted((name for name in wanted if name in source.nodes), key=order.index):
        del draft.own_imports[name]
        _insert(draft, source.nodes[name], order.index(name), settings)


def _insert(draft: Draft, node: Node, position: int, settings: Settings) -> None:
    nodes = draft.in_order(settings.first_names)
    if position < len(nodes) and not nodes[position].is_definition:
        position += 1
    nodes.insert(position, Node(node.name, node.parts, node.is_definition))
    draft.nodes = {each.name: each for each in nodes}
    for place, each in enumerate(nodes):
        each.place = place
