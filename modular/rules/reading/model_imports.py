"""`from ..other.modeling_other import X` names a parent file, whose code is inlined.

An import from a file of another model is called a model import. The generated files do
not contain the import. Instead, they contain the code of the imported names. If you
inherit from an imported class, modular merges it into your class. If you import a
function or assignment, modular copies it with everything that it uses.

The import can be relative, or absolute with the package from the setting `package`:
`from transformers.models.llama.modeling_llama import LlamaMLP`.

Some imports from models are ordinary imports, which modular copies to the generated
file:

- **Imports through the folder of all models,** such as
  `from ...models.llama.modeling_llama import LlamaNorm`. Write this if the generated
  file should import `LlamaNorm` under its own name instead of containing a copy.
- **Imports from the modules of the setting `ordinary-imports`,** such as
  `auto.modeling_auto`.

If your import spells a parent class with other capitals than the parent file, such as
`LLamaMLP` for `LlamaMLP`, modular warns you. With `inheritance = "python"`, this is an
error.

These model imports are errors:

- a file that does not exist, or a name that the file does not define
- a base that is not a class in the parent file, but, for example, a function
- a configuration from a modeling file
- all names of a file: `from ..llama.modeling_llama import *`
- a name from the library and not from a file: `from transformers import LlamaMLP`. In a
  project outside the library, this is an error only for parent classes. You can import
  other names, such as `PreTrainedModel`, in this way.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


EPS = 1e-6


def normalize(x):
    return x / (x.norm() + EPS)


class LlamaMLP(nn.Module):
    def forward(self, x):
        return x
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..auto.modeling_auto import AutoModel
from ..llama.modeling_llama import LlamaMLP, normalize


class MyModelMLP(LlamaMLP):
    pass


class MyModelHead:
    def __init__(self, config):
        self.model = AutoModel.from_config(config)

    def forward(self, x):
        return normalize(x)
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn

from ..auto.modeling_auto import AutoModel


class MyModelMLP(nn.Module):
    def forward(self, x):
        return x


EPS = 1e-6


def normalize(x):
    return x / (x.norm() + EPS)


class MyModelHead:
    def __init__(self, config):
        self.model = AutoModel.from_config(config)

    def forward(self, x):
        return normalize(x)
```

A class that is used under its own name:

Parent `models/llama/modeling_llama.py`:

```python
class LlamaNorm:
    pass


class LlamaMLP:
    pass
```

Modular `models/my_model/modular_my_model.py`:

```python
from ...models.llama.modeling_llama import LlamaMLP, LlamaNorm


class MyModelMLP(LlamaMLP):
    norm = LlamaNorm()
```

Output `models/my_model/modeling_my_model.py`:

```python
from ...models.llama.modeling_llama import LlamaNorm


class MyModelMLP:
    norm = LlamaNorm()
```
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.project import file_types
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import ParentSource
from modular.settings.settings import CONFIGURATION, MODELING, Settings
from modular.source import fixes
from modular.source.diagnostics import Diagnostic, Fix, Problem, did_you_mean, nearest
from modular.source.import_statements import Alias, Import, imported_names
from modular.source.places import place_of_module, place_of_word


_MISSPELLING_SIMILARITY = 0.85
"""Similarity, from 0 to 1, of a name and its misspelling by a letter or two."""


def check_library_imports(
    modular: ModularFile,
    settings: Settings,
    find_import: Callable[[str], str | None],
    find_forbidden: Callable[[Import], list[str]],
) -> list[Diagnostic]:
    """Report imports that should name a parent file of the project, and do not.

    There are two such errors:

    - A relative import of a model file points outside the project's root.
    - An import takes the class of a model from the library's package, and not from the
      file that defines the class: `from transformers import LlamaConfig`.

    Args:
        modular: The modular file.
        settings: The settings of the project.
        find_import: Returns the module of the model file that defines a name, or None.
        find_forbidden: Returns those names of an import from the library's package that
            must be imported from a parent file, such as `LlamaConfig`.
    """
    problems = []
    imports_of_parent_files = {import_ for _, import_ in modular.model_imports}
    for import_ in modular.module.imports:
        if import_ in imports_of_parent_files:
            continue
        if _is_model_file_outside_root(import_, modular.path, settings):
            problem = Diagnostic(
                Problem.OUTSIDE_ROOT,
                place_of_module(import_),
                f"`{import_.source}` points outside the project's root",
                f"import a parent file below the root, relative to `{modular.path}`",
            )
            problems.append(problem)
        if import_.level == 0 and import_.module == settings.library_name:
            names = find_forbidden(import_)
            if names:
                problems.append(_import_from_package(import_, names, find_import))
    return problems


def _is_model_file_outside_root(import_: Import, path: str, settings: Settings) -> bool:
    """Whether a relative import of a file such as `modeling_llama` leaves the root.

    Args:
        import_: The import.
        path: The path of the modular file, relative to the root.
        settings: The settings of the project, which name the types of model files.
    """
    # One dot is the folder of the file itself. Each further dot is one folder above.
    levels_up = import_.level - 1
    if levels_up <= len(PurePosixPath(path).parent.parts):
        return False
    module_name = (import_.module or "").rpartition(".")[2]
    return file_types.is_model_file(module_name, settings)


def _import_from_package(
    import_: Import, names: Sequence[str], find_import: Callable[[str], str | None]
) -> Diagnostic:
    """Report an import from the library's package: `from transformers import X`.

    Parents are read as text, so an import must name the file that defines `X`. The hint
    suggests this file.
    """
    modules = {}
    imports = []
    undefined = []
    for name in names:
        module = find_import(name)
        if module is None:
            undefined.append(f"`{name}`")
        else:
            modules[name] = module
            imports.append(f"`from {module} import {name}`")

    hint = "import from the file that defines it"
    suggested: tuple[Fix, ...] = ()
    if imports:
        hint = f"write {' and '.join(imports)}"
        suggested = (fixes.import_from(import_, modules),)
    if undefined:
        hint += f"; no model file defines {', '.join(undefined)}"
    return Diagnostic(
        Problem.IMPORT_FROM_PACKAGE,
        place_of_module(import_),
        f"`{', '.join(names)}` is imported from the package `{import_.module}`, "
        "not from a file",
        hint,
        fixes=suggested,
    )


def check_imported_names(
    modular: ModularFile,
    parents: Mapping[str, ParentSource],
    settings: Settings,
    likely_name: Callable[[ParentSource, str], str | None],
) -> list[Diagnostic]:
    """Report wrong names in the imports from parent files.

    A name is wrong in these cases:

    - The name is a configuration, and the file is a modeling file. The configuration must
      be imported from `configuration_llama`, not from `modeling_llama`.
    - The parent file does not have the name.
    - A class of the modular file inherits from the name, but the parent file does not
      define a class of this name.

    Args:
        modular: The modular file.
        parents: The parent files by path. Imports from other files are not checked.
        settings: The settings of the project.
        likely_name: Returns the class of a parent file that is probably meant by a name
            that the file does not define, or None. The hint suggests it.
    """
    checker = _NameChecker(modular, parents, settings, likely_name)
    problems = []
    for path, import_ in modular.model_imports:
        if path not in parents:
            continue
        for alias in import_.names:
            problem = checker.check(alias, import_, path)
            if problem is not None:
                problems.append(problem)
    return problems


class _Advice(NamedTuple):
    """A hint, and the fixes that follow it."""

    hint: str
    fixes: tuple[Fix, ...] = ()


def _report_name(
    name: str, import_: Import, message: str, advice: _Advice
) -> Diagnostic:
    """Return the error about a name that cannot be imported from its parent file.

    Args:
        name: The name.
        import_: The import, which is marked at the name.
        message: The description of the error.
        advice: The hint and the fixes.
    """
    return Diagnostic(
        Problem.NAME_NOT_IN_PARENT,
        place_of_word(import_.statement.bare_code, name),
        message,
        advice.hint,
        fixes=advice.fixes,
    )


@dataclass(frozen=True, eq=False)
class _NameChecker:
    """Checks the names that a modular file imports from parent files.

    Attributes:
        modular: The modular file.
        parents: The parent files by path.
        settings: The settings of the project.
        likely_name: Returns the new name of a parent class that upstream may have
            renamed, or None.
    """

    modular: ModularFile
    parents: Mapping[str, ParentSource]
    settings: Settings
    likely_name: Callable[[ParentSource, str], str | None]

    def check(self, alias: Alias, import_: Import, path: str) -> Diagnostic | None:
        """Return the error about an imported name; None if the name is right.

        Args:
            alias: The name as the import writes it, and the name that it binds.
            import_: The import.
            path: The path of the parent file.
        """
        parent = self.parents[path]
        is_base = alias.bound in self.modular.base_names

        has_config_files = CONFIGURATION in self.settings.all_file_types
        if alias.name.endswith("Config") and has_config_files:
            file_type = file_types.of_file(PurePosixPath(path).stem, self.settings)
            if file_type == MODELING:
                return _config_from_modeling(alias.name, import_, path)

        if alias.name not in parent.names:
            # By the rules of transformers, the base `LlamaMLP` can mean `LLaMAMLP`. The lint
            # rule `respelled-parent` warns about it.
            can_respell = is_base and not self.settings.is_like_python
            if can_respell and parent.find_other_spelling(alias.name):
                return None
            return self._missing_name(alias, import_, path)

        if is_base and alias.name not in parent.classes:
            return _not_a_class(alias.name, import_, parent)
        return None

    def _missing_name(
        self, alias: Alias, import_: Import, path: str
    ) -> Diagnostic | None:
        """Report the import of a name from a parent file that does not have it.

        The hint says from which other parent file, or under which name, to import it.

        Args:
            alias: The name as the import writes it, and the name that it binds.
            import_: The import.
            path: The path of the parent file.

        Returns:
            The error. None if a lint rule warns about the import instead.
        """
        name = alias.name
        parent = self.parents[path]
        if name == "*":
            return _star_import(import_, parent, self.modular)

        advice = self._advise_other_file(name, import_)
        is_base = alias.bound in self.modular.base_names
        if advice is not None and not is_base:
            # The lint rule `wrong-parent-file` warns about names that another file has.
            return None
        if advice is None:
            advice = self._advise_other_name(alias, parent)
        return _report_name(name, import_, f"`{path}` has no `{name}`", advice)

    def _advise_other_file(self, name: str, import_: Import) -> _Advice | None:
        """Advise to import a name from another parent file that has the name.

        Returns:
            The advice with a fix. None if no parent file that the modular file imports
            from has the name.
        """
        for path, other_import in self.modular.model_imports:
            if path in self.parents and name in self.parents[path].names:
                fix = fixes.import_from(import_, {name: other_import.source})
                return _Advice(f"import it from `{path}`", (fix,))
        return None

    def _advise_other_name(self, alias: Alias, parent: ParentSource) -> _Advice:
        """Advise which name to import in place of one that the parent file lacks."""
        name = alias.name
        likely = None
        if alias.bound in self.modular.base_names:
            # Only a class can be a base.
            importable_names = parent.classes
            likely = self.likely_name(parent, alias.bound)
        else:
            importable_names = _importable_names(parent)

        code = self.modular.module.code
        # A very similar name is a misspelling, which is more probable than a renamed class.
        if likely and not nearest(name, importable_names, _MISSPELLING_SIMILARITY):
            hint = f"it may be called `{likely}` now"
            return _Advice(hint, (fixes.rename(code, name, likely),))
        close_names = nearest(name, importable_names)
        if close_names:
            renames = [fixes.rename(code, name, close) for close in close_names]
            return _Advice(did_you_mean(name, importable_names), tuple(renames))
        if parent.classes:
            example = min(parent.classes)
            return _Advice(f"import a name that it defines, such as `{example}`")
        return _Advice("it defines no classes; check that it is the right file")


def _importable_names(parent: ParentSource) -> frozenset[str]:
    """Return the names of a parent file, except configurations that it only imports."""
    return frozenset(
        name
        for name in parent.names
        if name in parent.classes or not name.endswith("Config")
    )


def _star_import(
    import_: Import, parent: ParentSource, modular: ModularFile
) -> Diagnostic:
    """Report `from ..llama.modeling_llama import *`, because names must be listed.

    The hint and the fix list the names that the modular file uses.
    """
    words: set[str] = set()
    # A name that the modular file defines or imports itself does not come from `*`.
    bound_names: set[str] = set()
    for statement in modular.module.block.statements:
        bound_names |= {statement.name} | imported_names(statement)
        if statement is not import_.statement:
            words |= statement.words
    used_names = ", ".join(sorted((parent.names & words) - bound_names))

    message = (
        "a model import must list its names, but this one imports `*` from "
        f"`{parent.module.path}`"
    )
    if used_names:
        place = place_of_word(import_.statement.bare_code, "*")
        fix = fixes.replace(place, used_names, f"Write `import {used_names}`")
        advice = _Advice(f"write `from {import_.source} import {used_names}`", (fix,))
    else:
        advice = _Advice("list the names that you need, or remove the import")
    return _report_name("*", import_, message, advice)


def _not_a_class(name: str, import_: Import, parent: ParentSource) -> Diagnostic:
    """Report a base that its parent file does not define as a class.

    If the parent file imports the class itself, the hint says from where to import it.
    """
    path = parent.module.path
    source = _find_source(name, parent)
    if source is None:
        message = f"`{name}` in `{path}` is not a class, so you cannot inherit from it"
        return _report_name(name, import_, message, _Advice("inherit from a class"))
    message = f"`{path}` imports `{name}`, but does not define it"
    fix = fixes.import_from(import_, {name: source})
    advice = _Advice(f"write `from {source} import {name}`", (fix,))
    return _report_name(name, import_, message, advice)


def _find_source(name: str, parent: ParentSource) -> str | None:
    """Return the module from which a parent file imports a name.

    Returns:
        The module as a modular file imports it. None if the file does not import the
        name.
    """
    # If several imports bind the name, the last one counts.
    for import_ in reversed(parent.module.imports):
        if name not in import_.bound_names:
            continue
        if import_.level != 1:
            return import_.source
        # `.modeling_a` in the folder `llama` becomes `..llama.modeling_a`.
        folder = PurePosixPath(parent.module.path).parent.name
        return f"..{folder}{import_.source}"
    return None


def _config_from_modeling(name: str, import_: Import, path: str) -> Diagnostic:
    """Report a configuration that is imported from a modeling file.

    The hint and the fix replace `modeling_llama` in the import with `configuration_llama`,
    which defines the configuration.
    """
    source = import_.source.replace(f"{MODELING}_", "configuration_")
    return Diagnostic(
        Problem.CONFIG_FROM_MODELING,
        place_of_word(import_.statement.bare_code, name),
        f"the configuration `{name}` is imported from the modeling file `{path}`",
        f"write `from {source} import {name}`",
        fixes=(fixes.import_from(import_, {name: source}),),
    )
