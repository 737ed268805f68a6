"""File types: the ending of a class's name says into which file the class goes.

The model's cased name is taken out of the class's name; the longest ending of the setting `file-types` that the rest has
decides, and `modeling` is for all that have none. A class that is needed in another file than its own is imported there.
A parent file's type is what its own name begins with.

Modular `models/my_model/modular_my_model.py`:

```python
class MyModelConfig:
    model_type = "my_model"


class MyModelProcessorKwargs:
    padding = False


class MyModelProcessor:
    kwargs = MyModelProcessorKwargs


class MyModelImageProcessor:
    size = 224


class MyModelModel:
    config: MyModelConfig
```

Output `models/my_model/configuration_my_model.py`:

```python
class MyModelConfig:
    model_type = "my_model"
```

Output `models/my_model/processing_my_model.py`:

```python
class MyModelProcessorKwargs:
    padding = False


class MyModelProcessor:
    kwargs = MyModelProcessorKwargs
```

Output `models/my_model/image_processing_my_model.py`:

```python
class MyModelImageProcessor:
    size = 224
```

Output `models/my_model/modeling_my_model.py`:

```python
from .configuration_my_model import MyModelConfig


class MyModelModel:
    config: MyModelConfig
```
"""

from modular.settings.settings import MODELING, Settings


def of_class(name: str, cased: str, settings: Settings) -> str:
    """Return the file type of a class of the model with this cased name."""
    rest = name.replace(cased, "")
    if not rest.endswith(tuple(settings.file_types)):
        return MODELING
    return settings.file_types[
        max(
            (ending for ending in settings.file_types if rest.endswith(ending)), key=len
        )
    ]


def of_file(stem: str, settings: Settings) -> str | None:
    """Return the file type of a model file's name without `.py` (`modeling_llama`), or None if it is not a model file."""
    return next(
        (
            file_type
            for file_type in settings.all_file_types
            if stem.startswith(f"{file_type}_")
        ),
        None,
    )
