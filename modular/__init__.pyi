"""The names of the package and where they are: type checkers read it, and `__init__.py` to load a name when it is first used."""

from modular.effects.impact import Impact, impact
from modular.infer.infer import infer_modular
from modular.provenance.blame import Blame, BlamedLine, BlameError, blame
from modular.provenance.where import Where, where
from modular.refactor.rename import RenameEdits, rename
from modular.rules.files.drafts import Provenance
from modular.run.api import (
    FileReport,
    Options,
    Report,
    Status,
    check,
    convert,
    graph,
    stats,
    trace,
)
from modular.source.diagnostics import Diagnostic, Place, Severity
from modular.system.errors import ModularError

__version__: str
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
