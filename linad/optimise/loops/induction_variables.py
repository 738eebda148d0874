"""Induction variables: ints that grow by the same step in each iteration become affine functions of the loop index.

**Transformation.** Induction-variable substitution (Allen and Kennedy, Optimizing Compilers for Modern
Architectures, 2001, chapter 4).

**Before.** ``for i in range(m) carry (k = a) { ...; k1 = add k c; yield k1 }``
**After.** ``for i in range(m) { k = add a (mul c i); ... }``

**Legality.** The step is one operand that the loop does not change; the loop is counted by one, up or down, and is
not left early. Int arithmetic wraps, before and after.

**Profitability.** Always: indices of this form are proved to be in range, and nothing is carried or logged for
them.

**Needs.** Nothing: the results are the same to the last bit.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.core import Atom, Block, Const, Function, If, Let, Loop, Names, Stmt, Var, all_names, outputs, walk
from linad_typecheck.core_rewrite import substitute
from linad_typecheck.types import I64


def close_inductions(f: Function) -> Function:
    """``c`` carried with ``c + d`` as its next value, ``d`` the same in all iterations, is ``c0 + d * (i - start)``.

    That makes it an affine index: its checks can be hoisted, its loop is no longer sequential, and its reverse needs no
    log of it. Only for steps of 1 or -1, where the number of iterations done is a difference.
    """
    return replace(f, body=_Closer(Names(all_names(f))).block(f.body))


class _Closer:
    def __init__(self, names: Names) -> None:
        self.names = names

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        ends: dict[str, Atom] = {}
        for s in block.stmts:
            if ends:
                s = substitute(Block((s,)), ends).stmts[0]
            match s:
                case If():
                    s = replace(s, then=self.block(s.then), orelse=self.block(s.orelse))
                case Loop():
                    s, after, values = self.loop(replace(s, body=self.block(s.body)))
                    ends |= values
                    out += [s, *after]
                    continue
            out.append(s)
        return substitute(Block(tuple(out), block.results), ends)

    def loop(self, s: Loop) -> tuple[Loop, list[Stmt], dict[str, Atom]]:
        """The loop without its inductions, what computes their last values after it, and those values by name."""
        same: tuple[Loop, list[Stmt], dict[str, Atom]] = (s, [], {})
        if s.exits or s.stop is None or not isinstance(s.step, Const) or s.step.value not in (1, -1):
            return same
        inside = {v.name for t in walk(s.body) for v in _defined(t)} | {c.name for c in s.carried} | {s.index.name}
        defs = {t.out.name: t for t in s.body.stmts if isinstance(t, Let)}
        found: list[tuple[int, Atom, int]] = []
        for k, (c, nxt) in enumerate(zip(s.carried, s.body.results, strict=True)):
            step = self.step(c, nxt, defs, inside) if c.type == I64 else None
            if step is not None:
                found.append((k, *step))
        if not found:
            return same
        after, head, inner, ends = [], [], {}, {}
        done = self.let(head, "sub", s.index, s.start) if s.step.value == 1 else self.let(head, "sub", s.start, s.index)
        trips = self.let(after, "trips", s.start, s.stop, s.step)
        for k, step, sign in found:
            op = "add" if sign > 0 else "sub"
            grown, total = (done, trips) if _is_one(step) else (self.let(head, "mul", step, done), self.let(after, "mul", step, trips))
            inner[s.carried[k].name] = self.let(head, op, s.inits[k], grown, like=s.carried[k])
            ends[s.outs[k].name] = self.let(after, op, s.inits[k], total, like=s.outs[k])
        gone = {k for k, _, _ in found}
        keep = [k for k in range(len(s.carried)) if k not in gone]
        body = substitute(s.body, inner)
        body = Block((*head, *body.stmts), tuple(body.results[k] for k in keep))
        pick = lambda xs: tuple(xs[k] for k in keep)  # noqa: E731
        return replace(s, carried=pick(s.carried), inits=pick(s.inits), outs=pick(s.outs), body=body), after, ends

    def step(self, c: Var, nxt: Atom, defs: dict[str, Let], inside: set[str]) -> tuple[Atom, int] | None:
        """What is added to ``c`` each iteration (with its sign), if it is one operand that the loop does not change."""
        let = defs.get(nxt.name) if isinstance(nxt, Var) else None
        if let is None:
            return None
        match let.op, let.ins:
            case "add", (a, b) if a == c and self.fixed(b, inside):
                return b, 1
            case "add", (a, b) if b == c and self.fixed(a, inside):
                return a, 1
            case "sub", (a, b) if a == c and self.fixed(b, inside):
                return b, -1
        return None

    def fixed(self, a: Atom, inside: set[str]) -> bool:
        return isinstance(a, Const) or a.name not in inside

    def let(self, out: list[Stmt], op: str, *ins: Atom, like: Var | None = None) -> Var:
        v = self.names.var(like.name if like is not None else "k", I64)
        out.append(Let(v, op, ins))
        return v


def _defined(s: Stmt) -> tuple[Var, ...]:
    return (*outputs(s), s.index, *s.carried) if isinstance(s, Loop) else outputs(s)


def _is_one(a: Atom) -> bool:
    return isinstance(a, Const) and a.value == 1
