"""Reads facts from Python's syntax trees.

Type parameters, as in `def f[T](x: T)`, count as names from outside, because trees of
older versions of Python do not have them.

Expressions are walked without recursion, because code can be nested deeply. Statements are
walked with recursion: Python itself allows at most 100 levels of indent.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, NamedTuple, TypeGuard

from modular.semantics.facts import (
    ATTRIBUTE_FUNCTIONS,
    NAMESPACE_FUNCTIONS,
    Argument,
    Call,
    CodeFacts,
    Flow,
    Mention,
    Opaque,
    OpaqueReason,
    Return,
    ScopeKind,
    SuperForm,
    SuperUse,
    Usage,
    When,
)
from modular.semantics.scope_stack import Scope, ScopeStack
from modular.source.python_trees import dotted_name, parse_expression, variable_of


_NAMESPACE_ATTRIBUTES = frozenset({"__globals__", "f_globals", "f_locals"})
"""Attributes that give access to variables, as in `f.__globals__`."""

_FRAME_ATTRIBUTES = frozenset(
    {
        "__code__",
        "_getframe",
        "ag_frame",
        "co_name",
        "co_qualname",
        "cr_frame",
        "currentframe",
        "f_back",
        "f_code",
        "gi_frame",
        "tb_frame",
    }
)
"""Attributes that give access to the code of a running function."""

_ATTRIBUTE_METHODS = frozenset(
    {"__delattr__", "__getattr__", "__getattribute__", "__setattr__"}
)
"""Methods that use the attribute that an argument names."""

_CONSUMING_FUNCTIONS = frozenset(
    {
        "all",
        "any",
        "dict",
        "frozenset",
        "list",
        "max",
        "min",
        "set",
        "sorted",
        "sum",
        "tuple",
    }
)
"""Functions that iterate over their argument at once."""

_FUNCTION_SCOPES = (ScopeKind.FUNCTION, ScopeKind.LAMBDA)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def read_facts(nodes: Sequence[ast.AST], *, first_line: int = 1) -> CodeFacts:
    """Return the facts about some statements, or about an expression.

    Args:
        nodes: The statements in their order, or one expression.
        first_line: The line of the trees that counts as line 1 of the facts.
    """
    reader = FactReader(first_line)
    for node in nodes:
        if isinstance(node, ast.expr):
            reader.read_expression(node, Usage.IGNORED)
        else:
            reader.read_statement(node)
    return reader.finish()


def opaque_facts(reason: OpaqueReason) -> CodeFacts:
    """Return the facts about code that cannot be read."""
    return CodeFacts(opaque=(Opaque(reason, name="", line=1),))


class Task(NamedTuple):
    """An expression that is still to be read. A stack of tasks replaces recursion.

    Attributes:
        node: The expression, or a part of one.
        usage: How its value is used.
        passed_to: The function to which it is passed, or empty.
        is_conditional: Whether it may be skipped.
    """

    node: ast.AST
    usage: Usage
    passed_to: str = ""
    is_conditional: bool = False


class _ScopeEnd(ast.AST):
    """Marks the end of a scope among the tasks."""


class FactReader:
    """Collects the facts about code while it walks over its tree.

    A method that reads a kind of expression records what the expression itself does, and
    returns its parts as tasks, in the order in which Python evaluates them. A method that
    reads a kind of statement also reads its parts.
    """

    expressions: ClassVar[dict[type, Callable[..., "list[Task]"]]]
    """How each kind of expression is read. Other kinds are opaque."""

    def __init__(self, first_line: int = 1) -> None:
        """Begin without facts.

        Args:
            first_line: The line of the trees that counts as line 1 of the facts.
        """
        self._first_line = first_line
        self.scopes = ScopeStack()
        # Nested functions and lambdas around the current node.
        self._function_depth = 0
        self._strings: set[str] = set()
        self._unnamed_attributes: set[str] = set()
        # Code whose effects are unknown, such as `exec(text)`.
        self._opaque: list[Opaque] = []
        # The number of targets of each call whose result is unpacked.
        self._item_counts: dict[ast.AST, int | None] = {}
        self._is_conditional = False
        # When the current expression is evaluated, seen from its own scope.
        self._when = When.NOW
        self._returns: list[Return] = []
        self._yields = False
        self._awaits = False

    @property
    def is_annotation(self) -> bool:
        """Whether the current expression is in an annotation."""
        return self._when is not When.NOW

    @property
    def _is_in_function(self) -> bool:
        """Whether the current node is in a nested function, which can return itself."""
        return self._function_depth > 0

    def finish(self) -> CodeFacts:
        """Return the facts."""
        scopes = self.scopes
        flow = Flow(
            returns=tuple(self._returns),
            yields=self._yields,
            awaits=self._awaits,
        )
        return CodeFacts(
            mentions=scopes.mentions(),
            calls=scopes.calls(),
            super_uses=scopes.super_uses(),
            scopes=scopes.nested(),
            strings=frozenset(self._strings),
            unnamed_attributes=frozenset(self._unnamed_attributes),
            nested_attributes=frozenset(scopes.hidden_attributes),
            global_names=frozenset(scopes.current.global_names),
            nonlocal_names=frozenset(scopes.current.nonlocal_names),
            nested_global_names=frozenset(scopes.nested_global_names),
            flow=flow,
            opaque=tuple(self._opaque),
        )

    def _line_of(self, node: ast.AST) -> int:
        """Return the line of a node in the facts, from 1."""
        return int(getattr(node, "lineno", 1)) - self._first_line + 1

    # Recording

    def add_mention(
        self,
        node: ast.AST,
        name: str,
        usage: Usage,
        attributes: tuple[str, ...] = (),
        passed_to: str = "",
        is_conditional: bool = False,
    ) -> None:
        """Record a mention of a name in the current scope.

        `self.size = 1` mentions the name `self` with the attribute `size`.

        Args:
            node: The node that has the name: a variable, or what binds it.
            name: The name.
            usage: How the code uses the whole dotted name.
            attributes: The attributes behind the name.
            passed_to: The function to which the value is passed, or empty.
            is_conditional: Whether the mention may be skipped.
        """
        mention = Mention(
            name=name,
            attributes=attributes,
            usage=usage,
            when=self._current_when,
            is_conditional=is_conditional or self._is_conditional,
            passed_to=passed_to,
            line=self._line_of(node),
        )
        is_walrus = usage is Usage.WALRUS
        self.scopes.add_mention(mention, node, skips_comprehensions=is_walrus)

    def _add_opaque(self, reason: OpaqueReason, name: str, node: ast.AST) -> None:
        """Record that the effects of a node are unknown."""
        self._opaque.append(Opaque(reason, name, self._line_of(node)))

    @property
    def _current_when(self) -> When:
        """When the current code is evaluated, seen from the code that is read."""
        return self._when if self.is_annotation else self.scopes.current.when

    # Scopes

    @contextmanager
    def _conditionally(self) -> Iterator[None]:
        """Record everything inside the `with` block as conditional."""
        outer = self._is_conditional
        self._is_conditional = True
        yield
        self._is_conditional = outer

    def _begin_scope(self, kind: ScopeKind, name: str, node: ast.AST) -> Scope:
        """Begin a nested scope, to which everything belongs up to its end."""
        if kind in _FUNCTION_SCOPES:
            self._function_depth += 1
        return self.scopes.begin(kind, name, node, self._line_of(node))

    def _end_scope(self) -> None:
        """End the nested scope that was begun last."""
        if self.scopes.current.kind in _FUNCTION_SCOPES:
            self._function_depth -= 1
        self.scopes.end()

    # Expressions

    def read_expression(self, root: ast.AST, usage: Usage) -> None:
        """Read an expression without recursion, in the order of its evaluation.

        Args:
            root: The expression.
            usage: What the code around the expression does with its value.
        """
        # The expressions that are still to be read. The next one is at the end.
        tasks = [Task(root, usage)]
        while tasks:
            task = tasks.pop()
            node = task.node
            if isinstance(node, ast.Name | ast.Attribute):
                inner_tasks = self._read_dotted_name(node, task)
            elif isinstance(node, ast.Constant):
                self._read_constant(node)
                continue
            elif isinstance(node, _ScopeEnd):
                self._end_scope()
                continue
            else:
                read = self.expressions.get(type(node))
                if read is None:
                    reason = OpaqueReason.UNKNOWN_SYNTAX
                    self._add_opaque(reason, type(node).__name__, node)
                    continue
                inner_tasks = read(self, node, task)
            if task.is_conditional:
                # If Python may skip the expression, it may skip all parts of it.
                inner_tasks = [
                    inner._replace(is_conditional=True) for inner in inner_tasks
                ]
            tasks.extend(reversed(inner_tasks))

    def _read_dotted_name(
        self, node: ast.Name | ast.Attribute, task: Task
    ) -> list[Task]:
        """Record a dotted name such as `self.size`, or the attributes of `f().size`.

        Returns:
            The tasks to read the remaining parts: `f()` of `f().size`.
        """
        attributes: list[str] = []
        owner: ast.expr = node
        while isinstance(owner, ast.Attribute):
            attributes.append(owner.attr)
            owner = owner.value
        attributes.reverse()
        # The owner of `self.size` is the variable `self`, and that of `f().size` is `f()`.
        if isinstance(owner, ast.Name):
            self._add_opaque_attributes(node, owner.id, attributes)
            self.add_mention(
                owner,
                owner.id,
                task.usage,
                tuple(attributes),
                task.passed_to,
                task.is_conditional,
            )
            if owner.id == "super":
                self._add_super(SuperForm.FUNCTION, task, owner)
            if not attributes and owner.id in NAMESPACE_FUNCTIONS:
                self._add_opaque(OpaqueReason.NAMESPACE, owner.id, node)
            return []

        self._add_opaque_attributes(node, "", attributes)
        self._unnamed_attributes.update(attributes)
        if _is_super_call(owner):
            self._add_super(SuperForm.ATTRIBUTE, task, owner, attributes[0])
            return self._read_super_arguments(owner)
        return [Task(owner, Usage.SUBSCRIPTED)]

    def _add_opaque_attributes(
        self, node: ast.AST, root: str, attributes: Sequence[str]
    ) -> None:
        """Record each attribute that gives access to all others, such as `__dict__`.

        Args:
            node: The whole expression, such as `self.__dict__`.
            root: Its variable, such as `self`; empty for the result of another expression.
            attributes: The attributes after it.
        """
        for attribute in attributes:
            if attribute == "__dict__":
                reason = OpaqueReason.ATTRIBUTE_TABLE
            elif attribute in _ATTRIBUTE_METHODS:
                reason = OpaqueReason.DYNAMIC_ATTRIBUTE
            elif attribute in _FRAME_ATTRIBUTES:
                reason = OpaqueReason.FRAME
            elif attribute in _NAMESPACE_ATTRIBUTES or root == "builtins":
                reason = OpaqueReason.NAMESPACE
            else:
                continue
            self._add_opaque(reason, ".".join((root, *attributes)), node)

    def _add_super(
        self,
        form: SuperForm,
        task: Task,
        node: ast.expr,
        method: str = "",
        call_index: int | None = None,
    ) -> None:
        """Record a use of `super`: `super().f(x)`, `super().f`, `super()` or `super`.

        Args:
            form: Which of these forms it has.
            task: The expression that uses `super`.
            node: The name `super` or the call `super()`.
            method: The method or attribute after `super()`, such as `f`.
            call_index: The index of the recorded call `super().f(x)`; None in other forms.
        """
        arguments: list[str] = []
        if isinstance(node, ast.Call):
            arguments = [dotted_name(argument) for argument in node.args]
        self.scopes.add_super_use(
            SuperUse(
                form=form,
                method=method,
                super_arguments=tuple(arguments),
                call=None,
                result=task.usage,
                when=self._current_when,
                is_conditional=task.is_conditional or self._is_conditional,
                line=self._line_of(node),
            ),
            call_index,
        )

    def _read_super_arguments(self, call: ast.Call) -> list[Task]:
        """Record the name `super` of `super(Child, self)`, and return the arguments."""
        self.add_mention(call.func, "super", Usage.CALLED)
        return [Task(argument, Usage.PASSED, "super") for argument in call.args]

    def _read_constant(self, node: ast.Constant) -> None:
        """Record a string that can be a name; in an annotation, also the type in it.

        A type in quotes, as in `x: "list[Cache]"`, is read like code.
        """
        text = node.value
        if not isinstance(text, str):
            return
        if text.isidentifier():
            self._strings.add(text)
        if not self.is_annotation:
            return
        quoted_type = parse_expression(text)
        if quoted_type is None:
            return
        # Its nodes get the line of the string.
        for inner in ast.walk(quoted_type):
            ast.copy_location(inner, node)
        outer_when = self._when
        self._when = When.QUOTED
        self.read_expression(quoted_type, Usage.ANNOTATION)
        self._when = outer_when

    def _read_call(self, node: ast.Call, task: Task) -> list[Task]:
        """Record a call, and return the tasks to read its function and arguments."""
        # `super()` alone, as in `x = super()`
        if _is_super_call(node):
            self._add_super(SuperForm.OBJECT, task, node)
            return self._read_super_arguments(node)
        match node.func:
            # `super().f(x)`
            case ast.Attribute(value=owner, attr=method) if _is_super_call(owner):
                name = f"super().{method}"
                call_index = self.add_call(node, name, task)
                self._add_super(SuperForm.CALL, task, owner, method, call_index)
                tasks = self._read_super_arguments(owner)
            # `f(x)`
            case function:
                name = dotted_name(function)
                self.add_call(node, name, task)
                tasks = [Task(function, Usage.CALLED)]

        arguments = list(node.args)
        if name in ATTRIBUTE_FUNCTIONS and self._read_attribute_call(node, task):
            # `getattr(self, "size")` uses `self` only for the attribute that was recorded.
            arguments = arguments[1:]
        return [*tasks, *_tasks_of_arguments(arguments, node.keywords, name)]

    def add_call(self, node: ast.Call, function: str, task: Task) -> int:
        """Record a call to a function in the current scope, and return its index."""
        call = Call(
            function=function,
            arguments=tuple(_read_arguments(node)),
            result=task.usage,
            when=self._current_when,
            is_conditional=task.is_conditional or self._is_conditional,
            line=self._line_of(node),
            # 2 for `a, b = f()`
            item_count=self._item_counts.get(node),
            # `LAYERS` for `LAYERS[kind](x)`
            table=_table_of(node.func),
        )
        return self.scopes.add_call(call)

    def _read_attribute_call(self, node: ast.Call, task: Task) -> bool:
        """Record `getattr(self, "size")`, or a similar call, like the attribute `self.size`.

        If the name of the attribute is computed, as in `getattr(self, name)`, the
        effects of the call are recorded as unknown.

        Returns:
            Whether the attribute was recorded: its name is a string, and the object is
            a dotted name such as `self`.
        """
        function = dotted_name(node.func)
        owner = dotted_name(node.args[0]) if node.args else ""
        name_argument = node.args[1:2]
        match name_argument:
            case [ast.Constant(value=str(attribute))] if owner:
                name, *attributes = owner.split(".")
                attributes.append(attribute)
                self._add_opaque_attributes(node, name, attributes)
                self.add_mention(
                    variable_of(node.args[0]),
                    name,
                    ATTRIBUTE_FUNCTIONS[function] or task.usage,
                    tuple(attributes),
                    is_conditional=task.is_conditional,
                )
                return True
            case [ast.Constant()]:
                # The object is an expression, as in `getattr(f(), "size")`.
                return False
        self._add_opaque(OpaqueReason.DYNAMIC_ATTRIBUTE, owner, node)
        return False

    def _read_subscript(self, node: ast.Subscript, task: Task) -> list[Task]:
        """Return the object and the key of `x[key]`; in an annotation, both are types."""
        if self.is_annotation and dotted_name(node.value).endswith("Literal"):
            # The strings in `Literal["a"]` are values.
            return [Task(node.value, task.usage)]
        if self.is_annotation:
            return _tasks_of((node.value, node.slice), Usage.ANNOTATION)
        return [
            Task(node.value, Usage.SUBSCRIPTED),
            Task(node.slice, Usage.SUBSCRIPT),
        ]

    def _read_operands(self, node: ast.AST, task: Task) -> list[Task]:
        """Return the parts of an operation, such as `a + b`, `-a` or `a:b`."""
        usage = Usage.ANNOTATION if self.is_annotation else Usage.OPERAND
        return _tasks_of(_child_expressions(node), usage)

    def _read_compare(self, node: ast.Compare, task: Task) -> list[Task]:
        """Return the operands of `a < b`, or of `a is b`, which asks for identity."""
        is_identity = all(isinstance(sign, ast.Is | ast.IsNot) for sign in node.ops)
        usage = Usage.IDENTITY if is_identity else Usage.OPERAND
        return _tasks_of((node.left, *node.comparators), usage)

    def _read_unary_op(self, node: ast.UnaryOp, task: Task) -> list[Task]:
        """Return the operand of `not x`, which tests it, or of `-x`."""
        is_not = isinstance(node.op, ast.Not)
        return [Task(node.operand, Usage.TESTED if is_not else Usage.OPERAND)]

    def _read_bool_op(self, node: ast.BoolOp, task: Task) -> list[Task]:
        """Return the operands of `a or b`, one of which is the value.

        All but the first may be skipped.
        """
        first, *others = node.values
        tasks = [task._replace(node=first)]
        for operand in others:
            tasks.append(task._replace(node=operand, is_conditional=True))
        return tasks

    def _read_if_exp(self, node: ast.IfExp, task: Task) -> list[Task]:
        """Return the parts of `x if test else y`. One branch is the value."""
        return [
            Task(node.test, Usage.TESTED),
            task._replace(node=node.body, is_conditional=True),
            task._replace(node=node.orelse, is_conditional=True),
        ]

    def _read_walrus(self, node: ast.NamedExpr, task: Task) -> list[Task]:
        """Return the value of `x := 1`, and its target, which is bound afterwards."""
        return [
            Task(node.value, Usage.ALIASED),
            Task(_WalrusTarget(node), task.usage),
        ]

    def _read_walrus_target(self, node: "_WalrusTarget", task: Task) -> list[Task]:
        """Record the target of `x := 1`, which is not a variable of a comprehension."""
        is_in_comprehension = self.scopes.current.kind in (
            ScopeKind.COMPREHENSION,
            ScopeKind.GENERATOR,
        )
        self.add_mention(
            node.expression.target,
            node.expression.target.id,
            Usage.WALRUS,
            is_conditional=task.is_conditional or is_in_comprehension,
        )
        return []

    def _read_display(self, node: ast.AST, task: Task) -> list[Task]:
        """Return the items of a list, tuple, set or dict."""
        usage = Usage.ANNOTATION if self.is_annotation else Usage.STORED
        return [Task(child, usage, task.passed_to) for child in _items_of_display(node)]

    def _read_starred(self, node: ast.Starred, task: Task) -> list[Task]:
        """Return the iterable of `*x`."""
        return [Task(node.value, Usage.UNPACKED)]

    def _read_formatted(self, node: ast.AST, task: Task) -> list[Task]:
        """Return the values in an f-string, or the value and format of one of them."""
        return _tasks_of(_child_expressions(node), Usage.FORMATTED)

    def _read_await(self, node: ast.Await, task: Task) -> list[Task]:
        """Record an `await`, and return what it waits for."""
        self._add_await()
        return [Task(node.value, Usage.AWAITED)]

    def _add_await(self) -> None:
        """Record that the code awaits something. Nested functions do not count."""
        if not self._is_in_function:
            self._awaits = True

    def _read_yield(self, node: ast.Yield | ast.YieldFrom, task: Task) -> list[Task]:
        """Record a `yield` or `yield from`, and return the task to read its value."""
        if not self._is_in_function:
            self._yields = True
        if node.value is None:
            return []
        if isinstance(node, ast.YieldFrom):
            return [Task(node.value, Usage.ITERATED)]
        return [Task(node.value, Usage.YIELDED)]

    def _read_lambda(self, node: ast.Lambda, task: Task) -> list[Task]:
        """Return the tasks to read the defaults of a lambda, and its body as a scope.

        The body of `(lambda: x)()` runs at once, like a comprehension.
        """
        kind, usage = ScopeKind.LAMBDA, Usage.RETURNED
        if task.usage is Usage.CALLED:
            kind, usage = ScopeKind.COMPREHENSION, Usage.OPERAND
        return [
            *_tasks_of(_defaults_of(node.args), Usage.STORED),
            Task(_ScopeStart(kind, node), task.usage),
            Task(node.body, usage),
            Task(_ScopeEnd(), task.usage),
        ]

    def _read_scope_start(self, node: "_ScopeStart", task: Task) -> list[Task]:
        """Begin the scope of a lambda or comprehension."""
        scope = self._begin_scope(node.kind, "", node.expression)
        if isinstance(node.expression, ast.Lambda):
            scope.parameters.update(_names_of_parameters(node.expression.args))
        return []

    def _read_comprehension(self, node: _Comprehension, task: Task) -> list[Task]:
        """Return the tasks to read the parts of a comprehension, in Python's order.

        In `[x for x in items]`, Python evaluates `items` outside of the comprehension's
        scope, and all other parts inside. The scope of a generator such as
        `(x for x in items)` runs later, unless code takes all its items at once.
        """
        kind = ScopeKind.COMPREHENSION
        if isinstance(node, ast.GeneratorExp) and not _is_consumed(task):
            kind = ScopeKind.GENERATOR
        first_clause = node.generators[0]
        tasks = [
            Task(first_clause.iter, Usage.ITERATED),
            Task(_ScopeStart(kind, node), task.usage),
        ]
        for clause in node.generators:
            if clause is not first_clause:
                tasks.append(Task(clause.iter, Usage.ITERATED, is_conditional=True))
            if clause.is_async:
                self._add_await()
            target = _Target(clause.target, Usage.LOOP_TARGET)
            tasks.append(Task(target, task.usage))
            for condition in clause.ifs:
                tasks.append(Task(condition, Usage.TESTED, is_conditional=True))
        if isinstance(node, ast.DictComp):
            results = [node.key, node.value]
        else:
            results = [node.elt]
        for result in results:
            tasks.append(Task(result, Usage.STORED, is_conditional=True))
        tasks.append(Task(_ScopeEnd(), task.usage))
        return tasks

    # Targets

    def _read_target(self, node: "_Target", task: Task) -> list[Task]:
        """Record what a target of an assignment, loop or `del` binds or changes.

        Returns:
            The tasks to read its parts: the targets `a` and `b` of `a, b = x`, and the
            expressions `x` and `i` of `x[i] = 1`.
        """
        target = node.expression
        match target:
            # `a, b = x`
            case ast.Tuple() | ast.List():
                return [
                    Task(_Target(item, node.usage), task.usage) for item in target.elts
                ]
            # `*b` in `a, *b = x`
            case ast.Starred():
                return [Task(_Target(target.value, node.usage), task.usage)]
            case ast.Name():
                self.add_mention(target, target.id, node.usage)
                return []
            # `self.size = 1`
            case ast.Attribute() if dotted_name(target):
                name, *attributes = dotted_name(target).split(".")
                self._add_opaque_attributes(target, name, attributes)
                variable = variable_of(target)
                self.add_mention(variable, name, node.usage, tuple(attributes))
                return []
        return self._read_changed_object(target)

    def _read_changed_object(self, target: ast.expr) -> list[Task]:
        """Return tasks to read a target such as `self.x[i]`, which changes an object.

        Assigning to `self.x[i]` changes `self.x`, and reads `i`. `x.f()[0].size = 1` calls
        `x.f()` and changes its result, which can be a part of `x`. So it changes `x`.

        Returns:
            The tasks: the call, or another expression without a name, in the target, then
            the keys, and last the object, if it has a name.
        """
        keys = []
        # The outermost call: `x.f()` in `x.f()[0].size = 1`.
        outer_call: ast.expr | None = None
        # The innermost part that has been reached: `self.x`, or the `x.f` of `x.f()`.
        owner = target
        while not dotted_name(owner):
            if isinstance(owner, ast.Subscript):
                keys.append(owner.slice)
                owner = owner.value
            elif isinstance(owner, ast.Attribute):
                self._unnamed_attributes.add(owner.attr)
                owner = owner.value
            elif isinstance(owner, ast.Call):
                outer_call = outer_call or owner
                owner = owner.func
            else:
                # An expression such as the `(a or b)` of `(a or b).size`.
                break
        tasks = []
        if outer_call is not None:
            tasks.append(Task(outer_call, Usage.SUBSCRIPTED))
        elif not dotted_name(owner):
            tasks.append(Task(owner, Usage.SUBSCRIPTED))
        tasks += [Task(key, Usage.SUBSCRIPT) for key in keys]
        if outer_call is not None:
            # `f()[0] = 1` changes nothing that has a name, but `x.f()[0] = 1` may change `x`.
            if not isinstance(owner, ast.Attribute):
                return tasks
            owner = owner.value
        if dotted_name(owner):
            tasks.append(Task(owner, Usage.CHANGED))
        return tasks

    def _read_targets(self, targets: Iterable[ast.expr], usage: Usage) -> None:
        """Record targets of a statement, and read the expressions in them."""
        for target in targets:
            self.read_expression(_Target(target, usage), usage)

    # Statements

    def read_statement(self, node: ast.AST) -> None:
        """Read a statement."""
        read = _STATEMENTS.get(type(node))
        if read is None:
            name = type(node).__name__
            self._add_opaque(OpaqueReason.UNKNOWN_SYNTAX, name, node)
        else:
            read(self, node)

    def _read_block(
        self, statements: Iterable[ast.stmt], *, is_conditional: bool = True
    ) -> None:
        """Read the statements of a block.

        Args:
            statements: The statements.
            is_conditional: Whether Python may skip the block, as it may skip that of an
                `if`.
        """
        was_conditional = self._is_conditional
        self._is_conditional = was_conditional or is_conditional
        for statement in statements:
            self.read_statement(statement)
        self._is_conditional = was_conditional

    def read_annotation(self, node: ast.expr | None) -> None:
        """Read an annotation, if there is one."""
        if node is not None:
            self._when = When.ANNOTATION
            self.read_expression(node, Usage.ANNOTATION)
            self._when = When.NOW

    def _read_expr(self, node: ast.Expr) -> None:
        """Read an expression statement."""
        self.read_expression(node.value, Usage.IGNORED)

    def _read_assign(self, node: ast.Assign) -> None:
        """Read `x = y`, and record how many items an unpacked result must have."""
        if isinstance(node.value, ast.Call):
            self._item_counts[node.value] = _count_items(node.targets[0])
        self.read_expression(node.value, Usage.ALIASED)
        self._read_targets(node.targets, Usage.ASSIGNED)

    def _read_aug_assign(self, node: ast.AugAssign) -> None:
        """Read `x += y`."""
        self.read_expression(node.value, Usage.OPERAND)
        if isinstance(node.target, ast.Subscript):
            # The keys are recorded with the target.
            self.read_expression(node.target.value, Usage.SUBSCRIPTED)
        self._read_targets([node.target], Usage.AUGMENTED)

    def _read_ann_assign(self, node: ast.AnnAssign) -> None:
        """Read `x: int = y`, or `x: int`, which only declares the name."""
        self.read_annotation(node.annotation)
        usage = Usage.DECLARED
        if node.value is not None:
            usage = Usage.ANNOTATED
            self.read_expression(node.value, Usage.ALIASED)
        self._read_targets([node.target], usage)

    def _read_delete(self, node: ast.Delete) -> None:
        """Read `del x`."""
        self._read_targets(node.targets, Usage.DELETED)

    def _read_return(self, node: ast.Return) -> None:
        """Read `return x`, which ends the code unless it is in a nested function."""
        if not self._is_in_function:
            self._returns.append(_describe_return(node.value))
        if node.value is not None:
            self.read_expression(node.value, Usage.RETURNED)

    def _read_raise(self, node: ast.Raise) -> None:
        """Read `raise x from y`."""
        for value in (node.exc, node.cause):
            if value is not None:
                self.read_expression(value, Usage.RAISED)

    def _read_assert(self, node: ast.Assert) -> None:
        """Read `assert x, message`, whose message is read only if it fails."""
        self.read_expression(node.test, Usage.TESTED)
        if node.msg is not None:
            with self._conditionally():
                self.read_expression(node.msg, Usage.STORED)

    def _read_if(self, node: ast.If) -> None:
        """Read an `if` with its branches, of which only the first test always runs."""
        self.read_expression(node.test, Usage.TESTED)
        self._read_block(node.body)
        # A long chain of `elif` is nested deeply, so it is read without recursion.
        orelse = node.orelse
        with self._conditionally():
            while len(orelse) == 1 and isinstance(orelse[0], ast.If):
                branch = orelse[0]
                self.read_expression(branch.test, Usage.TESTED)
                self._read_block(branch.body)
                orelse = branch.orelse
            self._read_block(orelse)

    def _read_while(self, node: ast.While) -> None:
        """Read a `while` loop."""
        self.read_expression(node.test, Usage.TESTED)
        self._read_block(node.body)
        self._read_block(node.orelse)

    def _read_for(self, node: ast.For | ast.AsyncFor) -> None:
        """Read a `for` loop, which binds nothing if there are no items."""
        if isinstance(node, ast.AsyncFor):
            self._add_await()
        self.read_expression(node.iter, Usage.ITERATED)
        with self._conditionally():
            self._read_targets([node.target], Usage.LOOP_TARGET)
        self._read_block(node.body)
        self._read_block(node.orelse)

    def _read_with(self, node: ast.With | ast.AsyncWith) -> None:
        """Read a `with`, whose body is never skipped."""
        if isinstance(node, ast.AsyncWith):
            self._add_await()
        for item in node.items:
            self.read_expression(item.context_expr, Usage.ENTERED)
            if item.optional_vars is not None:
                self._read_targets([item.optional_vars], Usage.WITH_TARGET)
        self._read_block(node.body, is_conditional=False)

    def _read_try(self, node: ast.Try) -> None:
        """Read a `try`; only its `finally` block runs in any case."""
        with self._conditionally():
            self._read_block(node.body)
            for handler in node.handlers:
                if handler.type is not None:
                    self.read_expression(handler.type, Usage.OPERAND)
                if handler.name is not None:
                    self.add_mention(handler, handler.name, Usage.CAUGHT)
                self._read_block(handler.body)
                if handler.name is not None:
                    # Python deletes the name at the end of the handler.
                    self.add_mention(handler, handler.name, Usage.DELETED)
            self._read_block(node.orelse)
        self._read_block(node.finalbody, is_conditional=False)

    def _read_match(self, node: ast.Match) -> None:
        """Read a `match` with its cases, all of which may be skipped."""
        self.read_expression(node.subject, Usage.MATCHED)
        with self._conditionally():
            for case in node.cases:
                self._read_pattern(case.pattern)
                if case.guard is not None:
                    self.read_expression(case.guard, Usage.TESTED)
                self._read_block(case.body)

    def _read_pattern(self, root: ast.pattern) -> None:
        """Record the names that a pattern reads and binds, without recursion."""
        # The nodes that are still to be read. The next one is at the end.
        nodes: list[ast.AST] = [root]
        while nodes:
            node = nodes.pop()
            if isinstance(node, ast.expr):
                self.read_expression(node, Usage.OPERAND)
                continue
            nodes.extend(reversed(list(ast.iter_child_nodes(node))))
            match node:
                case (
                    ast.MatchAs(name=str(name))
                    | ast.MatchStar(name=str(name))
                    | ast.MatchMapping(rest=str(name))
                ):
                    self.add_mention(node, name, Usage.MATCH_TARGET)

    def _read_import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Record the names that an import binds; those of a star import are unknown."""
        for alias in node.names:
            if alias.name == "*":
                module = getattr(node, "module", None) or "."
                self._add_opaque(OpaqueReason.STAR_IMPORT, module, node)
                continue
            # `import a.b` binds `a`.
            name = alias.asname or alias.name.partition(".")[0]
            self.add_mention(alias, name, Usage.IMPORTED)

    def _read_global(self, node: ast.Global) -> None:
        """Record the names in a `global` statement."""
        self.scopes.current.global_names.update(node.names)

    def _read_nonlocal(self, node: ast.Nonlocal) -> None:
        """Record the names in a `nonlocal` statement."""
        self.scopes.current.nonlocal_names.update(node.names)

    def _read_nothing(self, node: ast.Pass | ast.Break | ast.Continue) -> None:
        """Record nothing."""

    def _read_function(self, node: _Function) -> None:
        """Record a function: what its header evaluates, its name, and its body."""
        for decorator in node.decorator_list:
            self.read_expression(decorator, Usage.DECORATOR)
        # The function stores its defaults.
        for default in _defaults_of(node.args):
            self.read_expression(default, Usage.STORED)
        for parameter in list_parameters(node.args):
            self.read_annotation(parameter.annotation)
        self.read_annotation(node.returns)

        scope = self._begin_scope(ScopeKind.FUNCTION, node.name, node)
        scope.parameters.update(_names_of_parameters(node.args))
        self._read_block(node.body, is_conditional=False)
        self._end_scope()
        self.add_mention(node, node.name, Usage.FUNCTION)

    def _read_class(self, node: ast.ClassDef) -> None:
        """Record a class: what its header evaluates, its body, and its name."""
        for decorator in node.decorator_list:
            self.read_expression(decorator, Usage.DECORATOR)
        for base in node.bases:
            value = base.value if isinstance(base, ast.Starred) else base
            self.read_expression(value, Usage.BASE)
        for keyword in node.keywords:
            self.read_expression(keyword.value, Usage.BASE)
        self._begin_scope(ScopeKind.CLASS, node.name, node)
        self._read_block(node.body, is_conditional=False)
        self._end_scope()
        self.add_mention(node, node.name, Usage.CLASS)

    def _read_type_alias(self, node: ast.AST) -> None:
        """Record `type X = int`, whose value Python evaluates later, like a lambda."""
        name = getattr(node, "name", None)
        value = getattr(node, "value", None)
        self._begin_scope(ScopeKind.LAMBDA, "", node)
        if isinstance(value, ast.expr):
            self.read_expression(value, Usage.RETURNED)
        self._end_scope()
        if isinstance(name, ast.Name):
            self.add_mention(name, name.id, Usage.TYPE_ALIAS)


class _Target(ast.AST):
    """A target among the tasks, with its usage."""

    def __init__(self, expression: ast.expr, usage: Usage) -> None:
        """Set the target and its usage."""
        super().__init__()
        self.expression = expression
        self.usage = usage


class _WalrusTarget(ast.AST):
    """The target of `x := 1` among the tasks."""

    def __init__(self, expression: ast.NamedExpr) -> None:
        """Set the expression with the target."""
        super().__init__()
        self.expression = expression


class _ScopeStart(ast.AST):
    """Marks the start of a lambda or comprehension among the tasks."""

    def __init__(self, kind: ScopeKind, expression: ast.expr) -> None:
        """Set the kind of the scope, and its lambda or comprehension."""
        super().__init__()
        self.kind = kind
        self.expression = expression


FactReader.expressions = {
    ast.Await: FactReader._read_await,
    ast.BinOp: FactReader._read_operands,
    ast.BoolOp: FactReader._read_bool_op,
    ast.Call: FactReader._read_call,
    ast.Compare: FactReader._read_compare,
    ast.Dict: FactReader._read_display,
    ast.DictComp: FactReader._read_comprehension,
    ast.FormattedValue: FactReader._read_formatted,
    ast.GeneratorExp: FactReader._read_comprehension,
    ast.IfExp: FactReader._read_if_exp,
    ast.JoinedStr: FactReader._read_formatted,
    ast.Lambda: FactReader._read_lambda,
    ast.List: FactReader._read_display,
    ast.ListComp: FactReader._read_comprehension,
    ast.NamedExpr: FactReader._read_walrus,
    ast.Set: FactReader._read_display,
    ast.SetComp: FactReader._read_comprehension,
    ast.Slice: FactReader._read_operands,
    ast.Starred: FactReader._read_starred,
    ast.Subscript: FactReader._read_subscript,
    ast.Tuple: FactReader._read_display,
    ast.UnaryOp: FactReader._read_unary_op,
    ast.Yield: FactReader._read_yield,
    ast.YieldFrom: FactReader._read_yield,
    _ScopeStart: FactReader._read_scope_start,
    _Target: FactReader._read_target,
    _WalrusTarget: FactReader._read_walrus_target,
}

_STATEMENTS: dict[type, Callable[..., None]] = {
    ast.AnnAssign: FactReader._read_ann_assign,
    ast.Assert: FactReader._read_assert,
    ast.Assign: FactReader._read_assign,
    ast.AsyncFor: FactReader._read_for,
    ast.AsyncFunctionDef: FactReader._read_function,
    ast.AsyncWith: FactReader._read_with,
    ast.AugAssign: FactReader._read_aug_assign,
    ast.Break: FactReader._read_nothing,
    ast.ClassDef: FactReader._read_class,
    ast.Continue: FactReader._read_nothing,
    ast.Delete: FactReader._read_delete,
    ast.Expr: FactReader._read_expr,
    ast.For: FactReader._read_for,
    ast.FunctionDef: FactReader._read_function,
    ast.Global: FactReader._read_global,
    ast.If: FactReader._read_if,
    ast.Import: FactReader._read_import,
    ast.ImportFrom: FactReader._read_import,
    ast.Match: FactReader._read_match,
    ast.Nonlocal: FactReader._read_nonlocal,
    ast.Pass: FactReader._read_nothing,
    ast.Raise: FactReader._read_raise,
    ast.Return: FactReader._read_return,
    ast.Try: FactReader._read_try,
    ast.TryStar: FactReader._read_try,
    ast.While: FactReader._read_while,
    ast.With: FactReader._read_with,
}
"""How each kind of statement is read. Other kinds are opaque."""

# These kinds of nodes exist since Python 3.12 and 3.14.
if hasattr(ast, "TypeAlias"):
    _STATEMENTS[ast.TypeAlias] = FactReader._read_type_alias
for _kind in ("TemplateStr", "Interpolation"):
    if hasattr(ast, _kind):
        FactReader.expressions[getattr(ast, _kind)] = FactReader._read_formatted


def _tasks_of(expressions: Iterable[ast.expr], usage: Usage) -> list[Task]:
    """Return the tasks to read some expressions, all of which are used alike."""
    return [Task(expression, usage) for expression in expressions]


def _tasks_of_arguments(
    arguments: Iterable[ast.expr], keywords: Iterable[ast.keyword], function: str
) -> Iterator[Task]:
    """Yield the tasks to read the arguments of a call to a function."""
    for argument in arguments:
        if isinstance(argument, ast.Starred):
            yield Task(argument.value, Usage.UNPACKED, function)
        else:
            yield Task(argument, Usage.PASSED, function)
    for keyword in keywords:
        usage = Usage.UNPACKED if keyword.arg is None else Usage.PASSED
        yield Task(keyword.value, usage, function)


def _child_expressions(node: ast.AST) -> Iterable[ast.expr]:
    """Yield the expressions directly below a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child


def _is_super_call(node: ast.expr) -> TypeGuard[ast.Call]:
    """Whether an expression is `super()` or `super(Child, self)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "super"
        and not node.keywords
    )


def _is_consumed(task: Task) -> bool:
    """Whether code takes all items of a generator at once."""
    if task.usage is Usage.PASSED:
        return task.passed_to in _CONSUMING_FUNCTIONS
    return task.usage in (Usage.ITERATED, Usage.UNPACKED)


def _read_arguments(call: ast.Call) -> Iterable[Argument]:
    """Yield the arguments of a call."""
    for argument in call.args:
        stars = ""
        value = argument
        if isinstance(argument, ast.Starred):
            stars = "*"
            value = argument.value
        yield Argument("", stars, dotted_name(value), _string_of(value))
    for keyword in call.keywords:
        value = keyword.value
        # The argument `**options` has no keyword.
        stars = "**" if keyword.arg is None else ""
        yield Argument(keyword.arg or "", stars, dotted_name(value), _string_of(value))


def _string_of(node: ast.expr) -> str | None:
    """Return the value of a string; None for another expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None


def _items_of_display(node: ast.AST) -> Iterable[ast.expr]:
    """Yield the items of a list, tuple or set, or the keys and values of a dict.

    The item `**x` of a dict is yielded like `*x` in a list.
    """
    if not isinstance(node, ast.Dict):
        assert isinstance(node, ast.List | ast.Tuple | ast.Set)
        yield from node.elts
        return
    for key, value in zip(node.keys, node.values, strict=True):
        # `{**x}` has no key.
        if key is None:
            yield ast.copy_location(ast.Starred(value), value)
        else:
            yield key
            yield value


def _table_of(function: ast.expr) -> str:
    """Return the dotted name of the table from which a call takes its function.

    It is empty if the function is not taken from a table with a dotted name.
    """
    match function:
        case ast.Subscript(value=table):
            return dotted_name(table)
    return ""


def _describe_return(value: ast.expr | None) -> Return:
    """Return the fact about a `return` with a value, or without one."""
    is_none = value is None
    is_super_call = False
    match value:
        case ast.Constant(value=None):
            is_none = True
        case ast.Call(func=ast.Attribute(value=owner)):
            is_super_call = _is_super_call(owner)
    return Return(_count_items(value), is_none, is_super_call)


def _count_items(node: ast.expr | None) -> int | None:
    """Return the number of items of a tuple such as `a, b`; None if it is unknown."""
    if not isinstance(node, ast.Tuple):
        return None
    if any(isinstance(item, ast.Starred) for item in node.elts):
        return None
    return len(node.elts)


def list_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """Return the parameters of a function in order, also `*args` and `**kwargs`."""
    parameters = [*arguments.posonlyargs, *arguments.args]
    if arguments.vararg is not None:
        parameters.append(arguments.vararg)
    parameters += arguments.kwonlyargs
    if arguments.kwarg is not None:
        parameters.append(arguments.kwarg)
    return parameters


def _names_of_parameters(arguments: ast.arguments) -> set[str]:
    """Return the names of the parameters of a function."""
    return {parameter.arg for parameter in list_parameters(arguments)}


def _defaults_of(arguments: ast.arguments) -> list[ast.expr]:
    """Return the defaults of parameters, which Python evaluates at the definition."""
    defaults = [*arguments.defaults, *arguments.kw_defaults]
    return [default for default in defaults if default is not None]
