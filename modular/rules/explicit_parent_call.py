"""Explicit parent calls: `Base.method(self, ...)` says: do not unravel, really call it. It becomes `super().method(...)`."""

import re

from modular.rules.bases import CHECKPOINTING_LAYER, PLAIN_MODULE
from modular.source.code import Code

_CALL = re.compile(r"(?<![\w.])([^\W\d]\w*(?:\.[^\W\d]\w*)*)\.([^\W\d]\w*)\((?:\s*self\s*(?:,\s*|(?=\))))?")
_PRETRAINED = "PreTrainedModel"


def replace_parent_calls(code: Code, bases: tuple[str, ...]) -> Code:
    """Return code in which explicit calls of one of the bases are calls of ``super()``."""
    callable_bases = set(bases)
    if CHECKPOINTING_LAYER in callable_bases:
        callable_bases.add(PLAIN_MODULE)
    if any(_PRETRAINED in base for base in bases):
        callable_bases.add(_PRETRAINED)
    edits = []
    for match in _CALL.finditer(code.mask):
        if match.group(1) in callable_bases:
            edits.append((match.start(), match.end(), f"super().{match.group(2)}("))
    return code.replace(edits) if edits else code


