"""Rules about members that a class removes, while generated code still reads them."""

import re
from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple

from modular.flatten.merged_class import MergedClass
from modular.lint.configurations import annotation_of
from modular.lint.inherited_calls import Reading, find_reading
from modular.lint.names_in_strings import ATTRIBUTE_MAP, find_mapped_names
from modular.lint.removals import ATTRIBUTE_SETTERS
from modular.lint.rule import LintRule, Precision
from modular.rules.classes import class_attributes
from modular.rules.files.drafts import DraftStatement
from modular.semantics.classes import (
    FIELDS,
    ClassModel,
    facts_in_class,
    mentions_in_class,
    model_class,
)
from modular.semantics.instances import (
    find_first_uses,
    find_required_reads,
    uses_of_instance,
)
from modular.source import fixes
from modular.source.assignments import deleted_targets
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_at, place_of_word
from modular.source.source_slice import has_word


_SELF = "self."
_MEMBER_REMOVED = "`{name}` still uses `{target}` in {members}, but it is removed here"
_TESTING_FUNCTIONS = frozenset({"hasattr"})
"""Functions that check whether an object has an attribute named by a string."""

_CONFIG = "Config"
_CONFIG_NAMES = ("config", "self.config")


class RemovedMemberUsed(LintRule):
    """A class still uses an attribute or method that you removed from it.

    The generated class fails when it uses the removed attribute or method. If you write
    `del self.x`, modular removes only the assignment to `self.x` from the generated
    class, and not the code that reads `self.x`. In the example, the generated
    `__init__` no longer sets `self.up_proj`, but the inherited `forward` still reads
    it. modular also reports code that uses a method or class attribute that you
    removed, even if the same method sets the attribute afterwards.

    Override each method that uses the removed attribute or method, or do not remove it.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def __init__(self, config):
            super().__init__(config)
            del self.up_proj
            self.gate_up_proj = nn.Linear(4, 8)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:9:9: `del self.up_proj` removes only the assignment: `OlmoMLP` still reads `self.up_proj`, in `forward`
    hint: override `forward` as well, or keep `self.up_proj`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def __init__(self, config):
            super().__init__(config)
            self.gate_up_proj = nn.Linear(4, 8)
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from torch import nn

    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def __init__(self, config):
            super().__init__(config)
            del self.up_proj
            self.gate_up_proj = nn.Linear(4, 8)

        def forward(self, x):
            return self.gate_up_proj(x)
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):

        def get_input_embeddings(self):
            raise AttributeError("Olmo has no embeddings")

        def embed(self, x):
            return self.get_input_embeddings()(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:5: `OlmoModel` still uses `self.get_input_embeddings` in `embed`, but it is removed here
    hint: override `embed` as well, or keep `self.get_input_embeddings`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel


    class OlmoModel(LlamaModel):

        def embed(self, x):
            return self.get_input_embeddings()(x)
    ```

    Given `models/clip/modeling_clip.py`:

    ```python
    class CLIPAttention:
        def __init__(self):
            self.layer_idx = 0

        def forward(self, x, cache=None):
            if cache is not None:
                x = cache.update(x, self.layer_idx)
            return x
    ```

    modular does not report the following `del`. `forward` reads `self.layer_idx` only
    if its caller passes `cache`, which may never happen.

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..clip.modeling_clip import CLIPAttention


    class OlmoAttention(CLIPAttention):
        def __init__(self):
            super().__init__()
            del self.layer_idx
    ```
    """

    code = Problem.REMOVED_MEMBER_STILL_USED
    precision = Precision(findings=4, real=3)
    message = "`del {target}` removes only the assignment: `{name}` still reads `{target}`, in {members}"
    hint = "override {members} as well, or keep `{target}`"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report removed members that the generated class still reads.

        The member `x` is removed by `del self.x`, `x = AttributeError()` or a method that
        only raises.
        """
        for target, statement in merged_class.deleted.items():
            if target.startswith(_SELF):
                self._check_member(
                    merged_class, target.removeprefix(_SELF), statement, ""
                )
        for attribute, statement in _find_removed_members(merged_class).items():
            self._check_member(merged_class, attribute, statement, _MEMBER_REMOVED)
        for attribute, statement in _find_kept_deletions(merged_class):
            reading = self._find_reading(merged_class.child.name, attribute)
            if reading is not None:
                self._report_reading(
                    reading, merged_class.child.name, attribute, statement
                )

    def _check_member(
        self,
        merged_class: MergedClass,
        attribute: str,
        statement: Statement,
        message: str,
    ) -> None:
        """Report a removed member that the generated class reads.

        Nothing is reported if the class or one of its bases may still provide the
        member.

        Args:
            merged_class: The child class, merged with its parent class.
            attribute: The name of the member.
            statement: The statement that removes it.
            message: A message instead of the rule's; empty for a deleted assignment.
        """
        target = f"{_SELF}{attribute}"
        class_name = merged_class.child.name
        file = self.context.file_of(class_name)
        class_ = self.context.class_named(class_name)
        is_class_member = bool(message)
        readings: Mapping[str, list[_Reading]] = {}
        # Without the word, the class is not parsed, which is slow.
        if class_ is not None and attribute in merged_class.words:
            readings = class_.statement.memoized(_find_readings)
        if attribute not in readings:
            reading = self._find_reading(class_name, attribute)
            if reading is not None and not self._is_provided(
                attribute, class_name, is_class_member
            ):
                self._report_reading(reading, class_name, attribute, statement)
            return
        if self._is_provided(attribute, class_name, is_class_member):
            return
        # A base may also have a removed method or class attribute itself.
        if is_class_member and not self.context.bases_lack(class_name, attribute):
            return

        first_line = file.at_line(readings[attribute][0].line)
        assert first_line is not None, "it was read in this file"
        methods = dict.fromkeys(
            f"`{reading.method}`" for reading in readings[attribute]
        )
        self.report(
            statement.bare_code,
            fixes.remove(statement, f"Keep `{target}`"),
            related=place_of_word(first_line.code, target),
            message=message,
            target=target,
            name=class_name,
            members=" and ".join(methods),
        )

    def _is_provided(self, name: str, class_name: str, is_class_member: bool) -> bool:
        """Whether a class, or a base of it, may still have a removed member.

        Args:
            name: The name of the member.
            class_name: The generated class.
            is_class_member: Whether the class itself had the member, so that its methods
                could read it before they set it.
        """
        class_ = self.context.definition_of(class_name)
        for ancestor in self.context.resolver.class_and_ancestors(class_):
            if ancestor.view is None:
                continue
            code = ancestor.view.statement
            # A base looks only for the attributes that its own code reads.
            is_class = ancestor.meaning == class_
            if is_class and name in code.memoized(_find_tested_names):
                return True
            if name not in code.memoized(_find_provided_names):
                continue
            if not is_class_member or name not in code.memoized(_find_names_read_first):
                return True
        return False

    def _find_reading(self, class_name: str, attribute: str) -> Reading | None:
        """Return where inherited code of another class first reads a removed member.

        The code reads `self.mlp.size`, or `mlp.size` in a loop over `self.mlps`, and the
        object is one of the class that has no `size`.

        Args:
            class_name: The class that removes the member.
            attribute: The name of the member, `size`.
        """
        if not self.context.bases_lack(class_name, attribute):
            return None
        return find_reading(self.context, class_name, attribute)

    def _report_reading(
        self, reading: Reading, class_name: str, attribute: str, statement: Statement
    ) -> None:
        """Report a removed member that the inherited code of another class reads.

        Args:
            reading: Where the code reads it.
            class_name: The class that removes the member.
            attribute: The name of the member.
            statement: The statement that removes it.
        """
        self.report(
            statement.bare_code,
            fixes.remove(statement, f"Keep `{attribute}`"),
            related=reading.place,
            message="the inherited code of `{name}` still uses `{target}`, but "
            "`{class_name}` removes it here",
            hint="override what uses it in `{name}`, or keep `{attribute}`",
            target=reading.name,
            name=reading.owner,
            class_name=class_name,
            attribute=attribute,
        )


class RemovedSettingRead(LintRule):
    """A class reads an attribute that is removed from its configuration.

    The model class fails when it reads the attribute. Your configuration class removes
    an attribute of its parent class, such as `bias` in the example, and nothing else
    sets the attribute. But a model class that uses your configuration still reads
    `config.bias`, often in inherited code.

    Override the code that reads the attribute, or keep the attribute in the
    configuration.

    Given `models/siglip/configuration_siglip.py`:

    ```python
    class SiglipConfig:
        model_type = "siglip"
        bias: bool = False
    ```

    Given `models/siglip/modeling_siglip.py`:

    ```python
    from .configuration_siglip import SiglipConfig


    class SiglipModel:
        def __init__(self, config: SiglipConfig):
            self.bias = config.bias
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.configuration_siglip import SiglipConfig
    from ..siglip.modeling_siglip import SiglipModel


    class OlmoConfig(SiglipConfig):
        bias = AttributeError()


    class OlmoModel(SiglipModel):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:5: `bias` is removed from `OlmoConfig`, but `OlmoModel` still reads it
    hint: override what reads it in `OlmoModel`, or keep `bias`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.configuration_siglip import SiglipConfig
    from ..siglip.modeling_siglip import SiglipModel


    class OlmoConfig(SiglipConfig):
        pass


    class OlmoModel(SiglipModel):
        pass
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.configuration_siglip import SiglipConfig
    from ..siglip.modeling_siglip import SiglipModel


    class OlmoConfig(SiglipConfig):
        bias = AttributeError()


    class OlmoModel(SiglipModel):
        def __init__(self, config: OlmoConfig):
            self.bias = False
    ```
    """

    code = Problem.REMOVED_SETTING_STILL_READ
    precision = Precision(findings=2, real=2)
    message = "`{setting}` is removed from `{config}`, but `{reader}` still reads it"
    hint = "override what reads it in `{reader}`, or keep `{setting}`"

    def check_class(self, merged_class: MergedClass) -> None:
        """Report attributes of a configuration that are removed, but still read.

        For example, `x = AttributeError()` and `del self.x` remove the attribute `x`.
        """
        config_class = merged_class.child.name
        if not config_class.endswith(_CONFIG):
            return
        # The statement that removes each attribute. The keys of `merged_class.deleted` are targets
        # such as `self.size`.
        removed = {**_find_removed_members(merged_class), **merged_class.deleted}
        for target, statement in removed.items():
            name = target.removeprefix(_SELF)
            reader = self._find_reader(config_class, name)
            if reader is None or self._may_have_attribute(merged_class, name):
                continue
            # The fix deletes this statement, so that the attribute stays. A class without
            # another statement gets a `pass`.
            is_whole_body = merged_class.child.body.statements == (statement,)
            fix = fixes.remove_with_comments(statement, f"Keep `{name}`", is_whole_body)
            self.report(
                place_of_word(statement.bare_code, name),
                fix,
                related=reader.place,
                setting=name,
                config=config_class,
                reader=reader.class_name,
            )

    def _may_have_attribute(self, merged_class: MergedClass, name: str) -> bool:
        """Whether a generated configuration may still have a removed attribute.

        The class may define `size` as a property, map `size` to another attribute by
        `attribute_map = {"size": "width"}`, or inherit `size` from a base. If a base
        cannot be read, the class may have the attribute.

        Args:
            merged_class: The flattened configuration class.
            name: The name of the attribute, `size`.
        """
        # The generated class does not contain the statement that removes the attribute. Any
        # other mention of the name counts, except for comments.
        for run in merged_class.parts:
            # Normalized code has no comments. Normalizing is slow, so the text is searched
            # first.
            if name in run.code.text and has_word(run.code.normalized(), name):
                return True
        return not self.context.bases_lack(merged_class.child.name, name)

    def _find_reader(self, config_class: str, setting: str) -> "_Reader | None":
        """Return the first generated class that fails because it reads a removed attribute.

        The class reads `config.size`, and its `config` is always an object of the
        configuration class without the attribute `size`.

        Args:
            config_class: The configuration class, such as `OlmoConfig`.
            setting: The attribute that the configuration class no longer has, `size`.
        """
        for statement in self.context.generated.values():
            # Most classes do not contain the name. Looking for `config.size` is slow.
            if setting not in statement.words:
                continue
            # Most others do not contain the text `config.size`, and are not parsed.
            place = _find_config_attribute(statement, setting)
            if place is None:
                continue
            # A class with `getattr(config, "size", 8)` expects that the attribute is missing.
            if f'"{setting}"' in statement.code.text:
                continue
            class_ = self._find_class(statement.name)
            if class_ is None or not _reads_setting(class_, setting):
                continue
            if self._is_always_created_with(config_class, class_):
                return _Reader(statement.name, place)
        return None

    def _find_class(self, name: str) -> ClassModel | None:
        """Return a generated class; None for other definitions."""
        view = self.context.class_named(name)
        return None if view is None else model_class(view.statement)

    def _is_always_created_with(self, config_class: str, class_: ClassModel) -> bool:
        """Whether the `config` of a class is always an object of one configuration class.

        That is certain if it is annotated, as `config: OlmoConfig`. Otherwise neither
        the class nor a generated file may have another configuration such as
        `OlmoVisionConfig`, and all code must create the class with `config` itself,
        unlike `OlmoVisionModel(config.vision)`.

        Args:
            config_class: The configuration class, such as `OlmoConfig`.
            class_: The generated class that reads its `config`.
        """
        annotations = _find_config_annotations(class_)
        if annotations:
            return annotations == {config_class}
        for name in self.context.generated.keys() | class_.statement.words:
            if name.endswith(_CONFIG) and name != config_class:
                return False
        for definition in self.context.generated.values():
            # Most definitions do not create an object of the class, and are not parsed.
            if class_.name not in definition.words:
                continue
            creator = self._find_class(definition.name)
            if creator is not None:
                if _passes_another_configuration(creator, class_.name):
                    return False
        return True


def _find_kept_deletions(merged_class: MergedClass) -> Iterator[tuple[str, Statement]]:
    """Yield the attributes that the generated `__init__` sets and then deletes.

    The parent's `__init__` sets `self.size`, and no other method does. The child's
    deletes it by `del self.size`, which is kept, as in Python. So no object of the
    generated class has the attribute.

    Yields:
        The attribute `size`, and the statement `del self.size`.
    """
    init = merged_class.overriding.get("__init__")
    if init is None:
        return
    for statement in init.body.statements:
        for target in deleted_targets(statement):
            # Most `del` statements remove an assignment of the parent, and are not kept.
            # Without others, the classes are not parsed.
            if target in merged_class.deleted:
                continue
            attribute = target.removeprefix(_SELF)
            if attribute in model_class(merged_class.child.statement).attributes:
                continue
            parent = model_class(merged_class.parent.statement)
            setters = parent.attributes.get(attribute, ())
            if [setter.name for setter in setters] == ["__init__"]:
                yield attribute, statement


def _find_removed_members(merged_class: MergedClass) -> dict[str, Statement]:
    """Return the removed methods and class attributes of the parent.

    Returns:
        The statement of the child that removes each member, by the member's name. It is
        `bias = AttributeError()`, or a method that only raises.
    """
    removed = {}
    for name, statement in merged_class.attributes.items():
        if class_attributes.is_removal(statement):
            removed[name] = statement
    for override in merged_class.overriding.values():
        if merged_class.removes_by_raising(override):
            removed[override.name] = override.statement

    # The child may also write `bias = AttributeError()` without a `bias` in the parent.
    parent_members = (
        merged_class.inherited_attributes.keys() | merged_class.inherited.keys()
    )
    return {name: removed[name] for name in removed if name in parent_members}


class _Reader(NamedTuple):
    """A class that reads an attribute of its configuration, and the place where it does."""

    class_name: str
    place: Place


class _Reading(NamedTuple):
    """A read of an attribute of `self`: its method, and its line in the output file."""

    method: str
    line: int


def _find_readings(class_: Statement) -> dict[str, list[_Reading]]:
    """Return the reads of each attribute of `self` in the methods of a class.

    A read that may never happen is left out. See `find_required_reads`.
    """
    readings: dict[str, list[_Reading]] = {}
    for method in view_definition(class_).body.statements:
        if method.kind is not Kind.FUNCTION:
            continue
        for read in find_required_reads(method):
            # Both line numbers count from 1.
            line = method.bare_code.line + read.line - 1
            reading = _Reading(method.name, line)
            readings.setdefault(read.attribute, []).append(reading)
    return readings


def _find_provided_names(class_: Statement) -> set[str]:
    """Return the names of the members of a class, and of the attributes that it sets."""
    model = model_class(class_)
    return {*model.attributes, *_find_ready_names(model)}


def _find_ready_names(class_: ClassModel) -> set[str]:
    """Return the names that objects of a class may have without an assignment to them.

    These are members, `size` in `setattr(self, "size", 1)`, and `size` in
    `attribute_map = {"size": "width"}`, by which a configuration reads `width`.
    """
    names = _find_names_in_calls(class_, ATTRIBUTE_SETTERS)
    attribute_map = class_.members.get(ATTRIBUTE_MAP)
    if attribute_map is not None:
        names |= find_mapped_names(attribute_map.statements[-1])
    return names | class_.members.keys()


def _find_tested_names(class_: Statement) -> set[str]:
    """Return the attributes that a class looks for, as in `hasattr(self, "size")`."""
    return _find_names_in_calls(model_class(class_), _TESTING_FUNCTIONS)


def _find_names_in_calls(class_: ClassModel, functions: Set[str]) -> set[str]:
    """Return the strings that a class passes to some functions.

    For `setattr`, an example is `size` in `setattr(self, "size", 1)`.
    """
    names = set()
    for _, facts in facts_in_class(class_):
        for call in facts.calls:
            function_name = call.function.rpartition(".")[2]
            if function_name not in functions:
                continue
            for argument in call.arguments:
                if argument.string is not None:
                    names.add(argument.string)
    return names


def _find_names_read_first(class_: Statement) -> set[str]:
    """Return the attributes that objects of a class surely read before they set them.

    Each method that sets the attribute reads it first, or creating an object reads it.
    """
    model = model_class(class_)
    names = {*model.attributes}
    for function in model.functions:
        if function.instance_name is not None:
            parts = (facts for _, facts in function.body)
            names -= find_first_uses(parts, function.instance_name).set
    names |= _find_names_read_by_new_object(model)
    return names - _find_ready_names(model)


def _find_names_read_by_new_object(class_: ClassModel) -> frozenset[str]:
    """Return the attributes that a new object reads before other methods can set them."""
    constructor = class_.members.get("__init__") or class_.members.get("__post_init__")
    if constructor is None or constructor.function is None:
        return frozenset()
    function = constructor.function
    instance = function.instance_name or ""
    parts = []
    for _, facts in function.body:
        # Code that gets the object may call any of its methods.
        if facts.super_uses or not uses_of_instance(facts, instance).is_contained:
            break
        parts.append(facts)
        if facts.flow.returns:
            break
    return find_first_uses(parts, instance).read


def _find_config_attribute(statement: DraftStatement, name: str) -> Place | None:
    """Return the first place with the text `config.name` in a generated class.

    Callers parse only classes with such a place, because parsing is slow.

    Returns:
        None if the class does not contain the text.
    """
    pattern = re.compile(rf"(?<!\w)config\s*\.\s*({re.escape(name)})(?!\w)")
    for run in statement.parts:
        match = pattern.search(run.code.masked_text)
        if match is not None:
            return place_at(run.code, match.start(), match.end() - match.start())
    return None


def _reads_setting(class_: ClassModel, name: str) -> bool:
    """Whether a class always reads an attribute of `config`, and never sets it.

    For the name `size`, the class reads `config.size` or `self.config.size`. Code that
    may not run, such as the body of an `if`, does not count.
    """
    is_always_read = False
    for _, mention in mentions_in_class(class_):
        path = [mention.name, *mention.attributes]
        if path[0] == "self":
            path = path[1:]
        if path[:2] != ["config", name]:
            continue
        # `config.size.width = 1` does not set `config.size`.
        if mention.changes and len(path) == 2:
            return False
        if not mention.is_conditional:
            is_always_read = True
    return is_always_read


def _find_config_annotations(class_: ClassModel) -> set[str]:
    """Return the annotations of `config` in a class and in the parameters of its methods.

    `def __init__(self, config: SiglipConfig)` has the annotation `SiglipConfig`.
    """
    annotations = set()
    for function in class_.functions:
        for parameter in function.parameters:
            if parameter.name == "config":
                annotations.add(parameter.annotation)
    member = class_.members.get("config")
    if member is not None and member.kind in FIELDS:
        annotations.add(annotation_of(member.statements[-1]))
    return annotations - {""}


def _passes_another_configuration(class_: ClassModel, class_name: str) -> bool:
    """Whether a class creates an object of another class, but not from its own `config`.

    `OlmoVisionModel(config.vision)` and `OlmoVisionModel.from_config(config.vision)`
    pass another configuration, and `OlmoVisionModel(config)` does not.

    Args:
        class_: The class that may create the object.
        class_name: The class of the object, `OlmoVisionModel`.
    """
    for _, facts in facts_in_class(class_):
        for call in facts.calls:
            called_class, _, method = call.function.partition(".")
            if called_class != class_name or "." in method:
                continue
            # The first argument is the configuration, with or without a keyword.
            if call.arguments and call.arguments[0].name not in _CONFIG_NAMES:
                return True
    return False
