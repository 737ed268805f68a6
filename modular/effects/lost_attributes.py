"""Finds attributes that a modular file sets or reads in vain after a change."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from modular.effects.breakage import Breakage
from modular.source.diagnostics import Place
from modular.source.source_slice import words


_WORD_AFTER_DOT = re.compile(r"\.\s*(\w+)")
"""Finds all attributes, and more: it spares parsing files that use none of them."""


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

    Args:
        modular_path: Path of the modular file.
        modular_text: Its text.
        old_texts: The texts that the modular file generated before the change.
        new_texts: The texts that the modular file generates after the change.
    """
    # Only a name in a removed line can be lost. This saves parsing most texts.
    removed_lines: set[str] = set()
    for old_text, new_text in zip(old_texts, new_texts, strict=True):
        if old_text != new_text:
            old_lines = set(old_text.split("\n"))
            removed_lines |= old_lines.difference(new_text.split("\n"))
    removed_words = words("\n".join(removed_lines))
    if removed_words.isdisjoint(_WORD_AFTER_DOT.findall(modular_text)):
        return
    modular = _AttributeUses.find([modular_text])
    if removed_words.isdisjoint({*modular.set_on_self, *modular.read_from_config}):
        return

    old = _AttributeUses.find(old_texts)
    new = _AttributeUses.find(new_texts)
    for name, use in modular.set_on_self.items():
        is_read_no_longer = name not in new.read_from_others
        if name in old.read_from_others and is_read_no_longer:
            yield use.breakage(
                modular_path, f"sets `{name}`, which nothing reads any more"
            )
    for name, use in modular.read_from_config.items():
        if name in old.config_fields and name not in new.config_fields:
            message = f"reads `config.{name}`, which the configuration no longer has"
            yield use.breakage(modular_path, message)


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
    """The attributes that some texts use, each with its first use.

    Attributes:
        set_on_self: Attributes of `self` that methods set: `x` in `self.x = 1`.
        read_from_others: Attributes that are read from anything but a `config`.
        config_fields: Fields of configuration classes.
        read_from_config: Fields that are read from a `config`: `x` in `config.x`.
    """

    set_on_self: dict[str, _AttributeUse]
    read_from_others: dict[str, _AttributeUse]
    config_fields: dict[str, _AttributeUse]
    read_from_config: dict[str, _AttributeUse]

    @staticmethod
    def find(texts: Iterable[str]) -> "_AttributeUses":
        """Return the attributes that the classes in some texts set and read.

        With `self.size = config.depth` in a method, `size` is set on `self`, and `depth`
        is read from a `config`. A text with a syntax error is skipped.
        """
        # Each maps the name of an attribute to its first use.
        uses = _AttributeUses(
            set_on_self={}, read_from_others={}, config_fields={}, read_from_config={}
        )
        for text in texts:
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                for statement in ast.parse(text).body:
                    if isinstance(statement, ast.ClassDef):
                        uses._add_class(statement)
        return uses

    def _add_class(self, class_: ast.ClassDef) -> None:
        """Add the attributes that a class uses, and its fields if it is a config."""
        is_config = class_.name.endswith("Config")
        if is_config:
            self._add_fields(class_)
        for node in ast.walk(class_):
            if isinstance(node, ast.Attribute):
                use = _AttributeUse(class_.name, node.attr, node.lineno)
                self._add_attribute(node, use, class_is_config=is_config)

    def _add_fields(self, config: ast.ClassDef) -> None:
        """Add the names that the body of a configuration assigns."""
        for statement in config.body:
            targets: list[ast.expr] = []
            if isinstance(statement, ast.AnnAssign):
                targets = [statement.target]
            elif isinstance(statement, ast.Assign):
                targets = statement.targets
            for target in targets:
                if isinstance(target, ast.Name):
                    use = _AttributeUse(config.name, target.id, target.lineno)
                    self.config_fields.setdefault(target.id, use)

    def _add_attribute(
        self, node: ast.Attribute, use: _AttributeUse, *, class_is_config: bool
    ) -> None:
        """Record that a class reads or sets an attribute, unless it is known already.

        Three cases count: `config.x` reads a field of a configuration, `y.x` reads any
        other attribute, and `self.x = 1` sets an attribute.

        Args:
            node: The attribute, such as `self.x`.
            use: The class, the name `x` and the line.
            class_is_config: Whether the class is a configuration. If so, `self.x = 1`
                also gives the configuration a field `x`.
        """
        name = node.attr
        is_read = isinstance(node.ctx, ast.Load)
        is_set = isinstance(node.ctx, ast.Store)
        is_of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
        if is_read and _names_a_config(node.value):
            self.read_from_config.setdefault(name, use)
        elif is_read:
            self.read_from_others.setdefault(name, use)
        elif is_set and is_of_self:
            self.set_on_self.setdefault(name, use)
            if class_is_config:
                self.config_fields.setdefault(name, use)


def _names_a_config(node: ast.expr) -> bool:
    """Return whether an expression is `config` or ends with `.config`."""
    if isinstance(node, ast.Name):
        return node.id == "config"
    return isinstance(node, ast.Attribute) and node.attr == "config"
