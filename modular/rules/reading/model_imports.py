"""Model imports: `from ..other.modeling_other import X` names a parent file, and what it names is inlined.

A model import is not copied to the output. It names a model file of another model, by a relative import or from the
setting `package`, such as `transformers.models.llama.modeling_llama`. In a modular file outside the models folder, the
relative forms name a model of that folder too. A class is its parent class where a class of the
modular inherits from it; functions and assignments are copied, with all that they need. The modules of the setting
`ordinary-imports`, such as `auto.modeling_auto`, are imported like any other. One form of model import serves as an ordinary
import too: that which names the folder of all models, `from ...models.llama.modeling_llama import LlamaNorm`. What is used
of it under its own name, and was not copied, is imported.

A parent class may be spelled with other capitals in its model's name than in its file, where the renaming makes both the same;
a warning says so.

Refused are parent files that are not there, names that are not in them, parents that are not classes of theirs,
configurations taken from a modeling file, imports of all names at once and imports from the library as a whole.

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

A class that is used as it is:

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
from pathlib import PurePosixPath

from modular.rules.files import file_types
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import ParentSource
from modular.settings.settings import MODELING, Settings
from modular.source import fixes
from modular.source.diagnostics import Diagnostic, Fix, Problem, did_you_mean, nearest
from modular.source.import_statements import Import, imported_names
from modular.source.places import place_of_module, place_of_word


_MISSPELT = 0.85
"""How alike two names are of which one is the other with a letter or two wrong."""


def check_library_imports(
    modular: ModularFile, settings: Settings, find_import: Callable[[str], str | None]
) -> list[Diagnostic]:
    """Report imports from the library as a whole, and model imports from outside the root: nothing can be read for them.

    ``find_import`` gives the module of the model file that defines a name.
    """
    problems = []
    depth = len(PurePosixPath(modular.path).parent.parts)
    resolved = {id(import_) for _, import_ in modular.model_imports}
    for import_ in modular.module.imports:
        if id(import_) in resolved:
            continue
        if import_.level - 1 > depth and file_types.of_file(
            (import_.module or "").rpartition(".")[2], settings
        ):
            message = f"`{import_.source}` leads out of the project's root"
            hint = f"a parent file is named relative to `{modular.path}`, and is below the root"
            problems.append(
                Diagnostic(
                    Problem.OUTSIDE_ROOT, place_of_module(import_), message, hint
                )
            )
        if import_.level == 0 and import_.module == settings.library_name:
            names = ", ".join(name.name for name in import_.names)
            message = f"`{names}` is imported from `{import_.module}` as a whole, which is not a file that could be read"
            files = {name.name: find_import(name.name) for name in import_.names}
            known = {name: file for name, file in files.items() if file is not None}
            suggested = (fixes.import_from(import_, known),) if known else ()
            place, hint = place_of_module(import_), _from_its_file(files)
            problems.append(
                Diagnostic(
                    Problem.IMPORT_FROM_PACKAGE, place, message, hint, fixes=suggested
                )
            )
    return problems


def _from_its_file(files: Mapping[str, str | None]) -> str:
    """Say from where to import names instead of the library as a whole."""
    imports = [
        f"`from {file} import {name}`"
        for name, file in files.items()
        if file is not None
    ]
    unknown = ", ".join(f"`{name}`" for name, file in files.items() if file is None)
    hint = (
        f"write {' and '.join(imports)}"
        if imports
        else "import from the file that defines it"
    )
    return f"{hint}; no model file defines {unknown}" if unknown else hint


def check_imported_names(
    modular: ModularFile,
    parents: Mapping[str, ParentSource],
    settings: Settings,
    likely_name: Callable[[ParentSource, str], str | None],
) -> list[Diagnostic]:
    """Report names that their parent file does not have, and configurations taken from a modeling file.

    Imports from files that are not among ``parents`` are passed over. ``likely_name`` gives what a parent class that is
    not in its file may be called there now.
    """
    problems = []
    for path, import_ in modular.model_imports:
        if path not in parents:
            continue
        is_modeling = file_types.of_file(PurePosixPath(path).stem, settings) == MODELING
        for name in import_.names:
            if name.name.endswith("Config") and is_modeling:
                problems.append(_config_from_modeling(path, import_, name.name))
            elif name.name not in parents[path].names:
                is_base = name.bound in modular.base_names
                others = [
                    other
                    for other, parent in parents.items()
                    if name.name in parent.names
                ]
                if is_base and parents[path].find_other_spelling(name.name):
                    continue
                if is_base or not others:
                    likely = likely_name(parents[path], name.bound) if is_base else None
                    problems.append(
                        _not_there(
                            name.name, path, import_, parents, modular, likely, others
                        )
                    )
            elif (
                name.bound in modular.base_names
                and name.name not in parents[path].classes
            ):
                problems.append(_no_class(name.name, path, import_, parents[path]))
    return problems


def _not_there(
    name: str,
    path: str,
    statement: Import,
    parents: Mapping[str, ParentSource],
    modular: ModularFile,
    likely: str | None,
    others: Sequence[str],
) -> Diagnostic:
    """A name that its file does not have; ``others`` are the parent files that do."""
    if name == "*":
        return _star_import(path, statement, parents[path], modular)
    place = place_of_word(statement.statement.own, name)
    message = f"`{path}` has no `{name}`"
    if not others:
        hint, suggested = (
            _nearest(name, parents[path]),
            _spellings(name, parents[path], modular),
        )
        if likely and not did_you_mean(name, parents[path].names, _MISSPELT):
            hint, suggested = (
                f"it may be called `{likely}` now",
                (fixes.rename(modular.module.code, name, likely),),
            )
        return Diagnostic(
            Problem.NAME_NOT_IN_PARENT, place, message, hint, fixes=suggested
        )
    source = next(
        import_.source for other, import_ in modular.model_imports if other == others[0]
    )
    fix = fixes.import_from(statement, {name: source})
    return Diagnostic(
        Problem.NAME_NOT_IN_PARENT,
        place,
        message,
        f"import it from `{others[0]}`",
        fixes=(fix,),
    )


def _star_import(
    path: str, statement: Import, parent: ParentSource, modular: ModularFile
) -> Diagnostic:
    """Report an import of all names, with those that the modular file uses."""
    place = place_of_word(statement.statement.own, "*")
    message = f"all names of `{path}` are imported at once, but a model import must list the names"
    words = set[str]()
    bound = set[str]()
    for other in modular.module.block.statements:
        bound |= {other.name} | imported_names(other)
        if other is not statement.statement:
            words |= other.words
    used = sorted((parent.names & words) - bound)
    if not used:
        hint = "list the names that you need, or remove the import"
        return Diagnostic(Problem.NAME_NOT_IN_PARENT, place, message, hint)
    listed = ", ".join(used)
    fix = fixes.write(place, listed, f"Write `import {listed}`")
    hint = f"write `from {statement.source} import {listed}`"
    return Diagnostic(Problem.NAME_NOT_IN_PARENT, place, message, hint, fixes=(fix,))


def _spellings(
    name: str, parent: ParentSource, modular: ModularFile
) -> tuple[Fix, ...]:
    """The nearest names, written wherever the modular file has the wrong one."""
    near = nearest(name, parent.names)
    return tuple(fixes.rename(modular.module.code, name, other) for other in near)


def _no_class(
    name: str, path: str, statement: Import, parent: ParentSource
) -> Diagnostic:
    """A parent that its file does not define as a class, but imports, or defines as something else."""
    place = place_of_word(statement.statement.own, name)
    message = f"`{name}` is not a class of `{path}`, so nothing can be inherited from it there"
    hint, suggested = "inherit from a class", []
    for import_ in parent.module.imports:
        if name in (alias.bound for alias in import_.names):
            folder = (
                f"..{PurePosixPath(path).parent.name}" if import_.level == 1 else ""
            )
            message = f"`{path}` only imports `{name}`, it does not define it"
            hint = f"write `from {folder}{import_.source} import {name}`"
            suggested = [fixes.import_from(statement, {name: folder + import_.source})]
    return Diagnostic(
        Problem.NAME_NOT_IN_PARENT, place, message, hint, fixes=tuple(suggested)
    )


def _config_from_modeling(path: str, statement: Import, name: str) -> Diagnostic:
    place = place_of_word(statement.statement.own, name)
    source = statement.source.replace(f"{MODELING}_", "configuration_")
    message = f"the configuration `{name}` is imported from the modeling file `{path}`"
    hint, fix = (
        f"write `from {source} import {name}`",
        fixes.import_from(statement, {name: source}),
    )
    return Diagnostic(Problem.CONFIG_FROM_MODELING, place, message, hint, fixes=(fix,))


def _nearest(name: str, parent: ParentSource) -> str:
    if near := did_you_mean(name, parent.names):
        return near
    if parent.classes:
        return f"name what you need of it, such as `{min(parent.classes)}`"
    return "it defines no classes: check that it is the file that you mean"
