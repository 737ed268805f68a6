"""Lint rules for names and prefixes after parent files are renamed and merged."""

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from modular.flatten.autofixes import share_prefix
from modular.flatten.flattened import Flattened
from modular.lint.rule import LintRule, Precision
from modular.lint.statement_names import names_bound_by
from modular.rules.names import prefixes
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import ParentSource, RenamedFile
from modular.source.definition_view import view_definition
from modular.source.definitions import ModuleBinding
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_of_module, place_of_word
from modular.source.source_slice import SourceSlice
from modular.source.trees import parse, walk


class ConflictingFunctions(LintRule):
    """A class uses a different function from the one that its parent class uses.

    A generated file can define each name only once. Here two parent files define
    different functions of the same name, and the modular file inherits classes of both.
    So one class silently uses the function of the other file.

    Define a function in the modular file that serves both classes, or override the code
    that calls it.

    modular does not warn in two cases. In the first case, the modular file imports the
    function, so the choice is deliberate. In the second case, the class sets an
    attribute that only the chosen function reads, so its author knows the difference.

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
        """Report classes whose inherited code calls a function that is generated from another file.

        Two parent files may define different functions `rotate`, of which a generated file has
        one. A function that the modular file imports is chosen on purpose.
        """
        for draft in self.layout.drafts.values():
            classes = sorted(draft.statements.keys() & self.layout.flattened.keys())
            for function, statement in draft.statements.items():
                # None if the function is not from a parent file.
                origin = self.layout.parents.get(statement.parts[0].code.path)
                is_imported = function in self.modular.parent_of
                if origin is None or is_imported:
                    continue
                other_functions = self._functions_of_other_files(function, origin)
                if not other_functions:
                    continue
                for name in classes:
                    self._check_user(name, function, origin, other_functions)

    def _functions_of_other_files(
        self, function: str, origin: RenamedFile
    ) -> dict[str, ModuleBinding]:
        """Return the functions of the same name in other parent files, by the paths of these files.

        Args:
            function: The name of the function.
            origin: The parent file whose function is generated.
        """
        functions: dict[str, ModuleBinding] = {}
        if function not in origin.definitions.functions:
            return functions
        for path, file in self.layout.parents.items():
            if file is not origin and function in file.definitions.functions:
                functions[path] = file.definitions.functions[function]
        return functions

    def _check_user(
        self,
        class_name: str,
        function: str,
        origin: RenamedFile,
        other_functions: Mapping[str, ModuleBinding],
    ) -> None:
        """Report a class whose inherited code calls another function than in its parent file.

        The generated file has only one function of the name, from the file `origin`.
        Code that is inherited from another file with such a function calls it instead.

        Args:
            class_name: The name of the class.
            function: The name of the function.
            origin: The parent file whose function is generated.
            other_functions: The functions of that name in other parent files, by path.
        """
        flat = self.layout.flattened[class_name]
        calling_code = self._find_inherited_use(flat, function)
        if calling_code is None or calling_code.path not in other_functions:
            return
        generated_function = origin.definitions.functions[function]
        original_function = other_functions[calling_code.path]
        if _comparison_key(generated_function) == _comparison_key(original_function):
            return
        if not _is_adapted(flat, generated_function, original_function):
            self.report(
                place_of_word(flat.child.header, class_name),
                related=place_of_word(calling_code, function),
                name=class_name,
                function=function,
                path=origin.source.module.path,
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


def _comparison_key(function: ModuleBinding) -> tuple[Sequence[str], list[str]]:
    """Return the parameters and statements of a function, which equal functions share.

    Annotations of parameters, comments and the docstring are left out.
    """
    view = view_definition(function.statement)
    body = view.body_without_docstring
    return view.parameters, [statement.bare_code.normalized() for statement in body]


def _is_adapted(
    flat: Flattened, generated: ModuleBinding, original: ModuleBinding
) -> bool:
    """Whether a class sets an attribute that only the generated function reads.

    Then its author knows that the generated function replaces the original one. For
    example, the class sets `self.scaling`, and the function reads `module.scaling`.

    Args:
        flat: The class.
        generated: The function that the generated class uses.
        original: The function that its parent class uses.
    """
    attributes = _attributes_read(generated) - _attributes_read(original)
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
    view = view_definition(function.statement)
    parameters = {name.lstrip("*") for name in view.parameters}
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

    A parent file is renamed as a whole, to the prefix that the classes of the modular
    file use for it: `OlmoTextMLP(LlamaMLP)` turns `Llama` into `OlmoText`. If the
    classes use several prefixes, everything else from the file gets the most frequent
    one.

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
        "the classes that inherit from `{path}` use more than one prefix, {met}: "
        "`{prefix.chosen}` is used"
    )
    hint = (
        "everything else from that file is named `{prefix.chosen}...`; to change this, "
        "give the classes that inherit from it one prefix"
    )

    def check(self) -> None:
        """Report the first class of each parent file that has another prefix than most."""
        for path, file in self.layout.parents.items():
            prefix = self.modular.choose_prefix(file.source)
            # `PrefixFallback` reports a rejected prefix.
            if prefix.rejected is not None or len(prefix.candidates) < 2:
                continue
            new_names = dict(self._rename_to_prefix(prefix.chosen, file.source))
            first_class = next(iter(new_names))
            statement = self.modular.definitions.classes[first_class].statement
            self.report(
                place_of_word(view_definition(statement).header, first_class),
                *share_prefix(self.modular, new_names),
                related=_place_of_import(self.modular, path),
                path=path,
                prefix=prefix,
                met=", ".join(f"`{name}`" for name in prefix.candidates),
            )

    def _rename_to_prefix(
        self, chosen: str, source: ParentSource
    ) -> Iterator[tuple[str, str]]:
        """Yield the classes without the chosen prefix, each with its name with this prefix.

        The second name is empty if it is ambiguous.

        Args:
            chosen: The prefix, such as `OlmoText`.
            source: The parent file of the classes.
        """
        model_names = (self.modular.cased, source.name_forms.cased)
        for name, parent in self.modular.children_of(source.module.path):
            prefix = prefixes.class_prefix(name, parent, *model_names)
            # A class whose name suggests no prefix keeps its name.
            if prefix is not None and prefix != chosen:
                yield name, prefixes.with_prefix(name, parent, chosen, *model_names)


class PrefixFallback(LintRule):
    """A prefix cannot be used, so the model's name is used instead.

    The prefix would be `OlmoVision`, but the parent file has classes of its own that
    begin in the same way, such as `SiglipVisionMLP`. They would be confused with the
    classes that are renamed to the prefix. So the file is renamed to the model's name.

    Use the model's name as the prefix. If another prefix is meant, define the other
    classes too, with the names that they should have.

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
        """Report the import of each parent file that already has classes with the prefix of its children."""
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
