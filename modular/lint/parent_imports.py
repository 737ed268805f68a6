"""Names that their parent file does not have: another one has them, or it spells them otherwise."""

from modular.lint.rule import LintRule
from modular.source import fixes
from modular.source.diagnostics import Problem
from modular.source.places import place_of_word


class WrongParentFile(LintRule):
    """A name is imported from the wrong parent file.

    The file does not have the name, but another parent file of the same modular file does. No class inherits from it, so nothing
    is wrong with the result; but the import says something untrue.

    Use instead an import from the file that has the name.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP, LlamaMLP
    from ..llama.modeling_llama import LlamaModel


    class OlmoMLP(SiglipMLP):
        pass


    class OlmoModel(LlamaModel):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:49: `models/siglip/modeling_siglip.py` has no `LlamaMLP`
    hint: import it from `models/llama/modeling_llama.py`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP
    from ..siglip.modeling_siglip import SiglipMLP
    from ..llama.modeling_llama import LlamaModel


    class OlmoMLP(SiglipMLP):
        pass


    class OlmoModel(LlamaModel):
        pass
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP
    from ..llama.modeling_llama import LlamaModel


    class OlmoMLP(SiglipMLP):
        pass


    class OlmoModel(LlamaModel):
        pass
    ```
    """

    code = Problem.WRONG_PARENT_FILE
    message = "`{path}` has no `{name}`"
    hint = "import it from `{other}`"

    def check(self) -> None:
        """Look at the names that their parent file does not have, but another one has."""
        names = {path: file.source.names for path, file in self.layout.parents.items()}
        sources = {path: statement.source for path, statement in reversed(self.modular.model_imports)}
        for path, statement in self.modular.model_imports:
            for name in (alias.name for alias in statement.names if alias.name not in names[path]):
                other = next((parent for parent in names if name in names[parent]), None)
                if other is None:
                    continue
                moved = fixes.import_from(statement, {name: sources[other]})._replace(is_safe=True)
                self.report(place_of_word(statement.statement.own, name), moved, path=path, name=name, other=other)


class RespelledParent(LintRule):
    """A parent class is spelled with other capitals than in its file.

    A parent's name is looked up as it is after the parent file was renamed for the new model. There `LLamaMLP` and `LlamaMLP` are
    the same class, so it is inherited from; but somebody who looks for the name in the parent file does not find it.

    Use instead the name as the parent file spells it.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LLamaMLP


    class OlmoMLP(LLamaMLP):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:36: `models/llama/modeling_llama.py` has no `LLamaMLP`: `LlamaMLP` is inherited from, which is the same after renaming
    hint: write `LlamaMLP`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        pass
    ```
    """

    code = Problem.RESPELLED_PARENT
    message = "`{path}` has no `{name}`: `{written}` is inherited from, which is the same after renaming"
    hint = "write `{written}`"

    def check(self) -> None:
        """Look at the parent classes that their file does not have under that name."""
        for path, statement in self.modular.model_imports:
            source = self.layout.parents[path].source
            for name in (alias.name for alias in statement.names if alias.bound in self.modular.base_names):
                if name not in source.names and (written := source.spelled_otherwise(name)):
                    renamed = fixes.rename(self.modular.module.code, name, written)._replace(is_safe=True)
                    place = place_of_word(statement.statement.own, name)
                    self.report(place, renamed, path=path, name=name, written=written)
