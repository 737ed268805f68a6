"""Parent files and parent classes that do not exist or cannot be used (MOD201, MOD301)."""

from pathlib import Path

from tests.reporting import codes_and_places, of_olmo, only_hint


def test_two_parents(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP, LlamaModel

        class OlmoMLP(LlamaMLP, LlamaModel):
            pass
        """,
    )
    assert codes_and_places(reported) == ["MOD301 models/olmo/modular_olmo.py:3:25"]


def test_parent_file_not_found_in_its_folder(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_lama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            pass
        """,
    )
    assert codes_and_places(reported) == ["MOD201 models/olmo/modular_olmo.py:1:8"]
    assert "hint: did you mean `modeling_llama`?" in reported


def test_parent_model_not_found(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..lama.modeling_lama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            pass
        """,
    )
    assert codes_and_places(reported) == ["MOD201 models/olmo/modular_olmo.py:1:8"]
    assert "hint: did you mean `llama`?" in reported


def test_a_model_is_not_suggested_as_its_own_parent(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..olm.modeling_olm import OlmMLP

        class OlmoMLP(OlmMLP):
            pass
        """,
    )
    assert codes_and_places(reported) == ["MOD201 models/olmo/modular_olmo.py:1:8"]


def test_parent_file_of_another_type(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.configuration_llama import LlamaConfig

        class OlmoConfig(LlamaConfig):
            pass
        """,
    )
    assert codes_and_places(reported) == ["MOD201 models/olmo/modular_olmo.py:1:8"]
    assert "hint: `llama`" in reported


def test_all_errors_of_a_file_are_reported_in_their_order(tmp_path: Path) -> None:
    found = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaAttention, LlamaConfig, LlamaMLP, LlamaModel

        class OlmoModel(LlamaMLP, LlamaModel):
            pass

        class OlmoAttention(LlamaAttention):
            pass
        """,
    )
    reported = [
        line.split()
        for line in found.splitlines()
        if line.startswith("error") or line.lstrip().startswith("-->")
    ]
    assert [
        (head[0], arrow[1])
        for head, arrow in zip(reported[::2], reported[1::2], strict=True)
    ] == [
        ("error[MOD202]:", "models/olmo/modular_olmo.py:1:36"),
        ("error[MOD203]:", "models/olmo/modular_olmo.py:1:52"),
        ("error[MOD301]:", "models/olmo/modular_olmo.py:3:27"),
    ]


def test_one_dot_for_the_folder_of_the_models(tmp_path: Path) -> None:
    hint_ = only_hint(
        tmp_path,
        """
        from .llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            pass
        """,
    )
    assert hint_ == "write two dots: `..llama.modeling_llama`"
