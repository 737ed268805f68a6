"""Tests of the rule `docstrings`."""

from tests.support import source


PARENT = '''
    class LlamaMLP:
        r"""A layer of Llama.

        With a line \\more.
        """

        size = 1

        def forward(self, x):
            # Before the docstring.
            """Apply the layer of Llama."""
            return x

        def reset(self):
            return None
    '''


def test_a_docstring_is_inherited(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            size = 2

            def forward(self, x):
                return x + 1
        """
    assert flatten(modular, PARENT).only == source('''
        class MyModelMLP:
            r"""A layer of MyModel.

            With a line \\more.
            """

            size = 2

            def forward(self, x):
                # Before the docstring.
                """Apply the layer of MyModel."""
                return x + 1

            def reset(self):
                return None
        ''')


def test_a_docstring_replaces_the_parents(flatten):
    modular = '''
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            # About the docstring.
            """A layer of its own."""

            def forward(self, x):
                """Apply it."""
                return x + 1

            def reset(self):
                """Reset it."""
        '''
    assert flatten(modular, PARENT).only == source('''
        class MyModelMLP:
            # About the docstring.
            """A layer of its own."""

            size = 1

            def forward(self, x):
                """Apply it."""
                return x + 1

            def reset(self):
                """Reset it."""
        ''')


def test_an_unravelled_method_has_the_childs_or_the_parents_docstring(flatten):
    modular = '''
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            def forward(self, x):
                x = x + 1
                return super().forward(x)

            def reset(self):
                """Reset it."""
                return super().reset()
        '''
    assert flatten(modular, PARENT).only == source('''
        class MyModelMLP:
            r"""A layer of MyModel.

            With a line \\more.
            """

            size = 1

            def forward(self, x):
                # Before the docstring.
                """Apply the layer of MyModel."""
                x = x + 1
                return x

            def reset(self):
                """Reset it."""
                return None
        ''')


def test_any_string_in_a_class_body_is_a_docstring(flatten):
    modular = '''
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            size = 2
            """It stands behind an attribute."""
        '''
    text = flatten(modular, PARENT).only
    assert text.startswith(
        'class MyModelMLP:\n    """It stands behind an attribute."""\n\n    size = 2\n\n'
    )


def test_some_strings_are_not_docstrings(flatten):
    parent = '''
        class LlamaMLP:
            b"""bytes"""
            f"""{1}"""
            size = 1
        '''
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            pass
        """
    assert flatten(modular, parent).only == source("""
        class MyModelMLP:
            size = 1
        """)


def test_adjacent_strings_are_one_docstring(flatten):
    parent = """
        class LlamaMLP:
            "A layer " \\
            "of Llama."
            size = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            size = 2
        """
    assert flatten(modular, parent).only == source("""
        class MyModelMLP:
            "A layer of MyModel."

            size = 2
        """)


def test_a_body_may_be_only_a_docstring(flatten):
    parent = '''
        class LlamaMLP:
            """A layer of Llama."""
        '''
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP): ...
        """
    assert flatten(modular, parent).only == source('''
        class MyModelMLP:
            """A layer of MyModel."""
        ''')


def test_the_docstring_of_a_method_in_plain_quotes_is_not_inherited(flatten):
    parent = """
        class LlamaMLP:
            def forward(self, x):
                'Apply the layer.'
                return x
        """
    modular = """
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            def forward(self, x):
                return x + 1
        """
    assert "Apply" not in flatten(modular, parent).only
