"""The purely functional back end: every in-place update of a program becomes a fresh array.

``v[i] += e`` becomes ``v.1 = v + delta_vec(shape(v), i, e)``: an array of zeros with one cell set, and a fresh array
for the sum. Arrays become values in single assignment, threaded through arms, loops and calls like scalars. The results
equal those of the in-place program, but updating one cell costs time proportional to the size of its array. The
in-place program is measured against this.

Two kinds of in-place writes remain: a fresh array is filled by the statements that create it, and the entry function
writes the caller's arrays at its end. If an exception leaves the entry function, the caller's arrays are unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from linad_typecheck.ir.core import (
    AddArray,
    AddTo,
    Alloc,
    Atom,
    Block,
    Call,
    Const,
    Copy,
    Dense,
    Dim,
    Fill,
    Function,
    If,
    Let,
    Load,
    Loop,
    Names,
    Param,
    Program,
    Reserve,
    Stmt,
    Store,
    Var,
    all_names,
    mentioned,
    outputs,
    walk,
    writes,
)
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.span import Span
from linad_typecheck.types import BOOL, FLOATS, I64, NARROW, Scalar

ZERO, ONE = Const(0, I64), Const(1, I64)
LENT_FOR_WRITING = ("acc", "mut", "out")


def purify(program: Program) -> Program:
    """Remove the in-place updates of a program.

    Parameters
    ----------
    program : Program
        Without `Dup`, `Drop` and `Read`.

    Returns
    -------
    Program
        The entry has the same parameters, modes and results. In every other function, a parameter lent for writing
        becomes an owned one, and its final contents an additional result.
    """
    entry = program.entry
    inner = entry
    if any(isinstance(s, Call) and s.callee == entry for f in program.functions.values() for s in walk(f.body)):
        inner = _unused(f"{entry}_pure", program.functions)
    functions = {entry: _Purifier(program, program.main, inner).entry()}
    for name, function in program.functions.items():
        if name != entry or inner != entry:
            functions[inner if name == entry else name] = _Purifier(program, function, inner).callee()
    return Program(entry, functions)


def _unused(name: str, taken: Mapping[str, Function]) -> str:
    while name in taken:
        name += "_"
    return name


@dataclass
class _Scope:
    """The current value of each updated array, and the statements emitted so far."""

    now: dict[str, Var]
    stmts: list[Stmt] = field(default_factory=list)

    def use(self, atom: Atom) -> Atom:
        return self.now.get(atom.name, atom) if isinstance(atom, Var) else atom

    def nested(self) -> _Scope:
        return _Scope(dict(self.now))


class _Purifier:
    """Translates one function; ``inner`` is the name that replaces the entry in calls."""

    def __init__(self, program: Program, function: Function, inner: str) -> None:
        self.program = program
        self.function = function
        self.inner = inner
        self.names = Names(all_names(function))
        self.lent = [p for p in function.params if p.mode in LENT_FOR_WRITING]
        self.fills = {s.out.name: s.fill for s in walk(function.body) if isinstance(s, Alloc)}
        self.original = {p.var.name: p.var for p in function.params}
        for s in walk(function.body):
            self.original.update((v.name, v) for v in (*outputs(s), *(s.carried if isinstance(s, Loop) else ())))

    # ---------------------------------------------------------------------------------------------- functions

    def callee(self) -> Function:
        """Translate a non-entry function: parameters lent for writing become owned, and their final contents additional
        results."""
        f = self.function
        scope = _Scope({})
        results = self.body(scope)
        params = tuple(Param(p.var, "own") if p in self.lent else p for p in f.params)
        finals = tuple(scope.use(p.var) for p in self.lent)
        name = self.inner if f.name == self.program.entry else f.name
        return Function(name, params, Block(tuple(scope.stmts), (*results, *finals)), f.span)

    def entry(self) -> Function:
        """Translate the entry function: the caller's arrays are written once, at the end."""
        f = self.function
        changed = set(self.updated(f.body))
        scope = _Scope({})
        lent = [p for p in self.lent if p.var.name in changed]
        for p in lent:
            shape = () if p.mode == "mut" else self.shape(scope, p.var, f.span)
            value = self.names.like(p.var)
            scope.stmts.append(
                Copy(value, p.var, f.span)
                if p.mode == "mut"
                else Alloc(value, shape, _zero(p.var.type.dtype, 0.0), f.span)
            )
            scope.now[p.var.name] = value
        results = self.body(scope)
        for p in lent:
            final = scope.now[p.var.name]
            if p.mode == "mut":
                self.each_cell(scope, p.var, f.span, lambda s, i, p=p, final=final: self.move(s, final, p.var, i))
            else:  # the caller may pass the same array for several accumulators: add to it instead of overwriting
                scope.stmts.append(AddArray(p.var, final, f.span))
        return replace(f, body=Block(tuple(scope.stmts), results))

    def body(self, scope: _Scope) -> tuple[Atom, ...]:
        needed = frozenset(p.var.name for p in self.lent)
        return self.block(self.function.body, scope, needed)

    # ------------------------------------------------------------------------------------------------- blocks

    def updated(self, block: Block) -> Iterator[str]:
        """The outer arrays that a block updates, each once, in order."""
        own = {v.name for s in walk(block) for v in outputs(s)}
        own |= {v.name for s in walk(block) if isinstance(s, Loop) for v in s.carried}
        seen: dict[str, None] = {}
        for s in walk(block):
            targets = list(writes(s)) or list(self.lends(s))
            seen.update((v.name, None) for v in targets if v.name not in own)
        return iter(seen)

    def lends(self, s: Stmt) -> Iterator[Var]:
        """The arrays that a call updates."""
        if isinstance(s, Call):
            for p, a in zip(self.program.functions[s.callee].params, s.args, strict=True):
                if p.mode in LENT_FOR_WRITING:
                    yield a  # type: ignore[misc]

    def block(self, block: Block, scope: _Scope, after: frozenset[str]) -> tuple[Atom, ...]:
        """Translate a block and return its results. ``after``: names that are live after the block."""
        needed = [after | {a.name for a in block.results if isinstance(a, Var)}]
        for s in reversed(block.stmts[1:]):
            needed.append(needed[-1].union(mentioned(s)))
        for s, live in zip(block.stmts, reversed(needed), strict=False):
            self.statement(s, scope, live)
        return tuple(map(scope.use, block.results))

    def statement(self, s: Stmt, scope: _Scope, live: frozenset[str]) -> None:
        match s:
            case Store(v, index, e, checked, span):
                out = self.copied(scope, v, span)
                at = tuple(map(scope.use, index))
                self.becomes(scope, v, out, Store(out, at, scope.use(e), checked, span))
            case AddTo(v, index, e, checked, span):
                delta = self.delta_vec(scope, v, tuple(map(scope.use, index)), scope.use(e), checked, span)
                scope.now[v.name] = self.sum(scope, scope.use(v), delta, span)
            case AddArray(v, w, span):
                scope.now[v.name] = self.sum(scope, scope.use(v), scope.use(w), span)
            case Dense(op, flags, updated, read, span):
                outs = tuple(self.copied(scope, v, span) for v in updated)
                scope.stmts.append(Dense(op, flags, outs, tuple(map(scope.use, read)), span))
                scope.now |= {v.name: out for v, out in zip(updated, outs, strict=True)}
            case Fill(v, e, span):
                out = self.names.like(v)
                scope.stmts.append(Alloc(out, self.shape(scope, scope.use(v), span), None, span))
                self.becomes(scope, v, out, Fill(out, scope.use(e), span))
            case Reserve(v, size, span):
                scope.now[v.name] = self.grown(scope, scope.use(v), scope.use(size), self.fills.get(v.name), span)
            case If():
                self.branch(s, scope, live)
            case Loop():
                self.loop(s, scope, live)
            case Call():
                self.call(s, scope)
            case _:
                scope.stmts.append(rebuild(s, scope.use))

    def becomes(self, scope: _Scope, v: Var, out: Var, last: Stmt) -> None:
        scope.stmts.append(last)
        scope.now[v.name] = out

    def branch(self, s: If, scope: _Scope, live: frozenset[str]) -> None:
        changed = {**dict.fromkeys(self.updated(s.then)), **dict.fromkeys(self.updated(s.orelse))}
        thread = [name for name in changed if name in live]
        arms = []
        for arm in (s.then, s.orelse):
            inside = scope.nested()
            results = self.block(arm, inside, live)
            finals = tuple(inside.use(self.original[name]) for name in thread)
            arms.append(Block(tuple(inside.stmts), (*results, *finals)))
        outs = [self.names.like(self.original[name]) for name in thread]
        scope.stmts.append(If(scope.use(s.cond), *arms, (*s.outs, *outs), s.span))
        scope.now.update(zip(thread, outs, strict=True))

    def loop(self, s: Loop, scope: _Scope, live: frozenset[str]) -> None:
        thread = list(self.updated(Block((s,))))
        inits = [scope.use(self.original[name]) for name in thread]
        carried, outs = ([self.names.like(self.original[name]) for name in thread] for _ in range(2))
        inside = scope.nested()
        inside.now.update(zip(thread, carried, strict=True))
        results = self.block(s.body, inside, live.union(mentioned(s)))
        finals = tuple(inside.now[name] for name in thread)
        head = rebuild(s, scope.use)
        scope.stmts.append(
            replace(
                head,
                carried=(*s.carried, *carried),
                inits=(*head.inits, *inits),
                body=Block(tuple(inside.stmts), (*results, *finals)),
                outs=(*s.outs, *outs),
            )
        )
        scope.now.update(zip(thread, outs, strict=True))

    def call(self, s: Call, scope: _Scope) -> None:
        """Translate a call. If an array is lent twice for accumulation, the second parameter gets zeros, and its final
        contents are added."""
        args: list[Atom] = []
        finals: list[tuple[Var, Var]] = []
        lent: set[str] = set()
        for p, a in zip(self.program.functions[s.callee].params, s.args, strict=True):
            value = scope.use(a)
            if p.mode in LENT_FOR_WRITING:
                if a.name in lent:
                    value = self.zeros_like(scope, value, s.span)
                lent.add(a.name)
                finals.append((a, self.names.like(a)))
            args.append(value)
        callee = self.inner if s.callee == self.program.entry else s.callee
        scope.stmts.append(Call((*s.outs, *(v for _, v in finals)), callee, tuple(args), s.span))
        done: set[str] = set()
        for a, final in finals:
            scope.now[a.name] = self.sum(scope, scope.now[a.name], final, s.span) if a.name in done else final
            done.add(a.name)

    # ------------------------------------------------------------------------------------------- fresh arrays

    def shape(self, scope: _Scope, v: Var, span: Span) -> tuple[Var, ...]:
        sizes = tuple(self.names.var("n") for _ in range(v.type.rank))
        scope.stmts.extend(Dim(n, v, axis, span) for axis, n in enumerate(sizes))
        return sizes

    def copied(self, scope: _Scope, v: Var, span: Span) -> Var:
        out = self.names.like(v)
        scope.stmts.append(Copy(out, scope.use(v), span))
        return out

    def zeros_like(self, scope: _Scope, v: Var, span: Span) -> Var:
        out = self.names.var("delta", v.type)
        scope.stmts.append(Alloc(out, self.shape(scope, v, span), _zero(v.type.dtype, -0.0), span))
        return out

    def delta_vec(self, scope: _Scope, v: Var, index: tuple[Atom, ...], e: Atom, checked: bool, span: Span) -> Var:
        """An array of the shape of v that holds e at one index and zeros elsewhere."""
        delta = self.zeros_like(scope, scope.use(v), span)
        scope.stmts.append(Store(delta, index, e, checked, span))
        return delta

    def sum(self, scope: _Scope, v: Var, w: Var, span: Span) -> Var:
        """A fresh array that holds v + w."""
        out = self.names.like(v)
        sizes = self.shape(scope, v, span)
        scope.stmts.append(Alloc(out, sizes, None, span))

        def cell(inner: _Scope, index: tuple[Atom, ...]) -> None:
            a, b, c = (self.names.var(hint, Scalar(v.type.dtype)) for hint in ("a", "b", "c"))
            inner.stmts += [Load(a, v, index, False, span), Load(b, w, index, False, span)]
            if v.type.dtype in NARROW:  # has no arithmetic of its own
                x, y, z = (self.names.var(hint) for hint in ("a", "b", "c"))
                inner.stmts += [Let(x, "cast", (a,), span), Let(y, "cast", (b,), span)]
                inner.stmts += [Let(z, "add", (x, y), span), Let(c, "cast", (z,), span)]
            else:
                inner.stmts.append(Let(c, "add", (a, b), span))
            inner.stmts.append(Store(out, index, c, False, span))

        self.nest(scope, sizes, (), cell, span)
        return out

    def grown(self, scope: _Scope, log: Var, size: Atom, fill: Const | None, span: Span) -> Var:
        """The log if it is long enough, else a longer copy of it."""
        new, out = self.names.like(log), self.names.like(log)
        short, double, most = self.names.var("short", BOOL), self.names.var("n"), self.names.var("n")
        inside = scope.nested()
        (n,) = self.shape(scope, log, span)
        inside.stmts += [
            Let(double, "add", (n, n), span),
            Let(most, "max", (double, size), span),
            Alloc(new, (most,), fill or _zero(log.type.dtype, 0.0), span),
        ]
        self.nest(inside, (n,), (), lambda s, i: self.move(s, log, new, i), span)
        scope.stmts += [
            Let(short, "lt", (n, size), span),
            If(short, Block(tuple(inside.stmts), (new,)), Block((), (log,)), (out,), span),
        ]
        return out

    def move(self, scope: _Scope, source: Var, target: Var, index: tuple[Atom, ...]) -> None:
        a = self.names.var("a", Scalar(source.type.dtype))
        scope.stmts += [Load(a, source, index, False), Store(target, index, a, False)]

    def each_cell(self, scope: _Scope, v: Var, span: Span, cell) -> None:
        self.nest(scope, self.shape(scope, v, span), (), cell, span)

    def nest(self, scope: _Scope, sizes: tuple[Var, ...], index: tuple[Var, ...], cell, span: Span) -> None:
        """Emit loops over the remaining axes, with ``cell(scope, index)`` as the innermost body."""
        if not sizes:
            cell(scope, index)
            return
        i = self.names.var("i")
        inside = _Scope(scope.now)
        self.nest(inside, sizes[1:], (*index, i), cell, span)
        body = Block(tuple(inside.stmts))
        scope.stmts.append(Loop(i, ZERO, sizes[0], ONE, (), (), body, (), span=span))


def _zero(dtype: str, zero: float) -> Const:
    """The additive identity. For floats, adding -0.0 changes no number; adding 0.0 would turn -0.0 into 0.0."""
    match dtype:
        case "bool":
            return Const(False, BOOL)
        case _ if dtype in FLOATS:
            return Const(zero, Scalar(dtype))
        case _:
            return Const(0, Scalar(dtype))
