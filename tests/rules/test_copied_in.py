"""Tests of the rule `copied-in`."""

from tests.support import source


def pil(flatten, modular: str) -> str:
    """The `image_processing_pil` file that comes of a modular file."""
    return flatten(modular).files["models/my_model/image_processing_pil_my_model.py"]


def test_a_copy_comes_before_the_class_at_its_position(flatten):
    modular = """
        class MyModelImageProcessorKwargs:
            size = 1


        class MyModelImageProcessor:
            kwargs = MyModelImageProcessorKwargs


        class MyModelImageProcessorPil:
            kwargs = MyModelImageProcessorKwargs
        """
    assert pil(flatten, modular) == source("""
        class MyModelImageProcessorKwargs:
            size = 1


        class MyModelImageProcessorPil:
            kwargs = MyModelImageProcessorKwargs
        """)


def test_a_copy_comes_after_an_assignment_at_its_position(flatten):
    modular = """
        SCALE = 2


        class MyModelImageProcessorKwargs:
            size = 1


        class MyModelImageProcessor:
            kwargs = MyModelImageProcessorKwargs


        class MyModelImageProcessorPil:
            kwargs = MyModelImageProcessorKwargs
            scale = SCALE
        """
    assert pil(flatten, modular) == source("""
        SCALE = 2


        class MyModelImageProcessorKwargs:
            size = 1


        class MyModelImageProcessorPil:
            kwargs = MyModelImageProcessorKwargs
            scale = SCALE
        """)


def test_a_copy_comes_last_if_its_position_is_after_the_end(flatten):
    modular = """
        class MyModelImageProcessor:
            size = 1


        class MyModelLongImageProcessor:
            size = 2


        class MyModelImageProcessorKwargs:
            size = 3


        class MyModelImageProcessorPil:
            def kwargs(self):
                return MyModelImageProcessorKwargs
        """
    assert pil(flatten, modular) == source("""
        class MyModelImageProcessorPil:
            def kwargs(self):
                return MyModelImageProcessorKwargs


        class MyModelImageProcessorKwargs:
            size = 3
        """)


def test_names_of_other_file_types_are_imported(flatten):
    modular = """
        class MyModelConfig:
            size = 1


        class MyModelImageProcessorPil:
            config: MyModelConfig
        """
    assert pil(flatten, modular) == source("""
        from .configuration_my_model import MyModelConfig


        class MyModelImageProcessorPil:
            config: MyModelConfig
        """)


def test_other_files_import_the_name(flatten):
    modular = """
        class MyModelImageProcessorKwargs:
            size = 1


        class MyModelProcessor:
            kwargs = MyModelImageProcessorKwargs
        """
    assert flatten(modular).files["models/my_model/processing_my_model.py"] == source("""
        from .image_processing_my_model import MyModelImageProcessorKwargs


        class MyModelProcessor:
            kwargs = MyModelImageProcessorKwargs
        """)


def test_a_copy_comes_before_its_first_use(flatten):
    modular = """
        class MyModelImageProcessorPil:
            kwargs = MyModelImageProcessorKwargs


        class MyModelImageProcessor:
            kwargs = 1


        class MyModelImageProcessorKwargs:
            size = 1
        """
    assert pil(flatten, modular) == source("""
        class MyModelImageProcessorKwargs:
            size = 1


        class MyModelImageProcessorPil:
            kwargs = MyModelImageProcessorKwargs
        """)


def test_dependencies_of_a_copy_are_copied(flatten):
    modular = """
        class MyModelConfig:
            size = 1


        def size():
            return 2


        class MyModelImageProcessorPil:
            kwargs = MyModelImageProcessorKwargs


        class MyModelBaseImageProcessorKwargs:
            config: MyModelConfig
            size = size()


        class MyModelImageProcessorKwargs(MyModelBaseImageProcessorKwargs):
            pass
        """
    assert pil(flatten, modular) == source("""
        from .configuration_my_model import MyModelConfig


        def size():
            return 2


        class MyModelBaseImageProcessorKwargs:
            config: MyModelConfig
            size = size()


        class MyModelImageProcessorKwargs(MyModelBaseImageProcessorKwargs):
            pass


        class MyModelImageProcessorPil:
            kwargs = MyModelImageProcessorKwargs
        """)
