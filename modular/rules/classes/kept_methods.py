"""With `inheritance = "python"`, a called parent's method is kept under a private name.

This rule is for projects with the setting `inheritance = "python"`. There `super()` may
be anywhere in a method: in a larger expression, in `with`, `if` or `try`, in another
method, twice, or with other arguments. If the parent's body cannot take the place of
the call (see `inlined-call`), the generated class keeps the parent's method:

- **Its private name** contains the names of the parent class and of the method:
  `_llama_mlp_forward`. The method keeps its decorators, its parameters and its body.
- **`super().forward` becomes `self._llama_mlp_forward`,** and `cls._...` in a class
  method. So does `super().size` if `size` is a property: its getter is kept.
- **`LlamaMLP.forward(self, x)` becomes `MyModelMLP._llama_mlp_forward(self, x)`.**
- **`super(LlamaMLP, self).forward` becomes `super().forward`,** which calls the bases
  of the generated class.
- **`super().other` does not change** if the parent class itself has no `other`. In the
  generated class, it calls the same base as in the modular file.

Anything else that needs the parent class is an error: `super()` as a value, `super()`
without arguments in a nested function, and the parent's class attributes.

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
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

import libcst as cst

from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.source_slice import words
from modular.source.trees import Tree, node_text, parse


_SUPER = "super"
_IMPLICIT_METHODS = ("__new__", "__init_subclass__", "__class_getitem__")
"""Methods that Python makes static or class methods because of their names."""

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

_SCOPES = (
    cst.FunctionDef,
    cst.Lambda,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.GeneratorExp,
)
"""Nested functions; before Python 3.12, a comprehension is one, too."""

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


def keep_method(method: DefinitionView, private_name: str) -> Statement:
    """Return a method of the parent class under a private name."""
    statement = method.statement
    start, end = statement.name_span
    code = statement.code.replace([(start, end, private_name)])
    return Statement(code, statement.start, statement.kind, private_name)


def obstacle_to_keeping(method: DefinitionView) -> str:
    """Return the decorator because of which a method cannot have another name, or ""."""
    for decorator in method.decorator_names:
        if decorator.rpartition(".")[2] in _NAME_DEPENDENT:
            return decorator
    return ""


def private_names(
    parent_name: str, members: Collection[str], taken: Collection[str]
) -> dict[str, str]:
    """Return a private name for each of some members of a parent class.

    For `forward` of `LlamaMLP` this is `_llama_mlp_forward`, or, if this name is taken,
    `_llama_mlp_forward2`.

    Args:
        parent_name: The name of the parent class in its own file, such as `LlamaMLP`.
        members: The names of the members.
        taken: All words of both classes, which cannot be private names.
    """
    prefix = _WORD_START.sub("_", parent_name).lower()
    names: dict[str, str] = {}
    for member in sorted(members):
        name = f"_{prefix}_{member.strip('_')}"
        candidate = name
        number = 2
        while candidate in taken or candidate in names.values():
            candidate = f"{name}{number}"
            number += 1
        names[member] = candidate
    return names


@dataclass
class SuperRewriter:
    """Finds and replaces what refers to the parent class in methods of a class.

    Attributes:
        class_name: The class of the modular file.
        base: Its base that is the parent class.
        members: The names of the members that the parent class itself defines.
        private: The private names of those that are kept.
        bases_before_parent: The bases that the class names before the parent class.
    """

    class_name: str
    base: str
    members: Collection[str]
    private: Mapping[str, str] = field(default_factory=dict)
    bases_before_parent: Collection[str] = ()

    def may_use_parent(self, code: Statement) -> bool:
        """Whether a statement has a word that can refer to the parent class."""
        mask = code.code.mask
        return _SUPER in mask or self.base in mask

    def find_uses(
        self, method: DefinitionView, statement: Statement
    ) -> Iterator[ParentUse]:
        """Yield what a statement of a method's body uses of the parent class."""
        if self.may_use_parent(statement):
            visitor = self._visit(method, parse(statement.bare_code))
            yield from visitor.uses

    def rewrite(self, method: DefinitionView, statement: Statement) -> Statement:
        """Return a statement of a method's body that does not need the parent class."""
        if not self.may_use_parent(statement):
            return statement
        tree = parse(statement.bare_code)
        visitor = self._visit(method, tree)
        if not visitor.replacements:
            return statement
        node = tree.node.visit(_Replacer(visitor.replacements))
        assert isinstance(node, cst.BaseStatement), "only expressions are replaced"
        start = statement.start
        code = statement.code.replace(
            [(start, len(statement.code.text), tree.render(node))]
        )
        return replace(statement, code=code)

    def _visit(self, method: DefinitionView, tree: Tree) -> "_UseVisitor":
        visitor = _UseVisitor(self, method)
        tree.node.visit(visitor)
        return visitor


class _UseVisitor(cst.CSTVisitor):
    """Collects what one statement uses of the parent class.

    Attributes:
        uses: The uses in their order.
        replacements: The expressions to replace, each with its new node.
    """

    def __init__(self, rewriter: SuperRewriter, method: DefinitionView) -> None:
        """Start to read the statements of a method.

        Args:
            rewriter: The names of the class, of its parent class and of the members.
            method: The method that contains the statement.
        """
        super().__init__()
        self.uses: list[ParentUse] = []
        self.replacements: dict[cst.CSTNode, cst.BaseExpression] = {}
        self._rewriter = rewriter
        first_parameter = next(iter(method.parameters), "")
        # A method such as `def f(**super_kwargs)` has no parameter for the instance.
        has_instance = not first_parameter.startswith("*")
        self._instance = first_parameter if has_instance else ""
        self._is_static = "staticmethod" in method.decorator_names
        # The number of nested functions around the node that is visited, and the number
        # of those whose parameters hide the instance, as `self` in `lambda self: self`.
        self._function_depth = 0
        self._hiding_depth = 0
        # The first iterable of a comprehension is read outside of the comprehension.
        self._outer_iterables: set[cst.CSTNode] = set()
        # The `super` of calls that are read; `visit_Name` reports all others.
        self._read_names: set[cst.CSTNode] = set()

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Enter a node, but not a nested class, in which `super()` means its own bases."""
        if isinstance(node, cst.ClassDef):
            return False
        # In `[x for x in super().f()]`, Python reads this iterable before the function.
        if node in self._outer_iterables:
            self._function_depth -= 1
        if isinstance(node, _SCOPES):
            self._function_depth += 1
            self._hiding_depth += self._hides_instance(node)
        if isinstance(node, cst.BaseComp):
            self._outer_iterables.add(node.for_in.iter)
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Leave a node."""
        if isinstance(original_node, _SCOPES):
            self._function_depth -= 1
            self._hiding_depth -= self._hides_instance(original_node)
        if original_node in self._outer_iterables:
            self._function_depth += 1
        super().on_leave(original_node)

    def _hides_instance(self, node: cst.CSTNode) -> bool:
        """Whether a nested function has a parameter with the name of the instance."""
        if isinstance(node, cst.FunctionDef | cst.Lambda):
            return self._instance in words(node_text(node.params))
        return False

    def visit_Attribute(self, node: cst.Attribute) -> None:
        """Read `super().f`, `super(Class, self).f` and `Parent.f`."""
        member = node.attr.value
        match node.value:
            case cst.Call(func=cst.Name(value="super") as function, args=arguments):
                self._read_names.add(function)
                self._read_super(
                    node, member, [argument.value for argument in arguments]
                )
            case cst.Name(value=name) if name == self._rewriter.base:
                if not self._use(node, member, self._rewriter.class_name):
                    self._report(
                        f"`{name}.{member}` is not defined in the class `{name}` itself"
                    )

    def _read_super(
        self, node: cst.Attribute, member: str, arguments: list[cst.BaseExpression]
    ) -> None:
        """Record the use in `super().f` or `super(Class, self).f`, or report it.

        Args:
            node: The attribute.
            member: Its name: `f`.
            arguments: The arguments of `super`.
        """
        # Without arguments, Python takes the class and the instance of the method.
        named_class = ""
        match arguments:
            case []:
                # A nested function has no class, and may have no instance.
                if self._function_depth:
                    self._report("`super()` is in a nested function", member)
                    return
            case [named, cst.Name(value=instance)] if instance == self._instance:
                named_class = node_text(named)
            case _:
                self._report(
                    "`super` has other arguments than the class and `self`", member
                )
                return
        has_no_instance = self._is_static or not self._instance
        if has_no_instance or self._hiding_depth:
            self._report("`super()` has no instance", member)
        elif named_class in ("", "__class__", self._rewriter.class_name):
            self._use(node, member, self._instance)
        # Another class is named, mostly in `super(Parent, self)`, which searches only the
        # parent's bases. They become bases of the generated class. But its own `super()`
        # would search the bases before them, too.
        elif self._rewriter.bases_before_parent:
            first = next(iter(self._rewriter.bases_before_parent))
            self._report(f"`{first}` comes before the parent class", member)
        elif named_class == self._rewriter.base:
            self._replace_super_of_parent(node)

    def _replace_super_of_parent(self, node: cst.Attribute) -> None:
        """Replace `super(Parent, self)` by `super()` of the generated class.

        This class has the bases of its parent class. In a nested function, it must be
        named: `super(Class, self)`.
        """
        arguments: list[cst.Arg] = []
        if self._function_depth:
            arguments = [
                cst.Arg(cst.Name(self._rewriter.class_name)),
                cst.Arg(cst.Name(self._instance)),
            ]
        call = cst.ensure_type(node.value, cst.Call).with_changes(args=arguments)
        self.replacements[node.value] = call

    def _use(self, node: cst.Attribute, member: str, owner: str) -> bool:
        """Record a use of a member of the parent class, if it has the member.

        If the member is kept, `super().f` is replaced by `self._llama_mlp_f`.

        Args:
            node: The attribute, such as `super().f`.
            member: Its name: `f`.
            owner: What the kept member is an attribute of: the instance or the class.

        Returns:
            Whether the body of the parent class has the member.
        """
        if member not in self._rewriter.members:
            return False
        problem = ""
        if member in _IMPLICIT_METHODS:
            problem = f"`{member}` cannot have another name"
        self.uses.append(ParentUse(member, problem))
        private = self._rewriter.private.get(member)
        if private is not None:
            self.replacements[node] = node.with_changes(
                value=cst.Name(owner), attr=cst.Name(private)
            )
        return True

    def _report(self, problem: str, member: str = "") -> None:
        self.uses.append(ParentUse(member, problem))

    def visit_Name(self, node: cst.Name) -> None:
        """Report `super()` that is used as a value."""
        if node.value == _SUPER and node not in self._read_names:
            self._report("`super()` is used as a value")


class _Replacer(cst.CSTTransformer):
    """Replaces expressions by others."""

    def __init__(self, replacements: Mapping[cst.CSTNode, cst.BaseExpression]) -> None:
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
