"""Rules about assignments below an unravelled call that take effect elsewhere than in Python."""

from collections.abc import Iterator, Sequence, Set

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.merged_bodies import (
    MergedBody,
    first_shared,
    may_use,
    merged_bodies,
)
from modular.lint.rule import LintRule, Precision
from modular.lint.statement_names import names_bound_by, names_read_by
from modular.source import fixes
from modular.source.assignments import assigned_target, assigned_value
from modular.source.blocks import Statement
from modular.source.diagnostics import Fix, Problem
from modular.source.places import place_of
from modular.source.trees import (
    dotted_name,
    node_text,
    normalized_text,
    statement_tree,
)
from modular.source.walking import descend


class ReplacedElsewhere(LintRule):
    """An assignment also replaces assignments in other methods.

    modular replaces a call such as `super().__init__(config)` by the body of the
    parent's method. An assignment below the call replaces the parent's assignment to
    the same target. It does so in that method, and in every later method of the class
    that has such a call. A `del` below the call works in the same way. In Python,
    neither has an effect on other methods.

    Add an annotation, as in `self.size: int = 8`. An annotated assignment replaces
    nothing. modular adds it after the parent's statements.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTEmbeddings:
        def __init__(self, config):
            self.size = config.size

        def resize(self, factor):
            self.size = self.size * factor
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTEmbeddings


    class OlmoEmbeddings(ViTEmbeddings):
        def __init__(self, config):
            super().__init__(config)
            self.size = 8

        def resize(self, factor):
            super().resize(factor)
            self.factor = factor
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this assignment also replaces the parent's assignment to `self.size` in `resize`; Python keeps both
    hint: to keep both, annotate it: `self.size: int = ...`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTEmbeddings


    class OlmoEmbeddings(ViTEmbeddings):
        def __init__(self, config):
            super().__init__(config)
            self.size: int = 8

        def resize(self, factor):
            super().resize(factor)
            self.factor = factor
    ```
    """

    code = Problem.REPLACED_ELSEWHERE
    precision = Precision(findings=1, real=1)
    message = (
        "this assignment also replaces the parent's assignment to `{target}` in "
        "`{method}`; Python keeps both"
    )
    hint = "to keep both, annotate it: `{target}: int = ...`"

    def check_class(self, flat: Flattened) -> None:
        """Check the methods for assignments of other methods, and for deletions by them."""
        for body in merged_bodies(flat):
            known = {*body.inherited, *body.following}
            for statement in body.merged:
                if statement not in known:
                    self._check_replacement(body, statement)
            if flat.deleted:
                self._check_deletions(flat, body)

    def _check_replacement(self, body: MergedBody, statement: Statement) -> None:
        """Check an assignment of another method in the place of the parent's."""
        target = assigned_target(statement)
        assert target is not None, "only assignments replace statements"
        text = statement.bare_code.normalized()
        for replaced in body.replaced(target.text):
            if replaced.bare_code.normalized() != text:
                self.report(
                    statement.bare_code,
                    related=replaced.bare_code,
                    target=target.text,
                    method=body.override.name,
                )
                return

    def _check_deletions(self, flat: Flattened, body: MergedBody) -> None:
        """Check the parent's assignments that a `del` of another method removed."""
        for target, deletion in flat.deleted.items():
            if deletion.line in range(body.call.line, _last_line(body) + 1):
                continue
            for removed in body.replaced(target):
                self.report(
                    deletion.bare_code,
                    related=removed.bare_code,
                    message="this `del` also removes the parent's assignment to "
                    "`{target}` in `{method}`; in Python that assignment stays",
                    hint="write out the parent's `{method}`",
                    target=target,
                    method=body.override.name,
                )
                break


def _last_line(body: MergedBody) -> int:
    code = body.override.code
    return code.line + code.text.count("\n")


class EarlyAssignment(LintRule):
    """An assignment moves up, above statements that Python runs before it.

    modular replaces a call such as `super().__init__(config)` by the body of the
    parent's method. An assignment below the call replaces the parent's assignment to
    the same target, and moves to its line. There, a value that the assignment reads may
    not exist yet. A later statement of the parent may also change the assigned value.

    Add an annotation, as in `self.size: int = 8`. An annotated assignment replaces
    nothing, and modular adds it after the parent's statements. You can also set the
    values that it reads above the call.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTLayer:
        def __init__(self, config):
            self.total = 0
            self.size = config.size
            self.total += self.size
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config):
            super().__init__(config)
            self.total = 2 * self.size
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this assignment is moved up to where the parent assigns `self.total`, before `self.size` is set; in Python it runs afterwards
    hint: to keep it below, annotate it: `self.total: int = ...`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config):
            super().__init__(config)
            self.total: int = 2 * self.size
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config, width=None):
            super().__init__(config)
            width = width or config.width
            self.size = width
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:8:9: this assignment is moved up to where the parent assigns `self.size`, before `width` is set; in Python it runs afterwards
    hint: write the line that sets `width` above the call
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config, width=None):
            width = width or config.width
            super().__init__(config)
            self.size: int = width
    ```
    """

    code = Problem.EARLY_ASSIGNMENT
    precision = Precision(findings=2, real=2)
    message = (
        "this assignment is moved up to where the parent assigns `{target}`, "
        "before `{name}` is set; in Python it runs afterwards"
    )
    hint = "to keep it below, annotate it: `{target}: int = ...`"

    def check_class(self, flat: Flattened) -> None:
        """Check the assignments below the unravelled calls."""
        for body in merged_bodies(flat):
            reported: set[Statement] = set()
            for index, statement in enumerate(body.following):
                target = assigned_target(statement)
                if target is None or "." not in target.text:
                    continue
                if _repeats_target(statement, target.text):
                    continue
                self._check_assignment(body, index, target.text, reported)

    def _check_assignment(
        self, body: MergedBody, index: int, target: str, reported: set[Statement]
    ) -> None:
        """Check an assignment, unless what it comes before is reported already."""
        statement = body.following[index]
        overtaken = body.overtaken(index)
        replaced = list(body.replaced(target))
        reads_itself = replaced and statement.code.mask.count(target) > 1
        may_depend = any(_may_depend(statement, other) for other in overtaken)
        if not reads_itself and not may_depend:
            return

        bound = names_bound_by(statement)
        used = names_read_by(statement)
        if first_shared({target}, used) and replaced:
            overtaken.insert(0, replaced[-1])
        used = used | bound
        for other in overtaken:
            if other in reported:
                continue
            name = first_shared(_names_bound_if_used(other, used), used)
            is_of_child = other in body.following
            if not name and is_of_child:
                name = first_shared(bound, names_read_by(other))
            if not name or _is_undefined_above(body, statement, name):
                continue
            reported.add(other)
            hint = ""
            if is_of_child and "." not in name:
                hint = "write the line that sets `{name}` above the call"
            self.report(
                statement.bare_code,
                related=other.bare_code,
                hint=hint,
                name=name,
                target=target,
            )
            return


def _may_depend(statement: Statement, other: Statement) -> bool:
    """Whether one of two statements may use what the other binds."""
    return may_use(statement, names_bound_by(other)) or may_use(
        other, names_bound_by(statement)
    )


def _repeats_target(statement: Statement, target: str) -> bool:
    """Whether a statement is `self.x = self.x`, which is written to replace another value."""
    if statement.code.mask.count(target) < 2:
        return False
    value = assigned_value(statement)
    return value is not None and normalized_text(value) == target


def _is_undefined_above(body: MergedBody, statement: Statement, name: str) -> bool:
    """Whether a name is a variable that nothing sets above a statement.

    The generated code fails with `NameError`, which another rule reports.
    """
    parameters = {parameter.lstrip("*") for parameter in body.override.parameters}
    if "." in name or name in parameters:
        return False
    position = body.position(statement)
    return not any(
        name in names_bound_by(other)
        for other in (*body.before, *body.merged[:position])
    )


def _names_bound_if_used(statement: Statement, used: Set[str]) -> Set[str]:
    """Return what a statement binds; nothing if it has no last word of the used names.

    Looking at the words first avoids parsing most statements.
    """
    last_words = {name.rpartition(".")[2] for name in used}
    if last_words.isdisjoint(statement.words):
        return frozenset()
    return names_bound_by(statement)


class DroppedRepetition(LintRule):
    """A statement is dropped because the parent's body contains the same statement.

    modular replaces a call such as `super().step()` by the body of the parent's method.
    It drops a statement below the call if that body already contains it. Some
    statements change a value each time they run, for example `self.count += 1`. Python
    runs such a statement twice, but the generated method runs it once.

    Write the statement in another form, such as `self.count = self.count + 1`.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTCounter:
        count = 0

        def step(self):
            self.count += 1
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTCounter


    class OlmoCounter(ViTCounter):
        def step(self):
            super().step()
            self.count += 1
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: the parent's code, which replaces the call, already contains this statement, so it runs once; in Python it runs twice
    hint: write `self.count = self.count + 1`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTCounter


    class OlmoCounter(ViTCounter):
        def step(self):
            super().step()
            self.count = self.count + 1
    ```
    """

    code = Problem.DROPPED_REPETITION
    message = (
        "the parent's code, which replaces the call, already contains this statement, "
        "so it runs once; in Python it runs twice"
    )
    hint = "write `{form}`"

    def check_class(self, flat: Flattened) -> None:
        """Check the statements below the unravelled calls that were left out."""
        for body in merged_bodies(flat):
            kept = set(body.merged)
            for statement in body.following:
                if statement in kept or "post_init" in statement.words:
                    continue
                position = body.position(statement)
                if position is None or not _changes_each_time(statement):
                    continue
                form = _other_form(body, statement)
                hint = "" if form else "write it in another form"
                self.report(
                    statement.bare_code,
                    *_write_instead(statement, form),
                    related=body.merged[position].bare_code,
                    hint=hint,
                    form=form,
                )


def _changes_each_time(statement: Statement) -> bool:
    """Whether running a statement twice may have another effect than running it once."""
    root: cst.CSTNode = statement_tree(statement).node
    target = assigned_target(statement)
    if target is not None:
        return bool(first_shared({target.text}, names_read_by(statement)))

    bound = names_bound_by(statement)
    for node in descend(root, _children_in_same_scope):
        match node:
            case cst.AugAssign():
                return True
            case cst.Expr(value=cst.Call(func=function)):
                owner = dotted_name(function).rpartition(".")[0]
                if owner not in bound:
                    return True
    return False


def _children_in_same_scope(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """Return the children of a node; none of a function or class."""
    if isinstance(node, cst.FunctionDef | cst.Lambda | cst.ClassDef):
        return ()
    return node.children


def _other_form(body: MergedBody, statement: Statement) -> str:
    """Return code on one line that does the same as a statement.

    Returns:
        The code; empty if there is none, or if it would replace a parent's assignment.
    """
    replaceable = set()
    for other in body.inherited:
        assigned = assigned_target(other)
        if assigned is not None:
            replaceable.add(assigned.text)

    match statement_tree(statement).node:
        case cst.SimpleStatementLine(
            body=[cst.AugAssign(target=target, operator=operator, value=value)]
        ):
            if normalized_text(target) in replaceable:
                return ""
            sign = node_text(operator).removesuffix("=")
            text = node_text(value)
            if not isinstance(value, cst.Name | cst.Integer | cst.Attribute | cst.Call):
                text = f"({text})"
            form = f"{node_text(target)} = {node_text(target)} {sign} {text}"
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.Call() as call)]):
            form = f"_ = {node_text(call)}"
        case _:
            return ""
    return "" if "\n" in form else form


def _write_instead(statement: Statement, form: str) -> Iterator[Fix]:
    """Yield the fix that writes a statement in another form."""
    code = statement.bare_code
    text = code.text.strip()
    if form and "\n" not in text and "#" not in text:
        yield fixes.replace(place_of(code), form)
