"""Writes a method as an override of the parent's method, in full or with `super()`."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from symtable import SymbolTable, symtable
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
) -> Override | None:
    """Return the shortest way to write a method, or None if there is none.

    Args:
        parent: The parent's method, renamed, if there is one.
        method: The method that is to be generated.
        bases: The bases of its class.
        can_merge: Whether the method may merge the parent's body by `super()`.
    """
    full = _write_in_full(parent, method, bases)
    if full is None or parent is None or not can_merge:
        return full
    merged = _write_merged(parent, method)
    if merged is None or merged.line_count > full.line_count:
        return full
    return merged


def _write_in_full(
    parent: DefinitionView | None, method: DefinitionView, bases: tuple[str, ...]
) -> Override | None:
    body = _body_with_explicit_calls(method, bases)
    if body is None:
        return None
    if parent is None:
        decorators = method.lead.text + method.decorators.text
        docstring = _docstring_text(method)
    else:
        decorators = _decorator_lines(parent, method)
        docstring = changed_docstring(parent, method)
        if not body or body.startswith("\n"):
            docstring = _docstring_text(method)
    footer = method.body.footer.text
    return Override(f"{decorators}{method.header.text}{docstring}{body}{footer}")


def _decorator_lines(parent: DefinitionView, method: DefinitionView) -> str:
    """Return the decorators if they differ from the parent's, below a blank line."""
    if normal_form(parent.decorators) == normal_form(method.decorators):
        return "\n"
    return "\n" + (method.decorators.text or f"{STEP}@{NO_INHERIT_DECORATOR}\n")


def _body_without_docstring(method: DefinitionView) -> list[Statement]:
    statements = method.body.statements
    return [statement for statement in statements if statement is not method.docstring]


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
    """Return a body whose `super()` calls name the base, so that they are kept.

    None if there is no base to name.
    """
    texts = []
    for statement in _body_without_docstring(method):
        text: str | None = statement.code.text
        if super_call.is_super_call(statement, method.name):
            text = _name_base_in_call(statement, method.name, bases)
        if text is None:
            return None
        texts.append(text)
    return "".join(texts)


def _name_base_in_call(
    statement: Statement, method: str, bases: tuple[str, ...]
) -> str | None:
    """Return a statement with `super().method(` replaced by `Base.method(self, `."""
    named_bases = [base for base in bases if _DOTTED_NAME.fullmatch(base)]
    call = re.search(rf"super\(\)\.{method}\((\s*)(\)?)", statement.code.mask)
    if call is None or not named_bases:
        return None
    base = _MODULE if _MODULE in bases else named_bases[0]
    blanks, bracket = call.groups()
    arguments = f", {blanks.lstrip(' ')}"
    if bracket:
        arguments = f"{blanks})"
    text = statement.code.text
    before, after = text[: call.start()], text[call.end() :]
    return f"{before}{base}.{method}(self{arguments}{after}"


def _write_merged(parent: DefinitionView, method: DefinitionView) -> Override | None:
    """Return a method that calls the parent's by `super()`, if it can be written so."""
    inherited = _body_without_docstring(parent)
    wanted = _body_without_docstring(method)
    if not inherited or not wanted or "staticmethod" in method.decorator_names:
        return None
    merge = _find_merge(inherited, wanted)
    if merge is None:
        return None
    docstring = changed_docstring(parent, method)
    before = [statement.code.text for statement in merge.before]
    if before and before[0].startswith("\n") and not docstring:
        return None  # The formatter would remove this blank line.
    parent_returns = _RETURN.match(inherited[-1].bare_code.mask) is not None
    if parent_returns and merge.after:
        return None  # Python would never reach the statements after the call.

    keyword = "return " if parent_returns else ""
    for header, arguments in _possible_calls(parent, method, merge.before):
        call = f"super().{method.name}({', '.join(arguments)})"
        lines = [docstring, *before, f"{_BODY_INDENT}{keyword}{call}\n", *merge.after]
        text = header + "".join(lines)
        if not _reads_parent_locals(parent.code.text, text):
            return Override(_decorator_lines(parent, method) + text, merged=True)
    return None


def _possible_calls(
    parent: DefinitionView, method: DefinitionView, before: Sequence[Statement]
) -> Iterator[tuple[str, list[str]]]:
    """Yield headers and the arguments that the call passes on, the shortest first."""
    header = method.header.text
    is_long = (
        header.count("\n") > 1 and not method.is_async and "*" not in method.parameters
    )
    is_inherited = normal_form(method.header) == normal_form(parent.header)
    if is_long and is_inherited and method.parameters[:1] == ("self",):
        short_header = f"{STEP}def {method.name}(self, **{SUPER_KWARGS}):\n"
        yield short_header, [f"**{SUPER_KWARGS}"]
    arguments = _passed_arguments(parent, method, before)
    if arguments is not None:
        yield header, arguments


def _passed_arguments(
    parent: DefinitionView, method: DefinitionView, before: Sequence[Statement]
) -> list[str] | None:
    """Return the arguments for all of the parent's parameters, in their order.

    None if the method does not have one of them, or one follows `*` or `*args`.
    """
    arguments = [name for name in parent.parameters if name not in ("self", "cls")]
    has_keyword_only = any(
        name.startswith("*") and not name.startswith("**") for name in arguments
    )
    defined = {*method.parameters, *map(_assigned_name, before)}
    if has_keyword_only or not defined.issuperset(arguments):
        return None
    return arguments


class _Merge(NamedTuple):
    """The statements before a `super()` call, and the text after it."""

    before: list[Statement]
    after: list[str]

    def count_lines(self) -> int:
        """Return the number of lines of both."""
        texts = [statement.code.text for statement in self.before] + self.after
        return "".join(texts).count("\n")


def _find_merge(
    inherited: Sequence[Statement], wanted: Sequence[Statement]
) -> _Merge | None:
    """Return the shortest merge that gives the wanted body, or None if there is none.

    Args:
        inherited: The body of the parent's method.
        wanted: The body that the method is to have.
    """
    parent, body = list(inherited), list(wanted)
    # The converter moves `self.post_init()` to the end of a merged body.
    for statement in [one for one in parent if _POST_INIT in one.bare_code.mask]:
        if not body or normal_form(body.pop().code) != normal_form(statement.code):
            return None
        parent.remove(statement)

    calls_base = bool(body and parent) and _SUPER_INIT in body[0].bare_code.mask
    if calls_base and normal_form(body[0].code) == normal_form(parent[0].code):
        body, parent = body[1:], parent[1:]

    merges = []
    for size in range(len(body) + 1):
        if size and calls_base and _assigned_name(body[size - 1]).startswith("self."):
            break  # A module has no attributes before its base is initialised.
        before = body[:size]
        after = _align(parent, body[size:], set(map(_assigned_name, before)))
        if after is not None:
            merges.append(_Merge(before, after))
    return min(merges, key=_Merge.count_lines, default=None)


def _assigned_name(statement: Statement) -> str:
    """Return what a statement assigns to, or "" if it has an annotation."""
    target = statement.memoized(assigned_target)
    return "" if target is None or target.annotated else target.text


def _align(
    parent: Sequence[Statement], body: Sequence[Statement], assigned: Collection[str]
) -> list[str] | None:
    """Return the text after a call that turns the parent's statements into a body.

    An assignment of the parent is replaced by one to the same name, or deleted.

    Args:
        parent: The statements of the parent's method.
        body: The statements that are wanted from the call on.
        assigned: The names that are assigned before the call. They cannot be deleted.

    Returns:
        The texts, or None if there is no way.
    """
    changed, deleted = [], []
    rest = list(body)
    for statement in parent:
        name = _assigned_name(statement)
        if rest and equal_after_formatting(statement.code, rest[0].code):
            rest.pop(0)
        elif rest and name and _assigned_name(rest[0]) == name:
            changed.append(rest.pop(0).code.text)
        elif _ATTRIBUTE.fullmatch(name):
            deleted.append(name)
        else:
            return None
    if not {*assigned, *map(_assigned_name, rest)}.isdisjoint(deleted):
        return None
    deletions = [f"{_BODY_INDENT}del {name}\n" for name in deleted]
    return changed + deletions + [statement.code.text for statement in rest]


def _reads_parent_locals(parent: str, method: str) -> bool:
    """Return whether a merged method reads the parent's local variables.

    The converter would inline the parent's body, so this would work, but no reader or
    linter could tell. For the same reason a variable that the method assigns and does
    not read counts.

    Args:
        parent: The text of the parent's method.
        method: The text of the method, indented as in its class.
    """
    parent_locals = {
        symbol.get_name()
        for symbol in _function_table(parent).get_symbols()
        if symbol.is_local()
    }
    table = _function_table(method)
    read_names = set()
    for scope in walk([table], SymbolTable.get_children):
        for symbol in scope.get_symbols():
            if symbol.is_referenced():
                read_names.add(symbol.get_name())
                if symbol.is_global() and symbol.get_name() in parent_locals:
                    return True
    return any(
        symbol.is_assigned()
        and not symbol.is_parameter()
        and symbol.get_name() not in read_names
        for symbol in table.get_symbols()
    )


def _function_table(text: str) -> SymbolTable:
    """Return the symbols of a method, without those of its decorators and defaults."""
    (class_table,) = symtable(f"class _:\n{text}", "", "exec").get_children()
    tables = [one for one in class_table.get_children() if one.get_type() == "function"]
    return tables[-1]
