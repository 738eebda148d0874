"""Which parameters reach the results of a program, and which of them through a derivative.

A parameter that reaches a result only through comparisons, roundings and integers has a gradient that is zero whatever
the arguments are. That is seldom meant, so it is told.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from . import core
from .core import Block, Function, Program, Stmt
from .dense_ops import DENSE
from .messages.derivatives import Cut, ZeroGradient
from .ops import OPS
from .signature import Leaf, RecordStructure, Signature, Structure
from .span import Span
from .types import is_float

Set = int  # of parameters, one bit each: a walk asks for unions and little else
NONE: Set = 0
SEVERAL = 3  # places that a message shows
Flow = tuple[Set, Set]  # the parameters that a value depends on at all, and those it depends on through a derivative
NOTHING: Flow = (NONE, NONE)


@dataclass
class _Walk:
    """One function under given flows of its arguments. ``stack`` holds the functions being walked."""

    program: Program
    stack: tuple[str, ...]
    cuts: dict[tuple[Span, str], Set]
    known: dict[tuple[str, tuple[Flow, ...]], tuple[list[Flow], list[Flow]]]
    searches: set[Set]  # the parameters that loops compare something of, several at once, as a bisection does
    env: dict[str, Flow] = field(default_factory=dict)
    grown: bool = False  # a flow has grown since the outermost loop last looked
    looping: bool = False  # a loop around repeats what is inside it

    def of(self, atom: core.Atom | None) -> Flow:
        return self.env.get(atom.name, NOTHING) if type(atom) is core.Var else NOTHING

    def join(self, atoms: Iterable[core.Atom | None], control: Set = NONE) -> Flow:
        """What any of the atoms depends on, decided by what ``control`` says."""
        smooth = NONE
        for atom in atoms:
            if type(atom) is core.Var:
                one, two = self.env.get(atom.name, NOTHING)
                control |= one
                smooth |= two
        return control, smooth

    def define(self, var: core.Var, any: Set, smooth: Set) -> None:
        """A value gets what it had and this; what is no float carries no derivative."""
        before = self.env.get(var.name, NOTHING)
        after = (before[0] | any, before[1] | smooth if is_float(var.type) else before[1])
        if after != before:
            self.env[var.name] = after
            self.grown = True

    def block(self, block: Block, control: Set) -> None:
        for s in block.stmts:
            self.statement(s, control)

    def statement(self, s: Stmt, control: Set) -> None:
        match s:
            case core.Let(out=out, op=op, ins=ins, span=span):
                any, every = self.join(ins, control)
                smooth = NONE
                if is_float(out.type):
                    diff = OPS[op].diff
                    smooth = every if len(diff) == len(ins) else self.join([ins[k] for k in diff])[1]
                if lost := every & ~smooth:
                    if self.looping and OPS[op].kind == "compare":
                        self.searches.update(two for a in ins if (two := self.of(a)[1]).bit_count() > 1)
                    self.cuts[span, op] = self.cuts.get((span, op), NONE) | lost
                self.define(out, any, smooth)
            case core.Load(out=out, array=array, index=index):
                self.define(out, self.join((array, *index), control)[0], self.of(array)[1])
            case core.Store(array=array, index=index, value=value) | core.AddTo(array=array, index=index, value=value):
                self.define(array, self.join((*index, value), control)[0], self.of(value)[1])
            case core.Fill(array=array, value=other) | core.AddArray(array=array, other=other):
                self.define(array, *self.join((other,), control))
            case core.Dense(op=op, updated=updated, read=read):
                any = self.join((*updated, *read), control)[0]
                for k, array in enumerate(updated):
                    self.define(array, any, self.join(read[j] for j in DENSE[op].diff.get(k, ()))[1])
            case core.Copy(out=out, array=array):
                self.define(out, *self.join((array,), control))
            case core.If(cond=cond, then=then, orelse=orelse, outs=outs):
                control |= self.of(cond)[0]
                self.block(then, control)
                self.block(orelse, control)
                for k, out in enumerate(outs):
                    self.define(out, *self.join((then.results[k], orelse.results[k]), control))
            case core.Loop():
                self.loop(s, control)
            case core.Call():
                self.call(s, control)
            case _:
                for out in core.outputs(s):
                    self.define(out, *self.join(core.operands(s), control))

    def loop(self, s: core.Loop, control: Set) -> None:
        for var, init in zip(s.carried, s.inits):
            self.define(var, *self.of(init))
        control = self.join((s.start, s.stop, s.step), control)[0]
        if self.looping:
            return self.turn(s, control)
        self.looping = True
        self.grown = True
        while self.grown:  # flows only grow, so this ends
            self.grown = False
            self.turn(s, control)
        self.looping = False

    def turn(self, s: core.Loop, control: Set) -> None:
        """One look at a loop, and at the loops in it: the outermost is looked at again until nothing grows."""
        self.define(s.index, control, NONE)
        results = s.body.results
        if s.exits:
            control |= self.of(results[0])[0]
        self.block(s.body, control)
        if s.exits:
            control |= self.of(results[0])[0]
            results = results[1:]
        for var, result in zip(s.carried, results):
            self.define(var, *self.join((result,), control))
        for out, var in zip(s.outs, s.carried):
            self.define(out, *self.of(var))
        if s.trips is not None:
            self.define(s.trips, control, NONE)

    def call(self, s: core.Call, control: Set) -> None:
        callee = self.program.functions[s.callee]
        arguments = [self.join((a,), control) for a in s.args]
        opaque = callee.rule is not None or s.callee in self.program.derivatives
        if opaque or s.callee in self.stack:  # as if everything reached everything
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
        """What the parameters hold afterwards and what is returned."""
        question = (f.name, tuple(arguments))
        if question in self.known:
            return self.known[question]
        inner = _Walk(self.program, (*self.stack, f.name), self.cuts, self.known, self.searches, looping=self.looping)
        for p, flow in zip(f.params, arguments):
            inner.define(p.var, *flow)
        inner.block(f.body, NONE)
        found = [inner.of(p.var) for p in f.params], [inner.of(r) for r in f.body.results]
        self.known[question] = found
        return found


def zero_gradients(program: Program, signature: Signature, places: dict[str, Span]) -> list[ZeroGradient]:
    """A message for every float parameter that reaches a result, but not through a derivative.

    A parameter that is only compared with others is taken for a threshold, unless no parameter has a gradient, or a loop compares
    what depends on it and on a parameter that has one: as a bisection does, whose result depends on all of them.

    Parameters
    ----------
    places
        Where each parameter of the function stands.
    """
    cuts: dict[tuple[Span, str], Set] = {}
    main = program.main
    walk = _Walk(program, (), cuts, {}, set())
    bits = {p.var.name: 1 << k for k, p in enumerate(main.params)}
    start = [(bits[p.var.name], bits[p.var.name] if is_float(p.var.type) else NONE) for p in main.params]
    finals, results = walk.callee(main, start)
    any = smooth = NONE
    for kept, flow in (
        *((p.mode in ("mut", "acc"), flow) for p, flow in zip(main.params, finals)),
        *((is_float(r.type), flow) for r, flow in zip(main.body.results, results)),
    ):
        if kept:
            any, smooth = any | flow[0], smooth | flow[1]
    found = []
    for info in signature.params:
        own = NONE
        for leaf in _leaves(info.structure):
            if is_float(leaf.type):
                own |= bits[main.params[leaf.index].var.name]
        if own & any and not own & smooth and info.name in places:
            spots = [Cut(span, op) for (span, op), lost in cuts.items() if lost & own]
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
