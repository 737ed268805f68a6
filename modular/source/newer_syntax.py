"""Rewrites code that is newer than the running Python, so that its `ast` parses it.

LibCST reads such code. F-strings, type parameters and type aliases of Python 3.12 are
replaced by older syntax that reads and binds the same names on the same lines.
"""

from collections.abc import Iterable

import libcst as cst

from modular.source.nesting import may_be_too_deep
from modular.source.scan import mask_text
from modular.source.walking import descend


_EMPTY_MODULE = cst.Module(body=[])


def rewrite_in_older_syntax(text: str) -> str | None:
    """Return code with the same names on the same lines in the syntax of Python 3.11.

    Args:
        text: The code of a module.

    Returns:
        The code; None if LibCST cannot read it.
    """
    # LibCST's parser crashes on code that is nested too deeply.
    if may_be_too_deep(mask_text(text)):
        return None
    try:
        return cst.parse_module(text).visit(_OlderSyntax()).code
    # A long chain of operators, such as `1 + 1 + ...`, is deep without brackets.
    except (cst.ParserSyntaxError, RecursionError):
        return None


class _OlderSyntax(cst.CSTTransformer):
    """Replaces the syntax of Python 3.12 with older syntax with the same names.

    `f"{x["a"]} {y}"` becomes `(x["a"], y)`, and `type X = int` becomes `X = lambda: int`,
    because the value is evaluated later (PEP 695).
    """

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:
        """Leave the parts of an f-string to `_tuple_of_fields`."""
        return False

    def leave_FormattedString(
        self, original_node: cst.FormattedString, updated_node: cst.FormattedString
    ) -> cst.BaseExpression:
        """Replace an f-string."""
        return self._tuple_of_fields(original_node)

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> bool:
        """Leave the parts of adjacent strings to `_tuple_of_fields`."""
        return False

    def leave_ConcatenatedString(
        self,
        original_node: cst.ConcatenatedString,
        updated_node: cst.ConcatenatedString,
    ) -> cst.BaseExpression:
        """Replace adjacent strings."""
        return self._tuple_of_fields(original_node)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        """Remove the type parameters of a function."""
        return updated_node.with_changes(type_parameters=None)

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        """Remove the type parameters of a class."""
        return updated_node.with_changes(type_parameters=None)

    def leave_TypeAlias(
        self, original_node: cst.TypeAlias, updated_node: cst.TypeAlias
    ) -> cst.Assign:
        """Replace `type X = int` with an assignment of a lambda."""
        value = cst.Lambda(params=cst.Parameters(), body=updated_node.value)
        return cst.Assign([cst.AssignTarget(updated_node.name)], value)

    def _tuple_of_fields(self, string: cst.BaseString) -> cst.Tuple:
        """Return a tuple of the fields of an f-string: `(x, y)` for `f"{x} {y}"`.

        Older versions of Python can read the tuple, and it uses the same names. It has
        as many lines as the string, so that the code below stays on its lines.
        """
        elements = []
        root: cst.CSTNode = string
        for node in descend(root, _children_outside_expressions):
            if isinstance(node, cst.FormattedStringExpression):
                # A field can contain f-strings, which are replaced in the same way.
                expression = node.expression.visit(self)
                assert isinstance(expression, cst.BaseExpression)
                elements.append(cst.Element(expression))
        fields = cst.Tuple(elements)

        # Lines are added by escaped line ends before the closing parenthesis.
        missing_lines = _count_newlines(string) - _count_newlines(fields)
        padding = cst.SimpleWhitespace("\\\n" * missing_lines)
        return fields.with_changes(rpar=[cst.RightParen(whitespace_before=padding)])


def _children_outside_expressions(node: cst.CSTNode) -> Iterable[cst.CSTNode]:
    """Return the parts of a string, but not those of the expressions in it."""
    if isinstance(node, cst.FormattedStringExpression):
        return node.format_spec or ()
    return node.children


def _count_newlines(node: cst.CSTNode) -> int:
    """Return the number of line ends in the code of a node."""
    return _EMPTY_MODULE.code_for_node(node).count("\n")
