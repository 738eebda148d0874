"""`np.einsum` with literal subscripts: a loop nest over the letters.

The letters of the result are the outer loops, and each sum is carried as a scalar. The exception: if the last axis of
the result is also the last axis of an operand, and the summed one is not, then rows are added to rows, so that the
inner loop runs along contiguous memory.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..arrays.from_parts import common_dtype
from ..arrays.operands import as_array, force_expensive, no_bools
from ..arrays.shapes import transposed
from ..ir.core import Atom, Const
from ..engine.arithmetic import binary
from ..engine.numbers import cast
from ..engine.places import check_same_size, check_stretch, fold, fresh_array, is_one, nest, put, read
from ..engine.provenance import sizes_differ
from ..engine.refusal import Refused, require_rank
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import AnyArray, rank_of, shape_of
from ..engine.state import ONE, ZERO, Lowering, zero
from ..engine.values import ArrayValue, ScalarValue, TextValue, TupleValue, Value, ViewValue
from ..frozen import frozen
from ..ownership.state import record_copy
from ..messages.language import BadCall, Unsupported
from ..types import FLOATS, INTS, DType, Scalar


@frozen
class Subscripts:
    """The letters of the operands and of the result."""

    operands: tuple[str, ...]
    result: str

    @property
    def summed(self) -> str:
        return "".join(dict.fromkeys(c for o in self.operands for c in o if c not in self.result))

    def order(self) -> tuple[str, bool]:
        """The letters from the outermost loop to the innermost, and whether sums are carried as scalars."""
        summed, result = self.summed, self.result
        if not summed or not result:
            return result + summed, True
        last = result[-1]
        along = any(o.endswith(last) for o in self.operands)
        straight = all(o.endswith(summed[-1]) for o in self.operands if summed[-1] in o)
        return (result + summed, True) if straight or not along else (result[:-1] + summed + last, False)


_REST = "..."


def parsed(text: str, ranks: Sequence[int] = ()) -> Subscripts | str:
    """The subscripts that a text denotes for operands of these ranks, or what is wrong with it.

    ``...`` expands to one letter per remaining axis of an operand; all operands share these letters, aligned at the
    end.
    """
    text = text.replace(" ", "")
    given, arrow, result = text.partition("->")
    operands = tuple(given.split(","))
    free = [chr(k) for k in (*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1)) if chr(k) not in text]
    rest = ""
    if _REST in given:
        left = [r - len(o.replace(_REST, "", 1)) if _REST in o else 0 for o, r in zip(operands, ranks, strict=False)]
        if any(n < 0 for n in left):
            return "an operand has fewer axes than letters"
        rest = "".join(free[: max(left, default=0)])
        operands = tuple(o.replace(_REST, rest[len(rest) - n :], 1) for o, n in zip(operands, left, strict=False))
        if arrow and _REST not in result and rest:
            return "the result has no `...`, and the axes it stands for are not summed"
        result = result.replace(_REST, rest, 1)
    letters = "".join(operands)
    if not arrow:
        result = rest + "".join(sorted(c for c in set(letters) if letters.count(c) == 1 and c not in rest))
    if not all(c.isascii() and c.isalpha() for c in letters + result):
        return "the axes of an operand are letters, operands are divided by commas, and `->` stands before the result"
    if len(set(result)) != len(result) or not set(result) <= set(letters):
        return "each letter of the result stands there once, and in an operand too"
    if len(set(letters)) > 8:
        return "at most 8 different letters are supported"
    return Subscripts(operands, result)


def _lettered(args: Args) -> Args:
    """``np.einsum(a, [0, 1], b, [1, 2], [0, 2])`` as ``np.einsum("ab,bc->ac", a, b)``."""
    arrays, lists = args.values[0:-1:2], args.values[1::2]
    result = args.values[-1:] if len(args.values) % 2 else ()
    letters = [_letters(v) for v in (*lists, *result)]
    if None in letters or not lists:
        return args
    text = ",".join(letters[: len(lists)]) + "".join(f"->{c}" for c in letters[len(lists) :])
    return replace(args, values=(TextValue(text), *arrays))


def _letters(v: Value) -> str | None:
    """The letters for a list of literal ints; None for anything else."""
    items = v.items if isinstance(v, TupleValue) and not v.closed else (v,)
    known = all(isinstance(x, ScalarValue) and isinstance(x.atom, Const) and x.dtype in INTS for x in items)
    numbers = [x.atom.value for x in items] if known and isinstance(v, TupleValue) else [-1]
    return "".join(chr(ord("a") + k) for k in numbers) if all(0 <= k < 26 for k in numbers) else None


def _einsum(ctx: Lowering, args: Args) -> Value:
    span, args = args.span, _lettered(args)
    text = args.values[0] if args.values else None
    if not isinstance(text, TextValue):
        raise Refused(
            Unsupported(
                span,
                f"`{args.name}` whose subscripts are not a literal",
                'write them out: `np.einsum("ij,j->i", a, b)`',
            )
        )
    if set(args.keywords) - {"optimize"}:
        raise Refused(BadCall(span, args.name, "takes subscripts and arrays"))
    arrays = [as_array(ctx, v, args) for v in args.values[1:]]
    subscripts = parsed(text.text, tuple(map(rank_of, arrays)))
    if isinstance(subscripts, str):
        raise Refused(BadCall(span, args.name, f"is given {text.text!r}: {subscripts}"))
    if len(arrays) != len(subscripts.operands):
        raise Refused(
            BadCall(span, args.name, f"has subscripts for {len(subscripts.operands)} arrays and is given {len(arrays)}")
        )
    for a, letters in zip(arrays, subscripts.operands, strict=True):
        if rank_of(a) != len(letters):
            raise Refused(BadCall(span, args.name, f"has {letters!r} for an array of rank {rank_of(a)}"))
    require_rank(span, len(subscripts.result))
    if len(arrays) == 1 and set(subscripts.operands[0]) == set(subscripts.result):
        return _view(ctx, args, arrays[0], subscripts)
    return contraction(ctx, args, arrays, subscripts)


def _view(ctx: Lowering, args: Args, a: AnyArray, subscripts: Subscripts) -> Value:
    """Of one array without a sum: a view, as in NumPy. It may be updated, except that a diagonal is read-only here."""
    (letters,), result = subscripts.operands, subscripts.result
    if len(result) == len(letters):
        return transposed(ctx, a, [letters.index(c) for c in result], args.span)
    found = contraction(ctx, args, [a], subscripts)
    if isinstance(found, ArrayValue) and isinstance(a, (ArrayValue, ViewValue)):
        record_copy(ctx, found.var, a, args.span)
    return found


def contraction(ctx: Lowering, args: Args, arrays: Sequence[AnyArray], subscripts: Subscripts) -> Value:
    """The product of arrays, summed over the letters that are not in the result."""
    span = args.span
    dtype = common_dtype(arrays)
    no_bools(args, *arrays)
    arrays = [force_expensive(ctx, a, "t", span) for a in arrays]
    sizes = _sizes(ctx, args, arrays, subscripts)
    return _loops(ctx, args, arrays, subscripts, sizes, dtype)


def _sizes(ctx: Lowering, args: Args, arrays: Sequence[AnyArray], subscripts: Subscripts) -> dict[str, Atom]:
    """The size of each letter. An axis of size 1 is stretched if its size is known to be 1."""
    sizes: dict[str, Atom] = {}
    for a, letters in zip(arrays, subscripts.operands, strict=True):
        for c, n in zip(letters, shape_of(ctx, a, args.span), strict=True):
            old = sizes.get(c, ONE)
            if n == ONE or old == ONE:
                sizes[c] = old if n == ONE else n
                continue
            if is_one(ctx, n) != is_one(ctx, old):
                few, sizes[c] = (n, old) if is_one(ctx, n) else (old, n)
                check_stretch(
                    ctx,
                    few,
                    sizes[c],
                    f"operands could not be broadcast together: the axes '{c}' have {{0}} and {{1}} cells",
                    (old, n),
                    args.span,
                )
                continue
            if isinstance(n, Const) and isinstance(old, Const) and n != old:
                sizes_differ(ctx, args.span, f"the axes {c!r} have {old.value} and {n.value} cells")
                raise Refused(None)
            check_same_size(
                ctx,
                old,
                n,
                f"operands could not be broadcast together: the axes '{c}' have {{0}} and {{1}} cells",
                (old, n),
                args.span,
            )
    return sizes


def _loops(
    ctx: Lowering, args: Args, arrays: Sequence[AnyArray], subscripts: Subscripts, sizes: dict[str, Atom], dtype: DType
) -> Value:
    span, t = args.span, Scalar(dtype)
    shapes = [shape_of(ctx, a, span) for a in arrays]
    result, summed = subscripts.result, subscripts.summed

    def known(at: dict[str, Atom], cells: dict[int, Atom]) -> dict[int, Atom]:
        """The cells of operands whose letters all have an index, each loaded in the outermost loop where that is so."""
        found = dict(cells)
        for k, (a, letters, shape) in enumerate(zip(arrays, subscripts.operands, shapes, strict=True)):
            if k not in found and all(c in at for c in letters):
                index = tuple(ZERO if is_one(ctx, n) else at[c] for c, n in zip(letters, shape, strict=True))
                found[k] = cast(ctx, read(ctx, a, index, span).atom, dtype, span)
        return found

    def term(cells: dict[int, Atom]) -> Atom:
        out: Atom = cells[0]
        for k in range(1, len(arrays)):
            out = binary(ctx, ast.Mult, ScalarValue(out), ScalarValue(cells[k]), span).atom
        return out

    def total(left: str, at: dict[str, Atom], cells: dict[int, Atom]) -> Atom:
        """The sum over the letters ``left``."""
        if not left:
            return term(cells)

        def add(index: tuple[Atom, ...], old: tuple[Atom, ...]) -> tuple[Atom, ...]:
            here = at | {left[0]: index[0]}
            more = total(left[1:], here, known(here, cells))
            return (ctx.let(args.hint, "add", (old[0], more), t, span),)

        return fold(ctx, (sizes[left[0]],), (zero(dtype),), add, span, (args.hint,))[0]

    def run(
        left: str, at: dict[str, Atom], cells: dict[int, Atom], each: Callable[[dict[str, Atom], dict[int, Atom]], None]
    ) -> None:
        """Run ``each`` for every index of the letters ``left``."""
        if not left:
            each(at, cells)
            return

        def inside(index: tuple[Atom, ...]) -> None:
            here = at | {left[0]: index[0]}
            run(left[1:], here, known(here, cells), each)

        nest(ctx, (sizes[left[0]],), inside, span)

    if not result:
        return ScalarValue(total(summed, {}, known({}, {})))
    order, carried = subscripts.order()
    shape = tuple(sizes[c] for c in result)
    made = fresh_array(ctx, args.hint, shape, dtype, None if carried else zero(dtype), span)

    def store(at: dict[str, Atom], cells: dict[int, Atom]) -> None:
        put(ctx, made, tuple(at[c] for c in result), total(summed, at, cells), span)

    def add(at: dict[str, Atom], cells: dict[int, Atom]) -> None:
        place, value = tuple(at[c] for c in result), term(cells)
        if dtype in FLOATS:
            put(ctx, made, place, value, span, add=True)
        else:
            put(ctx, made, place, ctx.let("t", "add", (read(ctx, made, place, span).atom, value), t, span), span)

    run(result if carried else order, {}, known({}, {}), store if carried else add)
    return made


RULES: dict[str, Callable[[Lowering, Args], Value]] = {"numpy.einsum": _einsum}
enter_rules(RULES)
