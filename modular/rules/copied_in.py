"""Copied in: a file that must not import from a sibling (PIL from torchvision) has what it needs from there copied in.

The copy stands next to the statement that has the same position in its own file: before a class or function, behind
anything else.
"""

from collections.abc import Mapping

from modular.layout import Draft, Node
from modular.settings import Settings


def copy_in(drafts: Mapping[str, Draft], settings: Settings) -> None:
    """Replace the forbidden imports between the drafts of a model by copies."""
    for file_type, source_type in settings.copied_instead_of_imported.items():
        if file_type in drafts and source_type in drafts:
            _copy(drafts[source_type], drafts[file_type], settings)


def _copy(source: Draft, draft: Draft, settings: Settings) -> None:
    wanted = [name for name, file_type in draft.own_imports.items() if file_type == source.file_type]
    order = [node.name for node in source.in_order(settings.first_names)]
    for name in sorted((name for name in wanted if name in source.nodes), key=order.index):
        del draft.own_imports[name]
        _insert(draft, source.nodes[name], order.index(name), settings)


def _insert(draft: Draft, node: Node, position: int, settings: Settings) -> None:
    nodes = draft.in_order(settings.first_names)
    if position < len(nodes) and not nodes[position].is_definition:
        position += 1
    nodes.insert(position, Node(node.name, node.parts, node.is_definition))
    draft.nodes = {each.name: each for each in nodes}
    for place, each in enumerate(nodes):
        each.place = place
