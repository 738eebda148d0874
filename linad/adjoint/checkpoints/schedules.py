"""Checkpointing schedules: int functions, run in Python to predict costs and lowered into derivatives.

A schedule is called while the loop advances from a snapshot towards a step to reverse. The current state is that before
step ``p``; the state before step ``t`` is wanted, ``p < t``. Of ``slots`` snapshots, ``held`` are in use, including one
at ``p`` or earlier. The schedule returns the next stop ``q``, ``p < q <= t``. The state at ``q`` is saved if ``q < t``,
which is only returned while ``held < slots``. ``T`` is the number of steps of the loop.
"""

from __future__ import annotations


def recompute(p: int, t: int, held: int, slots: int, T: int) -> int:
    """No snapshot except the first."""
    return t


def revolve(p: int, t: int, held: int, slots: int, T: int) -> int:
    """Recompute the fewest steps (Griewank and Walther, Algorithm 799, ACM Transactions on Mathematical Software 26,
    2000).

    With ``s`` snapshots, including the one at ``p``, and at most ``r`` forward runs of each step, ``C(s + r, s)`` steps
    can be reversed. The stop is chosen such that both parts of the interval stay below their bounds.
    """
    s = slots - held + 1
    if s <= 1:
        return t
    steps = t + 1 - p
    r = 1
    two_less, less, reach, right = 0, 1, s + 1, s  # C(s+r-2, s), C(s+r-1, s), C(s+r, s), C(s-1+r, s-1)
    while reach < steps:
        r += 1
        two_less, less = less, reach
        reach = reach * (s + r) // r
        right = right * (s - 1 + r) // r
    return p + max(1, two_less, steps - right)


def bisect(p: int, t: int, held: int, slots: int, T: int) -> int:
    """Advance by the largest possible power of two. The stops are the binary prefixes of ``t``, so after step ``t`` as
    many new snapshots are taken as ``t`` has trailing zeros in binary."""
    if held >= slots:
        return t
    gap = 1
    while p + 2 * gap <= t:
        gap *= 2
    return p + gap


def periodic(p: int, t: int, held: int, slots: int, T: int) -> int:
    """Place half of the slots at equal distances over the loop, and the others at equal distances within the interval
    being reversed. Every state is saved if there are enough slots."""
    if held >= slots:
        return t
    if slots >= T:
        return p + 1
    outer = (slots + 1) // 2
    period = (T + outer - 1) // outer
    q = (p // period + 1) * period
    if q > t:
        q = p + (period + slots - outer) // (slots - outer + 1)
    return min(q, t)


def root_slots(T: int) -> int:
    """About ``2 * sqrt(T)``: enough for `periodic` to recompute each step once."""
    r = 1
    while r * r < T:
        r += 1
    return 2 * r


def pair_slots(T: int) -> int:
    """About ``sqrt(2 * T)``: enough for `revolve` to run each step at most twice before it is reversed."""
    s = 1
    while (s + 1) * (s + 2) < 2 * T:
        s += 1
    return s


def binary_slots(T: int) -> int:
    """Enough for `bisect`: the number of bits of ``T``, plus one for the first state."""
    slots, n = 1, 1
    while n < T:
        n *= 2
        slots += 1
    return slots


def one_slot(T: int) -> int:
    """The single slot of `recompute`."""
    return 1


ONLINE_SLOTS = 64  # for loops with an unknown number of steps

SCHEDULES = {"recompute": recompute, "revolve": revolve, "bisect": bisect, "periodic": periodic}
DEFAULT_SLOTS = {"recompute": one_slot, "revolve": pair_slots, "bisect": binary_slots, "periodic": root_slots}
