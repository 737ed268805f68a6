"""Documented transformations of the rules of transformers, as changes of the sources.

`docs/inheritance.md` lists transformations that are not reported. Each is described
here as what an author would have to write for Python to do the same (a variant of the
sources that Python runs), or as what switches the transformation off (a variant that is
converted). A difference that such a variant does not have is documented.
"""

import ast
from collections.abc import Callable, Iterator

from tests.properties.class_traces import MODULAR, PARENT, SECOND_PARENT


Files = dict[str, str]
Function = ast.FunctionDef | ast.AsyncFunctionDef

_CHANGING_DECORATORS = {"staticmethod", "classmethod", "abstractmethod", "property"}
"""Inherited decorators that must be reported: they change the kind of the method."""


def _classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node


def _functions(node: ast.ClassDef) -> Iterator[Function]:
    for statement in node.body:
        if isinstance(statement, Function):
            yield statement


def _decorator_name(node: ast.expr) -> str:
    return ast.unparse(node).split("(")[0]


class Project:
    """The trees of a project, and the parent class of each class of the modular file."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.trees = {
            path: ast.parse(files[path])
            for path in (PARENT, SECOND_PARENT, MODULAR)
            if path in files
        }
        self.parents: dict[str, ast.ClassDef] = {}
        for path in (PARENT, SECOND_PARENT):
            if path in self.trees:
                for node in _classes(self.trees[path]):
                    self.parents[node.name] = node

    def pairs(self) -> Iterator[tuple[ast.ClassDef, ast.ClassDef]]:
        """Yield each class of the modular file that has a parent class, and that."""
        for child in _classes(self.trees[MODULAR]):
            for base in child.bases:
                if isinstance(base, ast.Name) and base.id in self.parents:
                    yield child, self.parents[base.id]
                    break

    def overrides(self) -> Iterator[tuple[Function, Function, ast.ClassDef]]:
        """Yield each override with the parent's method, and the parent class."""
        for child, parent in self.pairs():
            inherited = {function.name: function for function in _functions(parent)}
            for function in _functions(child):
                if function.name in inherited:
                    yield function, inherited[function.name], parent

    def write(self) -> Files:
        """Return the files, with the imports that moved code needs."""
        changed = dict(self.files)
        for path, tree in self.trees.items():
            changed[path] = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        used = {
            node.id
            for node in ast.walk(self.trees[MODULAR])
            if isinstance(node, ast.Name)
        }
        lines = []
        for path in (PARENT, SECOND_PARENT):
            for node in self.trees[path].body if path in self.trees else []:
                if isinstance(node, ast.ImportFrom):
                    names = [each.name for each in node.names if each.name in used]
                    if names:
                        module = "." * node.level + (node.module or "")
                        lines.append(f"from {module} import {', '.join(names)}\n")
        changed[MODULAR] = "".join(lines) + changed[MODULAR]
        return changed


def unravelled_call(function: Function) -> tuple[int, ast.Call] | None:
    """Return the place of the statement `super().method(...)`, and the call."""
    for index, statement in enumerate(function.body):
        if isinstance(statement, (ast.Expr, ast.Return)):
            call = statement.value
            if isinstance(call, ast.Call) and _is_super_method(call, function.name):
                return index, call
    return None


def _is_super_method(call: ast.Call, name: str) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != name:
        return False
    receiver = call.func.value
    if not isinstance(receiver, ast.Call) or ast.unparse(receiver.func) != "super":
        return False
    return not receiver.args or ast.unparse(receiver.args[0]).startswith("Moss")


def inherit_decorators(project: Project) -> None:
    """Give overrides and classes without decorators those of the parent."""
    for child, parent in project.pairs():
        if not child.decorator_list:
            child.decorator_list = list(parent.decorator_list)
        setters = {
            _decorator_name(decorator)
            for function in _functions(parent)
            for decorator in function.decorator_list
        }
        for function in _functions(child):
            names = [_decorator_name(each) for each in function.decorator_list]
            accessors = {f"{function.name}.setter", f"{function.name}.deleter"}
            if names == ["property"] and accessors & setters:
                getter = ast.parse(f"{parent.name}.{function.name}.getter")
                function.decorator_list = [getter.body[0].value]  # type: ignore[attr-defined]
    for function, inherited, _ in project.overrides():
        decorators = inherited.decorator_list
        names = {_decorator_name(each) for each in decorators}
        is_accessor = any("." in name for name in names)
        if not function.decorator_list and not is_accessor:
            if not names & _CHANGING_DECORATORS:
                function.decorator_list = list(decorators)
                if unravelled_call(function) is not None:
                    inherited.decorator_list = []


def skip_parent(project: Project) -> None:
    """Let `super()` in a larger expression or statement skip the parent class."""
    for child, parent in project.pairs():
        for function in _functions(child):
            unravelled = unravelled_call(function)
            receiver = function.args.args[0].arg if function.args.args else "self"
            own_calls = ("super()", f"super({child.name}, {receiver})")
            for node in ast.walk(function):
                if not isinstance(node, ast.Call) or ast.unparse(node) not in own_calls:
                    continue
                if unravelled is not None and unravelled[1].func.value is node:  # type: ignore[attr-defined]
                    continue
                node.args = [
                    ast.Name(parent.name, ast.Load()),
                    ast.Name(receiver, ast.Load()),
                ]


def omit_arguments(project: Project) -> None:
    """Pass the parameters that the parent's body reads and the call does not pass."""
    for function, inherited, _ in project.overrides():
        found = unravelled_call(function)
        if found is None:
            continue
        call = found[1]
        given = {each.arg for each in call.keywords}
        bound = bound_names(function)
        parameters = inherited.args.args[1 + len(call.args) :]
        for parameter in (*parameters, *inherited.args.kwonlyargs):
            if parameter.arg in bound and parameter.arg not in given:
                value = ast.Name(parameter.arg, ast.Load())
                call.keywords.append(ast.keyword(parameter.arg, value))
        starred = any(isinstance(each, ast.Starred) for each in call.args)
        if inherited.args.vararg and function.args.vararg and not starred:
            value = ast.Name(function.args.vararg.arg, ast.Load())
            call.args.append(ast.Starred(value, ast.Load()))
        if inherited.args.kwarg and function.args.kwarg and None not in given:
            value = ast.Name(function.args.kwarg.arg, ast.Load())
            call.keywords.append(ast.keyword(None, value))


def copy_return(project: Project) -> None:
    """Return what the parent's method returns, if the call is the last statement."""
    for function, _, _ in project.overrides():
        found = unravelled_call(function)
        if found is not None and found[0] == len(function.body) - 1:
            function.body[-1] = ast.Return(found[1])


def drop_repetitions(project: Project) -> None:
    """Drop statements below the call that the parent's body contains and that repeat."""
    for function, inherited, _ in project.overrides():
        found = unravelled_call(function)
        if found is None:
            continue
        known = {ast.unparse(statement) for statement in inherited.body}
        kept = []
        for statement in function.body[found[0] + 1 :]:
            text = ast.unparse(statement)
            is_plain = isinstance(statement, (ast.Assign, ast.Pass, ast.Import))
            has_call = any(isinstance(each, ast.Call) for each in ast.walk(statement))
            if not (text in known and is_plain and not has_call):
                kept.append(statement)
        function.body[found[0] + 1 :] = kept


def first_init(project: Project) -> None:
    """Let the parent's `super().__init__()` run before all other statements."""
    for function, inherited, parent in project.overrides():
        found = unravelled_call(function)
        if found is None or function.name != "__init__":
            continue
        for index, statement in enumerate(inherited.body):
            if ast.unparse(statement).startswith("super().__init__("):
                break
        else:
            continue
        first = ast.parse(f"super({parent.name}, self).__init__()").body[0]
        if isinstance(statement, ast.Expr) and index < 2:
            inherited.body[index] = ast.Pass()
            function.body.insert(0, first)


def bound_names(function: Function, until: int | None = None) -> set[str]:
    """Return the parameters and variables of a function."""
    found = {each.arg for each in function.args.args + function.args.kwonlyargs}
    return found | assigned_names(function.body[:until])


def assigned_names(statements: list[ast.stmt]) -> set[str]:
    """Return the names that statements assign to."""
    return {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }


class _Rename(ast.NodeTransformer):
    """Rename variables."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def separate_variables(project: Project) -> None:
    """Rename the variables that the parent's body sets and the child has not set."""
    for function, inherited, _ in project.overrides():
        found = unravelled_call(function)
        if found is None:
            continue
        above = assigned_names(function.body[: found[0]])
        parameters = [each.arg for each in inherited.args.args[1:]]
        parameters += [each.arg for each in inherited.args.kwonlyargs]
        for each in (inherited.args.vararg, inherited.args.kwarg):
            if each is not None:
                parameters.append(each.arg)
        changed = assigned_names(inherited.body) - above
        names = {name: f"parent_{name}" for name in changed}
        inherited.body = [
            _Rename(names).visit(statement) for statement in inherited.body
        ]
        copies = [name for name in parameters if name in names]
        for name in copies:
            copy = ast.parse(f"parent_{name} = {name}").body[0]
            inherited.body.insert(0, copy)


def keep_assignments(project: Project) -> None:
    """Switch replaced assignments off whose attribute the parent's later lines name."""
    for function, inherited, parent in project.overrides():
        found = unravelled_call(function)
        if found is None:
            continue
        methods = {each.name: each for each in _functions(parent)}
        for child in _classes(project.trees[MODULAR]):
            if function in child.body:
                methods |= {each.name: each for each in _functions(child)}
        for index in range(found[0] + 1, len(function.body)):
            target = _only_target(function.body[index])
            if target is not None and _is_named_later(inherited, target, methods):
                function.body[index] = _unmerged(function.body[index], target)


def _only_target(statement: ast.stmt) -> ast.Attribute | None:
    """Return the attribute that a statement sets or deletes, if it is the only one."""
    if not isinstance(statement, (ast.Assign, ast.Delete)):
        return None
    target = statement.targets[0]
    if len(statement.targets) > 1 or not isinstance(target, ast.Attribute):
        return None
    return target


def _unmerged(statement: ast.stmt, target: ast.Attribute) -> ast.stmt:
    """Return a statement that does the same and replaces nothing."""
    text = f'delattr(self, "{target.attr}")'
    if isinstance(statement, ast.Assign):
        text = f"{ast.unparse(target)}: object = {ast.unparse(statement.value)}"
    return ast.parse(text).body[0]


def _is_named_later(
    inherited: Function, target: ast.Attribute, methods: dict[str, Function]
) -> bool:
    """Return whether lines below the parent's assignment name the attribute."""
    text = ast.unparse(target)
    for index, statement in enumerate(inherited.body):
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            continue
        targets = (
            [statement.target]
            if isinstance(statement, ast.AnnAssign)
            else (statement.targets)
        )
        if [ast.unparse(each) for each in targets] == [text]:
            return _names_attribute(inherited.body[index + 1 :], text, methods, set())
    return False


def _names_attribute(
    statements: list[ast.stmt],
    text: str,
    methods: dict[str, Function],
    seen: set[str],
) -> bool:
    """Return whether statements, or the methods that they call, name an attribute."""
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and ast.unparse(node) == text:
                return True
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func).removeprefix("self.")
            if name in methods and name not in seen:
                seen.add(name)
                if _names_attribute(methods[name].body, text, methods, seen):
                    return True
    return False


EMULATED: list[Callable[[Project], None]] = [
    inherit_decorators,
    drop_repetitions,
    copy_return,
    omit_arguments,
    skip_parent,
    first_init,
]
"""Changes after which Python does what the documented transformation does."""

SWITCHED_OFF: list[Callable[[Project], None]] = [keep_assignments, separate_variables]
"""Changes after which the documented transformation has no effect."""


def changed(files: Files, changes: list[Callable[[Project], None]]) -> Files:
    """Return the files after some changes."""
    if not changes:
        return dict(files)
    project = Project(files)
    for change in changes:
        change(project)
    return project.write()


def has_removal(files: Files) -> bool:
    """Return whether an override only raises, which removes the parent's method."""
    for function, _, _ in Project(files).overrides():
        if isinstance(function.body[0], ast.Raise):
            return True
    return False


def variants(files: Files) -> Iterator[tuple[Files, Files]]:
    """Yield files to import as Python does, and files to convert."""
    emulations: list[list[Callable[[Project], None]]] = [[each] for each in EMULATED]
    emulations.append(EMULATED)
    for emulation in emulations:
        yield changed(files, emulation), dict(files)
    for switched in ([SWITCHED_OFF[0]], [SWITCHED_OFF[1]], SWITCHED_OFF):
        converted = changed(files, switched)
        yield dict(files), converted
        yield changed(files, EMULATED), converted
