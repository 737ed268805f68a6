"""Rules about dataclasses that are merged with their parent class."""

from collections.abc import Iterator

from modular.lint.context import LintContext
from modular.lint.rule import LintRule
from modular.rules.classes.class_attributes import find_attributes
from modular.semantics.classes import model_class
from modular.semantics.dataclass_fields import (
    DataclassDecorator,
    DataclassField,
    dataclass_decorator,
    positional_fields,
    refused_default,
)
from modular.semantics.meanings import ForeignName
from modular.source import shortcuts
from modular.source.assignments import assigned_value
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place, Problem, Severity
from modular.source.places import place_of_word
from modular.source.trees import node_text


_EMPTY_VALUES = frozenset({"[]", "{}", "list()", "dict()", "set()", "bytearray()"})
_DATACLASS = ForeignName("dataclasses.dataclass")


class FieldWithoutDefault(LintRule):
    """A field of a dataclass has no default value, but a field above it has one.

    Importing the generated file fails with `TypeError`. `@dataclass` writes an
    `__init__` that has a parameter for each field, first for the fields of the parent
    class and then for the fields of your class. Python does not allow a parameter
    without a default after one with a default. In the example, the parent's `loss` has
    a default, but your `score` has none.

    Give your field a default value.

    Given `models/siglip/modeling_siglip.py`:

    ```python
    from dataclasses import dataclass


    @dataclass
    class SiglipOutput:
        loss: float = 0.0
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from dataclasses import dataclass

    from ..siglip.modeling_siglip import SiglipOutput


    @dataclass
    class OlmoOutput(SiglipOutput):
        score: float
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:8:5: the field `score` of the dataclass `OlmoOutput` has no default value, but `loss` above it has one
    hint: give `score` a default value
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from dataclasses import dataclass

    from ..siglip.modeling_siglip import SiglipOutput


    @dataclass
    class OlmoOutput(SiglipOutput):
        score: float = 0.0
    ```
    """

    code = Problem.FIELD_WITHOUT_DEFAULT
    levels = (Severity.ERROR,)
    message = (
        "the field `{name}` of the dataclass `{child}` has no default value, "
        "but `{other}` above it has one"
    )
    hint = "give `{name}` a default value"

    def check(self) -> None:
        """Check the classes of the modular file, also those without a parent class."""
        for name in self.modular.definitions.classes:
            definition = self.context.generated.get(name)
            # Most classes are not dataclasses.
            if definition is not None and "dataclass" in definition.words:
                self._check_fields(name)

    def _check_fields(self, name: str) -> None:
        """Report the first field without a default that follows one with a default.

        Python refuses a dataclass with `size: int = 4` and, below it, `width: int`.
        """
        view = self.context.class_named(name)
        if view is None or "dataclass" not in view.decorators.masked_text:
            return
        # In most dataclasses, each field has a default value.
        if not any(map(_may_lack_default, view.body.statements)):
            return
        field_with_default: DataclassField | None = None
        for field in self._fields(name, view):
            if field.has_default:
                field_with_default = field
            elif field_with_default is not None and not self._has_value(name, field):
                self._report(name, field, field_with_default)
                return

    def _fields(self, name: str, view: DefinitionView) -> list[DataclassField]:
        """Return the fields of a generated dataclass, beginning with those of its bases.

        A base that is not a dataclass, or cannot be read, has no fields.

        Args:
            name: The name of the class.
            view: The class.

        Returns:
            The fields; none if the class itself is not a dataclass or defines no field.
        """
        fields: dict[str, DataclassField] = {}
        for ancestor in reversed(self.context.ancestors_of(name)):
            if ancestor.view is not None:
                for field in self._fields_of_class(ancestor.view, ancestor.path):
                    fields[field.name] = field
        own_fields = list(self._fields_of_class(view, self.context.file_of(name).path))
        if not own_fields:
            return []
        for field in own_fields:
            # A field that a base has already keeps its position.
            fields[field.name] = field
        return list(fields.values())

    def _fields_of_class(
        self, view: DefinitionView, path: str
    ) -> Iterator[DataclassField]:
        """Yield the positional fields that a class defines itself.

        Args:
            view: The class. Without `@dataclass`, it has no fields.
            path: The file that defines it.
        """
        decorator = _decorator_of(self.context, view, path)
        if decorator is None or decorator.arguments is None:
            return
        # With `kw_only` or `init`, fields may not be positional parameters.
        if decorator.arguments.keys().isdisjoint({"kw_only", "init"}):
            yield from positional_fields(view.statement) or ()

    def _has_value(self, class_name: str, field: DataclassField) -> bool:
        """Return whether a base may have an attribute that is the default of a field."""
        for ancestor in self.context.ancestors_of(class_name):
            members = self.context.resolver.members(ancestor.meaning)
            if members is None or field.name in members:
                return True
        return False

    def _report(
        self, child: str, field: DataclassField, field_above: DataclassField
    ) -> None:
        """Report a field without a default, and the field above it that has one.

        Args:
            child: The generated dataclass.
            field: The field without a default.
            field_above: The field with a default.
        """
        place = self._place_of_field(child, field)
        if place is None:
            return
        place, place_in_parent = self.context.attribute_to_modular(child, place)
        self.report(
            place,
            related=place_in_parent or self._place_of_field(child, field_above),
            is_error=True,
            name=field.name,
            child=child,
            other=field_above.name,
        )

    def _place_of_field(self, class_name: str, field: DataclassField) -> Place | None:
        """Return the place of a field in a class of the modular file, or in its parent."""
        merged_class = self.layout.flattened.get(class_name)
        if merged_class is not None:
            views = [merged_class.child, merged_class.parent]
        else:
            class_ = self.modular.definitions.classes[class_name].statement
            views = [view_definition(class_)]
        for view in views:
            statement = find_attributes(view.body.statements).get(field.name)
            if statement is not None:
                return place_of_word(statement.bare_code, field.name)
        return None


def _may_lack_default(statement: Statement) -> bool:
    """Whether the text of a statement looks like `size: int` or `size: int = field()`."""
    masked_text = statement.code.masked_text
    is_attribute = statement.kind is Kind.ASSIGNMENT
    return is_attribute and ("=" not in masked_text or "field" in statement.words)


class MutableDefault(LintRule):
    """The default value of a dataclass field is a list, dict or set.

    Importing the generated file fails with `ValueError`. `@dataclass` refuses a list,
    dict or set as default value, because all objects of the class would share it. In
    the example, `OlmoOutput` is a dataclass, because its parent class is one. A class
    is also a dataclass if one of its bases turns all subclasses into dataclasses. The
    base class of all configurations in transformers does this.

    Use `field` with a function that creates the value, as in
    `field(default_factory=list)`.

    Given `models/siglip/modeling_siglip.py`:

    ```python
    from dataclasses import dataclass


    @dataclass
    class SiglipOutput:
        loss: float = 0.0
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipOutput


    class OlmoOutput(SiglipOutput):
        scores: list = []
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:5:5: the default of the field `scores` is a list, which the dataclass `OlmoOutput` refuses
    hint: write `field(default_factory=list)`, and import `field` from `dataclasses`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from dataclasses import field

    from ..siglip.modeling_siglip import SiglipOutput


    class OlmoOutput(SiglipOutput):
        scores: list = field(default_factory=list)
    ```
    """

    code = Problem.MUTABLE_DEFAULT
    levels = (Severity.ERROR,)
    message = (
        "the default of the field `{name}` is a {type_name}, "
        "which the dataclass `{child}` refuses"
    )
    hint = "write `{right}`, and import `field` from `dataclasses`"

    def check(self) -> None:
        """Report fields of dataclasses with a mutable default: `sizes: list = []`."""
        for name, definition in self.modular.definitions.classes.items():
            for statement in view_definition(definition.statement).body.statements:
                if not self._may_be_mutable(statement):
                    continue
                type_name = refused_default(statement)
                if type_name is not None and self._is_dataclass(name):
                    self._report(name, statement, type_name)

    def _may_be_mutable(self, statement: Statement) -> bool:
        """Return whether the text of a statement looks like `sizes: list = []`."""
        # Most statements need no parser.
        if statement.kind is not Kind.ASSIGNMENT:
            return False
        masked_text = statement.code.masked_text
        has_annotation = (
            shortcuts.annotated_target(masked_text, statement.start) is not None
        )
        return has_annotation and masked_text.rstrip().endswith(("]", "}", ")"))

    def _is_dataclass(self, name: str) -> bool:
        """Return whether a generated class is certainly a dataclass.

        It has the decorator `@dataclass`, or a base makes dataclasses of its children.
        """
        view = self.context.class_named(name)
        if view is None:
            return False
        path = self.context.file_of(name).path
        if _decorator_of(self.context, view, path) is not None:
            return True
        for ancestor in self.context.ancestors_of(name):
            if ancestor.view is not None:
                if model_class(ancestor.view.statement).makes_dataclasses:
                    return True
        return False

    def _report(self, child: str, statement: Statement, type_name: str) -> None:
        """Report a field with a default value that is a list or the like.

        Args:
            child: The dataclass.
            statement: The field, such as `sizes: list = []`.
            type_name: The type of the default value, `list`.
        """
        value = assigned_value(statement)
        text = "" if value is None else node_text(value)
        if text in _EMPTY_VALUES:
            factory = type_name
        elif "\n" in text or text.startswith("field("):
            factory = "lambda: ..."
        else:
            factory = f"lambda: {text}"
        self.report(
            place_of_word(statement.bare_code, statement.name),
            is_error=True,
            name=statement.name,
            type_name=type_name,
            child=child,
            right=f"field(default_factory={factory})",
        )


def _decorator_of(
    context: LintContext, view: DefinitionView, path: str
) -> DataclassDecorator | None:
    """Return the decorator of the standard library that makes a class a dataclass.

    Args:
        context: The modular file and its project.
        view: The class.
        path: The file that defines it.
    """
    if "dataclass" not in view.decorators.masked_text:
        return None
    decorator = dataclass_decorator(view.statement)
    if decorator is None:
        return None
    meaning = context.resolver.meaning(path, decorator.name)
    return decorator if meaning == _DATACLASS else None
