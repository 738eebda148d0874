"""Random recursive programs: functions that call themselves and one another, and update what they are lent."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tests.strategies import Program

_FLOATS = ("s", "a", "v[i]", "v[0]", "t[n % 4]", "x[n]", "x[0]", "0.5", "r")
_PLACES = ("v[i]", "v[n % 4]", "t[i]", "t[0]")


@st.composite
def _expression(draw: st.DrawFn) -> str:
    a, b = draw(st.sampled_from(_FLOATS)), draw(st.sampled_from(_FLOATS))
    return draw(
        st.sampled_from((a, f"{a} * {b}", f"math.sin({a} + {b})", f"{a} - 0.3 * {b}", f"math.tanh({a}) * {b}"))
    )


@st.composite
def _call(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> str:
    """A call; inside loops one that halves, or the number of calls would explode."""
    name = draw(st.sampled_from(names))
    first, second = draw(st.sampled_from((("v", "t"), ("t", "v"), ("v", "t.copy()"), ("v * 0.5", "t"))))
    less = draw(st.sampled_from(("n - 1", "n // 2", "n - 2") if depth == 0 else ("n // 2", "n // 3")))
    return f"{name}(x, {first}, {second}, {less}, {draw(_expression())})"


@st.composite
def _statement(draw: st.DrawFn, names: tuple[str, ...], calls: list[int], depth: int) -> list[str]:
    kinds = ["scalar", "store", "add", "scale", "swap"]
    if depth < 2:
        kinds += ["if", "for", "while", "exit"]
    if calls[0] > 0:
        kinds += ["call", "call"] if depth else ["call", "call", "array"]
    match draw(st.sampled_from(kinds)):
        case "scalar":
            return [f"{draw(st.sampled_from(('s', 'r')))} = {draw(_expression())}"]
        case "store":
            return [f"{draw(st.sampled_from(_PLACES))} = {draw(_expression())}"]
        case "add":
            return [f"{draw(st.sampled_from(_PLACES))} += {draw(_expression())}"]
        case "scale":
            return [f"{draw(st.sampled_from(_PLACES))} *= 0.7 + 0.1 * {draw(st.sampled_from(_FLOATS))}"]
        case "swap":
            return ["v[0], v[i] = v[i], v[0]"]
        case "call":
            calls[0] -= 1
            return [f"r = {draw(_call(names, depth))}"]
        case "array":
            calls[0] -= 1
            return [f"u = whole(x, v, n - 1, {draw(_expression())})", "t[i] += u[i] * u[1]"]
        case "if":
            cond = draw(st.sampled_from(("n % 2 == 0", "s > 0.4", "v[0] > v[i]", "i > 1")))
            body, other = (draw(_statements(names, calls, depth + 1)) for _ in range(2))
            return [f"if {cond}:", *_in(body), "else:", *_in(other)]
        case "exit":
            return [f"if {draw(st.sampled_from(('n == 2', 's > 0.9', 'i > 2')))}:", f"    return {draw(_expression())}"]
        case "while":
            body = draw(_statements(names, calls, 2))
            return ["c = 0", "while c < n and s < 2.0:", *_in(["c += 1", "s = 0.5 * s + 0.6", *body])]
        case _:
            body = draw(_statements(names, calls, depth + 1))
            return [f"for i in range({draw(st.sampled_from(('2', 'n', '1, 3')))}):", *_in(body)]


@st.composite
def _statements(draw: st.DrawFn, names: tuple[str, ...], calls: list[int], depth: int) -> list[str]:
    return [line for _ in range(draw(st.integers(1, 3))) for line in draw(_statement(names, calls, depth))]


def _in(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


@st.composite
def recursive_programs(draw: st.DrawFn) -> Program:
    names = ("g", "h")[: draw(st.integers(1, 2))]
    out = ["import math", "import numpy as np", ""]
    calls = [2]
    out += ["def whole(x, v, n: int, a: float):"]
    out += _in(["if n < 1:", "    return v * a", "w = whole(x, v, n - 1, a * x[n])"])
    out += _in(["for k in range(4):", "    w[k] = w[k] * v[k] + 0.1 * a", "return w"])
    for name in names:
        calls[0] = 2
        body = [line for _ in range(draw(st.integers(2, 4))) for line in draw(_statement(names, calls, 0))]
        if calls[0] == 2:
            body.append(f"r = {draw(_call(names, 0))}")
        out += [f"def {name}(x, v, t, n: int, a: float) -> float:"]
        out += _in(["if n < 1:", f"    return {draw(st.sampled_from(('a', 'a * v[0]', 'x[1] + t[1]')))}"])
        out += _in(["i = n % 3", "s = a", "r = 0.2", *body, f"return r * 0.3 + {draw(_expression())}"])
    local = draw(st.booleans())
    out += ["def f(x, y, b: float):"]
    out += _in(["v = y.copy()" if local else "v = y", "t = np.zeros(4)", "t[1] = b"])
    out += _in([f"e = g(x, v, t, {draw(st.integers(1, 4))}, b)", *draw(st.sampled_from(((), ("v[1] = e * v[0]",))))])
    if draw(st.booleans()):
        out += _in(["for j in range(2):", f"    e += {names[-1]}(x, v, t, j + 1, e) * 0.5"])
    out += _in(["return e + v[1] * t[0] + v[2] + t[3]"])
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    args = (rng.uniform(0.2, 1.1, 5), rng.uniform(0.2, 1.1, 4), 0.6)
    return Program("\n".join(out) + "\n", args, updates=() if local else ("y",))
