"""`linad.checkpoint` in the text: where it may stand, what its options may be, and what it is in Python."""

import numpy as np
import pytest
from linad_typecheck.checkpointing import bytes_of
from linad_typecheck.findings import check_source

import linad

HEAD = """\
import numpy as np
import linad
import linad as lin
from linad import checkpoint as keep, linear_grad
from jaxtyping import Float64
MANY, FEW, SIZE = 10, 0, "1 MB"


def helper(a):
    return a * a


@keep
def marked(a):
    return a * a


bound = keep(helper)


@linear_grad
def f(x: Float64[np.ndarray, "n"], T: int, w: float) -> float:
    s = 0.0
"""
GOOD = (
    "for t in linad.checkpoint(range(T)):",
    "for t in lin.checkpoint(range(T), slots=None, memory=None, scheme=None):",
    "for t in keep(range(T), slots=MANY):",
    "for t in keep(range(T), slots=T // 2 + 1):",
    "for t in keep(range(T), memory=MANY):",
    "for t in keep(range(T), memory=4096, scheme='periodic'):",
    "for t in keep(range(T), memory=SIZE):",
    "for t, e in keep(enumerate(x)):",
    "for t in keep(reversed(range(T)), scheme='tape'):",
    "while keep(s < 3.0):",
    "while keep(s < 3.0 and T > 0, slots=MANY):",
    "while keep(s < 3.0, slots=2**3 * MANY - 1):",
    "for t in keep(range(T), memory=64 * 1024):",
    "if keep(helper)(w) > 1.0:",
    "if keep(lambda a: a * w)(w) > 1.0:",
    "if linad.grad(keep(helper))(w) > 1.0:",
    "if keep(linad.grad(helper))(w) > 1.0:",
    "if marked(w) > 1.0 and bound(w) > 1.0:",
)
BAD = {
    "for t in keep(range(T), slots=0):": "`slots` is an int of 1 or more, not 0",
    "for t in keep(range(T), slots=-3):": "`slots` is an int of 1 or more, not -3",
    "for t in keep(range(T), slots=2 - 3):": "`slots` is an int of 1 or more, not -1",
    "for t in keep(range(T), slots=FEW):": "`slots` is an int of 1 or more, not 0",
    "for t in keep(range(T), slots=True):": "`slots` is an int of 1 or more, not True",
    "for t in keep(range(T), slots=w):": "the number of slots is an int, but this is float",
    "for t in keep(range(T), scheme='fast'):": "has no scheme 'fast'",
    "for t in keep(range(T), scheme=w):": "takes a literal as `scheme`",
    "for t in keep(range(T), memory='much'):": "reads `memory` as a number of bytes",
    "for t in keep(range(T), memory=T):": "takes a literal as `memory`",
    "for t in keep(range(T), slots=2, memory='1MB'):": "takes `slots` or `memory`, not both",
    "for t in keep(range(T), slots=2, scheme='recompute'):": "which keeps the first state only",
    "for t in keep(range(T), memory=99, scheme='tape'):": "which keeps every step",
    "for t in keep(range(T), depth=3):": "has no option `depth`",
    "for t in keep(range(T), 3):": "takes what to loop over",
    "for t in keep():": "takes what to loop over",
    "for t in enumerate(keep(range(T))):": "`linad.checkpoint` inside another iterable",
    "for t in keep((1, 2, 3)):": "checkpointing a loop over a tuple",
    "while keep(s < 3.0, slots=T):": "a number of slots that is computed",
    "while 1.0 + keep(s) < 3.0:": "`keep` cannot be used",
    "if keep(helper, slots=2)(w) > 1.0:": "takes no options with a function",
    "if keep(MANY)(w) > 1.0:": "`keep` cannot be used",
}


def found(head):
    return [d.message for d in check_source(f"{HEAD}    {head}\n        s += x[0] * w + 1.0\n    return s\n", "a.py")]


@pytest.mark.parametrize("head", GOOD)
def test_accepted(head):
    assert found(head) == []


@pytest.mark.parametrize("head", BAD)
def test_refused_where_it_is_written(head):
    messages = found(head)
    assert len(messages) == 1
    assert BAD[head] in messages[0]


def test_a_name_of_the_function_is_not_the_mark():
    assert found("for t in keep(range(T), slots=0):") != []
    text = HEAD.replace("s = 0.0", "s = 0.0\n    keep = w") + "    return s * keep\n"
    assert [d.message for d in check_source(text, "a.py")] == []


def test_in_python_it_is_the_identity():
    over = range(3)
    assert linad.checkpoint(over, slots=2) is over
    assert linad.checkpoint(over, slots=np.int64(2)) is over
    assert linad.checkpoint(False, memory="3 kB") is False


@pytest.mark.parametrize(
    "options", [{"slots": 0}, {"slots": True}, {"slots": 1.0}, {"scheme": "x"}, {"memory": "-1"}, {"slots": 1, "memory": 8}]
)
def test_python_refuses_what_the_checker_refuses(options):
    with pytest.raises(ValueError, match=r"linad\.checkpoint"):
        linad.checkpoint(range(3), **options)


def test_options_are_refused_with_a_function():
    with pytest.raises(TypeError, match="takes no options with a function"):
        linad.checkpoint(found, slots=3)


RECURSIVE = """
def inside(x, k):
    for t in linad.checkpoint(range(k){options}):
        x[0] = x[0] * x[0]

def again(x: Float64[np.ndarray, "n"], k: int) -> float:
    {body}
    return x[0] + again(x, k - 1) if k > 0 else x[0]

@linear_grad
def g(x: Float64[np.ndarray, "n"], k: int) -> float:
    y = x.copy()
    inside(y, k)
    return again(y, k)
"""


@pytest.mark.parametrize("body, options, wrong", [("inside(x, k)", "", 1), ("inside(x, k)", ", scheme='tape'", 0), ("k = k", "", 0)])
def test_marks_in_recursion_are_refused(body, options, wrong):
    text = HEAD + "    return s\n" + RECURSIVE.format(body=body, options=options)
    messages = [d.message for d in check_source(text, "a.py")]
    assert len(messages) == wrong
    assert all("`linad.checkpoint` inside `again`, which calls itself," in m for m in messages)


def test_sizes():
    assert [bytes_of(m) for m in ("200MB", "64 KiB", "1.5k", "7", 7, "1gib")] == [200_000_000, 65536, 1500, 7, 7, 2**30]
    assert [bytes_of(m) for m in ("", "MB", "-1", 0, 1.5, True, None, "1 light year")] == [None] * 8
