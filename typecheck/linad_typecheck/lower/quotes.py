"""The messages of errors that a program raises: texts, and formatted strings with the numbers that are quoted in them."""

from __future__ import annotations

import ast

from ..core import Atom
from .context import Lowering
from .expressions import expression
from .values import SILENT, ScalarValue

Message = tuple[str, tuple[Atom, ...]]  # a template, and what it quotes


def message_of(ctx: Lowering, node: ast.expr) -> Message | None:
    """The template of a message; None where it is something else.

    Numbers are quoted by name, or as sizes. Other expressions might fail where the message is not needed: the numbers are known
    before it is decided whether there is an error.
    """
    match node:
        case ast.Constant(value=str(text)):
            return _plain(text), ()
        case ast.JoinedStr(values=parts):
            template, quoted = "", []
            for part in parts:
                match part:
                    case ast.Constant(value=str(text)):
                        template += _plain(text)
                    case ast.FormattedValue(value=value, format_spec=spec) if _is_known(value) and (how := _format(spec)) is not None:
                        found = expression(ctx, value, "t")
                        if isinstance(found, SILENT):  # of a type that is not known yet, or in error
                            continue
                        if not isinstance(found, ScalarValue):
                            return None
                        template += f"{{{len(quoted)}{how}}}"
                        quoted.append(found.atom)
                    case _:
                        return None
            return template, tuple(quoted)
    return None


def _plain(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _is_known(node: ast.expr) -> bool:
    """Whether nothing can go wrong with an expression: a name, or a size of what has one."""
    match node:
        case ast.Name() | ast.Attribute(value=ast.Name(), attr="size" | "ndim"):
            return True
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name()], keywords=[]):
            return True
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape"), slice=ast.Constant()):
            return True
    return False


def _format(spec: ast.expr | None) -> str | None:
    """A format that is written out, with its colon."""
    match spec:
        case None:
            return ""
        case ast.JoinedStr(values=[ast.Constant(value=str(text))]) if not set(text) & set("{}"):
            return f":{text}"
    return None
