"""The table of constants: what the documentation says is what the code counts."""

import re
from pathlib import Path

import pytest
from linad_typecheck.ops import OPS

from linad import steps

TEXT = (Path(__file__).parents[2] / "docs" / "explanation" / "cost.md").read_text()


def row(start):
    """The constant of a row of the first table."""
    line = next(x for x in TEXT.splitlines() if x.startswith(f"| {start}"))
    return line.split("|")[3].strip()


@pytest.mark.parametrize(
    "start, ops",
    [
        ("`+`", ("add", "neg", "sub")),
        ("`*`", ("mul", "powi")),
        ("`/`", ("div",)),
        ("`**`", ("pow",)),
        ("conversion", ("cast",)),
        ("`%`", ("mod", "fmod", "remainder")),
    ],
)
def test_operations(start, ops):
    stated = {int(n) for n in re.findall(r"\d+", row(start))}
    assert max(stated) == max(map(steps.of_op, ops))


def test_kinds():
    found = dict(steps.table())
    assert int(row("load")) == found["load"] and int(row("store")) == found["store"]
    assert int(row("`+=`")) == found["addto"] and int(row("branch")) == found["branch"]
    assert int(row("iteration")) == found["turn"] and int(row("loop")) == found["loop"]
    assert int(row("value")) == found["joined"] and int(row("check")) == found["check"]
    made, copied, filled = map(int, row("word").split("/"))
    assert (made, copied, filled) == (found["alloc"], found["copy"], found["fill"])
    assert int(row("`min`")) == found["choose"]
    assert int(row("comparison")) == found["compare"] == found["logic"] == found["int"]


def test_values():
    """The second table: what having a value on the way back costs, by where its statement stands."""
    stated = {line.split("|")[1].strip(): line.split("|")[2].strip() for line in TEXT.splitlines() if line.count("|") == 4}
    outermost, inner = steps.Place(depth=1), steps.Place(depth=2)
    assert int(stated["outside of loops"]) == steps.Place().value()
    assert int(stated["in an outermost loop"]) == outermost.value()
    assert int(stated["in an inner loop"]) == inner.value() == steps.Place(depth=9).value()
    unknown = steps.Place(depth=2, unknown=True).value() - inner.value()
    assert stated["if the number of iterations is not known before the outermost loop"] == f"{unknown} more"
    itself = steps.Place(depth=2, itself=True).value() - inner.value()
    assert stated["in a recursive function"] == f"{itself} more, {steps.ENTERED} per block"
    assert {p.value(3) - p.value() for p in (outermost, inner)} == {1, 2}  # `+=`, three steps to run again
    assert int(row("operation of dense")) == steps.WORDS["dense"] and steps.EXCHANGED == 2


def test_common_functions():
    at_most = {"exp": 3, "sqrt": 4, "sin": 4, "log": 4, "abs": 4, "cos": 5, "tanh": 5, "tan": 5}
    assert all(steps.of_op(n) <= k for n, k in at_most.items())
    assert max(steps.of_op(n) for n, op in OPS.items() if op.kind == "unary") == 14


def test_nine_times():
    """Every operation that is in everyday use costs at most nine times itself in any loop whose length is known."""
    inner = steps.Place(depth=3)
    for name in ("add", "sub", "neg", "mul", "powi", "div", "sqrt", "exp", "log", "sin", "cos", "tanh", "abs", "min", "max"):
        assert steps.of_op(name) + inner.value() <= 9, name
