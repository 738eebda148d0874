"""Activity analysis: values that carry a derivative, and names that denote the same value or array."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from linad_typecheck.ir.core import (
    AddArray, AddTo, Atom, Block, Call, Copy, Dense, Dup, Fill, Function, If, Let, Load, Loop, Read,
    Stmt, Store, Var, blocks, outputs, walk,
)
from linad_typecheck.dense_ops import DENSE
from linad_typecheck.linear.uses import Modes
from linad_typecheck.types import Array, is_float

from linad.analysis.accesses import updates
from linad.analysis.flows import flows
from linad.analysis.logs import logs_of

from ..errors import NoDerivative
from .usefulness import useful


@dataclass
class Facts:
    """Facts about one linear function: the value of each name, may-alias groups of arrays, and activity.

    ``same``: maps a copy made by `Dup` or `Read` to the copied value. ``group``: maps an array name to the
    representative of its alias group. ``active``: value names and group representatives. ``position``: numbers
    statements in program order. ``end``: the position of the last statement nested in each.
    """

    function: Function
    modes: Modes
    same: dict[str, Atom] = field(default_factory=dict)
    group: dict[str, str] = field(default_factory=dict)
    active: set[str] = field(default_factory=set)
    position: dict[int, int] = field(default_factory=dict)
    end: dict[int, int] = field(default_factory=dict)
    writes: list[tuple[str, int]] = field(default_factory=list)  # (group, position)
    moved: set[str] = field(default_factory=set)  # arrays that are consumed other than by a drop
    home: dict[str, int] = field(default_factory=dict)  # id of the block that defines each value
    definition: dict[str, Stmt] = field(default_factory=dict)
    logs: set[str] = field(default_factory=set)  # arrays that grow, here or in a callee
    # by id of a write: the old cell, to be restored in the reverse sweep
    undo: dict[int, Var] = field(default_factory=dict)
    # by id of a write that restores a word from a log: the load of that word; the reverse sweep finds the old word in
    # its cell
    exchange: dict[int, Load] = field(default_factory=dict)
    order_free: dict[int, bool] = field(default_factory=dict)  # by id of a loop; computed on demand

    def value(self, a: Atom) -> Atom:
        return self.same.get(a.name, a) if isinstance(a, Var) else a

    def place(self, v: Var) -> str:
        name = v.name
        while self.group.get(name, name) != name:
            name = self.group[name]
        return name

    def key(self, v: Var) -> str:
        """The key of a variable in the activity sets: its alias group, or the value that it is a copy of."""
        value = v if isinstance(v.type, Array) else self.value(v)
        return self.place(v) if isinstance(v.type, Array) else value.name if isinstance(value, Var) else v.name

    def is_active(self, a: Atom) -> bool:
        if not isinstance(a, Var) or not is_float(a.type):
            return False
        return (self.place(a) if isinstance(a.type, Array) else self.value(a).name) in self.active

    def written(self, v: Var, first: int, last: int) -> bool:
        """Whether an array is written to between two positions."""
        place = self.place(v)
        return any(group == place and first < at <= last for group, at in self.writes)

    def undoes(self, s: Stmt) -> bool:
        """Whether the reverse sweep restores the cell that a write overwrites."""
        return id(s) in self.undo or id(s) in self.exchange

    def any_active(self, block: Block) -> bool:
        """Whether any statement of a block has an adjoint."""
        return any(self._matters_itself(s) for s in walk(block))

    def passes_on(self, s: Call) -> bool:
        """Whether a derivative flows through an output of a call: a result, or an array that the call updates."""
        written = (
            a for a, m in zip(s.args, self.modes(s.callee), strict=True) if m != "read" and isinstance(a.type, Array)
        )
        return any(map(self.is_active, (*s.outs, *written)))

    def matters(self, s: Stmt) -> bool:
        return self._matters_itself(s) or any(self.any_active(b) for b in blocks(s))

    def _matters_itself(self, s: Stmt) -> bool:
        """Whether a statement has an adjoint, apart from those in its blocks."""
        match s:
            case If() | Loop():
                return any(map(self.is_active, outputs(s)))
            case Call():
                return self.passes_on(s)
            case Let(out=v) | Load(out=v):
                return self.is_active(v)
            case Store(array=a) | Fill(array=a) | AddTo(array=a) | AddArray(array=a):
                return self.is_active(a) or self.undoes(s)
            case Copy(out=v):
                return self.is_active(v)
            case Dense(op=op, updated=updated):
                return bool(DENSE[op].diff) and any(map(self.is_active, updated))
        return False


def analyse_activity(
    f: Function,
    modes: Modes,
    wrt: Iterable[str],
    undo: dict[int, Var] | None = None,
    exchange: dict[int, Load] | None = None,
    results: tuple[Atom, ...] = (),
) -> Facts:
    """Analyse a linear function that is differentiated with respect to the parameters ``wrt``. ``results``: values to
    treat as results in addition to those of its block."""
    facts = Facts(f, modes, undo=undo or {}, exchange=exchange or {})
    wrt = set(wrt)
    facts.active |= wrt
    _names(f, facts)
    facts.logs |= logs_of(f)
    _order(f.body, facts, 0)
    while True:
        before = len(facts.active)
        for s in walk(f.body):
            _flow(s, facts)
        if len(facts.active) == before:
            break
    asked = wrt | {facts.place(p.var) for p in f.params if p.var.name in wrt}
    facts.active &= useful(f, modes, facts.key, results) | asked
    return facts


def _join(facts: Facts, a: Atom, b: Atom) -> None:
    if isinstance(a, Var) and isinstance(b, Var) and isinstance(a.type, Array):
        one, two = facts.place(a), facts.place(b)
        if one != two:
            facts.group[two] = one
            if two in facts.active:
                facts.active.add(one)


def _names(f: Function, facts: Facts) -> None:
    for p in f.params:
        facts.home[p.var.name] = id(f.body)

    def visit(block: Block) -> None:
        for s in block.stmts:
            match s:
                case Dup(a, b, x):
                    facts.same[a.name] = facts.same[b.name] = facts.value(x)
                case Read(o, x):
                    facts.same[o.name] = facts.value(x)
                case If(then=then, orelse=orelse, outs=outs):
                    for b in (then, orelse):
                        visit(b)
                        for o, r in zip(outs, b.results, strict=True):
                            _join(facts, r, o)
                            facts.moved |= {r.name} if isinstance(r, Var) else set()
                case Loop(carried=carried, inits=inits, body=body, outs=outs):
                    facts.home[s.index.name] = id(body)
                    for c in carried:
                        facts.home[c.name] = id(body)
                    visit(body)
                    for c, i, n, o in zip(carried, inits, s.nexts, outs, strict=True):
                        for other in (i, n, o):
                            _join(facts, c, other)
                        facts.moved |= {a.name for a in (i, n) if isinstance(a, Var)}
                case Call(callee=callee, args=args, outs=outs):
                    given = [
                        a
                        for a, m in zip(args, facts.modes(callee), strict=True)
                        if m == "own" and isinstance(a.type, Array)
                    ]
                    facts.moved |= {a.name for a in given}
                    for o in outs:
                        for a in given:
                            _join(facts, a, o)
            for v in outputs(s):
                facts.home[v.name] = id(block)
                facts.definition[v.name] = s

    visit(f.body)


def _order(block: Block, facts: Facts, at: int) -> int:
    for s in block.stmts:
        at += 1
        facts.position[id(s)] = at
        if id(s) in facts.exchange:
            facts.writes.append((facts.place(facts.exchange[id(s)].array), at))
        facts.writes += [(facts.place(a), at) for a in updates(s, facts.modes)]
        for b in blocks(s):
            at = _order(b, facts, at)
        facts.end[id(s)] = at
    return at


def _flow(s: Stmt, facts: Facts) -> None:
    """The transfer function of activity for one statement."""
    if isinstance(s, Dense) and DENSE[s.op].compiled and any(map(facts.is_active, s.read)):
        # its derivative rule should have been used
        raise NoDerivative("a function that is compiled elsewhere", s.span)
    for target, sources in flows(s, facts.modes):
        if is_float(target.type) and any(map(facts.is_active, sources)):
            facts.active.add(facts.place(target) if isinstance(target.type, Array) else facts.value(target).name)
