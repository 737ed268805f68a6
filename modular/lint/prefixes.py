"""A lint rule for the prefixes to which parent files are renamed."""

from modular.flatten.autofixes import share_prefix
from modular.lint.rule import LintRule, Precision
from modular.rules.names import prefixes
from modular.rules.reading.renamed_file import ParentSource
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Problem
from modular.source.places import place_of_word


_REJECTED = (
    "`{prefix.rejected}` cannot be used as prefix for the classes of `{path}`, because that "
    "file already has classes with this prefix; `{prefix.chosen}` is used instead"
)


class MixedPrefixes(LintRule):
    """The classes that inherit from one parent file use different prefixes.

    Some generated classes may not have the names that you expect. In the example,
    `OlmoTextMLP(LlamaMLP)` replaces `Llama` by `OlmoText`, but `OlmoModel(LlamaModel)`
    replaces it by `Olmo`. For everything else that modular copies from Llama's file, it
    must choose one of these two prefixes. It chooses the prefix that most of your
    classes have. If both prefixes are equally frequent, it chooses the model's name,
    `Olmo`.

    modular also chooses the model's name if names with another prefix could be mistaken
    for other classes of the parent file. For example, Siglip's file has the classes
    `SiglipMLP` and `SiglipVisionMLP`. With the prefix `OlmoVision`, modular would
    rename `SiglipMLP` to `OlmoVisionMLP`. Readers would take this name for the new name
    of `SiglipVisionMLP`.

    Use one prefix for all classes that inherit from the same parent file. If you want a
    different prefix for a class that modular copies from this file, define the class in
    the modular file.

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
    hint: everything else from that file is named `Olmo...`; to change this, give the classes that inherit from it one prefix
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

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipMLP


    class OlmoVisionMLP(SiglipMLP):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:8: `OlmoVision` cannot be used as prefix for the classes of `models/siglip/modeling_siglip.py`, because that file already has classes with this prefix; `Olmo` is used instead
    hint: to choose other names, define those classes yourself
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..siglip.modeling_siglip import SiglipVisionMLP


    class OlmoVisionMLP(SiglipVisionMLP):
        pass
    ```
    """

    code = Problem.MIXED_PREFIXES
    precision = Precision(findings=92, real=0)
    message = (
        "the classes that inherit from `{path}` use more than one prefix, {candidates}: "
        "`{prefix.chosen}` is used"
    )
    hint = (
        "everything else from that file is named `{prefix.chosen}...`; to change this, "
        "give the classes that inherit from it one prefix"
    )

    def check(self) -> None:
        """Report each parent file whose children have different prefixes.

        `OlmoTextMLP(LlamaMLP)` has the prefix `OlmoText`, and `OlmoModel(LlamaModel)`
        has `Olmo`. modular chooses the most frequent prefix, such as `Olmo`. If the
        parent file has classes with this prefix already, it chooses another one.
        """
        for path, file in self.layout.parents.items():
            # The chosen prefix, and the others that it was chosen from.
            choice = self.modular.choose_prefix(file.source)
            if choice.rejected is not None:
                self.report(
                    self.modular.place_of_import(path),
                    message=_REJECTED,
                    hint="to choose other names, define those classes yourself",
                    path=path,
                    prefix=choice,
                )
            elif len(choice.candidates) > 1:
                self._report_children(path, file.source, choice)

    def _report_children(
        self, path: str, source: ParentSource, choice: prefixes.PrefixChoice
    ) -> None:
        """Report the first class without the chosen prefix, as `OlmoTextMLP` for `Olmo`.

        The fix renames all such classes.
        """
        # `{"OlmoTextMLP": "OlmoMLP"}`
        new_names = self._find_new_names(choice.chosen, source)
        first_class, *_ = new_names
        statement = self.modular.definitions.classes[first_class].statement
        autofixes = share_prefix(self.modular, new_names)
        self.report(
            place_of_word(view_definition(statement).header, first_class),
            *autofixes,
            related=self.modular.place_of_import(path),
            path=path,
            prefix=choice,
            candidates=", ".join(f"`{name}`" for name in choice.candidates),
        )

    def _find_new_names(self, prefix: str, source: ParentSource) -> dict[str, str]:
        """Return new names for the classes that have another prefix than a given one.

        For the prefix `Olmo` and the class `OlmoTextMLP(LlamaMLP)`, the result is
        `{"OlmoTextMLP": "OlmoMLP"}`.

        Args:
            prefix: The prefix that all classes should have.
            source: The parent file that the classes inherit from.

        Returns:
            The new names by the present ones; empty if no class has another prefix.
        """
        cased, parent_cased = self.modular.cased, source.name_forms.cased
        new_names = {}
        for name, parent in self.modular.children_of(source.module.path):
            present = prefixes.class_prefix(name, parent, cased, parent_cased)
            # A class such as `RMSNorm(RMSNorm)` has no prefix, and keeps its name.
            if present is not None and present != prefix:
                new_names[name] = prefixes.with_prefix(
                    name, parent, prefix, cased, parent_cased
                )
        return new_names
