"""The autofix that writes a parent's method into the class that calls it by `super()`."""

from collections.abc import Callable, Iterator

from modular.flatten.merged_class import MergedClass
from modular.rules.classes.kept_methods import (
    keep_method,
    obstacle_to_keeping,
    private_names,
)
from modular.source import fixes
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Fix
from modular.source.source_slice import has_word


_SUPER = "super"


def write_out_parent_method(
    merged_class: MergedClass,
    override: DefinitionView,
    method: str,
    use_instead: Callable[[str], Fix | None],
) -> Iterator[Fix]:
    """Yield the fix that copies a parent's method into the child class, and calls the copy.

    It replaces `super().rotate` with `self._llama_rotate`, and inserts the parent's
    `rotate` under this name above the method that calls it. There is no fix if a
    decorator needs the method's name, or if the method uses `super()`, which would call
    something else from the child class.

    Args:
        merged_class: The child class, merged with its parent class.
        override: The method of the child class that uses the parent's method.
        method: The name of the parent's method.
        use_instead: Returns the fix that writes a text such as `self._llama_rotate` in
            place of the parent's method.
    """
    parent_method = merged_class.inherited.get(method)
    if parent_method is None:
        return
    has_decorator_that_needs_name = obstacle_to_keeping(parent_method) != ""
    # The masked text is the code with strings and comments blanked out.
    uses_super = _SUPER in parent_method.code.masked_text
    if has_decorator_that_needs_name or uses_super:
        return
    # The first parameter, usually `self`. `*args` cannot stand for it.
    instance = next(iter(override.parameters), "")
    if not instance.isidentifier():
        return

    parent_words = merged_class.parent.statement.words
    names = private_names(merged_class.parent.name, [method], parent_words)
    private_name = names[method]
    call = use_instead(f"{instance}.{private_name}")
    if call is None:
        return
    title = f"Write `{merged_class.parent.name}.{method}` out as `{private_name}`"
    if has_word(merged_class.child.code.masked_text, private_name):
        # The fix of another call has inserted the copy.
        yield Fix(title, call.edits)
        return

    copy = keep_method(parent_method, private_name).code.text.strip("\n") + "\n"
    # The code of a method begins with its lead: the blank lines and comments above it.
    # The copy is inserted above the lead. If the lead begins with a blank line, it
    # separates the two methods, and the copy needs another blank line above itself.
    lead = override.lead.text
    has_blank_line_above = lead.startswith("\n")
    if has_blank_line_above:
        inserted_text = f"\n{copy}"
    else:
        inserted_text = f"{copy}\n"
    insertion = fixes.make_insertion(override.code, 0, inserted_text)
    yield Fix(title, (insertion, *call.edits))
