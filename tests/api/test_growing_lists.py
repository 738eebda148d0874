"""Lists whose length is known at run time only, against CPython and differences, compiled and interpreted."""

import numpy as np
import pytest
from linad import LinadError, linear_grad

from tests.examples_of import on_backends

from tests.two_roads import differences

pytestmark = pytest.mark.interpreted

X = np.array([0.3, 0.5, 0.7])


def doubled(x):
    out = []
    for i in range(len(x)):
        out.append(x[i] * 2)
    return np.array(out)


def read_back(x):
    out = [x[0]]
    for v in x:
        out.append(out[-1] * v)
    return out[-1] * out[0] + len(out)


def sometimes(x):
    out = []
    for v in x:
        if v > 0.4:
            out.append(v * v)
    return sum(out) if out else 0.0


def rows(x):
    out = []
    for v in x:
        out.append(x * v)
    return np.array(out).sum(axis=0) * out[1] + np.vstack(out)[2] + np.concatenate(out)[3:6]


def pairs(x):
    out = []
    for i in range(3):
        for j in range(i):
            out.append((x[i], j * x[j]))
    total = 0.0
    for a, b in out:
        total += a * b
    return np.array(out).sum() * total + out[-1][0]


def trajectory(x):
    times, states = [], []
    t, y = 0.0, x
    while t < 1.0:
        times.append(t)
        states.append(y)
        y = y + 0.1 * np.sin(y) * states[-1]
        t += 0.1
    return np.array(states).T @ np.array(times) + states[2]


def until(x):
    out = [1.0]
    while len(out) < 20 and out[-1] > 1e-3:
        out.append(out[-1] * x[0])
    return out[-1] + np.diff(out).sum() * out[3]


def comprehensions(x):
    squares = [v * v for v in x]
    large = [v for v in squares if v > 0.1]
    products = [a * b for a in squares for b in x]
    table = [x * v for v in x]
    all_of = np.sum(np.array(products) ** 2) + sum(r.sum() for r in table)
    return sum(squares) + large[0] * max(products) + len(products) + all_of


def rebuilt(x):
    xs = list(x)
    xs.extend([1.0, 2.0])
    xs += [v * 2 for v in x]
    xs = xs + [x[0]]
    last = xs.pop()
    xs[0] = last * 3
    xs[-1] += 1.0
    other = xs.copy()
    other.sort()
    other.reverse()
    return np.array(xs) * other[0] + xs[1:3][0] + len(xs) + sum(xs[2:])


def filled(x, n=5):
    a, b = [0.0] * n, [0.0, 1.0, 2.0]
    for i in range(n):
        a[i] = x[i % 3] * i
    for i in range(3):
        b[i] = x[i] * i
    return sum(a) * b[2]


def left_early(x):
    out = []
    for i in range(3):
        if x[i] > 0.6:
            break
        out.append(x[i] ** 2)
    else:
        return 1.0
    return sum(out)


def on_one_path(x):
    out = [x[0]]
    if x[1] > 0.1:
        out.append(x[1] ** 2)
    return sum(out) * len(out)


def numbers_of_two_kinds(x):
    out = []
    for i in range(3):
        if i == 1:
            out.append(x[i] ** 2)
        else:
            out.append(0)
    return np.array(out)


def squares_of(x):
    out = []
    for v in x:
        out.append(v * v)
    return out


def by_helpers(x):
    def step(so_far, v):
        return so_far[-1] * v

    out = [x[0]]
    for v in squares_of(x):
        out.append(step(out, v))
    return out[2] * out[-1]


def run_over(x):
    a, b = [v * v for v in x], [2 * v for v in x]
    total = 0.0
    for i, (p, q) in enumerate(zip(a, b, strict=True)):
        total += i * p * q
    for p in reversed(a):
        total = total * p + 1
    return total


FUNCTIONS = [
    doubled, read_back, sometimes, rows, pairs, trajectory, until, comprehensions, rebuilt, filled, left_early,
    on_one_path, numbers_of_two_kinds, by_helpers, run_over,
]  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("f", "backend"), on_backends(FUNCTIONS, 7))
def test_values_and_derivatives(f, backend):
    g = linear_grad(f, backend=backend)
    for x in (X, X[::-1].copy(), 0.9 * X):
        value, pull = g.vjp(x)
        assert np.allclose(value, f(x), rtol=1e-12) and np.shape(value) == np.shape(f(x))
        weights = np.cos(np.arange(np.size(value))).reshape(np.shape(value))
        (bar,) = pull(weights if np.ndim(value) else float(weights))
        assert np.allclose(bar, differences(lambda v: float((f(v) * weights).sum()), x), atol=1e-6)
        _, tangent = g.jvp((x,), (np.ones(3),))
        assert np.isclose((tangent * weights).sum(), bar.sum())


def test_a_list_as_result():
    f = linear_grad(squares_of)
    assert f(X) == squares_of(X) and all(type(v) is np.float64 for v in f(X))
    value, pull = f.vjp(X)
    assert value == squares_of(X)
    assert np.allclose(pull([1.0, 2.0, 3.0])[0], 2 * X * [1.0, 2.0, 3.0])

    @linear_grad
    def several(x):
        return [x * v for v in x], [0.5 for _ in x]

    @linear_grad
    def signs(x):
        return [v * v for v in x], [1 if v > 0.0 else -1 for v in x]

    pull = signs.vjp(X)[1]
    assert np.allclose(pull(([1.0, 0.0, 1.0], [None] * 3))[0], 2 * X * [1.0, 0.0, 1.0])
    with pytest.raises(TypeError, match="expected a list of numbers, got one with None"):
        pull(([1.0, None, 1.0], None))

    found, halves = several(X)
    assert type(found) is list and np.array_equal(found, [X * v for v in X])
    assert halves == [0.5] * 3 and type(halves[0]) is float


def no_item(x):
    out = []
    for i in range(len(x)):
        if x[i] > 5.0:
            out.append(x[i])
    return out[0]


def of_other_shapes(x):
    out = []
    for i in range(len(x)):
        out.append(x[:i, None])
    return out[1].sum()


@pytest.mark.parametrize("backend", ["interpret", "numba"])
def test_what_raises(backend):
    with pytest.raises(IndexError):
        linear_grad(no_item, backend=backend)(X)
    with pytest.raises(ValueError, match="the arrays in a list have one shape here"):
        linear_grad(of_other_shapes, backend=backend)(X)


def of_the_caller(x, xs):
    for v in x:
        xs.append(v)
    return x[0]


def the_same_array(x):
    u = np.zeros(3)
    out = []
    for i in range(int(x[2])):
        u[i] = x[i]
        out.append(u)
    return np.array(out)


def in_a_copy(x):
    out = []
    for i in range(3):
        u = x * (i + 1.0)
        out.append(u)
    rows = out.copy()
    u[0] = 5.0
    return rows[2][0]


def in_a_part(x):
    out = []
    for i in range(3):
        u = x * (i + 1.0)
        out.append(u)
    rows = out[1:]
    u[0] = 5.0
    return rows[1][0]


def in_what_is_reversed(x):
    out = []
    for i in range(3):
        u = x * (i + 1.0)
        out.append(u)
    out.reverse()
    u[0] = 5.0
    return out[0][0]


def taken_off(x):
    out = []
    for i in range(3):
        u = x * (i + 1.0)
        out.append(u)
    last = out.pop()
    u[0] = 5.0
    return last[0]


def while_it_is_run_over(x):
    out = [x[0]]
    for v in x:
        out.append(v)
    for v in out:
        if v > 5.0:
            out.append(v)
    return len(out) * x[0]


def two_kinds(x):
    out = []
    for i in range(int(x[2])):
        out.append(x[i] if i == 0 else x)
    return out[0]


@pytest.mark.parametrize(
    ("f", "told"),
    [
        *(
            (f, "its array was updated under the name `u`")
            for f in (the_same_array, in_a_copy, in_a_part, in_what_is_reversed, taken_off)
        ),
        (while_it_is_run_over, "while a loop runs over it"),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_what_another_name_would_see_is_refused(f, told):
    with pytest.raises(LinadError, match=told):
        linear_grad(f)(X)


def test_a_list_of_the_caller_is_not_changed():
    with pytest.raises(LinadError, match="which its caller sees"):
        linear_grad(of_the_caller)(X, [1.0])
    with pytest.raises(LinadError):
        linear_grad(two_kinds)(X)


def test_a_loop_takes_more_items_than_there_were_before_it():
    def machine(x, ops):
        stack = [0.5]
        for k in range(len(ops)):
            o = ops[k]
            if o >= 0:
                stack.append(x[o])
            elif o == -1:
                b = stack.pop()
                a = stack.pop()
                stack.append(a + b)
            else:
                stack.append(np.sin(stack[-1]) * stack[0])
        return stack[-1] * stack[-1] + len(stack)

    x, ops = np.array([0.3, -0.7, 1.1]), np.array([0, 1, -1, -2, 2, -1])
    f = linear_grad(machine, backend="interpret")
    assert np.isclose(f(x, ops), machine(x, ops))
    assert np.allclose(f.grad(x, ops), differences(lambda x: machine(x, ops), x), atol=1e-6)
    with pytest.raises(IndexError, match="pop from empty list"):
        f(x, np.array([-1]))


def total_of(x, k: int):
    parts = []
    if k > 0:
        parts.append(total_of(x, k - 1))
    parts.append(x[k])
    return sum([p * p for p in parts])


def test_items_of_a_type_that_a_recursive_call_decides():
    x = np.array([0.3, -0.7, 1.1])
    f = linear_grad(lambda x: total_of(x, 2), backend="interpret")
    assert np.isclose(f(x), total_of(x, 2))
    assert np.allclose(f.grad(x), differences(lambda x: total_of(x, 2), x), atol=1e-6)


def test_a_list_that_grows_as_often_as_an_argument_without_annotation_says():
    """When it is decorated, nothing is known of what the loop runs over, so nothing of the list's length."""

    @linear_grad(backend="interpret")
    def second(x, n):
        found = []
        for _ in range(n):
            found.append(2.0)
        return found[1] * x

    assert second(1.5, 3) == 3.0
    assert second.grad(1.5, 3) == 2.0
    with pytest.raises(IndexError):
        second(1.5, 1)
