"""Some files copy definitions from another file of the model instead of importing them.

For example, `image_processing_pil_my_model.py` must work without torchvision, but
`image_processing_my_model.py` needs torchvision. So the first file must not import from
the second. If both files use a class, modular writes the class, and everything that it
uses, into both. In the example, both files use `MyModelImageProcessorKwargs`.

The setting `copied-instead-of-imported` lists the pairs of file types between which
modular copies definitions.

- **A copy gets the position of the original.** If the original is the third statement
  of its file, the copy becomes the third statement of the other file. If the third
  statement of the other file is already an assignment, the copy comes below it.
- **A copy that Python needs while it imports the file,** such as a base class, comes
  above its first use (see `load-order`).

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
    first_names = settings.first_names
    for target_type, source_type in settings.copied_instead_of_imported.items():
        if target_type not in drafts or source_type not in drafts:
            continue
        source = drafts[source_type]
        target = drafts[target_type]
        names = _find_names_to_copy(source, target)
        # The statements are copied from top to bottom. So when a statement is copied, the
        # target already has the copies of the statements above it.
        for position, statement in enumerate(source.ordered_statements(first_names)):
            if statement.name in names:
                _copy_statement(position, statement, source, target, first_names)


def _find_names_to_copy(source: Draft, target: Draft) -> set[str]:
    """Return the names that a target file would import, with their dependencies.

    If `modeling_olmo.py` would import `rotate` from `image_processing_olmo.py`, the
    names are `rotate`, the names in `image_processing_olmo.py` that `rotate` uses, the
    names that these use, and so on.

    Args:
        source: The generated file that defines the names.
        target: The generated file that would import them.
    """

    def used_in_source(name: str) -> AbstractSet[str]:
        """Return the names of the source file that a definition of it uses."""
        used_names = _used_names_missing_in(target, source.statements[name])
        return used_names & source.statements.keys()

    imported_names = []
    for name, file_type in target.sibling_imports.items():
        if file_type == source.file_type and name in source.statements:
            imported_names.append(name)
    return set(walk(imported_names, used_in_source))


def _copy_statement(
    position: int,
    statement: DraftStatement,
    source: Draft,
    target: Draft,
    first_names: tuple[str, ...],
) -> None:
    """Copy a statement from one generated file to another, with the imports it needs.

    The copy has the position of the original: the copy of the third statement becomes the
    third statement. If the target has an assignment there, the copy comes below it, as in
    the files of transformers. If the target has fewer statements, the copy becomes the
    last one.

    Args:
        position: The index of the statement in its file.
        statement: The statement.
        source: The generated file that has the statement.
        target: The generated file that gets the copy. It is changed in place.
        first_names: The names whose statements come first in a file, such as `logger`.
    """
    # The copy needs imports, and replaces the import of its own name.
    used_names = _used_names_missing_in(target, statement)
    for name in used_names & source.sibling_imports.keys():
        target.sibling_imports[name] = source.sibling_imports[name]
    target.sibling_imports.pop(statement.name, None)

    statements = target.ordered_statements(first_names)
    # A draft has no imports, so each statement is a definition or an assignment.
    is_taken = position < len(statements)
    is_taken_by_assignment = is_taken and not statements[position].is_definition
    if is_taken_by_assignment:
        position += 1
    statements.insert(position, statement)
    target.statements = {statement.name: statement for statement in statements}


def _used_names_missing_in(
    target: Draft, statement: DraftStatement
) -> AbstractSet[str]:
    """Return the names that a statement uses and a file does not define."""
    used_names = UsedNames([statement.code], defined=frozenset({statement.name}))
    return used_names.among(statement.words - target.statements.keys())
