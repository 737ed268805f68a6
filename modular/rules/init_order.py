"""Order in a merged body: `self.post_init()` comes last, `super().__init__()` first."""

from collections.abc import Sequence

from modular.source.blocks import Statement

_POST_INIT = "self.post_init("
_SUPER_INIT = "super().__init__"


def post_init_last(body: Sequence[Statement]) -> list[Statement]:
    """Move the first statement with a call of `self.post_init` to the very end."""
    for index, statement in enumerate(body):
        if _POST_INIT in statement.own.bare():
            return [*body[:index], *body[index + 1 :], statement]
    return list(body)


def super_init_first(body: Sequence[Statement], parent: Sequence[Statement]) -> list[Statement]:
    """Move the first statement with `super().__init__` to the front, unless the parent has one further down.

    Neither body holds its docstring.
    """
    if any(_SUPER_INIT in statement.own.bare() for statement in parent[1:]):
        return list(body)
    for index, statement in enumerate(body):
        if _SUPER_INIT in statement.own.bare():
            return [statement, *body[:index], *body[index + 1 :]]
    return list(body)
