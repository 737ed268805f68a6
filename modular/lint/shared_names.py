"""Names and prefixes that mean another thing after the parent files were renamed and merged into one file."""

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from modular.flatten.autofixes import share_prefix
from modular.flatten.flattened import Flattened
from modular.lint.bases import module_paths
from modular.lint.rule import LintRule
from modular.rules.names import prefixes
from modular.rules.names.prefixes import PrefixChoice
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import ParentSource, RenamedFile
from modular.source.definition_view import view_definition
from modular.source.definitions import ModuleBinding
from modular.source.diagnostics import Place, Problem
from modular.source.import_statements import Import
from modular.source.module import Module
from modular.source.places import place_of_module, place_of_word
from modular.source.reads import assigned
from modular.source.trees import parse, plainly, statement_tree, walk


class ConflictingFunctions(LintRule):
    """A class uses the function of another parent file than its parent class does.

    Parent files are merged into one output file, in which a name appears once. Where two of them define different functions of that
    name, and classes of both are inherited, one class silently gets the other's function.

    Use instead a function of the modular file that serves both, or override what calls it. A modular file that imports the function
    from a parent file has made its choice, and is not reported. Neither is a class that sets an attribute that only the function
    which it gets reads: its author knows of the difference.

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
            for function, node in draft.statements.items():
                origin = self.layout.parents.get(node.parts[0].code.path)
                if origin is not None and function not in self.modular.parent_of:
                    others = self._others(function, origin)
                    for name in (
                        sorted(draft.statements.keys() & self.layout.flattened.keys())
                        if others
                        else ()
                    ):
                        self._check_class(name, function, origin, others)

    def _others(self, function: str, origin: RenamedFile) -> dict[str, ModuleBinding]:
        """The functions of that name of the other parent files, by their paths."""
        files = (
            self.layout.parents.items()
            if function in origin.definitions.functions
            else ()
        )
        others = (
            (path, file.definitions.functions)
            for path, file in files
            if file is not origin
        )
        return {
            path: functions[function]
            for path, functions in others
            if function in functions
        }

    def _check_class(
        self,
        name: str,
        function: str,
        origin: RenamedFile,
        others: Mapping[str, ModuleBinding],
    ) -> None:
        flat = self.layout.flattened[name]
        inherited = (
            part.code
            for part in flat.parts
            if not self.context.is_from_modular(part.code)
        )
        user = next(
            (
                code
                for code in inherited
                if function in code.mask and function in code.words()
            ),
            None,
        )
        if user is None or user.path not in others:
            return
        chosen, replaced = origin.definitions.functions[function], others[user.path]
        if _meaning(chosen) != _meaning(replaced) and not _is_adapted(
            flat, chosen, replaced
        ):
            names = {
                "name": name,
                "function": function,
                "path": origin.source.module.path,
                "other": user.path,
            }
            self.report(
                place_of_word(flat.child.header, name),
                related=place_of_word(user, function),
                **names,
            )


def _meaning(function: ModuleBinding) -> tuple[Sequence[str], list[str]]:
    """What a function does: its parameters without annotations, and its statements without comments and docstring."""
    parts = view_definition(function.statement)
    return parts.parameters, [
        statement.own.normal()
        for statement in parts.body.statements
        if statement is not parts.docstring
    ]


def _is_adapted(
    flat: Flattened, chosen: ModuleBinding, replaced: ModuleBinding
) -> bool:
    """Whether a class sets an attribute that only the chosen function reads, so that its author knows of the difference."""
    read = _attributes_read(chosen) - _attributes_read(replaced)
    if not read:
        return False
    if read & flat.attributes.keys():
        return True
    for method in flat.overriding.values():
        for statement in method.body.statements:
            for node in walk(statement_tree(statement).node):
                for target in assigned(node):
                    if plainly(target) in {f"self.{name}" for name in read}:
                        return True
    return False


def _attributes_read(function: ModuleBinding) -> set[str]:
    """Return the names of the attributes that a function reads of its parameters."""
    view = view_definition(function.statement)
    parameters = {name.lstrip("*") for name in view.parameters}
    attributes = set[str]()
    for node in walk(parse(function.statement.own).node):
        match node:
            case cst.Attribute(
                value=cst.Name(value=parameter), attr=cst.Name(value=attribute)
            ) if parameter in parameters:
                attributes.add(attribute)
    return attributes


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
        renamed: dict[tuple[str, str], tuple[str, Import, str]] = {}
        for path, parent in self.layout.parents.items():
            for statement in parent.source.module.imports:
                for original in (
                    alias.name for alias in statement.names if statement.level != 1
                ):
                    if (name := parent.renamer.word(original)) != original:
                        renamed.setdefault(
                            (statement.source, name), (path, statement, original)
                        )
        for head in self.context.heads.values() if renamed else ():
            for source, name in [
                (import_.source, alias.name)
                for import_ in head.imports
                for alias in import_.names
            ]:
                if (source, name) in renamed:
                    self._check_name(head, name, *renamed[source, name])

    def _check_name(
        self, head: Module, name: str, path: str, statement: Import, original: str
    ) -> None:
        paths = module_paths(
            self.context, head, statement.level, statement.module or ""
        )
        module = next(filter(None, map(self.context.read, paths)), None)
        words = set() if module is None else module.code.words()
        if original in words and name not in words:
            imported = next(
                import_
                for other, import_ in self.modular.model_imports
                if other == path
            )
            names = {
                "path": head.path,
                "name": name,
                "source": statement.source,
                "original": original,
            }
            self.report(
                place_of_module(imported), related=place_of_module(statement), **names
            )


_REST = (
    "everything else from that file is named `{prefix.chosen}...`; if that is wrong, "
)


class MixedPrefixes(LintRule):
    """The classes that inherit from a file use more than one prefix.

    A parent file is renamed as a whole, to the prefix that the modular's classes use for it: `OlmoTextMLP(LlamaMLP)`
    turns `Llama` into `OlmoText`. Where they use several, the most frequent is taken, and all else that comes from the
    file is named by it.

    Use instead one prefix for all classes that inherit from the file.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP, LlamaModel


    class OlmoTextMLP(LlamaMLP):
        pass


    class OlmoModel(LlamaModel):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:4:7: the classes that inherit from `models/llama/modeling_llama.py` use more than one prefix, `OlmoText`, `Olmo`: `Olmo` is used
    hint: everything else from that file is named `Olmo...`; if that is wrong, give the classes that inherit from it one prefix
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP, LlamaModel


    class OlmoMLP(LlamaMLP):
        pass


    class OlmoModel(LlamaModel):
        pass
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP, LlamaModel


    class OlmoTextMLP(LlamaMLP):
        pass


    class OlmoTextModel(LlamaModel):
        pass
    ```
    """

    code = Problem.MIXED_PREFIXES
    message = "the classes that inherit from `{path}` use more than one prefix, {met}: `{prefix.chosen}` is used"
    hint = _REST + "give the classes that inherit from it one prefix"

    def check(self) -> None:
        """Check the prefix of each parent file, and report the first class with another one."""
        for path, file in self.layout.parents.items():
            prefix = self.modular.choose_prefix(file.source)
            if prefix.rejected is not None or len(prefix.candidates) < 2:
                continue
            new_names = dict(self._with_prefix(prefix.chosen, file.source))
            first = next(iter(new_names))
            statement = self.modular.definitions.classes[first].statement
            self.report(
                place_of_word(view_definition(statement).header, first),
                *share_prefix(self.modular, new_names),
                related=_place_of_import(self.modular, path),
                path=path,
                prefix=prefix,
                met=_listed_candidates(prefix),
            )

    def _with_prefix(
        self, chosen: str, source: ParentSource
    ) -> Iterator[tuple[str, str]]:
        """Yield each class with another prefix, and its name with the chosen one; an empty name if that is ambiguous."""
        spellings = (self.modular.cased, source.name_forms.cased)
        for name, parent in self.modular.children_of(source.module.path):
            if prefixes.class_prefix(name, parent, *spellings) not in (chosen, None):
                yield name, prefixes.with_prefix(name, parent, chosen, *spellings)


class PrefixFallback(LintRule):
    """A prefix falls back to the model's name.

    The prefix would be `OlmoVision`, but the parent file has classes of its own that begin like it, here `SiglipVisionMLP`: they
    would be mixed up with those that are renamed to it. So the file is renamed to the model's own name.

    Use the model's name as the prefix or, where another one is meant, define the other classes too, under their names.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP


    class OlmoVisionMLP(SiglipMLP):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:8: `models/siglip/modeling_siglip.py` has classes of its own that begin like the prefix `OlmoVision` (of `OlmoVision`): `Olmo` is used
    hint: everything else from that file is named `Olmo...`; if that is wrong, define those classes too, under the names that they should have
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipVisionMLP


    class OlmoVisionMLP(SiglipVisionMLP):
        pass
    ```
    """

    code = Problem.PREFIX_FALLBACK
    message = "`{path}` has classes of its own that begin like the prefix `{prefix.rejected}` (of {met}): `{prefix.chosen}` is used"
    hint = _REST + "define those classes too, under the names that they should have"

    def check(self) -> None:
        """Check the prefix of each parent file, and report the import of a file whose classes have it already."""
        for path, file in self.layout.parents.items():
            prefix = self.modular.choose_prefix(file.source)
            if prefix.rejected is not None:
                self.report(
                    _place_of_import(self.modular, path),
                    path=path,
                    prefix=prefix,
                    met=_listed_candidates(prefix),
                )


def _place_of_import(modular: ModularFile, path: str) -> Place:
    """Return the place of the first import of a parent file."""
    imports = (
        import_ for parent_path, import_ in modular.model_imports if parent_path == path
    )
    return place_of_module(next(imports))


def _listed_candidates(prefix: PrefixChoice) -> str:
    return ", ".join(f"`{name}`" for name in prefix.candidates)
