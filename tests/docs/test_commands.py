"""Every command that a page names is there, with every option that it names; blocks of `sh` hold nothing unknown."""

import re
import shlex
import subprocess
import tomllib

import click
import pytest

from modular.cli.main import main
from modular.system.addresses import REPOSITORY
from tests.docs.markdown import PAGES, ROOT, blocks, prose, read


PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TARGETS = re.findall(
    r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
)
_CALL = re.compile(
    r"^[ \t]*(?:- )?(?:\$ |run: |command = )?modular (?P<words>[a-z][^\n;)&]*)",
    re.MULTILINE,
)
_SCRIPT = re.compile(r"python (?P<path>[\w./]*\w+\.py)(?P<words>[^`\n|;)&]*)")
_WRONG_ON_PURPOSE = {"--sicne"}
_ALWAYS = {"--help", "-h", "--version"}
_OPTION = re.compile(r"(?<!\S)--?[a-zA-Z][\w-]*")


def code(page):
    """Return all that a page says in code: what stands between backticks, and its blocks but those of Python."""
    inline = re.findall(r"`([^`\n]+)`", prose(page))
    return "\n".join(
        [*inline, *(block.text for block in blocks(page) if block.language != "python")]
    )


def calls(text):
    """Yield each call of `modular` as its command and its words."""
    for match in _CALL.finditer(text):
        command, words = main, match["words"].split()
        while (
            isinstance(command, click.Group)
            and words
            and re.fullmatch(r"[a-z]+", words[0])
        ):
            name = words.pop(0)
            command = command.get_command(click.Context(command), name)
            assert command is not None, f"no command {name}: {match[0]}"
        if "--" in words:
            # The program that `modular map` runs follows.
            words = words[: words.index("--")]
        yield command, " ".join(words)


def _option_names(command):
    """Return the names of all options of a command, `--write` of `--diff/--write` among them."""
    names = set()
    for parameter in command.params:
        names.update(parameter.opts, parameter.secondary_opts)
    return names


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_of_modular_is_there(page):
    for command, words in calls(code(page)):
        known = _option_names(command) | _ALWAYS
        assert set(_OPTION.findall(words)) - _WRONG_ON_PURPOSE <= known, words


def test_every_command_is_in_the_table_of_the_readme():
    rows = re.findall(r"^\| `modular (\w+)", read("README.md"), re.MULTILINE)
    assert sorted(rows) == main.list_commands(click.Context(main))


@pytest.mark.parametrize("page", PAGES)
def test_every_option_alone_is_one_of_modular_or_of_a_script(page):
    commands = [
        main.get_command(click.Context(main), name)
        for name in main.list_commands(click.Context(main))
    ]
    known = set()
    for command in commands:
        known |= _option_names(command)
    for script in (ROOT / "utils").glob("*.py"):
        known |= set(re.findall(r'"(--?[\w-]+)"', script.read_text(encoding="utf-8")))
    alone = {
        match
        for text in re.findall(r"`(-[^`\n]+)`", prose(page))
        for match in _OPTION.findall(text)
    }
    assert alone <= known | _ALWAYS


@pytest.mark.parametrize("page", PAGES)
def test_every_script_and_option_of_it_is_there(page):
    for match in _SCRIPT.finditer(code(page)):
        if match["path"].startswith("utils/"):
            known = set(
                re.findall(
                    r'"(--?[\w-]+)"', (ROOT / match["path"]).read_text(encoding="utf-8")
                )
            )
            assert set(_OPTION.findall(match["words"])) <= known, match[0]


CHECKS = {}
"""What is done with the words of a line, by the program that it calls."""


def check(program):
    """Register a check."""
    return lambda function: CHECKS.setdefault(program, function)


@check("make")
def check_make(words):
    """Every goal is one of our Makefile's."""
    assert set(words) <= set(TARGETS)


@check("pip")
def check_pip(words):
    """Until there is a release, the repository is installed, with extras that there are."""
    name = PYPROJECT["project"]["name"]
    assert words[0] == "install"
    for word in words[1:]:
        match = re.fullmatch(rf"(?:{name}(?:\[(\w+)\])? @ )?git\+{REPOSITORY}", word)
        assert match, word
        assert (
            match[1] is None
            or match[1] in PYPROJECT["project"]["optional-dependencies"]
        )


@check("modular")
def check_modular(words):
    """The command and its options are there."""
    assert list(calls(shlex.join(["modular", *words])))


@pytest.mark.parametrize(
    "block",
    [block for page in PAGES for block in blocks(page, "sh")],
    ids=lambda block: block.place,
)
def test_blocks_of_sh_hold_nothing_unknown(block):
    assert (
        subprocess.run(
            ["bash", "-n"], input=block.text, text=True, check=False
        ).returncode
        == 0
    )
    for line in block.text.splitlines():
        program, *words = shlex.split(line, comments=True)
        assert program in CHECKS, line
        CHECKS[program](words)
