"""Lint rules for names and prefixes after parent files are renamed and merged."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from modular.flatten.autofixes import share_prefix
from modular.flatten.flattened import Flattened
from modular.lint.rule import LintRule, Precision
from modular.rules.files.drafts import Draft
from modular.rules.names import prefixes
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import ParentSource
from modular.semantics.statements import names_bound_by
from modular.source.definition_view import view_definition
from modular.source.definitions import ModuleBinding
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_of_module, place_of_word
from modular.source.source_slice import SourceSlice
from modular.source.trees import parse, walk


class ConflictingFunctions(LintRule):
    """A class uses a different function from the one that its parent class uses.

    Inherited code calls a function that it was not written for, and may compute
    something else. Two parent files define different functions of the same name, and
    you inherit from classes of both. The generated file can define only one of the
    functions.

    modular does not warn if you import one of the functions, because then you chose it.
    It does not warn either if the class sets an attribute that only this function
    reads.

    Define a function in the modular file that serves both classes, or override the code
    that calls it.

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
    models/olmo/modular_olmo.py:9:7: `OlmoVisionAttention` uses `attention` from `models/llama/modeling_llama.py`, but its parent uses a different `attention` from `models/siglip/modeling_siglip.py`
    hint: define one `attention` for both in this file, or override the code of `OlmoVisionAttention` that uses it
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
    precision = Precision(findings=3, real=1)
    message = (
        "`{name}` uses `{function}` from `{path}`, "
        "but its parent uses a different `{function}` from `{other}`"
    )
    hint = (
        "define one `{function}` for both in this file, "
        "or override the code of `{name}` that uses it"
    )

    def check(self) -> None:
        """Report classes whose inherited code calls a function that another file defines.

        Two parent files define different functions `attention`. The generated file has
        only one of them, so code that is inherited from the other file calls the wrong
        one.
        """
        # A draft has the definitions of one generated file by name.
        for draft in self.layout.drafts.values():
            child_classes = self.layout.flattened.keys() & draft.statements.keys()
            for function in self._find_shared_functions(draft):
                # Any of the classes may have inherited a call of the function.
                for class_name in sorted(child_classes):
                    self._check_use(class_name, function)

    def _find_shared_functions(self, draft: Draft) -> "Iterator[_SharedFunction]":
        """Yield the functions of an output file that several parent files define.

        A function that the modular file imports is left out: it is chosen on purpose.

        Args:
            draft: The statements of the output file.
        """
        for name, statement in draft.statements.items():
            path = statement.parts[0].code.path
            # None if the code does not come from a parent file.
            file = self.layout.parents.get(path)
            is_imported = name in self.modular.parent_of
            if file is None or is_imported:
                continue
            generated = file.definitions.functions.get(name)
            if generated is None:
                continue
            others = {}
            for other_path, other_file in self.layout.parents.items():
                other = other_file.definitions.functions.get(name)
                if other is not None and other_path != path:
                    others[other_path] = other
            if others:
                yield _SharedFunction(name, path, generated, others)

    def _check_use(self, class_name: str, function: "_SharedFunction") -> None:
        """Report a class whose inherited code calls a different function from its parent class.

        For example, the class inherits `attention(x)` from a file that defines
        `attention`, and the generated file has the `attention` of another file. Nothing
        is reported if the two functions are equal, or if only the generated function suits
        the class.

        Args:
            class_name: The name of the class.
            function: A function that several parent files define.
        """
        flat = self.layout.flattened[class_name]
        calling_code = self._find_inherited_use(flat, function.name)
        if calling_code is None:
            return
        # None if the code and the generated function come from the same file.
        original = function.others.get(calling_code.path)
        if original is None:
            return
        generated = function.generated
        if _comparison_key(generated) == _comparison_key(original):
            return
        if _suits_only(flat, generated, original):
            return
        self.report(
            place_of_word(flat.child.header, class_name),
            related=place_of_word(calling_code, function.name),
            name=class_name,
            function=function.name,
            path=function.path,
            other=calling_code.path,
        )

    def _find_inherited_use(self, flat: Flattened, function: str) -> SourceSlice | None:
        """Return the first lines that a class inherits in which a function is used.

        Args:
            flat: The class. Each of its parts is a run of lines from the same file.
            function: The name of the function.

        Returns:
            The run of lines with the use; None if only the modular file uses the function.
        """
        for run in flat.parts:
            is_inherited = not self.context.is_from_modular(run.code)
            # Searching the text is quick. Most runs do not contain the name, and are not
            # split into words.
            if is_inherited and function in run.code.mask:
                if function in run.code.words():
                    return run.code
        return None


class _SharedFunction(NamedTuple):
    """A function of an output file that several parent files define.

    Attributes:
        name: Its name.
        path: The path of the parent file whose function is generated.
        generated: This function.
        others: The functions of the same name in other parent files, by their paths.
    """

    name: str
    path: str
    generated: ModuleBinding
    others: Mapping[str, ModuleBinding]


def _comparison_key(function: ModuleBinding) -> tuple[Sequence[str], list[str]]:
    """Return the parameters and statements of a function, which equal functions share.

    Annotations of parameters, comments and the docstring are left out.
    """
    view = view_definition(function.statement)
    body = view.body_without_docstring
    return view.parameters, [statement.bare_code.normalized() for statement in body]


def _suits_only(flat: Flattened, function: ModuleBinding, other: ModuleBinding) -> bool:
    """Whether a class sets an attribute that one function reads, and another does not.

    The class sets `self.scaling` and calls `attention(self, x)`. The parameter `module` of
    `attention(module, x)` is then this `self`. If only one of the functions reads
    `module.scaling`, the author of the class means this function.

    Args:
        flat: The class.
        function: The function that reads the attribute.
        other: The function that does not.
    """
    attributes = _attributes_read(function) - _attributes_read(other)
    if attributes & flat.attributes.keys():
        return True
    targets = {f"self.{name}" for name in attributes}
    for method in flat.overriding.values():
        for statement in method.body.statements:
            if targets & names_bound_by(statement):
                return True
    return False


def _attributes_read(function: ModuleBinding) -> set[str]:
    """Return the attributes of its parameters that a function reads: `scaling` for `module.scaling`."""
    parameters = view_definition(function.statement).parameter_names
    attributes = set[str]()
    for node in walk(parse(function.statement.bare_code).node):
        match node:
            case cst.Attribute(
                value=cst.Name(value=parameter), attr=cst.Name(value=attribute)
            ) if parameter in parameters:
                attributes.add(attribute)
    return attributes


class MixedPrefixes(LintRule):
    """The classes that inherit from one parent file use different prefixes.

    Some generated classes may not have the names that you expect. modular renames a
    whole parent file to the prefix of your classes: `OlmoTextMLP(LlamaMLP)` turns
    `Llama` into `OlmoText`. If your classes use several prefixes, everything else from
    the file gets the most frequent one.

    Use one prefix for all classes that inherit from the file.

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
    """

    code = Problem.MIXED_PREFIXES
    precision = Precision(findings=66, real=0)
    message = (
        "the classes that inherit from `{path}` use more than one prefix, {candidates}: "
        "`{prefix.chosen}` is used"
    )
    hint = (
        "everything else from that file is named `{prefix.chosen}...`; to change this, "
        "give the classes that inherit from it one prefix"
    )

    def check(self) -> None:
        """Report each parent file from which classes with different prefixes inherit.

        `OlmoTextMLP(LlamaMLP)` has the prefix `OlmoText`, and `OlmoModel(LlamaModel)` has
        `Olmo`. modular chooses the most frequent prefix, such as `Olmo`. The finding is at
        `OlmoTextMLP`, the first class with another prefix, and its fix renames all such
        classes.
        """
        for path, file in self.layout.parents.items():
            prefix = self.modular.choose_prefix(file.source)
            has_same_prefix = len(prefix.candidates) < 2
            # If the most frequent prefix is rejected, `PrefixFallback` reports the file.
            if has_same_prefix or prefix.rejected is not None:
                continue
            # `{"OlmoTextMLP": "OlmoMLP"}`
            new_names = self._find_new_names(prefix.chosen, file.source)
            first_class = next(iter(new_names))
            statement = self.modular.definitions.classes[first_class].statement
            autofixes = share_prefix(self.modular, new_names)
            self.report(
                place_of_word(view_definition(statement).header, first_class),
                *autofixes,
                related=_place_of_import(self.modular, path),
                path=path,
                prefix=prefix,
                candidates=", ".join(f"`{name}`" for name in prefix.candidates),
            )

    def _find_new_names(self, prefix: str, source: ParentSource) -> dict[str, str]:
        """Return the names that the classes with other prefixes would have with this one.

        For the prefix `Olmo` and the class `OlmoTextMLP(LlamaMLP)`, this is
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


class PrefixFallback(LintRule):
    """A prefix cannot be used, so the model's name is used instead.

    The other classes of the parent file do not get the prefix of your class. In the
    example, the prefix would be `OlmoVision`. But the parent file already has a
    `SiglipVisionMLP`, which one expects to be called `OlmoVisionMLP` in your model. So
    modular uses the model's name as the prefix instead.

    Use the model's name as the prefix. If you want another prefix, define the other
    classes as well, with the names that they should have.

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

    code = Problem.PREFIX_FALLBACK
    precision = Precision(findings=26, real=0)
    message = (
        "`{prefix.rejected}` cannot be used as prefix for the classes of `{path}`, "
        "because that file already has classes with this prefix; "
        "`{prefix.chosen}` is used instead"
    )
    hint = "to choose other names, define those classes yourself"

    def check(self) -> None:
        """Report each parent file that cannot be renamed to the prefix of its child classes.

        `OlmoVisionMLP(SiglipMLP)` has the prefix `OlmoVision`. It is rejected if the file
        also defines `SiglipVisionMLP`, because `OlmoVisionMLP` could be the new name of
        both classes. The finding is at the import of the file.
        """
        for path, file in self.layout.parents.items():
            prefix = self.modular.choose_prefix(file.source)
            if prefix.rejected is not None:
                self.report(
                    _place_of_import(self.modular, path),
                    path=path,
                    prefix=prefix,
                )


def _place_of_import(modular: ModularFile, path: str) -> Place:
    """Return the place of the first import of a parent file."""
    for parent_path, import_ in modular.model_imports:
        if parent_path == path:
            return place_of_module(import_)
    raise LookupError(path)
