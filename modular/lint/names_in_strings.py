"""A rule for strings in class attributes that name classes or attributes."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import libcst as cst

from modular.lint.auto_map import find_wrong_entries
from modular.lint.bases import never_sets
from modular.lint.misspellings import find_meant_names
from modular.lint.rule import LintRule, Precision, Syntax
from modular.rules.classes.class_attributes import find_attributes
from modular.settings.settings import HUB_CONFIG
from modular.source.assignments import string_value
from modular.source.blocks import Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Place, Problem, Severity
from modular.source.source_slice import count_words
from modular.source.trees import node_text


ATTRIBUTE_MAP = "attribute_map"
_SUB_CONFIGS = ("sub_configs", "sub_configs_defaults")
_TIED_WEIGHTS = "_tied_weights_keys"

_MAX_WORDS = 4_000
"""Names, numbers and strings in an attribute that is checked. Larger ones are data, and
LibCST takes seconds to parse them."""


class UnknownNameInString(LintRule):
    """A string names a class or attribute that does not exist.

    Python does not check names in strings. So a string with a wrong name has no effect,
    or causes an error much later. modular checks the names in the following class
    attributes of models and configurations, and in `auto_map`:

    - **`_no_split_modules`** and similar attributes contain names of classes. modular
      renames strings in the parent's code, but not in yours. If you write `"LlamaMLP"`,
      as in the example, the generated file contains this name, although its class is
      called `OlmoMLP`.
    - **`attribute_map` and `sub_configs`** contain names of fields of a configuration.
      modular reports a name that differs slightly from that of an existing field. In
      `attribute_map`, it also reports a field that your class removes, or that nothing
      can set.
    - **`_tied_weights_keys`** contains names of layers. If you remove a layer with
      `del self.x`, `_tied_weights_keys` still contains the name of the layer. Python
      then cannot create the model if its configuration has `tie_word_embeddings`.
    - **`auto_map`** in the `config.json` of a repository on the Hub contains names of
      classes and files. If one of these classes or files does not exist, users cannot
      load the model, so the finding is an error.

    Write the name that the class or attribute has in the generated file.

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
    models/olmo/modular_olmo.py:5:33: `attribute_map` of `OlmoConfig` names `hiden_size`, which is not an attribute of it
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
    levels = (Severity.WARNING, Severity.ERROR)
    precision = Precision(findings=1, real=1)
    message = "`{attribute}` of `{class_name}` names `{name}`, {reason}"
    hint = "{advice}"

    def check(self) -> None:
        """Check the strings in class attributes that name classes or fields.

        An attribute such as `_no_split_modules = ["LlamaMLP"]` is checked if it is in
        the modular file. `attribute_map` and `_tied_weights_keys` are also checked if a
        class inherits them from its parent class.
        """
        self._check_auto_map()
        for name, definition in self.modular.definitions.classes.items():
            body = view_definition(definition.statement).body
            for attribute, statement in _skip_large(find_attributes(body.statements)):
                self._check_old_names(name, attribute, statement)
                if attribute == ATTRIBUTE_MAP or attribute in _SUB_CONFIGS:
                    self._check_fields(name, attribute, statement)
            merged_attributes = self._find_merged_attributes(name)
            for attribute, statement in _skip_large(merged_attributes):
                if attribute == ATTRIBUTE_MAP:
                    self._check_mapped_fields(name, statement)
                elif attribute == _TIED_WEIGHTS:
                    self._check_tied_weights(name, statement)

    def _check_auto_map(self) -> None:
        """Report classes in the `auto_map` of `config.json` that are not generated."""
        for entry in find_wrong_entries(self.context):
            self.report(
                entry.place,
                is_error=True,
                attribute="auto_map",
                class_name=HUB_CONFIG,
                name=entry.value,
                reason=entry.reason,
                advice="remove the entry, or write a class that the modular file generates",
            )

    def _find_merged_attributes(self, class_name: str) -> dict[str, Statement]:
        """Return the attributes that a generated class has, own and inherited ones.

        Args:
            class_name: The class of the modular file. If it is not generated, the
                result is empty.
        """
        merged_class = self.layout.flattened.get(class_name)
        if merged_class is not None:
            return {**merged_class.inherited_attributes, **merged_class.attributes}
        if class_name not in self.context.generated:
            return {}
        class_ = self.modular.definitions.classes[class_name].statement
        return find_attributes(view_definition(class_).body.statements)

    def _check_tied_weights(self, class_name: str, statement: Statement) -> None:
        """Report layers in `_tied_weights_keys` that the generated class does not have.

        In `{"lm_head.weight": "model.embed_tokens.weight"}`, the layers `lm_head` and
        `model` are attributes of the class. The attributes of layers are not checked,
        because they can be in any file.
        """
        # Most statements name only layers that the class sets itself. They are not parsed.
        own_words = self.context.generated[class_name].words
        layers = {text.partition(".")[0] for text in _quoted_texts(statement)}
        if not any(layer.isidentifier() for layer in layers - own_words):
            return
        if self._may_have_any_layer(class_name):
            return
        known_words = self._words_of_class_and_bases(class_name)
        for entry in _find_entries(statement):
            for string in (entry.key, entry.value):
                if string is None:
                    continue
                layer = string.value.partition(".")[0]
                # A regular expression is not a name.
                if not layer.isidentifier() or layer in known_words:
                    continue
                # `self.add_module("lm_head", layer)` sets `lm_head`, too.
                if self._is_quoted_in_class_or_bases(class_name, layer):
                    continue
                self._report(
                    class_name,
                    _TIED_WEIGHTS,
                    string._replace(value=layer),
                    reason="which is not an attribute of it",
                    advice="remove the entry, or name a layer that the model has",
                )

    def _may_have_any_layer(self, class_name: str) -> bool:
        """Whether all layers of a class may be those of a base that is not known.

        That is likely only for a class without a parent class.
        """
        if class_name in self.layout.flattened:
            return False
        for ancestor in self.context.ancestors_of(class_name):
            if ancestor.view is None:
                if self.context.resolver.members(ancestor.meaning) is None:
                    return True
        return False

    def _words_of_class_and_bases(self, class_name: str) -> set[str]:
        """Return the words of a generated class and its known bases.

        They include all attributes that the classes set.
        """
        words = set(self.context.generated[class_name].words)
        for ancestor in self.context.ancestors_of(class_name):
            if ancestor.view is not None:
                words |= ancestor.view.statement.words
        return words

    def _is_quoted_in_class_or_bases(self, class_name: str, text: str) -> bool:
        """Whether a generated class or a known base contains a text in quotes."""
        codes = [self.context.generated[class_name].code]
        for ancestor in self.context.ancestors_of(class_name):
            if ancestor.view is not None:
                codes.append(ancestor.view.code)
        return any(f'"{text}"' in code.text for code in codes)

    def _check_old_names(
        self, class_name: str, attribute: str, statement: Statement
    ) -> None:
        """Report strings with the old name of a parent's class, such as `"LlamaMLP"`."""
        texts = _quoted_texts(statement)
        for file in self.layout.parents.values():
            old_names = file.source.classes
            # Most statements name no class of the file, and are not parsed.
            if old_names.isdisjoint(texts):
                continue
            for string in _find_strings(statement):
                if string.value not in old_names:
                    continue
                new_name = file.renamer.word(string.value)
                if self._is_replaced(string.value, new_name):
                    self._report(
                        class_name,
                        attribute,
                        string,
                        reason=f"which is called `{new_name}` in the generated file",
                        advice=f"write `{new_name}`",
                        replacement=string.quoted(new_name),
                    )

    def _is_replaced(self, name: str, new_name: str) -> bool:
        """Whether the generated files have a class under its new name only.

        They define `OlmoMLP`, for example, and neither define nor import `LlamaMLP`.

        Args:
            name: The name in the parent file, `LlamaMLP`.
            new_name: The name after renaming, `OlmoMLP`.
        """
        generated = self.context.generated
        if new_name not in generated or name in generated:
            return False
        return name not in self.context.words_in_output_imports

    def _check_fields(
        self, class_name: str, attribute: str, statement: Statement
    ) -> None:
        """Report misspelt names of fields in `attribute_map` and `sub_configs`.

        `{"d_model": "hiden_size"}` is reported if the class has a field `hidden_size`.
        A name that is like no field is not: files on the Hub may set such a field.
        """
        # The words of the class include its fields.
        own_words = sorted(self.context.generated[class_name].words)
        # For each misspelt text, the word that is probably meant.
        unknown_texts = set(_quoted_texts(statement)).difference(own_words)
        meant_names = find_meant_names(unknown_texts, own_words)
        # Most statements have no misspelt name. They are not parsed.
        if not meant_names:
            return

        known_words = self._words_of_class_and_bases(class_name)
        for entry in _find_entries(statement):
            # `attribute_map` has fields as values, `sub_configs` as keys.
            string = entry.value if attribute == ATTRIBUTE_MAP else entry.key
            if string is None or string.value not in meant_names:
                continue
            # A base may have the field.
            if string.value in known_words:
                continue
            # The author of `{"hidden_size": "hiden_size"}` knows the field `hidden_size`,
            # so `hiden_size` is no slip.
            if entry.key.value in known_words:
                continue
            meant_field = meant_names[string.value]
            self._report(
                class_name,
                attribute,
                string,
                reason="which is not an attribute of it",
                advice=f"write `{meant_field}`",
                replacement=string.quoted(meant_field),
            )

    def _check_mapped_fields(self, class_name: str, statement: Statement) -> None:
        """Report fields in `attribute_map` that the configuration lacks."""
        reasons = self._find_missing_fields(class_name, statement)
        # Most statements name only fields that exist. They are not parsed.
        if not reasons:
            return
        for entry in _find_entries(statement):
            string = entry.value
            if string is not None and string.value in reasons:
                self._report(
                    class_name,
                    ATTRIBUTE_MAP,
                    string,
                    reason=reasons[string.value],
                    advice="remove the entry, or name a field of the configuration",
                )

    def _find_missing_fields(
        self, class_name: str, statement: Statement
    ) -> dict[str, str]:
        """Return the names in an `attribute_map` that are certainly no fields of its class.

        Either the class removes such a field, or nothing can set it.

        Args:
            class_name: The configuration class.
            statement: The assignment to `attribute_map`.

        Returns:
            The end of the message for each name.
        """
        known_words = self._words_of_class_and_bases(class_name)
        unknown_texts = set(_quoted_texts(statement)) - known_words
        merged_class = self.layout.flattened.get(class_name)
        is_inherited = (
            merged_class is not None and ATTRIBUTE_MAP not in merged_class.attributes
        )
        # `_check_fields` reports misspelt fields of the modular file.
        if not is_inherited:
            unknown_texts -= find_meant_names(unknown_texts, sorted(known_words)).keys()
        reasons = {}
        for name in filter(str.isidentifier, unknown_texts):
            if merged_class is not None and name in merged_class.removed:
                reasons[name] = "which the class removes"
            elif never_sets(self.context, class_name, name):
                reasons[name] = "which is not an attribute of it"
        return reasons

    def _report(
        self,
        class_name: str,
        attribute: str,
        string: "_String",
        reason: str,
        advice: str,
        replacement: str | None = None,
    ) -> None:
        """Report a string of a class attribute.

        A string of a parent file is reported at the class that inherits it, without a
        fix.

        Args:
            class_name: The class of the modular file.
            attribute: The class attribute.
            string: The string.
            reason: The end of the message.
            advice: The hint.
            replacement: The text that replaces the string in the fix.
        """
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


def _skip_large(attributes: Mapping[str, Statement]) -> Iterator[tuple[str, Statement]]:
    """Yield the attributes whose statements are small enough to be checked."""
    for attribute, statement in attributes.items():
        if count_words(statement.bare_code.masked_text) <= _MAX_WORDS:
            yield attribute, statement


class _String(NamedTuple):
    """A string literal, or a keyword of `dict(a=b)`.

    Attributes:
        value: The text between its quotes, or the keyword.
        node: Its node.
        syntax: The tree of the statement that contains it.
    """

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
    """Return the texts between the quotes of a statement, strings and code alike."""
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


class _Entry(NamedTuple):
    """An entry of a dictionary whose key is a string.

    Attributes:
        key: The key.
        value: The value; None if it is not a string.
    """

    key: _String
    value: _String | None


def find_mapped_names(attribute_map: Statement) -> set[str]:
    """Return the keys of an `attribute_map`: other names of fields.

    The set is empty if the statement is too large to be checked.

    Args:
        attribute_map: The assignment to `attribute_map`.
    """
    names: set[str] = set()
    for _, statement in _skip_large({ATTRIBUTE_MAP: attribute_map}):
        names.update(entry.key.value for entry in _find_entries(statement))
    return names


def _find_entries(statement: Statement) -> Iterator[_Entry]:
    """Yield the entries with string keys of the dictionary that a statement assigns."""
    syntax = Syntax.read(statement.bare_code)
    if syntax is None:
        return
    dictionary = None
    for node in syntax.walk():
        if isinstance(node, cst.Assign | cst.AnnAssign):
            dictionary = node.value
    for key, value in _pairs_of(dictionary):
        # In `dict(a=b)`, the key is a name.
        key_text = key.value if isinstance(key, cst.Name) else string_value(key)
        if key_text is None:
            continue
        value_text = string_value(value)
        value_string = None
        if value_text is not None:
            value_string = _String(value_text, value, syntax)
        yield _Entry(_String(key_text, key, syntax), value_string)


def _pairs_of(
    dictionary: cst.BaseExpression | None,
) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """Yield the keys of a dictionary with their values, as far as the code lists them.

    These are the entries of `{"a": b}`, of `{**{"a": b}}`, of both sides of `|`, and of
    calls such as `dict(a=b)`, whose keys are names, and `dict([("a", b)])`.
    """
    dictionaries = [dictionary]
    while dictionaries:
        match dictionaries.pop(0):
            case cst.Dict(elements=elements):
                for element in elements:
                    if isinstance(element, cst.DictElement):
                        yield element.key, element.value
                    else:
                        dictionaries.append(element.value)
            case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=right):
                dictionaries += [left, right]
            case cst.Call(func=cst.Name(value="dict"), args=arguments):
                for argument in arguments:
                    if argument.keyword is not None:
                        yield argument.keyword, argument.value
                    else:
                        yield from _pairs_in_list(argument.value)
                        dictionaries.append(argument.value)


def _pairs_in_list(
    node: cst.BaseExpression,
) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """Yield the two items of each pair in a list or tuple, as in `[("a", b)]`."""
    if not isinstance(node, cst.List | cst.Tuple):
        return
    for element in node.elements:
        pair = element.value
        if isinstance(pair, cst.List | cst.Tuple) and len(pair.elements) == 2:
            yield pair.elements[0].value, pair.elements[1].value
