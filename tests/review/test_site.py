"""The pages of a small project: see `tests.flock`."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from modular import __version__, impact
from modular.git.repository import resolve_commit
from modular.review.folder import ReviewError
from modular.review.pages import Pages
from modular.review.site import Review, review
from modular.run.api import Options
from tests.flock import make_flock
from tests.repository import change, commit
from tests.review.pages import Line, as_text, gone, links, origins, row
from tests.support import write_project


EAGLE = "models/eagle/modeling_eagle.py"
OWL = "models/owl/modular_owl.py"


def run(root: Path, *targets: str, since: str | None = None, jobs: int = 1) -> Review:
    return review(
        targets,
        output=root / "out",
        options=Options(root=root, jobs=jobs, cache=False, since=since),
    )


def read(root: Path, page: str) -> str:
    return (root / "out" / page).read_text(encoding="utf-8")


def generated(page: str) -> str:
    """Return the part of a model's page that shows the generated files."""
    return page[page.index('id="generated"') :]


def test_every_model_and_every_parent_file_has_a_page(tmp_path: Path) -> None:
    done = run(make_flock(tmp_path))
    assert (done.index, done.models, done.diagnostics) == (
        tmp_path / "out/index.html",
        2,
        (),
    )
    pages = sorted(
        path.relative_to(tmp_path / "out").as_posix()
        for path in (tmp_path / "out").rglob("*.html")
    )
    assert pages == [
        "files/models/eagle/modeling_eagle.py.html",
        "index.html",
        "models/owl.html",
        "models/owlet.html",
    ]


def test_each_generated_line_has_its_origin(tmp_path: Path) -> None:
    run(make_flock(tmp_path))
    line_origins = origins(read(tmp_path, "models/owl.html"))
    assert line_origins["modeling-L3"] == Line(
        "inherited", EAGLE, 3, "OwlWing.beat", 4, "eagle → owl", f"{EAGLE}:3"
    )
    assert line_origins["modeling-L8"] == Line(
        "inherited", EAGLE, 8, "OwlModel.__init__", 8, "eagle → owl", f"{EAGLE}:8"
    )
    assert set(line_origins) == {f"modeling-L{number}" for number in range(1, 9)}


def test_a_line_of_a_generated_parent_has_its_parent_line_and_the_hand_written_line(
    tmp_path: Path,
) -> None:
    run(make_flock(tmp_path))
    found = origins(read(tmp_path, "models/owlet.html"))["modeling-L3"]
    assert (found.path, found.line, found.renamed) == (
        "models/owl/modeling_owl.py",
        3,
        "owl → owlet",
    )
    assert found.written == f"{EAGLE}:3"


def test_lines_have_the_style_classes_of_their_provenances(tmp_path: Path) -> None:
    own = 'from ..eagle.modeling_eagle import EagleWing\n\n\nclass OwlWing(EagleWing):\n    hoots = "yes"\n'
    make_flock(tmp_path)
    (tmp_path / OWL).write_text(own, encoding="utf-8")
    run(tmp_path, "owl")
    page = read(tmp_path, "models/owl.html")
    assert row(page, "modeling-L2") == ("o", '    hoots = "yes"')
    assert row(page, "modeling-L5") == ("i", "        return 1")
    assert row(page, "modular-L5") == ("o", '    hoots = "yes"')
    assert row(page, "modular-L1") == (
        "",
        "from ..eagle.modeling_eagle import EagleWing",
    )


def test_every_link_has_a_target(tmp_path: Path) -> None:
    run(make_flock(tmp_path))
    for page in sorted((tmp_path / "out").rglob("*.html")):
        for target, anchor in links(page):
            assert target.is_file(), (page, target)
            text = target.read_text(encoding="utf-8")
            assert not anchor or f'id="{anchor}"' in text or f"id={anchor}" in text, (
                page,
                anchor,
            )


def test_pages_load_nothing_from_the_network(tmp_path: Path) -> None:
    run(make_flock(tmp_path))
    for path in sorted((tmp_path / "out").rglob("*")):
        if path.is_file():
            assert "://" not in path.read_text(encoding="utf-8"), path


def test_a_change_of_a_parent_is_shown_in_all_its_descendants(tmp_path: Path) -> None:
    commit(make_flock(tmp_path))
    change(tmp_path, EAGLE, "return 1", "return 2")
    run(tmp_path, since="HEAD")
    for model in ("owl", "owlet"):
        page = read(tmp_path, f"models/{model}.html")
        assert row(page, "modeling-L3") == ("i new", "        return 2")
        assert gone(generated(page)) == ["        return 1"]
    source = read(tmp_path, "files/models/eagle/modeling_eagle.py.html")
    assert row(source, "L3") == ("new", "        return 2")
    assert gone(source) == ["        return 1"]
    assert 'data-view="changes"' in source


def test_generated_files_need_not_be_committed(tmp_path: Path) -> None:
    commit(make_flock(tmp_path, converted=False))
    change(tmp_path, EAGLE, "return 1", "return 2")
    assert run(tmp_path, since="HEAD").models == 2
    for model in ("owl", "owlet"):
        page = read(tmp_path, f"models/{model}.html")
        assert row(page, "modeling-L3") == ("i new", "        return 2")
        assert gone(generated(page)) == ["        return 1"]


@pytest.mark.parametrize("model", ["owl", "owlet"])
def test_only_some_generated_files_need_be_committed(
    tmp_path: Path, model: str
) -> None:
    make_flock(tmp_path)
    (tmp_path / f"models/{model}/modeling_{model}.py").unlink()
    commit(tmp_path)
    change(tmp_path, EAGLE, "return 1", "return 2")
    assert run(tmp_path, since="HEAD").models == 2
    for page_name in ("owl", "owlet"):
        page = read(tmp_path, f"models/{page_name}.html")
        assert row(page, "modeling-L3") == ("i new", "        return 2")
        assert gone(generated(page)) == ["        return 1"]


def test_an_unchanged_model_without_committed_files_has_no_page(tmp_path: Path) -> None:
    make_flock(tmp_path)
    (tmp_path / "models/owlet/modeling_owlet.py").unlink()
    commit(tmp_path)
    change(tmp_path, EAGLE, "self.wing = EagleWing()", "self.wing = None")
    assert run(tmp_path, since="HEAD").models == 1
    assert not (tmp_path / "out/models/owlet.html").exists()


def test_what_breaks_is_found_if_the_commit_lacks_the_generated_parent(
    tmp_path: Path,
) -> None:
    make_flock(tmp_path)
    override = "    def beat(self):\n        return 3\n"
    change(tmp_path, "models/owlet/modular_owlet.py", "    pass\n", override)
    (tmp_path / "models/owl/modeling_owl.py").unlink()
    commit(tmp_path)
    change(tmp_path, EAGLE, "def beat", "def flap")
    assert run(tmp_path, since="HEAD").breakages == 1


def test_a_new_model_is_compared_with_nothing(tmp_path: Path) -> None:
    make_flock(tmp_path)
    new_model = (tmp_path / OWL).read_text(encoding="utf-8").replace("Owl", "Crow")
    commit(tmp_path)
    write_project(tmp_path, {"models/crow/modular_crow.py": new_model})
    assert run(tmp_path, since="HEAD").models == 1
    page = read(tmp_path, "models/crow.html")
    assert row(page, "modeling-L3") == ("i new", "        return 1")
    assert gone(page) == []


def test_the_same_change_in_two_models_is_listed_once(tmp_path: Path) -> None:
    commit(make_flock(tmp_path))
    change(tmp_path, EAGLE, "return 1", "return 2")
    run(tmp_path, since="HEAD")
    index = read(tmp_path, "index.html")
    changes = " ".join(
        as_text(
            index[
                index.index('<section id="changes"') : index.index(
                    '<section id="models"'
                )
            ]
        ).split()
    )
    assert changes == (
        "Changes by cause EagleWing.beat changes 2 models, +2 −2 in models/eagle/modeling_eagle.py:3"
        " − return 1 + return 2 owl owlet"
    )


def section(root: Path, name: str) -> str:
    """Return the text of a section of the start page, without line breaks."""
    index = read(root, "index.html")
    start = index.index(f'<section id="{name}"')
    end = index.index("</section>", start)
    return " ".join(as_text(index[start:end]).split())


def test_breakages_come_first_in_the_words_of_impact(tmp_path: Path) -> None:
    make_flock(tmp_path, converted=False)
    change(tmp_path, OWL, "pass", "def beat(self):\n        return 1")
    commit(tmp_path)
    change(tmp_path, EAGLE, "def beat(self)", "def beat(self, speed)")
    done = run(tmp_path, since="HEAD")
    (problem,) = impact(options=Options(root=tmp_path, jobs=1)).problems()
    assert done.breakages == 1
    shown = f"What breaks {problem}".replace(f"{OWL}:5:", f"{OWL}:5")
    assert section(tmp_path, "breakages") == shown.replace("`", "")
    index = read(tmp_path, "index.html")
    assert "overrides `EagleWing.beat`" in problem.sentence
    assert index.index('<section id="breakages"') < index.index("<dl")


def test_copies_that_a_change_does_not_reach_are_shown(tmp_path: Path) -> None:
    make_flock(tmp_path, converted=False)
    change(tmp_path, OWL, "pass", "def beat(self):\n        print()\n        return 1")
    commit(tmp_path)
    change(tmp_path, EAGLE, "return 1", "return 2")
    run(tmp_path, since="HEAD")
    assert section(tmp_path, "unreached") == (
        f"What the change does not reach − return 1 + return 2 {OWL}:7 OwlWing.beat "
        "still has the old lines of EagleWing.beat"
    )


def test_what_breaks_stands_on_the_models_page(
    tmp_path: Path,
) -> None:
    make_flock(tmp_path, converted=False)
    change(tmp_path, OWL, "pass", "def beat(self):\n        print()\n        return 1")
    commit(tmp_path)
    change(tmp_path, EAGLE, "def beat(self)", "def beat(self, speed)")
    change(tmp_path, EAGLE, "return 1", "return 2")
    run(tmp_path, since="HEAD")
    page = read(tmp_path, "models/owl.html")
    assert "<strong>breaks</strong>" in page


def test_an_unchanged_modular_file_is_shown_at_what_the_change_does_not_reach(
    tmp_path: Path,
) -> None:
    make_flock(tmp_path, converted=False)
    fields = "x = 1\n    " * 9
    copied = "def beat(self):\n        print()\n        return 1"
    change(tmp_path, OWL, "pass", fields + copied)
    commit(tmp_path)
    change(tmp_path, EAGLE, "return 1", "return 2")
    change(tmp_path, EAGLE, "= EagleWing()", "= EagleWing() or None")
    run(tmp_path, since="HEAD")
    page = read(tmp_path, "models/owl.html")
    modular = page[page.index('id="modular"') :]
    assert "away" not in page
    assert modular.index("</details>") < modular.index("<strong>not reached</strong>")
    assert "<p class=owner>OwlWing.beat</p>" in modular


def test_the_start_page_says_how_many_models_the_project_has(tmp_path: Path) -> None:
    commit(make_flock(tmp_path))
    change(tmp_path, EAGLE, "= EagleWing()", "= EagleWing() or None")
    run(tmp_path, since="HEAD")
    index = as_text(read(tmp_path, "index.html"))
    assert re.search(r"Affected models\s*1 of 2", index)


def test_overrides_that_miss_the_same_lines_are_one_group(tmp_path: Path) -> None:
    make_flock(tmp_path, converted=False)
    change(tmp_path, OWL, "pass", "def beat(self):\n        print()\n        return 1")
    owl = (tmp_path / OWL).read_text(encoding="utf-8")
    write_project(tmp_path, {"models/crow/modular_crow.py": owl.replace("Owl", "Crow")})
    commit(tmp_path)
    change(tmp_path, EAGLE, "return 1", "return 2")
    run(tmp_path, since="HEAD")
    text = section(tmp_path, "unreached")
    assert "still has the old lines of EagleWing.beat; the same at 1 more place" in text
    assert text.count("return 2") == 1


def test_a_new_a_deleted_and_an_edited_model_have_cards(tmp_path: Path) -> None:
    make_flock(tmp_path)
    commit(tmp_path)
    owl = (tmp_path / OWL).read_text(encoding="utf-8")
    write_project(tmp_path, {"models/crow/modular_crow.py": owl.replace("Owl", "Crow")})
    (tmp_path / "models/owlet/modular_owlet.py").unlink()
    change(tmp_path, "models/owl/modeling_owl.py", "return 1", "return 3")
    run(tmp_path, since="HEAD")
    text = section(tmp_path, "cards")
    assert "New model crow: 9 lines, 2 classes from eagle, overrides: none" in text
    assert "Deleted models/owlet/modular_owlet.py" in text
    assert "Edited by hand models/owl/modeling_owl.py:3" in text
    changes = section(tmp_path, "changes")
    assert "crow" not in changes


def test_the_parents_change_is_shown_if_the_modular_file_is_unchanged(
    tmp_path: Path,
) -> None:
    commit(make_flock(tmp_path))
    change(tmp_path, EAGLE, "return 1", "return 2")
    run(tmp_path, since="HEAD")
    for model in ("owl", "owlet"):
        page = read(tmp_path, f"models/{model}.html")
        parent = page[page.index("parent-change") : page.index('id="modular"')]
        assert gone(parent) == ["        return 1"]
        assert "<p class=owner>EagleWing.beat</p>" in parent
    change(tmp_path, OWL, "pass", "loud = True")
    run(tmp_path, since="HEAD")
    assert "parent-change" not in read(tmp_path, "models/owl.html")


def test_only_models_between_the_edit_and_the_changes_are_drawn(
    tmp_path: Path,
) -> None:
    make_flock(tmp_path)
    crow = "from ..raven.modeling_raven import RavenWing\n\n\nclass CrowWing(RavenWing):\n    pass\n"
    owl = (tmp_path / OWL).read_text(encoding="utf-8")
    write_project(
        tmp_path,
        {
            "models/raven/modeling_raven.py": "class RavenWing:\n    x = 1\n",
            OWL: "from ..raven.modeling_raven import RavenWing\n"
            + owl.replace("OwlModel(EagleModel)", "OwlRavenWing(RavenWing)"),
            "models/crow/modular_crow.py": crow,
        },
    )
    commit(tmp_path)
    change(tmp_path, EAGLE, "return 1", "return 2")
    run(tmp_path, since="HEAD")
    script = read(tmp_path, "models.js")
    models = json.loads(script[script.index("{") : script.rindex("}") + 1])["models"]
    assert {each["name"] for each in models if each["isDrawn"]} == {
        "eagle",
        "owl",
        "owlet",
    }
    assert {each["name"] for each in models if each["isEdited"]} == {"eagle"}


def test_a_change_that_breaks_nothing_has_no_section_for_it(tmp_path: Path) -> None:
    commit(make_flock(tmp_path))
    change(tmp_path, EAGLE, "return 1", "return 2")
    run(tmp_path, since="HEAD")
    index = read(tmp_path, "index.html")
    assert "breakages" not in index
    assert "unreached" not in index


def test_a_cause_lists_each_model_once(tmp_path: Path) -> None:
    """However many places of it change in the same way."""
    make_flock(tmp_path, converted=False)
    text = (tmp_path / OWL).read_text(encoding="utf-8")
    (tmp_path / OWL).write_text(
        text + "\n\nclass OwlSecondWing(EagleWing):\n    pass\n", encoding="utf-8"
    )
    commit(tmp_path)
    change(tmp_path, EAGLE, "return 1", "return 2")
    run(tmp_path, since="HEAD")
    assert section(tmp_path, "changes").split().count("owl") == 1


def test_an_unchanged_model_has_no_page(tmp_path: Path) -> None:
    commit(make_flock(tmp_path))
    change(
        tmp_path, EAGLE, "self.wing = EagleWing()", "self.wing = EagleWing() or None"
    )
    assert (
        run(tmp_path, since="HEAD").models,
        run(tmp_path, since="HEAD").unaffected_models,
    ) == (1, 0)
    assert not (tmp_path / "out/models/owlet.html").exists()


def test_only_new_warnings_of_a_change_are_shown(tmp_path: Path) -> None:
    make_flock(tmp_path)
    change(
        tmp_path,
        OWL,
        "pass\n\n\nclass OwlModel",
        "beak = AttributeError()\n\n\nclass OwlModel",
    )
    commit(tmp_path)
    change(tmp_path, EAGLE, "return 1", "return 2")
    assert run(tmp_path, since="HEAD").diagnostics == ()
    assert "MOD403" not in as_text(read(tmp_path, "models/owl.html")) + as_text(
        read(tmp_path, "index.html")
    )
    change(
        tmp_path,
        OWL,
        "class OwlModel(EagleModel):\n    pass",
        "class OwlModel(EagleModel):\n    tail = AttributeError()",
    )
    found = run(tmp_path, since="HEAD").diagnostics
    assert [(diagnostic.code.id, diagnostic.place.line) for diagnostic in found] == [
        ("MOD403", 9)
    ]
    assert (
        as_text(read(tmp_path, "models/owl.html")).count("MOD403") == 2
    )  # above the files, and at its line
    assert [diagnostic.place.line for diagnostic in run(tmp_path).diagnostics] == [5, 9]


def test_pages_apply_the_levels_of_warnings(tmp_path: Path) -> None:
    make_flock(tmp_path)
    change(
        tmp_path,
        OWL,
        "pass\n\n\nclass OwlModel",
        "beak = AttributeError()\n\n\nclass OwlModel",
    )
    settings = tmp_path / "pyproject.toml"
    before = settings.read_text(encoding="utf-8")
    settings.write_text(
        f'{before}\n[tool.modular.lint]\nerror = ["MOD4"]\n', encoding="utf-8"
    )
    assert [diagnostic.is_error for diagnostic in run(tmp_path).diagnostics] == [True]
    settings.write_text(
        f'{before}\n[tool.modular.lint]\nignore = ["MOD403"]\n', encoding="utf-8"
    )
    assert run(tmp_path).diagnostics == ()


def test_pages_of_an_earlier_review_are_deleted(tmp_path: Path) -> None:
    run(make_flock(tmp_path))
    run(tmp_path, "owl")
    assert not (tmp_path / "out/models/owlet.html").exists()


def test_a_model_with_an_error_has_a_page_that_says_so(tmp_path: Path) -> None:
    make_flock(tmp_path)
    change(
        tmp_path, OWL, "import EagleModel, EagleWing", "import EagleModel, EagleWings"
    )
    done = run(tmp_path, "owl")
    assert [diagnostic.code.id for diagnostic in done.diagnostics] == ["MOD202"]
    text = as_text(read(tmp_path, "models/owl.html"))
    assert "Nothing is generated: the modular file has errors." in text
    assert f"error MOD202 {OWL}:1" in text


def test_errors_come_first_and_a_broken_model_is_marked(tmp_path: Path) -> None:
    make_flock(tmp_path)
    change(
        tmp_path, OWL, "import EagleModel, EagleWing", "import EagleModel, EagleWings"
    )
    run(tmp_path)
    index = read(tmp_path, "index.html")
    assert index.index('<section id="errors"') < index.index('<section id="models"')
    assert re.search('<tr data-name="owl"[^>]* class="broken">', index)
    assert '"name":"owl","href":"models/owl.html"' in read(tmp_path, "models.js")
    assert '"state":"broken"' in read(tmp_path, "models.js")


def test_an_error_is_shown_below_its_line(tmp_path: Path) -> None:
    make_flock(tmp_path)
    change(
        tmp_path, OWL, "import EagleModel, EagleWing", "import EagleModel, EagleWings"
    )
    run(tmp_path, "owl")
    page = read(tmp_path, "models/owl.html")
    line = page.index("<li id=modular-L1>")
    assert (
        page[line : page.index("<li id=modular-L2>")].count(
            '<p class="note error"><strong>error MOD202</strong>'
        )
        == 1
    )


def test_each_page_names_its_commit_and_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    run(make_flock(tmp_path))
    stamp = f"modular {__version__} · not in a git repository · 2023-11-14 22:13 UTC"
    for page in sorted((tmp_path / "out").rglob("*.html")):
        assert stamp in page.read_text(encoding="utf-8"), page
    commit(tmp_path)
    run(tmp_path)
    assert f"working tree at commit {resolve_commit(tmp_path, 'HEAD')[:12]} ·" in read(
        tmp_path, "index.html"
    )


def test_pages_of_another_project_are_not_deleted(tmp_path: Path) -> None:
    run(make_flock(tmp_path))
    review(output=tmp_path / "out/other", options=Options(root=tmp_path, cache=False))
    run(tmp_path, "owl")
    assert (tmp_path / "out/other/models/owlet.html").is_file()


def test_an_unknown_target_is_reported_on_the_start_page(tmp_path: Path) -> None:
    done = run(make_flock(tmp_path), "oul")
    assert (done.models, [diagnostic.code.id for diagnostic in done.diagnostics]) == (
        0,
        ["MOD103"],
    )
    assert "no such model, file or folder" in as_text(read(tmp_path, "index.html"))


def test_a_modular_file_outside_the_models_folders_has_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(make_flock(tmp_path))
    (tmp_path / "modular_stray.py").write_text("", encoding="utf-8")
    assert [
        diagnostic.code.id
        for diagnostic in run(tmp_path, "modular_stray.py").diagnostics
    ] == ["MOD104"]
    assert "MOD104" in read(tmp_path, "models/modular_stray.html")


@pytest.mark.parametrize("text", ["class Owl(:\n", "(" * 5000, "\xff", ""])
def test_a_file_that_is_not_python_has_a_page(tmp_path: Path, text: str) -> None:
    make_flock(tmp_path)
    (tmp_path / OWL).write_bytes(text.encode("latin-1"))
    assert [diagnostic.is_error for diagnostic in run(tmp_path, "owl").diagnostics] == [
        True
    ]
    assert "Nothing is generated" in read(tmp_path, "models/owl.html")


HOSTILE = """\
class EagleWing:
    def beat(self):
        '''</script><script>document.title = "owned"</script><img src=x onerror="document.title = 'owned'">'''
        return "</pre></div> <!-- \u202e &lt;"
"""


def test_text_of_sources_is_escaped(tmp_path: Path) -> None:
    write_project(
        tmp_path,
        {
            EAGLE: HOSTILE,
            OWL: f"from ..eagle.modeling_eagle import EagleWing\n\n\n{HOSTILE.replace('EagleWing', 'OwlWing(EagleWing)')}",
        },
    )
    run(tmp_path)
    pages = [
        path.read_text(encoding="utf-8")
        for path in sorted((tmp_path / "out").rglob("*.html"))
    ]
    assert len(pages) == 3
    for page in pages:
        assert "<img" not in page
        assert "<script>" not in page
        assert "\u202e" not in page
    assert (
        row(pages[-1], "modular-L7")[1]
        == '        return "</pre></div> <!-- U+202E &lt;"'
    )


@pytest.mark.parametrize("name", ["a'b", "a&b", "a b", "a#b?c%20", 'a"><b>'])
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    write_project(
        tmp_path,
        {
            f"models/{name}/modeling_eagle.py": "",
            EAGLE: "class EagleWing:\n    x = 1\n",
            f"models/{name}/modular_owl.py": "from ..eagle.modeling_eagle import EagleWing\n\n\nclass OwlWing(EagleWing):\n    pass\n",
            OWL: "from ..eagle.modeling_eagle import EagleWing\n\n\nclass OwlWing(EagleWing):\n    pass\n",
        },
    )
    assert run(tmp_path).models == 2
    for page in sorted((tmp_path / "out").rglob("*.html")):
        assert "<b>" not in page.read_text(encoding="utf-8")


def make_birds(root: Path) -> Path:
    """The small project with ten models more: enough for several processes."""
    make_flock(root)
    text = (root / OWL).read_text(encoding="utf-8")
    for letter in "abcdefghij":
        (root / f"models/bird_{letter}").mkdir()
        modular = text.replace("Owl", f"Bird{letter.upper()}")
        (root / f"models/bird_{letter}/modular_bird_{letter}.py").write_text(
            modular, encoding="utf-8"
        )
    return root


def die(pages: Pages, modular: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_process_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pages, "write_model", die)
    with pytest.raises(ReviewError, match="was killed: run again with `--jobs 1`"):
        run(make_birds(tmp_path), jobs=2)


def test_pages_do_not_depend_on_hash_seeds_or_processes(tmp_path: Path) -> None:
    make_birds(tmp_path)
    seen = []
    for seed, jobs in (("1", "1"), ("2", "2")):
        output = tmp_path / f"out{seed}"
        command = [
            sys.executable,
            "-m",
            "modular",
            "review",
            "--no-cache",
            "--jobs",
            jobs,
            "--output",
            str(output),
        ]
        subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": "0"},
            check=True,
        )
        seen.append(
            {
                path.relative_to(output): path.read_bytes()
                for path in output.rglob("*")
                if path.is_file()
            }
        )
    assert sum(path.suffix == ".html" for path in seen[0]) == 14
    assert seen[0] == seen[1]
