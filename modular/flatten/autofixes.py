"""Fixes of what can be wrong with a class: each writes what its diagnostic's hint says."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import libcst as cst

from modular.rules.classes.decorators import NO_INHERIT_DECORATOR
from modular.rules.files.drafts import ALL
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import RenamedFile
from modular.source import fixes
from modular.source.code import SourceSlice, find_word
from modular.source.diagnostics import Fix, Place, nearest
from modular.source.indentation import STEP
from modular.source.parts import DefinitionView
from modular.source.places import place_of_word
from modular.source.scan import STRING
from modular.source.trees import written


_REST = "super_kwargs"
_CALL = re.compile(r"\.(\w+)\((?:self\s*(?:,\s*)?)?")
"""What is after the parent's class where a line calls one of its methods."""


def suggest_names(code: SourceSlice, name: str, known: Iterable[str]) -> Iterator[Fix]:
    """Write one of the names that are there, the nearest first, where some code has a wrong one."""
    place = place_of_word(code, name)
    return (fixes.write(place, other) for other in nearest(name, known))


def call_base_explicitly(call: SourceSlice, method: str, base: str) -> Iterator[Fix]:
    """Call a base by its name, in the place of `super()`, where its method is not to be unravelled."""
    start = call.mask.find("super")
    opening = call.mask.find("(", call.mask.find(method, start))
    if 0 <= start < opening:
        comma = "" if call.mask[opening + 1 :].lstrip().startswith(")") else ", "
        edit = fixes.edit(call, start, opening + 1, f"{base}.{method}(self{comma}")
        yield Fix(f"Write `{base}.{method}(self, ...)`", (edit,))


def write_removal_form(own: DefinitionView) -> Fix:
    """Give an override that only raises the one form in which it removes the parent's method."""
    statements = (
        statement for statement in own.body.statements if statement is not own.docstring
    )
    raising = next(statements).own.text
    indent = own.statement.indent
    parameters = " ".join(written(own.function_node.params).split()).rstrip(", ")
    header = f"\n{indent}def {own.name}({parameters}):\n"
    if own.is_inline:
        header, end = f"{header}{raising.rstrip()}\n", len(own.code.text)
    else:
        end = own.code.text.index(raising)
    return Fix(
        f"Remove the parent's `{own.name}`", (fixes.edit(own.code, 0, end, header),)
    )


def accept_all_parameters(own: DefinitionView) -> Fix:
    """Let an override take all of the parent's parameters."""
    rest = cst.Param(cst.Name(_REST), star="**")
    node = own.function_node
    changed = node.with_changes(params=node.params.with_changes(star_kwarg=rest))
    return _header(
        own,
        own.header_with(changed),
        f"Write `**{_REST}` in the parameters of `{own.name}`",
    )


def add_defaults(own: DefinitionView, first: str) -> Iterator[Fix]:
    """Give the parameters of a method from one on the default `None`, where they have none; that one may be the parent's."""
    params = own.function_node.params
    names = [param.name.value for param in (*params.posonly_params, *params.params)]
    if first not in names:
        return
    later = set(names[names.index(first) :])
    given: list[str] = []

    def with_default(param: cst.Param) -> cst.Param:
        if param.default is not None or param.name.value not in later:
            return param
        given.append(f"`{param.name.value}=None`")
        narrow = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        return param.with_changes(
            default=cst.Name("None"),
            equal=narrow if param.annotation is None else cst.MaybeSentinel.DEFAULT,
        )

    changed = params.with_changes(
        posonly_params=[
            with_default(posonly_param) for posonly_param in params.posonly_params
        ],
        params=[with_default(param) for param in params.params],
    )
    header = own.header_with(own.function_node.with_changes(params=changed))
    yield _header(own, header, f"Write {' and '.join(given)}")


def set_bases(own: DefinitionView, bases: Sequence[str], title: str) -> Fix:
    """Let a class have other bases than it has, each named as it is to be written."""
    return _header(own, own.header_of(own.name, own.type_parameters, bases), title)


def keep_one_parent(own: DefinitionView, parents: Sequence[str]) -> Iterator[Fix]:
    """Let a class inherit from one of several parent classes alone; bases that are none stay."""
    for parent in parents:
        bases = [base for base in own.bases if base == parent or base not in parents]
        yield set_bases(own, bases, f"Inherit from `{parent}` alone")


def _header(own: DefinitionView, header: SourceSlice, title: str) -> Fix:
    """Write another header."""
    return Fix(title, (fixes.edit(own.header, 0, len(own.header.text), header.text),))


def add_attribute(own: DefinitionView, line: str) -> Fix:
    """Write an attribute at the top of a class, after its docstring."""
    docstring = own.docstring
    first = next(
        (statement for statement in own.body.statements if statement is not docstring),
        None,
    )
    beside = first or docstring
    assert beside is not None, "a class has a body"
    text = f"{beside.indent}{line}\n"
    if first is None:
        end = len(beside.code.text)
        edit = fixes.edit(beside.code, end, end, f"\n{text}")
    elif first.does_nothing:
        edit = fixes.edit(first.code, first.start, len(first.code.text), text)
    else:
        blank = (
            "\n" if first.is_definition and not first.lead.text.startswith("\n") else ""
        )
        edit = fixes.edit(first.code, 0, 0, text + blank)
    return Fix(f"Write `{line}`", (edit,))


def keep_one_kind_of_decorators(own: DefinitionView) -> Iterator[Fix]:
    """Keep the marker for no decorators, or the decorators beside it."""
    code = own.decorators
    at = next(find_word(code.mask, NO_INHERIT_DECORATOR))
    start, end = code.text.rfind("\n", 0, at) + 1, code.text.index("\n", at) + 1
    marker = code.text[start:end]
    yield Fix(f"Remove `@{NO_INHERIT_DECORATOR}`", (fixes.edit(code, start, end, ""),))
    yield Fix(
        f"Write `@{NO_INHERIT_DECORATOR}` alone",
        (fixes.edit(code, 0, len(code.text), marker),),
    )


def rename_definition(modular: ModularFile, old: str, new: str) -> Fix:
    """Give what a modular file defines another name, in `__all__` too."""
    edits = fixes.rename(modular.module.code, old, new).edits
    exports = modular.last_assignment(ALL)
    if exports is not None:
        own = exports.own
        edits += tuple(
            fixes.edit(own, start, start + len(old), new)
            for start in find_word(own.text, old)
            if own.mask[start] == STRING
        )
    return Fix(f"Rename `{old}` to `{new}`", edits)


def share_prefix(modular: ModularFile, names: Mapping[str, str]) -> Iterator[Fix]:
    """Give classes other names, unless others are called so already; one without another name keeps all as they are."""
    new = set(names.values())
    if (
        "" not in new
        and len(new) == len(names)
        and modular.definitions.nodes().keys().isdisjoint(new)
    ):
        title = " and ".join(f"`{name}`" for name in names.values())
        yield fixes.joined(
            f"Write {title}",
            (rename_definition(modular, old, name) for old, name in names.items()),
        )


def define_like_parent(
    modular: ModularFile, name: str, parents: Mapping[str, RenamedFile]
) -> Iterator[Fix]:
    """Define a class that a parent file imports from another file of its model, as that has it."""
    code = next(iter(modular.definitions.classes.values())).statement.code
    above = len(code.text) - len(code.text.lstrip("\n"))
    for path, statement in modular.model_imports:
        file, package = parents[path], statement.source.rpartition(".")[0]
        for import_ in file.source.module.imports:
            original = next(
                (
                    one.name
                    for one in import_.names
                    if file.renamer.word(one.name) == name
                ),
                None,
            )
            if original is not None and import_.level == 1:
                imported = fixes.insert_above(
                    statement.statement,
                    f"from {package}.{import_.module} import {original}",
                )
                text = f"class {name}({original}):\n{STEP}pass\n\n\n"
                edits = (*imported.edits, fixes.edit(code, above, above, text))
                yield Fix(f"Write `class {name}({original})`", edits)
                return


def call_super(place: Place, owner: str) -> Fix | None:
    """Call `super()` or `self` where a line calls a method of the parent's class, which is at a place, by its name."""
    match = _CALL.match(place.text, place.column + place.width - 1)
    if match is None:
        return None
    width = match.end() - place.column + 1
    text = f"{owner}.{match.group(1)}("
    return fixes.write(place._replace(width=width), text, f"Write `{text}...)`")
