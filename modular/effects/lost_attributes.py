"""Finds attributes that a modular file sets or reads in vain after a change."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from modular.effects.breakage import Breakage
from modular.semantics.classes import (
    ATTRIBUTES,
    ClassModel,
    mentions_in_class,
    model_class,
)
from modular.semantics.facts import BINDING_USAGES, Mention
from modular.semantics.statements import facts_of
from modular.source.blocks import Kind
from modular.source.diagnostics import Place
from modular.source.module import read
from modular.source.source_slice import words
from modular.source.walking import walk


_WORD_AFTER_DOT = re.compile(r"\.\s*(\w+)")
"""Finds all attributes, and more: it spares parsing files that use none of them."""

_ATTRIBUTE = re.compile(r"(\w+)\s*\.\s*(\w+)")


def find_lost_attributes(
    modular_path: str,
    modular_text: str,
    old_texts: Sequence[str],
    new_texts: Sequence[str],
) -> Iterator[Breakage]:
    """Yield the attributes that a modular file uses, and a change has made useless.

    1. The modular file sets `self.act_fn`, and no generated code reads `act_fn` any more.
    2. The modular file reads `config.depth`, and the generated configuration no longer
       has the field `depth`.
    3. A method in the modular file reads `self.size`, and the generated class no longer
       sets `size`. If inherited code still reads it, too, a base class may set it, and
       nothing is yielded.

    Args:
        modular_path: Path of the modular file.
        modular_text: Its text.
        old_texts: The texts that the modular file generated before the change.
        new_texts: The texts that the modular file generates after the change.
    """
    # A name can only have lost a use if fewer lines have it. Most changes end here,
    # before the texts are parsed.
    removed_words = _words_in_fewer_lines(old_texts, new_texts)
    if removed_words.isdisjoint(_WORD_AFTER_DOT.findall(modular_text)):
        return
    modular = _AttributeUses.find([modular_text])
    used_names = {*modular.set_on_self, *modular.read_from_config}
    used_names.update(name for _, name in modular.read_from_self)
    if removed_words.isdisjoint(used_names):
        return

    old = _AttributeUses.find(old_texts)
    new = _AttributeUses.find(new_texts)
    for name, use in modular.set_on_self.items():
        was_read = name in old.read_from_others
        is_read = name in new.read_from_others
        if was_read and not is_read:
            message = f"sets `{name}`, which nothing reads any more"
            yield use.breakage(modular_path, message)
    for name, use in modular.read_from_config.items():
        was_field = name in old.config_fields
        is_field = name in new.config_fields
        if was_field and not is_field:
            message = f"reads `config.{name}`, which the configuration no longer has"
            yield use.breakage(modular_path, message)
    for (class_name, name), use in modular.read_from_self.items():
        # A method that is gone is a breakage of its own.
        if old.has_method(class_name, name):
            continue
        was_set = old.has_attribute(class_name, name)
        is_set = new.has_attribute(class_name, name)
        read_count = new.read_counts[class_name, name]
        own_read_count = modular.read_counts[class_name, name]
        only_child_reads = 0 < read_count <= own_read_count
        if was_set and not is_set and only_child_reads:
            message = f"reads `self.{name}`, which nothing sets any more"
            yield use.breakage(modular_path, message)


def _words_in_fewer_lines(
    old_texts: Sequence[str], new_texts: Sequence[str]
) -> set[str]:
    """Return the words that fewer lines have in the new texts than in the old ones.

    `config.depth` counts apart from the word `depth`: if one line changes from
    `config.depth` to `self.depth`, then `depth` is returned.
    """
    # How many lines have lost each word, or each attribute of a name.
    lost_counts: Counter[tuple[str, str]] = Counter()
    for old_text, new_text in zip(old_texts, new_texts, strict=True):
        if old_text == new_text:
            continue
        old_lines = set(old_text.split("\n"))
        new_lines = set(new_text.split("\n"))
        for line in old_lines - new_lines:
            lost_counts.update(_words_and_attributes(line))
        for line in new_lines - old_lines:
            lost_counts.subtract(_words_and_attributes(line))
    return {word for (_, word), count in lost_counts.items() if count > 0}


def _words_and_attributes(line: str) -> set[tuple[str, str]]:
    """Return the words of a line, and each attribute with the name in front of it.

    For `config.depth`, these are `("", "config")`, `("", "depth")` and `("config",
    "depth")`.
    """
    return {("", word) for word in words(line)} | set(_ATTRIBUTE.findall(line))


@dataclass(frozen=True)
class _AttributeUse:
    """The first use of an attribute in a class."""

    class_: str
    name: str
    line: int

    def breakage(self, path: str, message: str) -> Breakage:
        place = Place(path, self.line)
        return Breakage(place, self.class_, self.name, message)


@dataclass
class _AttributeUses:
    """The attributes that some texts use.

    Attributes:
        set_on_self: Attributes of `self` that methods set, `x` in `self.x = 1`, each
            with its first use.
        read_from_others: Attributes that are read from anything but a `config`.
        config_fields: Fields of configuration classes.
        read_from_config: Fields that are read from a `config`, `x` in `config.x`, each
            with its first use.
        read_from_self: Attributes of `self` that methods read, by class and name, each
            with its first use.
        read_counts: How often methods read them, by class and name.
        classes: The classes of the texts, by name.
    """

    set_on_self: dict[str, _AttributeUse]
    read_from_others: set[str]
    config_fields: set[str]
    read_from_config: dict[str, _AttributeUse]
    read_from_self: dict[tuple[str, str], _AttributeUse]
    read_counts: Counter[tuple[str, str]]
    classes: dict[str, ClassModel]

    @staticmethod
    def find(texts: Iterable[str]) -> "_AttributeUses":
        """Return the attributes that the classes in some texts set and read.

        With `self.size = config.depth` in a method, `size` is set on `self`, and `depth`
        is read from a `config`. Statements with a syntax error are skipped.
        """
        uses = _AttributeUses(
            set_on_self={},
            read_from_others=set(),
            config_fields=set(),
            read_from_config={},
            read_from_self={},
            read_counts=Counter(),
            classes={},
        )
        for text in texts:
            for statement in read("", text).block.statements:
                if statement.kind is Kind.CLASS:
                    uses._add_class(model_class(statement))
        return uses

    def has_attribute(self, class_name: str, name: str) -> bool:
        """Return whether a class, or a base class in the same texts, sets an attribute.

        The name may be in a string, as in `self.register_buffer("x", y)`.
        """
        for class_ in self._with_bases(class_name):
            if name in class_.members or name in class_.attributes:
                return True
            if name in facts_of(class_.statement).strings:
                return True
        return False

    def has_method(self, class_name: str, name: str) -> bool:
        """Return whether a class, or a base class in the same texts, defines a method."""
        for class_ in self._with_bases(class_name):
            if name in class_.members and class_.members[name].functions:
                return True
        return False

    def _with_bases(self, class_name: str) -> Iterator[ClassModel]:
        """Yield a class and its base classes in the same texts."""

        def bases_of(name: str) -> tuple[str, ...]:
            return self.classes[name].bases if name in self.classes else ()

        for name in walk([class_name], bases_of):
            if name in self.classes:
                yield self.classes[name]

    def _add_class(self, class_: ClassModel) -> None:
        """Add the attributes that a class uses and, of a `Config`, its fields."""
        is_config = class_.name.endswith("Config")
        if is_config:
            self._add_fields(class_)
        self.classes[class_.name] = class_
        self.read_from_others |= facts_of(class_.statement).unnamed_attributes
        for statement, mention in mentions_in_class(class_):
            line = statement.line + mention.line - 1
            self._add_mention(class_, mention, line, class_is_config=is_config)

    def _add_fields(self, config: ClassModel) -> None:
        """Add the names that the body of a configuration assigns."""
        for member in config.members.values():
            if member.kind in ATTRIBUTES:
                self.config_fields.add(member.name)

    def _add_mention(
        self, class_: ClassModel, mention: Mention, line: int, *, class_is_config: bool
    ) -> None:
        """Record the attributes that a class reads or sets in one place.

        Three cases count: `config.x` reads a field of a configuration, `y.x` reads any
        other attribute, of `self` or another object, and `self.x = 1` sets an attribute.

        Args:
            class_: The class.
            mention: The dotted name, such as `self.x`.
            line: Its line in the text.
            class_is_config: Whether the class is a configuration. If so, `self.x = 1`
                also gives the configuration a field `x`.
        """
        dotted = (mention.name, *mention.attributes)
        # `a.b.c = 1` sets `c` of `a.b`, and reads `b` of `a`.
        last_index = len(dotted) - 1
        for index, (owner, name) in enumerate(pairwise(dotted), start=1):
            use = _AttributeUse(class_.name, name, line)
            is_last = index == last_index
            is_set = is_last and mention.usage in BINDING_USAGES
            is_read = not is_last or mention.reads
            if is_read and owner == "config":
                self.read_from_config.setdefault(name, use)
            elif is_read:
                self.read_from_others.add(name)
            # `owner` is the first name, and not an attribute that is called `self`.
            is_of_self = index == 1 and owner == "self"
            if is_of_self and is_read:
                self.read_from_self.setdefault((class_.name, name), use)
                self.read_counts[class_.name, name] += 1
            if is_of_self and is_set:
                self.set_on_self.setdefault(name, use)
                if class_is_config:
                    self.config_fields.add(name)
