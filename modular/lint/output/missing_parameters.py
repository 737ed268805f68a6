"""Parameters of a parent's method that its body uses where an unravelled call inlined it, and the override does not have."""

from modular.flatten.formatted import Undefined
from modular.flatten.outputs import OutputFile
from modular.lint.subject import Subject
from modular.rules.classes.super_call import super_call_index
from modular.source.diagnostics import Place
from modular.source.parts import Parts
from modular.source.places import place_of_word


Call = tuple[str, str]
"""An unravelled call: the class, and the key of the method that it is in."""


def missing_parameters(subject: Subject) -> dict[Call, dict[str, Place]]:
    """Return the parameters that are missing at each call, with where the parent's body uses them."""
    calls: dict[Call, dict[str, Place]] = {}
    for file in subject.files:
        for name in subject.undefined(file):
            if (call := call_of(subject, file, name)) is not None:
                line = file.at_line(name.line)
                assert line is not None, "it was found in the file"
                calls.setdefault(call, {}).setdefault(name.name, place_of_word(line[1], name.name))
    return calls


def call_of(subject: Subject, file: OutputFile, undefined: Undefined) -> Call | None:
    """Return the call that inlined a line in which an undefined name appears, if it is a parameter that is missing."""
    origin = file.piece_at(undefined.line)
    if origin is None or subject.is_own(origin[1].code):
        return None
    statement, piece = origin
    flat = subject.layout.flattened.get(statement.name)
    if flat is None or piece.member not in flat.overriding or piece.member not in flat.inherited:
        return None
    own, parent = flat.overriding[piece.member], flat.inherited[piece.member]
    if super_call_index(own.body.statements, own.name) is None or undefined.name not in _parameters(parent):
        return None
    return None if undefined.name in _parameters(own) else (statement.name, piece.member)


def _parameters(method: Parts) -> set[str]:
    return {name.lstrip("*") for name in method.parameters}
