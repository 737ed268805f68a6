"""Files are split into fragments with digests and token 4-grams."""

import pytest

from modular.infer.fragments import find_fragments
from modular.source import module as modules
from tests.support import source


def pieces(text: str, model: str = "llama", cased: str = "Llama"):
    return {
        fragment.name: fragment
        for fragment in find_fragments(modules.read("a.py", source(text)), model, cased)
    }


def test_classes_functions_and_methods_come_in_their_order():
    pieces_ = pieces("""
        def rotate(x):
            return x


        @decorated
        class LlamaNorm:
            size = 1

            @property
            def seen(self):
                return self._seen

            @seen.setter
            def seen(self, value):
                self._seen = value


        class LlamaError(ValueError): pass
        """)
    assert [(piece.name, piece.kind, piece.line) for piece in pieces_.values()] == [
        ("rotate", "function", 1),
        ("LlamaNorm", "class", 5),
        ("LlamaNorm.seen", "method", 9),
        ("LlamaNorm.seen.setter", "method", 13),
        ("LlamaError", "class", 18),
    ]


@pytest.mark.parametrize(
    ("one", "other", "is_equal"),
    [
        (
            "class LlamaNorm(Base):\n    x = 1\n",
            "class Other(Base):\n    x = 1\n",
            True,
        ),
        (
            "class LlamaNorm(Base):\n    x = 1\n",
            "class LlamaNorm(Base):\n    x = 2\n",
            False,
        ),
        ("class A(LlamaBase):\n    x = 1\n", "class A(OtherBase):\n    x = 1\n", False),
        ("@one\nclass A:\n    x = 1\n", "@other\nclass A:\n    x = 1\n", False),
        ("@one\nclass A: x = 1\n", "@other\nclass A: x = 1\n", False),
        ('class A:\n    x = "one"\n', 'class A:\n    x = "two"\n', True),
        ("class A:\n    x = 1  # one\n", "class A:\n    x = 1\n", True),
        ("def f(x):\n    return x\n", "def g(x):\n    return x\n", True),
    ],
)
def test_equal_fragments_have_the_same_digest(one, other, is_equal):
    (a,), (b,) = pieces(one).values(), pieces(other).values()
    assert (a.digest == b.digest) is is_equal


def test_names_of_the_model_do_not_count():
    (a,) = pieces("class LlamaA(LlamaBase):\n    x = llama_attention\n").values()
    (b,) = pieces(
        "class OptA(OptBase):\n    x = opt_attention\n", "opt", "Opt"
    ).values()
    assert (a.digest, set(a.grams), a.size) == (b.digest, set(b.grams), len(b.grams))


def test_the_grams_of_a_method_are_among_those_of_its_class():
    pieces_ = pieces("class A:\n    x = 1\n\n    def f(self):\n        return self.x\n")
    assert pieces_["A.f"].size == 7  # of ten words and signs
    assert set(pieces_["A.f"].grams) < set(pieces_["A"].grams)


@pytest.mark.parametrize("model", ["d", "e", "f", "def", "a", "la", "class"])
def test_a_model_name_inside_a_keyword_does_not_change_the_keyword(model):
    assert list(pieces("class A:\n    def f(x): ...\n", model, model.title())) == [
        "A",
        "A.f",
    ]


@pytest.mark.parametrize(
    ("other", "is_similar"),
    [
        (
            "def f(self, hidden):\n    rest = hidden + 1\n    return self.act(rest)\n",
            True,
        ),
        ("def f(self, x):\n    y = x + 1\n    return self.drop(y)\n", False),
        ("def f(self, x):\n    y = x - 1\n    return self.act(y)\n", False),
    ],
)
def test_names_of_variables_do_not_count_for_similarity(other, is_similar):
    (one,), (two,) = (
        pieces("def f(self, x):\n    y = x + 1\n    return self.act(y)\n").values(),
        pieces(other).values(),
    )
    assert (one.grams == two.grams) is is_similar
    assert one.digest != two.digest
