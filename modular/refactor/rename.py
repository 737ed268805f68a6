"""Renames a class, function, method or attribute in all files that people write."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import NamedTuple
from unicodedata import normalize

from modular.project import file_types
from modular.project.project import Project
from modular.refactor.counterparts import Counterparts, RenamedDefinition
from modular.refactor.errors import RenameError
from modular.refactor.generated_code import uses_name
from modular.refactor.member_references import MemberRename
from modular.refactor.object_types import ObjectTypes
from modular.refactor.project_files import Definition, ProjectFiles
from modular.refactor.reference_finder import References
from modular.refactor.references import Renames, find_references
from modular.rules.classes.kept_methods import private_name
from modular.run.options import Options
from modular.semantics.classes import MemberKind, model_class
from modular.source import scan
from modular.source.blocks import Kind
from modular.source.diagnostics import Edit, Place, did_you_mean
from modular.source.edits import apply_edits
from modular.source.module import Module
from modular.source.source_slice import has_word
from modular.source.trees import UnreadableError
from modular.source.walking import walk
from modular.system.printable import one_line


_FIELD_KINDS = (MemberKind.FIELD, MemberKind.DECLARATION)
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


class _Occurrence(NamedTuple):
    """A place with a word, and whether it is code: no comment and no string."""

    place: Place
    is_code: bool


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
    definitions: tuple[RenamedDefinition, ...]
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


def changes_more_than_names(renaming: RenameEdits, before: str, after: str) -> bool:
    """Tell whether a generated file changes by more than the new names.

    A rename should only replace names. If other code changes too, the command refuses
    the rename, or asks the user to review the file. Comments do not count, and neither
    do the order of words and the line breaks, which a name of another length can move.

    Args:
        renaming: The edits of the rename.
        before: The text of a file before the rename.
        after: Its text after the rename.
    """
    new_words_before = _count_new_words(before, renaming)
    new_words_after = _count_new_words(after, renaming)
    return new_words_before != new_words_after


def _count_new_words(text: str, renaming: RenameEdits) -> Counter[str]:
    """Replace the old names in code by the new ones, and count each word.

    If `project` becomes `apply`, `x.project + y.apply` has `apply` twice.
    """
    words = _WORD.findall(scan.mask(text))
    return Counter(_rename_word(word, renaming) for word in words)


def _rename_word(word: str, renaming: RenameEdits) -> str:
    """Return the new name of a word of a generated file.

    The name of a kept method, `_llama_mlp_forward`, contains the names of the parent
    class and of the method, and changes with them.
    """
    if word in renaming.words:
        return renaming.words[word]
    if not word.startswith("_"):
        return word
    for definition in renaming.definitions:
        prefix = private_name(definition.name, "")
        if not word.startswith(prefix):
            continue
        member = word.removeprefix(prefix)
        return private_name(definition.new, renaming.words.get(member, member))
    return word


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
        words: The parts of the dotted name, `["LlamaMLP"]` or `["LlamaMLP", "act_fn"]`.
            There may be parts of a path before these.
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
            if _member_kind(files, Definition(path, class_name), name):
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
    definitions = Counterparts(files).find(target.path, target.name, new)
    for definition in definitions:
        _refuse_bad_name(definition.new)
        _refuse_spelling_of_model(files, definition.name)
        _refuse_other_file_type(files, definition)
        _refuse_name_in_use(files, definition)
    new_names = _importable_names(files, definitions)
    for (path, old_name), new_name in new_names.items():
        if new_name != old_name:
            _refuse_hidden_by_star(files, path, new_name)
    return _collect(files, definitions, Renames(names=new_names))


def _refuse_spelling_of_model(files: ProjectFiles, name: str) -> None:
    """Refuse to rename the configuration class whose name tells how a model is spelt.

    The names of all classes of the model `llama` begin with `Llama`, because the
    configuration class of this model is called `LlamaConfig`.
    """
    names = files.project.names
    for model_type, config_name in names.table.items():
        if config_name == name:
            hint = "rename it by hand"
            if files.project.name_files:
                hint += ", also in the table of model types"
            raise RenameError(
                f"`{name}` decides that class names spell the model type "
                f"`{model_type}` as `{names.cased(model_type)}`; {hint}"
            )


def _refuse_other_file_type(files: ProjectFiles, definition: RenamedDefinition) -> None:
    """Refuse a new name that moves a class to another generated file.

    The ending of a name decides the file: `GemmaConfig` of a modular file is generated
    into `configuration_gemma.py`, and `GemmaMLP` into `modeling_gemma.py`.
    """
    modular = files.modular(files.handwritten_path(definition.path))
    if modular is None:
        # The class is in a file that people write, so its name does not move it.
        return
    if files.class_statement(definition.path, definition.name) is None:
        # The name of a function does not decide its file.
        return
    settings = files.project.settings
    old_type = file_types.of_class(definition.name, modular.cased, settings)
    new_type = file_types.of_class(definition.new, modular.cased, settings)
    if old_type != new_type:
        raise RenameError(
            f"a class called `{definition.new}` would be generated into the {new_type} "
            f"file instead of the {old_type} file; choose a name with the same ending"
        )


def _refuse_name_in_use(files: ProjectFiles, definition: RenamedDefinition) -> None:
    """Refuse a new name that the model of a definition uses for something else.

    If `GemmaMLP` becomes `GemmaFFN`, neither `modular_gemma.py` nor a file that it
    generates may have another `GemmaFFN`.
    """
    new = definition.new
    if new == definition.name:
        # A counterpart may keep its name. Then only the counterpart itself uses it.
        return
    # The file of an inlined class is generated, so its modular file is added here.
    handwritten_path = files.handwritten_path(definition.path)
    files_sharing_names = [*files.importable(definition.path), handwritten_path]
    for path in files_sharing_names:
        if new in files.defined(path):
            raise RenameError(
                f"`{one_line(path)}` already defines `{new}`; choose another name"
            )

    if handwritten_path not in files.project.modular_files:
        # The definition is in a parent file, from which nothing is generated.
        return
    # Generated code may also use the name without a definition, as in an import.
    for output in files.generated_code(handwritten_path):
        if output.uses_name(new):
            raise RenameError(
                f"`{new}` is used in `{one_line(output.path)}` for something else; "
                "choose another name"
            )


def _importable_names(
    files: ProjectFiles, renamed_definitions: Iterable[RenamedDefinition]
) -> dict[Definition, str]:
    """Return the new names of definitions, for each file that they can be imported from.

    If `models/llama/__init__.py` imports `LlamaMLP` from `modeling_llama.py`, other files
    can import it from both. So the result has a key for each of the two files.
    """
    # A definition of a modular file can be imported from its generated files, too.
    definitions = []
    for definition in renamed_definitions:
        for path in files.importable(definition.path):
            definitions.append(replace(definition, path=path))

    importers = _importers(files, {definition.name for definition in definitions})

    def in_importing_files(
        definition: RenamedDefinition,
    ) -> Iterator[RenamedDefinition]:
        """Yield a definition with the path of each file that imports it."""
        key = Definition(definition.path, definition.name)
        # A file with `import *` has the name without mentioning it.
        star_importers = files.star_importers.get(definition.path, [])
        for path in (*importers.get(key, []), *star_importers):
            yield replace(definition, path=path)

    new_names = {}
    # A file may import the definition from another one that imports it, and so on.
    for definition in walk(definitions, in_importing_files):
        new_names[Definition(definition.path, definition.name)] = definition.new
    return new_names


def _importers(
    files: ProjectFiles, names: Iterable[str]
) -> Mapping[Definition, Sequence[str]]:
    """Return, for each definition with one of the names, the files that import it.

    The import `from llama import LlamaMLP` may mean the class of `llama.py` or that of
    `llama/__init__.py`. The file with the import is listed for both classes.
    """
    importers: defaultdict[Definition, list[str]] = defaultdict(list)
    for name in sorted(names):
        for path in files.mentioning(name):
            for imported in files.imported_as(path, name):
                importers[imported].append(path)
    return importers


def _refuse_hidden_by_star(files: ProjectFiles, importing_file: str, new: str) -> None:
    """Refuse a new name that `import *` would bring into a file with another use of it.

    If `LlamaMLP` becomes `LlamaGate`, `from modeling_llama import *` in another file
    replaces the `LlamaGate` that the other file had before.

    Args:
        files: The files of the project.
        importing_file: A file that has the renamed definition. Nothing is refused if it
            has no `import *`.
        new: The new name.
    """
    module = files.module(importing_file)
    if module is None or "import *" not in files.text(importing_file):
        return
    if uses_name(module.code.mask, new):
        raise RenameError(
            f"`{one_line(importing_file)}` uses `{new}` for something else, and imports "
            "it with `import *` from now on; choose another name"
        )


# Methods and attributes.


def _rename_member(files: ProjectFiles, target: Symbol, new: str) -> RenameEdits:
    """Return the edits that rename a method or attribute in all classes that have it.

    These classes are called its owners: the class itself, the classes that inherit from
    it, and the classes of other models that replace one of them.
    """
    old = target.member
    if old.startswith("__"):
        raise RenameError(
            f"`{old}` begins with two underscores and has a meaning in Python; only "
            "other members can be renamed"
        )
    counterparts = Counterparts(files)
    owners = counterparts.classes_with_member(target.path, target.name)
    unchanged_ancestors = counterparts.ancestors(owners) - owners
    is_config_field = target.name.endswith("Config")
    types = ObjectTypes(
        files, owners, unchanged_ancestors, is_config_field=is_config_field
    )
    _refuse_unsafe_member(counterparts, target, new, types)

    # `LlamaConfig(old=1)`: the constructor of a configuration or dataclass takes it.
    is_field = any(_member_kind(files, owner, old) in _FIELD_KINDS for owner in owners)
    is_keyword = is_config_field or is_field
    member = MemberRename(old, new, types, is_keyword=is_keyword)
    definitions = [RenamedDefinition(path, name, name) for path, name in sorted(owners)]
    return _collect(files, definitions, Renames(member=member))


def _refuse_unsafe_member(
    counterparts: Counterparts, target: Symbol, new: str, types: ObjectTypes
) -> None:
    """Refuse to rename a member if afterwards code would find another member, or none.

    Args:
        counterparts: Finds the bases of classes.
        target: The member that the user renames.
        new: The new name.
        types: Knows the owners, in which the member gets the new name, and the other
            classes from which they inherit, in which it would keep the old name.
    """
    files = counterparts.files
    owners = types.classes_with_member
    target_ancestors = counterparts.ancestors([Definition(target.path, target.name)])
    _refuse_override(files, target, target_ancestors)
    other_ancestors = types.ancestors - target_ancestors
    _refuse_unrelated_origin(counterparts, target, owners, other_ancestors)
    _refuse_torch_method(files, target, owners | types.ancestors)
    _refuse_used_word(files, owners | types.ancestors, new)
    counterparts.refuse_shared_member(owners, target.member)
    if types.is_config_field:
        counterparts.refuse_shared_field(types, target.member)


def _refuse_used_word(
    files: ProjectFiles, classes: Iterable[Definition], new: str
) -> None:
    """Raise RenameError if the code of a given class already has the word `new`."""
    for definition in sorted(classes):
        statement = files.class_statement(*definition)
        if statement is not None and has_word(statement.bare_code.mask, new):
            raise RenameError(
                f"`{new}` is used in `{definition.name}` of "
                f"`{one_line(definition.path)}` already; choose another name"
            )


def _member_kind(
    files: ProjectFiles, definition: Definition, member: str
) -> MemberKind | None:
    """Return the kind of a member that a class defines itself; None if it has none.

    What a method assigns to `self` is an attribute.

    Raises:
        RenameError: The file has a syntax error.
    """
    statement = files.class_statement(*definition)
    # Reading the tree raises the error.
    if statement is None or files.class_node(*definition) is None:
        return None
    model = model_class(statement)
    if member in model.members:
        return model.members[member].kind
    return MemberKind.ATTRIBUTE if member in model.attributes else None


def _refuse_override(
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


def _refuse_unrelated_origin(
    counterparts: Counterparts,
    target: Symbol,
    owners: Collection[Definition],
    other_ancestors: Iterable[Definition],
) -> None:
    """Refuse to rename a member that an owner also has from an unrelated class.

    If `LlamaMLP.act_fn` is renamed, `act_fn` of the unrelated class `BaseMLP` keeps its
    name. Two kinds of owners inherit from `BaseMLP`:

    - `class LlamaGate(LlamaMLP, BaseMLP)` would have the new and the old name.
    - `class GemmaMLP(BaseMLP)` replaces `LlamaMLP` in code that Gemma inlines from
      Llama. This code would read the new name, and `GemmaMLP` has only the old name.

    Args:
        counterparts: Finds the bases of classes.
        target: The member, `LlamaMLP.act_fn`.
        owners: The classes that have the member.
        other_ancestors: The ancestors of owners that are no ancestors of `LlamaMLP`.
    """
    files = counterparts.files
    for ancestor in _sort_handwritten_first(files, other_ancestors):
        if not _member_kind(files, ancestor, target.member):
            continue
        origin = (
            f"`{target.member}` from `{ancestor.name}` of `{one_line(ancestor.path)}`"
        )
        owner = _find_heir_of_both(counterparts, owners, ancestor)
        if owner is not None:
            # `class LlamaGate(LlamaMLP, BaseMLP)`
            raise RenameError(
                f"`{owner.name}` of `{one_line(owner.path)}` also inherits "
                f"{origin}, where it would keep its name; rename both by hand"
            )
        # `class GemmaMLP(BaseMLP)`
        raise RenameError(
            f"a class that replaces `{target.name}` in another model inherits "
            f"{origin}; override the code that uses it there first"
        )


def _find_heir_of_both(
    counterparts: Counterparts, owners: Collection[Definition], ancestor: Definition
) -> Definition | None:
    """Return an owner that inherits from another owner and from a given ancestor."""
    for owner in _sort_handwritten_first(counterparts.files, owners):
        bases = counterparts.ancestors([owner])
        if ancestor in bases and not bases.isdisjoint(owners):
            return owner
    return None


def _sort_handwritten_first(
    files: ProjectFiles, definitions: Iterable[Definition]
) -> list[Definition]:
    """Return definitions sorted, those of generated files last.

    Users can edit the class of a modular file, but not the one generated from it.
    """

    def sort_key(definition: Definition) -> tuple[bool, Definition]:
        return definition.path in files.generated, definition

    return sorted(definitions, key=sort_key)


def _refuse_torch_method(
    files: ProjectFiles, target: Symbol, classes: Iterable[Definition]
) -> None:
    """Refuse to rename a method that `torch.nn.Module` calls, such as `forward`.

    Args:
        files: The files of the project.
        target: The method.
        classes: The classes that have the method, and their bases. One that inherits
            from a class outside the project may inherit from `torch.nn.Module`.
    """
    old = target.member
    if old not in _NN_MODULE_METHODS:
        return
    for definition in classes:
        if _has_outside_base(files, definition):
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
        # A base with a dot, such as `nn.Module`, counts as outside.
        if not isinstance(base, ast.Name):
            return True
        if base.id == "object":
            continue
        # The file defines the base, or imports it. With `import Layer as Base`, the other
        # file defines `Layer`.
        candidates = [
            Definition(definition.path, base.id),
            *files.imported_as(definition.path, base.id),
        ]
        if not any(name in files.defined(path) for path, name in candidates):
            return True
    return False


# Edits.


def _collect(
    files: ProjectFiles, definitions: Iterable[RenamedDefinition], renames: Renames
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
        related = files.mentioning_any(renames.class_names)
    paths = sorted(mentioning | related)
    for number, path in enumerate(paths, start=1):
        files.report_progress("finding references", number, len(paths))
        is_related = path in related
        if is_related:
            # This refuses the rename if the file has a syntax error.
            files.readable_module(path)
        elif _is_broken(files, path):
            # The file does not name a renamed class, so its errors do not matter.
            continue
        references = References()
        if path in mentioning:
            references = _references_in(files, path, renames, is_related=is_related)
        _refuse_conflicts(path, references)
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
    """Return the references of one file.

    Comments and strings with an old name are added to its unclear places.

    Args:
        files: The files of the project.
        path: A file that has an old name.
        renames: The old and new names.
        is_related: Whether the file names a renamed definition, or a class whose member
            is renamed. In other files, an old name in a comment is a coincidence, and
            is not added.

    Raises:
        RenameError: The file has references that cannot be renamed.
    """
    references = References()
    module = files.module(path)
    # If only comments have an old name, the code need not be searched.
    if module is not None and not renames.old_words.isdisjoint(module.code.words()):
        references = find_references(files, path, renames)
    if is_related:
        references.unclear += _unchanged_places(files, path, renames, references.edits)
    return references


def _is_broken(files: ProjectFiles, path: str) -> bool:
    """Tell whether a file cannot be read."""
    try:
        files.readable_module(path)
    except RenameError:
        return True
    return False


def _refuse_conflicts(path: str, references: References) -> None:
    """Raise RenameError if a new name would have two meanings in a file."""
    if references.merged_names:
        # `LlamaMLP` and `GemmaMLP` would both become `MLP`.
        name = references.merged_names[0]
        raise RenameError(
            f"two names of `{one_line(path)}` would become `{name}`; keep the model's "
            "name in it"
        )
    if references.conflicts:
        # The file has another `LlamaGate` already.
        line = references.conflicts[0].line
        raise RenameError(
            f"the new name is used at {one_line(path)}:{line} for something else; "
            "choose another name"
        )


def _unchanged_places(
    files: ProjectFiles, path: str, renames: Renames, edits: Iterable[Edit]
) -> Iterator[Place]:
    """Yield the places of a file that keep an old name, for the user to look at.

    In comments and strings, these are all places with the name. In code, these are only
    other variables that have the name of a renamed class or function.

    Args:
        files: The files of the project.
        path: The file.
        renames: The old and new names.
        edits: The edits of the file, at whose places the name changes.
    """
    module = files.module(path)
    if module is None:
        return
    edited_positions = {(edit.line, edit.column) for edit in edits}
    includes_code = renames.member is None
    for occurrence in _occurrences(module, renames.old_words):
        place = occurrence.place
        is_edited = (place.line, place.column) in edited_positions
        if not is_edited and (includes_code or not occurrence.is_code):
            yield place


def _occurrences(module: Module, words: Iterable[str]) -> Iterator[_Occurrence]:
    """Yield the occurrences of some words in the text of a file."""
    alternatives = "|".join(map(re.escape, sorted(words)))
    pattern = re.compile(rf"\b(?:{alternatives})\b")
    line_offset = 0
    for line_number, line in enumerate(module.lines, start=1):
        for match in pattern.finditer(line):
            word = match[0]
            column = match.start() + 1
            place = Place(module.path, line_number, column, len(word), line)
            # The mask has the same offsets, but comments and strings are overwritten.
            is_code = module.code.mask.startswith(word, line_offset + match.start())
            yield _Occurrence(place, is_code)
        line_offset += len(line) + len("\n")
