"""Own files: imports from the model's own files are relative, however the modular file writes them.

So are those of a model's generated files. What such an import brings is not inlined: the file is not a parent's.

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


def relative(statement: Import, module: str) -> Statement:
    """Return an import from a file of the model as one from the module beside it, `configuration_my_model`."""
    code = statement._replace(level=1, module=module).render()
    return replace(statement.statement, code=code)
