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
    """Yield the fix that writes a parent's method out under a private name, and calls it.

    There is none if the name of the method matters, or if the method uses `super()`
    itself, because then it would do something else in the modular file.

    Args:
        flat: The flattened class.
        use: The expression `super().method` in the class.
        place: Its place.
    """
    method = flat.inherited.get(use.method)
    if method is None or obstacle_to_keeping(method) or _SUPER in method.code.mask:
        return
    instance = next(iter(use.override.parameters), "")
    if not instance.isidentifier():
        return
    own_words = flat.parent.code.words()
    private_name = private_names(flat.parent.name, [use.method], own_words)[use.method]
    call = fixes.replace(place, f"{instance}.{private_name}")
    title = f"Write `{flat.parent.name}.{use.method}` out as `{private_name}`"
    if has_word(flat.child.code.mask, private_name):
        # The fix of another call has written the method.
        yield Fix(title, call.edits)
        return

    text = keep_method(method, private_name).code.text.strip("\n") + "\n"
    lead = use.override.lead.text
    if lead.startswith("\n"):
        text = f"\n{text}"
    else:
        text = f"{text}\n"
    insertion = fixes.make_insertion(use.override.code, 0, text)
    yield Fix(title, (insertion, *call.edits))
