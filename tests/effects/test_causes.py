"""Changes in generated files, grouped by what caused them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from modular.effects.causes import Cause, Variant, find_causes
from modular.effects.changes import Change
from modular.provenance.blame import Blamer
from modular.provenance.outline import Owner
from modular.run import api
from modular.run.engine import Engine
from modular.source.diagnostics import Place
from tests import support
from tests.support import source


HAWK = """
    from torch import nn


    class HawkWing(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.span = config.span

        def beat(self, x):
            y = x + self.span
            return y

        def fold(self):
            self.span = 0


    class HawkModel(nn.Module):
        wing_class = HawkWing
    """


def child(model: str, cased: str, body: str = "pass") -> dict[str, str]:
    text = f"""
        from ..hawk.modeling_hawk import HawkModel, HawkWing


        class {cased}Wing(HawkWing):
            {body}


        class {cased}Model(HawkModel):
            pass
        """
    return {f"models/{model}/modular_{model}.py": text}


GRANDCHILD = {
    "models/owlet/modular_owlet.py": """
        from ..owl.modeling_owl import OwlWing


        class OwletWing(OwlWing):
            pass
        """
}


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    """A hawk, an owl, a snow goose, and an owlet that inherits from the owl."""
    files = {
        "models/hawk/modeling_hawk.py": HAWK,
        **child("owl", "Owl"),
        **child("snow_goose", "SnowGoose"),
    }
    converted = support.convert(
        tmp_path, {path: source(text) for path, text in {**files, **GRANDCHILD}.items()}
    )
    assert len(converted.files) == 3
    return tmp_path


def changed(root: Path, path: str, old: str, new: str) -> tuple[Cause, ...]:
    """Change something in a file and return the causes of what is stale then."""
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new))
    report = api.check(options=api.Options(root=root, jobs=1, cache=False))
    return find_causes(
        report.files, Blamer(Engine(report.project, results=report.results))
    )


def shown(found: Sequence[Cause]) -> list[tuple[str, Sequence[str]]]:
    """Each cause as its place and its models."""
    return [
        (f"{cause.place.path}:{cause.place.line} {cause.title}", cause.models)
        for cause in found
        if cause.place
    ]


PARENT = "models/hawk/modeling_hawk.py"


def test_a_change_of_the_parent_stands_once(birds: Path) -> None:
    (cause,) = changed(
        birds, PARENT, "y = x + self.span\n        return y", "return x + self.span"
    )
    assert shown([cause]) == [
        (f"{PARENT}:10 HawkWing.beat", ("owl", "owlet", "snow_goose"))
    ]
    assert (cause.added, cause.removed, len(cause.files)) == (3, 6, 3)
    assert cause.changes[1].path == "models/owlet/modeling_owlet.py"
    assert cause.changes[1].owner == Owner("HawkWing", "beat")
    assert cause.changes[1].lines == (
        "-        y = x + self.span",
        "-        return y",
        "+        return x + self.span",
    )


def test_names_and_line_breaks_make_no_difference(birds: Path) -> None:
    """The line with the long name is split by the formatter."""
    config = birds / "pyproject.toml"
    config.write_text(config.read_text().replace("119", "60"))
    api.convert(options=api.Options(root=birds, jobs=1, cache=False))
    new = "wing_class = HawkWing or HawkWing() or HawkWing.span + 2"
    (cause,) = changed(birds, PARENT, "wing_class = HawkWing", new)
    assert shown([cause]) == [
        (f"{PARENT}:18 HawkModel.wing_class", ("owl", "snow_goose"))
    ]
    assert [len(change.lines) for change in cause.changes] == [2, 6]


def test_two_places_are_two_causes_that_of_most_files_first(birds: Path) -> None:
    text = (birds / PARENT).read_text()
    (birds / PARENT).write_text(
        text.replace("wing_class = HawkWing", "wing_class = None")
    )
    changes = changed(birds, PARENT, "self.span = 0", "self.span = 1")
    assert shown(changes) == [
        (f"{PARENT}:14 HawkWing.fold", ("owl", "owlet", "snow_goose")),
        (f"{PARENT}:18 HawkModel.wing_class", ("owl", "snow_goose")),
    ]


def test_the_same_text_in_two_members_is_two_changes(birds: Path) -> None:
    changes = changed(birds, PARENT, "self.span", "self.width")
    assert [cause.split(" ")[1] for cause, _ in shown(changes)] == [
        "HawkWing.__init__",
        "HawkWing.beat",
        "HawkWing.fold",
    ]


def test_a_change_of_a_modular_file(birds: Path) -> None:
    path = "models/owl/modular_owl.py"
    changes = changed(
        birds,
        path,
        "class OwlWing(HawkWing):\n    pass",
        "class OwlWing(HawkWing):\n    size = 1",
    )
    assert shown(changes) == [(f"{path}:5 OwlWing.size", ("owl", "owlet"))]


BEAT = "    def beat(self, x):\n        y = x + self.span\n        return y\n\n"


def test_a_method_that_is_gone_is_one_cause(birds: Path) -> None:
    found = changed(birds, PARENT, BEAT, "")
    assert shown(found) == [
        (f"{PARENT}:7 HawkWing.beat", ("owl", "owlet", "snow_goose"))
    ]
    assert found[0].changes[0].lines[0] == "-    def beat(self, x):"


def test_the_last_method_of_a_class_that_is_gone(birds: Path) -> None:
    """What stands around it belongs to nothing, and to another class."""
    changes = changed(
        birds, PARENT, "\n    def fold(self):\n        self.span = 0\n", ""
    )
    assert shown(changes) == [
        (f"{PARENT}:11 HawkWing.fold", ("owl", "owlet", "snow_goose"))
    ]


def test_a_method_that_is_gone_beside_another_that_changes(birds: Path) -> None:
    found = changed(
        birds, PARENT, BEAT + "    def fold(self):", "    def fold(self, by):"
    )
    assert [(cause.title, cause.models) for cause in found] == [
        ("HawkWing.beat", ("owl", "owlet", "snow_goose")),
        ("HawkWing.fold", ("owl", "owlet", "snow_goose")),
    ]
    assert [found[1].changes[0].lines, found[0].changes[0].lines[0]] == [
        ("-    def fold(self):", "+    def fold(self, by):"),
        "-    def beat(self, x):",
    ]


def test_a_class_that_is_new_is_one_cause(birds: Path) -> None:
    path = "models/owl/modular_owl.py"
    text = (birds / path).read_text()
    new = "\n\nclass OwlEar:\n    def hear(self):\n        pass\n\n    def turn(self):\n        pass\n"
    [cause] = changed(birds, path, text, text + new)
    assert shown([cause]) == [(f"{path}:12 OwlEar", ("owl",))]


def test_a_line_that_is_gone_belongs_to_its_method(birds: Path) -> None:
    changes = changed(birds, PARENT, "        super().__init__()\n", "")
    assert [cause.split(" ")[1] for cause, _ in shown(changes)] == ["HawkWing.__init__"]


def test_an_edited_file_is_caused_by_the_line_that_was_lost(birds: Path) -> None:
    """Somebody has edited one generated file by hand: its parent says otherwise."""
    changes = changed(
        birds, "models/snow_goose/modeling_snow_goose.py", "return y", "return -y"
    )
    assert shown(changes) == [(f"{PARENT}:11 HawkWing.beat", ("snow_goose",))]


def test_what_does_not_differ_has_no_cause(birds: Path) -> None:
    assert changed(birds, PARENT, "y = x", "y = x") == ()


def test_a_class_that_the_author_adds_is_a_cause_beside_its_use(birds: Path) -> None:
    path = "models/owl/modular_owl.py"
    old = "class OwlWing(HawkWing):\n    pass"
    new = "class OwlEar:\n    pass\n\n\nclass OwlWing(HawkWing):\n    ear = OwlEar"
    assert shown(changed(birds, path, old, new)) == [
        (f"{path}:9 OwlWing.ear", ("owl", "owlet")),
        (f"{path}:4 OwlEar", ("owl",)),
    ]


def test_a_comment_at_module_level_has_no_known_cause(birds: Path) -> None:
    path = "models/owl/modeling_owl.py"
    text = (birds / path).read_text()
    (cause,) = changed(birds, path, text, text + "# by hand\n")
    assert (cause.title, cause.place) == ("module level", None)


def test_a_renamed_method_is_one_cause_even_if_the_older_sources_are_unknown(
    birds: Path,
) -> None:
    changes = changed(birds, PARENT, "def beat", "def flutter")
    assert shown(changes) == [
        (f"{PARENT}:9 HawkWing.flutter", ("owl", "owlet", "snow_goose"))
    ]


def test_lines_that_move_because_of_an_edit_belong_to_its_cause(birds: Path) -> None:
    path = "models/owl/modular_owl.py"
    text = (birds / path).read_text()
    override = "    def fold(self):\n        self.span = self.span - sum(range(9))"
    (birds / path).write_text(text.replace("    pass", override, 1))
    api.convert(options=api.Options(root=birds, jobs=1, cache=False))
    fold = "    def fold(self):\n        self.span = 0\n"
    found = changed(birds, PARENT, fold, fold.replace("fold", "rest"))
    assert [cause.title for cause in found] == ["HawkWing.rest"]


def test_a_long_heading_is_folded_between_words() -> None:
    change = Change(
        path="models/owl/modeling_owl.py",
        modular="models/owl/modular_owl.py",
        line=3,
        place=Place("src/transformers/models/hawk/modeling_hawk.py", 430),
        owner=Owner("HawkForSequenceClassification", "forward"),
        lines=("+x",),
    )
    assert list(Cause((change,), (Variant((change,)),)).report())[:3] == [
        "--- HawkForSequenceClassification.forward,",
        "    src/transformers/models/hawk/modeling_hawk.py:430:",
        "    1 file, +1 -0",
    ]
