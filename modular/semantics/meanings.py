"""What a name can mean: values that tell one object from another.

`modular.semantics.resolver` finds them.
"""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from modular.source.blocks import Kind


class QualifiedName(NamedTuple):
    """A class or function at module level: the path of its file, and its name."""

    path: str
    name: str


@dataclass(frozen=True)
class Definition:
    """A name that a file of the project, or of its source library, binds at module level.

    Attributes:
        path: The path of the file.
        name: The name.
        kind: `CLASS`, `FUNCTION`, or `ASSIGNMENT` for a name that is bound otherwise.
    """

    path: str
    name: str
    kind: Kind

    @property
    def is_class(self) -> bool:
        """Whether it is a class."""
        return self.kind is Kind.CLASS


@dataclass(frozen=True)
class ImportedModule:
    """A module or package of the project or of its source library.

    Attributes:
        path: The path of its file, which is `__init__.py` for a package.
    """

    path: str


@dataclass(frozen=True)
class ForeignName:
    """A name that is imported from a module without a file in the project.

    Attributes:
        dotted_name: The module and the name in it, such as `torch.nn.Module`. It is the
            name of the module if the module itself is imported.
    """

    dotted_name: str


@dataclass(frozen=True)
class Builtin:
    """A name that Python itself defines, such as `print` or `object`."""

    name: str


class Reason(Enum):
    """Why the meaning of a name is unknown."""

    NOT_BOUND = "no statement binds it"
    DELETED = "a statement deletes it"
    AMBIGUOUS = "several statements may bind it"
    STAR_IMPORT = "an import of all names may bind it"
    ATTRIBUTE = "it is an attribute of an object"
    NO_FILE = "its file does not exist or cannot be read"
    CYCLE = "files import it from each other"
    EXPRESSION = "it is not a dotted name"
    NOT_A_CLASS = "it is not a class statement"
    FOREIGN = "its code is in no file of the project"
    INCONSISTENT = "Python cannot order the bases"
    TOO_DEEP = "it inherits from too many classes"


@dataclass(frozen=True)
class Unknown:
    """A name whose meaning cannot be told.

    Attributes:
        name: The name, as the code writes it.
        path: The file in which the search ended.
        reason: Why it ended.
        candidates: What the name may mean, if the reason is `AMBIGUOUS`.
    """

    name: str
    path: str
    reason: Reason
    candidates: tuple["Meaning", ...] = ()


Meaning: TypeAlias = Definition | ImportedModule | ForeignName | Builtin | Unknown
"""What a name means, or why that is unknown."""


class Sameness(Enum):
    """Whether two meanings are the same."""

    OBJECT = "they are one object"
    CODE = "their code is equal, and all names in it mean the same"
    DIFFERENT = "they are different"
    UNKNOWN = "that is unknown"
