"""Rules about dataclasses that are merged with their parent class."""

from collections.abc import Iterator

from modular.flatten.flattened import Flattened
from modular.lint.bases import (
    find_ancestors,
    generated_class,
    members_of,
)
from modular.lint.context import LintContext
from modular.lint.rule import LintRule
from modular.rules.classes.class_attributes import find_attributes
from modular.semantics.dataclass_fields import (
    DataclassDecorator,
    DataclassField,
    dataclass_decorator,
    positional_fields,
)
from modular.semantics.meanings import ForeignName
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_of_word


_DATACLASS = ForeignName("dataclasses.dataclass")


class FieldWithoutDefault(LintRule):
    """A field of a dataclass has no default value, but a field above it has one.

    Importing the generated file fails with `TypeError`. `@dataclass` writes an
    `__init__` whose parameters are the fields, first those of the parent class and then
    yours. In Python, a parameter without a default must not follow one with a default.

    Give the field a default value.

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
    message = (
        "the field `{name}` of the dataclass `{child}` has no default value, "
        "but `{other}` above it has one"
    )
    hint = "give `{name}` a default value"

    def check_class(self, flat: Flattened) -> None:
        """Report the first field without a default that follows one with a default."""
        name = flat.child.name
        # Searching the text is quick. Most classes are no dataclasses.
        if not any("dataclass" in view.code.mask for view in (flat.parent, flat.child)):
            return
        view = generated_class(self.context, name)
        if view is None or "dataclass" not in view.decorators.mask:
            return
        field_with_default: DataclassField | None = None
        for field in self._fields(name, view):
            if field.has_default:
                field_with_default = field
            elif field_with_default is not None and not self._has_value(name, field):
                self._report(flat, field, field_with_default)
                return

    def _fields(self, name: str, view: DefinitionView) -> list[DataclassField]:
        """Return the fields of a generated class and its bases in order.

        Nothing is returned if the class is no dataclass. A base that is none, or cannot
        be read, has no fields.
        """
        fields: dict[str, DataclassField] = {}
        for ancestor in reversed(find_ancestors(self.context, name)):
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
        if decorator.arguments.keys().isdisjoint({"kw_only", "init"}):
            yield from positional_fields(view.statement) or ()

    def _has_value(self, class_name: str, field: DataclassField) -> bool:
        """Return whether a base may have an attribute that is the default of a field."""
        for ancestor in find_ancestors(self.context, class_name):
            members = members_of(ancestor)
            if members is None or field.name in members:
                return True
        return False

    def _report(
        self, flat: Flattened, field: DataclassField, other: DataclassField
    ) -> None:
        """Report a field without a default, and the field above it that has one."""
        child = flat.child.name
        place = _place_of_field(flat, field)
        if place is None:
            return
        place, related = self.context.attribute_to_modular(child, place)
        self.report(
            place,
            related=related or _place_of_field(flat, other),
            is_error=True,
            name=field.name,
            child=child,
            other=other.name,
        )


def _place_of_field(flat: Flattened, field: DataclassField) -> Place | None:
    """Return the place of a field in the modular class or in the parent class."""
    for view in (flat.child, flat.parent):
        statement = find_attributes(view.body.statements).get(field.name)
        if statement is not None:
            return place_of_word(statement.bare_code, field.name)
    return None


def _decorator_of(
    context: LintContext, view: DefinitionView, path: str
) -> DataclassDecorator | None:
    """Return the decorator of the standard library that makes a class a dataclass.

    Args:
        context: The modular file and its project.
        view: The class.
        path: The file that defines it.
    """
    if "dataclass" not in view.decorators.mask:
        return None
    decorator = dataclass_decorator(view.statement)
    if decorator is None:
        return None
    meaning = context.resolver.meaning(path, decorator.name)
    return decorator if meaning == _DATACLASS else None
