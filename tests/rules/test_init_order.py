"""Tests of the rule `init-order`."""

from tests.support import source


def body(flatten, parent: str, own: str) -> str:
    """The body of `__init__` that comes of the parent's and an override's, given as lines."""

    def file(head: str, lines: str) -> str:
        inside = "".join(f"        {line}\n" for line in source(lines).splitlines())
        return f"{head}    def __init__(self, config):\n{inside}"

    modular = file(
        "from ..llama.modeling_llama import LlamaModel\n\n\nclass MyModelModel(LlamaModel):\n",
        own,
    )
    text = flatten(modular, file("class LlamaModel(Base):\n", parent)).only
    return source(text.partition("def __init__(self, config):\n")[2])


def test_post_init_is_last(flatten):
    parent = """
        super().__init__(config)
        self.post_init()
        self.ready = True
        """
    own = """
        super().__init__(config)
        self.new = 1
        """
    assert body(flatten, parent, own) == source("""
        super().__init__(config)
        self.ready = True
        self.new = 1
        self.post_init()
        """)


def test_only_the_first_post_init_moves(flatten):
    parent = """
        if config.early:
            self.post_init()
        self.ready = True
        self.post_init()
        """
    own = """
        super().__init__(config)
        self.new = 1
        """
    assert body(flatten, parent, own) == source("""
        self.ready = True
        self.post_init()
        self.new = 1
        if config.early:
            self.post_init()
        """)


def test_super_init_is_first(flatten):
    parent = '''
        """About it."""
        super().__init__(config)
        self.ready = True
        '''
    own = """
        size = config.size
        super().__init__(config)
        """
    assert body(flatten, parent, own) == source('''
        """About it."""
        super().__init__(config)
        size = config.size
        self.ready = True
        ''')


def test_super_init_stays_if_the_parent_has_it_later(flatten):
    parent = """
        self.ready = True
        super().__init__(config)
        """
    own = """
        size = config.size
        super().__init__(config)
        self.size = size
        """
    assert body(flatten, parent, own) == source("""
        size = config.size
        self.ready = True
        super().__init__(config)
        self.size = size
        """)


def test_an_explicit_call_before_the_parents_body_counts(flatten):
    parent = """
        self.ready = True
        """
    own = """
        size = config.size
        Base.__init__(self, config)
        super().__init__(config)
        """
    assert body(flatten, parent, own) == source("""
        super().__init__(config)
        size = config.size
        self.ready = True
        """)


def test_nothing_moves_without_an_unravelled_call(flatten):
    parent = """
        super().__init__(config)
        """
    own = """
        self.post_init()
        self.size = config.size
        Base.__init__(self, config)
        """
    assert body(flatten, parent, own) == source("""
        self.post_init()
        self.size = config.size
        super().__init__(config)
        """)


def test_a_string_that_mentions_post_init_stays(flatten):
    parent = """
        super().__init__(config)
        print("behind self.post_init() and super().__init__()")
        self.size = 1
        """
    own = """
        super().__init__(config)
        self.new = 1
        """
    assert body(flatten, parent, own) == source("""
        super().__init__(config)
        print("behind self.post_init() and super().__init__()")
        self.size = 1
        self.new = 1
        """)
