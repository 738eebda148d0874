"""The functions of the module `operator` that are what an operator does, for combinators: ``linad.reduce(operator.mul, 1.0, x)``."""

from __future__ import annotations

import ast

from ..messages.language import BadCall
from .context import Lowering
from .values import Poison, Value

_BINARY = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod, "pow": ast.Pow,
    "matmul": ast.MatMult, "and_": ast.BitAnd, "or_": ast.BitOr, "xor": ast.BitXor,
}  # fmt: skip


def _rule(op: type[ast.operator]):
    def apply(ctx: Lowering, args) -> Value:
        from .expressions import operator

        if len(args.values) != 2 or args.keywords:
            ctx.report(BadCall(args.span, args.name, "takes 2 arguments"))
            return Poison()
        return operator(ctx, op, *args.values, args.span, args.hint)

    return apply


RULES = {f"operator.{name}": _rule(op) for name, op in _BINARY.items()}
