"""The names of the package and where they are: type checkers read it, and `__init__.py` to load a name when it is first used."""

from modular.effects.impact import Impact, impact
from modular.infer.infer import InferReport, infer_modular
from modular.infer.nearest import NearestReport, Neighbour, QueryResult, nearest
from modular.infer.overriding_rename import rename
from modular.provenance.blame import Blame, BlamedLine, BlameError, blame
from modular.provenance.generated_classes import ClassOrigin, GeneratedClass
from modular.provenance.where import Where, where
from modular.refactor.autofix import FixedFile, FixedModels, fix
from modular.refactor.rename import Rename
from modular.rules.files.drafts import Provenance
from modular.run.api import (
    FileReport,
    Options,
    Report,
    Status,
    check,
    convert,
    graph,
    trace,
)
from modular.scaffold.new_model import NewModel, NewModelError, new
from modular.scaffold.setup import InitReport, SetupFile, init
from modular.scaffold.setup_files import SetupError
from modular.source.diagnostics import Diagnostic, Edit, Fix, Place, Severity
from modular.system.errors import ModularError

__version__: str
__all__ = [
    "Blame",
    "BlameError",
    "BlamedLine",
    "ClassOrigin",
    "Diagnostic",
    "Edit",
    "FileReport",
    "Fix",
    "FixedFile",
    "FixedModels",
    "GeneratedClass",
    "Impact",
    "InferReport",
    "InitReport",
    "ModularError",
    "NearestReport",
    "Neighbour",
    "NewModel",
    "NewModelError",
    "Options",
    "Place",
    "Provenance",
    "QueryResult",
    "Rename",
    "Report",
    "SetupError",
    "SetupFile",
    "Severity",
    "Status",
    "Where",
    "__version__",
    "blame",
    "check",
    "convert",
    "fix",
    "graph",
    "impact",
    "infer_modular",
    "init",
    "nearest",
    "new",
    "rename",
    "trace",
    "where",
]
