"""A rule about new models that do not call `post_init`."""

from collections.abc import Iterator

from modular.lint.rule import LintRule, Precision
from modular.rules.classes import raising_override
from modular.rules.classes.methods import find_methods
from modular.source import fixes
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Fix, Problem
from modular.source.places import place_of_word


_INIT = "__init__"
_INIT_HEADER = f"def {_INIT}"
_POST_INIT = "post_init"
_PRETRAINED_MODEL = "PreTrainedModel"
"""The base class of models in transformers, whichever module it is imported from."""


class MissingPostInit(LintRule):
    """A new model does not call `self.post_init()`.

    Without a call to `self.post_init()`, the model keeps the random weights that torch
    gave it, and some of its settings are missing. `PreTrainedModel.post_init`
    initializes the weights and ties those that layers share. It also collects settings
    of the submodules, such as the modules that must not be split over several devices.

    Call `self.post_init()` in the last line of `__init__`.

    Given `models/siglip/modeling_siglip.py`:

    ```python
    from ...modeling_utils import PreTrainedModel


    class SiglipPreTrainedModel(PreTrainedModel):
        main_input_name = "pixel_values"
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipPreTrainedModel


    class OlmoPreTrainedModel(SiglipPreTrainedModel):
        pass


    class OlmoModel(OlmoPreTrainedModel):
        def __init__(self, config):
            super().__init__(config)
            self.size = config.hidden_size
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:9:9: the `__init__` of `OlmoModel` never calls `self.post_init()`
    hint: end it with `self.post_init()`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipPreTrainedModel


    class OlmoPreTrainedModel(SiglipPreTrainedModel):
        pass


    class OlmoModel(OlmoPreTrainedModel):
        def __init__(self, config):
            super().__init__(config)
            self.size = config.hidden_size
            self.post_init()
    ```
    """

    code = Problem.MISSING_POST_INIT
    precision = Precision(findings=1, real=1)
    message = "the `__init__` of `{name}` never calls `self.post_init()`"
    hint = "end it with `self.post_init()`"

    def check(self) -> None:
        """Report the `__init__` of a model class if nothing calls `post_init`.

        A model class inherits from `PreTrainedModel`, which needs this call to
        initialize the weights. The class can call it, or a class that it inherits from.
        """
        for name, init in _find_inits(self):
            generated = self.context.generated.get(name)
            if generated is None or _POST_INIT in generated.words:
                continue
            # Most classes are not models, and finding their ancestors is slow. The class
            # of a model contains a name such as `OlmoPreTrainedModel`.
            if not any(word.endswith(_PRETRAINED_MODEL) for word in generated.words):
                continue
            if self._inherits_no_post_init_call(name):
                last_statement = init.body.statements[-1]
                line = f"{last_statement.indent}self.post_init()\n"
                last_code = last_statement.code
                insertion = fixes.make_insertion(last_code, len(last_code.text), line)
                fix = Fix("Write `self.post_init()`", (insertion,))
                self.report(place_of_word(init.header, _INIT), fix, name=name)

    def _inherits_no_post_init_call(self, class_name: str) -> bool:
        """Whether no class between a model class and `PreTrainedModel` calls `post_init`.

        It is False for a class that does not inherit from `PreTrainedModel`.
        """
        # Each class comes before its bases.
        for ancestor in self.context.ancestors_of(class_name):
            if ancestor.has_name(_PRETRAINED_MODEL):
                return True
            # A class that cannot be read may call it.
            if ancestor.view is None or _POST_INIT in ancestor.view.code.masked_text:
                return False
        return False


def _find_inits(rule: LintRule) -> Iterator[tuple[str, DefinitionView]]:
    """Yield each class name of the modular file with the `__init__` of the class.

    An `__init__` that only raises an error is left out, because authors write it to
    remove the parent's `__init__`.
    """
    for name, definition in rule.modular.definitions.classes.items():
        # A search in the text is faster than viewing the class.
        if _INIT_HEADER not in definition.statement.code.masked_text:
            continue
        body = view_definition(definition.statement).body
        init = find_methods(body.statements).get(_INIT)
        if init is not None and not raising_override.only_raises(init):
            yield name, init
