"""An adjoint that is summed up apart, and then added to another one as a whole, takes over from that one.

The reverse of ``old = u.copy(); u[i] += f(old)`` reads ``u_bar`` while it adds to ``old_bar``, which begins as zeros, and then adds ``old_bar`` to
``u_bar``. So ``old_bar`` may as well begin as a copy of ``u_bar``, be added to, and be what ``u_bar`` is from there on: zeros, and a sum of whole arrays,
become one copy. In a loop ``u_bar`` is carried then, and the two take turns (`emit/turns.py`).

For adjoints only, as sums are taken in another order.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.core import (
    AddArray,
    AddTo,
    Alloc,
    Atom,
    Block,
    Const,
    Copy,
    Function,
    If,
    Let,
    Load,
    Loop,
    Names,
    Stmt,
    Store,
    Var,
    all_names,
    base_name,
    blocks,
    free_vars,
    outputs,
    walk,
)
from linad_typecheck.core_rewrite import freshen, substitute
from linad_typecheck.core_sizes import known_sizes
from linad_typecheck.types import FLOATS, I64, Array

from .zeros import Known, changes, covers, outs


def take_over(f: Function) -> Function:
    """The function without adjoints that are made in order to be added to other ones."""
    return replace(f, body=_Over(f).block(f.body, set(), set())[0])


class _Over:
    def __init__(self, f: Function) -> None:
        self.names = Names(all_names(f))
        self.known = Known(f)
        self.sizes = known_sizes(f)

    def block(self, b: Block, around: set[Var], own: set[Var]) -> tuple[Block, list[Var]]:
        """The block, and the arrays of blocks around it that others have taken over from: those are its last results, in the same order.
        ``around``: the arrays of which this may happen; ``own``: those that the block is given for good."""
        done: list[Stmt] = []
        own, taken = set(own), []
        left, results = b.stmts, b.results
        while left:
            s, *rest = left
            new: dict[Var, Var] = {}
            match s:
                case If():
                    s = replace(s, then=self.block(s.then, set(), set())[0], orelse=self.block(s.orelse, set(), set())[0])
                case Loop():
                    s, new = self.loop(s, around | own)
                case _:
                    pass
            pair = self.sum_of(s)
            if pair is not None and pair[0] in around | own and not self.used(pair[1], rest, results) and self.begun(done, *pair):
                new = dict([pair])
            else:
                done.append(s)
            for a, now in new.items():
                if a in around:
                    around = around - {a}
                    taken.append(a)
                    results = (*results, now)
                own = own - {a} | {now}
            after = substitute(Block(tuple(rest), results), {a.name: now for a, now in new.items()})
            left, results = after.stmts, after.results
            own |= {v for v in outs(s) if isinstance(v.type, Array)}
        return Block(tuple(done), results), taken

    def loop(self, s: Loop, around: set[Var]) -> tuple[Loop, dict[Var, Var]]:
        """The loop, which carries arrays of the blocks around it that others take over from in it, and what those are called behind it."""
        carried = {c for c in s.carried if isinstance(c.type, Array)}
        plain = s.kind == "sequential" and not s.exits and s.mark is None
        body, taken = self.block(s.body, around if plain else set(), carried)
        if not taken:
            return replace(s, body=body), {}
        inside, behind = ([self.like(a) for a in taken] for _ in range(2))
        body = substitute(body, {a.name: c for a, c in zip(taken, inside, strict=True)})
        s = replace(s, carried=(*s.carried, *inside), inits=(*s.inits, *taken), body=body, outs=(*s.outs, *behind))
        return s, dict(zip(taken, behind, strict=True))

    def used(self, b: Var, stmts: list[Stmt], results: tuple[Atom, ...]) -> bool:
        return b in results or any(self.known.touches(t, b) for t in stmts)

    def like(self, a: Var) -> Var:
        v = self.names.var(a.name, a.type)
        self.sizes[v.name] = self.sizes[a.name]
        return v

    def sum_of(self, s: Stmt) -> tuple[Var, Var] | None:
        """The adjoint to which a statement adds another one as a whole, and that one."""
        match s:
            case AddArray(array=a, other=Var() as b):
                pair = a, b
            case Loop() if (nest := self.nest(s, ())) is not None:
                pair = nest
            case _:
                return None
        adjoints = all(v.type.dtype in FLOATS and base_name(v.name).endswith("_bar") for v in pair)
        alike = pair[0].name in self.sizes and self.sizes[pair[0].name] == self.sizes.get(pair[1].name)
        return pair if adjoints and alike else None

    def nest(self, s: Loop, index: tuple[Var, ...]) -> tuple[Var, Var] | None:
        """Those of a nest of loops over all cells."""
        index = (*index, s.index)
        match s.body.stmts:
            case (Loop() as inner,):
                pair = self.nest(inner, index)
            case (Load(out=v, array=b, index=here), AddTo(array=a, index=there, value=w)) if v == w and here == there == index:
                pair = a, b
            case _:
                return None
        plain = not (s.carried or s.exits or s.mark)
        return pair if plain and pair is not None and self.axis(s, pair[1], len(index) - 1) else None

    def axis(self, s: Loop, b: Var, k: int) -> bool:
        return b.name in self.sizes and covers(s, self.sizes[b.name][k], self.known)

    def begun(self, done: list[Stmt], a: Var, b: Var) -> bool:
        """Whether ``b`` has only been added to since it was made as zeros, and ``a`` has not changed, but for cells that a last nest of loops has
        emptied: then ``b`` is made as a copy of ``a``, with zeros there."""
        k = next((k for k, s in enumerate(done) if isinstance(s, Alloc) and s.out == b), None)
        match done[k] if k is not None else None:
            case Alloc(fill=Const(value=zero), log="no") as made if repr(zero) == "0.0":
                pass
            case _:
                return False
        assert k is not None
        zeros: tuple[Stmt, ...] = ()
        left = list(done[k + 1 :])
        for at, t in enumerate(left):
            if a in outs(t) or self.known.touches(t, b) and not self.known.only_adds(t, b) or zeros and self.known.touches(t, a):
                return False
            if self.known.touches(t, a) and changes(t, a):
                parts = self.emptying(t, a, b, ())
                if parts is None:
                    return False
                left[at], alone = parts
                zeros = freshen(Block((alone,), ()), self.names, {}).stmts
                if not _made_in(t).isdisjoint(free_vars(Block(zeros))):
                    return False
        done[k:] = [Copy(b, a, made.span), *zeros, *left]
        return True

    def emptying(self, s: Stmt, a: Var, b: Var, around: tuple[Var, ...]) -> tuple[Stmt, Stmt] | None:
        """A nest of loops that reads cells of ``a``, each in one iteration, and leaves zeros there: without the zeros, and one that stores them to ``b``."""
        if not isinstance(s, Loop) or s.exits or s.mark is not None or a in (*s.inits, *s.body.results):
            return None
        around = (*around, s.index)
        match [t for t in s.body.stmts if self.known.touches(t, a)]:
            case [Loop() as inner]:
                parts = self.emptying(inner, a, b, around)
                if parts is None:
                    return None
                old, (new, alone) = inner, parts
            case [*loads, Store(value=Const(value=0.0), checked=False) as old] if all(isinstance(t, Load) and t.index == old.index for t in loads):
                if sorted(v.name for v in map(self.base, old.index) if isinstance(v, Var)) != sorted(v.name for v in around):
                    return None
                new, alone = None, replace(old, array=b)
            case _:
                return None
        rest = replace(s, body=replace(s.body, stmts=tuple(u for t in s.body.stmts if (u := new if t is old else t) is not None)))
        stmts: tuple[Stmt, ...] = (alone,)
        for t in reversed(s.body.stmts):
            if isinstance(t, Let) and t.out.type == I64 and t.out.name in free_vars(Block(stmts)):
                stmts = (t, *stmts)
        return rest, Loop(s.index, s.start, s.stop, s.step, (), (), Block(stmts), (), span=s.span)

    def base(self, a: Atom) -> Atom:
        """What an index is a fixed distance from."""
        match self.known.lets.get(a.name) if isinstance(a, Var) else None:
            case Let(op="add", ins=(x, Const())) | Let(op="add", ins=(Const(), x)) | Let(op="sub", ins=(x, Const())):
                return self.base(x)
        return a


def _made_in(s: Stmt) -> set[str]:
    """The names that a statement defines inside of it."""
    inner = [t for b in blocks(s) for t in walk(b)]
    loops = [t for t in (s, *inner) if isinstance(t, Loop)]
    return {v.name for t in inner for v in outputs(t)} | {v.name for t in loops for v in (t.index, *t.carried)}
