"""Facts about the instances of a merged class, and about code that leaves them alone.

Code is only known to be harmless if each part of it is on a list of what is harmless. What
is on no list may do anything.
"""

import ast
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import dataclass

from modular.semantics.classes import model_class
from modular.semantics.statements import facts_of, tree_of
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.python_trees import dotted_name
from modular.source.walking import walk


TORCH_MODULES = frozenset({"nn.Module", "torch.nn.Module"})
_KNOWN_BASES = TORCH_MODULES | {"object", "ABC", "abc.ABC"}
"""Bases whose instances have no properties, and only set an attribute if one is set."""

_SET_BY_TORCH = "training"
"""The attribute of a module that `nn.Module.__init__` sets."""

_ACCESS_HOOKS = frozenset(
    {"__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__slots__"}
)
"""All special members that Python uses when code reads, sets or deletes an attribute."""

_MAKING_METHODS = frozenset({"__init__", "__new__", "__post_init__", "__setattr__"})
"""Methods that Python calls to make an object."""

_MAX_CLASS_DEPTH = 3
"""Number of classes that are looked at, each made by the one before it."""

PURE_BUILTINS = frozenset(
    {"abs", "bool", "float", "int", "isinstance", "len", "range", "round", "str"}
)
"""Functions that only compute a value, and leave an iterator alone."""

_OPERATIONS = (
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.IfExp,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.Subscript,
    ast.Slice,
    ast.JoinedStr,
    ast.FormattedValue,
    ast.Compare,
    ast.keyword,
    ast.ListComp,
    ast.comprehension,
)
"""Expressions that only combine the values of their parts."""

_MARKS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
"""Nodes without a value of their own, such as the `+` of `a + b`."""


@dataclass(frozen=True)
class InstanceFacts:
    """Facts about the instances of a merged class.

    Attributes:
        members: The names of the members that the parent class and the child class define.
        bases: The bases of the merged class.
        find_class: Returns a class of the generated file by its name; None for others.
        depth: The number of classes that may still be looked at.
    """

    members: Collection[str]
    bases: Collection[str]
    find_class: Callable[[str], Statement | None]
    depth: int = _MAX_CLASS_DEPTH

    def only_computes(self, class_name: str) -> bool:
        """Whether creating an instance of a class has no side effect.

        It is assumed for classes of other files and for modules of torch. In any other
        class and its bases, `__init__` must only set attributes to values.
        """
        statement = self.find_class(class_name)
        if statement is None:
            # The class is imported from another file.
            return True
        if self.depth == 0:
            return False
        view = view_definition(statement)
        is_module_of_torch = not TORCH_MODULES.isdisjoint(view.bases)
        if is_module_of_torch:
            return True
        facts_of_class = InstanceFacts(
            members=self._members_with_inherited(class_name),
            bases=(),
            find_class=self.find_class,
            depth=self.depth - 1,
        )
        if not all(map(facts_of_class.only_computes, view.bases)):
            return False
        for member in view.body.statements:
            if member.name not in _MAKING_METHODS:
                continue
            # A method such as `__new__` may do anything, and so may `__init__ = build`.
            is_init = member.kind is Kind.FUNCTION and member.name == "__init__"
            if not is_init or not facts_of_class.only_sets(member):
                return False
        return True

    def _members_with_inherited(self, class_name: str) -> set[str]:
        """Return the members of a class and of its bases in the same file.

        A property among them runs code when an instance sets it.
        """
        members: set[str] = set()
        for name in walk([class_name], self._bases_of):
            statement = self.find_class(name)
            if statement is not None:
                members.update(model_class(statement).members)
        return members

    def _bases_of(self, class_name: str) -> Sequence[str]:
        """Return the bases of a class as it names them; none for another file's class."""
        statement = self.find_class(class_name)
        return () if statement is None else view_definition(statement).bases

    def only_sets(self, method: Statement) -> bool:
        """Whether an `__init__` only sets attributes of its instance to values."""
        view = view_definition(method)
        first_parameter = next(iter(view.parameters), "")
        computation = Computation(instance=first_parameter, facts=self)
        for statement in view.body_without_docstring:
            if not computation.is_plain_statement(tree_of(statement)):
                return False
        return True

    @property
    def is_torch_module(self) -> bool:
        """Whether a base is `nn.Module`, which keeps modules apart from other values."""
        return not TORCH_MODULES.isdisjoint(self.bases)

    def is_plain(self, attribute: str) -> bool:
        """Whether reading, setting and deleting an attribute runs no code of the class.

        Such code runs if the attribute is a property, or if the class has a method such
        as `__getattr__`. A base whose code is not known may have both.
        """
        if not _KNOWN_BASES.issuperset(self.bases):
            return False
        if not _ACCESS_HOOKS.isdisjoint(self.members):
            return False
        if attribute.startswith("__") or attribute == _SET_BY_TORCH:
            return False
        return attribute not in self.members


@dataclass(frozen=True)
class Computation:
    """Decides whether code of a method only computes values, and leaves `self` alone.

    Attributes:
        instance: The variable of the instance, mostly `self`.
        facts: The facts about its class.
    """

    instance: str
    facts: InstanceFacts

    def is_value(self, expression: ast.AST) -> bool:
        """Whether an expression only computes a value.

        These are constants, variables, plain attributes, operators on them, and calls that
        are taken to compute a value: of classes, such as `nn.Linear(4, 4)`, and of some
        built-in functions, such as `len(items)`.
        """
        match expression:
            case ast.Constant():
                return True
            case ast.Name(id=name, ctx=ast.Load()):
                # The object itself may end up anywhere.
                return name != self.instance
            case ast.Attribute(ctx=ast.Load()):
                return self._is_plain_read(expression)
            case ast.Call(func=function, args=arguments, keywords=keywords):
                parts: list[ast.AST] = [*arguments, *keywords]
                return self._is_pure(function) and self._are_values(parts)
            case ast.comprehension(target=ast.Name(), iter=iterable, ifs=conditions):
                # `[x for x in items]` consumes `items` if this is an iterator. A list,
                # a tuple or the result of a call is new, and no other code uses it.
                is_new = isinstance(iterable, ast.Call | ast.List | ast.Tuple)
                return is_new and self._are_values([iterable, *conditions])
        return self._is_operation(expression)

    def _is_pure(self, function: ast.expr) -> bool:
        """Whether a call is assumed to have no side effect: `nn.GELU()` or `len(x)`."""
        name = dotted_name(function)
        owner, _, last = name.rpartition(".")
        # A name such as `HOOK` is a constant, but `nn.GELU` is a class of a module.
        is_constant = last.isupper() and not owner
        is_class = last[:1].isupper() and not is_constant
        return name in PURE_BUILTINS or (is_class and self.facts.only_computes(name))

    def _is_plain_read(self, expression: ast.Attribute) -> bool:
        """Whether reading an attribute runs no code that may use the instance `self`."""
        owner = expression.value
        attribute = expression.attr
        # `self.size` runs code if `size` is a property of the class.
        if isinstance(owner, ast.Name) and owner.id == self.instance:
            return self.facts.is_plain(attribute)
        # `self.layer.size` may run a property of the object in `self.layer`, which may
        # use `self`.
        if dotted_name(owner).startswith(f"{self.instance}."):
            return False
        # Attributes of other objects, such as `config.size`, are taken to run no code. In
        # `make(x).size`, the code before the dot runs, too.
        return self.is_value(owner)

    def _is_operation(self, expression: ast.AST) -> bool:
        """Whether an expression only combines values, as `a + b` does."""
        if not isinstance(expression, _OPERATIONS):
            return False
        if isinstance(expression, ast.Compare):
            for operator in expression.ops:
                # `1 in items` consumes `items` if this is an iterator.
                if isinstance(operator, ast.In | ast.NotIn):
                    return False
        operands = [
            child
            for child in ast.iter_child_nodes(expression)
            if not isinstance(child, _MARKS)
        ]
        return self._are_values(operands)

    def is_plain_statement(self, statement: ast.AST | None) -> bool:
        """Whether a statement only sets variables or plain attributes to values.

        A plain attribute is one that runs no code when it is set, as a property would.

        Args:
            statement: The statement; None for one that cannot be read, which is not plain.
        """
        match statement:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return True
            # `self.size = 4`
            case ast.Assign(targets=[target], value=value):
                return self._is_plain_target(target) and self.is_value(value)
            # `self.size: int`
            case ast.AnnAssign(target=target, value=None):
                return self._is_plain_target(target)
            # `self.size: int = 4`
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self._is_plain_target(target) and self.is_value(value)
            case ast.If(test=test, body=body, orelse=alternative):
                if not self.is_value(test):
                    return False
                return all(map(self.is_plain_statement, [*body, *alternative]))
        return False

    def _is_plain_target(self, target: ast.expr) -> bool:
        """Whether assigning to a target changes only a variable or a plain attribute."""
        match target:
            case ast.Name(id=name):
                return name != self.instance
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                return owner == self.instance and self.facts.is_plain(name)
        return False

    def _are_values(self, expressions: Iterable[ast.AST]) -> bool:
        """Whether all of some expressions only compute a value."""
        return all(map(self.is_value, expressions))

    def lets_instance_escape(self, statements: Iterable[Statement]) -> bool:
        """Whether some code passes the object itself on, as `me = self` and `f(self)` do."""
        for statement in statements:
            for mention in facts_of(statement).mentions_of(self.instance):
                # `self.size` mentions `self` with the attribute `size`.
                is_bare = not mention.attributes
                if is_bare:
                    return True
        return False


def names_in(tree: ast.AST) -> Set[str]:
    """Return the variables and attributes that an expression mentions, without owners."""
    names = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                names.add(name)
    return names
