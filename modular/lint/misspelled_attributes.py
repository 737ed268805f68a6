"""A rule for attributes that are misspelt by one letter."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import NamedTuple

from modular.lint.misspellings import find_meant_names
from modular.lint.rule import LintRule
from modular.rules.files.drafts import DraftStatement
from modular.semantics.classes import mentions_in_class, model_class
from modular.semantics.facts import Mention
from modular.source.blocks import Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Problem
from modular.source.places import place_of_word_on_line
from modular.source.source_slice import SourceSlice


_CONFIG = "Config"

_HINT_IN_ITSELF = "`{meant}` cannot read itself: define `{name}`"

# Only classes with attributes that seem to be misspelt are parsed.
_ATTRIBUTE_OF_SELF = re.compile(r"self\.(\w+)")
_READ_OF_CONFIG = re.compile(r"config\.(\w+)")
_SET_ATTRIBUTE = re.compile(r"self\.(\w+)[ \t]*=(?!=)")
_METHOD = re.compile(r"def (\w+)\(")
_MEMBER = re.compile(r"(?:self\.|def )(\w+)")
_WORD = re.compile(r"\w+")


class MisspelledAttribute(LintRule):
    """An attribute does not exist, but one with almost the same name does.

    Your code fails when it runs: it reads an attribute of `self`, or of the
    configuration of the model, that nothing sets. The name differs by one letter from
    the name of an existing attribute, so it is probably misspelt. In the example,
    `up_porj` should be `up_proj`.

    Write the name of the existing attribute.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * self.up_porj(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:25: `OlmoMLP` has no attribute `up_porj`
    hint: did you mean `up_proj`?
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * self.up_proj(x)
    ```

    Given `models/siglip/configuration_siglip.py`:

    ```python
    class SiglipConfig:
        model_type = "siglip"
        hidden_size: int = 64
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..siglip.configuration_siglip import SiglipConfig


    class OlmoConfig(SiglipConfig):
        pass


    class OlmoHead(nn.Module):
        def __init__(self, config: OlmoConfig):
            super().__init__()
            self.size = config.hiden_size
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:13:28: `OlmoConfig` has no attribute `hiden_size`
    hint: did you mean `hidden_size`?
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..siglip.configuration_siglip import SiglipConfig


    class OlmoConfig(SiglipConfig):
        pass


    class OlmoHead(nn.Module):
        def __init__(self, config: OlmoConfig):
            super().__init__()
            self.size = config.hidden_size
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            return 2 * self.up_proj(x)
    ```
    """

    code = Problem.MISSPELLED_ATTRIBUTE
    message = "`{owner}` has no attribute `{name}`"
    hint = "did you mean `{meant}`?"

    def check(self) -> None:
        """Report misspelt attributes of `self` and `config` that classes read.

        A name that appears in two definitions counts as correct, because an author hardly
        makes the same mistake twice. So only names in one definition are checked.
        """
        reads_by_class = {}
        for name, definition in self.modular.definitions.classes.items():
            if name in self.context.generated:
                # The masked text is the class without its strings and comments.
                masked_text = definition.statement.code.masked_text
                reads_by_class[name] = _find_reads(name, masked_text)

        all_names: set[str] = set()
        all_settings: set[str] = set()
        for reads in reads_by_class.values():
            all_names |= reads.of_self | reads.of_config
            all_settings |= reads.of_config
        names_to_check = self._find_names_in_one_definition(all_names)

        # In any class, `config` may be an object of any configuration.
        misspelt_settings = self._find_misspelt_settings(all_settings & names_to_check)
        for class_name, reads in reads_by_class.items():
            generated_class = self.context.generated[class_name]
            attributes_to_check = reads.of_self & names_to_check
            misspellings = list(
                self._find_misspelt_members(generated_class, attributes_to_check)
            )
            for name in sorted(reads.of_config & misspelt_settings.keys()):
                misspellings.append(misspelt_settings[name])
            if misspellings:
                self._report_first_reads(class_name, misspellings)

    def _find_names_in_one_definition(self, names: AbstractSet[str]) -> set[str]:
        """Return the names that only one generated class, function or assignment contains.

        A name in several definitions is hardly misspelt.
        """
        contained: set[str] = set()
        repeated: set[str] = set()
        for definition in self.context.generated.values():
            names_in_definition = definition.words & names
            repeated |= names_in_definition & contained
            contained |= names_in_definition
        return contained - repeated

    def _find_misspelt_members(
        self, class_: DraftStatement, names: AbstractSet[str]
    ) -> Iterator["_Misspelling"]:
        """Yield attributes of `self` that a class lacks if it has similar ones.

        A class that reads `self.up_porj` is reported if it has an attribute `up_proj`,
        and does not seem to get `up_porj` from a method, inherited code, a string or a
        base.

        Args:
            class_: The generated class.
            names: The attributes of `self` that the modular class mentions.
        """
        # Quick tests come first. The words of a class are its attributes, but also its
        # variables and so on.
        meant_names = find_meant_names(names, sorted(class_.words))
        if not meant_names:
            return
        code = class_.code
        # Methods, and strings as in `setattr(self, "up_porj", 8)`, may define an attribute.
        known_names = _words_in_strings(code) | set(_METHOD.findall(code.masked_text))
        # So may all inherited code.
        for run in class_.parts:
            if not self.context.is_from_modular(run.code):
                known_names |= run.code.words()
        members = set(_MEMBER.findall(code.masked_text))
        for name in sorted(meant_names.keys() - known_names):
            meant = meant_names[name]
            # The bases come last, because their files must be read.
            if meant in members and self.context.bases_lack(class_.name, name):
                yield _Misspelling("self", class_.name, name, meant)

    def _find_misspelt_settings(
        self, names: AbstractSet[str]
    ) -> dict[str, "_Misspelling"]:
        """Return the attributes of `config` that seem to be misspelt.

        `config.hiden_size` is reported if no configuration has a field `hiden_size`, but
        `OlmoConfig` has a field `hidden_size`. The finding names the first configuration
        with a similar field.

        Args:
            names: The attributes, such as `hiden_size`.

        Returns:
            The misspellings by attribute.
        """
        generated = self.context.generated
        configs = [name for name in generated if name.endswith(_CONFIG)]
        misspellings: dict[str, _Misspelling] = {}
        for config in configs:
            # The words of the class include its fields.
            possible_fields = sorted(generated[config].words)
            remaining_names = names - misspellings.keys()
            meant_names = find_meant_names(remaining_names, possible_fields)
            for name, meant in meant_names.items():
                misspellings[name] = _Misspelling("config", config, name, meant)
        # `config` may be an object of any of the classes. Their bases are read only for
        # the few names that seem to be misspelt, because reading is slow.
        for config in configs:
            for name in self._find_possible_fields(config, set(misspellings)):
                del misspellings[name]
        return misspellings

    def _find_possible_fields(self, config: str, names: set[str]) -> set[str]:
        """Return the names that a configuration class or one of its bases may define.

        These are all names if a base cannot be read.

        Args:
            config: The generated class.
            names: The names to look for.
        """
        if not names:
            return names
        # Words in strings count, too: `setattr(self, "size", 8)` defines `size`.
        words = set(_WORD.findall(self.context.generated[config].code.text))
        fields = names & words
        for base in self.context.ancestors_of(config):
            # `object` has no fields.
            if base.name == "object":
                continue
            if base.view is None:
                return names
            fields |= names & base.view.statement.words
        return fields

    def _report_first_reads(
        self, class_name: str, misspellings: Sequence["_Misspelling"]
    ) -> None:
        """Report the first read of each misspelt attribute in a class of the modular file.

        An attribute is not reported if the class seems to set or delete it.

        Args:
            class_name: The class that reads the attributes.
            misspellings: The attributes.
        """
        definition = self.modular.definitions.classes[class_name]
        names = {misspelling.name for misspelling in misspellings}
        first_reads: dict[str, tuple[Statement, Mention]] = {}
        changed: dict[str, list[str]] = defaultdict(list)
        for inner, mention in mentions_in_class(model_class(definition.statement)):
            path = (mention.name, *mention.attributes)
            if mention.changes and path[-1] in names:
                changed[path[-1]].append(mention.dotted_name)
            # Reading `self.config.hiden_size` counts. Reading `my_config.hiden_size`
            # does not, because `my_config` may be another object.
            for owner, name in pairwise(path):
                if name in names:
                    first_reads.setdefault(f"{owner}.{name}", (inner, mention))

        body = view_definition(definition.statement).body
        members = {member.name: member.code for member in body.statements}
        for misspelling in misspellings:
            expression = misspelling.expression
            # Setting `my_config.hiden_size` counts, because `my_config` may be the same
            # object as `config`.
            is_changed = _has_ending(changed[misspelling.name], expression)
            if expression in first_reads and not is_changed:
                inner, mention = first_reads[expression]
                code = inner.bare_code
                # A property that reads itself, or a method that calls itself, never ends.
                meant = members.get(misspelling.meant)
                is_itself = (
                    meant is not None
                    and meant.line <= inner.code.line <= meant.origin.last_line
                )
                self.report(
                    place_of_word_on_line(code, misspelling.name, mention.line),
                    replacement=None if is_itself else misspelling.meant,
                    hint=_HINT_IN_ITSELF if is_itself else self.hint,
                    owner=misspelling.owner,
                    name=misspelling.name,
                    meant=misspelling.meant,
                )


class _Reads(NamedTuple):
    """The attributes that a class of the modular file reads.

    Attributes:
        of_self: Attributes of `self` that are not methods of the class, and that no
            assignment such as `self.size = 1` sets.
        of_config: Attributes of `config`.
    """

    of_self: AbstractSet[str]
    of_config: AbstractSet[str]


class _Misspelling(NamedTuple):
    """An attribute that does not exist, and the one that is probably meant.

    Attributes:
        object: The variable whose attribute it is: `self` or `config`.
        owner: The class that should have the attribute.
        name: The attribute, `hiden_size`.
        meant: The attribute that exists, `hidden_size`.
    """

    object: str
    owner: str
    name: str
    meant: str

    @property
    def expression(self) -> str:
        """The attribute with its object, such as `config.hiden_size`."""
        return f"{self.object}.{self.name}"


def _find_reads(class_name: str, masked_text: str) -> _Reads:
    """Return the attributes of `self` and `config` that a class reads.

    For `self.up_porj(config.hiden_size)`, these are `up_porj` of `self`, and
    `hiden_size` of `config`.

    Args:
        class_name: The class of the modular file.
        masked_text: The class without strings and comments.
    """
    mentioned = set(_ATTRIBUTE_OF_SELF.findall(masked_text))
    methods = set(_METHOD.findall(masked_text))
    assigned = set(_SET_ATTRIBUTE.findall(masked_text))
    settings: set[str] = set()
    # In a configuration class, `config` may be anything, such as a dictionary.
    if not class_name.endswith(_CONFIG):
        settings.update(_READ_OF_CONFIG.findall(masked_text))
    return _Reads(of_self=mentioned - methods - assigned, of_config=settings)


def _words_in_strings(code: SourceSlice) -> set[str]:
    """Return the words in strings and comments."""
    words = set()
    for match in _WORD.finditer(code.text):
        # The masked text has other characters there.
        if code.masked_text[match.start()] != code.text[match.start()]:
            words.add(match[0])
    return words


def _has_ending(texts: Iterable[str], ending: str) -> bool:
    """Whether one of some texts has an ending."""
    return any(text.endswith(ending) for text in texts)
