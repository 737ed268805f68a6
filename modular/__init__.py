"""modular: turns `modular_<model>.py` files into flat, single-file model code, and proves that what is committed matches.

The names below are loaded when they are first used, so that `import modular` costs nothing.
"""

from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from modular.infer.infer import infer as infer_modular
    from modular.provenance.blame import Blame, BlamedLine, BlameError, blame
    from modular.provenance.where import Where, where
    from modular.refactor.rename import RenameEdits, rename
    from modular.review.impact import Impact, impact
    from modular.rules.drafts import Provenance
    from modular.run.api import FileReport, Options, Report, Status, check, convert, graph, stats, trace
    from modular.source.diagnostics import Diagnostic, Place, Severity
    from modular.source.errors import ModularError

__version__ = "0.1.0"

__all__ = [
    "Blame",
    "BlameError",
    "BlamedLine",
    "Diagnostic",
    "FileReport",
    "Impact",
    "ModularError",
    "Options",
    "Place",
    "RenameEdits",
    "Report",
    "Severity",
    "Status",
    "Provenance",
    "Where",
    "__version__",
    "blame",
    "check",
    "convert",
    "graph",
    "impact",
    "infer_modular",
    "rename",
    "stats",
    "trace",
    "where",
]
_MODULES = {
    "modular.infer.infer": ("infer_modular",),
    "modular.provenance.blame": ("Blame", "BlameError", "BlamedLine", "blame"),
    "modular.provenance.where": ("Where", "where"),
    "modular.refactor.rename": ("RenameEdits", "rename"),
    "modular.review.impact": ("Impact", "impact"),
    "modular.rules.drafts": ("Provenance",),
    "modular.run.api": ("FileReport", "Options", "Report", "Status", "check", "convert", "graph", "stats", "trace"),
    "modular.source.diagnostics": ("Diagnostic", "Place", "Severity"),
    "modular.source.errors": ("ModularError",),
}
"""Where the names are; `infer_modular` is called `infer` there, which is a package here."""


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(module), name.removesuffix("_modular"))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
