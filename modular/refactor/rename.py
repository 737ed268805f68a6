"""Renames a class, function, method or attribute in all files of a project.

The definition and its references are edited, in generated files, too. Then the models
are converted: they must generate these texts (`modular.refactor.rename_proof`).
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import NamedTuple, NoReturn
from unicodedata import normalize

from modular.project import file_types
from modular.project.project import Project, model_name
from modular.refactor.errors import RenameError
from modular.refactor.member_references import MemberFinder, MemberRename
from modular.refactor.name_references import NameFinder
from modular.refactor.owned_objects import OwnedObjects
from modular.refactor.project_files import ProjectFiles
from modular.refactor.reference_finder import References
from modular.refactor.rename_plan import Choices, find_new_names, find_owners
from modular.refactor.rename_proof import (
    Difference,
    Proof,
    Prover,
    Undecided,
    different_lines,
    undecided_lines,
)
from modular.rules.classes.kept_methods import private_name
from modular.run.options import Options
from modular.semantics.classes import MemberKind, model_class, uses_by_statement
from modular.semantics.meanings import QualifiedName
from modular.source.blocks import Statement
from modular.source.diagnostics import Edit, Place, did_you_mean
from modular.source.edits import apply_edits, find_line_edits
from modular.source.module import Module, normalize_text
from modular.source.places import place_of
from modular.source.source_slice import has_word
from modular.source.unreadable import UnreadableError
from modular.source.walking import walk
from modular.system.machine import collect_garbage_rarely
from modular.system.printable import one_line


_FIELD_KINDS = (MemberKind.FIELD, MemberKind.DECLARATION)
_MAX_LISTED_CANDIDATES = 10
_MAX_LISTED_DIFFERENCES = 20
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


Override = Callable[[Project, str], str | None]
"""Returns a text of a modular file that generates the unsaved files of its model."""


@dataclass(frozen=True)
class Rename:
    """A rename that was proved, but is not written yet.

    Attributes:
        project: The project.
        edits: The edits of each file that people write, by path. None overlap.
        sources: The text of each edited file as it was read, byte for byte.
        definitions: The renamed definitions, or the classes whose member is renamed, in
            files that people write, or in generated files if they are inlined.
        unclear_places: Places that still have the old name: comments, strings, and
            attributes of objects whose class is not clear.
        generated: The new text of each generated file that changes, by path.
        reads: The files that each converted model reads, by its modular file.
        expected: Generated files as they are on disk, with nothing but the name changed.
        stale: Generated files that were not up to date, and change otherwise, too.
        failed: Modular files that had errors before.
        overriding: Modular files that override more code than before, since it would
            use another class under the new name.
    """

    project: Project
    edits: Mapping[str, tuple[Edit, ...]]
    sources: Mapping[str, str]
    definitions: tuple[QualifiedName, ...]
    unclear_places: tuple[Place, ...]
    generated: Mapping[str, str]
    reads: Mapping[str, tuple[str, ...]]
    expected: Mapping[str, str]
    stale: tuple[str, ...]
    failed: tuple[str, ...]
    overriding: tuple[str, ...] = ()

    def edited_texts(self) -> dict[str, str]:
        """Return the new text of each edited file, by path. Line ends stay as they are.

        Raises:
            modular.source.edits.EditError: A file would not be Python any more.
        """
        texts = {}
        for path, edits in self.edits.items():
            texts[path] = apply_edits(self.sources[path], edits)
        return texts


def rename_in(
    project: Project,
    symbol: str,
    new: str,
    options: Options = Options(),
    *,
    override: Override | None = None,
) -> Rename:
    """Return the edits that rename a symbol in a project that is open already.

    Nothing is written.

    Args:
        project: The project.
        symbol: The name of a class, function, method or attribute.
        new: The new name.
        options: Says where progress is reported.
        override: Adds overrides to a modular file whose model would otherwise change.
            Without it, such a rename is refused.

    Raises:
        modular.refactor.errors.RenameError: The rename is refused.
        modular.ModularError: The models cannot be converted, as in `modular.check`.
    """
    _refuse_bad_name(new)
    collect_garbage_rarely()
    files = ProjectFiles(project)
    try:
        target = _find_symbol(files, symbol)
        if new == (target.member or target.name):
            raise RenameError(f"`{symbol}` has this name already; give another one")
        target = _overridden_symbol(files, target)
        _refuse_symbol(files, target)
        return _Renaming(files, target, new, options, override).find()
    except UnreadableError as error:
        raise RenameError(
            f"`{one_line(error.code.path)}` cannot be read near line "
            f"{error.code.line}; correct its syntax first"
        ) from None


def refuse_symbol(project: Project, symbol: str) -> None:
    """Raise RenameError if a symbol cannot be renamed, whatever its new name is.

    No model is converted for this.

    Args:
        project: The project.
        symbol: The name of a class, function, method or attribute.
    """
    files = ProjectFiles(project)
    target = _overridden_symbol(files, _find_symbol(files, symbol))
    _refuse_symbol(files, target)


def _refuse_bad_name(new: str) -> None:
    """Raise RenameError for a name that Python forbids, or changes in classes.

    Examples are `class`, `a-b` and `__private`.
    """
    # Python normalizes names, so it would read a different name from the given one.
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
    symbols = list(_find_symbols(files, dotted, are_generated=False))
    if not symbols:
        raise RenameError(
            f"no hand-written file of a model defines `{one_line(dotted)}`; "
            f"{_hint_for_unknown(files, dotted)}"
        )
    if len(symbols) > 1:
        listed = "\n".join(f"  {symbol}" for symbol in symbols[:_MAX_LISTED_CANDIDATES])
        if len(symbols) > _MAX_LISTED_CANDIDATES:
            listed += f"\n  and {len(symbols) - _MAX_LISTED_CANDIDATES} more"
        raise RenameError(f"`{dotted}` is ambiguous; use one of these names:\n{listed}")
    return symbols[0]


def _find_symbols(
    files: ProjectFiles, dotted: str, *, are_generated: bool
) -> Iterator[Symbol]:
    """Yield the definitions and members that a dotted name means.

    Args:
        files: The files of the project.
        dotted: The dotted name.
        are_generated: Whether they are those of generated files, and not those of the
            hand-written files of models.
    """
    words = dotted.split(".")
    for path in files.mentioning(words[-1]):
        is_generated = path in files.generated
        is_model = is_generated or files.project.is_in_models_folder(path)
        if not is_model or is_generated is not are_generated:
            continue
        for symbol in _symbols(files, path, words):
            if _is_named(files, symbol, dotted):
                yield symbol


def _symbols(files: ProjectFiles, path: str, words: list[str]) -> Iterator[Symbol]:
    """Yield the definitions and members of a file that a dotted name may mean.

    Only the last two words count. `_is_named` checks the words before these, which are
    parts of a path.

    Args:
        files: The files of the project.
        path: The file.
        words: The parts of the dotted name, such as `["LlamaMLP", "act_fn"]`.
    """
    name = words[-1]
    if files.definition(path, name) is not None:
        yield Symbol(path, name)
    if len(words) > 1:
        owner = QualifiedName(path, words[-2])
        if _member_kind(files, owner, name) is not None:
            yield Symbol(path, owner.name, member=name)


def _is_named(files: ProjectFiles, symbol: Symbol, dotted: str) -> bool:
    """Return whether a symbol's full name ends with a dotted name.

    `modeling_llama.LlamaMLP` is the end of `models.llama.modeling_llama.LlamaMLP`. The
    full name may use any file from which the symbol can be imported.
    """
    for path in files.importable(symbol.path):
        full_name = str(replace(symbol, path=path))
        # With the leading dots, `MLP` does not match the end of `LlamaMLP`.
        if f".{full_name}".endswith(f".{dotted}"):
            return True
    return False


def _hint_for_unknown(files: ProjectFiles, dotted: str) -> str:
    """Return a hint for the user who renames a name that no hand-written file defines.

    If a generated file has the name, the hint is the place from which it is inlined.
    Otherwise, it is a similar name of a hand-written file, if there is one.
    """
    inlined_symbol = next(_find_symbols(files, dotted, are_generated=True), None)
    if inlined_symbol is not None:
        return _hint_for_inlined(files, inlined_symbol)

    names: set[str] = set()
    for path in files.paths:
        if path in files.generated or not files.project.is_in_models_folder(path):
            continue
        for statement in files.statements(path):
            if statement.is_definition:
                names.add(statement.name)
    return did_you_mean(dotted, names) or (
        "name a class or function that a model file or modular file defines, or "
        "`Class.member`"
    )


def _hint_for_inlined(files: ProjectFiles, symbol: Symbol) -> str:
    """Return the hint to rename the definition from which a symbol is inlined.

    Args:
        files: The files of the project.
        symbol: A definition or member of a generated file.
    """
    modular = files.generated[symbol.path]
    origin = "in the parent file"
    for output in files.converter.convert(modular, inspects=False).files:
        if output.path != symbol.path:
            continue
        # A class that inherits everything is one piece of code, with all its members.
        codes = output.find(symbol.name, symbol.member) or output.find(symbol.name)
        if codes:
            place = place_of(codes[0])
            origin = f"at {one_line(place.path)}:{place.line}"
    return (
        f"`{one_line(modular)}` inlines it into `{one_line(symbol.path)}`: rename it "
        f"{origin}"
    )


def _member_kind(
    files: ProjectFiles, owner: QualifiedName, member: str
) -> MemberKind | None:
    """Return the kind of a member that a class itself defines.

    An attribute that only methods assign to `self` is of the kind `ATTRIBUTE`.

    Returns:
        The kind; None if the class does not define the member.
    """
    statement = files.class_statement(owner)
    # Only a class that has the word is parsed, since parsing takes long.
    if statement is None or not has_word(statement.code.masked_text, member):
        return None
    model = model_class(statement)
    if member in model.members:
        return model.members[member].kind
    return MemberKind.ATTRIBUTE if member in model.attributes else None


def _overridden_symbol(files: ProjectFiles, target: Symbol) -> Symbol:
    """Return the member of the farthest base class that a member overrides.

    An override must keep the name of the overridden member, so both are renamed. A
    symbol that overrides nothing is returned itself.
    """
    if not target.member:
        return target

    def bases(class_: QualifiedName) -> list[QualifiedName]:
        """Return the bases of a class and, if it is generated, of its modular class."""
        modular = files.generated.get(class_.path)
        if modular is None:
            return files.bases(class_)
        return files.bases(class_) + files.bases(QualifiedName(modular, class_.name))

    overridden = target
    class_ = QualifiedName(target.path, target.name)
    # Ancestors come nearest first, so the farthest one with the member is found last.
    for path, name in walk(bases(class_), bases):
        handwritten_path = files.generated.get(path, path)
        if not files.project.is_in_models_folder(handwritten_path):
            continue
        ancestor = QualifiedName(handwritten_path, name)
        if _member_kind(files, ancestor, target.member) is not None:
            overridden = Symbol(handwritten_path, name, target.member)
    return overridden


# Conversions cannot show that the renames below are wrong, so these are refused here.


def _refuse_symbol(files: ProjectFiles, target: Symbol) -> None:
    """Raise RenameError for a symbol that must keep its name.

    Examples are `__init__`, `forward`, and a method that overrides a library's method.
    """
    files.refuse_syntax_error(target.path)
    member = target.member
    if not member:
        _refuse_spelling_of_model(files, target.name)
        return
    if member.startswith("__"):
        raise RenameError(
            f"`{member}` begins with two underscores and has a special meaning in "
            "Python, so it cannot be renamed"
        )
    class_ = QualifiedName(target.path, target.name)
    # Only the base classes are searched, for which no owners of a member are needed.
    ancestors = OwnedObjects(files, frozenset()).ancestors(frozenset({class_}))
    for ancestor in sorted(ancestors):
        if _member_kind(files, ancestor, member) is not None:
            raise RenameError(
                f"`{target.name}.{member}` overrides `{ancestor.name}.{member}` of "
                f"{_where(files, ancestor)}, which this command cannot rename; keep the "
                "name, or rename both by hand"
            )
    _refuse_torch_method(files, member, {class_, *ancestors})


def _where(files: ProjectFiles, definition: QualifiedName) -> str:
    """Return the place of a definition, `models/llama/modeling_llama.py:12`."""
    statement = files.definition(*definition)
    line = "" if statement is None else f":{statement.line}"
    return f"`{one_line(definition.path)}{line}`"


def _refuse_spelling_of_model(files: ProjectFiles, name: str) -> None:
    """Raise RenameError for the configuration class that tells how a model is spelt.

    From `MyModelConfig`, modular learns that class names of the model `my_model` begin
    with `MyModel`.
    """
    lower_name = name.removesuffix("Config").lower()
    model_names = {model.replace("_", "") for model in files.project.model_names}
    if lower_name not in model_names:
        return
    cased_names = files.project.names
    for model_type, config_name in cased_names.table.items():
        if config_name != name:
            continue
        hint = "rename it by hand"
        if files.project.name_files:
            hint += ", also in the table of model types"
        raise RenameError(
            f"`{name}` tells modular to write the model type `{model_type}` as "
            f"`{cased_names.cased(model_type)}` in class names; {hint}"
        )


def _refuse_other_file_type(
    files: ProjectFiles, definition: QualifiedName, new: str
) -> None:
    """Raise RenameError for a new name that would move a class to another file.

    A class `MyModelConfig` is written to `configuration_my_model.py`, and a class
    `MyModelMLP` to `modeling_my_model.py`.
    """
    is_class = files.class_statement(definition) is not None
    if definition.path not in files.modular_files or not is_class:
        return
    project = files.project
    cased = project.names.cased(model_name(definition.path))
    old_type = file_types.of_class(definition.name, cased, project.settings)
    new_type = file_types.of_class(new, cased, project.settings)
    if old_type != new_type:
        raise RenameError(
            f"the class of {_where(files, definition)} is written to the {old_type} "
            f"file because of its name, and `{new}` would be written to the {new_type} "
            "file; choose a name with the same ending"
        )


def _refuse_torch_method(
    files: ProjectFiles, member: str, classes: Iterable[QualifiedName]
) -> None:
    """Raise RenameError for a method that `torch.nn.Module` calls, such as `forward`.

    Args:
        files: The files of the project.
        member: The method.
        classes: The classes that have the method, and their bases.
    """
    if member not in _NN_MODULE_METHODS:
        return
    for class_ in classes:
        if _inherits_from_package(files, class_):
            raise RenameError(
                f"`torch.nn.Module` calls `{member}` of `{class_.name}` "
                f"({_where(files, class_)}) under this name; add a method with the new "
                f"name and call it from `{member}`"
            )


def _inherits_from_package(files: ProjectFiles, class_: QualifiedName) -> bool:
    """Return whether the bases of a class are from outside the project.

    One of them may be `torch.nn.Module`. A class whose base is `object`, or that has no
    base, inherits from no package.
    """
    bases = files.bases(class_)
    if not bases or bases[0].name == "object":
        return False
    return all(files.class_statement(base) is None for base in bases)


def _find_member_conflicts(
    files: ProjectFiles, member: MemberRename, target: Symbol
) -> list[Difference]:
    """Return the classes of other models that use a member's new name for something else.

    These models may keep the old name. For other classes, an error is raised.

    Args:
        files: The files of the project.
        member: The member and its new name.
        target: The member that the user renames.

    Raises:
        RenameError: A class that cannot keep the old name uses the new name.
    """
    conflicts = []
    classes = member.objects.owners | member.ancestors
    for class_ in sorted(classes, key=lambda class_: _order(files, class_)):
        statement = files.class_statement(class_)
        problem = _problem_of_new_member(files, member, class_)
        if statement is None or not problem:
            continue
        modular = files.generated.get(class_.path, class_.path)
        is_other_model = modular in files.modular_files and class_.path != target.path
        if not is_other_model:
            raise RenameError(
                f"`{class_.name}` of {_where(files, class_)} {problem}; choose another "
                "name, or rename there by hand first"
            )
        line = statement.code.text.split("\n")[0]
        place = Place(class_.path, statement.line, 1, 1, line)
        conflicts.append(Difference(modular, place, f"`{class_.name}` {problem}"))
    return conflicts


def _problem_of_new_member(
    files: ProjectFiles, member: MemberRename, class_: QualifiedName
) -> str:
    """Return the reason why a member of a class cannot get a new name.

    It is the end of a sentence about the class, such as "uses `gate` already". The result
    is empty if the member can get the name.

    Args:
        files: The files of the project.
        member: The member and its new name.
        class_: The class.
    """
    statement = files.class_statement(class_)
    if statement is None:
        return ""
    uses_new_name = has_word(statement.bare_code.masked_text, member.new)
    if uses_new_name and member.is_on_instances:
        # A local variable with the name does no harm to `self.gate`.
        uses_new_name = _uses_member(statement, member.new)
    if uses_new_name:
        return f"uses `{member.new}` already"

    # If the class has the member from another class, too, that one keeps the old name.
    if class_ not in member.objects.owners:
        return ""
    for base in member.objects.ancestors(frozenset({class_})):
        is_owner = base in member.objects.owners
        if not is_owner and _member_kind(files, base, member.old) is not None:
            return (
                f"also inherits `{member.old}` from `{base.name}` of "
                f"{_where(files, base)}"
            )
    return ""


def _uses_member(class_: Statement, name: str) -> bool:
    """Return whether a class has a member of a name, or its methods use it on `self`."""
    model = model_class(class_)
    if name in model.members:
        return True
    for function in model.functions:
        for uses in uses_by_statement(function):
            if name in uses.read | uses.set | uses.deleted | uses.changed:
                return True
    return False


def _order(
    files: ProjectFiles, definition: QualifiedName
) -> tuple[bool, QualifiedName]:
    """Return a sort key that puts generated files last, since nobody can edit them."""
    return definition.path in files.generated, definition


# Edits and their proof.


@dataclass
class _Edits:
    """The edits of all files for some choices.

    Attributes:
        references: The references of each file, by path.
        texts: The edited texts, by path.
        definitions: The renamed definitions.
        conflicts: Places in generated files at which a new name is in use.
        undecided: Lines of generated files in which a member may be renamed or not.
    """

    references: dict[str, References]
    texts: dict[str, str]
    definitions: tuple[QualifiedName, ...]
    conflicts: list[Difference]
    undecided: Undecided | None = None


class _Renaming:
    """Renames a symbol, and proves by conversions that nothing else changes.

    Where a model changes by more than the name, other answers are tried to the question
    whether its classes are renamed along (`modular.refactor.rename_plan`).
    """

    def __init__(
        self,
        files: ProjectFiles,
        target: Symbol,
        new: str,
        options: Options,
        override: Override | None,
    ) -> None:
        """Prepare a rename.

        Args:
            files: The files of the project.
            target: The class, function or member.
            new: Its new name.
            options: Says where progress is reported.
            override: Adds overrides to a modular file, if given.
        """
        self._files = files
        self._target = target
        self._new = new
        self._options = options
        # These convert models with the rename, and without it.
        self._prover = Prover(files)
        self._prover_before = Prover(files)
        # Results that later attempts use again: edited texts by their edits, and
        # references by everything that they depend on.
        self._edited: dict[tuple[Edit, ...], str] = {}
        self._references: dict[object, References] = {}
        # The modular files that were converted without the rename; of these, those with
        # errors; and their generated files that were not up to date.
        self._regenerated_models: set[str] = set()
        self._failed: set[str] = set()
        self._stale: set[str] = set()
        # Where a new name was in use already, in any attempt.
        self._conflicts: list[Difference] = []
        self._override = override
        # The new texts of modular files with overrides that the rename needs.
        self._overriding: dict[str, str] = {}

    def find(self) -> Rename:
        """Try to rename until nothing but the name changes, and return this rename.

        If the models change by more, one of three causes is removed before the next
        attempt.

        Raises:
            RenameError: The rename is refused, because no cause can be removed.
        """
        self._generate_missing_files()
        choices = Choices(self._files)
        while True:
            self._report_progress("finding references")
            edits = self._edit_all(choices)
            edits.texts.update(self._overriding)
            self._report_progress("converting")
            models = self._affected_models(choices, edits.texts.keys())
            expected = {**self._files.regenerated, **edits.texts}
            proof = self._prover.prove(expected, models - self._failed, edits.undecided)
            differences = [*edits.conflicts, *proof.differences]
            if not differences:
                return self._make_rename(edits, proof)

            # 1. The files on disk are stale, so they differ without the rename, too.
            models_to_correct = self._topmost_models(differences)
            if self._regenerate(models_to_correct):
                # The choices so far refer to the files before.
                choices = Choices(self._files, flipped=choices.flipped)
                continue
            self._conflicts += edits.conflicts
            # 2. A class of the model must be renamed along, or must keep its name, and
            # the attempt did the opposite.
            classes_to_flip = _find_other_choices(
                choices, differences, models_to_correct
            )
            if classes_to_flip:
                choices = choices.retry(choices.flipped | classes_to_flip)
                continue
            # 3. The modular file does not override the code that would change.
            if self._add_overrides(models_to_correct, expected):
                choices = Choices(self._files, flipped=choices.flipped)
                continue
            self._refuse(differences, models_to_correct)

    def _refuse(
        self, differences: Collection[Difference], models: Collection[str]
    ) -> NoReturn:
        """Raise RenameError with the places at which models change by more than the name.

        Args:
            differences: The places, also those of models that inherit the difference.
            models: The modular files of the models with differences of their own.
        """
        # A conflict tells the reason: the new name is in use. A difference only tells
        # which line would change.
        own_conflicts = [place for place in self._conflicts if place.modular in models]
        own_differences = [place for place in differences if place.modular in models]
        listed = own_conflicts or own_differences or differences
        _refuse_differences(self._prover.locate(listed))

    def _report_progress(self, phase: str) -> None:
        if self._options.progress is not None:
            self._options.progress(phase, 0, 0)

    def _edit_all(self, choices: Choices) -> _Edits:
        """Return the edits of all files.

        Args:
            choices: Tells which classes of other models are renamed along.
        """
        target = QualifiedName(self._target.path, self._target.name)
        if self._target.member:
            owners = find_owners(choices, target)
            return self._edit_member(owners, choices.models)
        new_names = find_new_names(choices, target, self._new)
        return self._edit_names(new_names)

    def _edit_names(self, new_names: Mapping[QualifiedName, str]) -> _Edits:
        """Return the edits that rename classes and functions.

        Args:
            new_names: The new name of each definition.

        Raises:
            RenameError: A new name is not allowed, or would mean something else.
        """
        files = self._files
        for definition, new in new_names.items():
            _refuse_bad_name(new)
            _refuse_spelling_of_model(files, definition.name)
            _refuse_other_file_type(files, definition, new)

        new_names_by_path: dict[str, dict[QualifiedName, str]] = {}
        for definition, new in new_names.items():
            for path in files.mentioning(definition.name):
                new_names_by_path.setdefault(path, {})[definition] = new
        unique_names = _unique_names(files, new_names)
        references = {}
        for path, names in sorted(new_names_by_path.items()):
            references[path] = self._find_names(path, names, unique_names)

        for new in set(new_names.values()):
            _refuse_hidden_by_star(files, new_names, new)
        # If a generated class keeps the parent's method, its private name has the class's
        # name: `_llama_mlp_forward`.
        private_names = {}
        for definition, new in new_names.items():
            private_names[private_name(definition.name, "")] = private_name(new, "")
        return self._collect(references, new_names, private_names)

    def _find_names(
        self,
        path: str,
        new_names: Mapping[QualifiedName, str],
        unique_names: Mapping[str, str],
    ) -> References:
        """Return the references of a file to definitions that get new names.

        The references are kept for later attempts. These rename other definitions, too,
        which most files do not mention.

        Args:
            path: The file.
            new_names: The new name of each definition whose name the file mentions.
            unique_names: The new name of each old name that means nothing else in the
                project.
        """
        files = self._files
        old_names = {definition.name for definition in new_names}
        unique_names_in_file = {}
        for definition in new_names:
            name = definition.name
            if name in unique_names:
                unique_names_in_file[name] = unique_names[name]
        # These are all values that the finder gets.
        key = (path, tuple(new_names.items()), tuple(unique_names_in_file.items()))
        if key in self._references:
            return self._references[key]

        if path not in files.generated:
            files.refuse_syntax_error(path)
        references = NameFinder(files, path, new_names, unique_names_in_file).find()
        references.unclear += _unchanged_places(
            files, path, old_names, references.edits, includes_code=True
        )
        self._references[key] = references
        return references

    def _edit_member(
        self, owners: frozenset[QualifiedName], models: Collection[str]
    ) -> _Edits:
        """Return the edits that rename the member of some classes.

        In a file that does not mention these classes, an attribute of this name is not
        renamed, but counted as unclear.

        Args:
            owners: The classes whose member is renamed.
            models: The modular files of models that have these classes under names of
                their own.

        Raises:
            RenameError: The member cannot be renamed safely.
        """
        files = self._files
        old = self._target.member
        member = self._describe_member(owners)
        conflicts = _find_member_conflicts(files, member, self._target)
        _refuse_torch_method(files, old, owners | member.ancestors)

        # In other files, a member of the same name is that of another class.
        related_paths: set[str] = set()
        for owner_name in {owner.name for owner in owners}:
            related_paths.update(files.mentioning(owner_name))
        # A model can keep the member of its class under the old name.
        for modular in models:
            related_paths.update(files.outputs[modular])

        references_by_path = {}
        unclear = []
        for path in files.mentioning(old):
            is_related = path in related_paths
            if is_related:
                references = self._find_member(path, member)
            else:
                references = References(unclear=list(_attributes(files, path, old)))
            references_by_path[path] = references
            if path in files.generated or not is_related:
                unclear += references.unclear

        private_names = {}
        for owner in owners:
            new_private_name = private_name(owner.name, self._new)
            private_names[private_name(owner.name, old)] = new_private_name
        edits = self._collect(references_by_path, owners, private_names)
        edits.conflicts += conflicts
        lines = undecided_lines(unclear, old, self._new)
        edits.undecided = Undecided(old, self._new, lines)
        return edits

    def _find_member(self, path: str, member: MemberRename) -> References:
        """Return the references of a file to a member.

        The references are kept for later attempts, in which the member of other classes
        is renamed. Most files have the same references then: those that mention none of
        these classes, nor do the files of their base classes.
        """
        files = self._files
        owners = member.objects.owners
        classes = owners | member.ancestors
        mentioned = files.mentioned_in_or_inherited(path, {name for _, name in classes})
        mentioned_classes = {class_ for class_ in classes if class_.name in mentioned}
        # The references depend on nothing else.
        key = (
            path,
            frozenset(mentioned_classes),
            frozenset(mentioned_classes & owners),
            member.is_keyword,
            member.is_on_instances,
        )
        if key in self._references:
            return self._references[key]

        if path not in files.generated:
            files.refuse_syntax_error(path)
        references = MemberFinder(files, path, member).find()
        references.unclear += _unchanged_places(
            files, path, {member.old}, references.edits, includes_code=False
        )
        self._references[key] = references
        return references

    def _describe_member(self, owners: frozenset[QualifiedName]) -> MemberRename:
        """Return the renamed member with all that a search for references needs.

        For example, it tells whether `LlamaConfig(old=1)` can refer to the member.

        Args:
            owners: The classes whose member is renamed.
        """
        objects = OwnedObjects(self._files, owners)
        old = self._target.member
        # `LlamaConfig(old=1)`: the constructor of a configuration or dataclass takes it.
        kinds = {_member_kind(self._files, owner, old) for owner in owners}
        is_field = not kinds.isdisjoint(_FIELD_KINDS)
        is_keyword = is_field or self._target.name.endswith("Config")
        return MemberRename(
            old=old,
            new=self._new,
            objects=objects,
            ancestors=objects.bases_of_owners,
            is_keyword=is_keyword,
            is_on_instances=not is_keyword and self._is_only_on_instances(owners),
        )

    def _is_only_on_instances(self, owners: Iterable[QualifiedName]) -> bool:
        """Return whether only methods set the member, by `self.member = 1`.

        In this case, no class body defines it.

        Args:
            owners: The classes that have the member.
        """
        for owner in owners:
            statement = self._files.class_statement(owner)
            if statement is not None:
                if self._target.member in model_class(statement).members:
                    return False
        return True

    def _collect(
        self,
        references_by_path: dict[str, References],
        definitions: Iterable[QualifiedName],
        private_names: Mapping[str, str],
    ) -> _Edits:
        """Apply the edits of all files.

        Args:
            references_by_path: The references of each file.
            definitions: The renamed definitions, or the classes whose member is renamed.
            private_names: The new beginning of each private name of a kept method, such
                as `_llama_mlp_forward`, which only generated files have.

        Raises:
            RenameError: A new name means something else in a file that must be renamed.
        """
        files = self._files
        texts = {}
        conflicts = []
        for path, references in references_by_path.items():
            # The modular file of a model whose classes can keep their names, if any.
            flexible_model = files.generated.get(path)
            if path in files.modular_files and path != self._target.path:
                flexible_model = path
            if flexible_model is None or references.merged_names:
                _refuse_conflicts(path, references)
            else:
                for place in references.conflicts:
                    conflicts.append(Difference(flexible_model, place, _IN_USE))

            source = files.loaded(path).source
            is_generated = path in files.generated
            # A conversion must generate this text, so its syntax need not be checked.
            text = self._apply(source, references.edits, checks_syntax=not is_generated)
            if is_generated and files.project.settings.is_like_python:
                for old, new in private_names.items():
                    text = re.sub(rf"\b{re.escape(old)}", new, text)
            if text != source:
                texts[path] = text
        handwritten = {
            QualifiedName(files.generated.get(path, path), name)
            for path, name in definitions
        }
        definitions_in_order = tuple(sorted(handwritten))
        return _Edits(references_by_path, texts, definitions_in_order, conflicts)

    def _apply(self, source: str, edits: Iterable[Edit], *, checks_syntax: bool) -> str:
        """Return a text with edits, and keep the result for a further attempt."""
        key = tuple(edits)
        if not key:
            return source
        if key not in self._edited:
            self._edited[key] = apply_edits(source, key, checks_syntax=checks_syntax)
        return self._edited[key]

    def _affected_models(
        self, choices: Choices, edited_paths: Iterable[str]
    ) -> set[str]:
        """Return the models whose generated files can change with an edit of some files.

        Args:
            choices: Tells which other models have a class under a name of their own.
            edited_paths: The paths of the edited files.
        """
        files = self._files
        models = set(choices.models)
        for path in edited_paths:
            modular = files.generated.get(path, path)
            if modular in files.modular_files:
                models.add(modular)
        return models

    def _topmost_models(self, differences: Collection[Difference]) -> set[str]:
        """Return the models with differences that inherit from no other such model.

        If `llama` differs, and `olmo` inherits from it, the differences of `olmo` may
        come from `llama`. So only `llama` is returned.
        """
        files = self._files
        models = {difference.modular for difference in differences}
        topmost = set()
        for modular in models:
            if models.isdisjoint(files.parent_models(modular)):
                topmost.add(modular)
        # If all of them inherit from each other, there is no topmost model.
        return topmost or models

    def _generate_missing_files(self) -> None:
        """Convert the models whose generated files are not on disk.

        A project need not keep generated files, but a rename reads them.
        """
        missing = set()
        for path, modular in self._files.generated.items():
            if not self._files.project.has_file(path):
                missing.add(modular)
        if missing:
            self._regenerate(missing)

    def _regenerate(self, models: Collection[str]) -> bool:
        """Convert models without the rename, and let it begin with what they generate.

        From then on, a missing or stale file counts as if it had its new text, and a
        model with errors is not converted any more. So the differences in later attempts
        come from the rename.

        Args:
            models: The modular files of the models. Those that were regenerated already
                are skipped.

        Returns:
            Whether this found a file that is not up to date, or a model with errors.
        """
        new_models = set(models) - self._regenerated_models
        self._regenerated_models |= new_models
        before = self._prover_before.generate(self._files.regenerated, new_models)
        texts = dict(self._files.regenerated)
        changed_models = set()
        for path, text in before.texts.items():
            old_text = self._files.text(path)
            is_missing = not old_text
            if not is_missing and any(different_lines(old_text, text, path)):
                self._stale.add(path)
            if is_missing or path in self._stale:
                texts[path] = normalize_text(text)
                changed_models.add(self._files.generated[path])

        failed = {difference.modular for difference in before.differences}
        # Nothing may be written for a model with an error of a lint rule. Lint rules take
        # long, so they run only for these models.
        inspecting_prover = Prover(self._files, inspects=True)
        inspected = inspecting_prover.generate(texts, changed_models - failed)
        failed.update(difference.modular for difference in inspected.differences)

        has_new_text = texts != self._files.regenerated
        has_new_failure = not failed <= self._failed
        if not has_new_text and not has_new_failure:
            return False
        self._failed |= failed
        self._files = ProjectFiles(self._files.project, texts)
        self._references.clear()
        return True

    def _add_overrides(
        self, models: AbstractSet[str], expected: Mapping[str, str]
    ) -> bool:
        """Let modular files override the code that would otherwise change.

        For example, code of the parent uses another class that has the new name.

        Args:
            models: The modular files of the models.
            expected: The texts that they should generate, and all other edited texts.

        Returns:
            Whether any modular file overrides more code than before.
        """
        if self._override is None:
            return False
        project = self._files.project
        edited = replace(project, unsaved={**project.unsaved, **expected})
        has_new_override = False
        for modular in sorted(models - self._overriding.keys()):
            text = self._override(edited, modular)
            if text is not None:
                self._overriding[modular] = text
                has_new_override = True
        return has_new_override

    def _make_rename(self, edits: _Edits, proof: Proof) -> Rename:
        """Return the rename: edits of hand-written files, and new texts of generated ones.

        Args:
            edits: The edits of all files.
            proof: The conversion of the edited files, in which only the name changed.
        """
        files = self._files
        handwritten: dict[str, tuple[Edit, ...]] = {}
        unclear: list[Place] = []
        for path, references in edits.references.items():
            if path in files.generated:
                continue
            if references.edits:
                handwritten[path] = tuple(references.edits)
            unclear += references.unclear
        for path, text in self._overriding.items():
            old_text = files.text(path)
            handwritten[path] = tuple(find_line_edits(path, old_text, text))

        generated = {}
        for path, text in proof.texts.items():
            on_disk = files.project.load(path, {})
            is_same = on_disk.problem is None and on_disk.text == normalize_text(text)
            if not is_same:
                generated[path] = text
        # The edits of a stale file were made in its new text, not in the text on disk.
        expected = {}
        for path in edits.texts.keys() & (generated.keys() - self._stale):
            expected[path] = edits.texts[path]
        return Rename(
            project=files.project,
            edits=handwritten,
            sources={path: files.loaded(path).source for path in handwritten},
            definitions=edits.definitions,
            unclear_places=tuple(dict.fromkeys(unclear)),
            generated=generated,
            reads=proof.reads,
            expected=expected,
            stale=tuple(sorted(self._stale & generated.keys())),
            failed=tuple(sorted(self._failed)),
            overriding=tuple(sorted(self._overriding)),
        )


def _find_other_choices(
    choices: Choices, differences: Iterable[Difference], models: Collection[str]
) -> set[QualifiedName]:
    """Return the classes for which the next attempt should do the opposite.

    An attempt has either renamed `MistralMLP` with the parent's `LlamaMLP`, or not. If
    the model then has differing lines, the opposite may be right. If these lines name
    some of the model's classes, only these are returned, and otherwise all of them.

    Args:
        choices: Tells for which classes the opposite was tried already.
        differences: The lines that would change by more than the name.
        models: The modular files of the models.
    """
    candidates = set()
    for class_ in choices.seen - choices.flipped:
        if class_.path in models:
            candidates.add(class_)

    named = set()
    for difference in differences:
        line = difference.place.text
        for class_ in candidates:
            new_name = choices.new_names.get(class_, class_.name)
            has_name = has_word(line, class_.name) or has_word(line, new_name)
            if class_.path == difference.modular and has_name:
                named.add(class_)
    models_of_named = {class_.path for class_ in named}
    others = {class_ for class_ in candidates if class_.path not in models_of_named}
    return named | others


_IN_USE = "the new name is used here for something else"


def _unique_names(
    files: ProjectFiles, new_names: Mapping[QualifiedName, str]
) -> dict[str, str]:
    """Return the new name of each old name that means nothing else in the project.

    An old name is left out if another file has a definition of this name that is not
    renamed, or if two definitions of this name get different new names.
    """
    unique: dict[str, str] = {}
    ambiguous = set()
    for definition, new in new_names.items():
        name = definition.name
        has_other_new_name = unique.setdefault(name, new) != new
        if has_other_new_name:
            ambiguous.add(name)
        for path in files.mentioning(name):
            is_renamed = QualifiedName(path, name) in new_names
            if not is_renamed and files.definition(path, name) is not None:
                ambiguous.add(name)
    return {name: new for name, new in unique.items() if name not in ambiguous}


def _refuse_hidden_by_star(
    files: ProjectFiles, new_names: Mapping[QualifiedName, str], new: str
) -> None:
    """Raise RenameError if a new name would get a second meaning by `import *`.

    If a file with `from llama import *` has a `LlamaGate` of its own, `LlamaMLP` of
    `llama` cannot become `LlamaGate`.

    Args:
        files: The files of the project.
        new_names: The new name of each definition.
        new: The new name to check.
    """
    old_names = [name for (_, name), new_name in new_names.items() if new_name == new]
    for path in files.mentioning(new):
        if path in files.generated or "import *" not in files.text(path):
            continue
        for old in old_names:
            imported = files.imported_as(path, old)
            imports_renamed = not new_names.keys().isdisjoint(imported)
            if imports_renamed:
                raise RenameError(
                    f"`{one_line(path)}` uses `{new}` for something else, and imports it "
                    "with `import *` from now on; choose another name"
                )


def _refuse_conflicts(path: str, references: References) -> None:
    """Raise RenameError if a new name would have two meanings in a file.

    Args:
        path: The file.
        references: Its references to renamed code, and the places that conflict with them.
    """
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


def _refuse_differences(differences: Iterable[Difference]) -> NoReturn:
    """Raise RenameError with the places at which models change by more than the name.

    Args:
        differences: The places, with the lines of sources that they come from.
    """
    unique = list(dict.fromkeys(differences))
    lines = list(map(_describe_difference, unique))
    if len(lines) > _MAX_LISTED_DIFFERENCES:
        count = len(lines) - _MAX_LISTED_DIFFERENCES
        lines[_MAX_LISTED_DIFFERENCES:] = [f"  and {count} more"]
    if any(difference.reason == _IN_USE for difference in unique):
        hint = "choose another name"
    else:
        # Code that the model inlines from its parent has the old name. So no other new
        # name helps.
        modulars = sorted({difference.modular for difference in unique})
        listed = ", ".join(f"`{one_line(modular)}`" for modular in modulars)
        hint = (
            f"keep the name, or first define this code, without a parent, in {listed}"
        )
    text = "\n".join(["these lines would change by more than the name:", *lines, hint])
    raise RenameError(text)


def _describe_difference(difference: Difference) -> str:
    """Return a line of an error's list: the place of a difference, and what is there.

    The place is that in the source file if it is known. Then the place in the generated
    file follows.
    """
    place = difference.place
    text = one_line(difference.reason or place.text.strip())
    generated = f"{one_line(place.path)}:{place.line}"
    origin = difference.origin
    if origin is None or origin == place:
        return f"  {generated}: {text}"
    return f"  {one_line(origin.path)}:{origin.line}: {text} (in {generated})"


def _unchanged_places(
    files: ProjectFiles,
    path: str,
    words: Iterable[str],
    edits: Iterable[Edit],
    *,
    includes_code: bool,
) -> Iterator[Place]:
    """Yield the places of a hand-written file that keep an old name.

    The user looks at them. A generated file yields nothing.

    Args:
        files: The files of the project.
        path: The file.
        words: The old names.
        edits: The edits of the file, at whose places the name changes.
        includes_code: Whether places in code are yielded, and not only those in comments
            and strings: other variables that have the name of a renamed class.
    """
    module = files.module(path)
    if module is None or path in files.generated:
        return
    edited_positions = {(edit.line, edit.column) for edit in edits}
    for occurrence in _occurrences(module, words):
        if occurrence.is_code and not includes_code:
            continue
        place = occurrence.place
        if (place.line, place.column) not in edited_positions:
            yield place


def _attributes(files: ProjectFiles, path: str, name: str) -> Iterator[Place]:
    """Yield the places with an attribute of an object other than `self`, as `mlp.name`."""
    module = files.module(path)
    if module is None:
        return
    for occurrence in _occurrences(module, {name}):
        place = occurrence.place
        text_before = place.text[: place.column - 1]
        is_attribute = occurrence.is_code and text_before.endswith(".")
        if is_attribute and not text_before.endswith(_OWN_OBJECTS):
            yield place


_OWN_OBJECTS = ("self.", "cls.", "super().")


def _occurrences(module: Module, words: Iterable[str]) -> Iterator[_Occurrence]:
    """Yield the places of a file that have one of some words, and tell which are code.

    Args:
        module: The file.
        words: The words. A part of a longer word does not count.
    """
    alternatives = "|".join(map(re.escape, sorted(words)))
    pattern = re.compile(rf"\b(?:{alternatives})\b")
    line_offset = 0
    for line_number, line in enumerate(module.lines, start=1):
        for match in pattern.finditer(line):
            word = match[0]
            column = match.start() + 1
            place = Place(module.path, line_number, column, len(word), line)
            # The masked text has the same offsets, but comments and strings are
            # overwritten.
            is_code = module.code.masked_text.startswith(
                word, line_offset + match.start()
            )
            yield _Occurrence(place, is_code)
        line_offset += len(line) + len("\n")
