"""What stands in a modular file and ends up nowhere: definitions, assignments that the parent's win over, imports."""

from collections.abc import Iterator

from modular.flatten.autofixes import inheriting, renamed
from modular.lint.subject import Subject
from modular.rules.files.deprecated_names import GETATTR
from modular.rules.files.exports import ALL
from modular.source import fixes
from modular.source.blocks import Kind, Statement
from modular.source.code import find_word
from modular.source.diagnostics import Diagnostic, Fix, Problem, did_you_mean, nearest
from modular.source.import_statements import Alias, Import
from modular.source.module import Module
from modular.source.places import place_of, place_of_word


_KEPT = (ALL, GETATTR)
_ON_PURPOSE = "noqa"


def find(subject: Subject) -> Iterator[Diagnostic]:
    """Report all of these, and classes without a base whose parent class is imported for nothing."""
    yield from _definitions(subject)
    begins = {id(each): begin for begin, each in subject.modular.module.placed()}
    imports = subject.modular.module.imports
    unused = [(each, alias) for each in imports for alias in _unused(subject, each, begins[id(each.statement)])]
    lonely = _lonely_classes(subject) if unused else {}
    for each, alias in unused:
        child = lonely.get(alias.bound)
        yield _unused_import(each, alias) if child is None else _lost_base(each, alias, child)


def _definitions(subject: Subject) -> Iterator[Diagnostic]:
    """Functions and assignments that no output file holds, or holds as the parent has them; what is defined twice."""
    written = {
        name: node.parts[0].code for draft in subject.layout.drafts.values() for name, node in draft.nodes.items()
    }
    kept = (*_KEPT, *subject.project.settings.first_names)
    named = [each for each in subject.modular.module.block.statements if each.name]
    first = {each.name: each for each in reversed(named)}
    last = {each.name: each for each in named}
    for statement in subject.modular.module.block.statements:
        name, kind = statement.name, statement.kind
        if kind not in (Kind.FUNCTION, Kind.CLASS, Kind.ASSIGNMENT) or name in kept:
            continue
        code = written.get(name)
        if kind is not Kind.ASSIGNMENT and last[name] is not statement:
            message = f"`{name}` is defined again below, and only that counts"
            if first[name] is statement and code is not None:
                message += "; but this first one decides where it stands"
            yield _nowhere(statement, message, "remove one of them, or rename it")
        elif code is None:
            message = f"`{name}` is in no generated file: no class needs it"
            near = did_you_mean(name, written)
            meant = (renamed(subject.modular, name, each) for each in nearest(name, written))
            yield _nowhere(statement, message, f"use it, or remove it{near and f'; {near}'}", *meant)
        elif kind is Kind.ASSIGNMENT and not subject.is_own(code):
            yield from _ignored(subject, statement)


def _nowhere(statement: Statement, message: str, hint: str, *meant: Fix) -> Diagnostic:
    ways_out = (*meant, fixes.remove(statement, f"Remove `{statement.name}`"))
    return _diagnostic(Problem.ENDS_NOWHERE, statement, message, hint)._replace(fixes=ways_out)


def _ignored(subject: Subject, statement: Statement) -> Iterator[Diagnostic]:
    """An assignment that is not used because the parent file has one of the same name."""
    name = statement.name
    for path, file in subject.layout.parents.items():
        parent = file.definitions.assignments.get(name)
        if parent is None or parent.statement.own.normal() == statement.own.normal():
            continue
        message = f"this `{name}` is not used: the one of `{path}` is"
        hint = "remove it, or give it another name and override what should use it"
        found = _diagnostic(Problem.ASSIGNMENT_IGNORED, statement, message, hint, parent.statement)
        yield found._replace(fixes=(fixes.remove(statement, f"Remove `{name}`"),))
        return


def _diagnostic(
    problem: Problem, statement: Statement, message: str, hint: str, related: Statement | None = None
) -> Diagnostic:
    place = place_of_word(statement.own, statement.name)
    return Diagnostic(problem, place, message, hint, None if related is None else place_of(related.own))


def _unused(subject: Subject, each: Import, begin: int) -> Iterator[Alias]:
    """The names of an import that stand nowhere else in the modular file, nor come from it into an output file.

    ``begin`` is where the import begins in the modular file.
    """
    statement = each.statement
    end = begin + len(statement.code.text)
    if _ON_PURPOSE in statement.code.text or each.module == "__future__":
        return
    for alias in each.names:
        first = alias.bound.partition(".")[0]
        if alias.name == "*" or _is_mentioned(subject.modular.module, first, begin, end) or first in subject.written:
            continue
        if not _is_elsewhere(subject, alias):
            yield alias


def _is_elsewhere(subject: Subject, alias: Alias) -> bool:
    """Whether a parent file does not have what is imported from it, which is reported already."""
    path = subject.modular.parent_of.get(alias.bound)
    return path is not None and alias.name not in subject.layout.parents[path].source.names


def _is_mentioned(module: Module, name: str, begin: int, end: int) -> bool:
    """Whether a name stands in the statements outside a span, be it in a string: that may be an annotation."""
    text = module.code.text
    before, after = (len(module.header.text), begin), (end, len(text) - len(module.block.footer.text))
    return any(next(find_word(text, name, *span), None) is not None for span in (after, before))


def _unused_import(each: Import, alias: Alias) -> Diagnostic:
    place = place_of_word(each.statement.own, alias.bound)
    message = f"`{alias.bound}` is imported and not used"
    way_out = fixes.drop_import(each, alias.bound)
    return Diagnostic(Problem.UNUSED_IMPORT, place, message, "remove it, or use it", fixes=(way_out,))


def _lonely_classes(subject: Subject) -> dict[str, Statement]:
    """Classes without a parent class, by the imported class that they are named like, without the models' names."""
    modular = subject.modular
    found = {}
    without_parent = [each for name, each in modular.definitions.classes.items() if not modular.parents_of(name)]
    for base, path in modular.parent_of.items():
        source = subject.layout.parents[path].source
        original = modular.original_names[base]
        ending = original.removeprefix(source.spelling.cased)
        for definition in without_parent if original in source.classes and ending else ():
            if definition.name.endswith(ending) and ending[0].isupper():
                found[base] = definition.statement
    return found


def _lost_base(each: Import, alias: Alias, child: Statement) -> Diagnostic:
    message = f"`{child.name}` does not inherit from `{alias.bound}`, which is imported and not used"
    hint = f"write `class {child.name}({alias.bound})`, or remove the import"
    place, related = place_of_word(child.parts.header, child.name), place_of_word(each.statement.own, alias.bound)
    title = f"Write `class {child.name}({alias.bound})`"
    ways_out = (inheriting(child.parts, [alias.bound], title), fixes.drop_import(each, alias.bound))
    return Diagnostic(Problem.LOST_BASE, place, message, hint, related, fixes=ways_out)
