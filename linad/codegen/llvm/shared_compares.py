"""Compares of floats by which several selects choose: each select gets a compare of its own.

**Transformation.** Rematerialisation of compares (Muchnick, Advanced Compiler Design and Implementation, 1997, chapter
16), in LLVM IR after its passes, which would merge them again.

**Before.** ``%c = fcmp olt double %a, %b; %x = select i1 %c, double %t, double 0.0; %y = select i1 %c, double 0.0,
double %t``
**After.** ``%c = fcmp olt double %a, %b; %x = select i1 %c, ...; %d = fcmp ogt double %b, %a; %y = select i1 %d, ...``

**Legality.** A compare and the one with exchanged operands agree, also for nan; the negated compare selects with
exchanged arms.

**Profitability.** On x86 a select of floats by a compare with no other use becomes a mask, by one with several uses a
branch. The adjoint of a minimum has two selects, and which of three paths is the shortest no branch predictor knows:
the reverse of dynamic time warping took more than twice the time. The code generator merges equal compares of a block,
so each copy is written another way; there are four. One that a branch or a logical operation uses too is left to it.

**Needs.** x86.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator

X86 = platform.machine() in ("x86_64", "AMD64")
_FLAGS = r"((?:reassoc |contract |nnan |ninf |nsz |arcp |afn |fast )*)"
_COMPARE = re.compile(rf"^  (%\S+) = fcmp {_FLAGS}([ou])(lt|le|gt|ge) (double|float) ([^,\n]+), (\S+)$", re.MULTILINE)
_SELECT = re.compile(
    rf"^  (%\S+) = select {_FLAGS}i1 (%[^,\n]+), (double|float) ([^,\n]+), (?:double|float) (\S+)$", re.MULTILINE
)
_EXCHANGED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_NEGATED = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}
_OTHER_ORDER = {"o": "u", "u": "o"}  # whether nan compares as true
FORMS = 4


def with_own_compares(function: str) -> str:
    """The text of an LLVM function in which no select of floats shares its compare, as far as there are other forms."""
    edits = sorted(_edits(function))
    parts, at = [], 0
    for start, stop, text in edits:
        parts += [function[at:start], text]
        at = stop
    return "".join([*parts, function[at:]])


def _edits(function: str) -> Iterator[tuple[int, int, str]]:
    """The places of selects, and what is written instead."""
    selects: dict[str, list[re.Match]] = {}
    for s in _SELECT.finditer(function):
        selects.setdefault(s[3], []).append(s)
    count = 0
    for c in _COMPARE.finditer(function):
        name, flags, order, op, kind, a, b = c.groups()
        found = selects.get(name, [])
        if not found:
            continue
        alone = len(re.findall(rf"{re.escape(name)}(?![\w.$-])", function)) == len(found) + 1
        for form, s in enumerate(found[alone : FORMS - 1 + alone], 1):
            left, right, x, y, nan, test = a, b, s[5], s[6], order, op
            if form & 1:
                left, right, test = right, left, _EXCHANGED[test]
            if form & 2:
                nan, test, x, y = _OTHER_ORDER[nan], _NEGATED[test], y, x
            own = f"%own_compare.{count}"
            count += 1
            yield (
                *s.span(),
                f"  {own} = fcmp {flags}{nan}{test} {kind} {left}, {right}\n"
                f"  {s[1]} = select {s[2]}i1 {own}, {s[4]} {x}, {s[4]} {y}",
            )
