"""Compares the source library with the release that the settings record."""

from modular.project.project import Project
from modular.settings.settings import SETTINGS_FILE, line_in_settings
from modular.source.diagnostics import Diagnostic, Place, Problem


_KEY = "tool.modular.source-release"


def find_other_release(project: Project) -> list[Diagnostic]:
    """Report a source library whose release is not the one in the setting `source-release`.

    The setting may be the beginning of a release: 5.23 stands for 5.23.0 and 5.23.1.
    """
    recorded = project.settings.source_release
    installed = project.library_version
    if not recorded or installed is None:
        return []
    # The dots keep 5.2 from standing for 5.23.
    if f"{installed}.".startswith(f"{recorded}."):
        return []

    name = project.settings.library_name
    message = (
        f"{name} {installed} is installed, but the files were generated with {recorded}"
    )
    hint = (
        f"install {name}=={recorded}, "
        f"or set `source-release` to {installed} and run `modular convert`"
    )
    problem = Diagnostic(
        code=Problem.OTHER_RELEASE,
        place=Place(SETTINGS_FILE, line_in_settings(project.root, _KEY)),
        message=message,
        hint=hint,
    )
    return [problem]
