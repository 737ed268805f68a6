"""Some files copy what they need from another file of the model, and do not import it.

For example, an `image_processing_pil` file never imports from the model's
`image_processing` file, because that file needs torchvision. The setting
`copied-instead-of-imported` lists these file types.

- **The copy has the same position** in the list of statements as the original has in
  its file. If the statement at that position is a class or function, the copy comes
  before it, otherwise after it.
- **A copy that is used while the file is imported** always comes before its first use
  (see `load-order`).
- **Dependencies of the copy** in the original's file are copied, too.

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
from collections.abc import Set as AbstractSet

from modular.rules.files.drafts import Draft, DraftStatement
from modular.rules.files.used_names import UsedNames
from modular.settings.settings import Settings
from modular.source.walking import walk


def copy_imported_statements(drafts: Mapping[str, Draft], settings: Settings) -> None:
    """Copy code between the files of a model where settings forbid an import.

    For example, `image_processing_pil` must not import from `image_processing`, because
    that file needs torchvision. The setting `copied-instead-of-imported` lists such
    file types.

    Args:
        drafts: The generated files of the model by file type, changed in place.
        settings: The settings of the project.
    """
    for target_type, source_type in settings.copied_instead_of_imported.items():
        if target_type in drafts and source_type in drafts:
            target = drafts[target_type]
            _copy_statements(drafts[source_type], target, settings.first_names)


def _copy_statements(
    source: Draft, target: Draft, first_names: tuple[str, ...]
) -> None:
    """Copy into a target file the statements that it would import from a source file.

    Both files belong to one model. If `modeling_olmo.py` would import `rotate` from
    `image_processing_olmo.py`, it gets a copy of `rotate`, and of the statements in that
    file that `rotate` uses.

    Before that, `target.sibling_imports` maps `rotate` to the type of the file that
    defines it, `image_processing`. Afterwards, it does not have `rotate`.

    Args:
        source: The generated file to copy from.
        target: The generated file to copy to. It is changed in place.
        first_names: The names that come first in every file, such as `logger`.
    """

    def used_in_source(name: str) -> AbstractSet[str]:
        used_names = _used_names_missing_in(target, source.statements[name])
        return used_names & source.statements.keys()

    imported_names = []
    for name, file_type in target.sibling_imports.items():
        if file_type == source.file_type and name in source.statements:
            imported_names.append(name)
    # The imported statements, those that they use, those that these use, and so on.
    copied_names = set(walk(imported_names, used_in_source))

    # The copy of the fifth statement becomes the fifth of the target. Each copy moves the
    # statements below it, so they are inserted from the top down.
    for position, statement in enumerate(source.ordered_statements(first_names)):
        if statement.name not in copied_names:
            continue
        # The copy may use names that the source file imports. Now the target must
        # import them itself.
        used_names = _used_names_missing_in(target, statement)
        for name in used_names & source.sibling_imports.keys():
            target.sibling_imports[name] = source.sibling_imports[name]
        # The target defines the name of the copy now, and must not import it.
        target.sibling_imports.pop(statement.name, None)
        _insert_at(position, statement, target, first_names)


def _used_names_missing_in(
    target: Draft, statement: DraftStatement
) -> AbstractSet[str]:
    """Return the names that a statement uses and that a file does not define."""
    used_names = UsedNames([statement.code], defined=frozenset({statement.name}))
    return used_names.among(statement.words - target.statements.keys())


def _insert_at(
    position: int, copy: DraftStatement, target: Draft, first_names: tuple[str, ...]
) -> None:
    """Insert a copied statement into a file at its position in its source file.

    The copy of the fifth statement is inserted next to the target's fifth statement. If
    this one is a class or function, the copy comes before it. If it is an assignment,
    the copy comes after it, as in the generated files of transformers.

    Args:
        position: The index of the statement in its source file.
        copy: The copied statement.
        target: The file to which it is added.
        first_names: The names whose statements come first in a file, such as `logger`.
    """
    statements = target.ordered_statements(first_names)
    if position < len(statements):
        # A draft has no imports, only classes, functions and assignments.
        is_assignment = not statements[position].is_definition
        if is_assignment:
            position += 1
    # If the target has fewer statements, this appends the copy.
    statements.insert(position, copy)
    target.statements = {statement.name: statement for statement in statements}
