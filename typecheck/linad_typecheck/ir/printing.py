"""The core as text, one statement per line.

    entry fn norm(x: read f64[:]) -> f64 {
      n = dim &x 0
      for i in range(n) carry (s.1: f64 = 0.0) -> (s.3) {
        e = load! &x [i]
        e2 = mul e e
        s.2 = add s.1 e2
        yield s.2
      }
      return s.3
    }

``&x`` is an array that the statement borrows. A ``!`` marks an access whose index is known to be in range; a ``'``
after a name at its definition marks an adjoint (`Var.adjoint`). Types are omitted where the statement determines them.
Spans are not printed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable

from . import core as ir
from ..ops import OPS
from ..types import BOOL, F64, I64, Array, Scalar, Type

INDENT = "  "


def let_type(op: str, ins: tuple[ir.Atom, ...]) -> Type | None:
    """The type of the result of a `Let`, from its operands; None if they do not determine it (`cast`)."""
    match OPS[op].result if op in OPS else "out":
        case "same":
            return ins[0].type if ins else None
        case "second":
            return ins[1].type if len(ins) > 1 else None
        case "bool":
            return BOOL
        case "int":
            return I64
        case _:
            return None


def print_const(c: ir.Const) -> str:
    """A literal. Plain literals have type ``f64``, ``i64`` or ``bool``; any other type is written after the literal."""
    if isinstance(c.value, bool):
        return repr(c.value)
    if isinstance(c.value, int):
        return repr(c.value) if c.type == I64 else f"{c.value!r}{c.type}"
    value = float(c.value)
    text = repr(value)
    if not math.isfinite(value) and not text.startswith("-"):
        text = "+" + text  # a bare `inf` would be a name
    return text if c.type == F64 else f"{text}{c.type}"


def print_atom(a: ir.Atom) -> str:
    return print_const(a) if isinstance(a, ir.Const) else a.name


def _atoms(atoms: Iterable[ir.Atom]) -> str:
    return ", ".join(print_atom(a) for a in atoms)


def _index(atoms: Iterable[ir.Atom]) -> str:
    return f"[{_atoms(atoms)}]"


def _name(v: ir.Var) -> str:
    """A name at its definition, marked if it is an adjoint."""
    return f"{v.name}'" if v.adjoint else v.name


def _bind(v: ir.Var, known: Type | None = None) -> str:
    """A name at its definition, with its type unless the reader can infer it."""
    return _name(v) if v.type == known else f"{_name(v)}: {v.type}"


def _tuple(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _bang(checked: bool) -> str:
    return "" if checked else "!"


# ------------------------------------------------------------------------------------------------ simple statements


def _let(s: ir.Let) -> str:
    return f"{_bind(s.out, let_type(s.op, s.ins))} = {' '.join([s.op, *map(print_atom, s.ins)])}"


def _dup(s: ir.Dup) -> str:
    return f"({_bind(s.first, s.x.type)}, {_bind(s.second, s.x.type)}) = dup {s.x}"


def _load(s: ir.Load) -> str:
    return f"{_bind(s.out, Scalar(s.array.type.dtype))} = load{_bang(s.checked)} &{s.array} {_index(s.index)}"


def _store(s: ir.Store) -> str:
    return f"&{s.array}{_bang(s.checked)}{_index(s.index)} = {print_atom(s.value)}"


def _add_to(s: ir.AddTo) -> str:
    return f"&{s.array}{_bang(s.checked)}{_index(s.index)} += {print_atom(s.value)}"


def _alloc(s: ir.Alloc) -> str:
    known = Array(s.out.type.dtype, len(s.shape))
    fill = "" if s.fill is None else f" fill {print_const(s.fill)}"
    log = "" if s.log == "no" else f" log {s.log}"
    return f"{_bind(s.out, known)} = alloc {s.out.type.dtype} {_index(s.shape)}{fill}{log}"


def _call(s: ir.Call) -> str:
    outs = [_bind(o) for o in s.outs]
    head = f"{_tuple(outs)} = " if outs else ""
    return f"{head}call {s.callee}({_atoms(s.args)})"


def _check(s: ir.Check) -> str:
    args = f" ({_atoms(s.args)})" if s.args else ""
    return f"check {print_atom(s.cond)} else {s.error} {json.dumps(s.message, ensure_ascii=False)}{args}"


def _dense(s: ir.Dense) -> str:
    updated, read = (" ".join(f"&{v}" for v in vs) for vs in (s.updated, s.read))
    return f"{updated} = dense {s.op}{s.flags and ' ' + s.flags} ({read})"


_LINES: dict[type, Callable[..., str]] = {
    ir.Let: _let,
    ir.Dup: _dup,
    ir.Drop: lambda s: f"drop {s.x}",
    ir.Read: lambda s: f"{_bind(s.out, s.x.type)} = read &{s.x}",
    ir.Same: lambda s: f"{s.how} &{s.copy} &{s.array}",
    ir.Load: _load,
    ir.Store: _store,
    ir.AddTo: _add_to,
    ir.Dim: lambda s: f"{_bind(s.out, I64)} = dim &{s.array} {s.axis}",
    ir.Alloc: _alloc,
    ir.Copy: lambda s: f"{_bind(s.out, s.array.type)} = copy &{s.array}",
    ir.AddArray: lambda s: f"&{s.array} += &{s.other}",
    ir.Fill: lambda s: f"&{s.array}[...] = {print_atom(s.value)}",
    ir.Reserve: lambda s: f"reserve &{s.array} {print_atom(s.size)}",
    ir.Dense: _dense,
    ir.Call: _call,
    ir.Check: _check,
}

# ------------------------------------------------------------------------------------------------ region statements


def _body(block: ir.Block, depth: int, leave: str) -> list[str]:
    lines = [line for s in block.stmts for line in _stmt(s, depth)]
    if block.results:
        lines.append(f"{INDENT * depth}{leave} {_atoms(block.results)}")
    return lines


def _if(s: ir.If, depth: int) -> list[str]:
    pad = INDENT * depth
    known = [r.type for r in s.then.results] + [None] * len(s.outs)
    outs = [_bind(o, t) for o, t in zip(s.outs, known)]
    head = f"{_tuple(outs)} = " if outs else ""
    lines = [f"{pad}{head}if {print_atom(s.cond)} {{", *_body(s.then, depth + 1, "yield")]
    if s.orelse.stmts or s.orelse.results:
        lines += [f"{pad}}} else {{", *_body(s.orelse, depth + 1, "yield")]
    return [*lines, f"{pad}}}"]


def _range(s: ir.Loop) -> str:
    stop = "..." if s.stop is None else print_atom(s.stop)
    if s.step != ir.Const(1, I64):
        return f"range({print_atom(s.start)}, {stop}, {print_atom(s.step)})"
    return f"range({stop})" if s.start == ir.Const(0, I64) else f"range({print_atom(s.start)}, {stop})"


def _loop(s: ir.Loop, depth: int) -> list[str]:
    pad = INDENT * depth
    words = [f"for {_bind(s.index, I64)} in {_range(s)}"]
    if s.kind != "sequential":
        words.append(f"as {s.kind}")
    if s.exits:
        words.append("exits")
    if s.trips is not None:
        words.append(f"trips {_bind(s.trips, I64)}")
    if s.mark is not None:
        given = {"slots": s.mark.slots, "memory": s.mark.memory}
        words += [f"checkpoint {s.mark.scheme}", *(f"{k} {print_atom(a)}" for k, a in given.items() if a is not None)]
    if s.carried or s.inits:
        words.append(f"carry ({', '.join(f'{_bind(v)} = {print_atom(a)}' for v, a in zip(s.carried, s.inits))})")
    if s.outs:
        known = [v.type for v in s.carried] + [None] * len(s.outs)
        words.append(f"-> ({', '.join(_bind(o, t) for o, t in zip(s.outs, known))})")
    return [f"{pad}{' '.join(words)} {{", *_body(s.body, depth + 1, "yield"), f"{pad}}}"]


def _stmt(s: ir.Stmt, depth: int) -> list[str]:
    match s:
        case ir.If():
            return _if(s, depth)
        case ir.Loop():
            return _loop(s, depth)
        case _:
            return [INDENT * depth + _LINES[type(s)](s)]


def print_stmt(s: ir.Stmt) -> str:
    """A statement, with its nested blocks."""
    return "\n".join(_stmt(s, 0))


def _param(p: ir.Param) -> str:
    plain = isinstance(p.var.type, Scalar) and p.mode == "own"
    return f"{_name(p.var)}: {p.var.type}" if plain else f"{_name(p.var)}: {p.mode} {p.var.type}"


def print_function(f: ir.Function, *, entry: bool = False) -> str:
    """A function: parameters with their modes, result types, body."""
    types = ", ".join(str(r.type) for r in f.body.results) or "()"
    rule = "" if f.rule is None else f" {_rule(f.rule)}"
    rule += "" if f.nonlinear is None else f" nonlinear {json.dumps(f.nonlinear.why)}"
    head = f"{'entry ' * entry}fn {f.name}({', '.join(map(_param, f.params))}) -> {types}{rule} {{"
    return "\n".join([head, *_body(f.body, 1, "return"), "}"])


def _rule(rule: ir.Rule) -> str:
    """A user-defined derivative: its functions and, by position, their arguments."""

    def place(p: int | ir.Result | ir.Size) -> str:
        match p:
            case ir.Result(position=k):
                return f"result {k}"
            case ir.Size(param=k, axis=axis):
                return f"size {k} {axis}"
        return f"{p}"

    parts = [f"rule {rule.kind} {rule.forward} by", *map(str, rule.wrt)]
    parts += ["blocked", *map(str, rule.blocked)] if rule.blocked else []
    parts += ["backward", rule.backward, *map(place, rule.given)] if rule.backward else []
    parts += ["and", _rule(rule.tangent)] if rule.tangent is not None else []
    return " ".join(parts)


def print_program(program: ir.Program) -> str:
    """All functions of a program. `parse.parse_program` is the inverse."""
    return "\n\n".join(print_function(f, entry=n == program.entry) for n, f in program.functions.items()) + "\n"
