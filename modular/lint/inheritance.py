"""A class of the modular file with its parent class, and its differences from Python."""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from modular.flatten.merged_class import MergedClass
from modular.lint.context import LintContext
from modular.semantics.classes import ClassModel, Member, model_class
from modular.semantics.facts import CHANGING_METHODS, Usage
from modular.semantics.functions import FunctionModel, model_function
from modular.semantics.meanings import Definition, Meaning
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Fix, Place
from modular.source.places import place_of


_SHARED_CLASSES = frozenset(
    {
        "GradientCheckpointingLayer",
        "ModelOutput",
        "PreTrainedConfig",
        "PreTrainedModel",
        "PretrainedConfig",
    }
)
"""Base classes of transformers that do the same for a merged class and for two classes."""


class Certainty(Enum):
    """Whether a difference exists for certain."""

    CERTAIN = "the classes differ"
    POSSIBLE = "the classes may differ, because some code is not known"


class Harm(Enum):
    """What a difference does to the generated class."""

    IMPORT_FAILS = "the generated file cannot be imported"
    CALL_FAILS = "the class or a method fails"
    OTHER_RESULT = "a method computes something else"


@dataclass(frozen=True)
class Difference:
    """A place where a generated class is not what Python's inheritance makes.

    Attributes:
        member: The member that differs; empty for the class as a whole.
        place: The place in the modular file.
        message: What the generated class does, and what Python does.
        hint: What to write instead; may be empty.
        harm: What it does to the generated class.
        certainty: Whether it exists for certain.
        related: A second place, or None.
        fixes: Autofixes, the best first.
    """

    member: str
    place: Place
    message: str
    hint: str
    harm: Harm = Harm.OTHER_RESULT
    certainty: Certainty = Certainty.CERTAIN
    related: Place | None = None
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True, eq=False)
class Inheritance:
    """A class of the modular file and its parent class, as Python sees them.

    Attributes:
        context: The modular file and its project.
        merged_class: The child class, merged with its parent class.
        child: The class of the modular file.
        parent: The parent class, renamed.
    """

    context: LintContext
    merged_class: MergedClass
    child: ClassModel
    parent: ClassModel

    @cached_property
    def definition(self) -> Definition:
        """The class in the modular file."""
        return Definition(
            self.context.modular.path, self.merged_class.child.name, Kind.CLASS
        )

    @cached_property
    def parent_definition(self) -> Definition:
        """The parent class in its own file."""
        modular = self.context.modular
        base = self.merged_class.parent.name
        return Definition(
            modular.parent_of[base], modular.original_names[base], Kind.CLASS
        )

    @cached_property
    def original_parent(self) -> ClassModel:
        """The parent class before it is renamed."""
        statement = self.merged_class.parent.statement
        return model_class(statement.original or statement)

    def original_of(self, method: Statement) -> FunctionModel:
        """Return a method of the parent class before it is renamed.

        Args:
            method: The renamed method.
        """
        # Renaming changes no number of statements.
        index = self.merged_class.parent.body.statements.index(method)
        original = view_definition(self.original_parent.statement)
        return model_function(original.body.statements[index])

    @cached_property
    def ancestors_of_parent(self) -> tuple[Meaning, ...]:
        """The classes from which the parent class inherits, in Python's order."""
        return self.context.resolver.ancestors(self.parent_definition).classes

    @cached_property
    def known_ancestors(self) -> tuple[tuple[Definition, ClassModel], ...]:
        """The ancestors of the parent class whose code is in the project."""
        ancestors = []
        for ancestor in self.ancestors_of_parent:
            model = self.class_of(ancestor)
            if model is not None:
                assert isinstance(ancestor, Definition), "only these have code"
                ancestors.append((ancestor, model))
        return tuple(ancestors)

    @property
    def is_like_python(self) -> bool:
        """Whether the generated class must do what Python's inheritance does."""
        return self.merged_class.is_like_python

    @property
    def makes_dataclasses(self) -> bool:
        """Whether an ancestor makes a dataclass of each class that inherits from it."""
        return any(model.makes_dataclasses for _, model in self.known_ancestors)

    def looks_at_whole_class(self, ancestor: Definition) -> bool:
        """Whether an ancestor is a base class of transformers that ignores who defines what.

        For example, `PreTrainedModel` reads members that the class itself or a base may
        define. A model's class that only has such a name does not count.

        Args:
            ancestor: The class.
        """
        is_of_model = self.context.project.is_in_models_folder(ancestor.path)
        return ancestor.name in _SHARED_CLASSES and not is_of_model

    def class_of(self, meaning: Meaning) -> ClassModel | None:
        """Return the class that a name means; None if its code is in no file."""
        if not isinstance(meaning, Definition) or not meaning.is_class:
            return None
        statement = self.context.resolver.statement(meaning)
        return None if statement is None else model_class(statement)

    def place_of_member(self, member: Member) -> Place:
        """Return the place of a member of the modular class."""
        return place_of(member.statements[-1].bare_code)

    @property
    def header(self) -> Place:
        """The place of the modular class."""
        return place_of(self.merged_class.child.header)


def read_inheritance(context: LintContext, merged_class: MergedClass) -> Inheritance:
    """Return a class of the modular file and its parent class, as Python sees them.

    Args:
        context: The modular file and its project.
        merged_class: The child class, merged with its parent class.
    """
    return Inheritance(
        context=context,
        merged_class=merged_class,
        child=model_class(merged_class.child.statement),
        parent=model_class(merged_class.parent.statement),
    )


def find_function(
    inheritance: Inheritance, name: str, path: str | None = None
) -> FunctionModel | None:
    """Return the function that a name means, if its code is known.

    Args:
        inheritance: The child class and its parent class.
        name: The name.
        path: The file that uses it; None for that of the parent class.
    """
    path = path or inheritance.parent_definition.path
    return function_of(inheritance, inheritance.context.resolver.meaning(path, name))


def function_of(inheritance: Inheritance, meaning: Meaning) -> FunctionModel | None:
    """Return the function of the project that a name means; None for others."""
    if not isinstance(meaning, Definition) or meaning.kind is not Kind.FUNCTION:
        return None
    statement = inheritance.context.resolver.statement(meaning)
    return None if statement is None else model_function(statement)


def changes_module(function: FunctionModel | None) -> bool:
    """Whether a function changes variables of its module.

    `TABLE["size"] = 1` and `TABLE.update(size=1)` do.
    """
    if function is None:
        return False
    for _, facts in function.body:
        if facts.global_names:
            return True
        # `TABLE.size = 1` changes `TABLE`.
        changed_variables = {name.partition(".")[0] for name in facts.changed_names}
        for call in facts.calls:
            variable, _, method = call.function.rpartition(".")
            if method in CHANGING_METHODS:
                changed_variables.add(variable)
        if changed_variables & function.free_names:
            return True
    return False


def has_effect(function: FunctionModel) -> bool:
    """Whether a function certainly does more than to compute a value.

    It changes its module, or contains a call such as `print(x)` whose result is not
    used.
    """
    if changes_module(function):
        return True
    for _, facts in function.body:
        if any(call.result is Usage.IGNORED for call in facts.calls):
            return True
    return False


_HARMLESS_DECORATORS = frozenset(
    {
        "accepts_precomputed_kwargs",
        "allow_in_graph",
        "add_start_docstrings",
        "add_start_docstrings_to_model_forward",
        "dataclass",
        "final",
        "runtime_checkable",
        "strict",
        "compile_compatible_method_lru_cache",
        "filter_output_hidden_states",
        "force_accelerate_hooks",
        "replace_return_docstrings",
        "requires",
        "select_hidden_states",
        "auto_docstring",
        "cache",
        "can_return_tuple",
        "capture_outputs",
        "classmethod",
        "compile",
        "deprecate_kwarg",
        "dynamic_rope_update",
        "enable_grad",
        "ignore",
        "inference_mode",
        "lru_cache",
        "maybe_allow_in_graph",
        "merge_with_config_defaults",
        "no_grad",
        "property",
        "staticmethod",
        "unused",
        "use_experts_implementation",
        "use_kernel_forward_from_hub",
        "use_kernel_func_from_hub",
        "use_kernelized_func",
    }
)
"""Decorators of Python, torch and transformers that do the same under each name."""


def is_harmless_decorator_name(decorator: str) -> bool:
    """Whether a decorator is known to do the same for each function, once or twice."""
    return decorator.rpartition(".")[2] in _HARMLESS_DECORATORS
