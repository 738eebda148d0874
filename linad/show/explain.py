"""Facts per source line: ownership, storage of primal values (re-read, recomputed or logged), and how loops run."""

from __future__ import annotations

import html
import linecache
import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from linad_typecheck.ir.core import (
    AddTo, Call, Const, Dense, Drop, Dup, Function, Load, Loop, Program, Result, Rule, Var, base_name, walk,
)
from linad_typecheck.dense_ops import DENSE
from linad_typecheck.facts import Fact
from linad_typecheck.span import Span
from linad_typecheck.types import BOOL, Array

from ..adjoint.checkpoints.state import EVERY_STEP, SOME_STEPS, Checkpointed
from ..adjoint.plan.dense import dense_text
from ..adjoint.plan.model import Body, Plan
from ..adjoint.checkpoints.schedules import ONLINE_SLOTS
from ..codegen import EmitOptions
from ..codegen.passes import prepare as for_emission
from ..optimise.pass_manager import Remark as Told
from ..pipeline import Gradient, differentiate, inline_rules, prepare
from .home import at_home

_KINDS = {"move": "moved", "borrow": "borrowed", "copy": "copied", "dup": "dup'ed", "drop": "dropped", "size": "sizes"}


@dataclass(frozen=True)
class Remark:
    """One remark on a line. ``kind`` is the first word: borrowed, moved, dup'ed, dropped, copied, sizes, re-read,
    recomputed, logged, loop, stored, call, index check, threads."""

    line: int
    kind: str
    text: str


@dataclass(frozen=True)
class Explanation:
    """What there is to say about a function's ownership and its derivative's storage, line by line."""

    name: str
    lines: dict[int, str]
    remarks: tuple[Remark, ...]

    def on(self, line: int) -> tuple[Remark, ...]:
        """The remarks on one line."""
        return tuple(r for r in self.remarks if r.line == line)

    def __str__(self) -> str:
        numbers = sorted({*self.lines, *(r.line for r in self.remarks)})
        digits = max((len(str(n)) for n in numbers), default=1)
        out: list[str] = []
        for n in numbers:
            out.append(f"{n:>{digits}} │ {self.lines.get(n, '')}".rstrip())
            out += [f"{'':>{digits}} │     · {r.kind}: {r.text}" for r in self.on(n)]
        return "\n".join(out)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _from_emission(ready: Program, gradient: Program, options: EmitOptions) -> Iterable[Remark]:
    """The remarks of the optimisation passes, for the function and for its derivative."""
    called, differentiated = (_told(program, options) for program in (ready, gradient))
    yield from (Remark(r.line, r.kind, r.text) for r in called if r.kind == "index check")
    for r in called | differentiated:
        if r.kind not in ("index check", "threads"):
            both = r in called and r in differentiated
            when = "" if both else ", when called" if r in called else ", when differentiated"
            yield Remark(r.line, r.kind, f"{r.text}{when}")
    for when, found in (("called", called), ("differentiated", differentiated)):
        yield from (Remark(r.line, r.kind, f"{when}: {r.text}") for r in found if r.kind == "threads")


def _told(program: Program, options: EmitOptions) -> dict[Told, None]:
    return dict.fromkeys(for_emission(program, options)[1])


def explain_program(
    name: str,
    program: Program,
    wrt: Sequence[str],
    lines: dict[int, str],
    facts: Sequence[Fact] = (),
    threads: bool = False,
    fastmath: bool = True,
    off: tuple[str, ...] = (),
) -> Explanation:
    """Explain a lowered program differentiated with respect to the parameters ``wrt``.

    With ``threads``, parallel loops are included. The passes named in ``off`` are disabled.
    """
    told: list[Told] = []
    ready = prepare(at_home(program), off=off, remarks=told)
    gradient = differentiate(ready, tuple(wrt), True, off=off)
    called, derivative = (inline_rules(p, off=off) for p in (ready, gradient.simplified))
    remarks = [
        *_from_facts([f for f in facts if f.span.file == program.main.span.file]),
        *_from_linear(gradient.linear.main),
        *(r for plan in (gradient.plan, *gradient.called.values()) for r in _from_plan(plan)),
        *_from_calls(gradient),
        *(Remark(r.line, r.kind, r.text) for r in told),
        *_from_emission(called, derivative, EmitOptions(fastmath=fastmath, parallel=threads, off=off)),
    ]
    # Statements without a source line, such as the placeholder array of an unbound name, are omitted.
    placed = (r for r in dict.fromkeys(remarks) if r.line)
    unique = tuple(sorted(placed, key=lambda r: r.line))
    home = program.main.span.file  # helpers in the same file are explained with their own lines
    helpers = {r.line: linecache.getline(home, r.line).rstrip() for r in unique if r.line not in lines}
    return Explanation(name, {**lines, **helpers}, unique)


# ----------------------------------------------------------------------------------------------------------- ownership


def _from_facts(facts: Iterable[Fact]) -> Iterable[Remark]:
    for f in facts:
        if f.kind in _KINDS:
            yield Remark(f.span.line, _KINDS[f.kind], f"{f.name}: {f.reason}" if f.reason else f.name)


def _from_linear(f: Function) -> Iterable[Remark]:
    """The dups and drops that the linear form makes explicit."""
    dups: Counter[tuple[int, str]] = Counter()
    drops: Counter[tuple[int, str]] = Counter()
    inside = _library_loops(f)
    for s in walk(f.body):
        match s:
            case Dup() | Drop() if s.span in inside:
                pass
            case Dup(x=x):
                dups[s.span.line, base_name(x.name)] += 1
            case Drop(x=x) if isinstance(x.type, Array):
                drops[s.span.line, base_name(x.name)] += 1
    for (line, name), k in dups.items():
        yield Remark(line, "dup'ed", f"{name} {k} time{'s' if k > 1 else ''}: its adjoints are added")
    for line, name in drops:
        yield Remark(line, "dropped", f"{name}, last used here: its adjoint begins here, as zeros")


# ------------------------------------------------------------------------------------------------------------- storage


def _from_calls(gradient: Gradient) -> Iterable[Remark]:
    """How calls of recursive functions and of functions with a rule are differentiated."""
    for plan in (gradient.plan, *gradient.called.values()):
        for s in walk(plan.facts.function.body):
            if isinstance(s, Call) and plan.facts.matters(s):
                name = re.sub(r"#\d+", "", s.callee)
                rule = gradient.linear.functions[s.callee].rule
                if rule is not None:
                    body = walk(gradient.linear.functions[s.callee].body)
                    compiled = any(isinstance(t, Dense) and DENSE[t.op].compiled for t in body)
                    what = "compiled elsewhere; its derivative is that" if compiled else "whose derivative is that"
                    nonlinear = gradient.linear.functions[rule.backward].nonlinear if rule.backward else None
                    only = "" if nonlinear is None else f"; only in reverse mode: {nonlinear.why}"
                    told = f"of {name}, {what} of its rule: {_of_rule(s, rule, plan)}{only}"
                    yield Remark(s.span.line, "call", told)
                    continue
                read = [base_name(s.args[k].name) for k in plan.unchanged[id(s)]]
                again = f"; {', '.join(read)} {'is' if len(read) == 1 else 'are'} read again" if read else ""
                yield Remark(
                    s.span.line, "call", f"of {name}, which calls itself: its reverse pops what it pushes{again}"
                )


def _of_rule(s: Call, rule: Rule, plan: Plan) -> str:
    """The values that a rule saves for the reverse sweep."""
    needed = rule.given if rule.kind == "vjp" else range(len(s.args))
    arguments = [p for p in needed if isinstance(p, int) and isinstance(s.args[p], Var)]
    again = [base_name(str(s.args[p])) for p in arguments if p in plan.unchanged[id(s)]]
    kept = [base_name(str(s.args[p])) for p in arguments if p not in plan.unchanged[id(s)]]
    count = sum(isinstance(p, Result) for p in needed)
    parts = [f"{', '.join(again)} {'is' if len(again) == 1 else 'are'} read again"] if again else []
    parts += [f"{', '.join(kept)} {'is' if len(kept) == 1 else 'are'} kept"] if kept else []
    parts += [f"{count} residual{'s are' if count > 1 else ' is'} kept"] if count else []
    return ", ".join(parts) or "nothing is kept"


def _from_plan(plan: Plan) -> Iterable[Remark]:
    for s in walk(plan.facts.function.body):
        if isinstance(s, Dense) and id(s) in plan.dense:
            yield Remark(s.span.line, "matrices", dense_text(s, plan))
    # bodies of recursive functions
    calls = {id(b.loop) for b in plan.bodies.values() if b.stacked and len(b.path) == 1}
    inside = _library_loops(plan.facts.function)
    for s in walk(plan.facts.function.body):
        if isinstance(s, Loop) and id(s) not in calls and s.span not in inside:
            yield Remark(s.span.line, "loop", loop_text(s, plan))
    for span, loops in inside.items():
        yield Remark(span.line, "loop", _library_text(loops, plan))
    for body in plan.bodies.values():
        yield from _of_body(body, plan, inside)
    restored = {
        (s.span.line, base_name(s.array.name)) for s in walk(plan.facts.function.body) if id(s) in plan.facts.undo
    }
    for line, name in sorted(restored):
        yield Remark(line, "logged", f"the cell of {name} that is overwritten; the reverse sweep puts it back")


def _library_loops(f: Function) -> dict[Span, list[Loop]]:
    """The loops of library functions that have several, by the place of the call. They are explained together."""
    found: dict[Span, list[Loop]] = {}
    for s in walk(f.body):
        if isinstance(s, Loop):
            found.setdefault(s.span, []).append(s)
    return {span: loops for span, loops in found.items() if len(loops) > 1 and _is_call(span)}


def _is_call(span: Span) -> bool:
    """Whether there is an expression at a place, and no loop or comprehension."""
    text = linecache.getline(span.file, span.line)[span.column - 1 :]
    return not text.startswith(("for ", "while ", "[", "(", "{"))


def _library_text(loops: Sequence[Loop], plan: Plan) -> str:
    """How the loops inside a library function run."""
    differentiated = [s for s in loops if plan.modes.get(id(s), "plain") != "plain"]
    if not differentiated:
        return f"{len(loops)} in library functions, without derivative: their reverse has nothing to do"
    words = sum(sum(words_per_iteration(plan.bodies[id(s)], plan)) for s in differentiated if id(s) in plan.bodies)
    reversed_ = f"{len(differentiated)} of them reversed: at most {words} words logged per iteration"
    return f"{len(loops)} in library functions, {reversed_}"


def loop_text(s: Loop, plan: Plan) -> str:
    """How a loop runs in the forward and the reverse sweep."""
    kind = loop_kind(s, plan)
    match plan.modes.get(id(s), "plain"):
        case "merged":
            return f"{kind}, merged: each iteration runs forward and backward at once, in one pass without a log"
        case "fused":
            return f"{kind}, fused: each iteration is run again beside its reverse, without a log"
        case "logged":
            always, sometimes = words_per_iteration(plan.bodies[id(s)], plan)
            also = f", {sometimes} more where a branch is taken" if sometimes else ""
            return f"{kind}, reversed: {always or 'no'} word{'s' if always != 1 else ''} logged per iteration{also}"
        case "checkpointed":
            held = checkpoint_text(plan.snapshots[id(s)])
            return f"{kind}, checkpointed, {held}; each step is run again beside its reverse"
    return f"{kind}, without derivative: its reverse has nothing to do"


def checkpoint_text(held: Checkpointed) -> str:
    """The number and the contents of a loop's snapshots."""
    mark = held.mark
    parts = [f"the cells of {base_name(v.name)}" for v in (*held.arrays, *held.moved)]
    parts += [f"{base_name(v.name)}, 1 word" for v in held.scalars]
    state = "; ".join(parts) or "nothing, 0 words"
    if mark is EVERY_STEP or mark is SOME_STEPS:
        many = "a snapshot of each iteration" if mark is EVERY_STEP else f"at most {ONLINE_SLOTS} snapshots"
        return f"for the sake of the marked loop in it: {many}, each of which holds {state}"
    if mark.scheme == "recompute":
        return f"recompute: 1 snapshot, which holds {state}"
    if mark.memory is not None:
        many = f"as many snapshots as fit into {mark.memory} bytes"
    elif mark.slots is not None:
        many = f"at most {mark.slots.value if isinstance(mark.slots, Const) else 'slots'} snapshots"
    elif held.loop.exits:
        many = f"at most {ONLINE_SLOTS} snapshots"
    else:
        many = {"bisect": "about log2(T) + 1 snapshots", "revolve": "about sqrt(2 T) snapshots"}.get(
            mark.scheme, "about 2 sqrt(T) snapshots"
        )
    return f"{mark.scheme}: {many}, each of which holds {state}"


def loop_kind(s: Loop, plan: Plan) -> str:
    """The kind of a loop: ``map`` carries no value between iterations, ``sum`` only sums; all others are
    ``sequential``."""
    if plan.modes.get(id(s)) not in ("merged", "fused") or not plan.facts.order_free.get(id(s)):
        return "sequential"
    adds = any(isinstance(t, AddTo) and plan.facts.home[t.array.name] != id(s.body) for t in walk(s.body))
    return "sum" if s.carried or adds else "map"


def words_per_iteration(body: Body, plan: Plan) -> tuple[int, int]:
    """The numbers of scalars logged per iteration: always, and only if a branch is taken.

    Slices of local arrays are counted separately; inner loops report their own logs.
    """
    logged = body.logs
    always = sum(plan.facts.home[n] == id(body.loop.body) for n in logged)
    return always, len(logged) - always


def _of_body(body: Body, plan: Plan, inside: Container[Span]) -> Iterable[Remark]:
    """The storage of an iteration's values, except for those inside library functions."""
    for name, how in sorted(body.source.items()):
        s = plan.facts.definition.get(name)
        carried = name in {c.name for c in body.loop.carried}
        at = body.loop.span if carried or s is None else s.span
        if at in inside:
            continue
        line = at.line
        what = base_name(name)
        match how:
            case "logged" if name not in body.before:
                each = "call" if body.stacked and len(body.path) == 1 else "iteration"
                word = "word of a byte" if plan.variable(name, body).type == BOOL else "word"
                yield Remark(line, "logged", f"{what}, 1 {word} per {each}")
            case "re-read" if name in plan.kept:
                yield Remark(
                    line, "re-read", f"{what} from {base_name(plan.kept[name].array.name)}, where it is stored"
                )
            case "re-read" if isinstance(s, Load):
                yield Remark(line, "re-read", f"{what} from {base_name(s.array.name)}")
            case "re-read":
                yield Remark(line, "re-read", what)
            case "recomputed":
                yield Remark(line, "recomputed", what)
    for name, s in (body.expanded | body.rows).items():
        shape = " × ".join(base_name(str(a)) for a in s.shape) or "1"
        yield Remark(s.span.line, "logged", f"{base_name(name)} is kept: {shape} words per iteration")
