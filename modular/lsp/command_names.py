"""The commands that an editor can give."""

CONVERT = "modular.convert"
"""Write what is generated from a modular file, or from all of a project."""

GO_TO_ORIGIN = "modular.goToOrigin"
"""Show where a line of a generated file comes from."""

SHOW_REFERENCES = "modular.showReferences"
"""Return the places that inherit from a class; editors that can show a list do it themselves."""
