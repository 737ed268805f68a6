"""Commands, options and values that are not there: the nearest is suggested."""

from pathlib import Path

import pytest

from tests.flock import make_flock, run_modular


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chek",), "error: No such command 'chek'. Did you mean `check`?\n"),
        (("xyz",), "error: No such command 'xyz'.\n"),
        (("graph", "owlett"), "error: no model `owlett`. Did you mean `owlet`?\n"),
        (
            ("rule", "decorator"),
            "error: no rule and no error `decorator`. Did you mean `decorators`? `modular rule` lists them all.\n",
        ),
        (
            ("rule", "nonsense"),
            "error: no rule and no error `nonsense`. `modular rule` lists them all.\n",
        ),
    ],
)
def test_the_nearest_is_suggested(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = run_modular(*arguments, cwd=make_flock(tmp_path))
    assert done.returncode == 2
    assert done.stderr.endswith(message)


def test_options_with_similar_names_are_suggested(tmp_path: Path) -> None:
    done = run_modular("check", "--sicne", "main", cwd=make_flock(tmp_path))
    assert done.returncode == 2
    message = done.stderr.splitlines()[-1]
    assert message.startswith("error: No such option")
    assert "--since" in message
