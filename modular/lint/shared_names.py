"""Names that mean another thing after the parent files were renamed and merged into one file."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from modular.flatten.outputs import OutputFile
from modular.lint.bases import module_paths
from modular.lint.rule import LintRule
from modular.rules.renamed_file import RenamedFile
from modular.source.code import has_word
from modular.source.definitions import Definition
from modular.source.diagnostics import Problem
from modular.source.import_statements import Import
from modular.source.parts import parts_of
from modular.source.places import place_of_module, place_of_word


class ConflictingFunctions(LintRule):
    """A class uses the function of another parent file than its parent class does.

    Parent files are merged into one output file, in which a name appears once. Where two of them define different functions of that
    name, and classes of both are inherited, one class silently gets the other's function.

    Use instead a function of the modular file that serves both, or override what calls it. Who imports the function from a parent
    file has chosen, and is not asked.

    Given `models/llama/modeling_llama.py`:

    ```python
    def attention(x):
        return x


    class LlamaAttention:
        def forward(self, x):
            return attention(x)
    ```

    Given `models/siglip/modeling_siglip.py`:

    ```python
    def attention(x):
        return -x


    class SiglipAttention:
        def forward(self, x):
            return attention(x)
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaAttention
    from ..siglip.modeling_siglip import SiglipAttention


    class OlmoAttention(LlamaAttention):
        pass


    class OlmoVisionAttention(SiglipAttention):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:9:7: `OlmoVisionAttention` uses the `attention` of `models/llama/modeling_llama.py` here, but its parent uses another one, of `models/siglip/modeling_siglip.py`
    hint: define `attention` here, so that it serves both, or name it in an override of `OlmoVisionAttention`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaAttention, attention
    from ..siglip.modeling_siglip import SiglipAttention


    class OlmoAttention(LlamaAttention):
        pass


    class OlmoVisionAttention(SiglipAttention):
        pass
    ```
    """

    code = Problem.CONFLICTING_FUNCTIONS
    message = "`{name}` uses the `{function}` of `{path}` here, but its parent uses another one, of `{other}`"
    hint = "define `{function}` here, so that it serves both, or name it in an override of `{name}`"

    def check(self) -> None:
        """Look at the functions of parent files that the modular file does not import itself, and at the classes that use them."""
        for draft in self.layout.drafts.values():
            for function, node in draft.nodes.items():
                origin = self.layout.parents.get(node.parts[0].code.path)
                if origin is not None and function not in self.modular.parent_of:
                    others = self._others(function, origin)
                    for name in sorted(draft.nodes.keys() & self.layout.flattened.keys()) if others else ():
                        self._check_class(name, function, origin, others)

    def _others(self, function: str, origin: RenamedFile) -> dict[str, Definition]:
        """The functions of that name of the other parent files, by their paths."""
        files = self.layout.parents if function in origin.definitions.functions else {}
        functions = {
            path: file.definitions.functions.get(function) for path, file in files.items() if file is not origin
        }
        return {path: other for path, other in functions.items() if other is not None}

    def _check_class(self, name: str, function: str, origin: RenamedFile, others: Mapping[str, Definition]) -> None:
        flat = self.layout.flattened[name]
        inherited = (part.code for part in flat.parts if not self.subject.is_own(part.code))
        user = next((code for code in inherited if has_word(code.mask, function)), None)
        other = others.get(user.path) if user is not None else None
        if user is not None and other and _meaning(origin.definitions.functions[function]) != _meaning(other):
            names = {"name": name, "function": function, "path": origin.source.module.path, "other": user.path}
            self.report(place_of_word(flat.own.header, name), related=place_of_word(user, function), **names)


def _meaning(function: Definition) -> tuple[Sequence[str], list[str]]:
    """What a function does: its parameters without annotations, and its statements without comments and docstring."""
    parts = parts_of(function.statement)
    return parts.parameters, [
        statement.own.normal() for statement in parts.body.statements if statement is not parts.docstring
    ]


class _Renamed(NamedTuple):
    """An import of a parent file from a file of another folder, and a name of it before and after the renaming."""

    path: str
    statement: Import
    original: str
    name: str


class RenamedImport(LintRule):
    """An import of a parent file is renamed to a name that its module does not have.

    A parent file is renamed as a whole, its imports too. What it imports from a module of the tree under a name that holds the model's
    is looked for there under the new one, and the import fails.

    Use instead an import of your own, under the name that the generated code uses.

    Given `utils.py`:

    ```python
    LLAMA_MEAN = 0.5
    ```

    Given `models/llama/processing_llama.py`:

    ```python
    from ...utils import LLAMA_MEAN


    class LlamaProcessor:
        mean = LLAMA_MEAN
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.processing_llama import LlamaProcessor


    class OlmoProcessor(LlamaProcessor):
        size = 4
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:8: `models/olmo/processing_olmo.py` imports `OLMO_MEAN` from `...utils`, which has `LLAMA_MEAN`: the import was renamed with its file
    hint: import it yourself: `from ...utils import LLAMA_MEAN as OLMO_MEAN`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ...utils import LLAMA_MEAN as OLMO_MEAN
    from ..llama.processing_llama import LlamaProcessor


    class OlmoProcessor(LlamaProcessor):
        size = 4
    ```
    """

    code = Problem.RENAMED_IMPORT
    message = "`{path}` imports `{name}` from `{source}`, which has `{original}`: the import was renamed with its file"
    hint = "import it yourself: `from {source} import {original} as {name}`"

    def check(self) -> None:
        """Look at the imports from other modules that are not there under the new name, but were under the old one."""
        renamed = list(self._renamed())
        for file in self.subject.files if renamed else ():
            for statement in self.subject.heads[file.file_type].imports:
                for alias in statement.names:
                    self._check_name(file, statement, alias.name, renamed)

    def _renamed(self) -> Iterator[_Renamed]:
        for path, parent in self.layout.parents.items():
            for statement in parent.source.module.imports:
                for original in (alias.name for alias in statement.names if statement.level != 1):
                    if (name := parent.renamer.word(original)) != original:
                        yield _Renamed(path, statement, original, name)

    def _check_name(self, file: OutputFile, statement: Import, name: str, renamed: Sequence[_Renamed]) -> None:
        for path, before, original, new_name in renamed:
            if new_name != name or before.source != statement.source:
                continue
            head = self.subject.heads[file.file_type]
            paths = module_paths(self.subject, head, statement.level, statement.module or "")
            module = next(filter(None, map(self.subject.read, paths)), None)
            if module is not None and original in module.code.words() and name not in module.code.words():
                imported = next(import_ for other, import_ in self.modular.model_imports if other == path)
                names = {"path": file.path, "name": name, "source": statement.source, "original": original}
                self.report(place_of_module(imported), related=place_of_module(before), **names)
                return
