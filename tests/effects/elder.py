"""A repository whose models inherit from `elder`, and changes of this parent."""

from pathlib import Path

from tests.repository import Repository, make


ELDER = """\
class ElderLeaf:
    size = 1

    def grow(self, by):
        return self.size + by

    def fall(self):
        return None
"""

OVERRIDING = """\
from ..elder.modeling_elder import ElderLeaf


class LoneLeaf(ElderLeaf):
    def grow(self, by):
        return by

    def rest(self):
        return self.fall()
"""

ELDER_PATH = "models/elder/modeling_elder.py"
LONE_PATH = "models/lone/modular_lone.py"


def make_elder(root: Path, lone: str = OVERRIDING) -> Repository:
    """Make a repository in which `young` and `grown` inherit all of `elder`.

    Args:
        root: Its folder, which does not exist yet.
        lone: The modular file of `lone`; by default it overrides `grow` and calls `fall`.
    """
    repository = make(root)
    repository.write({ELDER_PATH: ELDER, LONE_PATH: lone})
    repository.modular("convert")
    repository.commit()
    return repository


def edit(repository: Repository, old: str, new: str) -> None:
    """Replace some text of the parent file, which must be there."""
    text = repository.read(ELDER_PATH)
    assert old in text
    repository.write({ELDER_PATH: text.replace(old, new)})
