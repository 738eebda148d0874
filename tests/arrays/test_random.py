"""Random expressions over arrays, of reductions, scans, rearrangements and elementwise functions: against NumPy and differences."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples_of import quick

from .near import check

SMOOTH = ["np.sin({})", "({} * 0.5 + 1.0)", "({} - x[0])", "np.tanh({})", "({} * {})", "({} + np.flip({}))"]
VECTOR = [  # of a vector, a vector of the same size
    "np.cumsum({})", "np.flip({})", "np.roll({}, 2)", "np.roll({}, -1)", "np.sort({})", "np.concatenate([{}[2:], {}[:2]])", "({})[::-1]",
    "np.hstack([{}[:1], {}[1:]])", "np.diag(np.diag({}))", "np.stack([{}, x])[0]", "sp.softmax({})", "sp.log_softmax({})", "np.cumprod({})",
    "np.broadcast_to({}, (3, 4))[1]", "np.tile({}, 2)[4:]", "np.repeat({}, 3)[1::3]", "np.clip({}, -0.7, 0.9)", "np.sum(np.stack([{}, {}]), axis=0)",
    "np.max(np.stack([{}, x * 2.0]), axis=0)", "np.mean(np.tile({}, (3, 1)), axis=0)", "np.expand_dims({}, 0)[0]", "np.einsum('i,j->ij', {}, x)[2]",
    "np.einsum('ij,j->i', A, {})", "np.convolve({}, x[:3], mode='same')", "np.split(np.tile({}, 2), 2)[1]", "(A * {})[1]", "np.tril(A * {}).sum(axis=1)",
    "np.std(A + {}, axis=1)", "np.min(A * {}, axis=0)", "np.prod(A + {}, axis=0)", "np.interp({}, np.sort(x), x)", "np.array([{}, x]).T[:, 0]",
    "np.where(A[0] > 0.0, {}, {})", "({})[np.argsort(x)]",
]  # fmt: skip
SCALAR = [  # of a vector, a number
    "np.sum({})", "np.prod({})", "np.mean({})", "np.var({})", "np.max({})", "np.min({})", "np.ptp({})", "sp.logsumexp({})", "np.trapezoid({})", "np.trace(A * {})",
    "np.sum(np.diff({}) ** 2)", "np.einsum('i,i', {}, x)", "np.std({})", "({})[np.argmax({})]",
]  # fmt: skip


@st.composite
def vectors(draw, depth: int) -> str:
    if depth == 0:
        return draw(st.sampled_from(["x", "A[1]", "A[:, 2]", "x[::-1]", "A.T[3]", "A[0] * x"]))
    form = draw(st.sampled_from(SMOOTH + VECTOR + VECTOR))
    return form.format(*(draw(vectors(depth - 1 if k == 0 else 0)) for k in range(form.count("{}"))))


@st.composite
def programs(draw) -> str:
    lines = []
    for k in range(draw(st.integers(0, 2))):
        lines.append(f"v{k} = {draw(vectors(2))}")
        lines += draw(st.sampled_from([[], [f"v{k} = v{k} * 1.0", f"v{k}[1:] += v{k}[:-1] * x[0]"]]))
    last = draw(vectors(draw(st.integers(1, 3))))
    form = draw(st.sampled_from([*SCALAR, "{}"]))
    result = form.format(*([last] * form.count("{}")))
    more = "".join(f", np.sum(v{k} * x)" for k in range(2) if any(line.startswith(f"v{k} =") for line in lines))
    return "\n".join([*lines, f"return ({result}) * 1.0{more}"])


@quick(60)
@given(programs(), st.integers(0, 5))
def test_random_expressions(text, seed):
    r = np.random.default_rng(seed)
    x, a = r.normal(size=4) + 0.1, r.normal(size=(4, 4))
    check(text.replace("A", "y"), x, a)
