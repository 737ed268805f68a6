"""modular writes imports from the model's own files as relative imports.

A modular file can import from another file of the same model, even if that file is
written by hand. You can write the import in any form:
`from transformers.models.my_model.configuration_my_model import MyModelConfig` becomes
`from .configuration_my_model import MyModelConfig`. With the setting
`absolute-imports`, modular writes an absolute import instead.

modular does not copy the definitions of the imported names, because a file of the same
model is not a parent file.

Parent `models/llama/modeling_llama.py`:

```python
class LlamaMLP:
    pass
```

Modular `models/my_model/modular_my_model.py`:

```python
from transformers.models.my_model.configuration_my_model import MyModelConfig

from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    config: MyModelConfig
```

Output `models/my_model/modeling_my_model.py`:

```python
from .configuration_my_model import MyModelConfig


class MyModelMLP:
    config: MyModelConfig
```
"""

from dataclasses import replace

from modular.source.blocks import Statement
from modular.source.import_statements import Import


def import_from_sibling(import_: Import, module: str, package: str = "") -> Statement:
    """Rewrite an import so that it imports from a module in the same folder.

    `from transformers.models.llama.configuration_llama import LlamaConfig` becomes
    `from .configuration_llama import LlamaConfig`.

    Args:
        import_: The import in any form.
        module: The name of the module, such as `configuration_llama`.
        package: The package of the module, or empty for a relative import.
    """
    if package:
        new_import = import_._replace(level=0, module=f"{package}.{module}")
    else:
        new_import = import_._replace(level=1, module=module)
    return replace(import_.statement, code=new_import.render())
