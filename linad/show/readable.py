"""Readable form of a core function: expressions are reassembled and the user's names restored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Call, Check, Const, Copy, Dense, Dim, Fill, Function, If, Let, Load, Loop,
    Reserve, Stmt, Store, Var, all_names, base_name, count_uses, outputs, writes,
)
from linad_typecheck.types import PYTHONS, Array, Scalar

from ..codegen.text import Text
from ..codegen.tree import Apply, At, CopyOf, Expr, Leaf, New, Num, Size, cells_read, subexpressions

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_LONG = 60  # longer expressions are not inlined into others


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, with the source line of its statement, its nesting depth, and the names it defines and uses."""

    number: int
    depth: int
    text: str
    defines: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    head: bool = False  # whether it opens a loop or an arm


class _Plain(Text):
    """Expressions without Numba-only details: index casts and conversions of constants."""

    def one_index(self, e: Expr) -> str:
        return self(e)

    def number(self, const: Const) -> tuple[str, int]:
        wide = PYTHONS[const.type.dtype]
        return super().number(Const(const.value, Scalar(wide)))


def plain_names(f: Function) -> dict[str, str]:
    """The user's name for each SSA name, with a subscript if several values share a name."""
    bases = Counter(base_name(n) for n in all_names(f))
    shown: dict[str, str] = {}
    for n in sorted(all_names(f)):
        base, _, k = n.partition(".")
        shown[n] = base if bases[base] == 1 or not k else base + k.translate(_SUBSCRIPTS)
    return shown


def readable(f: Function) -> list[Line]:
    """The lines of a function in execution order."""
    reader = _Reader(f)
    reader.block(f.body, 0)
    reader.flush(0)
    values = ", ".join(map(reader.show, f.body.results))
    if values:
        reader.lines.append(Line(f.span.end_line, 0, f"return {values}", uses=reader.names_in(f.body.results)))
    return reader.lines


class _Reader:
    def __init__(self, f: Function) -> None:
        self.uses = count_uses(f)
        self.names = plain_names(f)
        self.text = _Plain(self.names, set())
        self.waiting: dict[str, tuple[Stmt, Expr]] = {}
        self.lines: list[Line] = []

    # -- expressions

    def expr(self, a: Atom) -> Expr:
        if isinstance(a, Const):
            return Num(a)
        if a.name in self.waiting:
            return self.waiting.pop(a.name)[1]
        return Leaf(a)

    def show(self, a: Atom) -> str:
        return self.text(self.expr(a))

    def names_in(self, atoms: Iterable[Atom | None]) -> frozenset[str]:
        found: set[str] = set()
        for a in atoms:
            if isinstance(a, Var):
                found.add(a.name)
                if a.name in self.waiting:
                    found |= _mentioned(self.waiting[a.name][1])
        return frozenset(found)

    def value(self, s: Stmt) -> Expr | None:
        match s:
            case Let(out, op, ins):
                return Apply(op, tuple(map(self.expr, ins)), out.type, ins[0].type)
            case Load(_, a, i):
                return At(a, tuple(map(self.expr, i)))
            case Dim(_, a, axis):
                return Size(a, axis)
            case Alloc(out, shape, fill):
                return New(out.type, tuple(map(self.expr, shape)), fill)
            case Copy(_, a):
                return CopyOf(a)
        return None

    # -- statements

    def block(self, b: Block, depth: int) -> None:
        for s in b.stmts:
            self.statement(s, depth)

    def line(
        self,
        s: Stmt,
        depth: int,
        text: str,
        defines: Iterable[str] = (),
        uses: frozenset[str] = frozenset(),
        head: bool = False,
    ) -> None:
        self.lines.append(Line(s.span.line, depth, text, frozenset(defines), uses, head))

    def flush(self, depth: int, array: str | None = None) -> None:
        """Write out pending expressions: all of them, or those that read the array that is about to change."""
        for name in list(self.waiting):
            s, e = self.waiting.get(name, (None, None))
            if s is not None and (array is None or array in cells_read(e)):
                self.waiting.pop(name, None)
                self.line(s, depth, f"{self.names[name]} = {self.text(e)}", (name,), frozenset(_mentioned(e)))

    def statement(self, s: Stmt, depth: int) -> None:
        changed = {v.name for v in writes(s)}
        if isinstance(s, Call):  # conservatively: any array argument may change, as parameter modes are not looked up
            changed |= {a.name for a in s.args if isinstance(a, Var) and isinstance(a.type, Array)}
        used = self.names_in((*self._operands(s),))
        value = self.value(s)
        if value is not None:
            (out,) = outputs(s)
            once = self.uses[out.name] == 1 and not isinstance(value, New | CopyOf)
            if once and len(self.text(value)) <= _LONG:
                self.waiting[out.name] = (s, value)
            else:
                self.line(s, depth, f"{self.names[out.name]} = {self.text(value)}", (out.name,), used)
            return
        parts: list[str] = []
        match s:
            case Store(a, i, v) | AddTo(a, i, v):
                place = self.text(At(a, tuple(map(self.expr, i))))
                parts = [place, "+=" if isinstance(s, AddTo) else "=", self.show(v)]
            case AddArray(a, b):
                parts = [self.names[a.name], "+=", self.names[b.name]]
            case Dense(op, flags, updated, read):
                args = ", ".join([*(self.names[a.name] for a in (*updated, *read)), *([repr(flags)] if flags else [])])
                parts = [f"{op}({args})"]
            case Fill(a, v):
                parts = [f"{self.names[a.name]}[...]", "=", self.show(v)]
            case Reserve(a, n):
                parts = [f"reserve({self.names[a.name]}, {self.show(n)})"]
            case Check(c, error):
                parts = [f"check({self.show(c)}, {error})"]
            case Call(outs, callee, args):
                call = f"{callee}({', '.join(map(self.show, args))})"
                left = ", ".join(self.names[o.name] for o in outs)
                parts = [left, "=", call] if outs else [call]
            case If():
                self.branch(s, depth)
                return
            case Loop():
                self.loop(s, depth, used)
                return
        text = " ".join(parts)
        for name in sorted(changed):
            self.flush(depth, name)
        defines = {o.name for o in outputs(s)} | changed
        self.line(s, depth, text, defines, used)

    def _operands(self, s: Stmt) -> tuple[Atom, ...]:
        from linad_typecheck.ir.core import operands

        return operands(s)

    def copies(self, s: Stmt, targets: Iterable[Var], values: Iterable[Atom], depth: int) -> None:
        """Assignments for the values that a block passes on; omits those that keep their name."""
        for t, v in zip(targets, values, strict=True):
            used = self.names_in((v,))
            source = self.waiting[v.name][0] if isinstance(v, Var) and v.name in self.waiting else s
            text = self.show(v)
            if text != self.names[t.name]:
                self.line(source, depth, f"{self.names[t.name]} = {text}", (t.name,), used)

    def branch(self, s: If, depth: int) -> None:
        used = self.names_in((s.cond,))
        cond = self.show(s.cond)
        self.flush(depth)
        for word, arm in ((f"if {cond}:", s.then), ("else:", s.orelse)):
            at = len(self.lines)
            self.block(arm, depth + 1)
            self.copies(s, s.outs, arm.results, depth + 1)
            self.flush(depth + 1)
            if len(self.lines) > at or word != "else:":
                inside = self.lines[at:]
                number = s.span.line if word != "else:" else min((x.number for x in inside if x.number), default=0)
                self.lines.insert(at, Line(number, depth, word, frozenset(), used, True))

    def loop(self, s: Loop, depth: int, used: frozenset[str]) -> None:
        bounds = [self.expr(a) for a in (s.start, s.stop or Const(0, s.index.type), s.step)]
        self.flush(depth)
        self.copies(s, s.carried, s.inits, depth)
        index = self.names[s.index.name]
        head = "while True:" if s.stop is None else f"for {index} in {self.range(bounds)}:"
        self.line(s, depth, head, (s.index.name,), used, head=True)
        self.block(s.body, depth + 1)
        results = s.body.results
        if s.exits:
            go = self.show(results[0])
            self.copies(s, s.carried, results[1:], depth + 1)
            if go != "True":
                self.line(s, depth + 1, f"if not ({go}): break")
        else:
            self.copies(s, s.carried, results, depth + 1)
        self.flush(depth + 1)
        self.copies(s, s.outs, s.carried, depth)

    def range(self, bounds: list[Expr]) -> str:
        start, stop, step = bounds
        match start, stop, step:
            case Num(Const(value=0)), _, Num(Const(value=1)):
                return f"range({self.text(stop)})"
            case _, _, Num(Const(value=1)):
                return f"range({self.text(start)}, {self.text(stop)})"
            case Apply(op="sub", args=(last, Num(Const(value=1)))), Num(Const(value=low)), Num(Const(value=-1)):
                rest = "" if low == -1 else f"{low + 1}, "
                return f"reversed(range({rest}{self.text(last)}))"
        return f"range({', '.join(map(self.text, bounds))})"


def _mentioned(e: Expr) -> set[str]:
    found: set[str] = set()
    for x in subexpressions(e):
        match x:
            case Leaf(v) | At(array=v) | Size(array=v) | CopyOf(array=v):
                found.add(v.name)
    return found
