"""Relative imports that point outside the output folder, where what is generated goes to a folder of its own."""

from pathlib import PurePosixPath

from modular.lint.rule import LintRule
from modular.rules.renamed_file import RenamedFile
from modular.source.diagnostics import Place, Problem
from modular.source.import_statements import Import
from modular.source.places import place_of_module


class ImportOutsideOutput(LintRule):
    """A relative import leads out of the output folder.

    With the setting `output`, generated files are in another folder than their modular files, and relative imports are seen from
    there. Imports of other models are the same from both. What is further out is not.

    Use instead the absolute name of the module.

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
    library/models/olmo/modular_olmo.py:1:9: seen from `generated/olmo`, `...layers` points outside `generated`, and there is no such module
    hint: import it by an absolute name, in the modular file
    ```

    Valid `library/models/olmo/modular_olmo.py`:

    ```python
    from library.layers import Layer


    class OlmoMLP(Layer):
        scale = 2
    ```
    """

    code = Problem.IMPORT_OUTSIDE_OUTPUT
    message = "seen from `{folder}`, `{source}` points outside `{output}`, and there is no such module"
    hint = "import it by an absolute name, in the modular file"

    def check(self) -> None:
        """Look for such imports, each once, where there is no such module seen from the output folder."""
        output = self.subject.project.settings.output
        seen: set[str] = set()
        for module in self.subject.heads.values() if output else ():
            folder = PurePosixPath(module.path).parent
            for statement in module.imports:
                source = statement.source
                is_outside = statement.level - 1 > len(folder.relative_to(output).parts)
                if is_outside and source not in seen and not self._exists(folder, statement):
                    seen.add(source)
                    place, related = self._origin(source)
                    self.report(place, related=related, folder=folder, source=source, output=output)

    def _exists(self, folder: PurePosixPath, statement: Import) -> bool:
        if statement.level > len(folder.parts) + 1:
            return False
        above = (folder, *folder.parents)[statement.level - 1]
        target = above.joinpath(*filter(None, (statement.module or "").split(".")))
        return self.subject.exists(f"{target}.py") or self.subject.project.locate(str(target)).is_dir()

    def _origin(self, source: str) -> tuple[Place, Place | None]:
        """Where the modular file imports the same, or a parent file whose import is copied, and that file's import."""
        for statement in self.modular.module.imports:
            if statement.source == source:
                return place_of_module(statement), None
        for path, statement in self.modular.model_imports:
            if (inherited := _import_of(self.layout.parents[path], source)) is not None:
                return place_of_module(statement), inherited
        return Place(self.modular.path), None


def _import_of(parent: RenamedFile, source: str) -> Place | None:
    return next((place_of_module(statement) for statement in parent.imports if statement.source == source), None)
