"""modular: turns `modular_<model>.py` files into flat, single-file model code, and proves that what is committed matches.

The names below are loaded when they are first used, so that `import modular` costs nothing.
"""

from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from modular.provenance.blame import Blame, BlamedLine, BlameError, blame
    from modular.run.api import FileReport, Options, Report, Status, check, convert, trace

__version__ = "0.1.0"

__all__ = [
    "Blame",
    "BlameError",
    "BlamedLine",
    "FileReport",
    "Options",
    "Report",
    "Status",
    "__version__",
    "blame",
    "check",
    "convert",
    "trace",
]
_BLAMING = ("Blame", "BlameError", "BlamedLine", "blame")


def __getattr__(name: str) -> Any:
    if name in __all__:
        from importlib import import_module

        return getattr(import_module("modular.provenance.blame" if name in _BLAMING else "modular.run.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
