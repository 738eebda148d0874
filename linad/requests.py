"""What is asked of a function: its values, or derivatives of derivatives of them."""

from __future__ import annotations

# The outputs of a program: () for its values; one (leaves to differentiate by, whether values come too) per reverse
# derivative, and FORWARD in place of the second for a forward one, PATTERN for what the results depend on.
FORWARD = "forward"
EXACT = ((), "exact")  # first in a request: a partial times a zero is zero, also where it is infinite or nan
PATTERN = "pattern"
MOVED = "moved"  # a forward derivative without the value
PUSHED, PULLED = "pushed", "pulled"  # a forward or a reverse derivative in many directions at once
KINDS = ("counted", "placed", "filled", "summed")  # the entries of a Jacobian one by one (see `adjoint.sweep.entries`)
RECORD, REPLAY = "record", "replay"  # the two programs that a forward derivative comes in (see `adjoint.sweep.split`)
Level = tuple[tuple[int, ...], bool | str]
Request = tuple[Level, ...]


def described(request: Request) -> str:
    """A description of the requested outputs, which precedes the name in messages."""
    if len(request) > 1 and request[0] != EXACT:
        return "a higher derivative of "
    if request[:1] == (EXACT,):
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
