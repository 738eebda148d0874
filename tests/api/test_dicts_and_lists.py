"""Dicts with keys that are known, lists, ``*args`` and ``**options``: as arguments, inside, as results, with gradients like them."""

import linad
import numpy as np
import pytest
from linad import LinadError, linear_grad

from tests.two_roads import differences

pytestmark = pytest.mark.interpreted

X = np.array([0.5, 1.5, -2.0])
P = {"w": np.arange(6.0).reshape(2, 3) / 5.0, "b": np.array([0.1, 0.2]), "out": 1.5}


def model(params, x):
    h = np.tanh(params["w"] @ x + params["b"])
    return (params["out"] * h).sum()


def test_parameters_in_a_dict():
    f = linear_grad(model, backend="interpret")
    assert f(P, X) == pytest.approx(model(P, X), rel=1e-14)
    params_bar, x_bar = f.grad(P, X)
    assert list(params_bar) == ["w", "b", "out"]
    for name in ("w", "b"):
        assert np.allclose(params_bar[name], differences(lambda v, name=name: model({**P, name: v}, X), P[name]), atol=1e-8)
    assert params_bar["out"] == pytest.approx(model({**P, "out": 1.0}, X))
    assert np.allclose(x_bar, differences(lambda x: model(P, x), X), atol=1e-8)
    value, tangent = f.jvp((P, X), (P, None))
    assert tangent == pytest.approx(sum(np.sum(params_bar[k] * P[k]) for k in P))
    assert np.allclose(linad.jacobian(f)(P, X)["w"], params_bar["w"])
    linad.testing.check_grads(f, (P, X), modes=("fwd", "rev"))


@pytest.mark.compiled
def test_compiled_and_with_other_keys_compiled_again():
    f = linear_grad(model)
    assert f(P, X) == pytest.approx(model(P, X), rel=1e-14)
    assert f(dict(reversed(P.items())), X) == pytest.approx(model(P, X), rel=1e-14)
    with pytest.raises(LinadError, match="has no key 'out'"):
        f({"w": P["w"], "b": P["b"]}, X)


def made(params, x, rate=0.1):
    new = {k: v * rate for k, v in params.items()}
    new["b"] = new["b"] + 1.0
    new["c"] = x.sum()
    new["out"] *= 2.0
    total = 0.0
    for k in new:
        total += np.sum(new[k])
    if "c" in new and "d" not in new and new.get("d") is None and len(new) == 4:
        total = total + new.get("e", 3.0)
    return {**new, "total": total}, [x.sum(), rate], dict(rate=rate)


def test_dicts_made_inside_and_returned():
    f = linear_grad(made, backend="interpret")
    (found, listed, rest), (wanted, also, other) = f(P, X), made(P, X)
    assert list(found) == list(wanted) and listed == also and rest == other
    for k in wanted:
        assert np.allclose(found[k], wanted[k])
    value, pull = f.vjp(P, X, 0.1)
    params_bar, x_bar, rate_bar = pull(value)
    weight = lambda p, x, r: sum(float(np.sum(a * b)) for a, b in zip(made(p, x, r)[0].values(), value[0].values())) + value[1][0] * x.sum() + 2 * r * r
    assert np.allclose(x_bar, differences(lambda x: weight(P, x, 0.1), X), atol=1e-6)
    assert np.allclose(params_bar["w"], differences(lambda w: weight({**P, "w": w}, X, 0.1), P["w"]), atol=1e-6)


def test_a_dict_of_the_caller_is_not_written_to():
    def of_the_caller(p):
        p["a"] = 1.0
        return p["a"]

    with pytest.raises(LinadError, match="its caller sees"):
        linear_grad(of_the_caller, backend="interpret")({"a": 2.0})


def test_a_dict_next_to_one_that_a_loop_may_have_replaced():
    def beside(x, n: int):
        d, e, g = {"a": x}, {"a": 2.0 * x}, {"a": x * x}
        for _ in range(n):
            e = {"a": e["a"] * x}
        either = e if x > 1.0 else g
        d["a"] = 3.0 * x
        return d["a"] * either["a"]

    f = linear_grad(beside, backend="interpret")
    assert f(0.5, 2) == beside(0.5, 2) and f(1.5, 2) == beside(1.5, 2)

    def one_of_them(x, n: int):
        d, e = {"a": x}, {"a": 2.0 * x}
        for _ in range(n):
            e = d if n > 2 else {"a": e["a"] * x}
        d["a"] = 3.0 * x
        return d["a"] * e["a"]

    with pytest.raises(LinadError, match="`e` may be, too"):
        linear_grad(one_of_them, backend="interpret")(1.0, 3)


def test_dicts_change_along_loops():
    def steps(x, n: int):
        state = {"u": x, "t": 0.0}
        for _ in range(n):
            state = {"u": state["u"] * 0.5 + state["t"], "t": state["t"] + 1.0}
        return state["u"]

    f = linear_grad(steps, backend="interpret")
    assert f(2.0, 4) == steps(2.0, 4) and f.grad(2.0, 4) == 0.5**4


def test_any_number_of_arguments_and_options():
    def helper(t, power=1, **others):
        return t**power + len(others)

    def f(x, *rest, scale=1.0, **options):
        t = x * scale
        for r in rest:
            t = t + r
        return helper(t, **options)

    g = linear_grad(f, backend="interpret")
    for args, given in (((2.0,), {}), ((2.0, 3.0, 4.0), {}), ((2.0, 3.0), {"scale": 2.0}), ((2.0,), {"power": 3, "other": None})):
        assert g(*args, **given) == f(*args, **given)
    assert g.grad(2.0, 3.0, 4.0, scale=3.0) == (3.0, (1.0, 1.0), 2.0)
    with pytest.raises(TypeError, match="argument `options"):
        g(2.0, power=[[1.0] * 40])


def test_lists_of_few_numbers_are_arguments():
    def f(xs, ys):
        return (np.asarray(xs) * ys[0]).sum() + xs[0] ** 2

    g = linear_grad(f, backend="interpret")
    given = [1.0, 2.0], [X, 3.0]
    assert g([1.0, 2.0], [3.0]) == f([1.0, 2.0], [3.0]) and g.grad([1.0, 2.0], [3.0]) == ([5.0, 3.0], [3.0])
    assert len(given) == 2
    with pytest.raises(TypeError, match=r"np.array\(...\)"):
        g([1.0] * 100, [3.0])


def test_lists_whose_items_are_counted():
    def f(x, axes="xyz"):
        squares = [v * v for v in (x, 2.0 * x)]
        a, b = map(np.sin, squares)
        first = tuple(np.cos(v) for v in [a, b] if True)
        picked = [first[k].sum() * k for k in range(2)]
        names = {c: k for k, c in enumerate(axes)}
        return picked[1] + sum(picked) + names["z"] * x[names["y"]] + len(list(range(3)))

    g = linear_grad(f, backend="interpret")
    assert g(X) == pytest.approx(f(X)) and np.allclose(g.grad(X), differences(f, X), atol=1e-8)


def test_texts_and_matches():
    def f(x, mode="SUM"):
        match mode.lower():
            case "sum" | "total":
                return x.sum()
            case "first":
                return x[0]
            case other if other.startswith("last"):
                return x[-1]
            case _:
                raise ValueError("no mode {}".format(mode))

    def g(x, k: int):
        match k:
            case 0:
                return x.sum()
            case 1 | 2:
                y = x * k
            case _:
                y = x
        return y.prod()

    f1, g1 = linear_grad(f, backend="interpret"), linear_grad(g, backend="interpret")
    for mode in ("SUM", "total", "First"):
        assert f1(X, mode) == pytest.approx(f(X, mode)) and np.allclose(f1.grad(X, mode), differences(f, X, mode))
    with pytest.raises(ValueError, match="no mode other"):
        f1(X, "other")
    for k in range(4):
        assert g1(X, k) == pytest.approx(g(X, k)) and np.allclose(g1.grad(X, k), differences(g, X, k))


def test_a_dict_that_starts_empty_with_arguments_that_only_calls_tell():
    def f(x):
        d = {}
        d["a"] = x[0]
        d["b"] = d["a"] * x[1]
        d["a"] += d["b"]
        return sum(d.values()) * len(d)

    checked = linear_grad(f, cache=False, backend="interpret")
    x = np.array([0.5, -1.25])
    assert checked(x) == f(x)
    np.testing.assert_allclose(checked.grad(x), [2.0 + 4.0 * x[1], 4.0 * x[0]])
