"""Random small parent files and modular files, in which every name that is used is defined."""

from dataclasses import dataclass

from hypothesis import strategies as st


PARTS = ("Norm", "MLP", "Attention", "Layer")
FUNCTIONS = ("rotate", "scale", "merge")
TABLES = ("LIMITS", "_CHECKPOINT_FOR_DOC", "KINDS")
ATTRIBUTES = ("size", "kinds", "is_wide", "_no_split")
VALUES = ("1", '"base"', '["a", "b"]', "None", "{1: 2}")
FIELDS = ("weight", "bias", "inner", "rate")
METHODS = ("forward", "extra_repr", "reset", "grow")


@dataclass(frozen=True)
class Sources:
    """A parent file and a modular file, and the parent classes whose children are empty."""

    parent: str
    modular: str
    empty: tuple[str, ...]


@dataclass(frozen=True)
class _Parent:
    text: str
    classes: tuple[str, ...]
    functions: tuple[str, ...]
    tables: tuple[str, ...]


def _indent(lines: list[str], depth: int) -> list[str]:
    return [f"{' ' * 4 * depth}{line}" if line else "" for line in lines]


@st.composite
def _statements(draw: st.DrawFn, callables: tuple[str, ...]) -> list[str]:
    """Assignments to fields, a few of them by way of something callable."""
    lines = []
    for field in draw(st.lists(st.sampled_from(FIELDS), max_size=3)):
        value = draw(
            st.sampled_from(
                (
                    "config.size",
                    "1 + 1",
                    "[config]",
                    *(f"{name}(config)" for name in callables),
                )
            )
        )
        comment = draw(st.sampled_from(("", "", "  # kept")))
        annotation = draw(st.sampled_from(("", "", ": object")))
        if draw(st.booleans()) and draw(st.booleans()):
            lines.append(f"# about {field}")
        lines.append(f"self.{field}{annotation} = {value}{comment}")
    return lines


@st.composite
def _method(
    draw: st.DrawFn, name: str, callables: tuple[str, ...], own: bool
) -> list[str]:
    """A method of a parent, or one that a modular class writes out."""
    decorators = draw(st.sampled_from(([], [], ["@no_grad"])))
    arguments = draw(st.sampled_from(("x", "x, *, deep=False", "x, **kwargs")))
    returns = draw(st.sampled_from(("", " -> object")))
    docstring = draw(st.sampled_from(([], ['"""Says base."""'])))
    used = draw(st.sampled_from(("x", *(f"{name}(x)" for name in callables))))
    prefix = draw(st.sampled_from(("", "async "))) if own and name == "grow" else ""
    return [
        *decorators,
        f"{prefix}def {name}(self, {arguments}){returns}:",
        *_indent([*docstring, f"y = {used}", "return y"], 1),
    ]


_PROPERTY = [
    "@property",
    "def depth(self):",
    "    return self._depth",
    "",
    "@depth.setter",
    "def depth(self, value):",
]


@st.composite
def _class(
    draw: st.DrawFn,
    part: str,
    earlier: tuple[str, ...],
    functions: tuple[str, ...],
    tables: tuple[str, ...],
) -> list[str]:
    callables = (*(f"Base{name}" for name in earlier), *functions)
    lines = [f"class Base{part}(Module):"]
    if draw(st.booleans()):
        lines += _indent([f'"""The base {part}."""', ""], 1)
    for attribute in draw(
        st.lists(st.sampled_from(ATTRIBUTES), max_size=2, unique=True)
    ):
        lines += _indent(
            [f"{attribute} = {draw(st.sampled_from((*VALUES, *tables)))}"], 1
        )
    body = [
        "super().__init__()",
        *draw(_statements(callables)),
        *draw(st.sampled_from(([], ["self.post_init()"]))),
    ]
    lines += _indent(["", "def __init__(self, config):", *_indent(body, 1)], 1)
    for method in draw(st.lists(st.sampled_from(METHODS), max_size=2, unique=True)):
        lines += _indent(["", *draw(_method(method, callables, own=False))], 1)
    if draw(st.booleans()):
        lines += _indent(["", *_PROPERTY, "    self._depth = value"], 1)
    return lines


@st.composite
def _parents(draw: st.DrawFn) -> _Parent:
    lines = ["from torch import no_grad", "from torch.nn import Module", "", ""]
    tables = tuple(draw(st.lists(st.sampled_from(TABLES), max_size=2, unique=True)))
    for table in tables:
        lines += [f'{table} = {{"base": 1}}']
        if draw(st.booleans()):
            lines += [f'{table}["more"] = 2']
    functions: tuple[str, ...] = ()
    for name in draw(st.lists(st.sampled_from(FUNCTIONS), max_size=3, unique=True)):
        used = draw(
            st.sampled_from(
                (
                    "x",
                    *(f"{function}(x)" for function in functions),
                    *(f"{table}.get(x)" for table in tables),
                )
            )
        )
        lines += ["", "", f"def {name}(x):", f"    return {used}"]
        functions = (*functions, name)
    classes = tuple(draw(st.lists(st.sampled_from(PARTS), min_size=1, unique=True)))
    for index, part in enumerate(classes):
        lines += ["", "", *draw(_class(part, classes[:index], functions, tables))]
    return _Parent("\n".join(lines) + "\n", classes, functions, tables)


@st.composite
def _unravelled(draw: st.DrawFn, callables: tuple[str, ...]) -> list[str]:
    before = draw(st.sampled_from(([], ["size = config.size"])))
    after = [
        *draw(_statements(callables)),
        *draw(st.sampled_from(([], ["del self.weight"], ["del self.rate"]))),
    ]
    return [
        "def __init__(self, config):",
        *_indent([*before, "super().__init__(config)", *after], 1),
    ]


@st.composite
def _child(
    draw: st.DrawFn, part: str, callables: tuple[str, ...], tables: tuple[str, ...]
) -> list[str]:
    """The body of a modular class."""
    body: list[str] = []
    if draw(st.booleans()):
        body += [f'"""Another {part}."""', ""]
    for attribute in draw(
        st.lists(st.sampled_from(ATTRIBUTES), max_size=2, unique=True)
    ):
        body += [
            f"{attribute} = {draw(st.sampled_from((*VALUES, *tables, 'AttributeError()')))}"
        ]
    if draw(st.booleans()):
        body += ["", *draw(_unravelled(callables))]
    for method in draw(st.lists(st.sampled_from(METHODS), max_size=2, unique=True)):
        if draw(st.booleans()):
            body += ["", *draw(_method(method, callables, own=True))]
        else:
            body += [
                "",
                f"def {method}(self, x):",
                '    raise AttributeError("not here")',
            ]
    return body


@st.composite
def sources(draw: st.DrawFn) -> Sources:
    """A parent file `base` and a modular file `child`."""
    parent = draw(_parents())
    taken = (
        tuple(part for part in parent.classes if draw(st.booleans()))
        or parent.classes[-1:]
    )
    functions = tuple(name for name in parent.functions if draw(st.booleans()))
    tables = tuple(name for name in parent.tables if draw(st.booleans()))
    imported = ", ".join([*(f"Base{part}" for part in taken), *functions, *tables])
    lines = ["from torch import no_grad", "from torch.nn import Module", ""]
    lines += [f"from ..base.modeling_base import {imported}", "", ""]
    own = tuple(
        name
        for name in ("rotate", "twist")
        if name not in functions and draw(st.booleans())
    )
    for name in own:
        lines += [
            f"def {name}(x):",
            f"    return {draw(st.sampled_from(('x', *(f'{function}(x)' for function in functions))))}",
            "",
            "",
        ]
    empty = []
    for index, part in enumerate(taken):
        callables = (*functions, *own, *(f"Child{name}" for name in taken[:index]))
        body = draw(_child(part, callables, tables)) if draw(st.booleans()) else []
        if not body:
            empty.append(part)
        lines += [
            f"class Child{part}(Base{part}):",
            *_indent(body or ["pass"], 1),
            "",
            "",
        ]
    if draw(st.booleans()):
        used = draw(
            st.sampled_from(
                ("x", *(f"{function}(x)" for function in (*functions, *own)))
            )
        )
        lines += [
            "class ChildHead(Module):",
            "    @no_grad()",
            "    def forward(self, x):",
            f"        return {used}",
            "",
            "",
        ]
    exported = ", ".join(f'"Child{part}"' for part in taken)
    lines += [f"__all__ = [{exported}]"]
    return Sources(parent.text, "\n".join(lines) + "\n", tuple(empty))
