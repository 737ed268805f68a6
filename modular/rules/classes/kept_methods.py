"""With `inheritance = "python"`, `super()` can call a copy of the parent's method.

With this setting, you can call `super()` anywhere in a method: inside an expression, or
inside a `with`, `if` or `try` statement. You can also call it twice, with other
arguments, or for another method than the one that you override. Where modular cannot
replace the call with the parent's body (see `inlined-call`), it copies the parent's
method into your class under a private name. Your call becomes a call of the copy:

- **`super().forward(x)`** becomes `self._llama_mlp_forward(x)`, or
  `cls._llama_mlp_forward(x)` in a class method. The private name consists of the names
  of the parent class and the method. The copy has the same decorators, parameters and
  body as the parent's method.
- **`super().size`,** where `size` is a property, becomes `self._llama_mlp_size`.
- **`LlamaMLP.forward(self, x)`** becomes `MyModelMLP._llama_mlp_forward(self, x)`.
- **`super(LlamaMLP, self).forward(x)`** becomes `super().forward(x)`, which calls a
  base of the generated class.
- **`super().other()`** does not change if the parent class only inherits `other`. The
  generated class has the same bases as the parent class, and so inherits `other`, too.

In some cases, a copy of one method is not enough, and modular keeps the whole parent
class (see `kept-parents`). Your class needs the whole parent class if it uses `super()`
as a value or in a nested function, or reads a class attribute of the parent by
`super()`.

Settings `pyproject.toml`:

```toml
[tool.modular]
inheritance = "python"
```

Parent `models/llama/modeling_llama.py`:

```python
import torch
from torch import nn


class LlamaMLP(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        return x.relu()

    @property
    def size(self):
        return self.up_proj.in_features
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    def forward(self, x):
        if self.size == 1:
            return x
        return super().forward(x + 1) * 2

    @property
    def size(self):
        return super().size // 2
```

Output `models/my_model/modeling_my_model.py`:

```python
import torch
from torch import nn


class MyModelMLP(nn.Module):
    @torch.no_grad()
    def _llama_mlp_forward(self, x):
        return x.relu()

    def forward(self, x):
        if self.size == 1:
            return x
        return self._llama_mlp_forward(x + 1) * 2

    @property
    def _llama_mlp_size(self):
        return self.up_proj.in_features

    @property
    def size(self):
        return self._llama_mlp_size // 2
```
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import libcst as cst

from modular.rules.classes.merge_record import Fate, MemberStep
from modular.semantics.statements import facts_of_statements
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.source_slice import words
from modular.source.trees import Tree, node_text, parse
from modular.source.walking import descend


_IMPLICIT_METHODS = ("__new__", "__init_subclass__", "__class_getitem__")
"""Methods that Python makes static or class methods because of their names.

A copy under another name would be an ordinary method.
"""

_NAME_DEPENDENT = (
    "abstractmethod",
    "abstractproperty",
    "cached_property",
    "deleter",
    "getter",
    "overload",
    "register",
    "setter",
    "singledispatchmethod",
)
"""Decorators whose methods do something else under another name."""

_SAME_DETAILS = ("fget",)
"""Attributes of a method or property that its copy under another name has, too."""

_FUNCTIONS_AND_COMPREHENSIONS = (
    cst.FunctionDef,
    cst.Lambda,
    cst.BaseComp,
    cst.CompFor,
)
"""Nodes in which `super()` fails; before Python 3.12, a comprehension is a function."""

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True)
class ParentUse:
    """An expression that means a member of the parent class.

    Attributes:
        name: The name of the member; empty if the class itself is meant.
        problem: Why the generated class cannot have the expression; empty if it can.
    """

    name: str
    problem: str = ""


def keep_method(method: DefinitionView, private_name: str) -> MemberStep:
    """Return a method of the parent class under a private name."""
    start, end = method.statement.name_span
    code = method.code.replace([(start, end, private_name)])
    return MemberStep(method.statement, Fate.PRIVATE, rewritten=code, key=private_name)


def obstacle_to_keeping(method: DefinitionView) -> str:
    """Return the decorator because of which a method cannot have another name, or ""."""
    for decorator in method.decorator_names:
        if decorator.rpartition(".")[2] in _NAME_DEPENDENT:
            return decorator
    return ""


def private_name(parent_name: str, member: str) -> str:
    """Return the private name of a kept method: `_llama_mlp_forward`.

    Args:
        parent_name: The name of the parent class in its own file, such as `LlamaMLP`.
        member: The name of the method, such as `forward`.
    """
    prefix = _WORD_START.sub("_", parent_name).lower()
    # `__call__` becomes `_llama_mlp_call`.
    return f"_{prefix}_{member.strip('_')}"


def private_names(
    parent_name: str, members: Collection[str], taken: Collection[str]
) -> dict[str, str]:
    """Return the private names of some members of a parent class, by member.

    For `forward` of `LlamaMLP` this is `_llama_mlp_forward`, or, if this name is taken,
    `_llama_mlp_forward2`.

    Args:
        parent_name: The name of the parent class in its own file, such as `LlamaMLP`.
        members: The names of the members.
        taken: All words in the code of the parent class and the child class. A private
            name must be none of them.
    """
    names: dict[str, str] = {}
    for member in sorted(members):
        name = private_name(parent_name, member)
        names[member] = choose_free_name(name, {*taken, *names.values()})
    return names


def choose_free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken: the name itself, or with a number at its end."""
    candidate = name
    number = 2
    while candidate in taken:
        candidate = f"{name}{number}"
        number += 1
    return candidate


@dataclass
class SuperRewriter:
    """Finds and replaces what refers to the parent class in methods of a class.

    Attributes:
        class_name: The class of the modular file.
        base: Its base that is the parent class.
        members: The names of the members that the parent class itself defines.
        class_methods: The names of those members that are class methods.
        private: The private name of each kept member, by its name. It is empty while
            only the uses are found.
        bases_before_parent: The bases that the class names before the parent class.
    """

    class_name: str
    base: str
    members: Collection[str]
    class_methods: Collection[str] = ()
    private: Mapping[str, str] = field(default_factory=dict)
    bases_before_parent: Sequence[str] = ()

    def may_use_parent(self, statement: Statement) -> bool:
        """Whether a statement has a word that can refer to the parent class."""
        masked_text = statement.code.masked_text
        return "super" in masked_text or self.base in masked_text

    def find_uses(
        self, method: DefinitionView, statement: Statement
    ) -> Iterator[ParentUse]:
        """Yield the uses of the parent class in a statement of a method's body."""
        if self.may_use_parent(statement):
            yield from self._read_uses(method, parse(statement.bare_code)).uses

    def rewrite(self, method: DefinitionView, statement: Statement) -> Statement:
        """Return a statement of a method's body, rewritten so that it needs no parent class.

        `super().f(x)` becomes `self._llama_mlp_f(x)`. A statement that does not use the
        parent class is returned unchanged.
        """
        if not self.may_use_parent(statement):
            return statement
        tree = parse(statement.bare_code)
        replacements = self._read_uses(method, tree).replacements
        if not replacements:
            return statement
        new_node = tree.node.visit(_Replacer(replacements))
        assert isinstance(new_node, cst.BaseStatement), "only expressions are replaced"
        # All code from the start of the statement to its end is new. The comments above
        # the start stay.
        start = statement.start
        end = len(statement.code.text)
        new_code = statement.code.replace([(start, end, tree.render(new_node))])
        # `original` would be the statement before a mere renaming, which this is not.
        return replace(statement, code=new_code, original=None)

    def _read_uses(self, method: DefinitionView, statement: Tree) -> "_UseReader":
        """Return a reader that has read a statement of a method's body.

        It holds the uses of the parent class in the statement, and what replaces them.
        """
        first_parameter = next(iter(method.parameters), "")
        # The method `def f(**kwargs)` has no variable `self`.
        has_instance = not first_parameter.startswith("*")
        reader = _UseReader(
            rewriter=self,
            method=method,
            instance=first_parameter if has_instance else "",
            is_static="staticmethod" in method.decorator_names,
        )
        reader.read(statement.node)
        return reader


class _NodeInFunctions(NamedTuple):
    """A node with the nested functions around it, the outermost first.

    For `self.f` in `items.sort(key=lambda x: self.f(x))`, this is the `lambda`.
    """

    node: cst.CSTNode
    functions: tuple[cst.CSTNode, ...]


def _children_in_functions(item: _NodeInFunctions) -> Iterator[_NodeInFunctions]:
    """Yield the children of a node, each with the functions around it.

    Nested classes have none, because `super()` in them means their own bases. A
    comprehension counts as a function, except for the iterable that Python evaluates
    outside of it: the `a` of `[y for x in a for y in b]`.
    """
    node, functions = item
    if isinstance(node, cst.ClassDef):
        return
    functions_inside = functions
    if isinstance(node, _FUNCTIONS_AND_COMPREHENSIONS):
        functions_inside = (*functions, node)
    child_outside: cst.CSTNode | None = None
    match node:
        # The clause `for x in a` contains `a`, so the clause itself counts as outside. Its
        # other children, `x` and `for y in b`, are inside.
        case cst.BaseComp(for_in=first_clause):
            child_outside = first_clause
        case cst.CompFor(iter=iterable):
            child_outside = iterable
    for child in node.children:
        if child is child_outside:
            yield _NodeInFunctions(child, functions)
        else:
            yield _NodeInFunctions(child, functions_inside)


@dataclass
class _UseReader:
    """Finds what statements of a method use of the parent class, and what replaces it.

    For `super().f`, `read` adds the member `f` to `uses`, and the new expression
    `self._llama_mlp_f` to `replacements`.

    Attributes:
        rewriter: The names of the method's class, of its parent class, of the parent's
            members and of their private copies.
        method: The method.
        instance: The method's variable of the instance, mostly `self`; may be empty.
        is_static: Whether the method is a static method.
        uses: The uses in their order.
        replacements: The expressions to replace, each with its new node.
    """

    rewriter: SuperRewriter
    method: DefinitionView
    instance: str
    is_static: bool
    uses: list[ParentUse] = field(default_factory=list)
    replacements: dict[cst.CSTNode, cst.BaseExpression] = field(default_factory=dict)

    def read(self, statement: cst.CSTNode) -> None:
        """Record each use of the parent class and of `super`, and what replaces it.

        Uses that nothing can replace are recorded with the problem.
        """
        supers_with_attribute = set()
        root = _NodeInFunctions(statement, functions=())
        # `functions` are the nested functions around a node.
        for node, functions in descend(root, _children_in_functions):
            match node:
                # `LlamaMLP.forward.__name__`
                case cst.Attribute(
                    value=cst.Attribute(value=owner, attr=cst.Name(value=member)),
                    attr=cst.Name(value=detail),
                ) if self._may_differ_in_copy(owner, member, detail):
                    self._report(
                        f"`{detail}` of a copy under another name may be different",
                        member,
                    )
                # `super().forward`
                case cst.Attribute(
                    value=cst.Call(func=cst.Name(value="super") as name) as call
                ):
                    supers_with_attribute.add(name)
                    self._read_super(node, call, functions)
                # `LlamaMLP.forward`
                case cst.Attribute(value=cst.Name(value=base)) if (
                    base == self.rewriter.base
                ):
                    self._read_attribute_of_parent(node)
                # The walk yields `super().f` before the `super` in it. Any other `super`
                # is a value, as in `x = super()`.
                case cst.Name(value="super") if node not in supers_with_attribute:
                    self._report("`super()` is used as a value")

    def _may_differ_in_copy(
        self, owner: cst.BaseExpression, member: str, detail: str
    ) -> bool:
        """Whether code reads an attribute of a parent's method that its copy may not have.

        The private copy of `forward` has another `__name__`, for example. So the code
        `LlamaMLP.forward.__name__` would read another value.

        Args:
            owner: The expression whose attribute is the method: `LlamaMLP` or `super()`.
            member: The name of the method: `forward`.
            detail: The attribute of the method: `__name__`.
        """
        match owner:
            case cst.Name(value=base) if base == self.rewriter.base:
                return detail not in _SAME_DETAILS
            case cst.Call(func=cst.Name(value="super")):
                is_copied = member in self.rewriter.members
                return is_copied and detail.startswith("__")
        return False

    def _read_attribute_of_parent(self, node: cst.Attribute) -> None:
        """Record a use of `LlamaMLP.forward`, where `LlamaMLP` is the parent class.

        It is replaced by the private copy of the method. If the body of the parent class
        does not define the member, there is no copy, and an error is recorded.
        """
        member = node.attr.value
        base = self.rewriter.base
        if member in self.rewriter.class_methods:
            self._report(f"`{base}.{member}` gets the class `{base}`", member)
        elif member in self.rewriter.members:
            self._use_private_copy(node, self.rewriter.class_name)
        else:
            self._report(
                f"`{base}.{member}` is not defined in the class `{base}` itself"
            )

    def _read_super(
        self, node: cst.Attribute, call: cst.Call, functions: Sequence[cst.CSTNode]
    ) -> None:
        """Record what replaces `super().f` or `super(Class, self).f`, or report an error.

        Nothing is recorded if the expression means the same in the generated class, which
        inherits from the bases of the parent class.

        Args:
            node: The whole expression.
            call: The call to `super` in it.
            functions: The nested functions around it.
        """
        member = node.attr.value
        arguments = [argument.value for argument in call.args]
        # `super(type(self), self).f`, for example
        problem = self._problem_of_super(arguments, functions)
        if problem:
            self._report(problem, member)
            return
        # `super()` means `super(__class__, self)`.
        named_class = node_text(arguments[0]) if arguments else "__class__"
        rewriter = self.rewriter
        if named_class in ("__class__", rewriter.class_name):
            # `super().f` becomes `self._llama_mlp_f` if the parent's body defines `f`. If
            # the parent only inherits `f`, the generated class inherits the same one.
            if member in rewriter.members:
                self._use_private_copy(node, self.instance)
            return
        # In `class MyModelMLP(Other, LlamaMLP)`, `super(LlamaMLP, self).f` skips `Other`,
        # which `super()` in the generated class would not skip.
        if rewriter.bases_before_parent:
            other_base = rewriter.bases_before_parent[0]
            self._report(f"`{other_base}` comes before the parent class", member)
            return
        # `super(LlamaMLP, self).f` becomes `super().f`. `super(Base, self).f` stays.
        if named_class == rewriter.base:
            self.replacements[call] = self._super_of_generated_class(call, functions)

    def _problem_of_super(
        self, arguments: Sequence[cst.BaseExpression], functions: Sequence[cst.CSTNode]
    ) -> str:
        """Return the reason why a call to `super` is refused; empty if it is not.

        Args:
            arguments: The arguments of `super`.
            functions: The nested functions around the call.
        """
        match arguments:
            # `super()`: Python takes the class and the instance of the method, and does
            # not find them in a nested function.
            case []:
                if functions:
                    return "`super()` is in a nested function"
            # `super(LlamaMLP, self)`
            case [named_class, cst.Name(value=instance)] if instance == self.instance:
                if not self._names_a_class(named_class):
                    return "the class in `super` is computed"
            case _:
                return "`super` has arguments that are not the class and `self`"
        has_no_instance = self.is_static or not self.instance
        if has_no_instance or any(map(self._hides_instance, functions)):
            return "`super()` has no instance"
        return ""

    def _hides_instance(self, function: cst.CSTNode) -> bool:
        """Whether a nested function has a parameter with the name of the instance.

        In `lambda self: self`, the last `self` is not that of the method.
        """
        if isinstance(function, cst.FunctionDef | cst.Lambda):
            return self.instance in words(node_text(function.params))
        return False

    def _names_a_class(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a name such as `nn.Module`.

        `self.__class__` and names that begin with a variable of the method are not.
        """
        while isinstance(node, cst.Attribute):
            if node.attr.value.startswith("__"):
                return False
            node = node.value
        if not isinstance(node, cst.Name):
            return False
        method = self.method
        facts = facts_of_statements(method.body.statements)
        variables = facts.all_variables | method.parameter_names
        return node.value not in variables

    def _super_of_generated_class(
        self, call: cst.Call, functions: Sequence[cst.CSTNode]
    ) -> cst.Call:
        """Return the call to `super` that replaces `super(Parent, self)`.

        `super(Parent, self)` searches the bases of the parent class. The generated class
        inherits directly from these bases, so its own `super()` searches the same ones.

        Args:
            call: The call to replace.
            functions: The nested functions around it. In a nested function, `super()` is
                an error, so the new call is `super(Class, self)`.
        """
        arguments: list[cst.Arg] = []
        if functions:
            arguments = [
                cst.Arg(cst.Name(self.rewriter.class_name)),
                cst.Arg(cst.Name(self.instance)),
            ]
        return call.with_changes(args=arguments)

    def _use_private_copy(self, node: cst.Attribute, owner: str) -> None:
        """Record the use of a member of the parent class, and what replaces it.

        If the generated class has a private copy of the parent's `f`, `super().f` is
        replaced by `self._llama_mlp_f`. A member that cannot have another name is reported.

        Each method is read twice. The first reading finds the uses, which decide which of
        the parent's methods are copied. The second reading knows the private names of the
        copies.

        Args:
            node: The attribute, such as `super().f`.
            owner: The variable that replaces `super()`: the instance `self` or the class.
        """
        member = node.attr.value
        if member in _IMPLICIT_METHODS:
            self._report(f"`{member}` cannot have another name", member)
            return
        self.uses.append(ParentUse(member))
        private_name = self.rewriter.private.get(member)
        if private_name is not None:
            self.replacements[node] = node.with_changes(
                value=cst.Name(owner), attr=cst.Name(private_name)
            )

    def _report(self, problem: str, member: str = "") -> None:
        """Record a use of a member that the generated class cannot have."""
        self.uses.append(ParentUse(member, problem))


class _Replacer(cst.CSTTransformer):
    """Replaces expressions with others."""

    def __init__(self, replacements: Mapping[cst.CSTNode, cst.BaseExpression]) -> None:
        """Set the new expression of each node to replace."""
        super().__init__()
        self._replacements = replacements

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT:
        """Return the new node of a replaced expression; others stay."""
        new_node = self._replacements.get(original_node)
        if new_node is None:
            return updated_node
        # No replaced expression contains another one, so nothing in it was updated.
        assert isinstance(new_node, type(original_node)), "the type of a node stays"
        return new_node
