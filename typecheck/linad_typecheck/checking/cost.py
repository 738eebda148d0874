"""What the differentiating half of linad knows of a program: loop kinds, logged values; and the facts made of them.

The front end imports nothing of that half, which adds the remarks (`parts`) and imports no compiler for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from ..ir.core import Program, walk
from ..diagnostics import Diagnostic
from ..messages import Message
from ..messages.cost import ArrayCopied, LogGrows, LogSize, LoopInOrder, ValueLogged
from ..names.scope import FunctionSource
from ..parts import part
from ..signature import Checked, Leaf, RecordStructure
from ..span import Span
from .suppress import silenced

_OF_VALUES = ("dup'ed", "recomputed", "logged")
_NAME = re.compile(r"(?!the cell )[^\W\d]\w*(?=$|[,: ])")
_WORDS = re.compile(r"reversed: (\d+ words?) logged per iteration(.*)")
_REASON = re.compile(r"called: sequential, because (.*)")
Remark = tuple[int, str, str]  # line, kind, text


def facts_of(function: FunctionSource, checked: Checked) -> Iterator[Diagnostic]:
    """What the derivative of a checked function costs, as facts at the lines of the file that the function is in."""
    source = function.source
    remarks = list(remarks_of(function, checked, threads=True))
    reasons = {line: found[1] for line, kind, text in remarks if kind == "threads" and (found := _REASON.match(text))}
    for line, kind, text in remarks:
        row = source.lines[line - source.first_line] if 0 <= line - source.first_line < len(source.lines) else ""
        code = row.partition("#")[0].rstrip()
        place = Span(source.name, line, len(row) - len(row.lstrip()) + 1, line, len(code) + 1)
        statement = code.split(None, 1)[0] if code.strip() else ""
        for fact in _facts(kind, text, statement, place, reasons.get(line, "")):
            if not silenced(fact.slug, row):
                yield fact.diagnostic()


def _facts(kind: str, text: str, statement: str, place: Span, reason: str) -> Iterator[Message]:
    match kind:
        case "logged":
            yield ValueLogged(place, text)
        case "copied" if not text.endswith("as written"):
            yield ArrayCopied(place, text)
        case "loop" if text.startswith("sequential"):
            words = _WORDS.search(text)
            if words and statement == "while":
                yield LogGrows(place, words[1] + words[2])
            elif words:
                yield LogSize(place, words[1] + words[2], statement == "for")
            if statement in ("for", "while"):  # not the loops that an array expression stands for
                yield LoopInOrder(place, reason)


def remarks_of(
    function: FunctionSource, checked: Checked, limit: int | None = None, threads: bool = False
) -> Iterator[Remark]:
    """The remarks on the lines of a function and of those it calls, with ``threads`` also why a loop could not run on
    them; none where there is no derivative, or ``linad`` is not installed, or the program has more than ``limit``
    statements."""
    program, explain = checked.program, part("remarks")
    if program is None or explain is None or (limit is not None and _large(program, limit)):
        return
    try:
        explanation = explain.load()(program.entry, program, _wrt(function, checked), {}, checked.facts, threads)
    except Exception:  # no derivative of this program: the gradient reports it where it is requested
        return
    named = {n.strip() for f in checked.facts if f.kind == "type" for n in f.name.split(",")}
    for r in explanation.remarks:
        first = _NAME.match(r.text)
        if first and first[0] not in named and r.kind in _OF_VALUES:  # a part of an expression: the core named it
            if r.kind == "logged":
                yield r.line, r.kind, f"a value{r.text[first.end():]}"
            continue
        yield r.line, r.kind, r.text


def _large(program: Program, limit: int) -> bool:
    """Whether an editor would wait too long for the derivative."""
    statements = (s for f in program.functions.values() for s in walk(f.body))
    return next(islice(statements, limit, None), None) is not None


def _wrt(function: FunctionSource, checked: Checked) -> tuple[str, ...]:
    """The core parameters to differentiate by: those of ``wrt``, or all floats."""
    program, signature = checked.program, checked.signature
    assert program is not None and signature is not None
    wanted = function.wrt
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
        case tuple() | RecordStructure():
            for inner in structure if isinstance(structure, tuple) else structure.items:
                yield from _leaves(inner)
