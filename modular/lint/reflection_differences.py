"""Finds code that sees its own class, its own name or its caller."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from modular.lint.context import LintContext
from modular.lint.inheritance import (
    Difference,
    Harm,
    Inheritance,
    find_function,
    function_of,
    is_harmless_decorator_name,
)
from modular.semantics.classes import ATTRIBUTES, Member, model_class
from modular.semantics.facts import (
    NAMESPACE_FUNCTIONS,
    CodeFacts,
    Mention,
    OpaqueReason,
    SuperForm,
    Usage,
)
from modular.semantics.functions import FunctionKind, FunctionModel, model_function
from modular.semantics.meanings import Builtin, Definition, ForeignName, Meaning
from modular.semantics.statements import facts_of, tree_of
from modular.source.blocks import Statement
from modular.source.definition_view import view_definition
from modular.source.places import place_of, place_of_word
from modular.source.python_trees import dotted_name
from modular.source.source_slice import has_word


_BASE_ATTRIBUTES = frozenset(
    {"__base__", "__bases__", "__mro__", "__subclasses__", "mro"}
)
"""All attributes by which code finds the bases of a class."""

_TABLES_OF_MODULE = ("__file__", "__name__", "globals")
"""Names that mean something else in each file."""

_NAMES_OF_PLACE = frozenset({"__module__", "__qualname__"})
"""Attributes that show in which file or class something is defined."""

_TABLES = frozenset({"__dict__", "vars", *_NAMES_OF_PLACE, *_TABLES_OF_MODULE})
"""Names by which code reads what a class or module contains."""

_MAX_CALL_DEPTH = 4
"""Number of functions that are looked at, each called by the one before it."""

_MAX_ALIASES = 3
"""Number of assignments that are followed, each to the name of the next one."""

_FRAME_MODULES = frozenset({"inspect", "sys", "traceback"})
"""Modules of Python with functions that look at the code which calls them."""

_ORDINARY_NAMES = frozenset(
    {
        "inspect.Parameter",
        "inspect.isclass",
        "inspect.isfunction",
        "inspect.ismethod",
        "inspect.signature",
        "sys.argv",
        "sys.byteorder",
        "sys.float_info",
        "sys.maxsize",
        "sys.modules",
        "sys.path",
        "sys.platform",
        "sys.stderr",
        "sys.stdin",
        "sys.stdout",
        "sys.version",
        "sys.version_info",
    }
)
"""Names of these modules that have nothing to do with the calling code."""

_VIEWING_BUILTINS = NAMESPACE_FUNCTIONS | {"super"}
"""Functions of Python that depend on the method which calls them."""


def compare_reflection(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield code that depends on its own class, its own name or its caller.

    Args:
        inheritance: The class of the modular file and its parent class.
    """
    yield from _compare_bases(inheritance)
    yield from _compare_set_names(inheritance)
    yield from _compare_aliases_of_super(inheritance)
    if inheritance.is_like_python:
        yield from _compare_kept_methods(inheritance)
        yield from _compare_passed_methods(inheritance)
        yield from _compare_frames(inheritance)
        yield from _compare_namespaces(inheritance)
    else:
        yield from _compare_tables(inheritance)


def _compare_bases(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield code that reads the bases of a class, as `type(self).__mro__` does.

    The generated class has other bases.
    """
    for view in (inheritance.merged_class.child, inheritance.merged_class.parent):
        for name in sorted(_BASE_ATTRIBUTES & view.statement.words):
            yield Difference(
                "",
                inheritance.header,
                f"`{name}` in `{view.name}` shows that the generated class has no parent "
                f"class `{inheritance.parent.name}`",
                "name the class that is meant",
            )


def _compare_tables(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield code that reads all names of its class or module, as `globals()` does.

    The generated class has the members of two classes, and is in another file.
    """
    for model in (inheritance.child, inheritance.parent):
        # Most classes have none of these words, and are not read.
        if model.statement.words.isdisjoint(_TABLES):
            continue
        is_child = model is inheritance.child
        for function in model.functions:
            if function.statement.words.isdisjoint(_TABLES):
                continue
            for statement, facts in function.body:
                name = _find_table(function, facts)
                if not name:
                    continue
                # By its module, the child's author means the generated file.
                if is_child and name in _TABLES_OF_MODULE:
                    continue
                place = place_of(statement.bare_code)
                yield Difference(
                    function.name,
                    place if is_child else inheritance.header,
                    f"`{name}` in `{model.name}.{function.name}` sees that the generated "
                    "class contains the code of two classes, in another file",
                    "name what is meant",
                    related=None if is_child else place,
                )


def _find_table(function: FunctionModel, facts: CodeFacts) -> str:
    """Return what a statement uses to read all names of its class or module.

    For `globals()["size"]`, the result is `globals`. For code that reads in which file
    or class something is defined, it is `__module__` or `__qualname__`.

    Args:
        function: The method that contains the statement.
        facts: What the statement does.

    Returns:
        The name; empty if there is none.
    """
    # `type(self).__dict__` is an attribute of something without a name.
    unnamed_tables = facts.unnamed_attributes & {"__dict__", *_NAMES_OF_PLACE}
    if unnamed_tables:
        return min(unnamed_tables)
    attributes: set[str] = set()
    for mention in facts.mentions:
        attributes.update(mention.attributes)
    names_of_place = attributes & _NAMES_OF_PLACE
    if names_of_place:
        return min(names_of_place)
    for name in _TABLES_OF_MODULE:
        if name in facts.names and name not in function.local_names:
            return name
    return _find_table_of_class(function, facts)


def _find_table_of_class(function: FunctionModel, facts: CodeFacts) -> str:
    """Return what a statement uses to read all names of its class; empty if it does not.

    Examples are `vars(type(self))` and `self.__class__.__dict__`.
    """
    class_names = ["self.__class__"]
    if function.kind is FunctionKind.CLASS_METHOD and function.parameters:
        class_names.append(function.parameters[0].name)
    for call in facts.calls:
        # The argument of `vars(type(self))` has no name.
        if call.function == "vars" and call.arguments:
            if call.arguments[0].name in ("", *class_names):
                return "vars"
    tables = {f"{name}.__dict__" for name in class_names}
    for opaque in facts.opaque:
        if opaque.name in tables:
            return opaque.name
    return ""


def _compare_set_names(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield attributes of the parent class whose value has a method `__set_name__`.

    For `size = Field(8)` in the class `LlamaMLP`, Python calls
    `Field.__set_name__(field, LlamaMLP, "size")`, also if the child replaces `size`. In
    the generated file, there is no `LlamaMLP`.
    """
    # Most parent classes have no attributes.
    if inheritance.parent.has_only_definitions:
        return
    candidates = [
        name
        for name in inheritance.parent.members
        if _may_have_set_name(inheritance, name)
    ]
    # Most parent classes need not be read in their own file.
    if not candidates:
        return
    path = inheritance.parent_definition.path
    parent = inheritance.parent.name
    for name in candidates:
        member = inheritance.original_parent.members.get(name)
        if member is None:
            continue
        hook = _find_set_name(inheritance, path, member)
        if hook is None:
            continue
        replacement = inheritance.child.members.get(name)
        if replacement is not None:
            yield Difference(
                name,
                inheritance.place_of_member(replacement),
                f"the `{name}` of `{parent}` has `__set_name__`, which Python calls, and the "
                "generated class does not contain it",
                "use another name",
            )
        elif hook.uses_class:
            yield Difference(
                name,
                inheritance.header,
                f"the `{name}` of `{parent}` has `__set_name__`, which gets the generated "
                f"class; in Python it gets `{parent}`",
                f"write `{name}` in this class",
            )


def _may_have_set_name(inheritance: Inheritance, name: str) -> bool:
    """Whether an attribute of the parent class may have a value with `__set_name__`.

    The value of `size = Field(8)` may, and that of `size = 8` does not. The names of the
    values are not looked up, which is slow.
    """
    member = inheritance.parent.members[name]
    if member.kind not in ATTRIBUTES:
        return False
    for statement in member.statements:
        value = statement.code.masked_text.partition("=")[2].strip()
        # A variable, as in `size = SIZE`, can have any value.
        is_variable_or_call = value[:1].isidentifier()
        if is_variable_or_call:
            return True
    return False


class _SetName(NamedTuple):
    """A `__set_name__` of the value of an attribute.

    Attributes:
        uses_class: Whether it may look at the class that it gets.
    """

    uses_class: bool


def _find_set_name(
    inheritance: Inheritance, path: str, member: Member
) -> _SetName | None:
    """Return the `__set_name__` of the value of an attribute.

    Args:
        inheritance: The child class and its parent class.
        path: The file with the value.
        member: The attribute.

    Returns:
        None if the value has no `__set_name__`, or if this is not known.
    """
    for statement in member.statements:
        value_path = path
        value = _value_of(statement)
        if value is None:
            continue
        # `size = SIZE` has the value of another assignment, `SIZE = Field(8)`.
        if not isinstance(value, ast.Call):
            meaning = _meaning_of(inheritance, path, value)
            path_and_value = _follow_assignment(inheritance, meaning)
            if path_and_value is None:
                continue
            value_path, value = path_and_value
        if isinstance(value, ast.Call):
            hook = _find_set_name_of_call(inheritance, value_path, value)
            if hook is not None:
                return hook
    return None


def _find_set_name_of_call(
    inheritance: Inheritance, path: str, value: ast.Call
) -> _SetName | None:
    """Return the `__set_name__` of the object that a call returns; None without any.

    Args:
        inheritance: The child class and its parent class.
        path: The file with the call.
        value: The call, such as `Field(8)`.
    """
    meaning = _meaning_of(inheritance, path, value.func)
    for ancestor in inheritance.context.resolver.class_and_ancestors(meaning):
        view = ancestor.view
        # Finding all members of a class is slow.
        if view is None or "__set_name__" not in view.code.text:
            continue
        member = model_class(view.statement).members.get("__set_name__")
        if member is not None:
            uses_class = member.function is None or _uses_class(member.function)
            return _SetName(uses_class)
    return None


def _uses_class(hook: FunctionModel) -> bool:
    """Whether `__set_name__` does anything with the class that it gets."""
    if len(hook.parameters) != 3:
        return True
    class_parameter = hook.parameters[1].name
    return any(class_parameter in facts.names for _, facts in hook.body)


def _meaning_of(inheritance: Inheritance, path: str, expression: ast.expr) -> Meaning:
    """Return what an expression such as `SIZE` or `fields.Field` means in a file.

    An expression without a name, such as `8`, has an empty name, which nothing binds.
    """
    return inheritance.context.resolver.meaning(path, dotted_name(expression))


def _follow_assignment(
    inheritance: Inheritance, meaning: Meaning
) -> tuple[str, ast.expr] | None:
    """Return the file and the value of the assignment that defines a name.

    Returns:
        None if the name is defined otherwise, or only declared, as by `size: int`.
    """
    if not isinstance(meaning, Definition):
        return None
    statement = inheritance.context.resolver.statement(meaning)
    value = None if statement is None else _value_of(statement)
    return None if value is None else (meaning.path, value)


def _value_of(statement: Statement) -> ast.expr | None:
    """Return the value of an assignment; None for `size: int` and other statements."""
    match tree_of(statement):
        case ast.Assign(value=value) | ast.AnnAssign(value=value):
            return value
    return None


def _find_viewing_builtin(inheritance: Inheritance, path: str, name: str) -> str:
    """Return the builtin function that a name means, if it depends on its caller.

    After `look = locals`, the name `look` means `locals`.

    Args:
        inheritance: The child class and its parent class.
        path: The file that uses the name.
        name: The name.

    Returns:
        The function, such as `locals` or `super`; empty if the name means something
        else.
    """
    meaning = inheritance.context.resolver.meaning(path, name)
    # Follow assignments such as `look = locals`.
    for _ in range(_MAX_ALIASES):
        path_and_value = _follow_assignment(inheritance, meaning)
        if path_and_value is None:
            break
        value_path, value = path_and_value
        meaning = _meaning_of(inheritance, value_path, value)
    builtin = ""
    if isinstance(meaning, Builtin):
        builtin = meaning.name
    elif isinstance(meaning, ForeignName):
        builtin = meaning.dotted_name.removeprefix("builtins.")
    return builtin if builtin in _VIEWING_BUILTINS else ""


def _compare_aliases_of_super(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield uses of `super` by another name, as after `base = super`.

    Such a call is not replaced by the parent's code.
    """
    path = inheritance.definition.path
    names = inheritance.context.memoized(_find_aliases_of_super, path)
    if not names:
        return
    for function in inheritance.child.functions:
        for statement, facts in function.body:
            for name in sorted(names & facts.names):
                if _find_viewing_builtin(inheritance, path, name) != "super":
                    continue
                yield Difference(
                    function.name,
                    place_of_word(statement.bare_code, name),
                    f"`{name}` is `super`, which skips `{inheritance.parent.name}`: its "
                    "members are in the generated class itself",
                    "write `super()`",
                    Harm.CALL_FAILS,
                )


def _find_aliases_of_super(context: LintContext, path: str) -> frozenset[str]:
    """Return the names that may mean `super`, because a statement mentions both.

    For `base = super` at module level of the modular file, `base` is returned.
    """
    names: set[str] = set()
    for statement in context.modular.module.block.statements:
        if statement.is_definition:
            continue
        if has_word(statement.code.masked_text, "super"):
            names |= statement.words
    return frozenset(names - {"super"})


def _compare_kept_methods(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield methods with a decorator that are kept under another name.

    With Python's inheritance, `LlamaMLP.forward` is kept as `_llama_mlp_forward`. A
    decorator such as `@register` may store it as `_llama_mlp_forward`, too.
    """
    for function in _kept_functions(inheritance):
        for decorator in function.decorators:
            if not is_harmless_decorator(inheritance, decorator):
                yield Difference(
                    function.name,
                    inheritance.header,
                    f"`{inheritance.parent.name}.{function.name}` has the decorator "
                    f"`@{decorator}`, which may depend on the name of the method",
                    "write out what the method does",
                )


def _compare_passed_methods(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield methods that get another name, and are passed to code that may read it.

    For `f(super().forward)`, the parent's `forward` is kept as `_llama_mlp_forward`. The
    function `f` may read its `__name__`. `super().forward(x)` only calls the method, and
    so does `forward(x)` below `forward = super().forward`.
    """
    renamed_methods = set()
    for function in _kept_functions(inheritance):
        # `super().size` reads the value of a property, and not the method.
        if "property" not in function.decorators:
            renamed_methods.add(function.name)
    if not renamed_methods:
        return
    for function in inheritance.child.functions:
        for statement, facts in function.body:
            for use in facts.super_uses:
                is_called = use.form is not SuperForm.ATTRIBUTE
                if is_called or use.method not in renamed_methods:
                    continue
                if not _is_only_called(statement, function):
                    yield Difference(
                        use.method,
                        place_of_word(statement.bare_code, "super"),
                        f"`super().{use.method}` has another name in the generated class, "
                        "which this code may read",
                        f"call it: `super().{use.method}(...)`",
                    )


def _is_only_called(statement: Statement, function: FunctionModel) -> bool:
    """Whether a function uses `super().forward` only to call it by another name.

    Args:
        statement: The statement that contains it. The result is False unless it is an
            assignment such as `f = super().forward`.
        function: The function with the statement. It must only call `f`.
    """
    tree = tree_of(statement)
    if not isinstance(tree, ast.Assign) or not isinstance(tree.value, ast.Attribute):
        return False
    if len(tree.targets) != 1 or not isinstance(tree.targets[0], ast.Name):
        return False
    variable = tree.targets[0].id
    for _, facts in function.body:
        for mention in facts.mentions_of(variable):
            is_expected = mention.usage in (Usage.CALLED, Usage.ASSIGNED)
            if mention.attributes or not is_expected:
                return False
    return True


def _compare_namespaces(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield class bodies with code such as `vars()`, which sees all names of the body.

    The generated class has one body with the names of both classes.
    """
    for model in (inheritance.child, inheritance.parent):
        for statement in view_definition(model.statement).body.statements:
            # The code of a method does not see the names of the class body.
            if statement.is_definition:
                continue
            for opaque in facts_of(statement).opaque:
                if opaque.reason is OpaqueReason.NAMESPACE:
                    yield Difference(
                        "",
                        inheritance.header,
                        f"`{opaque.name}` in the body of `{model.name}` sees the members of "
                        "both classes",
                        "name what is meant",
                    )


def _kept_functions(inheritance: Inheritance) -> Iterator[FunctionModel]:
    """Yield the parent's methods that are kept under another name.

    For `super().forward(x)`, the parent's `forward` is kept as `_llama_mlp_forward`.
    """
    for method in inheritance.merged_class.kept_methods:
        yield inheritance.original_of(method)


def is_harmless_decorator(inheritance: Inheritance, decorator: str) -> bool:
    """Whether a decorator certainly does not depend on the name of its function.

    The converter can copy `@register def forward` as `_llama_mlp_forward`. This is harmful
    if `register` reads or stores the name. It is harmless if `register` only calls or
    returns the function, or passes it to `functools.wraps`.

    Returns:
        False if the code of the decorator is not known, or does not use the function.
    """
    if is_harmless_decorator_name(decorator):
        return True
    function = find_function(inheritance, decorator)
    if function is None or not function.parameters:
        return False
    decorated_function = function.parameters[0].name
    is_used = False
    for _, facts in function.body:
        for mention in facts.mentions_of(decorated_function):
            is_passed_to_wraps = mention.passed_to.rpartition(".")[2] == "wraps"
            is_used_whole = mention.usage in (Usage.CALLED, Usage.RETURNED)
            # `function.__name__` reads an attribute.
            is_called_or_returned = is_used_whole and not mention.attributes
            if not (is_passed_to_wraps or is_called_or_returned):
                return False
            is_used = True
    # In `@register("owl")`, the parameter of `register` is not the function.
    return is_used


def _compare_frames(inheritance: Inheritance) -> Iterator[Difference]:
    """Yield methods that can see that the generated method differs from theirs.

    `sys._getframe()` shows the name of the method that calls it, and `locals()` shows
    its variables. Three kinds of methods have another name or other variables:

    - a method of the child whose `super()` is replaced, because `super()` makes the
      variable `__class__`
    - a method of the parent that is kept under another name
    - an override that is merged with the parent's method, and that method
    """
    changed_methods = set(inheritance.merged_class.merges)
    for kept_method in inheritance.merged_class.kept_methods:
        changed_methods.add(kept_method.name)
    for method in inheritance.child.functions:
        viewing_function = _find_view_of_cell(method, changed_methods)
        if viewing_function:
            yield _describe_view(inheritance, method, viewing_function)

    parent_path = inheritance.parent_definition.path
    for method in _kept_functions(inheritance):
        viewing_function = _find_view_of_caller(inheritance, parent_path, method)
        if viewing_function:
            yield _describe_view(inheritance, method, viewing_function)

    for path, method in _merged_methods(inheritance):
        viewing_function = _find_view_of_caller(inheritance, path, method)
        if not viewing_function:
            viewing_function = _find_view_of_variables(inheritance, path, method)
        if viewing_function:
            yield _describe_view(inheritance, method, viewing_function)


def _merged_methods(inheritance: Inheritance) -> Iterator[tuple[str, FunctionModel]]:
    """Yield each override that is merged with a parent's method, and then that method.

    Yields:
        The path of the file with the method, and the method.
    """
    for merge in inheritance.merged_class.merges.values():
        yield inheritance.definition.path, model_function(merge.override.statement)
        parent_method = inheritance.original_of(merge.parent.statement)
        yield inheritance.parent_definition.path, parent_method


def _describe_view(
    inheritance: Inheritance, method: FunctionModel, viewing_function: str
) -> Difference:
    """Return the difference of a method that can see its own name, caller or variables.

    Args:
        inheritance: The child class and its parent class.
        method: The method.
        viewing_function: The function that it calls for that, such as `sys._getframe`.
    """
    return Difference(
        method.name,
        inheritance.header,
        f"`{method.name}` calls `{viewing_function}`, which sees that the generated method "
        "has another name or other variables",
        f"write out what `{inheritance.parent.name}.{method.name}` does",
    )


def _find_view_of_cell(function: FunctionModel, changed_methods: set[str]) -> str:
    """Return the function by which a method sees that its `super()` is replaced.

    A function with `super()` has a variable `__class__`, which `locals()` shows. The
    generated method has neither of them.

    Args:
        function: The method.
        changed_methods: The methods of the parent class whose `super()` calls are
            replaced.

    Returns:
        The function, such as `locals`; empty if the method calls none, or keeps its
        `super()`.
    """
    if "super" not in function.statement.words:
        return ""
    viewing_function = ""
    loses_super = False
    for _, facts in function.body:
        for opaque in facts.opaque:
            if opaque.reason is OpaqueReason.NAMESPACE and not viewing_function:
                viewing_function = opaque.name
        if any(use.method in changed_methods for use in facts.super_uses):
            loses_super = True
    return viewing_function if loses_super else ""


def _find_view_of_variables(
    inheritance: Inheritance, path: str, function: FunctionModel
) -> str:
    """Return the alias by which a function uses a builtin such as `locals` or `vars`.

    After `look = locals` in its file, the alias is `look`. The result is empty if the
    function uses no such alias.
    """
    for _, facts in function.body:
        for name in sorted(facts.names - function.local_names):
            builtin = _find_viewing_builtin(inheritance, path, name)
            if builtin and builtin != name:
                return name
    return ""


def _find_view_of_caller(
    inheritance: Inheritance,
    path: str,
    function: FunctionModel,
    depth: int = _MAX_CALL_DEPTH,
) -> str:
    """Return what a function uses that looks at the calling code, such as `sys._getframe`.

    Args:
        inheritance: The child class and its parent class.
        path: The file of the function.
        function: The function.
        depth: How deeply nested calls of other functions are followed.

    Returns:
        The attribute or function that looks at the code, or the function that calls it.
        Empty if neither the function nor those that it calls look at it.
    """
    resolver = inheritance.context.resolver
    for _, facts in function.body:
        frame_attribute = _find_frame(facts)
        if frame_attribute:
            return frame_attribute
        for mention in facts.mentions:
            is_used = mention.attributes or mention.usage is Usage.CALLED
            if not is_used or mention.name in function.local_names:
                continue
            meaning = resolver.meaning(path, mention.name)
            if _looks_at_frames(meaning, mention):
                return mention.dotted_name
            if depth == 0:
                continue
            # The called function may look at the caller of its caller.
            called_function = function_of(inheritance, meaning)
            if called_function is None:
                continue
            assert isinstance(meaning, Definition), "it has code"
            if _find_view_of_caller(
                inheritance, meaning.path, called_function, depth - 1
            ):
                return mention.name
    return ""


def _find_frame(facts: CodeFacts) -> str:
    """Return the attribute by which code reads a frame, such as `f_back`; may be empty."""
    for opaque in facts.opaque:
        if opaque.reason is OpaqueReason.FRAME:
            return opaque.name
    return ""


def _looks_at_frames(meaning: Meaning, mention: Mention) -> bool:
    """Whether a mention of a name may look at the code around it, as `sys._getframe` does.

    Args:
        meaning: What the name means, such as the module `sys`.
        mention: The mention, such as `sys._getframe()`.
    """
    if not isinstance(meaning, ForeignName):
        return False
    name = ".".join((meaning.dotted_name, *mention.attributes[:1]))
    if name.partition(".")[0] not in _FRAME_MODULES:
        return False
    # `sys.stdout` and `sys.stdout.write` do not look at code.
    for ordinary_name in _ORDINARY_NAMES:
        if f"{name}.".startswith(f"{ordinary_name}."):
            return False
    return True
