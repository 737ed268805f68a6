"""Parent files, whose statements are renamed for each child."""

import pytest

from modular.rules.names.renaming import ModelNameForms, Renamer
from modular.rules.reading.renamed_file import ParentSource
from modular.settings.file_names import NO_FILE_NAMES
from modular.source.blocks import Statement, split
from modular.source.definition_view import view_definition
from modular.source.module import read
from tests.support import source


def parent(text: str) -> ParentSource:
    forms = ModelNameForms("llama", "Llama", frozenset(), NO_FILE_NAMES)
    return ParentSource(read("parent.py", source(text)), forms)


def renamed_class(file: ParentSource, name: str) -> Statement:
    """The only class of a parent file, renamed for a model such as `Olmo`."""
    renamer = Renamer(file.name_forms, name.lower(), name, name.lower())
    return file.renamed(renamer).definitions.classes[f"{name}MLP"].statement


def test_a_method_without_the_models_name_is_one_statement_for_all_models() -> None:
    file = parent("""
        class LlamaMLP:
            # About Llama.
            def first(self):
                return LlamaNorm()

            def second(self):
                return 1
        """)
    first_bodies = []
    second_methods = []
    for name in ("Olmo", "Gemma"):
        first, second = view_definition(renamed_class(file, name)).body.statements
        first_bodies.append(first.bare_code.text)
        second_methods.append(second)
    assert first_bodies == [
        "    def first(self):\n        return OlmoNorm()\n",
        "    def first(self):\n        return GemmaNorm()\n",
    ]
    assert second_methods[0] is second_methods[1]


@pytest.mark.parametrize(
    "body",
    [
        "    llama = 1; size = llama\n    x = 2\n",
        "    # Copied from llama\n    def f(self): return Llama\n\n    x = 2\n",
        "    def f(self):\n        # llama\n        x\n\n    # Llama\n    size = 'llama'\n    # end\n",
        '    """Llama."""\n\n    if llama:\n        x = 1\n    else:\n        y = 2\n    z = 1\n',
        "    pass\n",
    ],
)
def test_a_renamed_class_has_the_statements_of_its_text(body: str) -> None:
    file = parent("class LlamaMLP:\n" + body)
    view = view_definition(renamed_class(file, "MyLongModel"))
    code = view.code.cut(len(view.header.text))
    expected = split(code)
    assert "".join(item.code.text for item in view.body.statements) == "".join(
        item.code.text for item in expected.statements
    )
    for statement, other in zip(view.body.statements, expected.statements, strict=True):
        assert statement.kind is other.kind
        assert statement.name == other.name
        assert statement.line == other.line
        assert statement.bare_code.text == other.bare_code.text
