"""Polynomials: `np.polyval`."""

from __future__ import annotations

import ast

from ..arrays.from_parts import common_dtype
from ..arrays.operands import as_array, bound, no_bools
from ..ir.core import Atom, Const
from ..engine.arithmetic import binary
from ..engine.numbers import cast
from ..engine.places import fold, force_delayed, fresh_array, nest, put, read
from ..engine.refusal import Refused
from ..engine.rulebook import RESULTS, Args, Rule, enter_rules
from ..engine.sizes import rank_of, shape_of
from ..engine.state import Lowering
from ..engine.values import NoneValue, ScalarValue, TupleValue, Value
from ..messages.types import WrongType
from ..types import INTS

NONE = NoneValue()


# ------------------------------------------------------------------------------------------------------- polynomials


def _polyval(ctx: Lowering, args: Args) -> Value:
    """Horner's rule for each cell of ``x``."""
    found = bound(ctx, args)
    p = found["p"]
    if isinstance(p, TupleValue) and p.record is RESULTS["numpy.poly1d"]:
        (p,) = p.items
    p, x = (as_array(ctx, v, args) for v in (p, found["x"]))
    no_bools(args, p, x)
    if rank_of(p) != 1:
        raise Refused(WrongType(args.span, "coefficients are an array of rank 1", f"rank {rank_of(p)}"))
    span, p = args.span, force_delayed(ctx, p, "p", args.span)
    dtype = common_dtype((p, x))
    shape = shape_of(ctx, x, span)

    def value(index: tuple[Atom, ...]) -> Atom:
        at = ScalarValue(cast(ctx, read(ctx, x, index, span).atom, dtype, span))

        def step(k: tuple[Atom, ...], old: tuple[Atom, ...]) -> tuple[Atom, ...]:
            c = ScalarValue(cast(ctx, read(ctx, p, k, span).atom, dtype, span))
            return (
                binary(ctx, ast.Add, binary(ctx, ast.Mult, ScalarValue(old[0]), at, span), c, span, args.hint).atom,
            )

        zero = Const(0 if dtype in INTS else 0.0, at.atom.type)
        return fold(ctx, shape_of(ctx, p, span), (zero,), step, span, (args.hint,))[0]

    if not shape:
        return ScalarValue(value(()))
    made = fresh_array(ctx, args.hint, shape, dtype, None, span)
    nest(ctx, shape, lambda index: put(ctx, made, index, value(index), span), span)
    return made


RULES: dict[str, Rule] = {"numpy.polyval": _polyval}
enter_rules(RULES)
