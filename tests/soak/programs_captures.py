"""What functions capture, defaults, order of evaluation, overlapping slices, exits of loops, exceptions, mixed types."""

# ruff: noqa
import math
import numpy as np
import linad


def default_expr(x):
    y = x.copy()

    def g(i, v=y * 2.0):
        return v[i]

    y[0] = 7.0
    return g(0) + y[0]


def default_call(x):
    y = x.copy()

    def g(i, v=y.sum()):
        return v * i

    y[0] = 7.0
    return g(2.0) + y[0]


def default_after(x):
    g = None
    for k in range(3):
        if k == 1:
            g = lambda t, c=k * 1.0: t * c
    return g(x[0]) if g is not None else 0.0


def comp_lambda(x):
    fs = [lambda t, k=k: t * x[k] for k in range(3)]
    return sum(f(2.0) for f in fs)


def comp_lambda2(x):
    fs = [lambda t, k=k: t * x[k] for k in (0, 1, 2)]
    return fs[0](1.0) + fs[2](2.0)


def mutable_default(x):
    def g(t, acc=np.zeros(2)):
        acc[0] += t
        return acc[0]

    return g(x[0]) + g(x[1])


def chain_assign(x):
    a = b = x.copy()
    a[0] = 3.0
    return b[0] * x[1] + a[1]


def star_unpack(x):
    a, *b, c = x[0], x[1], x[2], x[3]
    b[0] += c
    return a * b[0] * b[1]


def aug_tuple(x):
    t = (x[0], x[1])
    t += (x[2],)
    return t[2] * t[0]


def aug_index_order(x):
    y = x.copy()
    i = 0

    def nxt():
        return 2.0

    y[i] += (i := 1) * nxt()
    return y @ y


def cond_chain(x):
    return sum(1.0 * v for v in x if 0 < v < 1.5 and not v == 1.0)


def del_name(x):
    y = x * 2
    z = y[1:]
    del y
    z[0] = 1.0
    return z.sum()


def slice_assign_overlap(x):
    y = x.copy()
    y[1:] = y[:-1]
    y[:-1] = y[1:] * y[0]
    y[::2] = y[::-1][::2] if len(y) % 2 == 1 else y[1::2]
    return (y * np.arange(len(y))).sum()


def neg_step(x):
    y = x.copy()
    y[4:0:-2] += y[0:3:2]
    y[-2::-3] *= 2.0
    return (y * np.arange(len(y))).sum()


def empty_slices(x, k: int):
    y = x.copy()
    y[k:] *= 2.0
    y[: k - 10] = 1.0
    return y.sum() + y[k:].sum() + len(y[k:2])


def f32_mix(x):
    y = x.astype(np.float32)
    s = np.float32(0.0)
    for v in y:
        s += v * 0.5
    z = np.zeros(3)
    z[0] = s
    return z[0] * 2.0 + float(s)


def bools(x):
    m = x > 0
    c = 0
    for b in m:
        c += b
    return c * x[0] + x[m].sum() - x[~m].sum() + (m[0] and x[1])


def ternary_arrays(x, n: int):
    a = x if n > 1 else x * 2
    b = a[1:] if n > 2 else a[:-1]
    return (b * b).sum()


def nested_break(x):
    s = 0.0
    for i in range(4):
        for j in range(4):
            if i * j > 4:
                break
            s += x[i] * x[j]
        else:
            s *= 1.1
            continue
        s -= 0.5
        if i > 2:
            break
    return s + i * j


def exc(x, k: int):
    s = 0.0
    for i in range(k):
        try:
            s += x[i] * 2
        except IndexError:
            s += 100.0
    return s


def exc2(x, k: int):
    y = x.copy()
    try:
        y[0] = 5.0
        y[k] = 6.0
        y[1] = 7.0
    except IndexError:
        y[2] = y[0] * x[3]
    finally:
        y[3] += 1.0
    return (y * np.arange(len(y))).sum()


V = np.random.default_rng(5).normal(size=7)
A = (0.7,)
CASES = dict(
    default_expr=(V,),
    default_call=(V,),
    default_after=(V,),
    comp_lambda=(V,),
    comp_lambda2=(V,),
    mutable_default=(V,),
    chain_assign=(V,),
    star_unpack=(V,),
    aug_tuple=(V,),
    aug_index_order=(V,),
    cond_chain=(V,),
    del_name=(V,),
    slice_assign_overlap=(V,),
    neg_step=(V,),
    empty_slices=[(V, 3), (V, 9), (V, -2), (V, 0)],
    f32_mix=(V,),
    bools=(V,),
    ternary_arrays=[(V, 1), (V, 2), (V, 3)],
    nested_break=(V,),
    exc=[(V, 3), (V, 9)],
    exc2=[(V, 5), (V, 50)],
)
