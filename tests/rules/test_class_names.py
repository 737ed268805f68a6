"""Tests of the rule `class-names`."""

from tests.support import source


def test_strings_and_comments_use_the_new_name(flatten):
    parent = '''
        class LlamaNorm:
            pass


        # A LlamaMLP.
        class LlamaMLP:
            """A LlamaMLP of LLAMA, in `llama`."""

            norm = LlamaNorm  # of the LlamaMLP
            name = "LlamaMLP"
        '''
    modular = """
        from ..llama.modeling_llama import LlamaMLP, LlamaNorm


        class MyModelNorm(LlamaNorm):
            pass


        class MyModelVisionMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source('''
        class MyModelNorm:
            pass


        # A MyModelVisionMLP.
        class MyModelVisionMLP:
            """A MyModelVisionMLP of MY_MODEL_VISION, in `my_model_vision`."""

            norm = MyModelNorm  # of the MyModelVisionMLP
            name = "MyModelVisionMLP"
        ''')


def test_an_equal_name_changes_nothing(flatten):
    parent = '''
        class LlamaMLP:
            """A LlamaMLP."""
        '''
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source('''
        class MyModelMLP:
            """A MyModelMLP."""
        ''')


def test_names_may_have_no_common_ending(flatten):
    parent = '''
        class LlamaDecoder:
            """The LlamaDecoder is a LlamaDecoderBase."""
        '''
    modular = """
        from ..llama.modeling_llama import LlamaDecoder


        class MyModelTextModel(LlamaDecoder):
            pass
        """
    assert flatten(modular, parent).only == source('''
        class MyModelTextModel:
            """The MyModelTextModel is a MyModelTextModelBase."""
        ''')


def test_several_classes_may_have_one_parent_class(flatten):
    parent = '''
        class LlamaNorm:
            """The LlamaNorm."""

            config = "LlamaConfig"
        '''
    modular = """
        from ..llama.modeling_llama import LlamaNorm


        class MyModelNorm(LlamaNorm):
            pass


        class MyModelTextNorm(LlamaNorm):
            pass


        class MyModelImageNorm(LlamaNorm):
            pass
        """
    assert flatten(modular, parent).only == source('''
        class MyModelNorm:
            """The MyModelNorm."""

            config = "MyModelConfig"


        class MyModelTextNorm:
            """The MyModelTextNorm."""

            config = "MyModelTextConfig"


        class MyModelImageNorm:
            """The MyModelImageNorm."""

            config = "MyModelImageConfig"
        ''')


def test_comments_above_a_class_are_the_parents(flatten):
    parent = """
        from torch import nn


        # About the LlamaMLP.

        # And more.
        class LlamaMLP(nn.Module):  # behind
            size = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        # Own.
        class MyModelMLP(LlamaMLP):  # own too
            size = 2
        """
    assert flatten(modular, parent).only == source("""
        from torch import nn


        # About the MyModelMLP.


        # And more.
        class MyModelMLP(nn.Module):
            size = 2
        """)
