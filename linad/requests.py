"""Requests: what a program computes, the values of a function or derivatives of any order."""

from __future__ import annotations

# A request is () for the values of a function. Otherwise it has one level per derivative: the leaves to differentiate
# by, and whether to return the values too (for a reverse derivative) or one of the names below.
FORWARD = "forward"
EXACT = ((), "exact")  # as the first level: a partial times a zero is zero, even if the partial is infinite or nan
FRESH = ((), "fresh")  # before all others: gradients are stored, in arrays that may hold anything on entry
PATTERN = "pattern"
MOVED = "moved"  # a forward derivative without the value
PUSHED, PULLED = "pushed", "pulled"  # a forward or a reverse derivative in several directions at once
# the entries of a Jacobian, one by one (see `adjoint.sweep.entries`)
KINDS = ("counted", "placed", "filled", "summed", "blocks", "runs")
RECORD, REPLAY = "record", "replay"  # the two parts of a forward derivative (see `adjoint.sweep.split`)
Level = tuple[tuple[int, ...], bool | str]
Request = tuple[Level, ...]


def described(request: Request) -> str:
    """A description of a request, to precede the name of the function in messages."""
    if len(request) > 1 and request[0] not in (EXACT, FRESH):
        return "a higher derivative of "
    if request[:1] in ((EXACT,), (FRESH,)):
        return described(request[1:])
    words = {
        FORWARD: "the tangent of ",
        MOVED: "the tangent of ",
        PUSHED: "tangents of ",
        RECORD: "the log of ",
        REPLAY: "the linear part of ",
        PATTERN: "the pattern of ",
        **dict.fromkeys(KINDS, "the Jacobian of "),
    }
    return "".join(words.get(value, "the gradient of ") for _, value in request)  # type: ignore[arg-type]
