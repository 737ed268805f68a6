"""Autofixes of classes: each makes the change that the hint of its diagnostic suggests."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.classes.super_kwargs import SUPER_KWARGS
from modular.rules.files.drafts import ALL
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import RenamedFile
from modular.source import fixes
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Fix, Place, did_you_mean, nearest
from modular.source.indentation import STEP
from modular.source.places import place_of_word
from modular.source.scan import STRING, count_leading_blanks
from modular.source.source_slice import SourceSlice, find_word
from modular.source.trees import node_text


MAX_KNOWN_NAMES = 500
"""Comparing each misspelt name with more names than a class ever has takes too long."""

_CALL_AFTER_CLASS = re.compile(r"\.\w+\((?:self\s*(?:,\s*)?)?")
"""Matches `.forward(self, ` after the class in the call `LlamaMLP.forward(self, x)`."""


def suggest_names(
    code: SourceSlice, name: str, known_names: Collection[str]
) -> Iterator[Fix]:
    """Yield fixes that correct a misspelt name, the most similar name first.

    Args:
        code: The code with the misspelt name.
        name: The misspelt name.
        known_names: The names that exist. There is no fix if they are too many.
    """
    if len(known_names) > MAX_KNOWN_NAMES:
        return
    place = place_of_word(code, name)
    for known_name in nearest(name, known_names):
        yield fixes.replace(place, known_name)


def suggest_alternative(name: str, known_names: Collection[str]) -> str:
    """Return `; or did you mean ...?`, the end of a hint; empty if no name is similar."""
    if len(known_names) > MAX_KNOWN_NAMES:
        return ""
    suggestion = did_you_mean(name, known_names)
    return f"; or {suggestion}" if suggestion else ""


def call_base_explicitly(call: SourceSlice, method: str, base: str) -> Fix:
    """Return the fix that replaces `super().method(` with `Base.method(self, `.

    Args:
        call: The statement with the call.
        method: The name of the method.
        base: The name of the base.
    """
    # In the masked text, strings and comments are blank, so only code is found.
    start = call.masked_text.index("super")
    method_start = call.masked_text.index(method, start + len("super"))
    arguments_start = call.masked_text.index("(", method_start) + 1
    has_arguments = not call.masked_text[arguments_start:].lstrip().startswith(")")
    separator = ", " if has_arguments else ""
    text = f"{base}.{method}(self{separator}"
    edit = fixes.make_edit(call, start, arguments_start, text)
    return Fix(f"Write `{base}.{method}(self, ...)`", (edit,))


def rename_override(override: DefinitionView, call: SourceSlice, name: str) -> Fix:
    """Return the fix that renames a method, and its call to the parent's method.

    With the name `forward`, `def froward(self): super().froward()` becomes
    `def forward(self): super().forward()`.

    Args:
        override: The method.
        call: The statement in it that calls `super().method(...)`.
        name: The new name.
    """
    title = f"Write `{name}`"
    renamed = fixes.replace(place_of_word(override.header, override.name), name)
    after_super = call.masked_text.index("super") + len("super")
    start = call.masked_text.index(override.name, after_super)
    edit = fixes.make_edit(call, start, start + len(override.name), name)
    return fixes.join(title, (renamed, Fix(title, (edit,))))


def call_instead(place: Place, function: str) -> Fix | None:
    """Return the fix that replaces `LlamaMLP.f(self, ` with `super().f(` in a call.

    Args:
        place: The place of `LlamaMLP` in the line.
        function: The text before the parenthesis in the fixed call, such as `super().f`
            or `self.f`.

    Returns:
        None if `LlamaMLP` is not followed by a call to a method.
    """
    # Columns count from 1, offsets in the text from 0.
    class_start = place.column - 1
    class_end = class_start + place.width
    call = _CALL_AFTER_CLASS.match(place.text, class_end)
    if call is None:
        return None
    # The replaced text ends where the first argument after `self` begins.
    replaced = place._replace(width=call.end() - class_start)
    text = f"{function}("
    return fixes.replace(replaced, text, f"Write `{text}...)`")


def write_removal_form(override: DefinitionView) -> Fix:
    """Return the fix that rewrites an override so that it removes a parent's method.

    The converter removes the parent's `f` only if the override has this form: one blank
    line, `def f(self):` on one line, and `raise AttributeError(...)` on the next line. The
    fix drops comments, decorators, the return annotation and the docstring.

    Args:
        override: A method whose first statement raises an error.
    """
    indent = override.statement.indent
    parameters = " ".join(node_text(override.function_node.params).split())
    # In a header of several lines, the last parameter may have a comma: `self, x,`.
    parameters = parameters.rstrip(", ")
    blank_line_and_header = f"\n{indent}def {override.name}({parameters}):\n"
    # The line of `raise`, which begins with its indentation.
    raise_code = override.body_without_docstring[0].bare_code
    code = override.code
    if override.is_inline:
        # `def f(self): raise ...` is one line in the file, which two lines replace.
        new_text = f"{blank_line_and_header}{raise_code.text.rstrip()}\n"
        edit = fixes.make_edit(code, 0, len(code.text), new_text)
    else:
        # All lines above the line of `raise` are replaced. The docstring can quote the
        # same `raise ...`, but strings are blank in the masked text.
        raise_start = code.masked_text.index(raise_code.masked_text)
        edit = fixes.make_edit(code, 0, raise_start, blank_line_and_header)
    return Fix(f"Remove the parent's `{override.name}`", (edit,))


def accept_all_parameters(override: DefinitionView) -> Fix:
    """Return the fix that adds `**super_kwargs` to the parameters of an override.

    In the generated method, `**super_kwargs` is replaced by the parent's parameters.
    """
    node = override.function_node
    super_kwargs = cst.Param(cst.Name(SUPER_KWARGS), star="**")
    params = node.params.with_changes(star_kwarg=super_kwargs)
    header = override.changed_function_header(node.with_changes(params=params))
    title = f"Write `**{SUPER_KWARGS}` in the parameters of `{override.name}`"
    return _replace_header(override, header, title)


def add_defaults(override: DefinitionView, first: str) -> Iterator[Fix]:
    """Yield the fix that adds the default `None` to parameters that need a default.

    Python rejects `def f(x=0, y)`, which merging with a parent's method can produce.

    Args:
        override: A method of the modular file.
        first: The first parameter without a default after one with a default. If only
            the parent's method has it, there is no fix.
    """
    params = override.function_node.params
    positional = [*params.posonly_params, *params.params]
    names = [param.name.value for param in positional]
    if first not in names:
        return

    no_space = cst.SimpleWhitespace("")
    equal_without_spaces = cst.AssignEqual(no_space, no_space)
    changed_params = []
    added_defaults = []
    for index, param in enumerate(positional):
        needs_default = index >= names.index(first)
        if needs_default and param.default is None:
            added_defaults.append(f"`{param.name.value}=None`")
            param = param.with_changes(default=cst.Name("None"))
            if param.annotation is None:
                # LibCST would write `x = None`, as it does after an annotation.
                param = param.with_changes(equal=equal_without_spaces)
        changed_params.append(param)

    posonly_count = len(params.posonly_params)
    all_params = params.with_changes(
        posonly_params=changed_params[:posonly_count],
        params=changed_params[posonly_count:],
    )
    node = override.function_node.with_changes(params=all_params)
    title = f"Write {' and '.join(added_defaults)}"
    yield _replace_header(override, override.changed_function_header(node), title)


def set_bases(child: DefinitionView, bases: Sequence[str], title: str) -> Fix:
    """Return the fix that writes other bases into the header of a class.

    Args:
        child: The class.
        bases: The text of each new base.
        title: The title of the fix.
    """
    header = child.changed_class_header(child.name, child.type_parameters, bases)
    return _replace_header(child, header, title)


def keep_one_parent(child: DefinitionView, parents: Sequence[str]) -> Iterator[Fix]:
    """Yield a fix for each of several parent classes that removes the others.

    The other bases, such as mixins, are kept.

    Args:
        child: A class with several parent classes.
        parents: The bases that are parent classes.
    """
    for parent in parents:
        other_parents = set(parents) - {parent}
        bases = [base for base in child.bases if base not in other_parents]
        yield set_bases(child, bases, f"Inherit from `{parent}` alone")


def _replace_header(definition: DefinitionView, header: SourceSlice, title: str) -> Fix:
    """Return the fix that replaces the header of a class or function."""
    end = len(definition.header.text)
    edit = fixes.make_edit(definition.header, 0, end, header.text)
    return Fix(title, (edit,))


def add_attribute(child: DefinitionView, line: str) -> Fix:
    """Return the fix that adds an attribute at the top of a class.

    Args:
        child: The class.
        line: The assignment, without indentation. It comes after the docstring.
    """
    title = f"Write `{line}`"
    statements = child.body_without_docstring
    # In a class with only a docstring, the attribute is written below it.
    if not statements:
        docstring = child.docstring
        assert docstring is not None, "a class has a body"
        end = len(docstring.code.text)
        text = f"\n{docstring.indent}{line}\n"
        return Fix(title, (fixes.make_insertion(docstring.code, end, text),))

    first = statements[0]
    text = f"{first.indent}{line}\n"
    if first.does_nothing:
        # The attribute replaces the `pass`, but not the comments above it.
        edit = fixes.make_edit(first.code, first.start, len(first.code.text), text)
    else:
        # Between the attribute and a method or class, there must be a blank line.
        if first.is_definition and not first.lead.text.startswith("\n"):
            text += "\n"
        edit = fixes.make_insertion(first.code, 0, text)
    return Fix(title, (edit,))


def keep_one_kind_of_decorators(child: DefinitionView) -> Iterator[Fix]:
    """Yield fixes for a class with `@no_inherit_decorator` and other decorators.

    `@no_inherit_decorator` says that the parent's decorators are not inherited, so it
    must be the only decorator. The first fix removes it. The second fix removes all other
    decorators.
    """
    code = child.decorators
    position = next(find_word(code.masked_text, NO_INHERIT_DECORATOR))
    start = code.text.rfind("\n", 0, position) + 1
    end = code.text.index("\n", position) + 1

    removal = fixes.make_edit(code, start, end, "")
    yield Fix(f"Remove `@{NO_INHERIT_DECORATOR}`", (removal,))
    marker_alone = fixes.make_edit(code, 0, len(code.text), code.text[start:end])
    yield Fix(f"Write `@{NO_INHERIT_DECORATOR}` alone", (marker_alone,))


def rename_definition(modular: ModularFile, old: str, new: str) -> Fix:
    """Return the fix that renames a definition in a modular file.

    It changes the code and the string in `__all__`, but no other strings.
    """
    edits = list(fixes.rename(modular.module.code, old, new).edits)
    exports = modular.last_assignment(ALL)
    if exports is not None:
        code = exports.bare_code
        for start in find_word(code.text, old):
            if code.masked_text[start] == STRING:
                edits.append(fixes.make_edit(code, start, start + len(old), new))
    return Fix(f"Rename `{old}` to `{new}`", tuple(edits))


def share_prefix(modular: ModularFile, new_names: Mapping[str, str]) -> Iterator[Fix]:
    """Yield the fix that renames classes so that all have the same prefix.

    `MyModelTextMLP` and `MyModelVisionAttention`, for example, become `MyModelMLP` and
    `MyModelAttention`. No fix is yielded if a new name is missing or not unique.

    Args:
        modular: The modular file.
        new_names: The new name of each class by its present name. A new name is `""` if
            no good name was found.
    """
    names = list(new_names.values())
    is_incomplete = "" in names
    has_duplicates = len(set(names)) < len(names)
    has_defined_name = any(name in modular.definitions for name in names)
    if is_incomplete or has_duplicates or has_defined_name:
        return
    quoted = [f"`{name}`" for name in names]
    renames = [rename_definition(modular, old, new) for old, new in new_names.items()]
    yield fixes.join(f"Write {' and '.join(quoted)}", renames)


def define_like_parent(
    modular: ModularFile, name: str, parents: Mapping[str, RenamedFile]
) -> Iterator[Fix]:
    """Yield the fix that defines a missing class as a child of a parent model's class.

    A generated file needs `MyModelConfig` if its parent file imports `LlamaConfig` from
    `.configuration_llama`. The fix adds `class MyModelConfig(LlamaConfig)`. No fix is
    yielded if no parent file has such an import.

    Args:
        modular: The modular file.
        name: The name of the missing class, such as `MyModelConfig`.
        parents: The renamed parent files by path.
    """
    for path, model_import in modular.model_imports:
        sibling_class = _find_sibling_class(parents[path], name)
        if sibling_class is None:
            continue
        # The new import is `from ..llama.configuration_llama import LlamaConfig`.
        package = model_import.source.rpartition(".")[0]
        line = f"from {package}.{sibling_class.module} import {sibling_class.name}"
        import_fix = fixes.insert_above(model_import.statement, line)

        # The new class comes above all other classes.
        header = f"class {name}({sibling_class.name})"
        text = f"{header}:\n{STEP}pass\n\n\n"
        first_class = next(iter(modular.definitions.classes.values())).statement.code
        blank_lines = count_leading_blanks(first_class.text, "\n")
        insertion = fixes.make_insertion(first_class, blank_lines, text)
        yield Fix(f"Write `{header}`", (*import_fix.edits, insertion))
        return


class _SiblingClass(NamedTuple):
    """A class of another file of the parent's model, and the module of that file."""

    module: str | None
    name: str


def _find_sibling_class(parent: RenamedFile, new_name: str) -> _SiblingClass | None:
    """Return the class that a parent file imports, and that gets a new name by renaming.

    Before renaming, the parent file has `from .configuration_llama import LlamaConfig`.
    The new name of `LlamaConfig` is `MyModelConfig`.

    Args:
        parent: The parent file, renamed from Llama to `MyModel`.
        new_name: The name of the class after renaming, such as `MyModelConfig`.
    """
    for import_ in parent.source.module.imports:
        for alias in import_.names:
            if import_.level == 1 and parent.renamer.word(alias.name) == new_name:
                return _SiblingClass(import_.module, alias.name)
    return None
