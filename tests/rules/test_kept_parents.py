"""Tests of the rule `kept-parents`."""

from tests.support import source


VALUE_OF_SUPER = """
    from ..llama.modeling_llama import LlamaModel


    class MyModel(LlamaModel):
        def forward(self, x):
            parent = super()
            return parent.forward(x)
    """


def test_the_name_of_the_parent_in_its_own_super_is_private(flatten_like_python):
    parent = """
        class Base:
            def forward(self, x):
                return x


        class LlamaModel(Base):
            def forward(self, x):
                return super(LlamaModel, self).forward(x) + 1
        """
    text = flatten_like_python(VALUE_OF_SUPER, parent).only
    names = {}
    exec(text, names)
    assert names["MyModel"]().forward(1) == 2


def test_the_name_of_the_parent_means_the_class_elsewhere(flatten_like_python):
    parent = """
        class LlamaModel:
            def forward(self, x):
                return LlamaModel()
        """
    modular = VALUE_OF_SUPER.replace("class MyModel(", "class MyModelModel(")
    names = {}
    exec(flatten_like_python(modular, parent).only, names)
    assert type(names["MyModelModel"]().forward(1)) is names["MyModelModel"]


def test_two_classes_have_one_copy_of_their_parent(flatten_like_python):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def forward(self, x):
                return [super().forward(y) for y in x]


        class MyModelText(LlamaModel):
            def forward(self, x):
                return (lambda: super(MyModelText, self))().forward(x)
        """
    parent = "class LlamaModel:\n    def forward(self, x):\n        return x\n"
    text = flatten_like_python(modular, parent).only
    assert text.count("class _LlamaModel:") == 1
    assert text.count("(_LlamaModel):") == 2


def test_a_statement_about_the_parent_is_one_about_its_copy(flatten_like_python):
    parent = """
        class LlamaModel:
            def forward(self, x):
                return x + self.size


        LlamaModel.size = 4
        """
    modular = VALUE_OF_SUPER + "\n\n    MyModel.size = 2 * MyModel.size\n"
    text = flatten_like_python(modular, parent).only
    assert "\n_LlamaModel.size = 4\n" in text
    names = {}
    exec(text, names)
    assert names["MyModel"]().forward(1) == 9


def test_the_private_name_is_not_taken(flatten_like_python):
    parent = """
        def _LlamaModel(x):
            return -x


        class LlamaModel:
            def forward(self, x):
                return _LlamaModel(x)
        """
    text = flatten_like_python(VALUE_OF_SUPER, parent).only
    assert "class MyModel(_LlamaModel2):" in text


def test_only_the_name_of_the_parent_is_replaced(flatten_like_python):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            def forward(self, x):
                "Like LlamaModel."
                parent = super()
                return LlamaModel.forward(self, x.LlamaModel)
        """
    parent = "class LlamaModel:\n    def forward(self, x):\n        return x\n"
    assert flatten_like_python(modular, parent).only.endswith(
        source("""
        class MyModel(_LlamaModel):
            def forward(self, x):
                "Like LlamaModel."
                parent = super()
                return _LlamaModel.forward(self, x.LlamaModel)
        """)
    )


def test_parents_of_one_name_have_copies_of_their_own(flatten_like_python):
    modular = """
        from ..llama.modeling_llama import LlamaModel
        from ..llama_old.modeling_llama_old import LlamaModel as Old


        class MyModel(LlamaModel):
            def forward(self, x):
                parent = super()
                return parent.forward(x)


        class MyOther(Old):
            def forward(self, x):
                parent = super()
                return parent.forward(x)
        """
    parent = "class LlamaModel:\n    def forward(self, x):\n        return {}\n"
    files = {"models/llama_old/modeling_llama_old.py": parent.format(2)}
    names = {}
    exec(flatten_like_python(modular, parent.format(1), files).only, names)
    values = [names[name]().forward(0) for name in ("MyModel", "MyOther")]
    assert values == [1, 2]
