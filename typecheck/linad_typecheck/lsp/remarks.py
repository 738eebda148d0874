"""What only the differentiating half of linad knows: loop kinds, logged values. Asked for by name, where it is installed.

The front end imports nothing of that half, and that half imports no compiler to answer. A function is differentiated once
for each text of it, when an editor first asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import islice

from ..core import Program, walk
from ..signature import Leaf
from .analysis import Placed, Record

LARGE = 2000  # statements of the core, beyond which a program is not differentiated for a hint
_OF_VALUES = ("dup'ed", "recomputed", "logged")
_NAME = re.compile(r"(?!the cell )[^\W\d]\w*(?=$|[,: ])")
Remark = tuple[int, str, str]  # line, kind, text


def remarks(p: Placed) -> list[Remark]:
    """The remarks on the lines of a function and of those it calls, at their present lines."""
    found = p.record.kept.get("remarks")
    if found is None:
        found = p.record.kept["remarks"] = tuple(_remarks(p.record))
    return [(p.moves.now(line), kind, text) for line, kind, text in found]  # type: ignore[attr-defined]


def _remarks(record: Record) -> Iterator[Remark]:
    program = record.checked.program
    if program is None or find_spec("linad") is None or _large(program):
        return
    try:
        explain = import_module("linad.show.explain").explain_program
        explanation = explain(program.entry, program, _wrt(record), {}, record.checked.facts)
    except Exception:  # no derivative of this program: the gradient says so where it is asked for
        return
    named = {n.strip() for f in record.checked.facts if f.kind == "type" for n in f.name.split(",")}
    for r in explanation.remarks:
        first = _NAME.match(r.text)
        if first and first[0] not in named and r.kind in _OF_VALUES:  # a part of an expression: the core named it
            if r.kind == "logged":
                yield r.line, r.kind, f"a value{r.text[first.end():]}"
            continue
        yield r.line, r.kind, r.text


def _large(program: Program) -> bool:
    """Whether an editor would wait too long for the derivative."""
    statements = (s for f in program.functions.values() for s in walk(f.body))
    return next(islice(statements, LARGE, None), None) is not None


def _wrt(record: Record) -> tuple[str, ...]:
    """The core parameters to differentiate by: those of ``wrt``, or all floats."""
    program, signature = record.checked.program, record.checked.signature
    assert program is not None and signature is not None
    wanted = record.function.wrt
    names = [p.name for p in signature.params]
    chosen = set(names) if wanted is None else {names[w] if isinstance(w, int) else w for w in wanted}
    leaves = [leaf for p in signature.params if p.name in chosen for leaf in _leaves(p.structure)]
    return tuple(program.main.params[x.index].var.name for x in leaves if x.type.dtype in ("f64", "f32"))


def _leaves(structure: object) -> Iterator[Leaf]:
    match structure:
        case Leaf():
            yield structure
        case None:
            return
        case _:
            for inner in structure:  # type: ignore[attr-defined]
                yield from _leaves(inner)
