"""Views of classes and functions: their decorators, headers and members."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import libcst as cst

from modular.source.blocks import Block, Kind, Statement, split, split_renamed
from modular.source.class_bases import read_bases
from modular.source.headers import colon_of, header_and_body, is_inline
from modular.source.module import Module, statement_named
from modular.source.parameters import Parameter, ParameterKind, read_parameters
from modular.source.source_slice import SourceSlice
from modular.source.trees import node_text, statement_tree
from modular.source.unreadable import UnreadableError


_MAX_CACHED_VIEWS = 1024
"""Three times as many as the largest model of transformers needs, with its parents."""

_STARS = {ParameterKind.VAR_POSITIONAL: "*", ParameterKind.VAR_KEYWORD: "**"}

_STRING_STARTS = tuple("\"'rRuU")

_NO_COMMA = cst.MaybeSentinel.DEFAULT


@dataclass(eq=False)
class DefinitionView:
    """A class or function definition. A body on the header's line gets its own line.

    Attributes:
        statement: The statement that is viewed.
    """

    statement: Final[Statement]

    @property
    def code(self) -> SourceSlice:
        """The whole statement with the lines above it."""
        return self.statement.code

    @property
    def name(self) -> str:
        """The name of the class or function."""
        return self.statement.name

    @property
    def lead(self) -> SourceSlice:
        """The comments and blank lines above."""
        return self.statement.lead

    @cached_property
    def decorators(self) -> SourceSlice:
        """The lines of the decorators, empty if there are none."""
        return self.code.cut(self.statement.start, self.statement.header_start)

    @cached_property
    def header(self) -> SourceSlice:
        """The lines from the keyword to the colon, with a comment after it."""
        return self._header_and_body[0]

    @cached_property
    def body(self) -> Block:
        """The statements of the body."""
        _, code = self._header_and_body
        original = self.statement.original
        # `split_renamed` is faster, but needs a line of its own for each statement.
        if original is None or ";" in code.masked_text:
            return split(code)
        return split_renamed(code, view_definition(original).body)

    @cached_property
    def is_inline(self) -> bool:
        """Whether the body is on the header's line in the source."""
        statement = self.statement
        return is_inline(
            self.code.masked_text, statement.header_start, statement.header_end
        )

    @cached_property
    def _header_and_body(self) -> tuple[SourceSlice, SourceSlice]:
        """The code of the header, and the code of the body."""
        definition = self.code.cut(self.statement.header_start)
        return header_and_body(definition, 0, self.statement.indent)

    @cached_property
    def node(self) -> cst.ClassDef | cst.FunctionDef:
        """LibCST's node of the definition, whose body is replaced by `pass`.

        Only decorators and header are parsed, because parsing bodies would be slow.

        Raises:
            UnreadableError: LibCST cannot read the header.
        """
        node = statement_tree(self.statement).node
        assert isinstance(node, cst.ClassDef | cst.FunctionDef)
        return node

    @property
    def class_node(self) -> cst.ClassDef:
        """The node of a class. See `node`."""
        return cst.ensure_type(self.node, cst.ClassDef)

    @property
    def function_node(self) -> cst.FunctionDef:
        """The node of a function. See `node`."""
        return cst.ensure_type(self.node, cst.FunctionDef)

    @property
    def type_parameters(self) -> cst.TypeParameters | None:
        """The type parameters of a class, or None."""
        _, name_end = self.statement.name_span
        after_name = self.code.masked_text[name_end : self.statement.header_end]
        if not after_name.lstrip().startswith("["):
            return None
        return self.class_node.type_parameters

    @cached_property
    def signature(self) -> tuple[Parameter, ...] | None:
        """The parameters of a function in order; None if the header cannot be read."""
        # A header without a body is no Python, so the line `pass` is added, with one blank
        # more than the `def`. Parsing the body of the function would be slow.
        body = f"{self.statement.indent} pass\n"
        return read_parameters(self.header.text + body)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of a function's parameters in order, with their stars.

        For `def f(self, *args, key=1, **kwargs)` these are `self`, `*args`, `key` and
        `**kwargs`. A bare `*` is an item of its own.

        Raises:
            UnreadableError: The header cannot be read.
        """
        if self.signature is None:
            raise UnreadableError(self.header)
        names: list[str] = []
        has_star = False
        for parameter in self.signature:
            stars = _STARS.get(parameter.kind, "")
            # Without `*args`, a bare `*` comes before the first keyword-only parameter.
            if parameter.kind is ParameterKind.KEYWORD_ONLY and not has_star:
                names.append("*")
                has_star = True
            if stars == "*":
                has_star = True
            names.append(f"{stars}{parameter.name}")
        return tuple(names)

    @cached_property
    def parameter_names(self) -> frozenset[str]:
        """The names of a function's parameters, without stars."""
        names = {parameter.lstrip("*") for parameter in self.parameters}
        # A bare `*` has no name.
        return frozenset(names - {""})

    @property
    def decorator_names(self) -> list[str]:
        """The names of the decorators: `nn.wrap` for `@nn.wrap(size=1)`."""
        names = []
        for decorator in self.node.decorators:
            expression = decorator.decorator
            if isinstance(expression, cst.Call):
                expression = expression.func
            names.append(node_text(expression))
        return names

    @property
    def is_async(self) -> bool:
        """Whether it is an `async def`."""
        return self.header.masked_text.lstrip().startswith("async")

    @cached_property
    def bases(self) -> tuple[str, ...]:
        """The bases of a class. See `read_bases`."""
        return read_bases(self.statement)

    def has_comma_after(self, base: str) -> bool:
        """Whether a comma follows a base of a class."""
        return any(
            isinstance(argument.comma, cst.Comma)
            for argument in self.class_node.bases
            if node_text(argument.value) == base
        )

    def changed_class_header(
        self,
        name: str,
        parameters: cst.TypeParameters | None,
        bases: Iterable[str],
        ends_with_comma: bool = False,
    ) -> SourceSlice:
        """Return the header of a class with another name and other bases.

        Keyword arguments such as `metaclass=` and a comment after the header stay.

        Args:
            name: The new name.
            parameters: The new type parameters.
            bases: The new bases.
            ends_with_comma: Whether a comma is written after the last base. Ignored if
                there are keywords.
        """
        arguments = list(bases)
        for keyword in self.class_node.keywords:
            # A keyword's node includes the comma after the keyword, which is removed.
            arguments.append(node_text(keyword.with_changes(comma=_NO_COMMA)))

        text = f"class {name}"
        if parameters is not None:
            text += node_text(parameters)
        if arguments:
            comma = "," if ends_with_comma and not self.class_node.keywords else ""
            text += f"({', '.join(arguments)}{comma})"
        # The colon and a comment after the colon stay.
        colon = colon_of(self.header.masked_text, start=0)
        return self.header.replace([(0, colon, text)])

    def changed_function_header(self, node: cst.FunctionDef) -> SourceSlice:
        """Return the source of a function's header after its node was changed.

        Args:
            node: The changed node of the function. Like `function_node`, it has the body
                `pass` instead of the function's own.
        """
        bare_node = node.with_changes(decorators=(), lines_after_decorators=())
        function_text = statement_tree(self.statement).render(bare_node)
        # All lines but the last one, which is `pass`, are the header.
        pass_start = function_text.rstrip("\n").rindex("\n") + 1
        new_header = function_text[:pass_start]
        return self.header.replace([(0, len(self.header.text), new_header)])

    @cached_property
    def docstring(self) -> Statement | None:
        """The docstring of the class or function, or None.

        In a function, only the first statement can be a docstring. In a class, the first
        statement that is only a string counts, even below other statements.
        """
        if self.statement.kind is Kind.CLASS:
            candidates = self.body.statements
        else:
            # Splitting a body is slow, so it is done only if a string is at the beginning.
            _, body_code = self._header_and_body
            if not body_code.masked_text.lstrip().startswith(_STRING_STARTS):
                return None
            candidates = self.body.statements[:1]
        for candidate in candidates:
            if candidate.kind is Kind.STRING:
                return candidate
        return None

    @property
    def body_without_docstring(self) -> list[Statement]:
        """The statements of the body except for the docstring."""
        statements = self.body.statements
        return [
            statement for statement in statements if statement is not self.docstring
        ]


@lru_cache(maxsize=_MAX_CACHED_VIEWS)
def view_definition(statement: Statement) -> DefinitionView:
    """Return the view of a class or function.

    Recent views are kept here. If a statement kept its own view, which refers to it,
    both would live until the garbage collector finds their cycle.
    """
    return DefinitionView(statement)


def class_named(module: Module, name: str) -> DefinitionView | None:
    """Return the class with a name in a module, or None if the name is not a class.

    If the module defines the name several times, the last definition counts.
    """
    statement = statement_named(module, name)
    if statement is None or statement.kind is not Kind.CLASS:
        return None
    return view_definition(statement)
