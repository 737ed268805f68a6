"""Tells which names a file defines, and which it only uses.

A model's name in `sam_size` may be renamed with the model if one of its files defines
`sam_size`. A name of another module, such as `ops.clip`, must stay.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from modular.semantics.facts import ATTRIBUTE_FUNCTIONS
from modular.source.import_statements import find_imports
from modular.source.module import Module
from modular.source.python_trees import dotted_name, parse


_MAX_CACHED_FILES = 256
_OWN_OBJECTS = ("self", "cls")

_PLACEHOLDER = re.compile(r"\{[^{}]*\}|%\w")
"""A part of a string that is filled in later, as in `"sam_{}"` or `"sam_%d"`."""


@dataclass(frozen=True)
class NamesInFile:
    """The names in one file, by their role.

    Attributes:
        outer: Names that statements at module level bind, except for imports.
        inner: Members, attributes, parameters, and variables of functions.
        foreign_keywords: Keywords of calls to imported functions: `n` in `ops.f(n=1)`.
        foreign_members: Attributes of objects that may be of any class: `clip` in
            `x.clip()` and `x.clip`, but not in `self.clip()`.
        foreign_methods: The foreign members that the code calls.
        mentioned: All names, attributes and keywords that the code mentions.
        strings: The strings that are names, such as `fern_size` in `x["fern_size"]`.
        computed: Regular expressions of the names that code may compute, such as
            `fern_.*` for `f"fern_{i}"` or `"fern_" + name`.
        formatted: The ones among them that come from f-strings.
        parts: The strings from which `getattr`, `setattr` and the like compute a name, as
            in `"_".join(["fern", part])`.
    """

    outer: frozenset[str]
    inner: frozenset[str]
    foreign_keywords: frozenset[str]
    foreign_members: frozenset[str]
    foreign_methods: frozenset[str]
    mentioned: frozenset[str]
    strings: frozenset[str]
    computed: frozenset[str]
    formatted: frozenset[str]
    parts: frozenset[str]

    @property
    def defined(self) -> frozenset[str]:
        """All names that the file defines."""
        return self.outer | self.inner


@lru_cache(maxsize=_MAX_CACHED_FILES)
def names_of_file(module: Module) -> NamesInFile:
    """Return the names in a file by their role; none if Python cannot parse the file."""
    imported: set[str] = set()
    for import_ in find_imports(module.code.masked_text):
        imported.update(alias.bound.partition(".")[0] for alias in import_.names)
    reader = _NameReader(imported)
    tree = parse(module.code.text)
    for statement in tree.body:
        reader.read_outer(statement)
    for node in ast.walk(tree):
        reader.read(node)
    return NamesInFile(
        outer=frozenset(reader.outer),
        inner=frozenset(reader.bound - reader.outer),
        foreign_keywords=frozenset(reader.foreign_keywords),
        foreign_members=frozenset(reader.foreign_members),
        foreign_methods=frozenset(reader.foreign_methods),
        mentioned=frozenset(reader.mentioned),
        strings=frozenset(reader.strings),
        computed=frozenset(reader.computed | reader.formatted),
        formatted=frozenset(reader.formatted),
        parts=frozenset(reader.parts),
    )


def is_computed(name: str, patterns: Iterable[str]) -> bool:
    """Whether one of some patterns matches a name, so that code may compute it.

    Args:
        name: The name.
        patterns: Those of `NamesInFile.computed` or `NamesInFile.formatted`.
    """
    return any(re.fullmatch(pattern, name) for pattern in patterns)


class _NameReader:
    """Collects the names in the nodes of one file."""

    def __init__(self, imported: set[str]) -> None:
        """Begin without names.

        Args:
            imported: The names that the imports of the file bind.
        """
        self._imported = imported
        self.outer: set[str] = set()
        self.bound: set[str] = set()
        self.foreign_keywords: set[str] = set()
        self.foreign_members: set[str] = set()
        self.foreign_methods: set[str] = set()
        self.mentioned: set[str] = set()
        self.strings: set[str] = set()
        self.computed: set[str] = set()
        self.formatted: set[str] = set()
        self.parts: set[str] = set()

    def read_outer(self, node: ast.AST) -> None:
        """Collect the names that a statement, or a part of it, binds at module level."""
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                # The names inside belong to the function or class.
                self.outer.add(node.name)
                return
            case ast.Lambda():
                return
            case ast.Name(ctx=ast.Store()):
                self.outer.add(node.id)
        for child in ast.iter_child_nodes(node):
            self.read_outer(child)

    def read(self, node: ast.AST) -> None:
        """Collect the names that one node binds or mentions."""
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.bound.add(node.name)
            case ast.arg():
                self.bound.add(node.arg)
            case ast.Name():
                names = self.mentioned if isinstance(node.ctx, ast.Load) else self.bound
                names.add(node.id)
            case ast.Attribute():
                self._read_attribute(node)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                self.bound.add(name)
            case ast.Call():
                self._read_call(node)
            case ast.Constant(value=str(text)):
                self._read_string(text)
            case ast.JoinedStr():
                self._read_fstring(node)

    def _is_of_own_class(self, attribute: ast.Attribute) -> bool:
        """Whether an attribute certainly belongs to a class of this file.

        It does in `self.size`, `super().size`, and `FernMLP.size` if the file defines
        `FernMLP`.
        """
        match attribute.value:
            case ast.Name(id=name):
                return name in _OWN_OBJECTS or name in self.outer
            case ast.Call(func=ast.Name(id="super")):
                return True
        return False

    def _read_attribute(self, node: ast.Attribute) -> None:
        """Collect an attribute, which is foreign if its object may be of any class."""
        if not isinstance(node.ctx, ast.Load):
            self.bound.add(node.attr)
            return
        self.mentioned.add(node.attr)
        if not self._is_of_own_class(node):
            self.foreign_members.add(node.attr)

    def _read_call(self, call: ast.Call) -> None:
        """Collect the method, the keywords and the computed attribute of a call."""
        method = call.func
        if isinstance(method, ast.Attribute) and not self._is_of_own_class(method):
            self.foreign_methods.add(method.attr)
        match call:
            case ast.Call(func=ast.Name(id=function), args=[_, attribute, *_]) if (
                function in ATTRIBUTE_FUNCTIONS
            ):
                self._read_attribute_name(attribute)
        keywords = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
        self.mentioned |= keywords
        function = dotted_name(call.func)
        if function and function.partition(".")[0] in self._imported:
            # The function may be `partial`, as in `partial(FernA, fern_x=1)`, which passes
            # the keyword on to any class.
            self.foreign_keywords |= keywords

    def _read_attribute_name(self, name: ast.expr) -> None:
        """Collect the name of an attribute in `getattr(self, name)`, or its parts.

        In `getattr(self, name + "_size")`, the only known part is `_size`.
        """
        match name:
            case ast.Constant(value=str(text)):
                self.mentioned.add(text)
                return
        for node in ast.walk(name):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.parts.add(node.value)

    def _read_string(self, text: str) -> None:
        """Collect a string that is a name, and the pattern of the names it may become.

        Three forms of strings may become names:

        - `"fern_%d"` is filled in, so its pattern is `fern_.*`.
        - `"fern_"` may get an end, as in `"fern_" + name`. Its pattern is `fern_.*`, too.
        - `"_fern"` may get a beginning. Its pattern is `.*_fern`.
        """
        if text.isidentifier():
            self.strings.add(text)

        pieces = _PLACEHOLDER.split(text)
        if not "".join(pieces).isidentifier():
            return
        has_placeholder = len(pieces) > 1
        gets_beginning = text.startswith("_")
        gets_end = text.endswith("_")
        pattern = ".*".join(map(re.escape, pieces))
        if gets_beginning:
            pattern = f".*{pattern}"
        if gets_end:
            pattern = f"{pattern}.*"
        if has_placeholder or gets_beginning or gets_end:
            self.computed.add(pattern)

    def _read_fstring(self, node: ast.JoinedStr) -> None:
        """Collect the pattern of the names that an f-string can make.

        It is `fern_.*` for `f"fern_{i}"`. An f-string with blanks is prose, and makes no
        names.
        """
        pattern = ""
        fixed_text = ""
        for value in node.values:
            if isinstance(value, ast.Constant):
                fixed_text += str(value.value)
                pattern += re.escape(str(value.value))
            else:
                pattern += ".*"
        if fixed_text.isidentifier():
            self.formatted.add(pattern)
