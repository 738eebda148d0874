"""What is in no table of constructs is refused by name, with the way to write it instead."""

from __future__ import annotations

import ast

from ..advice.unsupported import REWRITES
from ..linear.liveness import bound
from ..messages.language import Unsupported
from .state import Lowering
from .values import Binding, Poison


def refuse(ctx: Lowering, node: ast.AST) -> None:
    """Report a construct that the language does not have."""
    if isinstance(node, ast.Constant) and isinstance(node.value, complex):
        what, instead = "a complex number", "keep real and imaginary parts apart: `exp(1j * x)` is `np.cos(x)` and `np.sin(x)`"
    elif type(node).__name__ == "TryStar":
        what, instead = REWRITES[ast.Try]
    else:
        what, instead = REWRITES.get(type(node), (f"`{type(node).__name__.lower()}`", ""))
    ctx.report(Unsupported(ctx.span(node), what, instead))
    if isinstance(node, ast.stmt):  # what it would have bound is unknown from here on, which is no further mistake
        for name in node.names if isinstance(node, (ast.Global, ast.Nonlocal)) else bound([node]):
            ctx.bind(name, Binding(Poison(), ctx.span(node)))
