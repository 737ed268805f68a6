"""The autofix that writes a parent's method into the class that calls it by `super()`."""

from collections.abc import Iterator

from modular.flatten.flattened import Flattened
from modular.lint.calls import SuperUse
from modular.rules.classes.kept_methods import (
    keep_method,
    obstacle_to_keeping,
    private_names,
)
from modular.source import fixes
from modular.source.diagnostics import Fix, Place
from modular.source.source_slice import has_word


_SUPER = "super"


def write_out_parent_method(
    flat: Flattened, use: SuperUse, place: Place
) -> Iterator[Fix]:
    """Yield the fix that copies a parent's method into the child class, and calls the copy.

    It replaces `super().rotate` by `self._llama_rotate`, and inserts the parent's
    `rotate` under this name above the method that calls it. There is no fix if a
    decorator needs the method's name, or if the method uses `super()`, which would call
    something else from the child class.

    Args:
        flat: The child class, merged with its parent class.
        use: The expression `super().method` in a method of the child class.
        place: Its place.
    """
    parent_method = flat.inherited.get(use.method)
    if parent_method is None or obstacle_to_keeping(parent_method):
        return
    if _SUPER in parent_method.code.mask:
        return
    # The first parameter of a method is `self`. `*args` cannot stand for it.
    instance = next(iter(use.override.parameters), "")
    if not instance.isidentifier():
        return

    parent_words = flat.parent.code.words()
    names = private_names(flat.parent.name, [use.method], parent_words)
    private_name = names[use.method]
    call = fixes.replace(place, f"{instance}.{private_name}")
    title = f"Write `{flat.parent.name}.{use.method}` out as `{private_name}`"
    if has_word(flat.child.code.mask, private_name):
        # The fix of another call has inserted the copy.
        yield Fix(title, call.edits)
        return

    copy = keep_method(parent_method, private_name).code.text.strip("\n") + "\n"
    # The copy is inserted above the blank lines and comments of the calling method. A
    # blank line there divides the two methods, and the copy needs another one above.
    has_blank_line_above = use.override.lead.text.startswith("\n")
    text = f"\n{copy}" if has_blank_line_above else f"{copy}\n"
    insertion = fixes.make_insertion(use.override.code, 0, text)
    yield Fix(title, (insertion, *call.edits))
