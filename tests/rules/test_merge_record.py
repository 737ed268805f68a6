"""Tests of the merge record."""

from modular.flatten.merged_class import MergedClass, render
from modular.flatten.python_policy import PythonPolicy
from modular.flatten.transformers_policy import TransformersPolicy
from modular.rules.classes.merge_record import Fate
from modular.source.blocks import split
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.source_slice import SourceSlice
from tests.support import source


PARENT = """
    class Parent:
        def start(self):
            self.a = 1
            self.b = 2
            self.c = 3
            self.d = 4
    """
CHILD = """
    class Child(Parent):
        def start(self):
            self.first = 0
            super().start()
            self.a = 10
            del self.b
            self.c = 3
            self.e = 5
    """


def view(text: str, path: str) -> DefinitionView:
    text = source(text)
    (statement,) = split(SourceSlice(text, text, path, 1)).statements
    return view_definition(statement)


def test_each_statement_has_a_fate_and_the_statement_that_causes_it() -> None:
    parent, child = view(PARENT, "parent.py"), view(CHILD, "child.py")
    flat = TransformersPolicy(parent, child, "Parent").plan()
    steps = []
    for step in flat.merges["start"].steps:
        cause = "" if step.cause is None else step.cause.bare_code.text.strip()
        steps.append((step.fate, step.statement.bare_code.text.strip(), cause))
    assert steps == [
        (Fate.OWN, "self.first = 0", ""),
        (Fate.REPLACED, "self.a = 1", "self.a = 10"),
        (Fate.MOVED, "self.a = 10", "self.a = 1"),
        (Fate.DELETED, "self.b = 2", "del self.b"),
        (Fate.REPLACED, "self.c = 3", "self.c = 3"),
        (Fate.MOVED, "self.c = 3", "self.c = 3"),
        (Fate.KEPT, "self.d = 4", ""),
        (Fate.OWN, "self.e = 5", ""),
        (Fate.DROPPED, "del self.b", ""),
    ]


def test_a_repeated_statement_names_the_statement_that_is_generated() -> None:
    parent = view("class Parent:\n    def go(self):\n        run()\n", "parent.py")
    child_text = """
        class Child(Parent):
            def go(self):
                super().go()
                run()
        """
    child = view(child_text, "child.py")
    flat = TransformersPolicy(parent, child, "Parent").plan()
    kept, repeated = flat.merges["go"].steps
    assert (kept.fate, repeated.fate) == (Fate.KEPT, Fate.REPEATED)
    assert repeated.cause is kept.statement


CLASS = """
    class Parent:
        size = 1
        depth = 2

        def run(self):
            return 1

        def stop(self):
            return 2
    """
SUBCLASS = """
    class Child(Parent):
        size = 3
        width = 4

        def run(self):
            return -super().run()

        def reset(self):
            return 5
    """


def member_fates(record: MergedClass) -> list[tuple[str, Fate]]:
    return [(member.key, member.fate) for member in record.members]


def test_each_member_of_a_class_has_a_fate() -> None:
    parent, child = view(CLASS, "parent.py"), view(SUBCLASS, "child.py")
    assert member_fates(TransformersPolicy(parent, child, "Parent").plan()) == [
        ("size", Fate.MOVED),
        ("depth", Fate.KEPT),
        ("width", Fate.OWN),
        ("run", Fate.MOVED),
        ("stop", Fate.KEPT),
        ("reset", Fate.OWN),
        ("", Fate.REPLACED),
        ("", Fate.REPLACED),
    ]


def test_a_statement_of_a_class_that_is_not_generated_has_a_fate() -> None:
    parent_text = """
        class Parent:
            size = 1
            depth = 2
            if size:
                width = 3

            def run(self):
                return 1

            def stop(self):
                return 2
        """
    child_text = """
        class Child(Parent):
            size = 3
            depth = AttributeError()
            stop = None
            for x in range(2):
                print(x)

            def run(self):
                raise AttributeError("not here")
        """
    parent, child = view(parent_text, "parent.py"), view(child_text, "child.py")
    record = TransformersPolicy(parent, child, "Parent").plan()
    generated = [member for member in record.members if member.fate.is_generated]
    left_out = [member for member in record.members if member not in generated]
    steps = []
    for member in left_out:
        first_line = member.statement.bare_code.text.strip().partition("\n")[0]
        steps.append((member.fate, first_line))
    assert steps == [
        (Fate.DROPPED, "depth = AttributeError()"),
        (Fate.LEFT_OUT, "for x in range(2):"),
        (Fate.DROPPED, "def run(self):"),
        (Fate.REPLACED, "size = 1"),
        (Fate.REPLACED, "depth = 2"),
        (Fate.LEFT_OUT, "if size:"),
        (Fate.REPLACED, "def run(self):"),
        (Fate.REPLACED, "def stop(self):"),
    ]


def test_each_statement_of_both_classes_has_a_step() -> None:
    parent, child = view(CLASS, "parent.py"), view(SUBCLASS, "child.py")
    for policy in (TransformersPolicy, PythonPolicy):
        steps = policy(parent, child, "Parent").plan().members
        statements = {step.statement for step in steps}
        for class_ in (parent, child):
            assert statements.issuperset(class_.body.statements)


def test_a_parents_method_that_is_called_is_private_with_pythons_inheritance() -> None:
    parent, child = view(CLASS, "parent.py"), view(SUBCLASS, "child.py")
    record = PythonPolicy(parent, child, "Parent").plan()
    assert ("_parent_run", Fate.PRIVATE) in member_fates(record)
    (override,) = [member for member in record.members if member.key == "run"]
    assert override.parts is not None
    (step,) = override.parts.steps
    assert step.statement.bare_code.text.strip() == "return -super().run()"
    assert step.code.text.strip() == "return -self._parent_run()"


def test_the_lines_of_a_class_come_from_its_record_alone() -> None:
    parent, child = view(CLASS, "parent.py"), view(SUBCLASS, "child.py")
    record = TransformersPolicy(parent, child, "Parent").plan()
    record.members = [member for member in record.members if member.key == "depth"]
    text = "".join(run.code.text for run in render(record))
    assert text == "class Child:\n    depth = 2\n"


def test_an_annotation_of_the_child_takes_the_place_of_the_parents() -> None:
    parent = view("class Parent:\n    size: int\n", "parent.py")
    child = view("class Child(Parent):\n    size: str\n", "child.py")
    record = PythonPolicy(parent, child, "Parent").plan()
    assert member_fates(record) == [("size", Fate.MOVED), ("", Fate.REPLACED)]
