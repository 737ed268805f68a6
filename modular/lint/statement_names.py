"""The names that a statement reads and binds, according to Python's `ast`.

Rules ask for the names of thousands of statements, and LibCST takes ten times as long.
"""

import ast
from collections.abc import Set

from modular.source import shortcuts
from modular.source.blocks import Statement
from modular.source.python_trees import dotted_name, parse
from modular.source.scan import find_outside_brackets
from modular.source.walking import descend


_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_BINDING_KEYWORDS = frozenset({"del", "import"})
"""Keywords of simple statements that bind or delete names without an equals sign."""


def names_read_by(statement: Statement) -> Set[str]:
    """Return the names and dotted names that a statement reads when it runs.

    The variables of comprehensions are not among them, and neither are names in the
    bodies of functions and classes.
    """
    return statement.memoized(_find_read_names)


def names_bound_by(statement: Statement) -> Set[str]:
    """Return the names and dotted names that a statement binds, changes or deletes.

    An assignment to an item changes its owner: `x` for `x[0] = 1`. For what is left
    out, see `names_read_by`.
    """
    return statement.memoized(_find_bound_names)


def _find_read_names(statement: Statement) -> frozenset[str]:
    """Return the names that a statement reads: `x` and `self.size` for `y = x + self.size`.

    The variables of comprehensions are left out: `[x.size for x in y]` reads only `y`.
    """
    tree: ast.AST = parse(statement.bare_code.text)
    # Of `self.size`, these are the node of the whole name, but not the node of `self`.
    nodes = list(descend(tree, children_in_scope))
    variable_nodes: set[ast.expr] = set()
    for node in nodes:
        if isinstance(node, _Comprehension):
            variable_nodes.update(_find_variable_nodes(node))

    names: set[str] = set()
    for node in nodes:
        match node:
            case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
                if _first_name_node(node) not in variable_nodes:
                    names.add(dotted_name(node))
            case ast.AugAssign(target=target):
                # Python marks this target as written, but `x += 1` reads `x`, too.
                names.add(dotted_name(target))
    # `dotted_name` is empty for an expression that is no name, such as `f().size`.
    return frozenset(names - {""})


def _find_bound_names(statement: Statement) -> frozenset[str]:
    """Return the names that a statement sets, changes or deletes: `self.size` for `self.size = x`."""
    names = bound_names_without_parsing(statement)
    return parse_bound_names(statement) if names is None else names


def bound_names_without_parsing(statement: Statement) -> frozenset[str] | None:
    """Return the names that a statement binds if its text shows them; otherwise None.

    The text shows them for expressions, and for assignments to one name or attribute, such
    as `self.size = f(x=1)`. These statements are the most common ones, and parsing them
    would be slow.
    """
    mask = statement.code.mask
    if statement.is_compound or ":=" in mask:
        return None
    if not _BINDING_KEYWORDS.isdisjoint(statement.words):
        return None
    # The equals signs inside brackets belong to arguments or comparisons. `x == y`
    # outside of brackets has two, so that the text does not decide.
    sign_count = len(list(find_outside_brackets(mask, "=", statement.start)))
    if sign_count == 0:
        # `self.size: int` binds the name, although it has no value.
        has_colon = any(find_outside_brackets(mask, ":", statement.start))
        return None if has_colon else frozenset()
    target = shortcuts.plain_target(mask, statement.start)
    if sign_count == 1 and target is not None:
        return frozenset({target})
    return None


def parse_bound_names(statement: Statement) -> frozenset[str]:
    """Return the names that a statement binds, changes or deletes, according to its tree.

    These are `x` and `y` for `with f() as x: y = 1`, `self.x` for `self.x[0] = 1` and for
    `del self.x`, and `a` for `import a.b`. Variables of comprehensions are left out.
    """
    tree: ast.AST = parse(statement.bare_code.text)
    # An expression that is only read can bind names only by `:=`. Without `:=`, such
    # expressions are skipped, which is faster.
    children = _targets_and_statements
    if ":=" in statement.code.mask:
        children = children_in_scope

    names: set[str] = set()
    comprehension_targets: set[ast.AST] = set()
    for node in descend(tree, children):
        match node:
            # The walk visits this node of `[x for x in y]` before the target `x` in it.
            case ast.comprehension(target=target):
                comprehension_targets.update(ast.walk(target))
            case (
                ast.Name(ctx=ast.Store() | ast.Del())
                | ast.Attribute(ctx=ast.Store() | ast.Del())
                | ast.Subscript(ctx=ast.Store() | ast.Del())
            ):
                if node not in comprehension_targets:
                    # `x[0] = 1` counts as binding `x`.
                    names.add(dotted_name(_owner_of_item(node)))
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                names.add(name)
            case ast.alias(name=name, asname=alias):
                # `import a.b` binds `a`.
                names.add(alias or name.partition(".")[0])
    # `dotted_name` is empty for a target that is no name, such as `f().size`.
    return frozenset(names - {""})


def _targets_and_statements(node: ast.AST) -> list[ast.AST]:
    """Return the children of a node except for the expressions that are only read."""
    children = []
    for child in children_in_scope(node):
        is_target = isinstance(getattr(child, "ctx", None), ast.Store | ast.Del)
        if is_target or not isinstance(child, ast.expr):
            children.append(child)
    return children


def children_in_scope(node: ast.AST) -> list[ast.AST]:
    """Return the children of a node that Python evaluates in the scope of the node.

    The bodies of functions and classes are left out, because they have variables of their
    own: `def f(x=y): return z` evaluates only `y` in the scope of the statement. A dotted
    name such as `a.b.c` has no children: callers should not find `a.b` and `a`, too.
    """
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            header: list[ast.AST] = [*node.decorator_list, node.args]
            if node.returns is not None:
                header.append(node.returns)
            return header
        case ast.Lambda(args=parameters):
            return [parameters]
        case ast.ClassDef():
            return [*node.decorator_list, *node.bases, *node.keywords]
        case ast.Attribute() if dotted_name(node):
            return []
    return list(ast.iter_child_nodes(node))


def _find_variable_nodes(comprehension: _Comprehension) -> list[ast.Name]:
    """Return the nodes that are a comprehension's variables: both `x` of `[x for x in y]`."""
    variables = set()
    for generator in comprehension.generators:
        for node in ast.walk(generator.target):
            if isinstance(node, ast.Name):
                variables.add(node.id)
    variable_nodes = []
    for node in ast.walk(comprehension):
        if isinstance(node, ast.Name) and node.id in variables:
            variable_nodes.append(node)
    return variable_nodes


def _first_name_node(node: ast.expr) -> ast.expr:
    """Return the node of `a` for the node of `a.b.c`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _owner_of_item(node: ast.expr) -> ast.expr:
    """Return the node of `a` for the node of `a[0][1]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node
