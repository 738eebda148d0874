"""The parser of the core's text: the inverse of `printing`, line by line.

Tests are written in this text, so an error is reported with its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple, NoReturn, get_args

from . import core as ir
from .printing import let_type
from ..ops import OPS
from ..types import BOOL, F64, I64, Array, Scalar, Type


class CoreSyntaxError(ValueError):
    """Raised for a text that is not a core program. The message starts with the line number."""


_DTYPE = r"(?:f64|f32|i64|i32|bool)"
_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<number>[+-]?(?:inf|nan|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)(?:{_DTYPE})?(?!\w))
    | (?P<name>[^\W\d][\w$@#]*(?:\.[\w$@#]+)*)
    | (?P<mark>\.\.\.|->|\+=|[&!=:,'(){{}}\[\]])
    )""",
    re.VERBOSE,
)
_LITERAL = re.compile(rf"(?P<value>[+-]?(?:inf|nan|[\d.]+(?:[eE][+-]?\d+)?))(?P<dtype>{_DTYPE})?$")
_KEYWORD_AFTER_FOR = ("as", "exits", "trips", "checkpoint", "carry")


class _Line:
    """The tokens of a line, and a cursor."""

    def __init__(self, number: int, text: str) -> None:
        self.number, self.text, self.at = number, text, 0
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while text[position:].strip():
            m = _TOKEN.match(text, position)
            if m is None:
                self.fail(f"cannot read {text[position:].strip()!r}")
            kind = m.lastgroup or ""
            token = m.group(kind)
            if kind == "number" and token in ("inf", "nan"):
                kind = "name"  # only a signed one is a literal
            self.tokens.append((kind, token))
            position = m.end()

    def fail(self, what: str) -> NoReturn:
        raise CoreSyntaxError(f"line {self.number}: {what} in {self.text.strip()!r}")

    def peek(self, ahead: int = 0) -> str:
        i = self.at + ahead
        return self.tokens[i][1] if i < len(self.tokens) else ""

    def take(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            self.fail("unexpected end of line")
        self.at += 1
        return self.tokens[self.at - 1]

    def skip(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def expect(self, token: str) -> None:
        if not self.skip(token):
            self.fail(f"expected {token!r} before {self.peek()!r}")

    def name(self) -> str:
        kind, token = self.take()
        if kind != "name":
            self.fail(f"expected a name, not {token!r}")
        return token

    def end(self) -> None:
        if self.at < len(self.tokens):
            self.fail(f"unexpected {self.peek()!r}")

    def type(self) -> Type:
        dtype = self.name()
        if not re.fullmatch(_DTYPE, dtype):
            self.fail(f"unknown type {dtype!r}")
        if not self.skip("["):
            return Scalar(dtype)
        rank = 0
        while not self.skip("]"):
            self.expect(":")
            self.skip(",")
            rank += 1
        return Array(dtype, rank)


def _literal(line: _Line, text: str) -> ir.Const:
    m = _LITERAL.match(text)
    value, dtype = m["value"], m["dtype"]
    whole = re.fullmatch(r"[+-]?\d+", value) is not None
    return ir.Const(int(value) if whole else float(value), Scalar(dtype) if dtype else I64 if whole else F64)


class _Bound(NamedTuple):
    """A name at its definition, with its annotations there."""

    name: str
    adjoint: bool
    type: Type | None


class _Reader:
    """The lines of a text, and the variables of the function being read."""

    def __init__(self, text: str) -> None:
        lines = (_Line(n, t) for n, t in enumerate(text.splitlines(), 1) if not t.lstrip().startswith("//"))
        self.lines: Iterator[_Line] = iter([line for line in lines if line.tokens])
        self.vars: dict[str, ir.Var] = {}

    def next(self) -> _Line:
        line = next(self.lines, None)
        if line is None:
            raise CoreSyntaxError("the text ends inside a block")
        return line

    def define(self, line: _Line, bound: _Bound, known: Type | None = None) -> ir.Var:
        type_ = bound.type or known
        if type_ is None:
            line.fail(f"the type of {bound.name} is missing")
        v = self.vars[bound.name] = ir.Var(bound.name, type_, bound.adjoint)
        return v

    def var(self, line: _Line) -> ir.Var:
        name = line.name()
        if name not in self.vars:
            line.fail(f"{name} is not defined")
        return self.vars[name]

    def lent(self, line: _Line) -> ir.Var:
        line.expect("&")
        return self.var(line)

    def atom(self, line: _Line) -> ir.Atom:
        kind, token = line.tokens[line.at] if line.at < len(line.tokens) else ("", "")
        if kind == "number":
            line.take()
            return _literal(line, token)
        if token in ("True", "False"):
            line.take()
            return ir.Const(token == "True", BOOL)
        return self.var(line)

    def atoms(self, line: _Line, close: str) -> tuple[ir.Atom, ...]:
        found: list[ir.Atom] = []
        while not line.skip(close):
            found.append(self.atom(line))
            if line.peek() != close:
                line.expect(",")
        return tuple(found)

    def index(self, line: _Line) -> tuple[ir.Atom, ...]:
        line.expect("[")
        return self.atoms(line, "]")

    def binder(self, line: _Line) -> _Bound:
        return _Bound(line.name(), line.skip("'"), line.type() if line.skip(":") else None)

    def binders(self, line: _Line) -> list[_Bound]:
        """The names left of ``=``: one, or several in parentheses."""
        if not line.skip("("):
            return [self.binder(line)]
        found = []
        while not line.skip(")"):
            found.append(self.binder(line))
            line.skip(",")
        return found

    # -------------------------------------------------------------------------------------------------- blocks

    def block(self) -> tuple[ir.Block, _Line]:
        """Statements up to the closing line, which is returned with the cursor after the brace."""
        stmts: list[ir.Stmt] = []
        results: tuple[ir.Atom, ...] = ()
        while True:
            line = self.next()
            if line.skip("}"):
                return ir.Block(tuple(stmts), results), line
            if line.peek() in ("yield", "return"):
                line.take()
                results = (self.atom(line),)
                while line.skip(","):
                    results += (self.atom(line),)
                line.end()
                continue
            stmts.append(self.stmt(line))
            if not isinstance(stmts[-1], ir.If | ir.Loop):
                line.end()

    def stmt(self, line: _Line) -> ir.Stmt:
        if line.peek() == "&":
            return self.update(line)
        if line.peek() == "for":
            return self.loop(line)
        if line.peek() == "if":
            return self.if_(line, [])
        bare = _BARE.get(line.peek())
        if bare is not None and line.peek(1) not in ("=", ":", "'"):  # a variable may be named `drop`
            line.take()
            return bare(self, line)
        outs = self.binders(line)
        line.expect("=")
        op = line.name()
        if op == "if":
            line.at -= 1
            return self.if_(line, outs)
        if op in _BINDING:
            return _BINDING[op](self, line, outs)
        if op not in OPS:
            line.fail(f"unknown operation {op!r}")
        ins: list[ir.Atom] = []
        while line.peek():
            ins.append(self.atom(line))
        return ir.Let(self.define(line, outs[0], let_type(op, tuple(ins))), op, tuple(ins))

    def update(self, line: _Line) -> ir.Stmt:
        array = self.lent(line)
        if line.peek() in ("=", "&"):
            return self.dense(line, array)
        if line.skip("+="):
            return ir.AddArray(array, self.lent(line))
        if line.peek(1) == "...":
            for mark in ("[", "...", "]", "="):
                line.expect(mark)
            return ir.Fill(array, self.atom(line))
        checked = not line.skip("!")
        index = self.index(line)
        if line.skip("+="):
            return ir.AddTo(array, index, self.atom(line), checked)
        line.expect("=")
        return ir.Store(array, index, self.atom(line), checked)

    def dense(self, line: _Line, first: ir.Var) -> ir.Dense:
        updated = [first]
        while line.peek() == "&":
            updated.append(self.lent(line))
        line.expect("=")
        line.expect("dense")
        op = line.name()
        flags = "" if line.peek() == "(" else line.name()
        line.expect("(")
        read: list[ir.Var] = []
        while not line.skip(")"):
            read.append(self.lent(line))
        return ir.Dense(op, flags, tuple(updated), tuple(read))

    def if_(self, line: _Line, outs: list[_Bound]) -> ir.If:
        line.expect("if")
        cond = self.atom(line)
        line.expect("{")
        then, closing = self.block()
        orelse = ir.Block()
        if closing.skip("else"):
            closing.expect("{")
            orelse, closing = self.block()
        closing.end()
        known: list[Type | None] = [r.type for r in then.results] + [None] * len(outs)
        return ir.If(cond, then, orelse, tuple(self.define(line, o, t) for o, t in zip(outs, known)))

    def loop(self, line: _Line) -> ir.Loop:
        line.expect("for")
        bound_index = self.binder(line)
        for word in ("in", "range", "("):
            line.expect(word)
        bounds: list[ir.Atom | None] = []
        while not line.skip(")"):
            bounds.append(None if line.skip("...") else self.atom(line))
            line.skip(",")
        start, stop, step = {
            1: lambda b: (ir.Const(0, I64), b, ir.Const(1, I64)),
            2: lambda a, b: (a, b, ir.Const(1, I64)),
            3: lambda a, b, c: (a, b, c),
        }[len(bounds)](*bounds)
        kind, exits, trips, mark = "sequential", False, None, None
        carried: list[_Bound] = []
        inits: list[ir.Atom] = []
        while line.peek() in _KEYWORD_AFTER_FOR:
            match line.name():
                case "as":
                    kind = line.name()
                case "exits":
                    exits = True
                case "trips":
                    trips = self.binder(line)
                case "checkpoint":
                    scheme = line.name()
                    given = {word: self.atom(line) for word in ("slots", "memory") if line.skip(word)}
                    mark = ir.Checkpoint(scheme, **given)  # type: ignore[arg-type]
                case _:
                    line.expect("(")
                    while not line.skip(")"):
                        carried.append(self.binder(line))
                        line.expect("=")
                        inits.append(self.atom(line))
                        line.skip(",")
        outs = self.binders(line) if line.skip("->") else []
        line.expect("{")
        index = self.define(line, bound_index, I64)
        carried_vars = tuple(self.define(line, c, i.type) for c, i in zip(carried, inits))
        body, closing = self.block()
        closing.end()
        known: list[Type | None] = [v.type for v in carried_vars] + [None] * len(outs)
        out_vars = tuple(self.define(line, o, t) for o, t in zip(outs, known))
        count = None if trips is None else self.define(line, trips, I64)
        bare = ir.Loop(index, start, stop, step, carried_vars, tuple(inits), body, out_vars, exits, count, kind)
        return replace(bare, mark=mark)

    # ------------------------------------------------------------------------------------ statements by keyword

    def load(self, line: _Line, outs: list) -> ir.Stmt:
        checked = not line.skip("!")
        array = self.lent(line)
        return ir.Load(self.define(line, outs[0], Scalar(array.type.dtype)), array, self.index(line), checked)

    def dup(self, line: _Line, outs: list) -> ir.Stmt:
        x = self.var(line)
        return ir.Dup(self.define(line, outs[0], x.type), self.define(line, outs[1], x.type), x)

    def read(self, line: _Line, outs: list) -> ir.Stmt:
        x = self.lent(line)
        return ir.Read(self.define(line, outs[0], x.type), x)

    def dim(self, line: _Line, outs: list) -> ir.Stmt:
        array = self.lent(line)
        return ir.Dim(self.define(line, outs[0], I64), array, int(line.take()[1]))

    def alloc(self, line: _Line, outs: list) -> ir.Stmt:
        dtype = line.name()
        shape = self.index(line)
        fill = None
        if line.skip("fill"):
            fill = self.atom(line)
            if not isinstance(fill, ir.Const):
                line.fail("the fill of an alloc is a literal")
        log = line.name() if line.skip("log") else "no"
        if log not in get_args(ir.LogKind):
            line.fail(f"a log of {log} is not known")
        return ir.Alloc(self.define(line, outs[0], Array(dtype, len(shape))), shape, fill, log=log)

    def copy(self, line: _Line, outs: list) -> ir.Stmt:
        array = self.lent(line)
        return ir.Copy(self.define(line, outs[0], array.type), array)

    def call(self, line: _Line, outs: list) -> ir.Stmt:
        callee = line.name()
        line.expect("(")
        args = self.atoms(line, ")")
        return ir.Call(tuple(self.define(line, o) for o in outs), callee, args)

    def check(self, line: _Line) -> ir.Stmt:
        cond = self.atom(line)
        line.expect("else")
        error, message = line.name(), line.take()[1]
        return ir.Check(cond, error, json.loads(message), self.atoms(line, ")") if line.skip("(") else ())

    # --------------------------------------------------------------------------------------------------- functions

    def function(self, line: _Line) -> tuple[ir.Function, bool]:
        self.vars = {}
        entry = line.skip("entry")
        line.expect("fn")
        name = line.name()
        line.expect("(")
        params: list[ir.Param] = []
        while not line.skip(")"):
            pname, adjoint = line.name(), line.skip("'")
            line.expect(":")
            mode = line.name() if line.peek() in ("read", "acc", "mut", "own", "out") else "own"
            params.append(ir.Param(self.define(line, _Bound(pname, adjoint, line.type())), mode))
            line.skip(",")
        while line.peek() not in ("{", "rule", "nonlinear", ""):  # result types are for readers
            line.take()
        rule = self.rule(line) if line.skip("rule") else None
        nonlinear = ir.Nonlinear(json.loads(line.take()[1])) if line.skip("nonlinear") else None
        line.expect("{")
        body, closing = self.block()
        closing.end()
        return ir.Function(name, tuple(params), body, rule=rule, nonlinear=nonlinear), entry

    def rule(self, line: _Line) -> ir.Rule:
        """A user-defined derivative, after the word ``rule``."""
        kind, forward = line.name(), line.name()
        if kind not in ("vjp", "jvp"):
            line.fail(f"a rule is a vjp or a jvp, not {kind!r}")
        line.expect("by")
        wrt = self.positions(line)
        blocked = self.positions(line) if line.skip("blocked") else ()
        if not line.skip("backward"):
            return ir.Rule(kind, forward, wrt, blocked)
        backward, given = line.name(), []
        while line.peek() not in ("{", "", "and"):
            if line.skip("result"):
                given.append(ir.Result(self.position(line)))
            elif line.skip("size"):
                given.append(ir.Size(self.position(line), self.position(line)))
            else:
                given.append(self.position(line))
        tangent = self.rule(line) if line.skip("and") and line.skip("rule") else None
        return ir.Rule(kind, forward, wrt, blocked, backward, tuple(given), tangent)

    def positions(self, line: _Line) -> tuple[int, ...]:
        found = []
        while line.peek().isdigit():
            found.append(self.position(line))
        return tuple(found)

    def position(self, line: _Line) -> int:
        token = line.take()[1]
        if not token.isdigit():
            line.fail(f"expected a position, not {token!r}")
        return int(token)


_BARE: dict[str, Callable[[_Reader, _Line], ir.Stmt]] = {
    "drop": lambda r, line: ir.Drop(r.var(line)),
    **{
        how: lambda r, line, how=how: ir.Same(r.lent(line), r.lent(line), how=how)
        for how in ("same", "holds", "like", "taken", "updated")
    },
    "reserve": lambda r, line: ir.Reserve(r.lent(line), r.atom(line)),
    "call": lambda r, line: r.call(line, []),
    "check": _Reader.check,
}
_BINDING: dict[str, Callable[[_Reader, _Line, list], ir.Stmt]] = {
    "load": _Reader.load,
    "dup": _Reader.dup,
    "read": _Reader.read,
    "dim": _Reader.dim,
    "alloc": _Reader.alloc,
    "copy": _Reader.copy,
    "call": _Reader.call,
}


def parse_program(text: str) -> ir.Program:
    """The program that a text of the core denotes.

    Parameters
    ----------
    text : str
        Functions as `printing.print_program` writes them. Lines that begin with ``//`` are comments. If no
        function is marked ``entry``, the first one is the entry.

    Raises
    ------
    CoreSyntaxError
        With the number of the offending line.
    """
    reader = _Reader(text)
    functions: dict[str, ir.Function] = {}
    entry = ""
    for line in reader.lines:
        f, is_entry = reader.function(line)
        functions[f.name] = f
        entry = f.name if is_entry or not entry else entry
    if not functions:
        raise CoreSyntaxError("the text has no function")
    return ir.Program(entry, functions)
