"""Pages in a real browser: Debian's chromium, driven by Playwright. An error in a page's script fails the test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.corpus import make_project
from modular.review.site import review
from modular.run.api import Options
from tests.browser.chromium import chromium
from tests.flock import make_flock
from tests.repository import change, commit
from tests.support import write_project


MAX_WAIT_MS = 30_000
"""For what a page does at once, beside other tests on a busy machine."""

EAGLE = "models/eagle/modeling_eagle.py"
OWL = "models/owl/modular_owl.py"

HOSTILE = """\
class EagleWing:
    def beat(self):
        '''</script><script>document.title = "owned"</script><img src=x onerror="document.title = 'owned'">'''
        return "<!-- <b>"
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=MAX_WAIT_MS)
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a laptop's size, in light colours."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, color_scheme="light"
    )
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console",
        lambda message: wrong.append(message.text) if message.type == "error" else None,
    )
    yield page
    context.close()
    assert wrong == []


@pytest.fixture(scope="session")
def flock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a small project (see `tests.flock`) in which a line of the parent was changed, and one of the owl."""
    root = make_flock(tmp_path_factory.mktemp("flock"))
    commit(root)
    change(root, EAGLE, "return 1", "return 2")
    change(
        root,
        OWL,
        "class OwlModel(EagleModel):\n    pass",
        "class OwlModel(EagleModel):\n    hoots = True",
    )
    return review(options=Options(root=root, cache=False, since="HEAD")).index.parent


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a project whose sources try to run a script."""
    root = tmp_path_factory.mktemp("hostile")
    own = "from ..eagle.modeling_eagle import EagleWing\n\n\n" + HOSTILE.replace(
        "EagleWing", "OwlWing(EagleWing)"
    )
    write_project(root, {EAGLE: HOSTILE + "\n    x = 1\n", OWL: own})
    return review(options=Options(root=root, cache=False)).index.parent


@pytest.fixture(scope="session")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a project whose only model has an error, and generates nothing."""
    root = tmp_path_factory.mktemp("broken")
    write_project(
        root,
        {
            OWL: "from ..eagle.modeling_eagle import EagleWing\n\n\nclass OwlWing(EagleWing):\n    pass\n"
        },
    )
    return review(options=Options(root=root, cache=False)).index.parent


@pytest.fixture(scope="session")
def three_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a project whose owl generates a file for its model, one for its configuration and one for its tokens."""
    root = make_flock(tmp_path_factory.mktemp("three_files"))
    parents = {"configuration": "EagleConfig", "processing": "EagleProcessor"}
    for file_type, name in parents.items():
        text = f"class {name}:\n    size = 1\n"
        (root / f"models/eagle/{file_type}_eagle.py").write_text(text, encoding="utf-8")
    imports = "".join(
        f"from ..eagle.{kind}_eagle import {name}\n" for kind, name in parents.items()
    )
    classes = "".join(
        f"\n\nclass {name.replace('Eagle', 'Owl')}({name}):\n    pass\n"
        for name in parents.values()
    )
    modular = (root / OWL).read_text(encoding="utf-8")
    (root / OWL).write_text(imports + modular + classes, encoding="utf-8")
    return review(options=Options(root=root, cache=False)).index.parent


@pytest.fixture(scope="session")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a project in which the middle of a hundred lines changed."""
    root = tmp_path_factory.mktemp("long")
    lines = "".join(f"    x{number} = {number}\n" for number in range(2, 101))
    own = "from ..eagle.modeling_eagle import EagleWing\n\n\nclass OwlWing(EagleWing):\n    pass\n"
    write_project(root, {EAGLE: f"class EagleWing:\n{lines}", OWL: own})
    commit(root)
    change(root, EAGLE, "x50 = 50", "x50 = 'fifty'")
    return review(options=Options(root=root, cache=False, since="HEAD")).index.parent


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a project in which one line of two thousand changed."""
    root = tmp_path_factory.mktemp("large")
    lines = "".join(f"    x{number} = {number}\n" for number in range(2, 2001))
    own = "from ..eagle.modeling_eagle import EagleWing\n\n\nclass OwlWing(EagleWing):\n    pass\n"
    write_project(root, {EAGLE: f"class EagleWing:\n{lines}", OWL: own})
    commit(root)
    change(root, EAGLE, "x1000 = 1000", "x1000 = 'thousand'")
    return review(options=Options(root=root, cache=False, since="HEAD")).index.parent


@pytest.fixture(scope="session")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a change that renames a class in the parent, but not in the long modular file of its child."""
    root = tmp_path_factory.mktemp("renamed")
    own = (
        "from ..eagle.modeling_eagle import EagleWing\n\n\nclass OwlWing(EagleWing):\n"
    )
    lines = "".join(f"    x{number} = {number}\n" for number in range(200))
    write_project(root, {EAGLE: "class EagleWing:\n    x = 1\n", OWL: own + lines})
    commit(root)
    change(root, EAGLE, "EagleWing", "EaglePinion")
    return review(options=Options(root=root, cache=False, since="HEAD")).index.parent


@pytest.fixture(scope="session")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a change with names and lines that are wider than a telephone."""
    root = tmp_path_factory.mktemp("wide")
    name = "owl_" + "o" * 60
    class_name = "Owl" + "o" * 60
    text = (
        "class EagleWing:\n    x = "
        + " + ".join(["1"] * 80)
        + "\n    y = '"
        + "z" * 300
        + "'\n"
    )
    own = f"from ..eagle.modeling_eagle import EagleWing\n\n\nclass {class_name}Wing(EagleWing):\n    pass\n"
    files = {EAGLE: text, f"models/{name}/modular_{name}.py": own}
    write_project(root, files, formatter="none")
    commit(root)
    change(root, EAGLE, "zz'", "zzz'")
    return review(options=Options(root=root, cache=False, since="HEAD")).index.parent


def review_birds(root: Path, count: int) -> Path:
    """Review models that take from the eagle, most of them from the model before as well."""
    files = {EAGLE: "class EagleWing:\n    x = 1\n"}
    for number in range(count):
        parents = {"eagle": "Eagle"}
        if number % 7:
            parents[f"bird{number - 1}"] = f"Bird{number - 1}"
        imports = "".join(
            f"from ..{name}.modeling_{name} import {word}Wing\n"
            for name, word in parents.items()
        )
        classes = "".join(
            f"\n\nclass Bird{number}{word}({word}Wing):\n    pass\n"
            for word in parents.values()
        )
        last = f"\n\nclass Bird{number}Wing(EagleWing):\n    pass\n"
        files[f"models/bird{number}/modular_bird{number}.py"] = imports + classes + last
    write_project(root, files)
    return review(options=Options(root=root, cache=False)).index.parent


@pytest.fixture(scope="session")
def group(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of 28 models and their parent, which are drawn."""
    return review_birds(tmp_path_factory.mktemp("group"), 28)


@pytest.fixture(scope="session")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of forty models and their parent, which are too many for a drawing."""
    return review_birds(tmp_path_factory.mktemp("crowd"), 40)


@pytest.fixture(scope="session")
def odd_names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of two models that are called as what every object of JavaScript has; the one takes from the other."""
    root = tmp_path_factory.mktemp("odd_names")
    parent, child = (
        "models/__proto__/modeling___proto__.py",
        "models/constructor/modular_constructor.py",
    )
    own = "from ..__proto__.modeling___proto__ import ProtoWing\n\n\nclass ConstructorWing(ProtoWing):\n    pass\n"
    write_project(root, {parent: "class ProtoWing:\n    x = 1\n", child: own})
    return review(options=Options(root=root, cache=False)).index.parent


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("corpus"))
