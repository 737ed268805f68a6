"""Tests of the rule `methods`."""

from tests.support import source


def test_methods_are_replaced_in_place_and_new_ones_come_last(flatten):
    parent = """
        class LlamaCache:
            def first(self):
                return 1

            def second(self):
                return 2

            def third(self):
                return 3
        """
    modular = """
        from ..llama.modeling_llama import LlamaCache


        class MyModelCache(LlamaCache):
            def fifth(self):
                return 5

            def second(self):
                return 22

            def fourth(self):
                return 4
        """
    assert flatten(modular, parent).only == source("""
        class MyModelCache:
            def first(self):
                return 1

            def second(self):
                return 22

            def third(self):
                return 3

            def fifth(self):
                return 5

            def fourth(self):
                return 4
        """)


def test_a_property_and_its_accessors_are_replaced_separately(flatten):
    parent = """
        class LlamaCache:
            @property
            def size(self):
                return self._size

            @size.setter
            def size(self, value):
                self._size = value

            @size.deleter
            def size(self):
                del self._size
        """
    modular = """
        from ..llama.modeling_llama import LlamaCache


        class MyModelCache(LlamaCache):
            @size.deleter
            def size(self):
                self._size = None

            @property
            def size(self):
                return self._size + 1
        """
    assert flatten(modular, parent).only == source("""
        class MyModelCache:
            @property
            def size(self):
                return self._size + 1

            @size.setter
            def size(self, value):
                self._size = value

            @size.deleter
            def size(self):
                self._size = None
        """)


def test_a_setter_may_be_new(flatten):
    parent = """
        class LlamaCache:
            @property
            def size(self):
                return self._size

            def reset(self):
                self._size = 0
        """
    modular = """
        from ..llama.modeling_llama import LlamaCache


        class MyModelCache(LlamaCache):
            @size.setter
            def size(self, value):
                self._size = value
        """
    assert flatten(modular, parent).only == source("""
        class MyModelCache:
            @property
            def size(self):
                return self._size

            def reset(self):
                self._size = 0

            @size.setter
            def size(self, value):
                self._size = value
        """)


def test_overloads_stay_before_an_override(flatten):
    parent = """
        from typing import overload


        class LlamaCache:
            @overload
            def get(self, key: int) -> int: ...
            @overload
            def get(self, key: str) -> str: ...
            def get(self, key):
                return key
        """
    modular = """
        from ..llama.modeling_llama import LlamaCache


        class MyModelCache(LlamaCache):
            def get(self, key):
                return 2 * key
        """
    assert flatten(modular, parent).only == source("""
        from typing import overload


        class MyModelCache:
            @overload
            def get(self, key: int) -> int: ...
            @overload
            def get(self, key: str) -> str: ...
            def get(self, key):
                return 2 * key
        """)


def test_overloads_replace_all_of_the_parents(flatten):
    parent = """
        import typing


        class LlamaCache:
            @typing.overload
            def get(self, key: int) -> int: ...
            @typing.overload
            def get(self, key: str) -> str: ...
            def get(self, key):
                return key

            def reset(self):
                return None
        """
    modular = """
        import typing

        from ..llama.modeling_llama import LlamaCache


        class MyModelCache(LlamaCache):
            @typing.overload
            def get(self, key: bytes) -> bytes: ...

            @typing.overload
            def reset(self, key: int) -> None: ...
            @typing.overload
            def reset(self) -> None: ...
        """
    assert flatten(modular, parent).only == source("""
        import typing


        class MyModelCache:
            @typing.overload
            def get(self, key: bytes) -> bytes: ...
            def get(self, key):
                return key

            @typing.overload
            def reset(self, key: int) -> None: ...
            @typing.overload
            def reset(self) -> None: ...

            def reset(self):
                return None
        """)


def test_an_override_keeps_parts_of_the_parents_method(flatten):
    parent = """
        class LlamaCache:
            # Waits for the keys.
            async def get(self, key, default=None) -> list[int]:
                return [key]

            def put(self, key) -> None:
                self.key = key
        """
    modular = """
        from ..llama.modeling_llama import LlamaCache


        class MyModelCache(LlamaCache):
            # Does not wait.
            def get(self, key):  # one key
                return [key, key]

            async def put(self, key) -> bool:
                return True
        """
    assert flatten(modular, parent).only == source("""
        class MyModelCache:
            # Waits for the keys.
            async def get(self, key) -> list[int]:  # one key
                return [key, key]

            def put(self, key) -> bool:
                return True
        """)


def test_nested_functions_and_classes_belong_to_their_method(flatten):
    parent = """
        class LlamaCache:
            def get(self, key):
                def get(inner):
                    return inner

                class Found:
                    def put(self):
                        return 1

                return get(Found)

            def put(self, key):
                return key
        """
    modular = """
        from ..llama.modeling_llama import LlamaCache


        class MyModelCache(LlamaCache):
            def put(self, key):
                def get(inner):
                    return 2 * inner

                return get(key)
        """
    assert flatten(modular, parent).only == source("""
        class MyModelCache:
            def get(self, key):
                def get(inner):
                    return inner

                class Found:
                    def put(self):
                        return 1

                return get(Found)

            def put(self, key):
                def get(inner):
                    return 2 * inner

                return get(key)
        """)


def test_methods_may_be_on_one_line(flatten):
    parent = """
        class LlamaCache:
            def get(self, key) -> int: return key
            def put(self, key): self.key = key; self.used = True
        """
    modular = """
        from ..llama.modeling_llama import LlamaCache


        class MyModelCache(LlamaCache):
            def get(self, key): return 2 * key
            def put(self, key): super().put(key); self.used = False; self.new = 1
        """
    assert flatten(modular, parent).only == source("""
        class MyModelCache:
            def get(self, key) -> int:
                return 2 * key

            def put(self, key):
                self.key = key
                self.used = False
                self.new = 1
        """)


def test_comments_around_methods_are_kept(flatten):
    parent = """
        class LlamaCache:
            # Above get.
            def get(self, key):  # behind get
                # first in get
                found = key  # behind found
                return found
                # last in get

            # Above put.
            def put(self, key):
                return key

            # at the end of the class
        """
    modular = """
        from ..llama.modeling_llama import LlamaCache


        class MyModelCache(LlamaCache):
            def put(self, key):
                # first in put
                return 2 * key
                # last in put

            # Above the new one.
            def new(self):
                return 1
        """
    assert flatten(modular, parent).only == source("""
        class MyModelCache:
            # Above get.
            def get(self, key):  # behind get
                # first in get
                found = key  # behind found
                return found
                # last in get

            # Above put.
            def put(self, key):
                # first in put
                return 2 * key
                # last in put

            # Above the new one.
            def new(self):
                return 1
        """)


def test_comments_before_the_first_parameter_are_the_parents(flatten):
    parent = """
        class LlamaModel:
            def forward(  # theirs
                self, x
            ):
                return x

            def reset(self, x):
                return x

            def count(
                # nothing of theirs
            ):
                return 1

            def same(  # the same
                self,
            ):
                return 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x, y):
                return y

            def reset(
                # own
                self, x
            ):
                return x + 1

            def count(  # own
                self,  # itself
            ):
                return 2

            def same(  # the same
                self, x
            ):
                return 2
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def forward(  # theirs
                self, x, y
            ):
                return y

            def reset(self, x):
                return x + 1

            def count(
                # nothing of theirs
                self,  # itself
            ):
                return 2

            def same(  # the same
                self, x
            ):
                return 2
        """)


def test_a_decorator_with_the_name_of_an_accessor_is_not_one(flatten):
    parent = """
        def setter(function):
            return function


        class LlamaModel:
            @setter
            def size(self):
                return 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def size(self):
                return 2
        """
    assert flatten(modular, parent).only.endswith("""
class MyModelModel:
    @setter
    def size(self):
        return 2
""")
