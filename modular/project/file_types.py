"""The ending of a class name decides which generated file contains the class.

For example, the setting `file-types` maps the ending `Config` to `configuration`, so
`MyModelConfig` goes to `configuration_my_model.py`.

- **If several endings match,** the longest one counts: `MyModelImageProcessor` also
  ends with `Processor`, but goes to `image_processing_my_model.py`.
- **If no ending matches,** the class goes to `modeling_my_model.py`.
- **The model's name does not count** as a part of the ending. In a model `my_config`,
  the class `MyConfig` goes to `modeling_my_config.py`.

If another generated file of the model uses the class, modular writes an import of the
class to that file.

modular takes the type of a parent file from the file's name: the type is `modeling` for
`modeling_llama.py`.

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

from modular.settings.settings import Settings


def of_class(name: str, cased: str, settings: Settings) -> str:
    """Return the type of the file that a class belongs to, judged by its name.

    The longest ending in the setting `file-types` that matches decides. For example, the
    ending `Config` makes `MyModelConfig` a class of the `configuration` file.

    Args:
        name: The name of the class.
        cased: The name of its model as in class names, such as `MyModel`.
        settings: The settings of the project.
    """
    ending = name.replace(cased, "")
    # The first characters are cut off, one by one, until the settings have the ending.
    # They always have the empty one.
    while ending not in settings.file_types:
        ending = ending[1:]
    return settings.file_types[ending]


def of_file(stem: str, settings: Settings) -> str | None:
    """Return the file type of a model file: `modeling` for `modeling_llama.py`.

    Args:
        stem: The file's name without `.py`, such as `modeling_llama`.
        settings: The settings of the project.

    Returns:
        The file type, or None if the name is not that of a model file.
    """
    name = settings.file_names.parse(stem)
    return None if name is None else name.file_type


def is_model_file(stem: str, settings: Settings) -> bool:
    """Whether a name without `.py` is that of a model file, such as `modeling_llama`."""
    return of_file(stem, settings) is not None
