"""Configurations: a `model_type` that is not the folder's name, and classes that are imported from a file that nobody makes."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from modular.flatten.autofixes import attribute, like_the_parents, renamed
from modular.flatten.flattened import Flattened
from modular.lint.subject import Subject
from modular.lint.trees import tree_of
from modular.rules.classes import class_attributes
from modular.rules.files import file_types
from modular.rules.files.imports import guarded_imports
from modular.source.blocks import Kind, Statement
from modular.source.code import find_word
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean, nearest
from modular.source.import_statements import Import
from modular.source.module import Module
from modular.source.places import place_of, place_of_module, place_of_word


_MODEL_TYPE = "model_type"


def find(subject: Subject) -> Iterator[Diagnostic]:
    """Report both."""
    for flat in subject.flattened:
        yield from _model_type(subject, flat)
    reported: set[str] = set()
    for module in map(subject.own_imports, subject.files):
        for each in (*module.imports, *guarded_imports(filter(_is_if, module.block.statements))):
            for name in _made_by_nobody(subject, each):
                if name not in reported:
                    reported.add(name)
                    yield _missing(subject, module, each, name)


def _is_if(statement: Statement) -> bool:
    """Whether a statement is an `if`. An import in a `try` may fail."""
    import libcst as cst

    return statement.kind is Kind.GUARD and isinstance(tree_of(statement.own), cst.If)


def _model_type(subject: Subject, flat: Flattened) -> Iterator[Diagnostic]:
    """Report an inherited `model_type` that the renaming made into something else than the model's name."""
    if _MODEL_TYPE not in flat.parent.code.mask:
        return
    statement = class_attributes.attributes(flat.parent.body.statements).get(_MODEL_TYPE)
    model = subject.modular.model
    right = f"{_MODEL_TYPE} = {_double_quoted(model)}"
    if statement is None or statement.own.text.strip() == right:
        return
    own = class_attributes.attributes(flat.own.body.statements)
    value = _text(statement) if _MODEL_TYPE not in own else None
    if value is None or value.replace("-", "_") == model or _is_part(value, model):
        return
    message = f"the inherited `model_type` becomes {value!r} in `{flat.own.name}`, but the model is called {model!r}"
    hint = f"write `{right}`, or give the class a name that is made of the model's"
    place = place_of_word(flat.own.header, flat.own.name)
    as_written = subject.modular.definitions.classes[flat.own.name].statement.parts
    found = (attribute(as_written, right),)
    yield Diagnostic(Problem.OTHER_MODEL_TYPE, place, message, hint, place_of(statement.own), fixes=found)


def _text(statement: Statement) -> str | None:
    """The value of an assignment that is one plain string."""
    import libcst as cst

    tree = tree_of(statement.own)
    value: cst.BaseExpression | None = None
    if isinstance(tree, cst.SimpleStatementLine):
        value = getattr(tree.body[0], "value", None)
    found = value.evaluated_value if isinstance(value, cst.SimpleString) else None
    return found if isinstance(found, str) else None


def _is_part(value: str, model: str) -> bool:
    """Whether a model type is that of a part of the model: `olmo_text` of `olmo`."""
    return value.replace("-", "_").startswith(f"{model}_")


def _double_quoted(text: str) -> str:
    return f'"{text}"'


def _made_by_nobody(subject: Subject, each: Import) -> Iterator[str]:
    """The names that an output file imports from another file of the model, and that are not there."""
    stem = each.module or ""
    file_type = file_types.of_file(stem, subject.project.settings)
    if each.level != 1 or file_type is None or stem != f"{file_type}_{subject.modular.model}":
        return
    made = subject.heads.get(file_type)
    path = subject.project.output_path(subject.modular.path, file_type)
    beside = str(PurePosixPath(subject.modular.path).with_name(f"{stem}.py"))
    if made is None and (subject.exists(path) or subject.exists(beside)):
        return
    yield from (name.name for name in each.names if made is None or not _has(subject, file_type, name.name))


def _has(subject: Subject, file_type: str, name: str) -> bool:
    """Whether an output file defines a name, or its imports hold the word."""
    defined = (each.name for file in subject.files if file.file_type == file_type for each in file.statements)
    return name in defined or next(find_word(subject.heads[file_type].code.mask, name), None) is not None


def _missing(subject: Subject, module: Module, each: Import, name: str) -> Diagnostic:
    place, related = _user(subject, module, name)
    file = f"`{each.source}`"
    message = f"`{module.path}` imports `{name}` from {file}, which nothing makes"
    if any(f"{each.module}.py" == PurePosixPath(other.path).name for other in subject.heads.values()):
        message = f"`{module.path}` imports `{name}` from {file}, which has no such class"
    known = [one for one in subject.modular.definitions.classes if one != name]
    near = did_you_mean(name, known)
    hint = f"define `{name}`" + (f"; {near}" if near else f", or write `{each.module}.py` by hand")
    meant = (renamed(subject.modular, one, name) for one in nearest(name, known))
    ways_out = (*meant, *like_the_parents(subject.modular, name, subject.layout.parents))
    return Diagnostic(Problem.MADE_BY_NOBODY, place, message, hint, related, fixes=ways_out)


def _user(subject: Subject, module: Module, name: str) -> tuple[Place, Place | None]:
    """The place in the modular file that asks for a name: its own import, or the first class that uses the name."""
    for each in subject.modular.module.imports:
        if each.level == 1 and any(alias.name == name for alias in each.names):
            return place_of_module(each), None
    for flat in subject.flattened:
        code = next((part.code for part in flat.parts if name in part.code.words()), None)
        if code is not None:
            at = place_of_word(code, name)
            if subject.is_own(code):
                return at, None
            return place_of_word(flat.own.header, flat.own.name), at
    for definition in subject.modular.definitions.classes.values():
        if name in definition.words:
            return place_of_word(definition.statement.own, name), None
    return Place(subject.modular.path), None
