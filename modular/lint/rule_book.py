"""The pages of the rules of the language, and of errors and warnings.

A rule of the language is a module below `modular/rules`, or one of a few modules of other packages:
its docstring says in one sentence what the rule does, then how exactly, and ends with examples. The
modules are read as text, so that printing a rule imports nothing heavy.

The page of a code says what is wrong, why, and what to write instead, with examples. That of a lint
rule is the docstring of its class; those of all other codes are in `errors.md`, which begins with
the parent files that examples share. All examples are tests.
"""

import ast
import inspect
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath

from modular.source.diagnostics import Problem, Severity
from modular.source.python_trees import parse


_EXAMPLE_START = re.compile(r"^(?:Given|Invalid|Valid) (?:`|command).*:$", re.MULTILINE)
"""The line above the first block of an example."""

_BLOCK = re.compile(r".*?^```.*?^```$", re.MULTILINE | re.DOTALL)
"""A fenced block with the text above it."""

_KIND = re.compile(r"^(Given|Invalid|Finding|Fixed|Valid)\b.*:$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its name (`del-attribute`) and its whole text in Markdown."""

    name: str
    text: str

    @property
    def summary(self) -> str:
        """The first sentence."""
        return self.text.partition("\n")[0]


@cache
def rules() -> tuple[Rule, ...]:
    """Return the rules of the language of modular files, sorted by name.

    The text of a rule is the docstring of the module that implements it.
    A module without an example is not a rule: it holds what rules share.
    """
    package = files("modular")
    # The rules outside of the packages below `modular/rules`. The project itself needs
    # the names that two of them describe.
    modules = [
        package / "flatten" / "layout.py",
        package / "project" / "cased_names.py",
        package / "project" / "file_types.py",
    ]
    for subpackage in (package / "rules").iterdir():
        if subpackage.is_dir():
            modules += subpackage.iterdir()

    language_rules = []
    for module in modules:
        if not module.name.endswith(".py") or module.name.startswith("_"):
            continue
        text = ast.get_docstring(parse(module.read_text(encoding="utf-8"))) or ""
        has_example = "```" in text
        if has_example:
            name = module.name.removesuffix(".py").replace("_", "-")
            language_rules.append(Rule(name, f"{text}\n"))
    return tuple(sorted(language_rules, key=lambda rule: rule.name))


@dataclass(frozen=True, slots=True)
class Page(Rule):
    """The page of a code.

    Its text begins with a sentence that says what is wrong. Then it says why that
    matters and, in the last paragraph before the examples, what to write instead.

    Attributes:
        levels: The levels that findings of the code can have, the most common first.
        precision: How many findings a release of transformers has; may be empty.
    """

    code: Problem
    levels: tuple[Severity, ...]
    precision: str = ""

    @property
    def meaning(self) -> str:
        """The explanation between the first sentence and the examples."""
        return _split_at_examples(self.text)[0].partition("\n")[2].strip()

    @property
    def listed_levels(self) -> str:
        """The levels in words, such as `error or warning`."""
        *others, last = (level.value for level in self.levels)
        if not others:
            return last
        return f"{', '.join(others)} or {last}"

    def as_markdown(self) -> str:
        """Return the whole page, with a heading above each of its parts."""
        # The last paragraph but the precision is the advice.
        reasons = self.meaning.split("\n\n")
        if self.precision:
            reasons.remove(self.precision)
        advice = ""
        # A list says what is wrong, and not what to write.
        ends_with_list = reasons[-1].startswith("- ")
        if len(reasons) > 1 and not ends_with_list:
            advice = reasons.pop()
        if self.precision:
            reasons.append(self.precision)

        examples = _Examples(_split_at_examples(self.text)[1])
        question = "Why is this bad?"
        if self.code.severity is Severity.INFO:
            question = "Why does this matter?"
        sections = {
            "What it does": f"Reports that {_lower_first_letter(self.summary)}",
            question: "\n\n".join(reasons),
            "Example": examples.wrong,
            "Use instead": f"{advice}\n\n{examples.right}".strip(),
            "More examples": examples.others,
        }
        markdown = f"# {self.code.id} {self.code.title} ({self.listed_levels})\n"
        for heading, text in sections.items():
            if text:
                markdown += f"\n## {heading}\n\n{text}\n"
        return markdown


def _lower_first_letter(sentence: str) -> str:
    """Return a sentence that begins with a small letter, to be a part of another one."""
    return sentence[:1].lower() + sentence[1:]


class _Examples:
    """The examples of a page, split into three parts.

    Attributes:
        wrong: The first example, up to its finding.
        right: The correct code of the first example.
        others: All other examples, with the remarks between them.
    """

    def __init__(self, text: str) -> None:
        """Split the examples of a page.

        Args:
            text: The examples as the page has them, from the first line on.
        """
        blocks = [match[0].strip("\n") for match in _BLOCK.finditer(text)]
        # The kind of a block, such as `Finding`, begins the last line above its fence.
        kinds = [_KIND.findall(block)[-1] for block in blocks]
        end_of_wrong = len(blocks)
        if "Finding" in kinds:
            end_of_wrong = kinds.index("Finding") + 1
        end_of_right = end_of_wrong
        for kind in kinds[end_of_wrong:]:
            # A remark above a block begins another example.
            has_remark = not blocks[end_of_right].startswith(kind)
            if has_remark or kind not in ("Fixed", "Valid"):
                break
            end_of_right += 1
        self.wrong = "\n\n".join(blocks[:end_of_wrong])
        self.right = "\n\n".join(blocks[end_of_wrong:end_of_right])
        self.others = "\n\n".join(blocks[end_of_right:])


def page(code: Problem) -> Page:
    """Return the page of a code."""
    return _pages()[code]


def find_page(name: str) -> Page | None:
    """Return the page of a code.

    Args:
        name: The number or the title of the code (`MOD202`, `name-not-in-parent`), in
            any case.

    Returns:
        The page; None if there is no such code.
    """
    for code in Problem:
        if name.upper() == code.id or name.lower() == code.title:
            return page(code)
    return None


@cache
def _pages() -> dict[Problem, Page]:
    """Return the documentation page of each error or warning code, such as MOD101.

    The text of a lint rule's page is the docstring of its class. The texts of the other
    codes are in `errors.md`, which looks like this:

        Given `models/llama/modeling_llama.py`: ...

        # MOD101
        A modular file has a syntax error. ...

        # MOD102
        ...

    The files at its top are used by the examples of many pages. Each page shows those
    that its examples import.
    """
    from modular.lint.inspection import RULES

    # By the code's name, `MOD101`.
    texts = {}
    precisions = {}
    levels = {}
    for rule in RULES:
        meaning, examples = _split_at_examples(inspect.getdoc(rule) or "")
        levels[rule.code] = rule.levels
        sentence = rule.precision.as_sentence()
        precisions[rule.code.id] = sentence
        texts[rule.code.id] = f"{meaning.strip()}\n\n{sentence}\n\n{examples}"
    errors_file = (files("modular.lint") / "errors.md").read_text(encoding="utf-8")
    shared_parent_files, *sections = errors_file.split("\n# MOD")
    for section in sections:
        # The heading has lost `# MOD`: the first line is `101`.
        number, _, text = section.partition("\n")
        texts[f"MOD{number}"] = text
        precisions.pop(f"MOD{number}", None)

    pages = {}
    for code in Problem:
        text = f"{texts[code.id].strip()}\n"
        text = _with_parent_files(text, shared_parent_files)
        pages[code] = Page(
            name=code.title,
            text=text,
            code=code,
            levels=levels.get(code) or (code.severity,),
            precision=precisions.get(code.id, ""),
        )
    return pages


def _with_parent_files(text: str, parent_files: str) -> str:
    """Return a page with the parent files that its examples need, above its first example.

    A page that mentions `modeling_llama` gets the file `modeling_llama.py`, unless the
    page itself has a line "Given `models/llama/modeling_llama.py`:".

    Args:
        text: The page.
        parent_files: The files that pages share. Each is a code block with its path
            above:

            Given `models/llama/modeling_llama.py`: ...
            Given `models/llama/configuration_llama.py`: ...
    """
    explanation, examples = _split_at_examples(text)
    # Each block is one parent file, and begins with its line "Given `path`:".
    for block in re.split(r"\n(?=Given `)", parent_files):
        path = block.split("`")[1]
        is_mentioned = PurePosixPath(path).stem in text
        is_in_page = f"Given `{path}`" in text
        if is_mentioned and not is_in_page:
            explanation += f"{block.strip()}\n\n"
    return explanation + examples


def _split_at_examples(text: str) -> tuple[str, str]:
    """Split a page into its explanation and its examples."""
    first = _EXAMPLE_START.search(text)
    start = len(text) if first is None else first.start()
    return text[:start], text[start:]
