"""Rules about imports of the modular file: not inlined, of the wrong file, or outside the output folder."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from modular.lint.base_origins import find_base_origin, find_missing_base
from modular.lint.context import LintContext
from modular.lint.inner_imports import find_imports_in_blocks
from modular.lint.rule import LintRule, Precision
from modular.project.naming import MODULAR
from modular.semantics.imports import find_module_stem, parent_module, sibling_module
from modular.source import fixes
from modular.source.blocks import Statement
from modular.source.diagnostics import Place, Problem, Severity, did_you_mean, nearest
from modular.source.import_statements import Alias, Import, import_of, relative_stem
from modular.source.places import place_of_module, place_of_word


_IMPORTED_AS_MODULE = "is imported as a module: modular resolves only imports of names"
_COPIED_UNCHANGED = ", so the import is copied unchanged"


class MissedModelImport(LintRule):
    """An import looks like a model import but is not one.

    The generated class does not contain the code of the class that you imported.
    modular copies the code of a parent class only if you import the class at the top of
    the modular file from a file of the other model:
    `from ..llama.modeling_llama import LlamaMLP`. An import of this form is called a
    model import. modular copies any other import unchanged into the generated file,
    where your class still inherits from the imported class. modular reports imports
    that are almost model imports:

    - an import with a misspelt file type, such as `modelling_llama`
    - an import with too many dots
    - an import from a modular file
    - an import from a file that this modular file generates, if the generated file does
      not contain the imported name

    modular reports the following imports only if a class of the modular file inherits
    from an imported name:

    - an import from the folder of a model, and not from a file in this folder:
      `from ..llama import LlamaMLP`
    - an import of a whole module: `import models.llama.modeling_llama`
    - an import inside a block such as `if` or `try`
    - an import from a file in a models folder, if the name of the file does not fit the
      setting `file-names`
    - an import from a file or package that does not define the class, but imports it
      from the model file that does

    The finding is an error if the import fails because the file or name does not exist.

    Import the class from the file that defines it:
    `from ..llama.modeling_llama import LlamaMLP`.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modelling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:8: there is no `models/llama/modelling_llama.py`, so the import is copied unchanged
    hint: did you mean `modeling_llama`?
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    import transformers.models.llama.modeling_llama as m


    class OlmoMLP(m.LlamaMLP):
        scale = 2
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:8: `transformers.models.llama.modeling_llama` is imported as a module: modular resolves only imports of names, so the import is copied unchanged
    hint: write `from ..llama.modeling_llama import ...` at the top of the file
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from .. import llama as ll


    class OlmoMLP(ll.modeling_llama.LlamaMLP):
        scale = 2
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:9: `ll.modeling_llama.LlamaMLP` is defined in `models/llama/modeling_llama.py`, but not imported from there by name, so the import is copied unchanged
    hint: write `from ..llama.modeling_llama import LlamaMLP` at the top of the file, and inherit from `LlamaMLP`
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from .modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:7: `.modeling_llama` is not where the models are, so the import is copied unchanged
    hint: write `..llama.modeling_llama`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from transformers.models.llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:6: `LlamaMLP` is defined in `transformers/models/llama/modeling_llama.py`, but not imported from there by name, so the import is copied unchanged
    hint: write `from transformers.models.llama.modeling_llama import LlamaMLP` at the top of the file
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from transformers.models.llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        scale = 2
    ```

    You may import a name from the file that modular generates, so that type checkers
    know the name. modular does not copy this import into the generated file.

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaModel
    from .modeling_olmo import OlmoMLP


    class OlmoModel(LlamaModel):
        second_class = OlmoMLP
    ```
    """

    code = Problem.MISSED_MODEL_IMPORT
    levels = (Severity.WARNING, Severity.ERROR)
    message = "{reason}"

    def check(self) -> None:
        """Report imports such as `from ..llama import LlamaMLP`, which names no model file.

        modular flattens a class only if its base comes from a model import. A model
        import is at the top of the file and names a model file and its classes, as
        `from ..llama.modeling_llama import LlamaMLP`.
        """
        # The imports that are reported already. `_check_base` skips them.
        self._reported_statements: set[Statement] = set()
        for import_ in self._other_imports():
            # `from ..llama import LlamaMLP`
            self._check_import(import_)
        if self.context.project.settings.keeps_model_imports:
            # A base such as `llama.LlamaMLP` stays, as other imports do.
            return
        for bases in self.modular.bases.values():
            for base in bases:
                # `llama.LlamaMLP`
                self._check_base(base)

    def _other_imports(self) -> Iterator[Import]:
        """Yield the imports of the modular file that are not model imports.

        `import a, b as c` is yielded as two imports, one for each module. They have no
        names, unlike `from` imports. Such an import in an `if` or `try` is left out:
        `_check_base` handles it.
        """
        module = self.modular.module
        model_statements = {
            model_import.statement for _, model_import in self.modular.model_imports
        }
        for import_ in module.imports:
            is_from_import = import_.module is not None
            if not is_from_import:
                for alias in import_.names:
                    yield import_._replace(module=alias.name, names=())
            elif import_.statement not in model_statements:
                yield import_
        # Imports in an `if`, `try` and so on are never model imports.
        for import_ in find_imports_in_blocks(module):
            if import_.module is not None:
                yield import_

    def _check_base(self, base: str) -> None:
        """Report a base that is defined in a model file, but imported from elsewhere.

        - After `from ..llama import LlamaMLP`, the base `LlamaMLP` comes from a
          package. The fix imports `LlamaMLP` from `..llama.modeling_llama`.
        - After `from .. import llama`, the base is `llama.modeling_llama.LlamaMLP`.
          There is no fix: the class must inherit from `LlamaMLP` instead.
        - An import in an `if` must move to the top of the file, and has no fix.

        Args:
            base: The base as the class header names it.
        """
        # `LlamaMLP[int]` is imported rightly. Another rule reports the type arguments.
        name = base.partition("[")[0].strip()
        is_bound_by_model_import = name in self.modular.parent_of
        is_local_class = base in self.modular.definitions.classes
        if is_bound_by_model_import or is_local_class:
            return
        # None if no model file defines the base.
        origin = self.context.memoized(find_base_origin, base)
        if origin is None:
            self._check_missing_base(name)
            return
        if origin.import_.statement in self._reported_statements:
            return

        import_ = origin.import_
        class_name = origin.name
        # The module that a model import must name, such as `..llama.modeling_llama`.
        source = parent_module(self.context.project, self.modular.path, origin.path)
        hint = f"write `from {source} import {class_name}` at the top of the file"
        autofixes = []
        is_bound_as_base = any(
            alias.bound == base and alias.name == class_name for alias in import_.names
        )
        if is_bound_as_base and _is_from_import_at_top(import_):
            autofixes.append(fixes.import_from(import_, {class_name: source}))
        elif base != class_name:
            # The import in the hint binds `LlamaMLP`, and not `llama`.
            hint += f", and inherit from `{class_name}`"
        self._reported_statements.add(import_.statement)
        self.report(
            place_of_module(import_),
            *autofixes,
            hint=hint,
            is_error=not origin.is_importable,
            reason=f"`{base}` is defined in `{origin.path}`, but not imported from there by name"
            + _COPIED_UNCHANGED,
        )

    def _check_missing_base(self, base: str) -> None:
        """Report a base that the imported file does not define.

        Python cannot import the generated file, because the import and the base are
        copied.

        Args:
            base: The base as the class header names it, such as
                `modeling_llama.LlamaNorm`.
        """
        missing = find_missing_base(self.context, base)
        if missing is None or missing.import_.statement in self._reported_statements:
            return
        names: set[str] = set()
        file = self.context.read(missing.path)
        if file is not None:
            names.update(statement.name for statement in file.block.statements)
        hint = did_you_mean(missing.name, names) or "correct the name of the class"
        reason = f"`{missing.path}` does not define `{missing.name}`"
        self._report_import(missing.import_, reason, hint, is_error=True)

    def _check_import(self, import_: Import) -> None:
        """Report an import that is not a model import, if it looks like one.

        Args:
            import_: The import, as `_other_imports` yields it.
        """
        # The path of the module without `.py`; None if it is not in the project.
        target = find_module_stem(
            self.context.project,
            self.modular.path,
            import_.level,
            import_.module or "",
        )
        if target is not None and self._is_ordinary(target):
            return

        last_name = _last_name(import_)
        # None unless the module has the name of a model file.
        file_name = self.context.project.settings.file_names.parse(last_name)
        if last_name.startswith(MODULAR):
            # `from ..llama.modular_llama import LlamaMLP`
            self._report_modular_file(import_, last_name.removeprefix(MODULAR))
        elif target is not None and self._is_generated(target):
            # `from .modeling_olmo import OlmoMLP`
            self._check_generated_file(import_)
        elif file_name is not None:
            # `from .modeling_llama import LlamaMLP`
            self._check_model_file(import_, target, file_name.model)
        elif target is not None:
            # `from ..llama import LlamaMLP`
            self._check_target(import_, target)

    def _report_modular_file(self, import_: Import, model: str) -> None:
        """Report an import from the modular file of a model."""
        source = f"..{model}.{self._modeling_file(model)}"
        hint = f"import from a file that it generates, such as `{source}`"
        reason = f"`{import_.source}` is a modular file"
        self._report_import(import_, reason, hint, source)

    def _is_generated(self, target: str) -> bool:
        """Whether this modular file generates the file at a path without `.py`."""
        return any(file.path == f"{target}.py" for file in self.context.files)

    def _check_generated_file(self, import_: Import) -> None:
        """Report an import from a generated file if the file lacks an imported name.

        The import `from .modeling_olmo import OlmoMLP` is dropped from the generated
        files. It is allowed, because type checkers of the modular file need it.
        """
        names = {alias.name for alias in import_.names}
        # `import models.olmo.modeling_olmo` has no names.
        if names and names <= self.context.generated.keys():
            return
        reason = f"`{import_.source}` is generated from this file, so nothing can be imported from it here"
        hint = "use the name without an import: it is defined here, or copied as a dependency"
        self._report_import(import_, reason, hint)

    def _check_target(self, import_: Import, target: str) -> None:
        """Check an import of a folder or file in a models folder.

        The import names no model file. If a class inherits from what the import binds,
        the import must name one.

        Args:
            import_: The import, such as `from ..llama.utils import Scale`.
            target: The imported path without `.py`, such as `models/llama/utils`.
        """
        project = self.context.project
        is_folder = target in project.models_folders or project.is_model_folder(target)
        if is_folder or not project.is_in_models_folder(f"{target}.py"):
            # `from ..llama import LlamaMLP` is allowed unless a class inherits from
            # `LlamaMLP`: see `_check_base`.
            return
        if not _module_exists(self.context, target):
            # `from ..llama.modelling_llama import LlamaMLP`
            self._report_missing_file(import_, target)
        else:
            # `from ..llama.utils import Scale`
            self._check_other_file(import_, target)

    def _check_other_file(self, import_: Import, target: str) -> None:
        """Report an import from a file such as `models/llama/utils.py`.

        It is reported only if a class inherits from what it binds.

        modular does not inline the file, because its name does not show which model it
        belongs to.

        Args:
            import_: The import, such as `from ..llama.utils import Scale`.
            target: The path of the file without `.py`.
        """
        folder = str(PurePosixPath(target).parent)
        is_beside_modular_file = folder == str(PurePosixPath(self.modular.path).parent)
        # A file of the same model stays an import in the generated files, which is right.
        # The file belongs to the same model if the folder holds only one model.
        if is_beside_modular_file and self.context.project.is_model_folder(folder):
            return
        if not self._binds_parent_class(import_.statement):
            return
        pattern = self.context.project.settings.file_names.pattern
        reason = f"`{target}.py` is not named as the files of models are, `{pattern}`"
        hint = "rename it, describe its name in the settings `file-names` and "
        hint += "`file-types`, or list it in `ordinary-imports` to keep the import"
        self._report_import(import_, reason + _COPIED_UNCHANGED, hint)

    def _report_import(
        self,
        import_: Import,
        reason: str,
        hint: str,
        *sources: str,
        is_error: bool = False,
    ) -> None:
        """Report an import; the fix is offered for a `from` import at the top of the file.

        Args:
            import_: The import.
            reason: The message.
            hint: The hint.
            *sources: The modules, with their dots, that the fix may write instead.
            is_error: Whether Python certainly cannot import the generated file.
        """
        autofixes = []
        if _is_from_import_at_top(import_):
            autofixes = [fixes.replace_module(import_, source) for source in sources]
        self._reported_statements.add(import_.statement)
        self.report(
            place_of_module(import_),
            *autofixes,
            hint=hint,
            is_error=is_error,
            reason=reason,
        )

    def _is_ordinary(self, target: str) -> bool:
        """Whether the setting `ordinary-imports` lists a path, or a module below it.

        Imports from these modules are meant to be copied unchanged. If the setting
        lists `auto.modeling_auto`, the paths `models/auto/modeling_auto` and
        `models/auto` are ordinary.

        Args:
            target: The path of a module without `.py`, or of a folder.
        """
        project = self.context.project
        for models_folder in project.models_folders:
            # The name as in the setting: `auto` or `auto.modeling_auto`.
            name = target.removeprefix(f"{models_folder}/").replace("/", ".")
            for ordinary_module in project.settings.ordinary_imports:
                # The dots keep `aut` from matching `auto.modeling_auto`.
                if f"{ordinary_module}.".startswith(f"{name}."):
                    return True
        return False

    def _check_model_file(
        self, import_: Import, target: str | None, model_of_file: str
    ) -> None:
        """Report an import of an existing model file that modular does not resolve.

        The import names the file by a wrong path, is inside a block, or is a plain
        `import`.

        Args:
            import_: The import, such as `from .modeling_llama import LlamaMLP`.
            target: The path that it names, without `.py`; None if it is not in the
                project.
            model_of_file: The model in the file's name, such as `llama`.
        """
        project = self.context.project
        package, _, file_name = (import_.module or "").rpartition(".")
        if sibling_module(project, self.modular.path, import_) is not None:
            # Another file of the same model. Generated files import it from beside them.
            return
        if import_.level == 1 and not package:
            # `.modeling_llama` is probably meant to be `..llama.modeling_llama`.
            package = model_of_file
            if package == self.modular.model:
                return
        # A module of an unrelated package may have such a name, too.
        is_relative = import_.level > 0
        is_of_library = package.startswith(f"{project.settings.library_name}.")
        may_be_model_file = is_relative or is_of_library or target is not None
        model = package.rpartition(".")[2]
        if not package or not may_be_model_file:
            return
        paths = [f"{item}/{model}/{file_name}.py" for item in project.models_folders]
        if not any(map(self.context.exists, paths)):
            return

        source = f"..{model}.{file_name}"
        if _is_from_import_at_top(import_):
            reason = "is not where the models are"
            hint = f"write `{source}`"
        elif self._binds_parent_class(import_.statement):
            reason = (
                "is imported inside a block" if import_.names else _IMPORTED_AS_MODULE
            )
            hint = f"write `from {source} import ...` at the top of the file"
        else:
            # Without a child class, there is no code to inherit, and the import works.
            return
        reason = f"`{import_.source}` {reason}{_COPIED_UNCHANGED}"
        self._report_import(import_, reason, hint, source)

    def _report_missing_file(self, import_: Import, target: str) -> None:
        """Report an import of a file that does not exist, with similar names.

        Args:
            import_: The import, such as `from ..llama.modelling_llama import LlamaMLP`.
            target: The path that it names, without `.py`.
        """
        folder = self.context.project.locate(target).parent
        files_of_model = [path.stem for path in folder.glob("*_*.py")]
        sources: list[str] = []
        if files_of_model:
            name = _last_name(import_)
            hint = did_you_mean(name, files_of_model) or "check the name of the file"
            # The fixes keep the text before the file's name, such as `..llama.`.
            package = import_.source.removesuffix(name)
            for similar_name in nearest(name, files_of_model):
                sources.append(package + similar_name)
        else:
            # The folder is probably not that of a model, so its name is wrong.
            models = [path.name for path in folder.parent.glob("*") if path.is_dir()]
            suggestion = did_you_mean(folder.name, models)
            hint = suggestion or "check the name of the model"
        reason = f"there is no `{target}.py`{_COPIED_UNCHANGED}"
        is_written = not import_.bound_names.isdisjoint(self.context.output_names)
        # MOD442 is the error for a missing file of this model.
        is_of_other_model = import_.level != 1
        is_in_block = bool(import_.statement.indent)
        is_error = is_written and is_of_other_model and not is_in_block
        self._report_import(import_, reason, hint, *sources, is_error=is_error)

    def _modeling_file(self, model: str) -> str:
        """Return the name of the file with most classes of a model, without `.py`."""
        settings = self.context.project.settings
        return settings.file_names.stem(settings.default_file_type, model)

    def _binds_parent_class(self, statement: Statement) -> bool:
        """Whether a class of the modular file inherits from what an import statement binds.

        The statement `import models.llama as m` binds `m`, and a class inherits from
        `m.LlamaMLP`.
        """
        import_ = import_of(statement)
        assert import_ is not None, "the statement is an import"
        return any(map(self._is_inherited_from, import_.bound_names))

    def _is_inherited_from(self, name: str) -> bool:
        """Whether a class has a base such as `name`, `name.LlamaMLP` or `name[int]`."""
        for base in self.modular.base_names:
            if base == name or base.startswith((f"{name}.", f"{name}[")):
                return True
        return False


def _last_name(import_: Import) -> str:
    """Return `modeling_llama` for an import of `..llama.modeling_llama`."""
    return import_.source.rpartition(".")[2]


def _is_from_import_at_top(import_: Import) -> bool:
    """Whether an import is a `from` import that is not inside a block."""
    is_from_import = bool(import_.names)
    return is_from_import and not import_.statement.indent


class WrongParentFile(LintRule):
    """A name is imported from the wrong parent file.

    The import misleads its readers: it names a file that does not define the imported
    name, although another parent file does. In the example, `LlamaMLP` is imported from
    Siglip's file, but Llama's file defines it. The generated files are still right,
    because no class inherits from the imported name.

    Import the name from the file that defines it, or remove the name if nothing uses it.

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
    hint: remove it: nothing uses it
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
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
    precision = Precision(findings=1, real=1)
    message = "`{path}` has no `{name}`"
    hint = "import it from `{other}`"

    def check(self) -> None:
        """Report imported names that their file lacks, but another parent file defines.

        Parent files are the files from which the modular file imports.
        """
        for path, import_ in self.modular.model_imports:
            for alias in import_.names:
                if alias.name in self.layout.parents[path].source.names:
                    continue
                import_from_definer = self._find_import_from_definer(alias.name)
                if import_from_definer is not None:
                    self._report_name(import_, alias, path, *import_from_definer)

    def _find_import_from_definer(self, name: str) -> tuple[str, Import] | None:
        """Return the first parent file that defines a name, and an import from it."""
        for path, import_ in self.modular.model_imports:
            if name in self.layout.parents[path].source.names:
                return path, import_
        return None

    def _report_name(
        self,
        import_: Import,
        alias: Alias,
        path: str,
        other_path: str,
        other_import: Import,
    ) -> None:
        """Report a name that is imported from the wrong parent file.

        The fix imports a used name from the file that defines it, and removes the
        import of an unused one.

        Args:
            import_: The import.
            alias: The name in the import.
            path: The file that it is imported from.
            other_path: The parent file that defines it.
            other_import: An import from that file.
        """
        if self.context.is_used(import_, alias.bound):
            fix = fixes.import_from(import_, {alias.name: other_import.source})
            hint = ""
        else:
            fix = fixes.remove_import(import_, alias.bound)
            hint = "remove it: nothing uses it"
        self.report(
            place_of_word(import_.statement.bare_code, alias.name),
            fix._replace(is_safe=True),
            hint=hint,
            path=path,
            name=alias.name,
            other=other_path,
        )


class RespelledParent(LintRule):
    """A parent class is imported with different capitals from those in its file.

    A reader who looks for the imported name in the parent file does not find it. In the
    example, the import has `LLamaMLP`, but the class is called `LlamaMLP`. The
    inheritance still works, because modular compares the two names only after it has
    replaced the name of the parent's model in them. Both names are `OlmoMLP` then.

    Write the name as the parent file does.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LLamaMLP


    class OlmoMLP(LLamaMLP):
        pass
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:1:36: `models/llama/modeling_llama.py` has no `LLamaMLP`; using `LlamaMLP`, which has the same name after renaming
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
    message = "`{path}` has no `{name}`; using `{written}`, which has the same name after renaming"
    hint = "write `{written}`"

    def check(self) -> None:
        """Report an imported base that the parent file spells with other capitals.

        The modular file imports `LLamaMLP`, and the parent file defines `LlamaMLP`.
        """
        for path, import_ in self.modular.model_imports:
            source = self.layout.parents[path].source
            for alias in import_.names:
                name = alias.name
                is_base = alias.bound in self.modular.base_names
                if not is_base or name in source.names:
                    continue
                spelling = source.find_other_spelling(name)
                if not spelling:
                    continue
                fix = fixes.rename(self.modular.module.code, name, spelling)
                self.report(
                    place_of_word(import_.statement.bare_code, name),
                    fix._replace(is_safe=True),
                    path=path,
                    name=name,
                    written=spelling,
                )


class ImportOutsideOutput(LintRule):
    """A relative import points outside the output folder.

    Python cannot import the generated file. With the setting `output`, modular does not
    write the generated files to the folder of the modular files. It copies your
    relative import unchanged, so the import in the generated file points to a different
    place. The output folder contains the other models, but not the modules outside of
    the models folder, such as `layers` in the example.

    Write an absolute import in the modular file.

    Given `pyproject.toml`:

    ```toml
    [tool.modular]
    models = ["library/models"]
    output = "generated"
    ```

    Invalid `library/models/olmo/modular_olmo.py`:

    ```python
    from ...layers import Layer


    class OlmoMLP(Layer):
        scale = 2
    ```

    Finding:

    ```text
    library/models/olmo/modular_olmo.py:1:9: the generated file cannot import `...layers`: seen from `generated/olmo`, it points outside `generated`
    hint: write an absolute import in the modular file
    ```

    Valid `library/models/olmo/modular_olmo.py`:

    ```python
    from library.layers import Layer


    class OlmoMLP(Layer):
        scale = 2
    ```
    """

    code = Problem.IMPORT_OUTSIDE_OUTPUT
    message = "the generated file cannot import `{source}`: seen from `{folder}`, it points outside `{output}`"
    hint = "write an absolute import in the modular file"

    def check(self) -> None:
        """Report relative imports that lead out of the output folder and find no module.

        Python resolves them from the generated file. In
        `generated/olmo/modeling_olmo.py`, `from ...layers import Layer` leads out of
        the output folder `generated`, to `layers.py` in the root.
        """
        output = self.context.project.settings.output
        if not output:
            return
        # Each module is reported once, at its first import.
        reported: set[str] = set()
        for module in self.context.output_imports.values():
            folder = PurePosixPath(module.path).parent
            depth = len(folder.relative_to(output).parts)
            for import_ in module.imports:
                # The first dot is the file's folder; each other dot goes up one folder.
                is_inside_output = import_.level - 1 <= depth
                if is_inside_output or import_.source in reported:
                    continue
                # None if the dots lead out of the project.
                target = relative_stem(module.path, import_.level, import_.module or "")
                if target is not None and _module_exists(self.context, target):
                    continue
                reported.add(import_.source)
                place, related = self._find_origin(import_.source)
                self.report(
                    place,
                    related=related,
                    folder=folder,
                    source=import_.source,
                    output=output,
                )

    def _find_origin(self, source: str) -> tuple[Place, Place | None]:
        """Return the place in the modular file that causes a generated import.

        If the import is copied from a parent file, the first place is where the modular
        file imports from that parent file, and the second is the import in the parent
        file. Otherwise there is no second place.

        Args:
            source: The imported module, such as `...layers`.
        """
        for import_ in self.modular.module.imports:
            if import_.source == source:
                return place_of_module(import_), None
        for path, import_ in self.modular.model_imports:
            for copied_import in self.layout.parents[path].imports:
                if copied_import.source == source:
                    return place_of_module(import_), place_of_module(copied_import)
        return Place(self.modular.path), None


def _module_exists(context: LintContext, stem: str) -> bool:
    """Whether there is a module or a folder at a path without suffix."""
    return context.exists(f"{stem}.py") or context.project.locate(stem).is_dir()
