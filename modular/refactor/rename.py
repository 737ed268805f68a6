"""Renames a class, function, method or attribute in all files that people write."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import NamedTuple
from unicodedata import normalize

from modular.project.project import Project
from modular.refactor.counterparts import Counterpart, Counterparts
from modular.refactor.errors import RenameError
from modular.refactor.generated_code import uses_name
from modular.refactor.member_references import MemberRename
from modular.refactor.members import FIELDS, class_members
from modular.refactor.object_types import ObjectTypes
from modular.refactor.project_files import Definition, ProjectFiles
from modular.refactor.reference_finder import References
from modular.refactor.references import Renames, find_references
from modular.rules.files import file_types
from modular.run.options import Options
from modular.source import scan
from modular.source.blocks import Kind
from modular.source.diagnostics import Edit, Place, did_you_mean
from modular.source.edits import apply_edits
from modular.source.source_slice import find_word, has_word
from modular.source.trees import UnreadableError
from modular.source.walking import walk
from modular.system.printable import one_line


_MAX_LISTED_CANDIDATES = 10
_WORD = re.compile(r"\w+")
_NN_MODULE_METHODS = frozenset(
    """
    add_module apply bfloat16 buffers children compile cpu cuda double eval
    extra_repr float forward get_buffer get_extra_state get_parameter get_submodule
    half load_state_dict modules named_buffers named_children named_modules
    named_parameters parameters register_buffer register_module register_parameter
    requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty
    train type zero_grad _apply _load_from_state_dict _save_to_state_dict
    """.split()
)
"""Methods of `torch.nn.Module` (PyTorch 2), which calls them under these names."""


@dataclass(frozen=True)
class Symbol:
    """A class or function at module level, or a method or attribute of such a class."""

    path: str
    name: str
    member: str = ""

    def __str__(self) -> str:
        dotted = self.path.removesuffix(".py").replace("/", ".") + f".{self.name}"
        return f"{dotted}.{self.member}" if self.member else dotted


@dataclass(frozen=True)
class RenameEdits:
    """The edits of a rename.

    Attributes:
        edits: The edits of each hand-written file, by path. None overlap.
        definitions: The renamed classes and functions, or the classes whose member is
            renamed.
        unclear_places: Places that still have the old name: comments, strings, and
            attributes of objects whose class is not clear.
        sources: The text of each edited file as it was read, byte for byte.
        words: The new name of each old one.
    """

    edits: Mapping[str, tuple[Edit, ...]]
    definitions: tuple[Counterpart, ...]
    unclear_places: tuple[Place, ...]
    sources: Mapping[str, str]
    words: Mapping[str, str]


def rename(symbol: str, new: str, *, options: Options = Options()) -> RenameEdits:
    """Return the edits that rename a symbol in all hand-written files of a project.

    Nothing is written.

    Args:
        symbol: The name of a class, function, method or attribute, dotted if it is
            ambiguous: `LlamaMLP`, `LlamaMLP.act_fn`, `LlamaConfig.hidden_size`,
            `models.llama.modeling_llama.LlamaMLP`.
        new: The new name, without dots.
        options: The project and its settings.

    Raises:
        modular.refactor.errors.RenameError: The rename is refused.
        modular.ModularError: The models cannot be converted, as in `modular.check`.
    """
    return rename_in(options.open(), symbol, new, options)


def rename_in(
    project: Project, symbol: str, new: str, options: Options = Options()
) -> RenameEdits:
    """Return the edits that rename a symbol in a project that is open already.

    Nothing is written.

    Args:
        project: The project.
        symbol: The name of a class, function, method or attribute.
        new: The new name.
        options: Options of the conversions that tell where generated lines come from.

    Raises:
        modular.refactor.errors.RenameError: The rename is refused.
        modular.ModularError: The models cannot be converted, as in `modular.check`.
    """
    _refuse_bad_name(new)
    files = ProjectFiles(project, options)
    try:
        files.report_progress("reading files")
        target = _find_symbol(files, symbol)
        if new == (target.member or target.name):
            raise RenameError(f"`{symbol}` has this name already; give another one")
        if target.member:
            return _rename_member(files, target, new)
        return _rename_definition(files, target, new)
    except UnreadableError as error:
        raise RenameError(
            f"`{one_line(error.code.path)}` cannot be read near line "
            f"{error.code.line}; correct its syntax first"
        ) from None


def edited_texts(renaming: RenameEdits) -> dict[str, str]:
    """Return the new text of each edited file, by path.

    The line ends of each file stay as they are.

    Raises:
        modular.source.edits.EditError: A file would not be Python any more.
    """
    texts = {}
    for path, edits in renaming.edits.items():
        texts[path] = apply_edits(renaming.sources[path], edits)
    return texts


def differs_otherwise(renaming: RenameEdits, before: str, after: str) -> bool:
    """Tell whether a generated file changes by more than the new names.

    A rename should only replace names. If other code changes too, the command refuses
    the rename, or asks the user to review the file. Comments do not count.

    Args:
        renaming: The edits of the rename.
        before: The text of a file before the rename.
        after: Its text after the rename.
    """
    words_before = _renamed_words(renaming, before)
    words_after = _renamed_words(renaming, after)
    return words_before != words_after


def _renamed_words(renaming: RenameEdits, text: str) -> Counter[str]:
    """Return how often each word occurs in code, under its new name."""
    words = _WORD.findall(scan.mask(text))
    return Counter(renaming.words.get(word, word) for word in words)


def _refuse_bad_name(new: str) -> None:
    """Raise RenameError for a name that Python forbids, or changes in classes."""
    # Python normalizes names, so it would read another name than the given one.
    is_normalized = normalize("NFKC", new) == new
    if not new.isidentifier() or iskeyword(new) or not is_normalized:
        raise RenameError(
            f"`{one_line(new)}` is not a name in Python; use letters, digits and `_`, "
            "and no keyword"
        )
    if new.startswith("__"):
        raise RenameError(
            f"`{new}` begins with two underscores, so Python would change it inside "
            "classes; begin it with one underscore"
        )


def _find_symbol(files: ProjectFiles, dotted: str) -> Symbol:
    """Return the one definition or member that a dotted name means.

    `LlamaMLP`, `modeling_llama.LlamaMLP` and `LlamaMLP.act_fn` are dotted names.

    Raises:
        RenameError: There is none, or several.
    """
    paths = list(filter(files.project.is_in_models_folder, files.sources))
    words = dotted.split(".")
    symbols: list[Symbol] = []
    for path in paths:
        if words[-1] not in files.text(path):
            continue
        for symbol in _symbols(files, path, words):
            if _is_named(files, symbol, dotted):
                symbols.append(symbol)

    if not symbols:
        raise RenameError(
            f"no hand-written file of a model defines `{one_line(dotted)}`; "
            f"{_hint_for_unknown(files, paths, dotted)}"
        )
    if len(symbols) > 1:
        listed = "\n".join(f"  {symbol}" for symbol in symbols[:_MAX_LISTED_CANDIDATES])
        if len(symbols) > _MAX_LISTED_CANDIDATES:
            listed += f"\n  and {len(symbols) - _MAX_LISTED_CANDIDATES} more"
        raise RenameError(f"`{dotted}` is ambiguous; use one of these names:\n{listed}")
    return symbols[0]


def _symbols(files: ProjectFiles, path: str, words: list[str]) -> Iterator[Symbol]:
    """Yield the definitions and members of a file that a dotted name may mean.

    Args:
        files: The files of the project.
        path: The file.
        words: The parts of a dotted name. The last one is the name of a definition or,
            if the one before is that of a class, of a member.
    """
    module = files.readable_module(path)
    if module is None:
        return
    name = words[-1]
    class_name = words[-2] if len(words) > 1 else ""
    for statement in module.block.statements:
        if statement.is_definition and statement.name == name:
            yield Symbol(path, name)
        is_owner = statement.kind is Kind.CLASS and statement.name == class_name
        # Only a class that has the word is parsed, since parsing takes long.
        if is_owner and name in statement.words:
            node = files.class_node(path, class_name)
            if node is not None and name in class_members(node):
                yield Symbol(path, class_name, member=name)


def _is_named(files: ProjectFiles, symbol: Symbol, dotted: str) -> bool:
    """Tell whether a symbol's full name ends with a dotted name.

    `modeling_llama.LlamaMLP` is the end of `models.llama.modeling_llama.LlamaMLP`. The
    full name may use any file from which the symbol can be imported.
    """
    for path in files.importable(symbol.path):
        full_name = str(replace(symbol, path=path))
        # With the leading dots, `MLP` does not match the end of `LlamaMLP`.
        if f".{full_name}".endswith(f".{dotted}"):
            return True
    return False


def _hint_for_unknown(files: ProjectFiles, paths: list[str], dotted: str) -> str:
    """Return a hint for the user who renames a name that no hand-written file defines.

    If a generated file has the name, the hint is to rename it in the parent file.
    """
    name = dotted.split(".")[-1]
    for path, modular in files.generated.items():
        if name in files.defined(path):
            return (
                f"`{one_line(modular)}` inlines it into `{one_line(path)}`: "
                "rename it in the parent file"
            )
    names: set[str] = set()
    for path in paths:
        names.update(files.defined(path))
    return did_you_mean(dotted, names) or (
        "name a class or function that a model file or modular file defines, or "
        "`Class.member`"
    )


# Classes and functions.


def _rename_definition(files: ProjectFiles, target: Symbol, new: str) -> RenameEdits:
    """Return the edits that rename a class or function in all models that have it.

    If `LlamaMLP` gets a new name, so does `GemmaMLP` in a model that inherits from it.
    """
    counterparts = Counterparts(files).find(target.path, target.name, new)
    for counterpart in counterparts:
        _refuse_bad_name(counterpart.new)
        _refuse_other_role(files, counterpart)
        _refuse_name_in_use(files, counterpart)
    renames = Renames(names=_importable_names(files, counterparts))
    return _collect(files, counterparts, renames)


def _refuse_other_role(files: ProjectFiles, counterpart: Counterpart) -> None:
    """Refuse a rename that would change more than this name.

    A name in the table of class names is the prefix of all classes of its model. The
    ending of a class decides the file that it is generated into: `LlamaConfig` goes to
    `configuration_llama.py`.
    """
    project = files.project
    for model, cased_name in project.names.table.items():
        if cased_name == counterpart.name:
            raise RenameError(
                f"`{counterpart.name}` is the prefix of all classes of the model "
                f"`{model}`; change it by hand in the table of class names"
            )

    modular_path = files.generated.get(counterpart.path, counterpart.path)
    modular = files.modular(modular_path)
    if modular is None:
        # The definition is in a parent file that people write, where it stays.
        return
    old_type = file_types.of_class(counterpart.name, modular.cased, project.settings)
    new_type = file_types.of_class(counterpart.new, modular.cased, project.settings)
    is_class = files.class_statement(counterpart.path, counterpart.name) is not None
    if is_class and old_type != new_type:
        raise RenameError(
            f"a class called `{counterpart.new}` would be generated into the {new_type} "
            f"file instead of the {old_type} file; choose a name with the same ending"
        )


def _refuse_name_in_use(files: ProjectFiles, counterpart: Counterpart) -> None:
    """Refuse a new name that a file of the definition uses for something else."""
    new = counterpart.new
    if new == counterpart.name:
        return
    # The definition may be inlined: then its file is generated from a modular file.
    modular = files.generated.get(counterpart.path, counterpart.path)
    for path in (*files.importable(counterpart.path), modular):
        if new in files.defined(path):
            raise RenameError(
                f"`{one_line(path)}` already defines `{new}`; choose another name"
            )

    # Code that a model inlines from its parents may use the new name, too.
    if modular not in files.project.modular_files:
        return
    for output in files.generated_code(modular):
        if output.uses_name(new):
            raise RenameError(
                f"`{new}` is used in `{one_line(output.path)}` for something else; "
                "choose another name"
            )


class _RenamedDefinition(NamedTuple):
    """A definition as one file provides it, and its new name."""

    definition: Definition
    new: str


def _importable_names(
    files: ProjectFiles, counterparts: Iterable[Counterpart]
) -> dict[Definition, str]:
    """Return the new name of each definition, for each file that provides it.

    A file provides a definition if it defines it, or imports it under the same name.
    Other files can then import it from there.
    """
    definitions = []
    for counterpart in counterparts:
        for path in files.importable(counterpart.path):
            definition = Definition(path, counterpart.name)
            definitions.append(_RenamedDefinition(definition, counterpart.new))
    old_names = {renamed.definition.name for renamed in definitions}
    importers = _find_importers(files, old_names)

    def provided_by_importers(renamed: _RenamedDefinition) -> list[_RenamedDefinition]:
        """Return the definition once for each file that imports it from its file."""
        source_path, name = renamed.definition
        paths = [
            *importers.get(renamed.definition, ()),
            *files.star_importers.get(source_path, ()),
        ]
        return [renamed._replace(definition=Definition(path, name)) for path in paths]

    names = {}
    # A file may import the definition from another one that imports it, and so on.
    for renamed in walk(definitions, provided_by_importers):
        names[renamed.definition] = renamed.new
    for definition, new in names.items():
        _refuse_hidden_by_star(files, definition, new)
    return names


def _find_importers(
    files: ProjectFiles, names: Iterable[str]
) -> dict[Definition, list[str]]:
    """Return the files that import each definition under one of the given names.

    An import may mean one of several paths, so a definition of each path is listed, also
    of those that do not exist.
    """
    importers: dict[Definition, list[str]] = {}
    for name in sorted(names):
        for path in files.mentioning(name):
            for source in files.sources_of(path, name):
                importers.setdefault(source, []).append(path)
    return importers


def _refuse_hidden_by_star(
    files: ProjectFiles, definition: Definition, new: str
) -> None:
    """Refuse a new name that `import *` would bring into a file that uses it already.

    Args:
        files: The files of the project.
        definition: The definition, with the file that may import it.
        new: The new name.
    """
    path, name = definition
    module = files.module(path)
    if module is None or new == name or "import *" not in files.text(path):
        return
    if uses_name(module.code.mask, new):
        raise RenameError(
            f"`{one_line(path)}` uses `{new}` for something else, and imports it with "
            "`import *` from now on; choose another name"
        )


# Methods and attributes.


def _rename_member(files: ProjectFiles, target: Symbol, new: str) -> RenameEdits:
    """Return the edits that rename a method or attribute in all classes that have it.

    These classes are called its owners: the class itself, the classes that inherit from
    it, and the classes of other models that replace one of them.
    """
    counterparts = Counterparts(files)
    old = target.member
    if old.startswith("__"):
        raise RenameError(
            f"`{old}` begins with two underscores and has a meaning in Python; only "
            "other members can be renamed"
        )

    owners = counterparts.classes_with_member(target.path, target.name)
    # The other classes that these inherit from.
    relatives: set[Definition] = set()
    for owner in sorted(owners):
        relatives.update(counterparts.ancestors(owner))
    relatives -= owners

    # The rename is refused where code that is not edited depends on the old name, or
    # where the new one is in use.
    target_class = Definition(target.path, target.name)
    ancestors = set(counterparts.ancestors(target_class))
    _refuse_inherited(files, target, ancestors)
    _refuse_other_owner(files, target, relatives - ancestors)
    _refuse_torch_method(files, target, owners)
    _refuse_used_word(files, owners | relatives, new)

    # Fields of configurations and dataclasses are also keywords of their constructors.
    is_config = target.name.endswith("Config")
    is_field = any(_member_kind(files, owner, old) == FIELDS for owner in owners)
    types = ObjectTypes(files, owners, frozenset(relatives), is_field=is_config)
    counterparts.refuse_shared_member(types, old)
    if is_config:
        counterparts.refuse_shared_field(types, old)
    member = MemberRename(old, new, types, is_keyword=is_config or is_field)
    definitions = [Counterpart(path, name, name) for path, name in sorted(owners)]
    return _collect(files, definitions, Renames(member=member))


def _refuse_used_word(
    files: ProjectFiles, definitions: Iterable[Definition], new: str
) -> None:
    """Refuse a new name that one of some classes uses already."""
    for definition in sorted(definitions):
        statement = files.class_statement(*definition)
        if statement is not None and has_word(statement.bare_code.mask, new):
            raise RenameError(
                f"`{new}` is used in `{definition.name}` of "
                f"`{one_line(definition.path)}` already; choose another name"
            )


def _member_kind(files: ProjectFiles, definition: Definition, member: str) -> str:
    """Return the kind of a member that a class defines itself, such as METHODS.

    The kind is empty if the class has no such member.
    """
    node = files.class_node(*definition)
    return "" if node is None else class_members(node).get(member, "")


def _refuse_inherited(
    files: ProjectFiles, target: Symbol, ancestors: Iterable[Definition]
) -> None:
    """Refuse to rename a member that overrides a member of an ancestor."""
    for ancestor in sorted(ancestors):
        if _member_kind(files, ancestor, target.member):
            raise RenameError(
                f"`{target.name}.{target.member}` overrides "
                f"`{ancestor.name}.{target.member}` of `{one_line(ancestor.path)}`; "
                "rename that method instead"
            )


def _refuse_other_owner(
    files: ProjectFiles, target: Symbol, relatives: Iterable[Definition]
) -> None:
    """Refuse to rename a member that another model inherits from a different class.

    A class that replaces `LlamaMLP` in another model can inherit the member from a base
    that is not renamed.
    """
    for relative in sorted(relatives):
        if _member_kind(files, relative, target.member):
            raise RenameError(
                f"a class that replaces `{target.name}` in another model inherits "
                f"`{target.member}` from `{relative.name}` of "
                f"`{one_line(relative.path)}`; override the code that uses it "
                "there first"
            )


def _refuse_torch_method(
    files: ProjectFiles, target: Symbol, owners: Iterable[Definition]
) -> None:
    """Refuse to rename a method that `torch.nn.Module` calls, such as `forward`.

    The owners are the classes that have the method. One that inherits from a class
    outside the project may inherit from `torch.nn.Module`.
    """
    old = target.member
    if old not in _NN_MODULE_METHODS:
        return
    for owner in owners:
        if _has_outside_base(files, owner):
            raise RenameError(
                f"`torch.nn.Module` calls `{old}` under this name; add a method with "
                f"the new name and call it from `{old}`"
            )


def _has_outside_base(files: ProjectFiles, definition: Definition) -> bool:
    """Tell whether a class inherits directly from one that the project does not have."""
    node = files.class_node(*definition)
    if node is None:
        return False
    for base in node.bases:
        # Nothing defines "", so a base such as `nn.Module` counts as outside.
        name = base.id if isinstance(base, ast.Name) else ""
        paths = [definition.path]
        for source in files.sources_of(definition.path, name):
            paths.append(source.path)
        is_in_project = any(name in files.defined(path) for path in paths)
        if name != "object" and not is_in_project:
            return True
    return False


# Edits.


def _collect(
    files: ProjectFiles, definitions: Iterable[Counterpart], renames: Renames
) -> RenameEdits:
    """Collect the edits of all files into one result.

    Args:
        files: The files of the project.
        definitions: The definitions that are renamed, or whose member is renamed.
        renames: The old and new names.

    Raises:
        RenameError: A file cannot be read, or uses a new name for something else.
    """
    edits: dict[str, tuple[Edit, ...]] = {}
    unclear_places: list[Place] = []
    # Files with an old name. If a member is renamed, many others have a member of the
    # same name, so only those count as related that name one of its classes.
    mentioning = files.mentioning_any(renames.old_words)
    related = set(mentioning)
    if renames.member is not None:
        related = files.mentioning_any(renames.owner_names)
    paths = sorted(mentioning | related)
    for number, path in enumerate(paths, start=1):
        files.report_progress("finding references", number, len(paths))
        references = References()
        if path in related:
            # This refuses the rename if the file has a syntax error.
            files.readable_module(path)
        if path in mentioning:
            is_related = path in related
            references = _references_in(files, path, renames, is_related=is_related)
        if references.conflicts:
            _refuse_conflict(references.conflicts[0])
        if references.edits:
            edits[path] = tuple(references.edits)
        unclear_places += references.unclear

    words = {definition.name: definition.new for definition in definitions}
    if renames.member is not None:
        words[renames.member.old] = renames.member.new
    return RenameEdits(
        edits=edits,
        definitions=tuple(definitions),
        unclear_places=tuple(dict.fromkeys(unclear_places)),
        sources={path: files.loaded(path).source for path in edits},
        words=words,
    )


def _references_in(
    files: ProjectFiles, path: str, renames: Renames, *, is_related: bool
) -> References:
    """Return the references of one file, those in comments and strings included.

    Args:
        files: The files of the project.
        path: A file that has an old name.
        renames: The old and new names.
        is_related: Whether the file names a renamed definition, or a class whose member
            is renamed. In other files, syntax errors, comments and strings do not
            matter.

    Raises:
        RenameError: The file has references that cannot be renamed.
    """
    references = References()
    if not is_related and _is_broken(files, path):
        return references
    module = files.module(path)
    # The old name may be only in comments and strings, which are no code.
    if module is not None and not renames.old_words.isdisjoint(module.code.words()):
        references = find_references(files, path, renames)
    if is_related:
        references.unclear += _mentions(files, path, renames, references.edits)
    return references


def _is_broken(files: ProjectFiles, path: str) -> bool:
    """Tell whether a file cannot be read."""
    try:
        files.readable_module(path)
    except RenameError:
        return True
    return False


def _refuse_conflict(place: Place) -> None:
    """Raise RenameError for a place at which the new name has another meaning.

    The place has line 0 if two names of the file get the same new name.
    """
    if place.line:
        raise RenameError(
            f"the new name is used at {one_line(place.path)}:{place.line} for something "
            "else; choose another name"
        )
    raise RenameError(
        f"two names of `{one_line(place.path)}` would become `{place.text}`; keep the "
        "model's name in it"
    )


def _mentions(
    files: ProjectFiles, path: str, renames: Renames, edits: Iterable[Edit]
) -> Iterator[Place]:
    """Yield the places of old names in comments and strings.

    They are not renamed; the user is told to look at them.

    Args:
        files: The files of the project.
        path: The file.
        renames: The old and new names.
        edits: The edits of the file. Their places are left out.
    """
    module = files.module(path)
    if module is None:
        return
    skipped_positions = {(edit.line, edit.column) for edit in edits}
    if renames.member is not None:
        # In code, each attribute with the name is an edit or an unclear place already,
        # or belongs to an object without the member. The mask has only the code.
        text = module.code.text
        for start in find_word(module.code.mask, renames.member.old):
            line_number = text.count("\n", 0, start) + 1
            column = start - text.rfind("\n", 0, start)
            skipped_positions.add((line_number, column))

    old_words = "|".join(map(re.escape, sorted(renames.old_words)))
    pattern = re.compile(rf"\b(?:{old_words})\b")
    for line_number, line in enumerate(module.lines, start=1):
        for match in pattern.finditer(line):
            column = match.start() + 1
            if (line_number, column) not in skipped_positions:
                yield Place(path, line_number, column, len(match[0]), line)
