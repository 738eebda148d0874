"""`explain` says which index checks stay in a loop, which are made before it and which are proved."""

import heapq

import numpy as np
from jaxtyping import Float64, Int64

import linad


def gathers(x: Float64[np.ndarray, "n"], idx: Int64[np.ndarray, "m"]):
    y = np.zeros(len(x))
    s = 0.0
    for i in range(len(x)):
        y[i] = x[i] * x[i]
    for k in range(len(idx)):
        s += y[idx[k]]
    for k in range(len(idx)):
        y[idx[k]] += s
    for k in range(len(x)):
        s += x[k] * idx[k]
    for k in range(len(y)):
        s += y[k]
    return s


def on(f, text):
    found = linad.explain(f)
    return [r.text for n, line in found.lines.items() if line.strip() == text for r in found.on(n) if r.kind == "index check"]


def test_index_checks():
    assert on(gathers, "y[i] = x[i] * x[i]") == []  # in range by the loop's own bounds
    assert "of y: tested once, before the loop" in on(gathers, "s += y[idx[k]]")
    assert "of y: tested in each iteration" in on(gathers, "y[idx[k]] += s")
    assert on(gathers, "s += x[k] * idx[k]") == ["of idx: tested once, before the loop"]


def branches(x: Float64[np.ndarray, "n"]):
    s = 1.0
    for i in range(len(x)):
        s = np.sin(s) * x[i]
        if x[i] > 0.5:
            s = np.exp(s) + s
    return s


def test_words_of_arms_are_told_apart():
    (text,) = (r.text for r in linad.explain(branches).remarks if r.kind == "loop")
    assert text == "sequential, reversed: 2 words logged per iteration, 1 more where a branch is taken"


def nearest(x: Float64[np.ndarray, "n"]):
    heap = []
    for i in range(len(x)):
        heapq.heappush(heap, (x[i] * x[i], i))
    s = 0.0
    while heap:
        d, i = heapq.heappop(heap)
        s += np.sqrt(d + i)
    return s


def test_library_functions_are_explained_as_a_whole():
    found = linad.explain(nearest)
    for line, told in ((3, "3 in library functions, "), (6, "2 in library functions, 2 of them reversed: at most ")):
        remarks = [(r.kind, r.text) for r in found.on(nearest.__code__.co_firstlineno + line)]
        assert [text.startswith(told) for kind, text in remarks if kind == "loop"] == [True]
        assert not {kind for kind, _ in remarks} & {"logged", "recomputed"}
    assert not any(word in r.text for r in found.remarks for word in ("%", "`_"))
