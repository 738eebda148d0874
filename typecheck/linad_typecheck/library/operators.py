"""The functions of the module `operator`, for combinators: ``linad.reduce(operator.mul, 1.0, x)``."""

from __future__ import annotations

import ast
from ..arrays.from_parts import array_of_values
from ..engine.arithmetic import binary
from ..engine.elementwise import lift
from ..engine.growing import as_array, is_growing
from ..engine.numbers import cast
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import is_array
from ..engine.state import Lowering
from ..engine.values import ScalarValue, TupleValue, Value, is_complex
from ..messages.language import BadCall
from ..span import Span
from ..types import INTS
from .externals import call_external

_BINARY = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod,
    "pow": ast.Pow,
    "matmul": ast.MatMult, "and_": ast.BitAnd, "or_": ast.BitOr, "xor": ast.BitXor,
}  # fmt: skip
_NAMES = {op: name for name, op in _BINARY.items()} | {ast.LShift: "lshift", ast.RShift: "rshift"}
_SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@",
}  # fmt: skip


def _rule(op: type[ast.operator]):
    def apply(ctx: Lowering, args) -> Value:
        if len(args.values) != 2 or args.keywords:
            raise Refused(BadCall(args.span, args.name, "takes 2 arguments"))
        return operator(ctx, op, *args.values, args.span, args.hint)

    return apply


def _index(ctx: Lowering, args: Args) -> Value:
    """``operator.index(n)``: the int itself."""
    match args.values:
        case [ScalarValue(dtype=dtype) as v] if dtype in INTS and dtype != "u64" and not args.keywords:
            return ScalarValue(cast(ctx, v.atom, "i64", args.span), True)  # an int of Python's
    ctx.raised("TypeError")
    raise Refused(BadCall(args.span, args.name, "takes an int"))


RULES = {f"operator.{name}": _rule(op) for name, op in _BINARY.items()} | {"operator.index": _index}


def operator(ctx: Lowering, op: type[ast.operator], a: Value, b: Value, span: Span, hint: str) -> Value:
    """``a op b`` of scalars or arrays. A tuple or list next to an array or a number of NumPy's is converted to an
    array, as in NumPy."""
    if is_complex(a) or is_complex(b):
        args = Args(_SIGNS.get(op, "this operator"), span, (a, b), {}, hint)
        return call_external(ctx, f"operator.{_NAMES[op]}", args)
    pairs = ((a, b), (b, a))
    of_numpy = lambda v: isinstance(v, ScalarValue) and not v.weak and op is not ast.Mult  # which repeats a list
    if not any(is_array(v) or (of_numpy(v) and _is_listed(w)) for v, w in pairs):
        return binary(ctx, op, a, b, span, hint)
    a, b = (as_array(ctx, v, hint, span) if is_growing(v) else v for v, _ in pairs)
    pairs = ((a, b), (b, a))
    if isinstance(a, TupleValue) or isinstance(b, TupleValue):
        a, b = (
            array_of_values(ctx, v, None, hint, span)
            if isinstance(v, TupleValue) and v.array_like and (is_array(other) or isinstance(other, ScalarValue))
            else v
            for v, other in pairs
        )
    if op is ast.MatMult:
        return call_external(ctx, "numpy.matmul", Args("@", span, (a, b), {}, hint))
    return lift(ctx, (a, b), lambda v: binary(ctx, op, *v, span, hint), span, hint)


def _is_listed(v: Value) -> bool:
    return is_growing(v) or (isinstance(v, TupleValue) and v.array_like)


enter_rules(RULES)
