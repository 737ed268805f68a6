"""Classes and functions taken apart: decorators, header and members."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import libcst as cst

from modular.source import shortcuts
from modular.source.blocks import Block, Kind, Statement, split
from modular.source.headers import colon_of, header_and_body, is_inline
from modular.source.module import Module, statement_named
from modular.source.source_slice import SourceSlice
from modular.source.trees import statement_tree, written


_KEPT = 1024
"""Classes and functions that are kept taken apart: three times what the largest model of transformers and its parents have."""

_BEGINS_STRING = tuple("\"'rRuU")

_DEFAULT = cst.MaybeSentinel.DEFAULT


@dataclass(eq=False)
class DefinitionView:
    """A class or function definition. A body on the header's line is put on a line of its own."""

    statement: Final[Statement]

    @property
    def code(self) -> SourceSlice:
        """The whole statement, with the lines above it."""
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
        """The decorator lines, empty if there are none."""
        return self.code.cut(self.statement.start, self.statement.opening)

    @cached_property
    def header(self) -> SourceSlice:
        """From the keyword to the end of the header's last line, a comment after it included."""
        return self._header_and_body[0]

    @cached_property
    def body(self) -> Block:
        """The statements of the body."""
        return split(self._header_and_body[1])

    @cached_property
    def is_inline(self) -> bool:
        """Whether the body is on the header's line."""
        statement = self.statement
        return is_inline(self.code.mask, statement.opening, statement.head_end)

    @cached_property
    def _header_and_body(self) -> tuple[SourceSlice, SourceSlice]:
        return header_and_body(
            self.code.cut(self.statement.opening), 0, self.statement.indent
        )

    @cached_property
    def node(self) -> cst.ClassDef | cst.FunctionDef:
        """The class or function, with its own decorators and header; its body says nothing."""
        node = statement_tree(self.statement).node
        assert isinstance(node, cst.ClassDef | cst.FunctionDef)
        return node

    @property
    def class_node(self) -> cst.ClassDef:
        """The head of a class."""
        return cst.ensure_type(self.node, cst.ClassDef)

    @property
    def function_node(self) -> cst.FunctionDef:
        """The head of a function."""
        return cst.ensure_type(self.node, cst.FunctionDef)

    @property
    def type_parameters(self) -> cst.TypeParameters | None:
        """The type parameters of a class."""
        after_name = self.code.mask[
            self.statement.written_name[1] : self.statement.head_end
        ]
        return (
            self.class_node.type_parameters
            if after_name.lstrip().startswith("[")
            else None
        )

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of a function's parameters in their order, with the stars before them; a star may appear alone."""
        params = self.function_node.params
        stars = (
            [f"*{params.star_arg.name.value}"]
            if isinstance(params.star_arg, cst.Param)
            else []
        )
        stars += ["*"] * isinstance(params.star_arg, cst.ParamStar)
        names = [param.name.value for param in (*params.posonly_params, *params.params)]
        last = (
            [] if params.star_kwarg is None else [f"**{params.star_kwarg.name.value}"]
        )
        return (
            *names,
            *stars,
            *(kwonly_param.name.value for kwonly_param in params.kwonly_params),
            *last,
        )

    @property
    def decorator_names(self) -> list[str]:
        """The decorators' names, as written but for blanks around dots, arguments aside."""
        called = (decorator.decorator for decorator in self.node.decorators)
        named = [
            decorator.func if isinstance(decorator, cst.Call) else decorator
            for decorator in called
        ]
        return [written(decorator) for decorator in named]

    @property
    def is_async(self) -> bool:
        """Whether it is an `async def`."""
        return self.header.mask.lstrip().startswith("async")

    @cached_property
    def bases(self) -> tuple[str, ...]:
        """The bases of a class, as written but for blanks around dots, keywords aside."""
        names = shortcuts.plain_bases(
            self.code.mask, self.statement.written_name[1], self.statement.head_end
        )
        if names is None:
            names = [
                f"{base.star}{written(base.value)}" for base in self.class_node.bases
            ]
        return tuple(dict.fromkeys(filter(None, names)))

    def header_of(
        self, name: str, parameters: cst.TypeParameters | None, bases: Iterable[str]
    ) -> SourceSlice:
        """Return a class's header with another name, type parameters and bases; keywords and a comment after it stay."""
        keywords = (
            written(keyword.with_changes(comma=_DEFAULT))
            for keyword in self.class_node.keywords
        )
        listed = ", ".join((*bases, *keywords))
        text = f"class {name}{'' if parameters is None else written(parameters)}{f'({listed})' if listed else ''}"
        return self.header.replace([(0, colon_of(self.header.mask, 0), text)])

    def header_with(self, node: cst.FunctionDef) -> SourceSlice:
        """Return a function's header as a changed node has it."""
        text = statement_tree(self.statement).render(
            node.with_changes(decorators=(), lines_after_decorators=())
        )
        end = text.rstrip("\n").rindex("\n") + 1
        return self.header.replace([(0, len(self.header.text), text[:end])])

    @cached_property
    def docstring(self) -> Statement | None:
        """The docstring: for a function the statement that its body begins with, for a class any string that appears alone."""
        is_class = self.statement.kind is Kind.CLASS
        if (
            not is_class
            and self._header_and_body[1].mask.lstrip()[:1] not in _BEGINS_STRING
        ):
            return None
        candidates = self.body.statements if is_class else self.body.statements[:1]
        return next(
            (candidate for candidate in candidates if candidate.kind is Kind.STRING),
            None,
        )


@lru_cache(maxsize=_KEPT)
def view_definition(statement: Statement) -> DefinitionView:
    """Return a class or function taken apart, once as long as it is among those that were asked for last.

    They refer to the statement: if it kept them, both would stay until Python looks for garbage.
    """
    return DefinitionView(statement)


def class_named(module: Module, name: str) -> DefinitionView | None:
    """Return the last class of a name at module level, which is what Python takes, or None if the name means something else."""
    statement = statement_named(module, name)
    return (
        view_definition(statement)
        if statement is not None and statement.kind is Kind.CLASS
        else None
    )
