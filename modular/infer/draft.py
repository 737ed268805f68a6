"""Writes a modular file: imports, what is inherited, what is written out, and what is exported."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath

from modular.infer.choice import Choice
from modular.infer.flat import FlatModel, deprecated_of, exports_of, guarded_names
from modular.infer.parents import Parents
from modular.project.project import Project
from modular.rules.drafts import ALL
from modular.rules.files.deprecated_names import join_deprecated
from modular.rules.files.imports import read_guard
from modular.rules.files.used_names import UsedNames
from modular.rules.settings import MODELING
from modular.source.assignments import owner
from modular.source.blocks import Kind, Statement
from modular.source.code import generated
from modular.source.import_statements import Alias, import_of
from modular.source.indentation import STEP


_REMARK = "  # noqa: F401"
_MARKER_IMPORT = "from ...utils.modular import no_inherit_decorator\n"


@dataclass
class Draft:
    """What a modular file is to hold.

    ``implicit`` are classes that are not mentioned, because others bring them along; ``written`` functions and assignments
    that stand in it, ``taken`` those that are imported from parent files, by path; ``offered`` names whose import it
    repeats although its own code does not use them, ``kept`` those whose import in a guard is not to be dropped for that.
    """

    choice: Choice
    implicit: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    taken: dict[str, str] = field(default_factory=dict)
    offered: set[str] = field(default_factory=set)
    kept: frozenset[str] = frozenset()


HEADINGS = ("as it is", "apart", "close", "with a docstring")
"""How the heading of a modular file stands to the first import: that decides on the blank line in what is generated."""


def write(draft: Draft, parents: Parents, heading: str = HEADINGS[0]) -> str:
    """Return the text of the modular file, unformatted."""
    flat = parents.flat
    body = "\n\n".join(_definitions(draft, flat))
    ending = _ending(flat, draft)
    codes = [generated(body + ending, flat.modular, 1)]
    used = UsedNames(codes, frozenset(_defined(draft, flat)))
    model_imports = list(_model_imports(draft, parents, used))
    guards = list(_guards(draft, flat, used))
    imports = list(_ordinary_imports(draft, parents, used.also(_conditions(guards))))
    if "@no_inherit_decorator" in body:
        imports.append(_MARKER_IMPORT)
    head = _heading(flat, heading)
    return "".join(
        [
            head,
            *imports,
            *model_imports,
            "\n",
            *(_guard_text(draft, guard, used) for guard in guards),
            "\n\n",
            body.rstrip("\n"),
            "\n",
            ending,
        ]
    )


def _heading(flat: FlatModel, style: str) -> str:
    """The comments that head the file, and its docstring: those of the modeling file, if there is one."""
    file = flat.by_type.get(MODELING, flat.files[0])
    if file.docstring is not None:
        return f"{file.heading}{file.docstring.own.text.strip()}\n\n"
    if style == HEADINGS[0]:
        return file.heading
    text = f"{file.heading.rstrip()}\n" if file.heading.strip() else ""
    if style == "apart":
        return f"{text}\n"
    return text if style == "close" else f'{text}"""The {flat.cased} model."""\n\n'


def _definitions(draft: Draft, flat: FlatModel) -> Iterator[str]:
    done: set[str] = set()
    for file in flat.files:
        for name, statement in file.named.items():
            if name in done:
                continue
            done.add(name)
            if statement.kind is Kind.CLASS:
                if name in draft.choice.options:
                    if name not in draft.implicit:
                        yield draft.choice.options[name].derived.text
                else:
                    yield statement.code.text.lstrip("\n")
            elif name in draft.written or (statement.kind is Kind.OTHER and owner(statement) in draft.written):
                yield statement.code.text.lstrip("\n")


def _defined(draft: Draft, flat: FlatModel) -> Iterator[str]:
    for name, statement in flat.names.items():
        if statement.kind is Kind.CLASS:
            if name not in draft.implicit:
                yield name
        elif name in draft.written:
            yield name


def _model_imports(draft: Draft, parents: Parents, used: UsedNames) -> Iterator[str]:
    names: dict[str, set[str]] = {}
    for name, option in draft.choice.options.items():
        if name not in draft.implicit:
            names.setdefault(option.path, set()).add(option.parent)
    for name, path in {**dict(_brought(draft, parents, used)), **draft.taken}.items():
        names.setdefault(path, set()).add(name)
    for path in sorted(names):
        module = module_of(parents.converter.project, parents.flat.modular, path)
        unused = any(name not in used for name, giver in draft.taken.items() if giver == path)
        remark = _REMARK if unused else ""  # what only inherited classes use
        yield f"from {module} import {', '.join(sorted(names[path]))}{remark}\n"


def _brought(draft: Draft, parents: Parents, used: UsedNames) -> Iterator[tuple[str, str]]:
    """What the text of the modular file uses, and a parent file has under the same name: the name, and the file's path."""
    views = [parents.view(path, draft.choice.prefixes[path]) for path in draft.choice.paths]
    for name, statement in parents.flat.names.items():
        if statement.kind in (Kind.FUNCTION, Kind.ASSIGNMENT) and name in used and name not in draft.written:
            givers = (view for view in views if view.original.get(name) == name and parents.is_equal(name, view))
            for view in islice(givers, 1):
                yield name, view.path


def module_of(project: Project, modular: str, path: str) -> str:
    """Return how a modular file names a parent file."""
    file = PurePosixPath(path)
    relative = f"..{file.parent.name}.{file.stem}"
    if path in project.resolve_module(modular, 2, relative.removeprefix("..")):
        return relative
    library = project.library_of(path)
    if library is not None:
        return ".".join((*library.package(path), file.stem))
    return f"{project.settings.package}.{file.parent.name}.{file.stem}"


def _ordinary_imports(draft: Draft, parents: Parents, used: UsedNames) -> Iterator[str]:
    flat, project = parents.flat, parents.converter.project
    seen: set[str] = set()
    for file in flat.files:
        for each in (one for one in file.imports if not project.resolve(flat.modular, one)):
            names = [name for name in each.names if _wants(name, draft, flat, used, seen)]
            seen.update(name.bound for name in names)
            kept = tuple(name for name in names if each.module is None or _is_used(name, flat, used))
            if kept:
                yield each.render(kept).text.lstrip("\n")
            for name in names:
                if name not in kept:  # only inherited classes use it; inside brackets a comment does not come out
                    yield f"from {each.source} import (\n    {name},{_REMARK}\n)\n"


def _wants(name: Alias, draft: Draft, flat: FlatModel, used: UsedNames, seen: set[str]) -> bool:
    if name.bound in seen:
        return False
    if name.bound in draft.offered:
        return True
    return _is_used(name, flat, used)


def _is_used(name: Alias, flat: FlatModel, used: UsedNames) -> bool:
    return name.bound not in flat.names and name.bound.partition(".")[0] in used


def _guards(draft: Draft, flat: FlatModel, used: UsedNames) -> Iterator[Statement]:
    plain = {name.bound for file in flat.files for each in file.imports for name in each.names}
    seen: set[str] = set()
    for file in flat.files:
        for each in file.guards:
            names = guarded_names(each)
            guard = read_guard(each)
            is_made = guard is not None and not guard.lasting and names <= plain  # by the types of files
            is_made |= names <= flat.names.keys()  # from this model's own files
            is_needed = names & draft.offered or any(name in used for name in sorted(names))
            if each.code.text not in seen and is_needed and not is_made:
                seen.add(each.code.text)
                yield each


def _conditions(guards: Sequence[Statement]) -> frozenset[str]:
    """The names in the conditions of guards."""
    found = (guard for guard in map(read_guard, guards) if guard is not None)
    return frozenset[str]().union(*(guard.conditions() for guard in found))


def _guard_text(draft: Draft, statement: Statement, used: UsedNames) -> str:
    """A guard in which the names that only inherited classes use stay."""
    guard = read_guard(statement)
    if guard is None or not draft.kept:
        return statement.code.text
    own = set[str]().union(*(each.code.words() for each in guard.lasting))
    texts = [guard.first.head.text]
    for each in guard.statements:
        found = import_of(each)
        names = found.names if found is not None and found.module is not None else ()
        unused = {name for name in names if name.bound in draft.kept - own and name.bound not in used}
        if found is not None and unused:
            lines = (f"{STEP}{STEP}{name},{_REMARK if name in unused else ''}\n" for name in names)
            texts.append(f"{each.lead.text}{STEP}from {found.source} import (\n{''.join(lines)}{STEP})\n")
        else:
            texts.append(each.code.text)
    return "".join([*texts, *(other.code.text for other in guard.others)])


def _ending(flat: FlatModel, draft: Draft) -> str:
    deprecated = deprecated_of(flat)
    parts = [join_deprecated(deprecated) if len(deprecated) > 1 else each.own.text for each in deprecated[:1]]
    statements = [each for file in flat.files if (each := file.special(ALL)) is not None]
    blank = min((statement.lead.text.count("\n") for statement in statements), default=2)
    names = exports_of(flat)
    if names:
        listed = "".join(f'    "{name}",{_unknown(name, draft)}\n' for name in names)
        parts.append(f"{ALL} = [\n{listed}]\n" if any(_unknown(name, draft) for name in names) else _listed(names))
    return "".join("\n" * blank + part for part in parts)


def _unknown(name: str, draft: Draft) -> str:
    return "  # noqa: F822" if name in draft.implicit else ""


def _listed(names: list[str]) -> str:
    return f"{ALL} = [" + ", ".join(f'"{name}"' for name in names) + "]\n"
