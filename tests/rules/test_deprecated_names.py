"""Tests of the rule `deprecated-names`."""

from tests.support import source


def test_old_names_are_split_by_file_type(flatten):
    modular = """
        from ...utils.deprecation import deprecate_attr


        class MyModelConfig:
            size = 1


        class MyModelMLP:
            size = 2


        # These names are old.
        __getattr__ = deprecate_attr(
            __name__,
            remove={
                "MyModelOldConfig": "v6",
                "MyModelOldMLP": "v6",  # no more
                "MyModelGate": "v7",
            },
            rename={"MyModelFFN": ("MyModelMLP", "v6")},
            level=logging.WARNING,
        )
        __all__ = ["MyModelConfig", "MyModelMLP"]
        """
    assert flatten(modular).files == {
        "models/my_model/configuration_my_model.py": source("""
            from ...utils.deprecation import deprecate_attr


            class MyModelConfig:
                size = 1


            # These names are old.
            __getattr__ = deprecate_attr(__name__, level=logging.WARNING, remove={"MyModelOldConfig": "v6"})
            __all__ = ["MyModelConfig"]
            """),
        "models/my_model/modeling_my_model.py": source("""
            from ...utils.deprecation import deprecate_attr


            class MyModelMLP:
                size = 2


            # These names are old.
            __getattr__ = deprecate_attr(
                __name__,
                level=logging.WARNING,
                remove={"MyModelOldMLP": "v6", "MyModelGate": "v7"},
                rename={"MyModelFFN": ("MyModelMLP", "v6")},
            )
            __all__ = ["MyModelMLP"]
            """),
    }


def test_a_file_without_old_names_has_none(flatten):
    modular = """
        from ...utils.deprecation import deprecate_attr


        class MyModelConfig:
            size = 1


        class MyModelMLP:
            size = 2


        __getattr__ = deprecate_attr(__name__, remove={"MyModelOldMLP": "v6"})
        """
    files = flatten(modular).files
    assert (
        files["models/my_model/configuration_my_model.py"]
        == "class MyModelConfig:\n    size = 1\n"
    )
    assert files["models/my_model/modeling_my_model.py"] == source("""
        from ...utils.deprecation import deprecate_attr


        class MyModelMLP:
            size = 2


        __getattr__ = deprecate_attr(__name__, remove={"MyModelOldMLP": "v6"})
        """)
