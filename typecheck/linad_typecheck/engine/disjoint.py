"""Disjointness of two views of one array: their index ranges along an axis are compared as affine forms.

Index arithmetic wraps at 64 bits. Two sums with the same multiples whose constants differ are different in any case.
That one of them is less than the other is concluded only if the larger one is known to be non-negative.
"""

from __future__ import annotations

from math import gcd

from ..infer.affine import Affine, atom, constant, difference, multiply
from ..ir.core import Atom, Const
from .state import Lowering
from .views import Along, View

_DEEP = 16  # length of the chain of definitions that is followed


def views_disjoint(ctx: Lowering, a: View, b: View) -> bool:
    """Whether two views of one array are known to be disjoint along one of its axes."""
    if a.flat is not None or b.flat is not None:
        return False
    return any(
        _before(ctx, x, y) or _before(ctx, y, x) or _between(x, y) or _different(ctx, x, y)
        for x, y in zip(a.axes, b.axes, strict=True)
    )


def _between(p: Along, q: Along) -> bool:
    """Whether the indices ``p`` along an axis are known to lie between the indices ``q``, as odd indices lie between
    even ones."""
    numbers = (p.start, p.step, q.start, q.step)
    if not all(isinstance(a, Const) for a in numbers) or p.start.value < 0 or q.start.value < 0:
        return False
    common = gcd(*(a.step.value for a in (p, q) if a.of is not None))
    return (p.start.value - q.start.value) % common != 0 if common else p.start != q.start


def _different(ctx: Lowering, p: Along, q: Along) -> bool:
    """Whether two single indices along an axis are known to differ, as ``i`` and ``i - 1`` do."""
    if p.of is not None or q.of is not None:
        return False
    by = difference(_form(ctx, p.start), _form(ctx, q.start))
    return by is not None and by % 2**64 != 0


def _before(ctx: Lowering, p: Along, q: Along) -> bool:
    """Whether the indices ``p`` along an axis are known to end before the first index of ``q``."""
    if q.of is not None and not (isinstance(q.step, Const) and q.step.value > 0):
        return False
    # a slice clipped to the size of its axis may be empty: compare its start before clipping
    first = q.start if q.of is None else _uncut(ctx, q.start)
    if p.of is None:
        return _at_most(ctx, p.start, first, -1)
    if p.end is None:
        return False
    end = _uncut(ctx, p.end)
    return p.end == q.start or _at_most(ctx, end, first, 0)


def _at_most(ctx: Lowering, a: Atom, b: Atom, more: int) -> bool:
    """Whether ``a`` is known to be at most ``b + more``. False unless ``b`` is known to be non-negative."""
    low = _low(ctx, b)
    if low is None or isinstance(a, Const):
        return low is not None and a.value <= low + more
    by = difference(_form(ctx, a), _form(ctx, b))
    return by is not None and -(2**63) <= by <= more


def _uncut(ctx: Lowering, a: Atom) -> Atom:
    """The bound of a slice before it was clipped to the size of the axis."""
    op, ins = ctx.computed(a)
    return ins[0] if op == "min" and _low(ctx, ins[0]) is not None else a


def _form(ctx: Lowering, a: Atom, deep: int = _DEEP) -> Affine:
    """The affine form of an int, from its definition."""
    if isinstance(a, Const):
        return constant(a.value)
    op, ins = ctx.computed(a) if deep else ("", ())
    match op:
        case "add" | "sub" | "mul":
            x, y = (_form(ctx, b, deep - 1) for b in ins)
            made = x + y if op == "add" else x - y if op == "sub" else multiply(x, y)
        case "wrap" if _low(ctx, ins[0], deep - 1) is not None:  # wrapping changes negative ints only
            made = _form(ctx, ins[0], deep - 1)
        case _:
            made = None
    return atom(a.name) if made is None else made


def _low(ctx: Lowering, a: Atom, deep: int = _DEEP) -> int | None:
    """A non-negative lower bound of an int; None if none is known."""
    if isinstance(a, Const):
        return a.value if a.value >= 0 else None
    low = ctx.known(a).least if ctx.is_nonneg(a) else None
    op, ins = ctx.computed(a) if deep else ("", ())
    step = ins[1].value if op in ("add", "sub") and isinstance(ins[1], Const) else None
    if step is not None and (before := _low(ctx, ins[0], deep - 1)) is not None:
        step = -step if op == "sub" else step
        if (step <= 0 or low is not None) and before + step >= 0:  # a larger sum may have overflowed
            return max(before + step, low or 0)
    return low
