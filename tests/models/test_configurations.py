"""Configurations keep what they are given, and their defaults are transformers' own."""

import pytest

import transformers
from tests.models.library import CASES


CONFIGS = sorted({(case.package, case.config_name): case for case in CASES}.items())
cases = pytest.mark.parametrize(
    "case", [case for _, case in CONFIGS], ids=lambda case: case.config_name
)

# transformers gives them, though no code of a model reads them.
DERIVED = {"head_dim", "architectures", "transformers_version"}


@cases
def test_round_trip(case):
    config_class = case.ours("configuration", case.config_name)
    config = config_class(**case.sizes)
    again = config_class.from_dict(config.to_dict())
    assert again.to_dict() == config.to_dict()
    assert (
        config.model_type == getattr(transformers, case.config_name).model_type
        or "llava" in case.package
    )


@cases
def test_same_defaults(case):
    ours = case.ours("configuration", case.config_name)().to_dict()
    theirs = getattr(transformers, case.config_name)().to_dict()
    towers = {
        "text_config",
        "vision_config",
    }  # compared on their own, where transformers names their classes
    for name in (ours.keys() & theirs.keys()) - DERIVED - towers:
        assert ours[name] == theirs[name], name
    extra = ours.keys() - theirs.keys()
    assert not extra, f"transformers has no {extra}"
