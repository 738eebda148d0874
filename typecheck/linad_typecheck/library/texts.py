"""Library functions with a one-text definition."""

from __future__ import annotations

from ..arrays.operands import as_array, bound, no_bools
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule
from ..engine.sizes import rank_of
from ..engine.state import Lowering
from ..engine.values import Value
from ..engine.snippets import snippet_value
from ..messages.types import WrongType


def texts(
    text: str, *names: str, needed: int = 1, ranks: tuple[int, ...] = (), bools: bool = True, **defaults: str
) -> Rule:
    """The rule of a function that a program text defines.

    ``ranks``: the ranks allowed for its first argument (any if empty); ``bools``: whether that may be bool.
    ``defaults`` are the values of omitted arguments.
    """

    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, " ".join(names[needed:]))
        found = dict(zip(names[:needed], found.values())) | {n: found[n] for n in names[needed:] if n in found}
        if ranks:
            first = as_array(ctx, found[names[0]], args)
            if rank_of(first) not in ranks:
                wanted = " or ".join(map(str, ranks))
                raise Refused(
                    WrongType(args.span, f"`{args.name}` is of arrays of rank {wanted} here", f"rank {rank_of(first)}")
                )
            found[names[0]] = first
        if not bools:
            first = as_array(ctx, found[names[0]], args)
            no_bools(args, first)
        more = {
            name: snippet_value(ctx, args, default, **found) for name, default in defaults.items() if name not in found
        }
        return snippet_value(ctx, args, text, **found, **more)

    return apply
