"""Writes a method as an override of the parent's method, in full or with `super()`."""

import re
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from modular.infer.equivalence import equal_after_formatting, normal_form
from modular.rules.classes import super_call
from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.classes.docstrings import inherited_docstring
from modular.rules.classes.super_kwargs import SUPER_KWARGS
from modular.semantics.functions import FunctionModel, model_function
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement, split
from modular.source.definition_view import DefinitionView
from modular.source.indentation import STEP
from modular.source.source_slice import join_slices, synthetic


_POST_INIT = "self.post_init("
_SUPER_INIT = "super().__init__"
_MODULE = "nn.Module"
_RETURN = re.compile(r"\s*return\b")
_DOTTED_NAME = re.compile(r"[\w.]+")
_SUPER = re.compile(r"\bsuper\((?:\s*(\w+)\s*,\s*\w+\s*)?\)")
"""A `super` of any class, with the name of the class if it is written."""

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
    child_class: DefinitionView,
    parent_class: str,
    *,
    can_merge: bool,
    is_like_python: bool,
) -> Override | None:
    """Return the shortest method of a child class that generates a complete method.

    It is written in full, or with a `super()` call that the converter replaces with the
    body of the parent's method.

    Args:
        parent: The parent's method, renamed, if there is one.
        method: The method that is to be generated.
        child_class: The complete class with this method. Its bases are no classes of other
            models.
        parent_class: The name of the class that the child class will inherit from.
        can_merge: Whether the method may call the parent's by `super()`.
        is_like_python: Whether the converter does what Python's inheritance does. If
            not, it does what the converter of transformers does.

    Returns:
        The override. None if the method calls a method of its base by `super()`, and this
        call cannot be written in the child class.
    """
    # In the complete class, `super()` means its base, such as `nn.Module`. In the child
    # class, it would mean the parent class.
    if is_like_python:
        body: str | None = _body_past_parent(
            parent, method, child_class.name, parent_class
        )
    else:
        body = _body_with_explicit_calls(method, child_class.bases)
    if body is None:
        return None
    full = _write_in_full(parent, method, body, is_like_python)
    if parent is None or not can_merge:
        return full
    merged = _write_merged(parent, method, is_like_python)
    if merged is None or merged.line_count > full.line_count:
        return full
    return merged


def _write_in_full(
    parent: DefinitionView | None,
    method: DefinitionView,
    body: str,
    is_like_python: bool,
) -> Override:
    """Return the text of a method that replaces the parent's, with its whole body.

    The text lacks what the converter takes from the parent's method: the comments above
    it, and its decorators and docstring if they are the same.

    Args:
        parent: The parent's method; None if the parent class has no such method.
        method: The method to write.
        body: The body of the method without the docstring.
        is_like_python: Whether the converter does what Python's inheritance does.
    """
    if parent is None:
        comments_above = method.lead.text
        text_above = comments_above + method.decorators.text
        docstring = _docstring_text(method)
    else:
        text_above = _decorator_lines(parent, method, is_like_python)
        docstring = _docstring_above_body(parent, method, body)
    footer = method.body.footer.text
    return Override(f"{text_above}{method.header.text}{docstring}{body}{footer}")


def _docstring_above_body(
    parent: DefinitionView, method: DefinitionView, body: str
) -> str:
    """Return the docstring that an override must have, or "" if it inherits the parent's.

    Args:
        parent: The parent's method.
        method: The method to write.
        body: The body of the method without the docstring.
    """
    # Python needs a docstring or a body. A blank line at the top of the body needs a
    # docstring above it, because a formatter would remove it below the header.
    needs_docstring = not body or body.startswith("\n")
    if needs_docstring:
        return _docstring_text(method)
    return changed_docstring(parent, method)


_KIND_DECORATORS = frozenset({"classmethod", "staticmethod"})


def _decorator_lines(
    parent: DefinitionView, method: DefinitionView, is_like_python: bool
) -> str:
    """Return a blank line, and the decorators that an override of a method needs.

    An override without decorators gets those of the parent's method, unless it has the
    marker `@no_inherit_decorator`. Python's inheritance does not copy decorators.

    Args:
        parent: The parent's method.
        method: The method that is to be generated.
        is_like_python: Whether the converter does what Python's inheritance does.
    """
    # Without `@staticmethod`, a reader would not understand the method's parameters.
    has_kind_decorator = not _KIND_DECORATORS.isdisjoint(method.decorator_names)
    if is_like_python or has_kind_decorator:
        return "\n" + method.decorators.text
    if normal_form(parent.decorators) == normal_form(method.decorators):
        return "\n"
    return "\n" + (method.decorators.text or f"{STEP}@{NO_INHERIT_DECORATOR}\n")


def _docstring_text(view: DefinitionView) -> str:
    return view.docstring.code.text if view.docstring is not None else ""


def changed_docstring(parent: DefinitionView, child: DefinitionView) -> str:
    """Return the docstring of a class or method, or "" if it is the inherited one."""
    inherited = inherited_docstring(parent)
    if inherited is not None and child.docstring is not None:
        if normal_form(child.docstring.code) == normal_form(inherited.code):
            return ""
    return _docstring_text(child)


def _body_with_explicit_calls(
    method: DefinitionView, bases: tuple[str, ...]
) -> str | None:
    """Return the body of a method with calls such as `nn.Linear.forward(self, x)`.

    They replace calls such as `super().forward(x)`. In a child class, the converter would
    replace these with the body of the parent's method.

    Args:
        method: The method with the body.
        bases: The bases of its class.

    Returns:
        The body without its docstring. None if no base can be named in a call.
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


def _body_past_parent(
    parent: DefinitionView | None,
    method: DefinitionView,
    child_class: str,
    parent_class: str,
) -> str:
    """Return the body of a method with `super()` calls that skip the parent class.

    In the complete class `OlmoMLP(nn.Module)`, `super()` means `nn.Module`. In the child
    class `OlmoMLP(LlamaMLP)`, it would mean `LlamaMLP`. So `super(LlamaMLP, self)` is
    written, which means the base of `LlamaMLP`: `nn.Module`. The same is true of
    `super(OlmoMLP, self)`.

    Args:
        parent: The parent's method. Without one, `super()` stays: Python finds no such
            method in the parent class, and goes on to its base.
        method: The method of the complete class.
        child_class: The name of the complete class, such as `OlmoMLP`.
        parent_class: The name of the parent class, such as `LlamaMLP`.
    """
    codes = [statement.code for statement in method.body_without_docstring]
    body = join_slices(codes, method.code.path)
    if parent is None:
        return body.text
    instance = next(iter(method.parameters), "self")
    edits = []
    for call in _SUPER.finditer(body.masked_text):
        named_class = call[1]
        if named_class in (None, child_class):
            edits.append((*call.span(), f"super({parent_class}, {instance})"))
    return body.replace(edits).text


def _name_base_in_call(
    statement: Statement, method: str, bases: tuple[str, ...]
) -> str | None:
    """Return a statement with `super().method(x)` replaced by `Base.method(self, x)`.

    The base is `nn.Module` if the class has it, or else the first base that has a name.

    Args:
        statement: The statement with the call.
        method: The name of the method.
        bases: The bases of its class.

    Returns:
        The text. None if no base has a name, or if the call is written in another way, for
        example with a line break in `super().method(`.
    """
    named_bases = [base for base in bases if _DOTTED_NAME.fullmatch(base)]
    masked_text = statement.code.masked_text
    call_start = re.search(rf"super\(\)\.{method}\( *", masked_text)
    if call_start is None or not named_bases:
        return None
    base = _MODULE if _MODULE in bases else named_bases[0]

    text = statement.code.text
    text_before_call = text[: call_start.start()]
    text_after_bracket = text[call_start.end() :]
    masked_after_bracket = masked_text[call_start.end() :]
    has_arguments = not masked_after_bracket.lstrip().startswith(")")
    separator = ", " if has_arguments else ""
    return f"{text_before_call}{base}.{method}(self{separator}{text_after_bracket}"


def _write_merged(
    parent: DefinitionView, method: DefinitionView, is_like_python: bool
) -> Override | None:
    """Return an override that calls the parent's method, if the converter can merge both.

    The converter replaces the call with the body of the parent's method. If that is `b`,
    and the body `a; b; c` is wanted, this writes `a; super().forward(x); c`.

    Args:
        parent: The parent's method.
        method: The method that is to be generated.
        is_like_python: Whether the converter does what Python's inheritance does.

    Returns:
        The method. None if `super()` cannot give the wanted body, if the formatter or
        `return` would spoil it, or if `a` or `c` shares local variables with `b`.
    """
    if "staticmethod" in method.decorator_names:
        # A static method has no `self`, which `super()` needs.
        return None
    parent_body = parent.body_without_docstring
    # In the example, `merge.text_above` is `a`, and `merge.text_below` is `c`.
    merge = _find_merge(parent_body, method.body_without_docstring)
    if merge is None:
        # No code around the call gives the wanted body.
        return None
    parent_returns = _RETURN.match(parent_body[-1].bare_code.masked_text) is not None
    if parent_returns and merge.text_below:
        # Python never reaches code below `return super().forward(x)`.
        return None
    docstring = changed_docstring(parent, method)
    if merge.text_above.startswith("\n") and not docstring:
        # The formatter would remove this blank line, which is below the header.
        return None

    decorators = _decorator_lines(parent, method, is_like_python)
    keyword = "return " if parent_returns else ""
    # With the short header `def forward(self, **super_kwargs):`, `a` and `c` cannot read
    # the parameter `x`. If they do, `def forward(self, x):` is tried next. If they read a
    # local variable of `b`, it fails, too.
    for header, arguments in _possible_calls(parent, method, merge.above_call):
        call = f"super().{method.name}({', '.join(arguments)})"
        call_line = f"{_BODY_INDENT}{keyword}{call}\n"
        text = header + docstring + merge.text_above + call_line + merge.text_below
        if not _shares_variables(parent.code.text, text):
            return Override(decorators + text, merged=True)
    return None


class _PossibleCall(NamedTuple):
    """A header for a method, and the arguments of the `super()` call in its body."""

    header: str
    arguments: list[str]


def _possible_calls(
    parent: DefinitionView, method: DefinitionView, above_call: Sequence[Statement]
) -> Iterator[_PossibleCall]:
    """Yield each header that a method can have, with the arguments for `super()`.

    1. `def forward(self, **super_kwargs):` with `super().forward(**super_kwargs)`. The
       converter writes the parent's header in its place.
    2. The method's own header, such as `def forward(self, x, mask):`, with
       `super().forward(x, mask)`.

    Args:
        parent: The parent's method.
        method: The method that is to be generated.
        above_call: The statements above the `super()` call.
    """
    saves_lines = method.header.text.count("\n") > 1
    if saves_lines and _can_have_short_header(parent, method):
        short_header = f"{STEP}def {method.name}(self, **{SUPER_KWARGS}):\n"
        yield _PossibleCall(short_header, [f"**{SUPER_KWARGS}"])

    arguments = _find_arguments(parent, method, above_call)
    if arguments is not None:
        yield _PossibleCall(method.header.text, arguments)


def _can_have_short_header(parent: DefinitionView, method: DefinitionView) -> bool:
    """Return whether an override can have the header `def forward(self, **super_kwargs):`.

    The converter replaces this short header with that of the parent's method.

    Args:
        parent: The parent's method.
        method: The method that is to be generated.
    """
    if normal_form(method.header) != normal_form(parent.header):
        return False
    # The converter of transformers would drop the parameters after a bare `*`.
    has_bare_star = "*" in method.parameters
    has_self = method.parameters[:1] == ("self",)
    return has_self and not has_bare_star and not method.is_async


def _find_arguments(
    parent: DefinitionView, method: DefinitionView, above_call: Sequence[Statement]
) -> list[str] | None:
    """Return the arguments of the `super()` call in an override: the parent's parameters.

    For the parent's method `forward(self, x, **kwargs)`, they are `x` and `**kwargs`. The
    override must have variables of these names, because the converter replaces the call
    with the body of the parent's method, which uses them.

    Args:
        parent: The parent's method.
        method: The method with the call.
        above_call: The statements above the call.

    Returns:
        The arguments in order. None if the parent has a parameter `*args`, a parameter
        that must be passed by keyword, or a parameter without a variable of its name.
    """
    arguments = [name for name in parent.parameters if name not in ("self", "cls")]
    variables = {*method.parameters, *map(_assigned_name, above_call)}
    for argument in arguments:
        # Parameters after `*args` or a bare `*` must be passed by keyword.
        is_args_or_star = argument.startswith("*") and not argument.startswith("**")
        if is_args_or_star or argument not in variables:
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


_MAX_POSITIONS = 50
"""Statements above which a call to `super()` is tried. Real methods have fewer."""


def _find_merge(
    inherited: Sequence[Statement], wanted: Sequence[Statement]
) -> _Merge | None:
    """Return the shortest code around a `super()` call that generates a wanted body.

    The converter replaces the call with the parent's body. If that is `b`, and `a; b; c`
    is wanted, the code is `a` above the call and `c` below it. The call is tried above
    each statement of the wanted body, and at its end.

    Args:
        inherited: The body of the parent's method.
        wanted: The body that the method is to have.

    Returns:
        The code, or None if no place of the call gives the wanted body.
    """
    if not inherited or not wanted:
        return None
    bodies = _without_constructor_calls(inherited, wanted)
    if bodies is None:
        return None

    last_position = len(bodies.wanted)
    begins_with_super_init = _SUPER_INIT in wanted[0].bare_code.masked_text
    if begins_with_super_init:
        # A torch module can assign attributes only below `super().__init__()`.
        last_position = _first_attribute_index(bodies.wanted)
    merges = []
    # A very long body would take too long.
    positions = [*range(min(last_position, _MAX_POSITIONS)), last_position]
    for position in positions:
        above_call = bodies.wanted[:position]
        below_call = bodies.wanted[position:]
        assigned_above = set(map(_assigned_name, above_call))
        text_below = _write_below_call(bodies.inherited, below_call, assigned_above)
        if text_below is not None:
            merges.append(_Merge(above_call, text_below))
    return min(merges, key=lambda merge: merge.line_count, default=None)


def _first_attribute_index(statements: Sequence[Statement]) -> int:
    """Return the index of the first assignment such as `self.x = 1`.

    Without such an assignment, this is the number of statements.
    """
    for index, statement in enumerate(statements):
        if _assigned_name(statement).startswith("self."):
            return index
    return len(statements)


class _Bodies(NamedTuple):
    """The body of a parent's method, and the wanted body of the child's method."""

    inherited: list[Statement]
    wanted: list[Statement]


def _without_constructor_calls(
    inherited: Sequence[Statement], wanted: Sequence[Statement]
) -> _Bodies | None:
    """Return two bodies without the `super().__init__()` and `self.post_init()` of both.

    A child inherits these calls, whatever it assigns between them:

        parent's body   super().__init__(); self.a = 1; self.post_init()
        wanted body     super().__init__(); self.a = 2; self.post_init()
        returned        self.a = 1
                        self.a = 2

    Args:
        inherited: The body of the parent's method.
        wanted: The body that the method is to have.

    Returns:
        The bodies. None if the parent's body calls `self.post_init()`, but the wanted
        body does not end with the same call.
    """
    inherited_rest = []
    wanted_rest = list(wanted)
    for statement in inherited:
        calls_post_init = _POST_INIT in statement.bare_code.masked_text
        if not calls_post_init:
            inherited_rest.append(statement)
            continue
        # The converter moves this call to the end, so the wanted body must end with it.
        call = normal_form(statement.code)
        if not wanted_rest or normal_form(wanted_rest[-1].code) != call:
            return None
        del wanted_rest[-1]

    if inherited_rest and wanted_rest:
        wanted_first = wanted_rest[0].code
        inherited_first = inherited_rest[0].code
        is_super_init = _SUPER_INIT in wanted_first.masked_text
        if is_super_init and normal_form(wanted_first) == normal_form(inherited_first):
            del inherited_rest[0], wanted_rest[0]
    return _Bodies(inherited_rest, wanted_rest)


def _assigned_name(statement: Statement) -> str:
    """Return the target of an assignment, such as `x` or `self.x`.

    The result is "" for other statements, and for assignments with an annotation.
    """
    target = statement.memoized(assigned_target)
    return "" if target is None or target.annotated else target.text


def _write_below_call(
    inherited: Sequence[Statement],
    wanted: Sequence[Statement],
    assigned_above: Collection[str],
) -> str | None:
    """Return the code that must be below a `super()` call to get the wanted body.

    The converter replaces the call with the parent's body, and applies this code to it: an
    assignment replaces one of the parent to the same name, `del` deletes one, and other
    statements are added at the end:

        parent's body   self.a = 1; self.b = 2; self.c = 3
        wanted body     self.a = 1; self.b = 4; self.d = 5
        returned code   self.b = 4; del self.c; self.d = 5

    Args:
        inherited: The body of the parent's method.
        wanted: The statements that the call and the code are to give together.
        assigned_above: The names that are assigned above the call.

    Returns:
        The code, or None if it cannot give the wanted statements.
    """
    replaced = ""
    deleted_names = []
    remaining = deque(wanted)
    for statement in inherited:
        name = _assigned_name(statement)
        if remaining and equal_after_formatting(statement.code, remaining[0].code):
            # `self.a = 1` is inherited.
            remaining.popleft()
        elif remaining and name and _assigned_name(remaining[0]) == name:
            # `self.b = 4` replaces `self.b = 2`.
            replaced += remaining.popleft().code.text
        elif _ATTRIBUTE.fullmatch(name):
            # `self.c` is deleted.
            deleted_names.append(name)
        else:
            # Only assignments to attributes can be deleted.
            return None

    # `del self.c` deletes all assignments to `self.c`. So none may be wanted, neither
    # above the call nor among the added statements.
    wanted_names = {*assigned_above, *map(_assigned_name, remaining)}
    if not wanted_names.isdisjoint(deleted_names):
        return None
    deleted = "".join(f"{_BODY_INDENT}del {name}\n" for name in deleted_names)
    # `self.d = 5` is added.
    added = "".join(statement.code.text for statement in remaining)
    return replaced + deleted + added


def _shares_variables(parent: str, method: str) -> bool:
    """Return whether an override works only because the parent's body gets its variables.

    The converter replaces the `super()` call with the parent's body. If that body is
    `y = f(x)`, these overrides work, but a reader cannot see why:

    1. `super().forward(x); return y` reads `y`, which only the parent's body assigns.
    2. `x = 2; super().forward(**super_kwargs)` assigns `x`, which only the parent's body
       reads. Linters complain about each variable that a method assigns and never reads.

    Args:
        parent: The text of the parent's method.
        method: The text of the method.
    """
    method_model = _model_method(method)
    read_names: set[str] = set()
    for _, facts in method_model.body:
        read_names |= facts.variables_read_at_once | facts.variables_read_later
    names_from_outside = read_names - method_model.local_names
    reads_variable_of_parent = not names_from_outside.isdisjoint(
        _model_method(parent).local_names
    )
    if reads_variable_of_parent:
        return True

    parameters = {parameter.name for parameter in method_model.parameters}
    unread_variables = method_model.local_names - read_names - parameters
    return bool(unread_variables)


def _model_method(text: str) -> FunctionModel:
    """Return what a method binds and reads.

    Args:
        text: The text of the method, indented as in its class.
    """
    (statement,) = split(synthetic(text, "", 1)).statements
    return model_function(statement)
