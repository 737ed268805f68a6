"""Writes a method as an override of the parent's method, in full or with `super()`."""

import re
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from symtable import Symbol, SymbolTable, symtable
from typing import NamedTuple

from modular.infer.equivalence import equal_after_formatting, normal_form
from modular.rules.classes import super_call
from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.classes.super_kwargs import SUPER_KWARGS
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.indentation import STEP
from modular.source.walking import walk


_POST_INIT = "self.post_init("
_SUPER_INIT = "super().__init__"
_MODULE = "nn.Module"
_RETURN = re.compile(r"\s*return\b")
_DOTTED_NAME = re.compile(r"[\w.]+")
_PLAIN_SUPER = re.compile(r"\bsuper\(\)")
_ATTRIBUTE = re.compile(r"self\.\w+")
_BODY_INDENT = STEP * 2


@dataclass(frozen=True, slots=True)
class Override:
    """The text of a method, and whether it merges the parent's body by `super()`."""

    text: str
    merged: bool = False

    @property
    def line_count(self) -> int:
        """The number of lines."""
        return self.text.count("\n")


def write_override(
    parent: DefinitionView | None,
    method: DefinitionView,
    bases: tuple[str, ...],
    can_merge: bool,
    python_parent: str = "",
) -> Override | None:
    """Return the shortest text that overrides a method, or None if there is none.

    The method is written in full, or with a `super()` call that the converter replaces
    by the parent's body.

    Args:
        parent: The parent's method, renamed, if there is one.
        method: The method that is to be generated.
        bases: The bases of its class.
        can_merge: Whether the method may merge the parent's body by `super()`.
        python_parent: The name of the parent class if the override does what Python's
            inheritance does; empty if the rules of transformers decide.
    """
    full = _write_in_full(parent, method, bases, python_parent)
    if full is None or parent is None or not can_merge:
        return full
    merged = _write_merged(parent, method, bool(python_parent))
    if merged is None or merged.line_count > full.line_count:
        return full
    return merged


def _write_in_full(
    parent: DefinitionView | None,
    method: DefinitionView,
    bases: tuple[str, ...],
    python_parent: str,
) -> Override | None:
    """Return the whole method as an override, or None if that is impossible.

    The converter would replace a `super()` call in it by the parent's body. So the call
    must name the base instead, which is not possible for every call.

    Args:
        parent: The parent's method; None if the parent class has no such method.
        method: The method to write.
        bases: The bases of the flat class, which a call may name.
        python_parent: The name of the parent class if the override does what Python's
            inheritance does; empty if the rules of transformers decide.
    """
    if not python_parent:
        body = _body_with_explicit_calls(method, bases)
    elif parent is None:
        # `super()` finds no method in the parent class, so it may stay.
        body = "".join(item.code.text for item in method.body_without_docstring)
    else:
        body = _body_past_parent(method, python_parent)
    if body is None:
        return None

    decorators = method.lead.text + method.decorators.text
    docstring = _docstring_text(method)
    if parent is not None:
        decorators = _decorator_lines(parent, method, bool(python_parent))
        # An equal docstring is inherited. But without it, the formatter would remove a
        # blank line at the beginning of the body.
        can_begin_with_body = body and not body.startswith("\n")
        if can_begin_with_body:
            docstring = changed_docstring(parent, method)
    footer = method.body.footer.text
    return Override(f"{decorators}{method.header.text}{docstring}{body}{footer}")


def _decorator_lines(
    parent: DefinitionView, method: DefinitionView, is_like_python: bool
) -> str:
    """Return the decorators if they differ from the parent's, below a blank line.

    Equal decorators are inherited. If only the parent has some, a marker decorator says
    that they are not inherited. In Python, no decorator of a method is inherited.
    """
    if is_like_python:
        return "\n" + method.decorators.text
    if normal_form(parent.decorators) == normal_form(method.decorators):
        return "\n"
    return "\n" + (method.decorators.text or f"{STEP}@{NO_INHERIT_DECORATOR}\n")


def _docstring_text(view: DefinitionView) -> str:
    return view.docstring.code.text if view.docstring is not None else ""


def changed_docstring(parent: DefinitionView, child: DefinitionView) -> str:
    """Return the docstring of a class or method, or "" if it is the parent's."""
    if parent.docstring is not None and child.docstring is not None:
        form = normal_form(child.docstring.code)
        if form == normal_form(parent.docstring.code):
            return ""
    return _docstring_text(child)


def _body_with_explicit_calls(
    method: DefinitionView, bases: tuple[str, ...]
) -> str | None:
    """Return a body whose `super()` calls name the base.

    The converter would replace `super().forward(x)` by the parent's body, but it keeps
    `nn.Linear.forward(self, x)`.

    Returns:
        The body, or None if there is no base to name.
    """
    body = ""
    for statement in method.body_without_docstring:
        if not super_call.is_super_call(statement, method.name):
            body += statement.code.text
            continue
        explicit_call = _name_base_in_call(statement, method.name, bases)
        if explicit_call is None:
            return None
        body += explicit_call
    return body


def _body_past_parent(method: DefinitionView, parent: str) -> str:
    """Return a body whose `super()` calls skip the parent class.

    Of a class that inherits from the complete one, `super()` in it means the parent
    class. `super(LlamaMLP, self)` means the next class, as `super()` does in the
    complete class.
    """
    instance = next(iter(method.parameters), "self")
    texts = []
    for statement in method.body_without_docstring:
        code = statement.code
        edits = []
        for call in _PLAIN_SUPER.finditer(code.mask):
            edits.append((*call.span(), f"super({parent}, {instance})"))
        texts.append(code.replace(edits).text)
    return "".join(texts)


def _name_base_in_call(
    statement: Statement, method: str, bases: tuple[str, ...]
) -> str | None:
    """Return a statement with `super().method(x)` replaced by `Base.method(self, x)`.

    Args:
        statement: The statement with the call.
        method: The name of the method.
        bases: The bases of its class.

    Returns:
        The text, or None if no base has a name, or if the statement has no text
        `super().method(`, for example because of a line break in it.
    """
    named_bases = [base for base in bases if _DOTTED_NAME.fullmatch(base)]
    call = re.search(rf"super\(\)\.{method}\((\s*)(\)?)", statement.code.mask)
    if call is None or not named_bases:
        return None
    base = _MODULE if _MODULE in bases else named_bases[0]

    # `super().f()` has no arguments, `super().f(x)` and `super().f(\n    x` have some.
    blanks, closing_bracket = call.groups()
    if closing_bracket:
        first_argument = f"self{blanks})"
    else:
        first_argument = f"self, {blanks.lstrip(' ')}"
    text = statement.code.text
    text_before = text[: call.start()]
    text_after = text[call.end() :]
    return f"{text_before}{base}.{method}({first_argument}{text_after}"


def _write_merged(
    parent: DefinitionView, method: DefinitionView, is_like_python: bool
) -> Override | None:
    """Return a method that calls the parent's by `super()`, if it can be written so.

    The converter replaces the call by the parent's body, which must give the wanted
    method. If the parent's body is `b`, and `a; b; c` is wanted, the method has the
    body `a; super().forward(x); c`.
    """
    if "staticmethod" in method.decorator_names:
        # A static method has no `self`, which `super()` needs.
        return None
    parent_body = parent.body_without_docstring
    merge = _find_merge(parent_body, method.body_without_docstring)
    if merge is None:
        return None

    docstring = changed_docstring(parent, method)
    if merge.text_above.startswith("\n") and not docstring:
        # The formatter would remove this blank line below the header.
        return None
    parent_returns = _RETURN.match(parent_body[-1].bare_code.mask) is not None
    if parent_returns and merge.text_below:
        # Python would never reach the statements below the call.
        return None

    decorators = _decorator_lines(parent, method, is_like_python)
    keyword = "return " if parent_returns else ""
    # The shortest header comes first. It may lack a parameter that the code around the
    # call reads. Such a method is not written, and the next header is tried.
    for header, arguments in _possible_calls(parent, method, merge.above_call):
        call = f"super().{method.name}({', '.join(arguments)})"
        call_line = f"{_BODY_INDENT}{keyword}{call}\n"
        text = header + docstring + merge.text_above + call_line + merge.text_below
        if not _depends_on_parent_locals(parent.code.text, text):
            return Override(decorators + text, merged=True)
    return None


class _PossibleCall(NamedTuple):
    """A header for a method, and the arguments of the `super()` call in its body."""

    header: str
    arguments: list[str]


def _possible_calls(
    parent: DefinitionView, method: DefinitionView, above_call: Sequence[Statement]
) -> Iterator[_PossibleCall]:
    """Yield headers of a method with the arguments of its `super()` call.

    The shortest header comes first. A header of several lines that the parent has, too,
    can be shortened to `def forward(self, **super_kwargs):`. The converter then writes
    the parent's.
    """
    header = method.header.text
    has_several_lines = header.count("\n") > 1
    is_inherited = normal_form(method.header) == normal_form(parent.header)
    can_be_shortened = (
        method.parameters[:1] == ("self",)
        and "*" not in method.parameters
        and not method.is_async
    )
    if has_several_lines and is_inherited and can_be_shortened:
        short_header = f"{STEP}def {method.name}(self, **{SUPER_KWARGS}):\n"
        yield _PossibleCall(short_header, [f"**{SUPER_KWARGS}"])

    arguments = _passed_arguments(parent, method, above_call)
    if arguments is not None:
        yield _PossibleCall(header, arguments)


def _passed_arguments(
    parent: DefinitionView, method: DefinitionView, above_call: Sequence[Statement]
) -> list[str] | None:
    """Return the names that a `super()` call passes to the parent's parameters.

    Each parameter gets the variable of the same name, because the converter inlines the
    parent's body as it is.

    Args:
        parent: The parent's method.
        method: The method with the call.
        above_call: The statements above the call.

    Returns:
        The arguments in order. None if one follows `*` or `*args`, or is neither a
        parameter of the method nor assigned before the call.
    """
    arguments = [name for name in parent.parameters if name not in ("self", "cls")]
    available_names = {*method.parameters, *map(_assigned_name, above_call)}
    for argument in arguments:
        is_star = argument.startswith("*") and not argument.startswith("**")
        if is_star or argument not in available_names:
            return None
    return arguments


@dataclass(frozen=True, slots=True)
class _Merge:
    """The code around a `super()` call in a method.

    Attributes:
        above_call: The statements above the call.
        text_below: The text below it.
    """

    above_call: Sequence[Statement]
    text_below: str

    @property
    def text_above(self) -> str:
        """The text above the call."""
        return "".join(statement.code.text for statement in self.above_call)

    @property
    def line_count(self) -> int:
        """The number of lines above and below the call."""
        return self.text_above.count("\n") + self.text_below.count("\n")


def _find_merge(
    inherited: Sequence[Statement], wanted: Sequence[Statement]
) -> _Merge | None:
    """Return the shortest code around a `super()` call that gives the wanted body.

    The call is tried at each place of the wanted body. If the parent's body is `b`, and
    `a; b; c` is wanted, the merge has `a` above the call and `c` below it. The result
    is None if no place gives the wanted body.

    Args:
        inherited: The body of the parent's method.
        wanted: The body that the method is to have.
    """
    if not inherited or not wanted:
        return None
    bodies = _without_post_init(inherited, wanted)
    if bodies is None:
        return None
    parent_body, body = bodies

    # If both bodies begin with the same `super().__init__()`, it is inherited.
    calls_base = bool(body and parent_body) and _SUPER_INIT in body[0].bare_code.mask
    if calls_base and normal_form(body[0].code) == normal_form(parent_body[0].code):
        del body[0], parent_body[0]

    merges = []
    for position in range(len(body) + 1):
        above_call = body[:position]
        assigned_names = set(map(_assigned_name, above_call))
        if calls_base and any(name.startswith("self.") for name in assigned_names):
            # A module has no attributes before its base is initialised. At all further
            # positions, this assignment would be above the call, too.
            break
        text_below = _align(parent_body, body[position:], assigned_names)
        if text_below is not None:
            merges.append(_Merge(above_call, text_below))
    return min(merges, key=lambda merge: merge.line_count, default=None)


def _without_post_init(
    inherited: Sequence[Statement], wanted: Sequence[Statement]
) -> tuple[list[Statement], list[Statement]] | None:
    """Return an inherited and a wanted body without the inherited `self.post_init()`.

    The converter moves this call to the end of a merged body. So the result is None if
    the wanted body does not end with it.
    """
    parent_body = list(inherited)
    body = list(wanted)
    for statement in inherited:
        if _POST_INIT not in statement.bare_code.mask:
            continue
        if not body:
            return None
        last_statement = body.pop()
        if normal_form(last_statement.code) != normal_form(statement.code):
            return None
        parent_body.remove(statement)
    return parent_body, body


def _assigned_name(statement: Statement) -> str:
    """Return the target of an assignment, such as `x` or `self.x`.

    The result is "" for other statements, and for assignments with an annotation.
    """
    target = statement.memoized(assigned_target)
    return "" if target is None or target.annotated else target.text


def _align(
    parent: Sequence[Statement], body: Sequence[Statement], assigned: Collection[str]
) -> str | None:
    """Return the text after a call that turns the parent's statements into a body.

    An assignment of the parent is replaced by one to the same name, or deleted:

        parent    self.a = 1; self.b = 2; self.c = 3
        body      self.a = 1; self.b = 4; self.d = 5
        returned  self.b = 4; del self.c; self.d = 5

    Args:
        parent: The statements of the parent's method.
        body: The statements that are wanted from the call on.
        assigned: The names that are assigned before the call. They cannot be deleted.

    Returns:
        The text, or None if the body cannot be written so.
    """
    replaced = ""
    deleted_names = []
    remaining = deque(body)
    for statement in parent:
        name = _assigned_name(statement)
        if remaining and equal_after_formatting(statement.code, remaining[0].code):
            remaining.popleft()
        elif remaining and name and _assigned_name(remaining[0]) == name:
            replaced += remaining.popleft().code.text
        elif _ATTRIBUTE.fullmatch(name):
            deleted_names.append(name)
        else:
            return None

    assigned_names = {*assigned, *map(_assigned_name, remaining)}
    if not assigned_names.isdisjoint(deleted_names):
        return None
    deleted = "".join(f"{_BODY_INDENT}del {name}\n" for name in deleted_names)
    added = "".join(statement.code.text for statement in remaining)
    return replaced + deleted + added


def _depends_on_parent_locals(parent: str, method: str) -> bool:
    """Return whether a method shares local variables with the body of its parent.

    If the parent's body is `y = f(x)`, these methods share `y` or `x` with it:

        super().forward(x); return y            # Only the parent's body assigns `y`.
        x = 2; super().forward(**super_kwargs)  # Only the parent's body reads `x`.

    This works, because the converter replaces the call by the body, but readers and
    linters cannot tell.

    Args:
        parent: The text of the parent's method.
        method: The text of the method, indented as in its class.
    """
    parent_locals = set()
    for symbol in _function_table(parent).get_symbols():
        if symbol.is_local():
            parent_locals.add(symbol.get_name())

    method_table = _function_table(method)
    read_names = set()
    for scope in walk([method_table], SymbolTable.get_children):
        for symbol in filter(Symbol.is_referenced, scope.get_symbols()):
            name = symbol.get_name()
            read_names.add(name)
            # To Python, a name that the method reads but does not assign is global.
            is_never_assigned = symbol.is_global()
            if is_never_assigned and name in parent_locals:
                return True

    for symbol in method_table.get_symbols():
        is_variable = symbol.is_assigned() and not symbol.is_parameter()
        is_never_read = symbol.get_name() not in read_names
        if is_variable and is_never_read:
            return True
    return False


def _function_table(text: str) -> SymbolTable:
    """Return the symbols of a method, without those of its decorators and defaults."""
    # The method is indented, so a class is put around it.
    (class_table,) = symtable(f"class _:\n{text}", "", "exec").get_children()
    tables = class_table.get_children()
    # Lambdas in decorators and defaults are functions, too, but come first.
    return [table for table in tables if table.get_type() == "function"][-1]
