"""What an editor can ask about a file, each answered by the file of its feature."""

from modular.lsp import actions, commands, completion, definitions, hover, references, symbols
from modular.lsp import protocol as lsp
from modular.lsp.command_names import GO_TO_ORIGIN, SHOW_REFERENCES
from modular.lsp.documents import Coordinates, Spot
from modular.lsp.workspace import Workspace
from modular.source.blocks import Kind
from modular.source.diagnostics import Place


_SYMBOLS = {
    Kind.CLASS: lsp.SymbolKind.Class,
    Kind.FUNCTION: lsp.SymbolKind.Function,
    Kind.ASSIGNMENT: lsp.SymbolKind.Variable,
}
_COMPLETIONS = {
    "model": lsp.CompletionItemKind.Module,
    "file": lsp.CompletionItemKind.File,
    "class": lsp.CompletionItemKind.Class,
    "function": lsp.CompletionItemKind.Function,
    "name": lsp.CompletionItemKind.Variable,
    "attribute": lsp.CompletionItemKind.Field,
}


class Questions:
    """What can be asked about one file of a project, with the editor's places."""

    def __init__(self, workspace: Workspace, path: str, at: Coordinates) -> None:
        self._workspace = workspace
        self._path = path
        self._at = at

    def is_modular(self) -> bool:
        """Whether it is a modular file."""
        return self._workspace.is_modular(self._path)

    def target(self) -> commands.Target | None:
        """What is to be converted, if it belongs to a model."""
        return commands.target(self._workspace, self._path)

    def definition(self, position: lsp.Position) -> lsp.Location | None:
        """Where that is defined what the cursor is on."""
        return self._location(definitions.definition(self._workspace, self._path, self._spot(position)))

    def hover(self, position: lsp.Position) -> lsp.Hover | None:
        """What comes out of what the cursor is on."""
        text = hover.hover(self._workspace, self._path, self._spot(position))
        return None if text is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))

    def references(self, position: lsp.Position) -> list[lsp.Location]:
        """Who takes what the cursor is on."""
        places = references.references(self._workspace, self._path, self._spot(position))
        return [self._at.location(self._workspace.project, place) for place in places]

    def completions(self, position: lsp.Position) -> list[lsp.CompletionItem]:
        """What may stand at the cursor."""
        found = completion.completion(self._workspace, self._path, self._spot(position))
        return [lsp.CompletionItem(each.name, kind=_COMPLETIONS[each.kind], detail=each.detail) for each in found]

    def needs_all(self, span: lsp.Range) -> bool:
        """Whether all modular files have to be read to say what can be done about some lines."""
        return actions.need_all(self._workspace, self._path, span)

    def actions(self, span: lsp.Range) -> list[lsp.CodeAction]:
        """What can be done about some lines."""
        return actions.actions(self._workspace, self._path, span, self._at)

    def lenses(self) -> list[lsp.CodeLens]:
        """Who inherits from its classes, and where a generated file comes from."""
        uri, found = self._at.uri(self._workspace.project, self._path), []
        if (modular := self._workspace.generator(self._path)) is not None:
            top = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
            title = f"generated from {modular.rpartition('/')[2]}: go there"
            found.append(lsp.CodeLens(top, lsp.Command(title, GO_TO_ORIGIN, arguments=[uri, 0])))
        for each in references.lenses(self._workspace, self._path):
            span = self._at.range(each.place)
            places = [self._at.location(self._workspace.project, use.place) for use in each.uses]
            command = lsp.Command(each.title, SHOW_REFERENCES, arguments=[uri, span.start, places])
            found.append(lsp.CodeLens(span, command))
        return found

    def outline(self) -> list[lsp.DocumentSymbol]:
        """Its classes, functions and assignments."""
        return [self._symbol(each) for each in symbols.symbols(self._workspace, self._path)]

    def origin(self, line: int) -> lsp.Location | None:
        """Where a line (from 0) of a generated file comes from; the modular file itself for what the tool made."""
        modular = self._workspace.generator(self._path)
        if modular is None:
            return None
        place = definitions.definition(self._workspace, self._path, Spot(line + 1, 1))
        return self._location(place or Place(modular))

    def _spot(self, position: lsp.Position) -> Spot:
        return self._at.spot(self._workspace.lines(self._path), position)

    def _location(self, place: Place | None) -> lsp.Location | None:
        return None if place is None else self._at.location(self._workspace.project, place)

    def _symbol(self, symbol: symbols.Symbol) -> lsp.DocumentSymbol:
        name = self._at.range(symbol.place)
        last = lsp.Position(symbol.last_line, 0)
        first = min(name.start, lsp.Position(symbol.first_line - 1, 0))
        members = [self._symbol(each) for each in symbol.members]
        return lsp.DocumentSymbol(symbol.name, _SYMBOLS[symbol.kind], lsp.Range(first, last), name, children=members)
