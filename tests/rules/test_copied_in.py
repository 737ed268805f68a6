"""What a file that must not import from another one of its model has copied in."""

from tests.support import source


def pil(flatten, modular: str) -> str:
    """The `image_processing_pil` file that comes of a modular file."""
    return flatten(modular).files["models/my_model/image_processing_pil_my_model.py"]


def test_before_the_class_at_the_same_place(flatten):
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


def test_behind_an_assignment_at_the_same_place(flatten):
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


def test_further_down_than_the_file_is_long(flatten):
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


def test_other_file_types_are_imported(flatten):
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


def test_other_files_import_it(flatten):
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


def test_above_the_class_that_uses_it_whatever_the_order(flatten):
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


def test_what_the_copy_needs_is_copied_too(flatten):
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
