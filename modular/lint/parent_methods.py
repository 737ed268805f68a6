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
    if parent_method is None:
        return
    has_decorator_that_needs_name = obstacle_to_keeping(parent_method) != ""
    # The mask is the code with strings and comments blanked out.
    uses_super = _SUPER in parent_method.code.mask
    if has_decorator_that_needs_name or uses_super:
        return
    # The first parameter, usually `self`. `*args` cannot stand for it.
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
    # The code of a method begins with its lead: the blank lines and comments above it.
    # The copy is inserted above the lead. If that begins with a blank line, this one
    # divides the two methods, and the copy needs another one above.
    lead = use.override.lead.text
    has_blank_line_above = lead.startswith("\n")
    if has_blank_line_above:
        inserted_text = f"\n{copy}"
    else:
        inserted_text = f"{copy}\n"
    insertion = fixes.make_insertion(use.override.code, 0, inserted_text)
    yield Fix(title, (insertion, *call.edits))
