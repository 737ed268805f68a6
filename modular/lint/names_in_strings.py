"""A rule for strings in class attributes that name classes, attributes or modules."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import libcst as cst

from modular.lint.bases import find_ancestors, generated_class
from modular.lint.misspellings import find_meant_name
from modular.lint.rule import LintRule, Syntax
from modular.rules.classes.class_attributes import find_attributes
from modular.rules.classes.methods import find_methods
from modular.rules.files.drafts import DraftStatement
from modular.source.assignments import assigned_target, assigned_value, string_value
from modular.source.blocks import Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Place, Problem, did_you_mean
from modular.source.trees import node_text


_ATTRIBUTE_MAP = "attribute_map"
_SUB_CONFIGS = ("sub_configs", "sub_configs_defaults")
_BASE_MODEL_PREFIX = "base_model_prefix"
_PLAN_ENDINGS = ("_tp_plan", "_ep_plan")
_MODELING = "modeling"


class UnknownNameInString(LintRule):
    """A string names a class, attribute or module that does not exist.

    Some class attributes of models and configurations contain names as strings. Python
    does not check them, so a wrong name has no effect, or fails much later. These cases
    are reported:

    - `_no_split_modules` or a similar attribute names a class of the parent's model,
      such as `"LlamaDecoderLayer"`. modular renames only code that comes from the
      parent file, so this string does not change.
    - A value of `attribute_map`, or a key of `sub_configs`, is almost the name of a
      field.
    - `base_model_prefix` is not the attribute in which the models keep their base
      model. Then the models do not load checkpoints of the base model.
    - A tensor-parallel plan names a module that the generated models do not have, for
      example because you delete its assignment. Such a module is not split.

    Write the name that exists.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP, LlamaModel


    class OlmoMLP(LlamaMLP):
        pass


    class OlmoModel(LlamaModel):
        _no_split_modules = ["LlamaMLP"]
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:9:26: `_no_split_modules` of `OlmoModel` names `LlamaMLP`, which is called `OlmoMLP` in the generated file
    hint: write `OlmoMLP`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP, LlamaModel


    class OlmoMLP(LlamaMLP):
        pass


    class OlmoModel(LlamaModel):
        _no_split_modules = ["OlmoMLP"]
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..llama.configuration_llama import LlamaConfig
    from ..llama.modeling_llama import LlamaMLP


    class OlmoConfig(LlamaConfig):
        base_model_tp_plan = {"layers.*.up_proj": "colwise"}


    class OlmoMLP(LlamaMLP):
        def __init__(self, config):
            nn.Module.__init__(self)
            self.gate_up_proj = nn.Linear(config.hidden_size, 8)
            self.layers = nn.Identity()

        def forward(self, x):
            return self.layers(self.gate_up_proj(x))
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:8:27: `base_model_tp_plan` of `OlmoConfig` names `up_proj`, which no generated model has
    hint: remove the entry, or name a module of the generated models; did you mean `gate_up_proj`?
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.configuration_llama import LlamaConfig
    from ..llama.modeling_llama import LlamaMLP


    class OlmoConfig(LlamaConfig):
        base_model_tp_plan = {"up_proj": "colwise"}


    class OlmoMLP(LlamaMLP):
        pass
    ```

    Given `models/siglip/configuration_siglip.py`:

    ```python
    class SiglipConfig:
        model_type = "siglip"
        hidden_size: int = 64
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.configuration_siglip import SiglipConfig


    class OlmoConfig(SiglipConfig):
        attribute_map = {"d_model": "hiden_size"}
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:33: `attribute_map` of `OlmoConfig` names `hiden_size`, which is no attribute of it
    hint: write `hidden_size`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.configuration_siglip import SiglipConfig


    class OlmoConfig(SiglipConfig):
        attribute_map = {"d_model": "hidden_size"}
    ```
    """

    code = Problem.UNKNOWN_NAME_IN_STRING
    message = "`{attribute}` of `{class_name}` names `{name}`, {reason}"
    hint = "{advice}"

    def check(self) -> None:
        """Check the attributes of the classes of the modular file."""
        for name, definition in self.modular.definitions.classes.items():
            body = view_definition(definition.statement).body
            for attribute, statement in find_attributes(body.statements).items():
                self._check_attribute(name, attribute, statement)
            for attribute, statement in self._find_plans(name).items():
                self._check_plan(name, attribute, statement)

    def _find_plans(self, class_name: str) -> dict[str, Statement]:
        """Return the tensor-parallel plans that a class defines or inherits."""
        flat = self.layout.flattened.get(class_name)
        if flat is None:
            return {}
        plans = {}
        for attributes in (flat.inherited_attributes, flat.attributes):
            for name, statement in attributes.items():
                if name.endswith(_PLAN_ENDINGS):
                    plans[name] = statement
        return plans

    def _check_attribute(
        self, class_name: str, attribute: str, statement: Statement
    ) -> None:
        """Check the strings of one class attribute of the modular file."""
        self._check_old_names(class_name, attribute, statement)
        if attribute == _ATTRIBUTE_MAP or attribute in _SUB_CONFIGS:
            self._check_fields(class_name, attribute, statement)
        elif attribute == _BASE_MODEL_PREFIX:
            self._check_prefix(class_name, attribute, statement)

    def _check_old_names(
        self, class_name: str, attribute: str, statement: Statement
    ) -> None:
        """Report strings that name a class of a parent file, which is renamed."""
        texts = _quoted_texts(statement)
        if len(texts) == 1:
            return
        for file in self.layout.parents.values():
            if file.source.classes.isdisjoint(texts):
                continue
            for string in _find_strings(statement):
                new_name = file.renamer.word(string.value)
                is_renamed = string.value in file.source.classes
                if is_renamed and self._is_replaced(string.value, new_name):
                    self._report(
                        class_name,
                        attribute,
                        string,
                        reason=f"which is called `{new_name}` in the generated file",
                        advice=f"write `{new_name}`",
                        replacement=string.quoted(new_name),
                    )

    def _is_replaced(self, name: str, new_name: str) -> bool:
        """Whether the generated files define a class under its new name, and not the old one."""
        nodes = self.context.nodes
        if new_name not in nodes or name in nodes:
            return False
        return not any(
            name in head.code.words() for head in self.context.heads.values()
        )

    def _check_plan(
        self, class_name: str, attribute: str, statement: Statement
    ) -> None:
        """Report modules of a tensor-parallel plan that no generated model has."""
        if not self._model_words or not self._may_name_other_modules(statement):
            return
        for item in _find_items(statement):
            for name in item.key.value.split("."):
                if name.isidentifier() and name not in self._model_words:
                    advice = (
                        "remove the entry, or name a module of the generated models"
                    )
                    suggestion = did_you_mean(name, self._model_words)
                    if suggestion:
                        advice += f"; {suggestion}"
                    self._report(
                        class_name,
                        attribute,
                        item.key._replace(value=name),
                        reason="which no generated model has",
                        advice=advice,
                    )

    @cached_property
    def _model_words(self) -> set[str]:
        """The identifiers in the generated models; none if none is generated."""
        names: set[str] = set()
        draft = self.layout.drafts.get(_MODELING)
        if draft is not None:
            for node in draft.statements.values():
                names |= node.words
        return names

    def _may_name_other_modules(self, statement: Statement) -> bool:
        """Whether a key of a plan may name no module of the models, by its text alone."""
        for text in _quoted_texts(statement):
            for name in text.split("."):
                if name.isidentifier() and name not in self._model_words:
                    if "." in text:
                        return True
        return False

    def _check_fields(
        self, class_name: str, attribute: str, statement: Statement
    ) -> None:
        """Report names of fields that are almost those of others.

        A field that only Hub files set is in no class, so other names are accepted.
        """
        words = self.context.nodes[class_name].words
        unknown = set(_quoted_texts(statement)) - words
        if not any(find_meant_name(name, words) for name in unknown):
            return
        fields = self._find_fields(class_name)
        for item in _find_items(statement):
            string = item.value if attribute == _ATTRIBUTE_MAP else item.key
            if string is None or not fields.isdisjoint((item.key.value, string.value)):
                continue
            meant = find_meant_name(string.value, sorted(fields))
            if meant:
                self._report(
                    class_name,
                    attribute,
                    string,
                    reason="which is no attribute of it",
                    advice=f"write `{meant}`",
                    replacement=string.quoted(meant),
                )

    def _find_fields(self, class_name: str) -> set[str]:
        """Return the identifiers in a configuration and its bases, its fields among them."""
        fields = set(self.context.nodes[class_name].words)
        for ancestor in find_ancestors(self.context, class_name):
            if ancestor.view is not None:
                fields |= ancestor.view.statement.words
        return fields

    def _check_prefix(
        self, class_name: str, attribute: str, statement: Statement
    ) -> None:
        """Report a prefix that is not the attribute of the base model in any model."""
        if not self._model_words.isdisjoint(_quoted_texts(statement)):
            return
        keepers = set()
        for node in self._models(class_name):
            keepers |= self._find_base_model_attributes(node.name, class_name)
        # A model with several towers has no base model.
        if len(keepers) == 1:
            (keeper,) = keepers
            for string in _find_strings(statement):
                self._report(
                    class_name,
                    attribute,
                    string,
                    reason="but its models keep their base model under another name",
                    advice=f"write `{keeper}`",
                    replacement=string.quoted(keeper),
                )

    def _models(self, base: str) -> Iterator[DraftStatement]:
        """Yield the generated classes whose code names a base class, and that set no prefix of their own."""
        for node in self.context.nodes.values():
            if base in node.words and _BASE_MODEL_PREFIX not in node.words:
                yield node

    def _find_base_model_attributes(self, name: str, base: str) -> set[str]:
        """Return the attributes of a class that are set to another model with the same base class."""
        models = set()
        for node in self._models(base):
            if node.name != name and node.name.endswith("Model"):
                models.add(node.name)
        if models.isdisjoint(self.context.nodes[name].words):
            return set()
        view = generated_class(self.context, name)
        if view is None:
            return set()
        init = find_methods(view.body.statements).get("__init__")
        found = set()
        for statement in () if init is None else init.body.statements:
            target = assigned_target(statement)
            if target is None or not target.text.startswith("self."):
                continue
            match assigned_value(statement):
                case cst.Call(
                    func=cst.Name(value=called),
                    args=[cst.Arg(value=cst.Name(value="config")), *_],
                ):
                    if called in models:
                        found.add(target.text.removeprefix("self."))
        return found

    def _report(
        self,
        class_name: str,
        attribute: str,
        string: "_String",
        reason: str,
        advice: str,
        replacement: str | None = None,
    ) -> None:
        """Report a string; one that is inherited at the class that inherits it."""
        place, related = self.context.attribute_to_modular(class_name, string.place)
        self.report(
            place,
            replacement=replacement if related is None else None,
            related=related,
            attribute=attribute,
            class_name=class_name,
            name=string.value,
            reason=reason,
            advice=advice,
        )


class _String(NamedTuple):
    """A string literal, and the statement that it is in."""

    value: str
    node: cst.BaseExpression
    syntax: Syntax

    @property
    def place(self) -> Place:
        """The place of the string with its quotes."""
        return self.syntax.place(self.node)

    def quoted(self, value: str) -> str:
        """Return another value with the quotes of this string."""
        quote = node_text(self.node)[0]
        return f"{quote}{value}{quote}"


def _quoted_texts(statement: Statement) -> list[str]:
    """Return the texts between quotes, among them all string literals without escapes."""
    return statement.bare_code.text.replace("'", '"').split('"')


def _find_strings(statement: Statement) -> Iterator[_String]:
    """Yield the string literals of a statement."""
    syntax = Syntax.read(statement.bare_code)
    if syntax is None:
        return
    for node in syntax.walk():
        if isinstance(node, cst.SimpleString):
            value = string_value(node)
            if value is not None:
                yield _String(value, node, syntax)


class _Item(NamedTuple):
    """An item of a dictionary with strings as its key and, perhaps, its value."""

    key: _String
    value: _String | None


def _find_items(statement: Statement) -> Iterator[_Item]:
    """Yield the items of the dictionary that a statement assigns, if their keys are strings."""
    syntax = Syntax.read(statement.bare_code)
    if syntax is None:
        return
    dictionary = None
    for node in syntax.walk():
        if isinstance(node, cst.Assign | cst.AnnAssign):
            dictionary = node.value
    for element in dictionary.elements if isinstance(dictionary, cst.Dict) else ():
        if not isinstance(element, cst.DictElement):
            continue
        key = string_value(element.key)
        if key is not None:
            value = string_value(element.value)
            yield _Item(
                key=_String(key, element.key, syntax),
                value=None if value is None else _String(value, element.value, syntax),
            )
