"""Parent files that are renamed to another prefix than some class of the modular file says."""

from collections.abc import Iterator
from typing import Any

from modular.flatten.autofixes import one_prefix
from modular.lint.rule import LintRule
from modular.rules.names import prefixes
from modular.rules.names.prefixes import Prefix
from modular.rules.renamed_file import ParentSource
from modular.source.diagnostics import Problem
from modular.source.import_statements import Import
from modular.source.parts import parts_of
from modular.source.places import place_of_module, place_of_word


_REST = "everything else from that file is named `{chosen}...`; if that is wrong, "


class _PrefixRule(LintRule):
    """Looks at each parent file whose prefix was not clear."""

    def check(self) -> None:
        """Look at the prefix of each parent file."""
        for path, file in self.layout.parents.items():
            prefix = self.modular.prefix_of(file.source)
            if prefix.fell_back is not None or len(prefix.met) > 1:
                statement = next(import_ for parent, import_ in self.modular.model_imports if parent == path)
                self.check_prefix(prefix, file.source, statement)

    def check_prefix(self, prefix: Prefix, source: ParentSource, statement: Import) -> None:
        """Look at a prefix that was chosen for a parent file, which a statement imports first."""


class MixedPrefixes(_PrefixRule):
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
    message = "the classes that inherit from `{path}` use more than one prefix, {met}: `{chosen}` is used"
    hint = _REST + "give the classes that inherit from it one prefix"

    def check_prefix(self, prefix: Prefix, source: ParentSource, statement: Import) -> None:
        """Report the first class with another prefix than was chosen."""
        if prefix.fell_back is None:
            other = dict(self._with_prefix(prefix.chosen, source))
            first = next(iter(other))
            self.report(
                place_of_word(parts_of(self.modular.definitions.classes[first].statement).header, first),
                *one_prefix(self.modular, other),
                related=place_of_module(statement),
                **_names(prefix, source),
            )

    def _with_prefix(self, chosen: str, source: ParentSource) -> Iterator[tuple[str, str]]:
        """The classes with another prefix, with what they would be called with the chosen one; nothing if ambiguous."""
        spellings = (self.modular.cased, source.spelling.cased)
        for name, parent in self.modular.children_of(source.module.path):
            if prefixes.of_class(name, parent, *spellings) not in (chosen, None):
                yield name, prefixes.with_prefix(name, parent, chosen, *spellings)


class PrefixFallback(_PrefixRule):
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
    message = "`{path}` has classes of its own that begin like the prefix `{fell_back}` (of {met}): `{chosen}` is used"
    hint = _REST + "define those classes too, under the names that they should have"

    def check_prefix(self, prefix: Prefix, source: ParentSource, statement: Import) -> None:
        """Report the import of a parent file whose prefix fell back."""
        if prefix.fell_back is not None:
            self.report(place_of_module(statement), fell_back=prefix.fell_back, **_names(prefix, source))


def _names(prefix: Prefix, source: ParentSource) -> dict[str, Any]:
    met = ", ".join(f"`{name}`" for name in prefix.met)
    return {"path": source.module.path, "chosen": prefix.chosen, "met": met}
