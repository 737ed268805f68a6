"""What the code of a generated file uses, and which source its lines come from."""

from modular.provenance.blame import Blame
from modular.provenance.origin_runs import join_lines
from modular.provenance.origins import BlamedLine
from modular.refactor.generated_code import GeneratedCode
from modular.rules.files.drafts import Provenance


PARENT = "llama.py"
TEXT = '''\
"""A docstring

of three lines."""
class OlmoMLP(Module):
    # gate of OlmoNorm
    gate = "OlmoNorm"

    def forward(self, x):
        return self.scale(OlmoRotary(x))


class OlmoNorm(Module):
    size = OlmoMLP.size
'''


def generated_code() -> GeneratedCode:
    """Return a file whose first class comes from the parent, except for its attribute."""
    owners = [
        (1, "modular.py", None, None),
        (2, "modular.py", None, None),
        (3, "modular.py", None, None),
        (4, PARENT, "OlmoMLP", None),
        (5, "modular.py", "OlmoMLP", "gate"),
        (6, "modular.py", "OlmoMLP", "gate"),
        (7, None, None, None),
        (8, PARENT, "OlmoMLP", "forward"),
        (9, PARENT, "OlmoMLP", "forward"),
        (10, None, None, None),
        (11, None, None, None),
        (12, "modular.py", "OlmoNorm", None),
        (13, "modular.py", "OlmoNorm", "size"),
    ]
    lines = []
    for number, path, class_, member in owners:
        kind = Provenance.MADE if path is None else Provenance.INHERITED
        origin_line = None if path is None else number + 100
        lines.append(BlamedLine(number, kind, path, origin_line, class_, member, None))
    return GeneratedCode(Blame("olmo.py", "modular.py", TEXT, join_lines(lines)))


def test_only_the_lines_of_a_source_refer_to_its_names() -> None:
    code = generated_code()
    assert code.has_word_from(PARENT, "OlmoRotary")
    assert not code.has_word_from("modular.py", "OlmoRotary")
    assert code.has_word_from("modular.py", "OlmoMLP")


def test_a_name_in_a_comment_or_string_is_no_reference() -> None:
    assert not generated_code().has_word_from(PARENT, "gate")
    assert generated_code().has_word_from("modular.py", "OlmoNorm")
    assert not generated_code().has_word_from(
        "modular.py", "OlmoNorm", ignore_header=True
    )


def test_the_header_of_a_class_can_be_left_out() -> None:
    code = generated_code()
    assert code.has_word_from(PARENT, "OlmoMLP")
    assert not code.has_word_from(PARENT, "OlmoMLP", ignore_header=True)


def test_a_definition_has_lines_from_each_of_its_sources() -> None:
    code = generated_code()
    assert code.has_definition_from(PARENT, "OlmoMLP")
    assert code.has_definition_from("modular.py", "OlmoMLP")
    assert not code.has_definition_from(PARENT, "OlmoNorm")


def test_an_attribute_is_no_use_of_a_name() -> None:
    code = generated_code()
    assert code.uses_name("OlmoRotary")
    assert not code.uses_name("scale")
    assert not code.uses_name("Olmo")
