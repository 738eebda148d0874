"""Activity of parameters: which of them reach the results of a program, and which of them through a derivative.

A parameter that reaches a result only through comparisons, rounding and ints has a gradient that is always zero. That
is seldom intended, so it is reported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from .ir import core
from .ir.core import Block, Function, Program, Stmt
from .dense_ops import DENSE
from .messages.derivatives import Cut, ZeroGradient
from .ops import OPS
from .signature import Leaf, RecordStructure, Signature, Structure
from .span import Span
from .types import Array, is_float

Set = int  # a set of parameters as a bit mask: the analysis needs little but unions
NONE: Set = 0
SEVERAL = 3  # maximum number of places in a message
Flow = tuple[Set, Set]  # the parameters that a value depends on, and those it depends on through a derivative
NOTHING: Flow = (NONE, NONE)


@dataclass
class _Walk:
    """The analysis of one function for given flows of its arguments. ``stack``: the functions being analysed."""

    program: Program
    stack: tuple[str, ...]
    cuts: dict[tuple[Span, str], Set]
    known: dict[tuple[str, tuple[Flow, ...]], tuple[list[Flow], list[Flow]]]
    searches: set[Set]  # sets of several parameters that a comparison in a loop depends on, as in a bisection
    env: dict[str, Flow] = field(default_factory=dict)
    once: bool = False  # loops are analysed once: the flows found are some of all
    looping: bool = False  # inside a loop, possibly of a caller
    settling: bool = False  # the outermost loop of this function is being iterated
    grown: bool = False  # a flow has grown that earlier statements of that loop may read

    def of(self, atom: core.Atom | None) -> Flow:
        return self.env.get(atom.name, NOTHING) if type(atom) is core.Var else NOTHING

    def join(self, atoms: Iterable[core.Atom | None], control: Set = NONE) -> Flow:
        """The union of the flows of atoms. ``control``: the parameters that decide about them."""
        smooth = NONE
        for atom in atoms:
            if type(atom) is core.Var:
                one, two = self.env.get(atom.name, NOTHING)
                control |= one
                smooth |= two
        return control, smooth

    def define(self, var: core.Var, any: Set, smooth: Set) -> bool:
        """Join a flow into that of a variable; only floats carry a derivative. Returns whether it has grown."""
        now = (any, smooth if is_float(var.type) else NONE)
        before = self.env.get(var.name)
        if before is None:
            self.env[var.name] = now
            return now != NOTHING
        after = (before[0] | now[0], before[1] | now[1])
        if after == before:
            return False
        self.env[var.name] = after
        self.grown |= isinstance(var.type, Array)
        return True

    def block(self, block: Block, control: Set) -> None:
        for s in block.stmts:
            _STATEMENTS.get(type(s), _Walk.other)(self, s, control)

    def other(self, s: Stmt, control: Set) -> None:
        for out in core.outputs(s):
            self.define(out, *self.join(core.operands(s), control))

    def let(self, s: core.Let, control: Set) -> None:
        any, every = self.join(s.ins, control)
        smooth = NONE
        if every and is_float(s.out.type):
            diff = OPS[s.op].diff
            smooth = every if len(diff) == len(s.ins) else self.join([s.ins[k] for k in diff])[1]
        if lost := every & ~smooth:
            if self.looping and OPS[s.op].kind == "compare":
                self.searches.update(two for a in s.ins if (two := self.of(a)[1]).bit_count() > 1)
            self.cuts[s.span, s.op] = self.cuts.get((s.span, s.op), NONE) | lost
        self.define(s.out, any, smooth)

    def load(self, s: core.Load, control: Set) -> None:
        self.define(s.out, self.join((s.array, *s.index), control)[0], self.of(s.array)[1])

    def store(self, s: core.Store | core.AddTo, control: Set) -> None:
        self.define(s.array, self.join((*s.index, s.value), control)[0], self.of(s.value)[1])

    def fill(self, s: core.Fill, control: Set) -> None:
        self.define(s.array, *self.join((s.value,), control))

    def add_array(self, s: core.AddArray, control: Set) -> None:
        self.define(s.array, *self.join((s.other,), control))

    def dense(self, s: core.Dense, control: Set) -> None:
        any = self.join((*s.updated, *s.read), control)[0]
        for k, array in enumerate(s.updated):
            self.define(array, any, self.join(s.read[j] for j in DENSE[s.op].diff.get(k, ()))[1])

    def if_(self, s: core.If, control: Set) -> None:
        control |= self.of(s.cond)[0]
        self.block(s.then, control)
        self.block(s.orelse, control)
        for out, one, two in zip(s.outs, s.then.results, s.orelse.results):
            self.define(out, *self.join((one, two), control))

    def loop(self, s: core.Loop, control: Set) -> None:
        for var, init in zip(s.carried, s.inits):
            self.define(var, *self.of(init))
        control = self.join((s.start, s.stop, s.step), control)[0]
        if self.settling or self.once:
            return self.turn(s, control)
        looping, self.looping, self.settling, self.grown = self.looping, True, True, True
        while self.grown:  # terminates, because flows only grow
            self.grown = False
            self.turn(s, control)
        self.looping, self.settling = looping, False

    def turn(self, s: core.Loop, control: Set) -> None:
        """Analyse a loop once, with the loops in it.

        The outermost loop is analysed again until no flow grows that is read before it is defined: those of carried
        values, of conditions for another iteration, and of arrays.
        """
        self.define(s.index, control, NONE)
        results = s.body.results
        before = self.of(results[0])[0] if s.exits else NONE
        self.block(s.body, control | before)
        if s.exits:
            after = self.of(results[0])[0]
            self.grown |= after != before
            control |= after
            results = results[1:]
        for var, result in zip(s.carried, results):
            self.grown |= self.define(var, *self.join((result,), control))
        for out, var in zip(s.outs, s.carried):
            self.define(out, *self.of(var))
        if s.trips is not None:
            self.define(s.trips, control, NONE)

    def call(self, s: core.Call, control: Set) -> None:
        callee = self.program.functions[s.callee]
        arguments = [self.join((a,), control) for a in s.args]
        opaque = callee.rule is not None or s.callee in self.program.derivatives
        if opaque or s.callee in self.stack:  # assume that everything reaches everything
            every = self.join(s.args, control)
            finals, results = [every] * len(arguments), [every] * len(s.outs)
        else:
            finals, results = self.callee(callee, arguments)
        for atom, final in zip(s.args, finals):
            if isinstance(atom, core.Var):
                self.define(atom, *final)
        for out, (any, smooth) in zip(s.outs, results):
            self.define(out, any | control, smooth)

    def callee(self, f: Function, arguments: list[Flow]) -> tuple[list[Flow], list[Flow]]:
        """The flows of the parameters after the call, and those of the results."""
        question = (f.name, tuple(arguments))
        if question in self.known:
            return self.known[question]
        stack = *self.stack, f.name
        inner = _Walk(self.program, stack, self.cuts, self.known, self.searches, once=self.once, looping=self.looping)
        for p, flow in zip(f.params, arguments):
            inner.define(p.var, *flow)
        inner.block(f.body, NONE)
        found = [inner.of(p.var) for p in f.params], [inner.of(r) for r in f.body.results]
        self.known[question] = found
        return found


_STATEMENTS = {
    core.Let: _Walk.let,
    core.Load: _Walk.load,
    core.Store: _Walk.store,
    core.AddTo: _Walk.store,
    core.Fill: _Walk.fill,
    core.AddArray: _Walk.add_array,
    core.Dense: _Walk.dense,
    core.If: _Walk.if_,
    core.Loop: _Walk.loop,
    core.Call: _Walk.call,
}  # the result of any other statement depends on all its operands


def depending(program: Program, on: core.Var, body: Block) -> list[bool]:
    """For each result of a block, whether it depends on a variable: through values, addresses or branches."""
    walk = _Walk(program, (), {}, {}, set(), {on.name: (1, NONE)})
    walk.block(body, NONE)
    return [walk.of(r)[0] != NONE for r in body.results]


def zero_gradients(program: Program, signature: Signature, places: dict[str, Span]) -> list[ZeroGradient]:
    """A message for every float parameter that reaches a result, but not through a derivative.

    A parameter that is only compared with others is assumed to be a threshold. The exceptions: no parameter has a
    gradient; or a loop compares a value that depends on it and on a parameter that has one, as a bisection does, whose
    result depends on all of them.

    Parameters
    ----------
    places
        The position of each parameter of the function.
    """
    main = program.main
    bits = {p.var.name: 1 << k for k, p in enumerate(main.params)}
    floats = {p.var.name for p in main.params if is_float(p.var.type)}
    owns = {}
    for info in signature.params:
        leaves = [main.params[leaf.index].var.name for leaf in _leaves(info.structure) if is_float(leaf.type)]
        owns[info.name] = reduce(or_, (bits[n] for n in leaves), NONE)
    for once in (True, False):
        walk = _Walk(program, (), {}, {}, set(), once=once)
        finals, results = walk.callee(main, [(b, b if n in floats else NONE) for n, b in bits.items()])
        any = smooth = NONE
        for kept, flow in (
            *((p.mode in ("mut", "acc"), flow) for p, flow in zip(main.params, finals)),
            *((is_float(r.type), flow) for r, flow in zip(main.body.results, results)),
        ):
            if kept:
                any, smooth = any | flow[0], smooth | flow[1]
        if all(own & smooth for own in owns.values() if own):  # as in most functions
            return []
    found = []
    for info in signature.params:
        own = owns[info.name]
        if own & any and not own & smooth and info.name in places:
            spots = [Cut(span, op) for (span, op), lost in walk.cuts.items() if lost & own]
            searched = next((True for some in walk.searches if own & some and smooth & some), False)
            if smooth and not searched and all(OPS[cut.op].kind == "compare" for cut in spots):
                continue  # a threshold or a tolerance, beside parameters that have a gradient
            found.append(ZeroGradient(places[info.name], info.name, tuple(spots[:SEVERAL])))
    return found


def _leaves(structure: Structure) -> list[Leaf]:
    match structure:
        case Leaf():
            return [structure]
        case tuple() | RecordStructure():
            return [leaf for item in structure for leaf in _leaves(item)]
    return []
