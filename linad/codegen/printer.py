"""Print functions of the statement tree as Python source."""

from __future__ import annotations

from collections.abc import Mapping

from linad_typecheck.ir.core import Const, Var
from linad_typecheck.types import BOOL, FLOATS, ZEROS, Array, Type
from linad_typecheck.types import I64 as _I64

from .build import negate
from .parallel import OnThreads
from .text import PRODUCT, SUM, Text, matrix_flags, matrix_helper
from .tree import (
    AddAll, Apply, Assign, At, Branch, Carve, CopyAll, Demand, Expr, Fail, Finish, For, Forever, Forward, Invoke,
    Leaf, Leave, Matrix, New, Node, NoteNan, Num, ParallelCopy, Put, PutAll, Spread, ends, uses,
)

SHORT = 3  # the status code with which a driver requests larger workspaces
AUGMENTED = {"add": "+=", "sub": "-=", "mul": "*=", "div": "/=", "bitor": "|="}


class Printer:
    """Prints the body of one function.

    ``results``: the types returned after the status code. ``params``: its parameters. ``hidden``: arguments that every
    call passes on.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        params: tuple[Var, ...],
        results: tuple[Type, ...],
        needed: set[str],
        callees: Mapping[str, str],
        hidden: str,
        vector: tuple[str, ...] = (),
        logs: Mapping[str, int] = {},
        gauss: frozenset[str] = frozenset(),
    ) -> None:
        self.names = names
        self.results = results
        self.params = params
        self.text = Text(names, needed, vector, logs, gauss)
        self.callees = callees
        self.hidden = hidden
        self.lines: list[str] = []
        self.loops = 0  # number of enclosing loops

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def nodes(self, nodes: tuple[Node, ...], depth: int) -> None:
        before = len(self.lines)
        for node in nodes:
            self.node(node, depth)
        if len(self.lines) == before:
            self.line(depth, "pass")

    def node(self, node: Node, depth: int) -> None:
        match node:
            case Assign(target, value):
                self.assign(target, value, depth)
            case ParallelCopy(pairs):
                self.copies(pairs, depth)
            case Put(array, index, value, add):
                place = f"{self.names[array.name]}[{self.text.index(index)}]"
                self.line(depth, f"{place} {self.added(value) if add else '= ' + self.text(value)}")
            case PutAll(array, value):
                self.line(depth, f"{self.names[array.name]}.fill({self.text(value)})")
            case Matrix(op, flags, arrays):
                args = [*(self.names[a.name] for a in arrays), *matrix_flags(op, flags)]
                self.line(depth, f"{self.text.helper(matrix_helper(op, flags))}({', '.join(args)})")
            case AddAll(array, other):
                name = self.text.helper("add_into")
                self.line(depth, f"{name}({self.names[array.name]}, {self.names[other.name]})")
            case NoteNan(array):
                self.line(depth, f"{self.text.helper('note_nan')}({self.names[array.name]}, err)")
            case CopyAll(array, other):
                name = self.text.helper("copy_into")
                self.line(depth, f"{name}({self.names[array.name]}, {self.names[other.name]})")
            case Carve(target, workspace, at, shape):
                place, name = self.names[at.name], self.names[workspace.name]
                call = f"{self.text.helper('carve')}({name}, {place}, {self.text.tuple(shape)})"
                self.line(depth, f"{self.names[target.name]}, {place} = {call}")
            case Demand(cells):
                for k, need in enumerate(cells):
                    self.line(depth, f"err[{k}] = {self.text(need)}")
                self.leave(str(SHORT), depth)
            case Invoke(targets, callee, args):
                self.invoke(targets, callee, args, depth)
            case Spread(callee, chunks, args, site):
                given = [self.argument(a) for a in (chunks, *args)]
                call = f"{self.callees[OnThreads(callee)]}({', '.join([*given, self.hidden])})"
                self.line(depth, f"if {call} != {self.text(chunks, SUM)}:")
                self.node(Fail(site), depth + 1)
            case Fail(site, args):
                if site is None:
                    self.leave("1", depth)
                else:
                    self.fail(site, [self.word(a) for a in args], depth)
            case Finish(values):
                self.leave_with("0", [self.text(v) for v in values], depth)
            case Forward(callee, args):
                inner = ", ".join([*map(self.text, args), self.hidden])
                self.line(depth, f"return {self.callees[callee]}({inner})")
            case Branch():
                within, self.text.even = self.text.even, self.text.even or node.even and not self.loops
                self.branch(node, depth)
                self.text.even = within
            case For(index, start, stop, step, body, even):
                self.line(depth, f"for {self.names[index.name]} in {self.range(start, stop, step)}:")
                if _counts_up(start, step):
                    self.text.plain.add(index.name)
                self.inside(body, depth, even)
            case Forever((Branch(cond, (Leave(),), others), *rest)):
                self.line(depth, f"while {self.text(negate(cond))}:")
                self.inside((*others, *rest), depth)
            case Forever((Branch(cond, others, (Leave(),)), *rest)):
                self.line(depth, f"while {self.text(cond)}:")
                self.inside((*others, *rest), depth)
            case Forever(body):
                self.line(depth, "while True:")
                self.inside(body, depth)
            case Leave():
                self.line(depth, "break")

    def inside(self, body: tuple[Node, ...], depth: int, even: bool = False) -> None:
        """Print the body of a loop. Only in outermost loops do library functions give the same bits in all iterations;
        in others, the remainder iterations would take longer."""
        self.text.even = even and not self.loops
        self.loops += 1
        self.nodes(body, depth + 1)
        self.loops -= 1
        self.text.even = False

    # ------------------------------------------------------------------------------------------------ assignments

    def assign(self, target: Var, value: Expr, depth: int) -> None:
        name = self.names[target.name]
        match value:
            case Leaf(v) if self.names[v.name] == name:
                return
            case Apply(op=op, args=(Leaf(v), b), type=t) if (
                op in AUGMENTED and self.names[v.name] == name and t.dtype != "i32"
            ):
                self.line(depth, f"{name} {self.added(b) if op == 'add' else f'{AUGMENTED[op]} {self.text(b)}'}")
            case Apply(op="add" | "mul" as op, args=(a, Leaf(v)), type=t) if (
                self.names[v.name] == name and t.dtype != "i32"
            ):
                self.line(depth, f"{name} {AUGMENTED[op]} {self.text(a)}")
            case _:
                self.line(depth, f"{name} = {self.text(value)}")

    def added(self, value: Expr) -> str:
        """``+= value``, or ``-= other`` if the value is the negation of ``other``."""
        match value:
            case Apply(op="neg", args=(a,)):
                return f"-= {self.text(a)}"
            case Apply(op="mul" | "div" as op, args=(Apply(op="neg", args=(a,)), b)):
                sign = "*" if op == "mul" else "/"
                return f"-= {self.text(a, PRODUCT)} {sign} {self.text(b, PRODUCT + 1)}"
            case Num(Const(value=v, type=t)) if t.dtype in ("f64", "i64") and -(2**63) < v < 0:
                return f"-= {self.text(Num(Const(-v, t)))}"
        return f"+= {self.text(value)}"

    def copies(self, pairs: tuple[tuple[Var, Expr], ...], depth: int) -> None:
        """Print a parallel copy as a sequence in which no value is read after it is overwritten; a remaining cycle is
        one tuple assignment."""
        waiting = [(t, e) for t, e in pairs if not (isinstance(e, Leaf) and self.same(e.var, t))]
        while waiting:
            ready = next((k for k in range(len(waiting)) if self.harmless(k, waiting)), None)
            if ready is None:
                targets = ", ".join(self.names[t.name] for t, _ in waiting)
                values = ", ".join(self.text(e, SUM if isinstance(e, Apply) else 0) for _, e in waiting)
                self.line(depth, f"{targets} = {values}")
                return
            self.assign(*waiting.pop(ready), depth)

    def harmless(self, k: int, waiting: list[tuple[Var, Expr]]) -> bool:
        """Whether no other pending value reads the target of the ``k``-th copy."""
        name = self.names[waiting[k][0].name]
        return all(name not in {self.names[u] for u in uses(e)} for j, (_, e) in enumerate(waiting) if j != k)

    def same(self, a: Var, b: Var) -> bool:
        return self.names[a.name] == self.names[b.name]

    # --------------------------------------------------------------------------------------------------- control

    def branch(self, node: Branch, depth: int, word: str = "if") -> None:
        cond, then, orelse = node.cond, node.then, node.orelse
        match then, orelse:
            case (Branch(inner, body, ()),), ():  # `if a: if b:` is one condition
                self.branch(Branch(Apply("and", (cond, inner), BOOL, BOOL), body, ()), depth, word)
                return
        if not self.prints(then) and not self.prints(orelse):
            return
        if not self.prints(then):
            cond, then, orelse = negate(cond), orelse, ()
        if ends(orelse) and not ends(then) and word == "if":
            cond, then, orelse = negate(cond), orelse, then
        self.line(depth, f"{word} {self.text(cond)}:")
        self.nodes(then, depth + 1)
        if not self.prints(orelse):
            return
        if ends(then) and word == "if":
            self.nodes(orelse, depth)
            return
        match orelse:
            case (Branch() as other,):
                self.branch(other, depth, "elif")
            case _:
                self.line(depth, "else:")
                self.nodes(orelse, depth + 1)

    def prints(self, nodes: tuple[Node, ...]) -> bool:
        """Whether the nodes produce any text (copies within one name do not)."""

        def one(node: Node) -> bool:
            match node:
                case Assign(target, Leaf(v)):
                    return not self.same(v, target)
                case ParallelCopy(pairs):
                    return any(not (isinstance(e, Leaf) and self.same(e.var, t)) for t, e in pairs)
                case Branch():
                    return self.prints(node.then) or self.prints(node.orelse)
            return True

        return any(map(one, nodes))

    def range(self, start: Expr, stop: Expr, step: Expr) -> str:
        one = Num(Const(1, step.const.type)) if isinstance(step, Num) else None
        parts = [self.text(stop)]
        if step != one or not (isinstance(start, Num) and start.const.value == 0):
            parts.insert(0, self.text(start))
        if step != one:
            parts.append(self.text(step))
        return f"range({', '.join(parts)})"

    def invoke(self, targets: tuple[Var, ...], callee: str, args: tuple[Expr, ...], depth: int) -> None:
        call = f"{self.callees[callee]}({', '.join([*map(self.argument, args), self.hidden])})"
        if targets:
            self.line(depth, f"{', '.join(['code', *(self.names[t.name] for t in targets)])} = {call}")
        else:
            self.line(depth, f"code = {call}[0]")
        self.line(depth, "if code != 0:")
        self.leave("code", depth + 1)

    def argument(self, e: Expr) -> str:
        """An argument of a call to a generated function.

        Numba would compile a version per literal; in a recursive function these would refer to each other by addresses
        that are invalid in other processes, also in the cache.
        """
        match e:
            case Num(Const(value=bool(v))):
                return f"{self.text.helper('int64')}({int(v)}) != 0"
            case Num(Const(value=int())):
                return f"{self.text.helper('int64')}({self.text(e)})"
        return self.text(e)

    def fail(self, site: int, words: list[str], depth: int) -> None:
        """Record an error and return."""
        for k, word in enumerate((str(site), *words)):
            self.line(depth, f"err[{k}] = {word}")
        self.leave("2", depth)

    def leave(self, code: str, depth: int) -> None:
        self.leave_with(code, [self.dummy(t) for t in self.results], depth)

    def leave_with(self, code: str, values: list[str], depth: int) -> None:
        self.line(depth, f"return {code}, {', '.join(values)}" if values else f"return ({code},)")

    def dummy(self, t: Type) -> str:
        """A value of a type: the results of a failing function are not used."""
        if not isinstance(t, Array):
            return self.text(Num(Const(ZEROS[t.dtype], t)))
        for p in self.params:
            if p.type == t:
                return self.names[p.name]
        return self.text(New(t, (Num(Const(0, _I64)),) * t.rank, None))

    def word(self, e: Expr) -> str:
        """An argument of an error message as an int."""
        match e:
            case Apply(type=t) | Leaf(Var(type=t)) | Num(Const(type=t)) | At(array=Var(type=t)):
                if t.dtype in FLOATS:
                    return self.text.call("float_bits", e)
                if t.dtype != "i64":
                    return self.text.call("int64", e)
        return self.text(e)


def _counts_up(start: Expr, step: Expr) -> bool:
    return isinstance(start, Num) and start.const.value >= 0 and isinstance(step, Num) and step.const.value > 0
