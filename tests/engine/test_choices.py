"""Texts, members of enumerations and functions of which it is decided at run time which one a name holds."""

import numpy as np
import pytest

from linad import LinadError, linear_grad

from ..kit import load

HELPERS = """
from enum import Enum, IntEnum

import numpy as np

class Mode(Enum):
    IDLE = "idle"
    RUN = "run"
    DONE = "done"

class Level(IntEnum):
    LOW = 1
    HIGH = 3

class Valve:
    def __init__(self):
        self.state, self.flow = "closed", 0.0

    def update(self, p):
        if self.state == "closed":
            if p > 0.2:
                self.state = "open"
        else:
            self.flow += p * p
            if p < -0.2:
                self.state = "closed"

    @property
    def is_open(self):
        return self.state == "open"

def kind(v):
    if v > 1.0:
        return "high"
    return "mid" if v > 0.0 else "low"

def weight(kind):
    return {"high": 3.0, "mid": 1.0, "low": -1.0}[kind]

def half(v):
    return 0.5 * v

def square(v, mode="plain"):
    return v * v if mode == "plain" else v ** 3
"""
BODIES = {
    "a text": """\
state = "idle"
for v in x:
    if state == "idle" and v > 0.0:
        state = "run"
    elif state == "run":
        s += v * v
        state = "idle" if v < -0.5 else "run"
    elif state in ("a", "b"):
        s += 1000.0""",
    "a member": """\
m, level = Mode.IDLE, Level.LOW
for v in x:
    if m is Mode.IDLE or m.value == "done":
        s += v * level
    elif m.name == "RUN" and level < Level.HIGH:
        s += v * v
    level = Level.HIGH if v > 0.0 else Level.LOW
    m = Mode.RUN if v > 0.0 else Mode.DONE if v < -1.0 else Mode.IDLE""",
    "a match": """\
m = Mode.IDLE
for v in x:
    match m:
        case Mode.IDLE:
            m = Mode.RUN
            s += v
        case Mode.RUN if v > 0.0:
            m = Mode.DONE
            s += v * v
        case Mode.DONE:
            m = Mode.IDLE
            s *= 0.5""",
    "None, and the truth of a text": """\
last, told = None, ""
for v in x:
    now = kind(v)
    if last is not None and now != last or not told:
        s += v * v
    last = now
    if v < -1.0:
        told = "low"
    if isinstance(last, str) and isinstance(told, str):
        s += v""",
    "keys of dicts": """\
rates, count, logs = {"high": 2.0, "mid": 0.1, "low": -1.0}, {"high": 0, "mid": 0, "low": 0}, {"high": [], "mid": [], "low": []}
parts = {"high": np.zeros(2), "mid": np.zeros(2), "low": np.zeros(2)}
turn = {("high", "a"): "b", ("mid", "a"): "b", ("low", "a"): "a", ("high", "b"): "b", ("mid", "b"): "a", ("low", "b"): "a"}
at = "a"
for k in range(len(x)):
    name = kind(x[k])
    s += rates[name] * x[k] + weight(name) * x[k] ** 2 + {"mid": 2.0}.get(name, 1.0) * x[k]
    count[name] += 1
    logs[name].append(x[k] ** 3)
    parts[name][k % 2] += x[k]
    at = turn[name, at] if (name, at) in turn else at
    if at == "b":
        s += x[k]
s += count["mid"] * np.sum(logs["mid"]) - count["low"] * np.sum(logs["low"]) + parts["low"][0] * parts["mid"][1]""",
    "objects and closures": """\
valve, on = Valve(), "off"
def feed(v):
    nonlocal on
    if v > 0.0:
        on = "on"
    elif v < -0.4:
        on = "off"
for v in x:
    valve.update(v)
    feed(v)
    if valve.is_open and on == "on":
        s += v
s += valve.flow""",
    "functions": """\
f, mode = half, "plain"
for v in x:
    s += f(v) + square(v, mode) + square(v, mode=mode)
    f = square if v > 0.0 else half
    mode = "cube" if v < 0.0 else "plain" """,
    "lists, tuples and methods": """\
names, pair, before = [], ("low", 1.0), "a"
for k, v in enumerate(x):
    names.append(kind(v))
    name, w = pair
    if pair == ("low", 1.0) or name.startswith("h") or name.upper() == "MID":
        s += v * w * len(name)
    pair = (kind(v), 2.0) if k % 2 else ("low", 1.0)
s += names.count("mid") * x[0] + ["low", "mid", "high"].index(names[2]) * x[1]
levels = []
for v in x:
    levels.append(Level.HIGH if v > 0.0 else Level.LOW)
s += np.sum(np.array(levels) * x) + sum(levels) * x[0]
order, back = [Mode.IDLE, Mode.RUN, Mode.DONE, Mode.RUN], names[::-1]
for k, v in enumerate(x):
    s += v if order[k % 4] is Mode.RUN and back[k] != "low" else 0.0
for name, v in zip(names, x):
    s += v * v if name != "mid" else v""",
    "an option of a library function": """\
mode = "edge"
for v in x:
    s += v * np.sum(np.pad(x, 1, mode=mode))
    mode = "edge" if v > 0.0 else "reflect" """,
    "how a loop is left": """\
state, k = "scan", 0
while state != "done":
    if state == "scan":
        state = "add" if x[k] > 0.0 else "skip"
    else:
        if state == "add":
            s += x[k] ** 2
        k, state = k + 1, "scan"
    if k >= len(x):
        state = "done"
for v in x:
    if v > 0.9:
        state = "found"
        break
else:
    state = "end"
if state == "found":
    s *= 2.0""",
}
X = np.array([0.3, 1.2, -0.45, -1.3, 0.7, 0.1, -0.25, 1.5])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", BODIES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_means_what_it_means_in_python(case, sign):
    body = "".join(f"    {line}\n" for line in ["s = 0.0", *BODIES[case].split("\n"), "return s"])
    plain = load(f"{HELPERS}\ndef f(x):\n{body}")
    f, x = linear_grad(plain, backend="interpret"), sign * X
    np.testing.assert_allclose(f(x), plain(x), rtol=1e-12)
    ends = [plain(x + h * np.cos(x)) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose((f.grad(x) * np.cos(x)).sum(), (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("backend", ["interpret", "numba"])
def test_is_a_part_of_a_result(backend):
    plain = load("def f(x):\n    t = 'b'\n    for v in x:\n        t = 'a' if v > 0.0 else None if v < -1.0 else t\n    return x.sum(), t\n")
    f = linear_grad(plain, backend=backend)
    for last in (1.0, -0.5, -2.0):
        x = np.array([-0.5, last])
        assert f(x) == plain(x)


REFUSED = {
    "t = Mode.RUN\nfor v in x:\n    t = Mode.RUN if v > 0.0 else Mode.IDLE\nreturn x.sum(), t": "a result that is",
    "t = 'a'\nfor v in x:\n    t = t + 'b'\nreturn x.sum()": "arithmetic is on scalars, but this is str, which is known only at run time",
    "t = 'a'\nfor v in x:\n    t = 'b' if v > 0.0 else 'a'\nreturn x.sum() * {'a': 1.0}[t]": "has no key 'b'",
    "ts = []\nfor v in x:\n    ts.append('b' if v > 0.0 else 'a')\nreturn np.array(ts)": "an array of texts",
    "t = 'a'\nfor v in x:\n    t = 'b' if v > 0.0 else 1.0\nreturn x.sum()": "one is str, but this is float",
    "ts = ['a']\nfor v in x:\n    ts.append('b')\nreturn x.sum(), ts": "a list of texts or members of an enumeration as a result",
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_refused(body):
    plain = load(HELPERS + "\ndef f(x):\n" + "".join(f"    {line}\n" for line in body.split("\n")))
    with pytest.raises(LinadError, match=REFUSED[body]):
        linear_grad(plain, backend="interpret")(np.tile(X, 20))


CHANGED = """
import numpy as np

class Model:
    def __init__(self):
        self.a = 0.0

    def step(self, v):
        if v > 0.0:
            self.a = np.array([v, v])

def f(x):
    m = Model()
    a = 0.0
    def step(v):
        nonlocal a
        if v > 0.0:
            a = np.array([v, v])
    STEP(x[0])
    return np.sum(m.a) + np.sum(a)
"""


@pytest.mark.parametrize("step", ["m.step", "step"])
def test_an_object_of_two_types_is_no_object_that_stays_as_it_was(step):
    name = "self.a" if step == "m.step" else "a"
    with pytest.raises(LinadError, match=f"`{name}` is .* on different branches"):
        linear_grad(load(CHANGED.replace("STEP", step)), backend="interpret")(X)
