"""Tests of the rule `dependencies`."""

from tests.support import source


PARENT = """
    from .configuration_llama import LlamaConfig, shared


    EPS = 1e-6


    def scale(x, eps=EPS):
        return x


    def shared(x):
        return x


    def unused(x):
        return x


    class LlamaNorm:
        def forward(self, x):
            return scale(x)


    class LlamaMLP:
        def __init__(self):
            self.norm = LlamaNorm()


    class LlamaLayer:
        def __init__(self):
            self.mlp = LlamaMLP()


    class LlamaHead:
        def __init__(self):
            self.layer = LlamaLayer()
    """


def test_dependencies_are_followed_through_the_parent_file(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            pass
        """
    assert flatten(modular, PARENT).only == source("""
        EPS = 1e-6


        def scale(x, eps=EPS):
            return x


        class MyModelNorm:
            def forward(self, x):
                return scale(x)


        class MyModelMLP:
            def __init__(self):
                self.norm = MyModelNorm()


        class MyModelLayer:
            def __init__(self):
                self.mlp = MyModelMLP()
        """)


def test_classes_of_the_modular_are_not_taken_from_the_parent(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaLayer


        class MyModelMLP:
            size = 1


        class MyModelLayer(LlamaLayer):
            pass
        """
    assert flatten(modular, PARENT).only == source("""
        class MyModelMLP:
            size = 1


        class MyModelLayer:
            def __init__(self):
                self.mlp = MyModelMLP()
        """)


def test_names_in_an_override_are_dependencies(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaNorm


        def shift(x):
            return x + 1


        class MyModelNorm(LlamaNorm):
            def forward(self, x):
                return shift(x)
        """
    assert flatten(modular, PARENT).only == source("""
        def shift(x):
            return x + 1


        class MyModelNorm:
            def forward(self, x):
                return shift(x)
        """)


def test_attribute_and_keyword_names_are_dependencies(flatten):
    parent = """
        def scale(x):
            return x


        def clip(x):
            return x


        class LlamaMLP:
            def forward(self, x):
                return x.scale(clip=1)
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source("""
        def scale(x):
            return x


        def clip(x):
            return x


        class MyModelMLP:
            def forward(self, x):
                return x.scale(clip=1)
        """)


def test_words_in_strings_and_comments_are_not_dependencies(flatten):
    parent = """
        def scale(x):
            return x


        class LlamaMLP:
            def forward(self, x):
                # scale
                return "scale", f"scale"
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source("""
        class MyModelMLP:
            def forward(self, x):
                # scale
                return "scale", "scale"
        """)


def test_names_in_an_fstring_are_dependencies(flatten):
    parent = """
        def scale(x):
            return x


        class LlamaMLP:
            def forward(self, x):
                return f"{x:>{scale(x)}}"
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source("""
        def scale(x):
            return x


        class MyModelMLP:
            def forward(self, x):
                return f"{x:>{scale(x)}}"
        """)


def test_names_from_the_parents_own_files_stay_imports(flatten):
    parent = """
        from .configuration_llama import LlamaConfig, size


        class LlamaMLP:
            config: LlamaConfig
            size = size
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelConfig:
            model_type = "my_model"


        class MyModelMLP(LlamaMLP):
            pass
        """
    converted = flatten(modular, parent)
    assert converted.files["models/my_model/modeling_my_model.py"] == source("""
        from .configuration_my_model import MyModelConfig, size


        class MyModelMLP:
            config: MyModelConfig
            size = size
        """)


VIDEO = """
    def resize(size):
        return size * 2


    class LlamaVideoProcessor:
        size = resize(4)
    """
RESIZING = """
    from ..llama.processing_llama import LlamaProcessor
    from ..llama.video_processing_llama import resize


    class MyModelProcessor(LlamaProcessor):
        pass
    """


def test_a_function_of_another_parent_file_precedes_a_guarded_import_from_own_files(
    flatten,
):
    parent = """
        from ...utils import is_vision_available


        if is_vision_available():
            from .image_processing_llama import resize


        class LlamaProcessor:
            size = resize(2)
        """
    files = {
        "models/llama/processing_llama.py": parent,
        "models/llama/video_processing_llama.py": VIDEO,
    }
    assert flatten(RESIZING, files=files).only == source("""
        def resize(size):
            return size * 2


        class MyModelProcessor:
            size = resize(2)
        """)


def test_a_plain_import_from_own_files_precedes_a_function_of_another_parent_file(
    flatten,
):
    parent = """
        from .image_processing_llama import resize


        class LlamaProcessor:
            size = resize(2)
        """
    files = {
        "models/llama/processing_llama.py": parent,
        "models/llama/video_processing_llama.py": VIDEO,
    }
    assert flatten(RESIZING, files=files).only == source("""
        from .image_processing_my_model import resize


        class MyModelProcessor:
            size = resize(2)
        """)


def test_a_dependency_of_another_file_type_is_imported(flatten):
    modular = """
        class MyModelProcessorKwargs:
            padding = False


        class MyModelMLP:
            kwargs = MyModelProcessorKwargs
        """
    assert flatten(modular).files == {
        "models/my_model/processing_my_model.py": source("""
            class MyModelProcessorKwargs:
                padding = False
            """),
        "models/my_model/modeling_my_model.py": source("""
            from .processing_my_model import MyModelProcessorKwargs


            class MyModelMLP:
                kwargs = MyModelProcessorKwargs
            """),
    }


def test_a_parents_dependency_of_another_file_type_is_imported(flatten):
    parent = """
        class LlamaProcessorKwargs:
            padding = False


        class LlamaMLP:
            kwargs = LlamaProcessorKwargs
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source("""
        from .processing_my_model import MyModelProcessorKwargs


        class MyModelMLP:
            kwargs = MyModelProcessorKwargs
        """)


def test_a_class_without_a_parent_class_depends_on_no_classes_of_parent_files(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaNorm, scale


        class MyModelNorm(LlamaNorm):
            pass


        class MyModelHead:
            def forward(self, x):
                return scale(x), MyModelNorm, MyModelMLP


        class MyModelMLP:
            size = 1
        """
    assert flatten(modular, PARENT).only == source("""
        EPS = 1e-6


        def scale(x, eps=EPS):
            return x


        class MyModelNorm:
            def forward(self, x):
                return scale(x)


        class MyModelHead:
            def forward(self, x):
                return scale(x), MyModelNorm, MyModelMLP


        class MyModelMLP:
            size = 1
        """)


def test_unused_functions_and_assignments_are_not_written(flatten):
    modular = """
        SIZE = 1
        WIDTH = 2


        def one():
            return SIZE


        def two():
            return 2


        class MyModelMLP:
            width = WIDTH
        """
    assert flatten(modular).only == source("""
        WIDTH = 2


        class MyModelMLP:
            width = WIDTH
        """)


def test_each_file_contains_its_dependencies(flatten):
    modular = """
        SIZE = 1


        class MyModelConfig:
            size = SIZE


        class MyModelMLP:
            size = SIZE
        """
    assert flatten(modular).files == {
        "models/my_model/configuration_my_model.py": "SIZE = 1\n\n\nclass MyModelConfig:\n    size = SIZE\n",
        "models/my_model/modeling_my_model.py": "SIZE = 1\n\n\nclass MyModelMLP:\n    size = SIZE\n",
    }


def test_with_python_inheritance_a_guarded_import_brings_its_flag(flatten_like_python):
    parent = """
        from lib import is_flash_available

        HAS_FLASH = is_flash_available()

        if HAS_FLASH:
            import flash


        class LlamaMLP:
            def forward(self, x):
                return flash.run(x)
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten_like_python(modular, parent).only == source("""
        from lib import is_flash_available


        HAS_FLASH = is_flash_available()

        if HAS_FLASH:
            import flash


        class MyModelMLP:
            def forward(self, x):
                return flash.run(x)
        """)
