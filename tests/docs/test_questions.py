"""Readers find the answers to their questions in two clicks from the start page.

The first click leads from the start page to the page for a kind of reader, the second from
there to the page with the answer.
"""

import re
from pathlib import PurePosixPath
from typing import NamedTuple

import pytest

from tests.docs.markdown import read


class Question(NamedTuple):
    """A question, the page that answers it, and words of the answer."""

    text: str
    page: str
    answer: str


QUESTIONS = {
    "authors": [
        Question("How do I start a model?", "tutorial.md", "$ modular convert"),
        Question(
            "What can I write in a modular file?", "rules.md", "can write in a modular"
        ),
        Question(
            "How do I replace an attribute that the parent sets?",
            "tutorial.md",
            "your assignment replaces the parent's",
        ),
        Question(
            "How do I remove an inherited method?", "faq.md", "To remove a method"
        ),
        Question(
            "Why does super().forward disappear?",
            "faq.md",
            "modular replaces the call with the body of the parent's method",
        ),
        Question(
            "What else does a model in transformers need?",
            "new-model.md",
            "**Auto mappings.**",
        ),
        Question(
            "I have flat code already. What now?", "infer.md", "modular infer my_model"
        ),
        Question(
            "Which existing model is close to mine?",
            "infer.md",
            "modular nearest my_model",
        ),
        Question("How do I set up my editor?", "editors.md", "editors/neovim.md"),
        Question(
            "Which line do I edit for this traceback?",
            "map.md",
            "adds the line to edit",
        ),
    ],
    "maintainers": [
        Question(
            "Where does this generated line come from?",
            "reviewing.md",
            "modular blame models/",
        ),
        Question(
            "Which models does this line reach?",
            "reviewing.md",
            "modular where models/",
        ),
        Question(
            "What does a change break?", "reviewing.md", "A model breaks in these"
        ),
        Question(
            "Can I see a change in a browser?",
            "reviewing.md",
            "modular review --since main",
        ),
        Question("Which findings count?", "linting.md", "## Levels"),
        Question(
            "How do I accept one finding?", "linting.md", "# modular: ignore[MOD401]"
        ),
        Question(
            "How do I start with many warnings?", "linting.md", "--write-baseline"
        ),
        Question("How do I fix findings?", "linting.md", "modular fix"),
        Question(
            "How do I replace the scripts in utils/?",
            "migrating.md",
            "## How to change over",
        ),
        Question("What does MOD402 mean?", "errors.md", "[MOD402](rules/MOD402.md)"),
    ],
    "libraries": [
        Question("Where do I say where my models are?", "settings.md", "### `models`"),
        Question(
            "Can generated files go elsewhere?",
            "settings.md",
            "The folder for generated files",
        ),
        Question(
            "Can parents come from transformers?", "settings.md", "### `source-library`"
        ),
        Question("Can I use black?", "settings.md", "To use black"),
        Question("How do I change the banner?", "settings.md", "### `banner.text`"),
        Question(
            "How are classes split over files?",
            "settings.md",
            "Which file a class is written to",
        ),
        Question(
            "How does the tool work?",
            "architecture.md",
            "## How one model is converted",
        ),
        Question("Does it run my code?", "faq.md", "never imports or executes"),
        Question(
            "Can modular write the modular files for me?", "infer.md", "modular infer"
        ),
        Question("What is safe with strangers' pull requests?", "ci.md", "stranger"),
    ],
    "ci": [
        Question("What do the exit codes mean?", "ci.md", "| exit code |"),
        Question("How do I use the GitHub action?", "ci.md", "## GitHub"),
        Question("How do I use pre-commit?", "ci.md", "## pre-commit"),
        Question("How do I check only what changed?", "ci.md", "--since REF"),
        Question("How do I cache results?", "ci.md", "MODULAR_CACHE_DIR"),
        Question("Where do findings appear?", "ci.md", "annotations in a pull request"),
        Question("Which fields has the JSON output?", "output.md", "| field | type |"),
        Question("Can I stop a run?", "ci.md", "## Safe to interrupt"),
        Question("What does an author see?", "ci.md", "--output-format github"),
        Question(
            "How do I make warnings fail?", "linting.md", "modular check --strict"
        ),
    ],
}
"""Ten questions of each kind of reader."""

CASES = [
    pytest.param(reader, question, id=f"{reader}: {question.text}")
    for reader, questions in QUESTIONS.items()
    for question in questions
]


def linked_pages(page: str) -> set[str]:
    """Return the pages of the site that a page links to, relative to `docs`."""
    folder = PurePosixPath(page).parent
    pages = set()
    for link in re.findall(r"\]\(([^)#\s]+\.md)", read(f"docs/{page}")):
        parts: list[str] = []
        for part in (folder / link).parts:
            if part == "..":
                parts.pop()
            else:
                parts.append(part)
        pages.add("/".join(parts))
    return pages


def test_each_kind_of_reader_has_ten_questions() -> None:
    assert {len(questions) for questions in QUESTIONS.values()} == {10}


@pytest.mark.parametrize("reader, question", CASES)
def test_two_clicks_lead_to_the_answer(reader: str, question: Question) -> None:
    assert f"start/{reader}.md" in linked_pages("index.md")
    assert question.page in linked_pages(f"start/{reader}.md")
    text = " ".join(read(f"docs/{question.page}").split())
    assert " ".join(question.answer.split()) in text
