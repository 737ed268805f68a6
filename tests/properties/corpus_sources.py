"""Random modular files over the parents of the corpus: two to six classes with the language's features in any combination."""

import ast
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from bench.corpus import installed
from modular.project.library import find_library
from modular.settings.settings import from_table


MODEL, CASED = "child", "Child"
FILES = (
    "modeling",
    "configuration",
    "processing",
    "image_processing",
    "image_processing_pil",
    "video_processing",
)


@dataclass(frozen=True)
class Parent:
    """A parent class: its name, its methods with their parameters, what `__init__` assigns, and its attributes."""

    name: str
    methods: tuple[tuple[str, str], ...]
    assigned: tuple[str, ...]
    attributes: tuple[str, ...]


@dataclass(frozen=True)
class ParentFile:
    """A parent file: its module, the cased name of its model, its classes and its functions (not those that it renames)."""

    module: str
    cased: str
    classes: tuple[Parent, ...]
    functions: tuple[str, ...]


@cache
def parent_files() -> tuple[Path, ...]:
    """The model files of the corpus that define something."""
    models = installed() / "models"
    paths = (
        path
        for kind in FILES
        for path in models.glob(f"*/{kind}_*.py")
        if path.stem == f"{kind}_{path.parent.name}"
    )
    return tuple(sorted(path for path in paths if path.parent.name != "auto"))


@cache
def read(path: Path) -> ParentFile:
    """Read a parent file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    model = path.parent.name
    library = find_library(Path(), "transformers", from_table({}))
    nodes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    spellings = Counter(_plain(node.name) for node in nodes)
    classes = tuple(
        _parent(node) for node in nodes if spellings[_plain(node.name)] == 1
    )
    names = (node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    functions = tuple(name for name in names if _plain(model) not in _plain(name))
    return ParentFile(
        f"transformers.models.{model}.{path.stem}",
        library.names.cased(model),
        classes,
        functions,
    )


def _plain(name: str) -> str:
    """A name in the spelling that two classes of a file may not share: renamed, they would be one."""
    return name.replace("_", "").lower()


def _parent(node: ast.ClassDef) -> Parent:
    functions = [
        statement
        for statement in node.body
        if isinstance(statement, ast.FunctionDef) and not statement.decorator_list
    ]
    init = next(
        (function for function in functions if function.name == "__init__"), None
    )
    assigned = [
        statement.targets[0].attr
        for statement in (init.body if init else [])
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Attribute)
    ]
    attributes = [
        statement.targets[0].id
        for statement in node.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
    ]
    return Parent(
        node.name,
        tuple((function.name, _parameters(function.args)) for function in functions),
        tuple(assigned),
        tuple(attributes),
    )


def _parameters(arguments: ast.arguments) -> str:
    """Parameters without annotations, and with constants only: the modular file imports no names for them."""
    every = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    for argument in filter(None, every):
        argument.annotation = None
    arguments.defaults = [
        default if isinstance(default, ast.Constant) else ast.Constant(None)
        for default in arguments.defaults
    ]
    arguments.kw_defaults = [
        kw_default
        if kw_default is None or isinstance(kw_default, ast.Constant)
        else ast.Constant(None)
        for kw_default in arguments.kw_defaults
    ]
    return ast.unparse(arguments)


@st.composite
def _method(draw: st.DrawFn, parent: Parent, used: tuple[str, ...]) -> list[str]:
    """An override of one of the parent's methods, or a method of the class's own."""
    name, parameters = draw(
        st.sampled_from((*parent.methods, ("brand_new", "self, x")))
    )
    own = draw(st.sampled_from(used))
    if name == "brand_new":
        return [f"    def {name}(self, x):", f"        return {own}", ""]
    how = draw(
        st.sampled_from(("raise", "write", "unravel", "unravel", "kwargs", "call"))
    )
    if how == "raise" and name != "__init__":
        return [
            f"    def {name}(self):",
            '        raise AttributeError("not here")',
            "",
        ]
    heads = {
        "unravel": parameters,
        "raise": parameters,
        "kwargs": "self, extra=None, **super_kwargs",
    }
    head = heads.get(how, "self, *args, extra=None, **kwargs")
    before = draw(st.sampled_from(([], ["size = 1"], [f"size = {own}"])))
    after = draw(
        st.sampled_from(([], ["self.extra = 1"], [f"self.extra = {own}  # kept"]))
    )
    if how in ("write", "call"):
        body = [*before, *after, "return None" if name == "__init__" else "return 1"]
        if how == "call":
            body = [f"super().{name}_of_base(1)", *body]
    else:
        targets = parent.assigned if name == "__init__" else ()
        if targets and draw(st.booleans()):
            target = draw(st.sampled_from(targets))
            after = [
                *after,
                draw(st.sampled_from((f"del self.{target}", f"self.{target} = {own}"))),
            ]
        body = [*before, f"super().{name}()", *after]
    docstring = draw(st.sampled_from(([], ['"""Says more."""'])))
    return [
        f"    def {name}({head}):",
        *(f"        {line}" for line in [*docstring, *body]),
        "",
    ]


@st.composite
def _class(
    draw: st.DrawFn, name: str, parent: Parent, used: tuple[str, ...]
) -> list[str]:
    lines = draw(st.sampled_from(([], ['    """Another one."""', ""])))
    values = ("1", "None", "[1, 2]", *used)
    for attribute in draw(
        st.lists(
            st.sampled_from((*parent.attributes, "fresh")), max_size=2, unique=True
        )
    ):
        removal = ("AttributeError()",) if attribute in parent.attributes else ()
        lines = [
            *lines,
            f"    {attribute} = {draw(st.sampled_from((*values, *removal)))}",
        ]
    methods: dict[str, list[str]] = {}
    for _ in range(draw(st.integers(0, 2))):
        method = draw(_method(parent, used))
        methods[method[0].partition("(")[0]] = method
    lines = [*lines, "", *(line for method in methods.values() for line in method)]
    decorator = draw(st.sampled_from(([], [], ["@no_inherit_decorator"])))
    return [
        *decorator,
        f"class {name}({parent.name}):",
        *(lines if any(lines) else ["    pass"]),
        "",
        "",
    ]


@st.composite
def corpus_sources(draw: st.DrawFn) -> str:
    """A modular file of the model `child`."""
    files = draw(
        st.lists(
            st.sampled_from(parent_files()).map(read),
            min_size=1,
            max_size=3,
            unique=True,
        )
    )
    choices = [
        (file, class_)
        for file in files
        for class_ in file.classes
        if class_.name.startswith(file.cased)
    ]
    if not choices:
        choices = [(file, class_) for file in files for class_ in file.classes]
    picked = (
        draw(
            st.lists(
                st.sampled_from(choices or [None]), min_size=2, max_size=6, unique=True
            )
        )
        if len(choices) > 1
        else []
    )
    names = {
        f"{CASED}{parent.name.removeprefix(file.cased)}": (file, parent)
        for file, parent in picked
    }
    taken: dict[str, set[str]] = {}
    for file, parent in names.values():
        taken.setdefault(file.module, set()).add(parent.name)
    functions = [(file, name) for file in files for name in file.functions]
    imported = (
        draw(st.lists(st.sampled_from(functions), max_size=1)) if functions else []
    )
    for file, name in imported:
        taken.setdefault(file.module, set()).add(name)
    used = ("1", "helper", "TABLE", *(name for _, name in imported))
    lines = [
        "import math",
        "",
        *(
            f"from {module} import {', '.join(sorted(found))}"
            for module, found in taken.items()
        ),
    ]
    lines += [
        "",
        "",
        "TABLE = {1: math.pi}",
        'TABLE["more"] = 2',
        "",
        "",
        "def helper(x):",
        "    return TABLE",
        "",
        "",
    ]
    for name, (_, parent) in names.items():
        lines += draw(_class(name, parent, used))
    if draw(st.booleans()) or not names:
        lines += [
            f"class {CASED}Extra:",
            f"    table = {draw(st.sampled_from(used))}",
            "",
            "",
        ]
    exported = ", ".join(f'"{name}"' for name in names)
    return "\n".join([*lines, f"__all__ = [{exported}]"]) + "\n"
