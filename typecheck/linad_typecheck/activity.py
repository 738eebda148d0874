"""Which parameters reach the results of a program, and which of them through a derivative.

A parameter that reaches a result only through comparisons, roundings and integers has a gradient that is zero whatever
the arguments are. That is seldom meant, so it is told.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from . import core
from .core import Block, Const, Function, Program, Stmt
from .dense_ops import DENSE
from .messages.derivatives import Cut, ZeroGradient
from .ops import OPS
from .signature import Leaf, RecordStructure, Signature, Structure
from .span import Span
from .types import is_float

Set = frozenset[str]
NONE: Set = frozenset()
SEVERAL = 3  # places that a message shows


@dataclass(frozen=True, slots=True)
class Flow:
    """The parameters that a value depends on at all (``any``) and through a derivative (``smooth``)."""

    any: Set = NONE
    smooth: Set = NONE

    def __or__(self, other: Flow) -> Flow:
        if other.any <= self.any and other.smooth <= self.smooth:
            return self
        return Flow(self.any | other.any, self.smooth | other.smooth)


NOTHING = Flow()


@dataclass
class _Walk:
    """One function under given flows of its arguments. ``stack`` holds the functions being walked."""

    program: Program
    stack: tuple[str, ...]
    cuts: dict[tuple[Span, str], Set]
    known: dict[tuple[str, tuple[Flow, ...]], tuple[list[Flow], list[Flow]]]
    env: dict[str, Flow] = field(default_factory=dict)
    grown: bool = False  # a flow has grown since a loop last looked

    def of(self, atom: core.Atom | None) -> Flow:
        return NOTHING if atom is None or isinstance(atom, Const) else self.env.get(atom.name, NOTHING)

    def join(self, atoms: tuple[core.Atom | None, ...]) -> Flow:
        flow = NOTHING
        for atom in atoms:
            flow |= self.of(atom)
        return flow

    def define(self, var: core.Var, flow: Flow) -> None:
        """A value gets what it had and ``flow``; what is no float carries no derivative."""
        before = self.of(var)
        after = before | (flow if is_float(var.type) else Flow(flow.any))
        if after is not before:
            self.env[var.name] = after
            self.grown = True

    def block(self, block: Block, control: Set) -> None:
        for s in block.stmts:
            self.statement(s, control)

    def statement(self, s: Stmt, control: Set) -> None:
        match s:
            case core.Let(out=out, op=op, ins=ins, span=span):
                flow = self.join(ins)
                smooth = self.join(tuple(ins[k] for k in OPS[op].diff)).smooth if is_float(out.type) else NONE
                lost = flow.smooth - smooth
                if lost:
                    self.cuts[span, op] = self.cuts.get((span, op), NONE) | lost
                self.define(out, Flow(flow.any | control, smooth))
            case core.Load(out=out, array=array, index=index):
                self.define(out, Flow(self.join((array, *index)).any | control, self.of(array).smooth))
            case core.Store(array=array, index=index, value=value) | core.AddTo(array=array, index=index, value=value):
                self.define(array, Flow(self.join((*index, value)).any | control, self.of(value).smooth))
            case core.Fill(array=array, value=other) | core.AddArray(array=array, other=other):
                self.define(array, self.of(other) | Flow(control))
            case core.Dense(op=op, updated=updated, read=read):
                flow = self.join((*updated, *read)).any | control
                for k, array in enumerate(updated):
                    self.define(array, Flow(flow, self.join(tuple(read[j] for j in DENSE[op].diff.get(k, ()))).smooth))
            case core.Copy(out=out, array=array):
                self.define(out, self.of(array) | Flow(control))
            case core.If(cond=cond, then=then, orelse=orelse, outs=outs):
                control = control | self.of(cond).any
                self.block(then, control)
                self.block(orelse, control)
                for k, out in enumerate(outs):
                    self.define(out, self.join((then.results[k], orelse.results[k])) | Flow(control))
            case core.Loop():
                self.loop(s, control)
            case core.Call():
                self.call(s, control)
            case _:
                for out in core.outputs(s):
                    self.define(out, Flow(self.join(core.operands(s)).any | control))

    def loop(self, s: core.Loop, control: Set) -> None:
        for var, init in zip(s.carried, s.inits):
            self.define(var, self.of(init))
        control = control | self.join((s.start, s.stop, s.step)).any
        grown, self.grown = self.grown, True
        while self.grown:  # flows only grow, so this ends
            self.grown = False
            self.define(s.index, Flow(control))
            self.block(s.body, control)
            results = s.body.results
            if s.exits:
                control = control | self.of(results[0]).any
                results = results[1:]
            for var, result in zip(s.carried, results):
                self.define(var, self.of(result) | Flow(control))
            grown = grown or self.grown
        self.grown = grown
        for out, var in zip(s.outs, s.carried):
            self.define(out, self.of(var))
        if s.trips is not None:
            self.define(s.trips, Flow(control))

    def call(self, s: core.Call, control: Set) -> None:
        callee = self.program.functions[s.callee]
        arguments = [self.of(a) | Flow(control) for a in s.args]
        if s.callee in self.stack or s.callee in self.program.derivatives:  # as if everything reached everything
            every = Flow(control)
            for flow in arguments:
                every |= flow
            finals, results = [every] * len(arguments), [every] * len(s.outs)
        else:
            finals, results = self.callee(callee, arguments)
        for atom, final in zip(s.args, finals):
            if isinstance(atom, core.Var):
                self.define(atom, final)
        for out, flow in zip(s.outs, results):
            self.define(out, flow | Flow(control))

    def callee(self, f: Function, arguments: list[Flow]) -> tuple[list[Flow], list[Flow]]:
        """What the parameters hold afterwards and what is returned."""
        question = (f.name, tuple(arguments))
        if question in self.known:
            return self.known[question]
        inner = _Walk(self.program, (*self.stack, f.name), self.cuts, self.known)
        for p, flow in zip(f.params, arguments):
            inner.define(p.var, flow)
        inner.block(f.body, NONE)
        found = [inner.of(p.var) for p in f.params], [inner.of(r) for r in f.body.results]
        self.known[question] = found
        return found


def zero_gradients(program: Program, signature: Signature, places: dict[str, Span]) -> list[ZeroGradient]:
    """A message for every float parameter that reaches a result, but not through a derivative.

    A parameter that is only compared with others is taken for a threshold, unless no parameter has a gradient.

    Parameters
    ----------
    places
        Where each parameter of the function stands.
    """
    cuts: dict[tuple[Span, str], Set] = {}
    main = program.main
    walk = _Walk(program, (), cuts, {})
    own = [(frozenset((p.var.name,)), is_float(p.var.type)) for p in main.params]
    start = [Flow(name, name if smooth else NONE) for name, smooth in own]
    finals, results = walk.callee(main, start)
    updated = [flow for p, flow in zip(main.params, finals) if p.mode in ("mut", "acc")]
    floats = [flow for r, flow in zip(main.body.results, results) if is_float(r.type)]
    whole = Flow()
    for flow in (*floats, *updated):
        whole |= flow
    found = []
    for info in signature.params:
        names = {main.params[leaf.index].var.name for leaf in _leaves(info.structure) if is_float(leaf.type)}
        if names & whole.any and not names & whole.smooth and info.name in places:
            spots = [Cut(span, op) for (span, op), lost in cuts.items() if lost & names]
            if whole.smooth and all(OPS[cut.op].kind == "compare" for cut in spots):
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
