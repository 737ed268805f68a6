"""Small projects that can be made as large as a test wants, each in one respect."""

from collections.abc import Callable, Mapping


PARENT_NAME = "modeling_base.py"
PARENT = f"models/base/{PARENT_NAME}"
CONFIG = "models/base/configuration_base.py"
MODULAR = "models/child/modular_child.py"
SETTINGS = '[tool.modular]\nformatter = "none"\n'
PYTHON_RULES = f'{SETTINGS}inheritance = "python"\n'
RUN = "    def run(self):\n        return 1\n"

Files = Mapping[str, str]


class Link(str):
    """The target of a symbolic link, which a project has in place of a file."""


def lines(numbers: range, template: str) -> str:
    """Repeat a text: `§` becomes each number, and `§§` the number after it."""
    return "".join(
        template.replace("§§", str(number + 1)).replace("§", str(number))
        for number in numbers
    )


def model(
    *,
    parent: str = RUN,
    above_parent: str = "",
    below_parent: str = "",
    names: str = "",
    above: str = "",
    bases: str = "BaseModel",
    body: str = "    size = 1\n",
    below: str = "",
) -> dict[str, str]:
    """Return `ChildModel`, which inherits from `BaseModel`, with more code around both."""
    imports = f"from ..base.modeling_base import BaseModel{names}\n"
    return {
        PARENT: f"{above_parent}\n\nclass BaseModel:\n{parent}{below_parent}",
        MODULAR: f"{imports}{above}\n\nclass ChildModel({bases}):\n{body}{below}",
    }


def configuration(fields: str, body: str = "    pass\n", below: str = "") -> Files:
    """Return `ChildConfig`, which inherits from `BaseConfig` with some fields."""
    imports = "from ..base.configuration_base import BaseConfig\n"
    return {
        CONFIG: "class BaseConfig:\n"
        f'    model_type = "base"\n    width: int = 1\n{fields}',
        MODULAR: f"{imports}\n\nclass ChildConfig(BaseConfig):\n{body}{below}",
    }


def setting(key: str, numbers: range, template: str) -> str:
    """Return a line of the settings with a list of texts."""
    values = lines(numbers, f'"{template}",\n')
    return f"{key} = [{values}]\n"


def method(name: str, statements: str) -> str:
    """Return a method with some statements."""
    return f"    def {name}(self):\n{statements}"


def init(assignments: str) -> str:
    """Return an `__init__` with some assignments."""
    return method("__init__", assignments)


def init_below_super(statements: str) -> str:
    """Return an `__init__` with some statements below the call of the parent's."""
    return init(f"        super().__init__()\n{statements}")


PARENT_ASSIGNMENTS = "        self.attribute§ = §\n"
PARENT_METHODS = "    def run§(self):\n        x = §\n        return x\n"
PARENT_CLASSES = "\n\nclass Base§:\n    def run(self):\n        return 1\n"

GENERATORS: Mapping[str, Callable[[range], Files]] = {
    "assignments": lambda n: model(
        above=lines(n, "a§ = §\n"), body=lines(n, "    b§ = a§\n")
    ),
    "assignments of the parent file": lambda n: model(
        above_parent=lines(n, "a§ = §\n"), parent=lines(n, "    b§ = a§\n") + RUN
    ),
    "functions of the parent file": lambda n: model(
        above_parent=lines(n, "\n\ndef g§():\n    return 1\n"),
        parent=method("run", lines(n, "        g§()\n")),
    ),
    "classes of the parent file": lambda n: model(
        above_parent=lines(n, PARENT_CLASSES),
        parent=method("run", lines(n, "        Base§()\n")),
    ),
    "children of one class": lambda n: model(
        below=lines(n, "\n\nclass Child§(BaseModel):\n    x = §\n")
    ),
    "a chain of subclasses": lambda n: model(
        below=f"\n\nclass Child{n.start}(ChildModel):\n    x = 1\n"
        + lines(n, "\n\nclass Child§§(Child§):\n    x = 1\n")
    ),
    "bases": lambda n: model(
        above="import m\n", bases="BaseModel" + lines(n, ", m.B§")
    ),
    "methods": lambda n: model(parent=lines(n, PARENT_METHODS) + RUN),
    "calls of super in methods": lambda n: model(
        parent=lines(n, PARENT_METHODS) + RUN,
        body=lines(
            n, "    def run§(self):\n        y = super().run§()\n        return -y\n"
        ),
    ),
    "calls of super in a method": lambda n: model(
        parent=lines(n, PARENT_METHODS) + RUN,
        body=method("run", lines(n, "        super().run§()\n")),
    ),
    "misspelt attributes of self": lambda n: model(
        parent=init(lines(n, PARENT_ASSIGNMENTS)) + RUN,
        body=method("go", lines(n, "        self.atribute§()\n")),
    ),
    "misspelt attributes of config": lambda n: configuration(
        lines(n, "    hidden_size§: int = §\n"),
        below="\n\nclass ChildModel:\n    def __init__(self, config):\n"
        + lines(n, "        self.a§ = config.hiden_size§\n"),
    ),
    "reads of unknown attributes": lambda n: model(
        body=method("go", lines(n, "        print(self.alpha§)\n"))
    ),
    "reads of attributes": lambda n: model(
        parent=init(lines(n, PARENT_ASSIGNMENTS)) + RUN,
        body=method("go", lines(n, "        print(self.attribute§)\n")),
    ),
    "new assignments in __init__": lambda n: model(
        parent=init("        self.x = 1\n") + RUN,
        body=init_below_super(lines(n, "        self.a§ = §\n")),
    ),
    "replaced assignments in __init__": lambda n: model(
        parent=init(lines(n, PARENT_ASSIGNMENTS)) + RUN,
        body=init_below_super(lines(n, "        self.attribute§ = -§\n")),
    ),
    "replaced and kept assignments in __init__": lambda n: model(
        parent=init(lines(n, "        self.a§ = §\n        self.b§ = f(§)\n")) + RUN,
        body=init_below_super(lines(n, "        self.a§ = -§\n")),
    ),
    "deletions in __init__": lambda n: model(
        parent=init(lines(n, PARENT_ASSIGNMENTS)) + RUN,
        body=init_below_super(lines(n, "        del self.attribute§\n")),
    ),
    "deleted and kept assignments in __init__": lambda n: model(
        parent=init(lines(n, "        self.a§ = §\n        self.b§ = f(self.a§)\n"))
        + method("run", lines(n, "        self.a§ = 0\n")),
        body=init_below_super(lines(n, "        del self.a§\n")),
    ),
    "kept assignments in __init__": lambda n: model(
        parent=init(lines(n, PARENT_ASSIGNMENTS)) + RUN,
        body=init_below_super(lines(n, "        self.attribute§ = self.attribute§\n")),
    ),
    "assignments that read what is set below": lambda n: model(
        parent=init(lines(n, PARENT_ASSIGNMENTS) + "        last = 1\n") + RUN,
        body=init_below_super(lines(n, "        self.attribute§ = last\n")),
    ),
    "assignments that read a variable of the child": lambda n: model(
        parent=init(lines(n, PARENT_ASSIGNMENTS)) + RUN,
        body=init_below_super(
            "        x = 1\n" + lines(n, "        self.attribute§ = x\n")
        ),
    ),
    "assignments that call one method": lambda n: model(
        parent=init(lines(n, PARENT_ASSIGNMENTS) + "        self.last = 1\n")
        + method("run", "        return self.last\n"),
        body=init_below_super(lines(n, "        self.attribute§ = self.run()\n")),
    ),
    "assignments that call a chain of methods": lambda n: model(
        parent=init(lines(n, PARENT_ASSIGNMENTS))
        + lines(n, "    def run§§(self):\n        return self.run§()\n")
        + RUN,
        body=init_below_super(lines(n, "        self.attribute§ = self.run§()\n")),
    ),
    "calls of next": lambda n: model(
        parent=init(
            "        x = iter(y)\n"
            + lines(n, "        self.a§ = 1\n        self.b§ = next(x)\n")
        )
        + RUN,
        body=init_below_super(lines(n, "        self.a§ = next(x)\n")),
    ),
    "assigned items": lambda n: model(
        parent=init(
            "        self.t = {}\n"
            + lines(n, "        self.t[§] = 1\n        self.b§ = len(self.t)\n")
        )
        + RUN,
        body=init_below_super(lines(n, "        self.t[§] = -1\n")),
    ),
    "special methods": lambda n: model(
        parent=init(lines(n, "        self.attribute§ = §\n        len(self)\n"))
        + lines(n, "    def __m§__(self):\n        return self.attribute§\n")
        + RUN,
        body=init_below_super(lines(n, "        self.attribute§ = -§\n")),
    ),
    "findings on one line": lambda n: configuration(
        lines(n, "    hidden§: int = §\n"),
        "    attribute_map = {" + lines(n, '"a§": "hiden§", ') + "}\n",
    ),
    "methods of a class with a deletion": lambda n: model(
        parent=init("        self.x = 1\n") + lines(n, PARENT_METHODS) + RUN,
        body=init_below_super("        del self.x\n"),
    ),
    "deleted attributes that are read": lambda n: model(
        parent=init(lines(n, PARENT_ASSIGNMENTS))
        + method("run", lines(n, "        print(self.attribute§)\n")),
        body=init_below_super(lines(n, "        del self.attribute§\n")),
    ),
    "removed attributes that are read": lambda n: model(
        parent=lines(n, "    a§ = §\n")
        + method("run", lines(n, "        print(self.a§)\n")),
        body=lines(n, "    a§ = AttributeError()\n"),
    ),
    "removed methods that are called": lambda n: model(
        parent=lines(n, PARENT_METHODS)
        + method("run", lines(n, "        self.run§()\n")),
        body=lines(n, "\n    def run§(self):\n        raise AttributeError()\n"),
    ),
    "comments": lambda n: model(
        above=lines(n, "# comment §\n"), body=lines(n, "    # comment §\n    x§ = §\n")
    ),
    "comments in a method": lambda n: model(
        parent=method("run", lines(n, "        # comment §\n        print(§)\n")),
        body=method(
            "run", "        super().run()\n" + lines(n, "        print(-§)  # a\n")
        ),
    ),
    "ignore comments": lambda n: model(
        above=lines(n, "a§ = 1  # modular: ignore[MOD402]\n")
    ),
    "repeated methods": lambda n: model(
        parent=lines(n, PARENT_METHODS) + RUN, body=lines(n, PARENT_METHODS)
    ),
    "decorated parents": lambda n: model(
        names=lines(n, ", Base§"),
        above_parent="from lib import wrap\n",
        below_parent=lines(n, PARENT_CLASSES.replace("class", "@wrap\nclass")),
        below=lines(n, "\n\nclass Child§(Base§):\n    x = 1\n"),
    ),
    "parents that use each other": lambda n: model(
        names=lines(n, ", Base§"),
        below_parent=lines(n, PARENT_CLASSES.replace("return 1", "return Base§§()")),
        below=lines(n, "\n\nclass Child§(Base§):\n    x = 1\n"),
    ),
    "imports": lambda n: model(
        above=lines(n, "from lib.m§ import n§\n"), body=lines(n, "    x§ = n§\n")
    ),
    "unused imports": lambda n: model(above=lines(n, "from lib.m§ import n§\n")),
    "names of one import": lambda n: model(
        above="from lib import a" + lines(n, ", n§") + "\n",
        body=lines(n, "    x§ = n§\n"),
    ),
    "imports in blocks": lambda n: model(
        above="from lib import is_x\n"
        + lines(n, "if is_x():\n    from lib.m§ import n§\n"),
        body=method("go", lines(n, "        n§()\n")),
    ),
    "exported names": lambda n: model(
        above=lines(n, "\n\ndef g§():\n    pass\n"),
        below="\n\n__all__ = [\n" + lines(n, '    "g§",\n') + "]\n",
    ),
    "lines of a docstring": lambda n: model(
        parent='    """\n' + lines(n, "    Line § of BaseModel.\n") + f'    """\n{RUN}'
    ),
    "fields of a configuration": lambda n: configuration(
        lines(n, "    a§: int = §\n"), lines(n, "    a§: int = 1§\n")
    ),
    "strings": lambda n: model(
        body="    n = [\n" + lines(n, "        'base', 'BaseModel', '§',\n") + "    ]\n"
    ),
    "parameters": lambda n: model(
        parent=f"    def run(self{lines(n, ', a§=1')}):\n"
        + lines(n, "        print(a§)\n"),
        body=f"    def run(self{lines(n, ', a§=1')}):\n"
        f"        super().run({lines(n, 'a§, ')})\n",
    ),
    "nested functions": lambda n: model(
        parent=method("run", lines(n, "        def g§(x):\n            return x\n")),
        body=method(
            "run",
            "        super().run()\n"
            + lines(n, "        def h§(x):\n            return x\n"),
        ),
    ),
    "undefined names": lambda n: model(
        body=method("go", lines(n, "        missing§()\n"))
    ),
    "uses of an undefined name": lambda n: model(
        parent=method("run", "        globals()\n" + lines(n, "        f(§)\n")),
        body=method("go", "        return 1\n"),
    ),
    "statements in a line": lambda n: model(
        above="x = 1;" + lines(n, "a§ = §;") + "\n"
    ),
    "branches": lambda n: model(
        parent=method(
            "run",
            "        if x:\n            pass\n"
            + lines(n, "        elif x == §:\n            print(§)\n"),
        ),
        body=method("run", "        super().run()\n        print(1)\n"),
    ),
    "variables": lambda n: model(
        parent=method("run", lines(n, "        v§ = x\n")),
        body=method("run", lines(n, "        v§ = -x\n") + "        super().run()\n"),
    ),
    "functions that are defined twice": lambda n: model(
        above=2 * lines(n, "\n\ndef f§():\n    return §\n")
    ),
    "annotations in quotes": lambda n: model(
        above=lines(n, "\n\nclass T§:\n    pass\n"),
        body=lines(n, '    def f§(self, x: "T§") -> "T§":\n        return x\n'),
    ),
    "calls of an inherited method": lambda n: model(
        body=method("go", lines(n, "        self.run(§)\n"))
    ),
    "subclasses in the parent file": lambda n: model(
        below_parent=lines(
            n,
            "\n\nclass Base§(BaseModel):\n"
            "    def run(self):\n        return super().run()\n",
        )
    ),
    "subclasses in another file": lambda n: {
        **model(),
        "models/base/users.py": "from .modeling_base import BaseModel\n"
        + lines(
            n,
            "\n\nclass User§(BaseModel):\n"
            "    def go(self):\n        return self.run()\n",
        ),
    },
    "patterns in the settings": lambda n: {
        **model(),
        "pyproject.toml": f"{SETTINGS}[tool.modular.lint.per-file-ignores]\n"
        + lines(n, '"models/x§/*" = ["MOD402"]\n'),
    },
    "names in the settings": lambda n: {
        **model(above=lines(n, "a§ = §\n"), body=lines(n, "    b§ = a§\n")),
        "pyproject.toml": SETTINGS
        + setting("keep-names", n, "base_§")
        + setting("first-names", n, "a§")
        + setting("replacing-assignments", n, "_X§"),
    },
    "file types in the settings": lambda n: {
        **model(below=lines(n, "\n\nclass ChildKind§(BaseModel):\n    x = 1\n")),
        "pyproject.toml": f"{SETTINGS}[tool.modular.file-types]\n"
        + lines(n, 'Kind§ = "kind§"\n'),
    },
    "folders in the settings": lambda n: {
        **model(),
        **{f"more{number}/x/modeling_x.py": "x = 1\n" for number in n},
        "pyproject.toml": SETTINGS
        + setting("models", n, "more§").replace("[", '["models", '),
    },
    "links to a parent file and to its folder": lambda n: {
        **model(),
        **{f"models/base/modeling_n{number}.py": Link(PARENT_NAME) for number in n},
        **{f"models/base/n{number}": Link(".") for number in n},
    },
    "links to the models folder": lambda n: {
        **model(),
        **{f"models/n{number}": Link(".") for number in n},
    },
    "unused definitions": lambda n: model(
        above_parent=lines(n, "a§ = §\n"),
        parent=lines(n, "    b§ = a§\n") + RUN,
        above=lines(n, "\nunused§ = §\n"),
    ),
    "unused imports and undefined names": lambda n: model(
        above=lines(n, "from lib.m§ import name§\n"),
        body=method("go", lines(n, "        missing§()\n")),
    ),
    "undefined names and many definitions": lambda n: model(
        above=lines(n, "a§ = §\n"),
        body=lines(n, "    b§ = a§\n") + method("go", lines(n, "        missing§()\n")),
    ),
    "undefined bases": lambda n: model(
        below=lines(n, "\n\nclass Child§(BaseModel, Missing§):\n    x = 1\n"),
    ),
    "registrations of a table": lambda n: {
        **model(
            above_parent="TABLE = {}\n\n\ndef register(f):\n"
            "    TABLE[f.__name__] = f\n    return f\n"
            + lines(n, "\n\n@register\ndef g§():\n    return §\n"),
            parent=method("run", "        return TABLE\n"),
        ),
        "pyproject.toml": PYTHON_RULES,
    },
    "calls that fill a table": lambda n: {
        **model(
            above_parent="TABLE = {}\n\n\ndef add(x):\n    TABLE[x] = x\n\n\n"
            + lines(n, "add(§)\nTABLE.update(a§=§)\n"),
            parent=method("run", "        return TABLE\n"),
            above=lines(n, "\nitem§ = §\n"),
        ),
        "pyproject.toml": PYTHON_RULES,
    },
    "changes of an imported table": lambda n: {
        **model(
            names=", TABLE",
            above_parent="TABLE = {}\n"
            + lines(n, "TABLE[§] = 1\nTABLE.update(a§=§)\nA§, B§ = 1, 2\n"),
            parent=method("run", "        return TABLE\n"),
            below="\n\nclass ChildTable:\n    table = TABLE\n",
        ),
        "pyproject.toml": PYTHON_RULES,
    },
    "renamed attributes": lambda n: model(
        parent=init(lines(n, "        self.base_§ = §\n")) + RUN,
        body=method("go", lines(n, "        print(self.base_§)\n")),
    ),
    "renamed attributes of a module": lambda n: model(
        above_parent="import lib\n",
        parent=lines(n, "    def run§(self):\n        return lib.base_§()\n") + RUN,
    ),
    "inherited imports that get another name": lambda n: {
        **model(
            above_parent=lines(n, "from lib.a§ import n§\n"),
            parent=method("run", lines(n, "        n§()\n")),
            above=lines(n, "from lib.b§ import n§\n"),
            body=method("go", lines(n, "        n§()\n")),
        ),
        "pyproject.toml": PYTHON_RULES,
    },
    "functions that read a parameter of the parent": lambda n: model(
        parent="    def run(self, x):\n" + lines(n, "        f(lambda: x + §)\n"),
        body="    def run(self, x):\n        super().run(x)\n"
        + lines(n, "        x = g(§)\n"),
    ),
    "functions that read parameters of the parent": lambda n: model(
        parent=f"    def run(self{lines(n, ', a§=1')}):\n"
        + lines(n, "        f(lambda: a§)\n"),
        body=f"    def run(self{lines(n, ', a§=1')}):\n"
        + lines(n, "        a§ = -a§\n")
        + f"        super().run({lines(n, 'a§, ')})\n"
        + lines(n, "        a§ = g(a§)\n"),
    ),
    "variables that hide names of the file": lambda n: model(
        above=lines(n, "a§ = §\n"),
        parent=method("run", lines(n, "        a§ = §\n")),
        body=method("run", "        super().run()\n" + lines(n, "        f(a§)\n")),
    ),
    "other models": lambda n: {
        **model(),
        **{
            f"models/m{number}/modeling_m{number}.py": (
                f"class M{number}Model:\n    x = {number}\n"
            )
            for number in n
        },
    },
    "replaced assignments with Python's inheritance": lambda n: {
        **model(
            parent=init(lines(n, PARENT_ASSIGNMENTS)) + RUN,
            body=init_below_super(lines(n, "        self.attribute§ = -§\n")),
        ),
        "pyproject.toml": PYTHON_RULES,
    },
    "deletions with Python's inheritance": lambda n: {
        **model(
            parent=init(lines(n, PARENT_ASSIGNMENTS)) + RUN,
            body=init_below_super(lines(n, "        del self.attribute§\n")),
        ),
        "pyproject.toml": PYTHON_RULES,
    },
    "unused classes whose parents others use": lambda n: model(
        above_parent=lines(
            n, "\n\nclass Base§:\n    def run(self):\n        return Base§§()\n"
        )
        + f"\n\nclass Base{n.stop}:\n    x = 1\n",
        parent=method("run", f"        return Base{n.start}()\n"),
        above=lines(n, "from ..base.modeling_base import Base§\n"),
        below=lines(n, "\n\nclass ChildFast§(Base§):\n    x = 1\n"),
    ),
}
"""What can be long or many. Each function makes a project with some numbers in names."""
