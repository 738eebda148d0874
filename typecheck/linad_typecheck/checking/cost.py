"""Cost facts: kinds of loops and logged values, which the package ``linad`` computes for a program.

The front end does not import ``linad``. That package provides the remarks (`parts`), and imports no compiler for them.
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
    """The cost of a checked function's derivative, as facts at the lines of its file."""
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
            if statement in ("for", "while"):  # not the loops that array expressions were lowered to
                yield LoopInOrder(place, reason)


def remarks_of(
    function: FunctionSource, checked: Checked, limit: int | None = None, threads: bool = False
) -> Iterator[Remark]:
    """The remarks on the lines of a function and of its callees; with ``threads`` also why a loop cannot run on
    threads.

    There are none if the function has no derivative, if ``linad`` is not installed, or if the program has more than
    ``limit`` statements.
    """
    program, explain = checked.program, part("remarks")
    if program is None or explain is None or (limit is not None and _large(program, limit)):
        return
    try:
        explanation = explain.load()(program.entry, program, _wrt(function, checked), {}, checked.facts, threads)
    except Exception:  # there is no derivative; computing the gradient will report why
        return
    named = {n.strip() for f in checked.facts if f.kind == "type" for n in f.name.split(",")}
    for r in explanation.remarks:
        first = _NAME.match(r.text)
        if first and first[0] not in named and r.kind in _OF_VALUES:  # an intermediate value without a user name
            if r.kind == "logged":
                yield r.line, r.kind, f"a value{r.text[first.end() :]}"
            continue
        yield r.line, r.kind, r.text


def _large(program: Program, limit: int) -> bool:
    """Whether the derivative would take too long for an editor."""
    statements = (s for f in program.functions.values() for s in walk(f.body))
    return next(islice(statements, limit, None), None) is not None


def _wrt(function: FunctionSource, checked: Checked) -> tuple[str, ...]:
    """The core parameters to differentiate with respect to: those of ``wrt``, or all floats."""
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
