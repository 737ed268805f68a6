"""With Python's inheritance, only whole words are renamed, in names that a model defines."""

from pathlib import Path

import pytest

from tests.support import convert, source


SETTINGS = """
[tool.modular]
models = ["lib/models"]
package = "lib.models"
inheritance = "python"
"""


def flatten(tmp_path: Path, parent: str, child: str, **files: str) -> str:
    """Return the file of the model `acme`, which inherits from the model `clip`."""
    result = convert(
        tmp_path,
        {
            "pyproject.toml": SETTINGS,
            "lib/models/clip/modeling_clip.py": source(parent),
            "lib/models/acme/modular_acme.py": source(child),
            **{f"lib/{name}.py": source(text) for name, text in files.items()},
        },
    )
    assert result.codes == []
    return (tmp_path / "lib/models/acme/modeling_acme.py").read_text(encoding="utf-8")


CHILD = """
    from ..clip.modeling_clip import ClipLoss


    class AcmeLoss(ClipLoss):
        pass
    """


@pytest.mark.parametrize(
    "statement",
    [
        "return ops.clip(x, clipping=1)",
        "return ops.clip_by_norm(x)",
        "return ops.f(x, clip_x=1)",
        "return self.eclipse(x, clipper)",
        "return x.clip(0, 1)",
        "return CLIPPER + x",
        "return ClipConfig(x)",
    ],
)
def test_other_words_and_names_from_elsewhere_stay(
    tmp_path: Path, statement: str
) -> None:
    parent = f"""
        from other import CLIPPER, ClipConfig, clipper

        from ... import ops


        class ClipLoss:
            def clip(self, x, clip_x=1):
                {statement}
        """
    assert statement in flatten(tmp_path, parent, CHILD)


def test_names_of_the_model_and_prose_are_renamed(tmp_path: Path) -> None:
    parent = '''
        CLIP_SIZE = 1


        class ClipLoss:
            """The loss of Clip clips."""

            model_type = "clip"

            def go(self, clip_x):
                self.clip_y = clip_x + CLIP_SIZE
                return self.clip_y
        '''
    assert flatten(tmp_path, parent, CHILD) == source('''
        ACME_SIZE = 1


        class AcmeLoss:
            """The loss of Acme clips."""

            model_type = "acme"

            def go(self, acme_x):
                self.acme_y = acme_x + ACME_SIZE
                return self.acme_y
        ''')


@pytest.mark.parametrize(
    ("parent_code", "child_code"),
    [
        ("self.clip_n = 1", "return self.clip_n"),
        ("self.clip_n = 1", "self.acme_n = 2"),
        ("self.clip_n, self.acme_n = 1, 2", "pass"),
        ('setattr(self, f"clip_{1}", 1); self.clip_n = 3', "pass"),
        ('self.clip_n = vars(self)["clip_" + "x"]', "pass"),
        ('self.n = {"clip": 1}', 'return self.n["clip"]'),
        ("self.go(clip_n=1)", "return self.go(clip_n=5)"),
    ],
)
def test_a_member_or_string_stays_if_its_new_name_would_change_the_code(
    tmp_path: Path, parent_code: str, child_code: str
) -> None:
    parent = f"""
        class ClipLoss:
            def start(self):
                {parent_code}

            def go(self, clip_n=0):
                return clip_n
        """
    child = f"""
        from ..clip.modeling_clip import ClipLoss


        class AcmeLoss(ClipLoss):
            def more(self):
                {child_code}
        """
    written = flatten(tmp_path, parent, child)
    for line in parent_code.split("; "):
        assert line in written


def test_members_of_a_base_from_another_file_keep_their_names(tmp_path: Path) -> None:
    base = """
        class Base:
            def clip_all(self):
                return 1
        """
    parent = """
        from ...base import Base


        class ClipLoss(Base):
            def clip_all(self):
                return 2
        """
    assert "def clip_all(self)" in flatten(tmp_path, parent, CHILD, base=base)


def test_a_name_in_capitals_is_a_word(tmp_path: Path) -> None:
    result = convert(
        tmp_path,
        {
            "pyproject.toml": SETTINGS,
            "lib/models/ddpm/modeling_ddpm.py": source('''
                class DDPMOutput:
                    """Output of DDPM."""


                class DDPMScheduler:
                    output = DDPMOutput
                '''),
            "lib/models/ddim/modular_ddim.py": source("""
                from ..ddpm.modeling_ddpm import DDPMOutput, DDPMScheduler


                class DDIMOutput(DDPMOutput):
                    pass


                class DDIMScheduler(DDPMScheduler):
                    pass
                """),
        },
    )
    assert result.codes == []
    path = tmp_path / "lib/models/ddim/modeling_ddim.py"
    assert path.read_text(encoding="utf-8") == source('''
        class DDIMOutput:
            """Output of DDIM."""


        class DDIMScheduler:
            output = DDIMOutput
        ''')


def test_two_definitions_of_the_parent_do_not_become_one(tmp_path: Path) -> None:
    parent = """
        CLIP_EPS = 1
        ACME_EPS = 2


        class ClipLoss:
            def forward(self):
                return CLIP_EPS, ACME_EPS
        """
    text = flatten(tmp_path, parent, CHILD)
    assert "        return CLIP_EPS, ACME_EPS\n" in text


def test_a_member_that_the_modular_file_may_compute_stays(tmp_path: Path) -> None:
    parent = """
        class ClipLoss:
            def __init__(self):
                self.clip_size = 1
        """
    child = """
        from ..clip.modeling_clip import ClipLoss


        class AcmeLoss(ClipLoss):
            def forward(self, name):
                return getattr(self, name + "_size")
        """
    assert "self.clip_size = 1" in flatten(tmp_path, parent, child)


def test_a_string_from_which_the_parent_computes_a_name_stays(tmp_path: Path) -> None:
    parent = """
        class ClipLoss:
            def __init__(self):
                setattr(self, "_".join(["clip", "size"]), 1)

            def size(self):
                return self.clip_size
        """
    assert '["clip", "size"]' in flatten(tmp_path, parent, CHILD)
