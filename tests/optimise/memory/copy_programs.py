"""Programs that copy an array and then write over it or over the copy, and what a pass makes of them."""

from __future__ import annotations

import re

import numpy as np
from linad_typecheck.ir.core import Loop, Program, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.optimise.memory.copy_sinking import sink_copies
from linad.pipeline import linear
from tests import kit

MADE_HERE = re.compile(r"(?:^ *|^ *for |carry \(|-> \()(\w+)(?: = | in |: f64|\) \{)", re.MULTILINE)
HEAD = """entry fn f(a: mut f64[:], x: mut f64[:,:], y: mut f64[:,:,:], k: mut i64[:], g: mut f32[:], q: i64, far: i64) -> f64 {
  n = dim &a 0
  m = dim &x 1
  nx = dim &x 0
  y0 = dim &y 0
  y1 = dim &y 1
  y2 = dim &y 2
  n1 = sub n 1
  n2 = sub n 2
  n3 = sub n 3
  m1 = sub m 1
  m2 = sub m 2
"""
OWN = "  u = copy &a\n"
COPY = "  c = copy &u\n"
LOOPS = "  for p in range(n) {\n    p1 = load! &u [p]\n    &c![p] = p1\n  }\n"
MADE = "  c = alloc f64 [n]\n" + LOOPS
READ_U = "  for o in range(n) {\n    o1 = load! &u [o]\n    &a![o] += o1\n  }\n"
READ_C = "  for o2 in range(n) {\n    o3 = load! &c [o2]\n    &a![o2] += o3\n  }\n"
STATES = {"a copy": COPY, "loops": MADE, "loops, to what was a copy of another array": "  c = copy &a\n" + LOOPS}
NEAR = "  for i in range(1, n1) {\n    l = load! &c [i-1]\n    h = load! &c [i]\n    r = load! &c [i+1]\n    s = mul l r\n    t = add s h\n    &u![i] = t\n  }\n"
END = "  return 0.0\n}\n"


def cells(body: str) -> str:
    """A body in which cells may be named as ``i+2`` or ``j-1``."""
    names = {d: f"{d[0]}{'p' if '+' in d else 'm'}{d[2:]}" for d in re.findall(r"\b[ij][+-]\d+", body)}
    offsets = {v: "".join(f"{name} = add {d[0]} {d[1:].removeprefix('+')}\n" for d, name in names.items() if d[0] == v) for v in "ij"}
    text = re.sub(r"\b[ij][+-]\d+", lambda d: names[d[0]], body)
    return re.sub(r"(for ([ij]) in .*\{\n)", lambda f: f[1] + offsets[f[2]], text)


def program(*parts: str) -> Program:
    """The parts behind each other, where a later one may define a name again."""
    text, known = HEAD, set(MADE_HERE.findall(HEAD))
    for k, part in enumerate(parts):
        part = cells(part)
        again = known & set(MADE_HERE.findall(part))
        text += re.sub(r"[a-z]\w*", lambda w, again=again, k=k: f"{w[0]}.{k}" if w[0] in again else w[0], part)
        known |= set(MADE_HERE.findall(part))
    made = parse_program(text + END)
    assert not verify(made)
    return made


def changed(before: Program) -> Program:
    linear(before)
    after = before.with_main(sink_copies(before.main)[0])
    assert not verify(after)
    linear(after)
    return after


def contents(n: int, m: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    return [rng.normal(size=n), rng.normal(size=(n, m)), rng.normal(size=(n, m, n)), rng.integers(0, max(n, 1), n), rng.normal(size=n).astype(np.float32)]


SIZES = ((0, 0), (1, 1), (2, 3), (3, 2), (3, 0), (4, 5), (8, 7))


def agree(before: Program, after: Program, sizes: tuple[tuple[int, int], ...] = SIZES, q: int = 2, far: int = 0) -> None:
    kit.agree(before, after, ((*contents(*size), q, far) for size in sizes))


def count(p: Program, kind: type) -> int:
    return sum(isinstance(s, kind) for s in walk(p.main.body))


def in_loops(p: Program, kind: type, array: str = "") -> int:
    """Accesses in the loop that writes to the array."""
    [loop] = (s for s in walk(p.main.body) if isinstance(s, Loop) and s.index.name == "i")
    return sum(isinstance(s, kind) and array in ("", s.array.name) for s in walk(loop.body))


PLANE = "  u = copy &x\n"
READ_X = "  for o in range(n) {\n    for o1 in range(m) {\n      o2 = load! &u [o, o1]\n      &x![o, o1] += o2\n    }\n  }\n"
READ_CX = "  for o3 in range(n) {\n    for o4 in range(m) {\n      o5 = load! &c [o3, o4]\n      &x![o3, o4] += o5\n    }\n  }\n"
LOOPS_X = "  c = alloc f64 [nx, m]\n  for p in range(nx) {\n    for p1 in range(m) {\n      p2 = load! &u [p, p1]\n      &c![p, p1] = p2\n    }\n  }\n"


def plane(loads: str, write: str = "i, j", rows: str = "1, n1", columns: str = "1, m1", op: str = "=") -> str:
    """A nest that reads those cells of the copy."""
    names = [f"e{k}" for k in range(len(loads.split(";")))]
    lines = [f"      {v} = load! &c [{where}]\n" for v, where in zip(names, loads.split(";"), strict=True)]
    lines += [f"      s{k} = add s{k - 1} e{k}\n" if k else "      s0 = mul e0 2.0\n" for k in range(len(names))]
    return f"  for i in range({rows}) {{\n    for j in range({columns}) {{\n{''.join(lines)}      &u![{write}] {op} s{len(names) - 1}\n    }}\n  }}\n"


OVER = NEAR.replace("&u!", "&w!").replace("&c", "&u").replace("&w!", "&c!")
PLANE_OVER = plane("i-1, j;i+1, j;i, j-1").replace("&u!", "&w!").replace("&c", "&u").replace("&w!", "&c!")
