"""Copied in: a file that must not import from another one of its model has what it needs from there copied in.

An `image_processing_pil` file never imports from the model's `image_processing` file, for that needs torchvision (the
setting `copied-instead-of-imported` says which file types these are). What it would import is in it as a copy, next
to the statement that is as far down as the original is in its own file: before it if that is a class or function, after
it otherwise. If it is used there while the file is imported, it is above its user all the same: see `load-order`. What
it needs of its own file is copied too.

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

from modular.rules.files.drafts import Draft, DraftStatement
from modular.rules.files.used_names import UsedNames
from modular.settings.settings import Settings
from modular.source.walking import walk


def copy_in(drafts: Mapping[str, Draft], settings: Settings) -> None:
    """Replace the forbidden imports between the drafts of a model by copies."""
    for file_type, source_type in settings.copied_instead_of_imported.items():
        if file_type in drafts and source_type in drafts:
            _copy(drafts[source_type], drafts[file_type], settings)


def _copy(source: Draft, draft: Draft, settings: Settings) -> None:
    order = [node.name for node in source.ordered_statements(settings.first_names)]
    for name in sorted(_wanted(source, draft), key=order.index):
        draft.sibling_imports.pop(name, None)
        _insert(draft, source.statements[name], order.index(name), settings)


def _wanted(source: Draft, draft: Draft) -> set[str]:
    """What is to be copied, and what that needs of its own file in turn. Its imports from other files are taken over."""
    starts = [
        name
        for name, file_type in draft.sibling_imports.items()
        if file_type == source.file_type
    ]

    def needed(name: str) -> list[str]:
        node = source.statements[name]
        used = UsedNames([part.code for part in node.parts], frozenset({name}))
        needs = [
            word
            for word in sorted(node.words)
            if word not in draft.statements and word in used
        ]
        draft.sibling_imports.update(
            {
                need: source.sibling_imports[need]
                for need in needs
                if need in source.sibling_imports
            }
        )
        return [need for need in needs if need in source.statements]

    return set(walk([name for name in starts if name in source.statements], needed))


def _insert(
    draft: Draft, node: DraftStatement, position: int, settings: Settings
) -> None:
    nodes = draft.ordered_statements(settings.first_names)
    if position < len(nodes) and not nodes[position].is_definition:
        position += 1
    nodes.insert(position, node)
    draft.statements = {statement.name: statement for statement in nodes}
