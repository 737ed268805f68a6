"""Sentences about what breaks."""

from modular.effects.breakage import list_names


def test_a_list_of_models_names_the_first_ten() -> None:
    models = [f"owl{number}" for number in range(12)]
    first_ten = "owl0, owl1, owl2, owl3, owl4, owl5, owl6, owl7, owl8, owl9"
    assert list_names(models[:10]) == first_ten
    assert list_names(models) == f"{first_ten} and 2 more"
