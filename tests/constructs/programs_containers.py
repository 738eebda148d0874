"""Programs with lists of lists, heaps, deques, dicts and sets of computed keys, and sorted lists, with arguments."""

import numpy as np

# ruff: noqa: E501
PROGRAMS = {
    "numbers known only at run time are looked up among known keys": ("""\
TABLE = {0.25: 7.0, 0.5: 2.0, 1: 3.0}
def f(x, n):
    k = n / 2
    new = {0.5: x[0] * x[1], 2.0: x[1]}
    total = x[0] * TABLE[k] + TABLE.get(k * 3.0, 5.0) * x[1] + TABLE[n] * x[2]
    if k in TABLE and k * 3.0 not in TABLE and n in TABLE:
        total = total * new[n * 2.0]
    for key, value in TABLE.items():
        total = total + key * value * new[k]
    return total
""", (np.array([0.5, 1.2, 2.0]), 1)),
    "a number is not a known key": ("""\
def f(x, n):
    return x[0] * {0.25: 7.0, 0.5: x[1]}[n / 4]
""", (np.array([0.5, 1.2, 2.0]), 3)),
    "keys that are equal are one key": ("""\
def f(x):
    d, pairs, flags = {1: 5.0, 2.0: 3.0}, {(1, 2): 4.0}, {True: 2.0}
    d[1.0] = 7.0
    there = 3.0 if 1.0 in d and True in d and 3.0 not in d else 2.0
    kinds = [k / 2 for k in {1: 0.0}] + [k // 2 for k in {1.0: 0.0}] + [k + 1 for k in flags]
    return x[0] * d[1] * d[True] + x[1] * d.get(2, 9.0) * there * len(d) + x[2] * pairs[1.0, 2.0] * flags[1] + sum(kinds)
""", (np.array([0.5, 1.2, 2.0]),)),
    "lists that grow under another name": ("""\
class Holder:
    def __init__(self):
        self.of = []
    def put(self, v):
        self.of.append(v)
def longer(xs, v):
    xs.append(v)
def f(x):
    a, b, c, d, o = [x[0]], [x * 1.0, x * 2.0], [x[0]], [x[0]], Holder()
    same, held, of = a, {"h": c}, o.of
    same.append(x[1])
    same.extend([x[2], x[0]])
    longer(b, x)
    held["h"].append(x[1])
    def put(v):
        d.append(v)
    put(x[2])
    o.put(x[0])
    o.of.append(x[1])
    return a[1] * a[3] + b[2].sum() + c[1] * d[1] + of[1]
""", (np.array([0.5, 1.2, 2.0]),)),
    "arrays that a list holds are replaced": ("""\
def f(x, n):
    hist, path, pairs, first = [x for i in range(n)], [x * (i + 1.0) for i in range(n)], [(x * 1.0, 0)], x * 2.0
    kept, best = path[0], path[0]
    for i in range(n - 1):
        hist[0], hist[-1] = hist[-1], hist[0] * 0.5
        t = path[i]
        path[i] = path[i + 1]
        path[i + 1] = t
        if path[i].sum() > best.sum():
            best = path[i]
        path[0] = path[0] * 0.9
        a, k = pairs[i]
        pairs.append((a * first, k + 1))
        pairs.append(pairs[i])
    pairs[0] = pairs[1]
    held = {0: x * 2.0, 1: first}
    for k in range(1):
        held[k] = held[k + 1]
    return hist[0] + path[1] * path[-1] + kept * best + pairs[-1][0] * pairs[0][1] + first * held[0]
""", (np.array([0.5, 1.2, 2.0]), 3)),
    "dicts of known keys in a list, and other defaults": ("""\
from collections import defaultdict
def f(p, n):
    mixed, total = [], 0.0
    for t in range(1, n):
        mixed.append({"a": p[0] * t})
    mixed.append({"b": p[1]})
    for d in mixed:
        for k, v in d.items():
            total += v * (2.0 if k == "a" else 3.0)
    most, pairs, ones = defaultdict(lambda: float("-inf")), defaultdict(lambda: [0.0, 1.0]), defaultdict(lambda: (1, 2.5))
    for i in range(n):
        most[i % 2] = max(most[i % 2], p[i])
        pairs[i % 2][0] += p[i]
    return total + most[0] * most[1] + pairs[0][0] * pairs[1][0] + pairs[5][1] + ones[3][1] * len(ones)
""", (np.array([0.5, 0.6, 0.7]), 3)),
    "dicts from keys": ("""\
def f(x, n):
    counts, by_name, shared = dict.fromkeys(range(n), 0), dict.fromkeys(["a", "b"], x[0]), dict.fromkeys("ab", [0.0])
    for i in range(n):
        counts[i] += x[i]
    by_name["a"] *= x[1]
    shared["a"].append(x[2])
    none = dict.fromkeys((1, 2))
    return counts[1] * by_name["a"] + by_name["b"] + shared["b"][-1] * (none[2] is None) + len(dict.fromkeys([3, 1, 3]))
""", (np.array([0.5, 1.2, 2.0, 0.3]), 4)),
    "items that a loop will append": ("""\
def f(x, n):
    times, path, slopes = [0], [x[0]], []
    for i in range(n):
        slopes.append(times[-1] - path[-1] ** 2)
        if i < 2:
            path.append(path[-1] + 0.1 * slopes[-1])
        else:
            path.append(path[-1] + 0.1 * (23 * slopes[-1] - 16 * slopes[-2] + 5 * slopes[-3]) / 12)
        times.append(times[-1] + 0.1)
    return sum(path)
""", (np.array([0.5, 1.2, 2.0, 0.3]), 4)),
    "dicts in a list that grows": ("""\
def f(x, n):
    last = [{}, {0: 1.0}]
    for i in range(n):
        last.append({i: x[i]})
    return last[1][0] + last[-1][n - 1] * last[2][0]
""", (np.array([0.5, 1.2, 2.0, 0.3]), 4)),
    "a list of ints that gets other numbers": ("""\
class Sums:
    def __init__(self, n):
        self.of = [0] * n
    def add(self, k, v):
        self.of[k] += v
def store(xs, k, v):
    xs[k] = v
def f(x, n):
    a, b, d, c, s = [0] * n, [0, 0, 0], {"k": [0] * n}, [[0] * n for _ in range(n)], Sums(n)
    seen, same = [0 for _ in range(n)], a
    for k in range(1, n):
        a[k] = x[k] - 0.5 * a[k - 1]
        b[k % 3] += x[k]
        d["k"][k] = x[k] / 2
        c[k][k - 1] = x[k] * c[k - 1][k - 2]
        c[0][k] += x[0]
        s.add(k, x[k])
        store(seen, k, x[k] if k % 2 else 0.5)
    seen[0], counts = x[0], [0] * n
    for v in x:
        counts[int(v > 0)] += 1
    for k in range(n):
        counts[k] /= n
    rows = {}
    for k in range(n):
        rows.setdefault(k % 2, [0, 0])
        rows[k % 2][0] += x[k]
        rows[k % 2][1] += 1
    total = sum(same) + sum(b) + sum(d["k"]) + sum(s.of) + sum(counts) + sum(seen)
    return total + np.array(c) @ x + rows[0][0] * rows[1][0] / rows[1][1]
""", (np.array([0.5, -1.2, 2.0, 0.3]), 4)),
    "an item of a list that a helper may replace": ("""\
def advanced(state, steps, k):
    for _ in range(steps):
        state = state + 0.1 * k * state
    return state
def f(x, n):
    path, best = [x], x
    for k in range(n):
        path.append(advanced(path[-1], k, x[0]))
        last = path[-1]
        if last[1] > 2.0:
            last = last * 0.5
        path.append(last)
        if last.sum() > best.sum():
            best = last
    return np.array(path).sum() + best @ path[-2]
""", (np.array([0.5, 1.2]), 4)),
    "arrays in a list change places": ("""\
def f(x, n):
    xs, ys = [x * k for k in range(n)], []
    for k in range(n - 1):
        xs[k], xs[k + 1] = xs[k + 1], xs[k]
        ys.append(x - k)
    for i in range(n):
        for k in range(n - 1 - i):
            if xs[k][0] < xs[k + 1][0]:
                xs[k], xs[k + 1] = xs[k + 1], xs[k]
    ys[0], ys[1], last = ys[1], ys[2], ys[0]
    weights = np.arange(1.0, n + 1)
    return weights @ np.array(xs) @ x + ys[0] @ x + 2 * (ys[1] @ x) + 3 * (last @ x)
""", (np.array([0.5, 1.2]), 4)),
    "a list that gets its own items again": ("""\
def f(x, n):
    xs, ys = [x * k for k in range(n)], [x]
    for k in range(2 * n):
        xs.append(xs[k])
        xs.append(xs[-1])
        ys.append(ys[-1] if k % 2 else x * k)
    xs.append(xs[1])
    xs.insert(1, xs[2])
    xs[0] = xs[3]
    return sum(k * (v @ x) for k, v in enumerate(xs)) + sum(k * v[0] for k, v in enumerate(ys))
""", (np.array([0.5, 1.2]), 3)),
    "an earlier target changes what a later one receives": ("""\
class C:
    def __init__(self, v):
        self.v = v
def f(x, n):
    a, d, c = [x, 2.0], {"k": 1.0}, C(x)
    i, a[0], b = 1, 3.0 * x, a
    a[i], (e, w) = x * 5.0, (b, a)
    d["k"], g = x, d
    c.v, q = x * 7.0, c
    grown = [x * k for k in range(n)]
    grown[:1], r = [x, 1.0], grown
    t = (x * 2.0, a)
    a[-1], s = t
    for a[0], u in [(x, a), (4.0, w)]:
        e[1] += u[0]
    return e[0] * w[1] + g["k"] * q.v + sum(r) * len(r) + s[1] * u[1]
""", (1.3, 3)),
    "texts and members as keys": ("""\
import enum
from collections import Counter, defaultdict
class C(enum.Enum):
    A = 1
    B = 2
def bump(d, k, v):
    d[k] = d.get(k, 0.0) + v
def f(x, n):
    d, e, g, seen, state = {}, {}, defaultdict(float), set(), "idle"
    c = Counter("p" if v > 0 else "n" for v in x)
    for i in range(n):
        key = "p" if x[i] > 0 else "n"
        bump(d, key, x[i])
        e.setdefault(key, 1.0)
        e[key] *= x[i]
        g[state, C.A if i % 2 else C.B] += x[i]
        seen.add(key)
        state = "run" if x[i] > 1 else "idle"
    s = sum(v * (2 if k == "p" else 3) for k, v in d.items()) + e.pop("p", 5.0) * len(e)
    for k in sorted(["p", "q"]):
        s += d.get(k, 0.5) * ("q" in seen) + d.get(k, 0.25)
    return s + c["p"] * x[0] + g["idle", C.B] * 2.0 + g["run", C.A] + len(g) + (C.A in {C.A: 1})
""", (np.array([0.5, -1.2, 2.0, 0.3]), 4)),
    "a text key that is not there": ("""\
def f(x, n):
    d = {}
    for v in x:
        d["p" if v > 0 else "n"] = v
    return d["n"]
""", (np.array([0.5, 1.2]), 2)),
    "parts of lists": ("""\
from collections import deque
def cut(xs, k):
    del xs[k:]
    xs[:1] = [10.0, 11.0]
def f(x, n):
    xs = [v for v in x]
    ys = xs
    ys[1:n - 1] = [x[0], 8.0, 9.0]
    ys[::2] = [v * v for v in ys[::2]]
    xs[len(xs):] = xs
    del xs[-2:], ys[1::3]
    cut(xs, n)
    xs *= 2
    xs += xs
    zs = [(1, v) for v in x] * n
    zs[1:] = [(2, x[1])] + zs[n:]
    ws = [1.0, 2.0, x[2]] * n
    del ws[:1]
    q = deque(zs, maxlen=5)
    r = deque(q)
    r.append((3, 1.0))
    d, us = {"a": [v for v in x]}, [i % 3 for i in range(5)]
    d["a"][1:] = [2.0, x[3]]
    s = us[us.pop(0)] * x[0] + us[us.pop() + int(us.pop() > 0)] * x[1]
    for vs in (xs, ws, d["a"]):
        for k, v in enumerate(vs):
            s += k * v
    for k, (a, b) in enumerate(r):
        s += k * a * b
    return s + len(q) + len(zs)
""", (np.array([0.5, -1.2, 2.0, 0.3]), 4)),
    "an extended slice of another size": ("""\
def f(x, n):
    xs = [v for v in x]
    xs[::2] = [1.0] * n
    return sum(xs)
""", (np.array([0.5, 1.2]), 2)),
    "computed indices of long lists and tuples": ("""\
LONG = [0.5 * i for i in range(40)]
class A:
    W = tuple(range(50))
    def at(self, i):
        return self.W[i] + LONG[i - 3]
def f(x, n):
    t = [0.25 * k for k in range(40)]
    s = 0.0
    for i in range(n):
        s += A().at(i * 9) * x[i] + t[i] * t[3 * i]
        t[i + 1] = x[i]
    return s + sum(t) + A.W[n] // 2
""", (np.array([0.5, -1.2, 2.0, 0.3]), 4)),
    "merged dicts with computed keys": ("""\
from collections import defaultdict
def grow(d, k, v):
    d.update({k: v})
def f(x, n):
    known, d = {1: x[0], 2: x[1]}, {k % 3: x[k] for k in range(n)}
    e = {**d, n: 2.0 * x[0], **known, 0: x[3]}
    e = e | {n + 1: x[1]} | known
    same = known
    grow(known, n + 2, x[2])
    same |= {n: x[0]}
    known.update([(k, x[k]) for k in range(2)])
    known.update((k + 7, v) for k, v in enumerate(x) if v > 0)
    c = defaultdict(float)
    for k in range(n):
        c[k % 2] += x[k]
        c |= {k + 5: x[k] * k}
    whole = {**c, **e, **same}
    e[1], d[0] = 9.0, 8.0
    s = sum(d.values()) * e[1] + len(whole)
    for i, (k, v) in enumerate(whole.items()):
        s += i * k * v + (whole.get(k + 1, 0.5) if k - 1 in same else e.get(k, x[2]))
    return s
""", (np.array([0.5, -1.2, 2.0, 0.3]), 4)),
    "stars of computed lengths": ("""\
from collections import deque
def grown(xs):
    return [xs[0] * 2.0, *xs[1:], *xs]
def f(x, n):
    xs = [v for v in x if v > 0.4]
    q = deque([x[0], x[1]], maxlen=3)
    for k in range(n):
        q.append(x[k] * 2.0)
    ys = [*xs, x[3], *q, *range(n), *reversed(xs), *map(math.sin, x)]
    xs[0] = 9.0
    a, b, c = q
    first, *rest = q
    m = np.array([[*xs, 1.0], [2.0, *xs]])
    s = a * b + c * first + sum(rest) + (m * m).sum() + (x[0] in q)
    for p in [*xs, *x[:n]]:
        s = s * 0.5 + p
    for u, v in [*zip(x, x[1:]), (x[0], 3.0)]:
        s += u * v
    t = [0, *range(n), n - 1]
    s += max(*xs, x[1]) * min(0.7, *ys) + np.max([*ys]) + x[t].sum() + sum((*x[:n], 1.0, *q))
    return s + sum(i * v for i, v in enumerate(grown(grown(xs)) + ys)) + len([*x[:n - 4]])
""", (np.array([0.5, -1.2, 2.0, 0.3]), 4)),
    "parts and members of ranges": ("""\
FEW, MANY = range(1, 6, 2), range(-9, 9000, 7)
def f(x, n):
    s = 0.0
    for r in (range(n), range(n, 9), range(7, n - 4, -2), range(-2, n, n - 2), range(n, 2), MANY, FEW):
        for part in (r[1:], r[:-1], r[::-1], r[n:0:-2], r[1:n:2], r[:9]):
            s += x[0] * len(part) + sum(part[:3])
        for k in range(-4, 12):
            s += x[1] * k if k in r else x[2]
        s += r[-1] if len(r) > n else x[3]
    for k in FEW[:2]:
        s += x[k] * MANY[k]
    return s + x[FEW[:2]].sum() + (n not in range(3 * n))
""", (np.array([0.5, -1.2, 2.0, 0.3]), 4)),
    "computed indices of tables": ("""\
NODES = ((-0.5, 1, None), (0.25, 2, 0.75), (1.5, 0, 2.0))
ROWS = [[0.1 * k for k in range(40)], [-0.2 * k for k in range(40)]]
PAIRS = (tuple(0.1 * k for k in range(40)), tuple(-0.2 * k for k in range(40)))
def at(t, i):
    return t[i] * 2.0
def f(x, n):
    own = (x[0], x[1] * 2.0, *PAIRS[0])
    s = 0.0
    for i in range(n):
        a, k, b = NODES[i % 3]
        s += a * x[k] + NODES[-1 - i % 3][0] * (0.5 if b is None else b)
        if i > 1:
            s += own[i] * own[3 * i] + at(own, i + 1) + ROWS[i % 2][9 * i]
        for j in range(k):
            s += PAIRS[j % 2][i + 7 * j] * x[j] + at(ROWS[1], j)
    return s + own[n]
""", (np.array([0.5, -1.2, 2.0, 0.3]), 4)),
    "matmul": ("""\
def f(x, k):
    A = [[x * (i + 1) + j for j in range(k)] for i in range(k)]
    B = [[0.0] * k for _ in range(k)]
    for i in range(k):
        for j in range(k):
            for l in range(k):
                B[i][j] += A[i][l] * A[l][j]
    s = 0.0
    for i in range(k):
        s += B[i][i] * B[i][0]
    return s
""", (1.3, 3)),
    "items of a type that decorating does not know": ("""\
def f(x, k):
    xs = [x[0], 0.5]
    xs.append(x[1])
    xs[0] += xs[-1]
    ys = []
    for i in range(k):
        ys.append(x[i])
        ys[i] *= 2.0
    ys[0] = x[2]
    return xs[0] * ys[0] + sum(ys)
""", (np.array([1.0, 2.0, 3.0]), 3)),
    "`+=` extends a list in a dict, and one in a list": ("""\
from collections import defaultdict
def f(x, k):
    d = defaultdict(list)
    n = 0
    for i in range(k):
        d[i % 2] += [x[i], x[i] * 2]
    for i in range(k):
        d[(n := n + 1) % 2] += [v for v in x[:2]]
    e = {}
    for i in range(k):
        e[i] = [x[i]]
        e[i] += (x[0],)
    rows = [[x[0]], [x[1], x[2]]]
    rows[1] += [x[0]]
    return sum(d[0]) * sum(d[1]) + n + sum(e[1]) * sum(rows[1])
""", (np.array([1.0, 2.0, 3.0]), 3)),
    "adjacency": ("""\
def f(x, k):
    nbrs = [[] for _ in range(k)]
    for i in range(k):
        nbrs[i].append((i + 1) % k)
        nbrs[(i * 2) % k].append(i)
    s = 0.0
    for i in range(k):
        for j in nbrs[i]:
            s += x[i] * x[j] * len(nbrs[j])
    return s
""", (np.array([1.0, 2.0, 3.0, 4.0]), 4)),
    "ragged floats": ("""\
def f(x, k):
    rows = []
    for i in range(k):
        r = []
        for j in range(i):
            r.append(x * j + i)
        rows.append(r)
    s = 0.0
    for i in range(k):
        for j in range(len(rows[i])):
            rows[i][j] = rows[i][j] * rows[i][j]
            s += rows[i][j]
    return s
""", (1.3, 5)),
    "copy rows": ("""\
def f(x, k):
    A = [[x * i + j for j in range(k)] for i in range(k)]
    B = [row[:] for row in A]
    C = [list(row) for row in A]
    for i in range(k):
        A[i][i] = 0.0
        B[i][0] *= 2.0
        C[i].append(x)
    s = 0.0
    for i in range(k):
        s += sum(A[i]) * 2.0 + sum(B[i]) * x + sum(C[i]) * C[i][-1]
    return s
""", (1.3, 3)),
    "alias row": ("""\
def f(x, k):
    A = [[x * i + j for j in range(k)] for i in range(k)]
    row = A[1]
    A[1][0] = x * x
    row[1] = 5.0 * x
    s = row[0] + A[1][1] * x
    return s
""", (1.3, 3)),
    "literal rows": ("""\
def f(x, k):
    A = [[x, 1.0], [2.0, x * x]]
    s = 0.0
    for i in range(2):
        for j in range(k):
            s += A[i][j] * A[j][i]
            A[i][j] += x
    return s
""", (1.3, 2)),
    "helper matmul": ("""\
def mm(A, B, n):
    C = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            C[i][j] = sum(A[i][l] * B[l][j] for l in range(n))
    return C
def f(x, n):
    A = [[x / (1 + i + j) for j in range(n)] for i in range(n)]
    P = mm(A, A, n)
    P = mm(P, A, n)
    return sum(P[i][i] for i in range(n))
""", (1.3, 3)),
    "helper update": ("""\
def put(A, i, v):
    A[i][0] = v
def add(A, i, v):
    A[i].append(v)
def f(x, n):
    A = [[x, 1.0] for _ in range(n)]
    put(A, 1, x * x)
    add(A, 0, 3.0 * x)
    return A[1][0] * A[0][2] + A[0][0] + len(A[0])
""", (1.3, 3)),
    "np array": ("""\
def f(x, n):
    A = [[x * i + j for j in range(n)] for i in range(n)]
    M = np.array(A)
    return (M @ M).sum() + M[0, 1]
""", (1.3, 3)),
    "swap": ("""\
def f(x, n):
    A = [[x * i * i + j + 1.0 for j in range(n)] for i in range(n)]
    for i in range(n):
        p = i
        for r in range(i, n):
            if abs(A[r][i]) > abs(A[p][i]):
                p = r
        A[i], A[p] = A[p], A[i]
        for r in range(i + 1, n):
            m = A[r][i] / (A[i][i] + 1.0)
            for c in range(i, n):
                A[r][c] -= m * A[i][c]
    return sum(A[i][i] for i in range(n))
""", (1.3, 3)),
    "pops": ("""\
def f(x, n):
    A = [[x * i, 2.0 * x] for i in range(n)]
    s = A[0].pop()
    s += A[1].pop(0) * A[1][0]
    last = A.pop()
    A.reverse()
    A[0].extend([x, x])
    return s + last[0] * A[0][0] + sum(A[0])
""", (1.3, 4)),
    "three": ("""\
def f(x, n):
    A = [[[x * i + j for _ in range(k + 1)] for k in range(n)] for i in range(n) for j in range(2)]
    s = 0.0
    for a in A:
        for b in a:
            for c in b:
                s += c * c
    A[1][1][0] = x * 2.0
    return s + A[1][1][0]
""", (1.3, 2)),
    "obj": ("""\
class G:
    def __init__(self, n):
        self.adj = [[] for _ in range(n)]
    def edge(self, a, b, w):
        self.adj[a].append((b, w))
        self.adj[b].append((a, w))
def f(x, n):
    g = G(n)
    for i in range(n - 1):
        g.edge(i, i + 1, x * i + 1.0)
    s = 0.0
    for i in range(n):
        for j, w in g.adj[i]:
            s += w * j
    return s
""", (1.3, 4)),
    "match of sequences and classes": ("""\
class Circle:
    def __init__(self, r):
        self.r = r
def area(shape):
    match shape:
        case Circle(r=0.0):
            return 1.0
        case Circle(r=r) if r > 1.0:
            return r * r
        case None:
            return 0.25
        case (a, b):
            return a * b
        case [a, _, b]:
            return a - b
        case ("square", side):
            return side ** 2
        case _:
            return 7.0
def f(x, n):
    s = 0.0
    for shape in (Circle(0.0), Circle(x), Circle(0.5 * x), None, (x, 2.0), [x, 3.0, 4.0], (1.0, 2.0, 3.0)):
        s = s * x + area(shape)
    match (x > 1.0, n):
        case (True, 3):
            return s
        case (big, k) if big:
            return s * k + big
    return 0.0
""", (1.3, 4)),
    "counter of the counts in a dict": ("""\
from collections import Counter
def f(x, n):
    stock, seen = Counter({"a": 5, "b": 3}), {}
    for i in range(n):
        stock["ab"[i % 2]] -= 1
        seen[i % 3] = i
    many, few = Counter(seen), Counter(u=2, v=n)
    again = Counter(few)
    many[1] += 4
    again["u"] += 1
    return x * stock["a"] + many[1] * many[7] + len(many) + few["u"] * again["u"] * again["v"] + stock["b"]
""", (1.3, 5)),
    "a ufunc of the numbers in an array": ("""\
def f(x, n):
    v = np.array([x, -1.0, 2.0 * x])
    return np.hypot(*v[v > 0.0]) + np.maximum(x, *v[:1])
""", (1.3, 5)),
    "a conditional array in a sum": ("""\
def f(x, n):
    v = np.array([x, 1.0]) * n
    u = v + (v * v if n > 3 else 0.0)
    w = (1.0 if n > 3 else v) * u - (v[1:].sum() * v if len(u) > n else 1)
    return w @ u
""", (1.3, 4)),
    "variables of comprehensions in nested functions": ("""\
def f(x, n):
    def total(v):
        return sum(v[i] * [i + j for j in range(2)][1] for i in range(len(v)))
    s = total([x, 2.0, x])
    for i in range(n):
        j = i * x
        s += total([j, x])
    return s
""", (1.3, 4)),
    "forces that are items of a list": ("""\
def f(x, n):
    forces = []
    for i in range(n):
        forces.append(np.zeros(2))
    for i in range(n):
        for j in range(i):
            d = np.array([x * i - j, x + i * j])
            forces[i] += d / (d @ d + 1.0)
            forces[j] -= d / (d @ d + 1.0)
            forces[j][0] = x * forces[j][1]
    return sum((i + 1) * v @ v for i, v in enumerate(forces))
""", (1.3, 4)),
    "particles that methods move": ("""\
class P:
    def __init__(self, x, v):
        self.x, self.v = x, v
    def step(self, dt):
        self.v -= dt * self.x
        self.x += dt * self.v
def f(x, n):
    ps = []
    for i in range(n):
        ps.append(P(np.array([x, i * 1.0]), np.ones(2)))
    for k in range(3):
        for p in ps:
            p.step(0.1 * x)
        ps[k].v[1] *= 2.0
    return sum(p.x @ p.v for p in ps)
""", (1.3, 4)),
    "layers that are dicts in a list": ("""\
def f(x, n):
    layers = []
    for k in range(n):
        layers.append({"w": np.eye(2) * x, "b": np.zeros(2)})
    h = np.array([x, 1.0])
    for k in range(n):
        layers[k]["w"] -= 0.1 * np.outer(h, h)
        layers[k]["b"] += h
    for layer in layers:
        h = np.tanh(layer["w"] @ h + layer["b"])
    return h[0] * h[1]
""", (0.7, 3)),
    "shallow": ("""\
def f(x, n):
    A = [[x * i, 2.0] for i in range(n)]
    B = A[:]
    B[0] = [x, x]
    s = A[0][0] + B[0][0] * B[1][1]
    return s
""", (1.3, 4)),
    "row then append": ("""\
def f(x, n):
    A = [[x * i, 2.0] for i in range(n)]
    r = A[0]
    A[0].append(x)
    r.append(2.0 * x)
    return r[-1] + len(A[0]) + r[2]
""", (1.3, 4)),
    "mutate in loop": ("""\
def f(x, n):
    A = [[x * i, 2.0] for i in range(n)]
    for row in A:
        row[0] *= 3.0
        for j in range(len(row)):
            row[j] += x
    return sum(r[0] * r[1] for r in A)
""", (1.3, 4)),
    "sparse pagerank": ("""\
def f(w, n, steps):
    out = [[] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if (i * 3 + j * 5) % 4 == 1:
                out[i].append(j)
    r = [1.0 / n] * n
    for _ in range(steps):
        new = [(1.0 - w) / n] * n
        for i in range(n):
            if out[i]:
                for j in out[i]:
                    new[j] += w * r[i] / len(out[i])
        r = new
    return sum(v * v for v in r)
""", (0.85, 5, 3)),
    "pascal": ("""\
def f(x, n):
    rows = [[1.0]]
    for i in range(1, n):
        prev = rows[-1]
        row = [1.0]
        for j in range(1, i):
            row.append(prev[j - 1] * x + prev[j])
        row.append(1.0)
        rows.append(row)
    return sum(rows[-1])
""", (1.3, 5)),
    "prev cur": ("""\
def f(x, n):
    prev = [0.0] * (n + 1)
    hist = []
    for i in range(n):
        cur = [x * i] * (n + 1)
        for j in range(1, n + 1):
            cur[j] = max(prev[j] + x, cur[j - 1] * 0.5)
        hist.append(prev)
        prev = cur
    hist.append(prev)
    return sum(h[-1] for h in hist) + prev[1]
""", (1.3, 3)),
    "closure": ("""\
def f(x, n):
    adj = [[] for _ in range(n)]
    def add(a, b):
        adj[a].append(b)
        adj[b].append(a)
    for i in range(n - 1):
        add(i, i + 1)
    s = 0.0
    for i in range(n):
        s += x * len(adj[i]) * (adj[i][0] + 1)
    return s
""", (1.3, 4)),
    "bfs": ("""\
def f(w, n):
    adj = [[] for _ in range(n)]
    for i in range(n - 1):
        adj[i].append((i + 1, w[i]))
        adj[i + 1].append((i, w[i]))
    dist = [-1.0] * n
    dist[0] = 0.0
    queue = [0]
    while queue:
        u = queue.pop(0)
        for v, c in adj[u]:
            if dist[v] < 0.0:
                dist[v] = dist[u] + c * c
                queue.append(v)
    return sum(dist)
""", (np.array([1.0, 2.0, 0.5, 1.5]), 4)),
    "transpose": ("""\
def f(x, n):
    A = [[x * i + j for j in range(n)] for i in range(n + 1)]
    T = [[A[i][j] for i in range(n + 1)] for j in range(n)]
    T = [list(r) for r in T]
    return sum(T[j][n] * (j + 1) for j in range(n)) + len(T) * len(T[0])
""", (1.3, 3)),
    "param list 2d": ("""\
def g(A):
    n = len(A)
    s = 0.0
    for i in range(n):
        for j in range(len(A[0])):
            s += A[i][j] * (i + 2 * j)
    return s
def f(x):
    return g([[x, 2.0], [3.0, x * x], [x, x]])
""", (1.3,)),
    "slice rows": ("""\
def f(x, n):
    A = [[x * i + j for j in range(n)] for i in range(n)]
    s = sum(A[1][1:]) + sum(A[0][:2]) + A[-1][-1]
    for row in A[1:]:
        s += row[0] * max(row) + min(row)
    for a, b in zip(A, A[1:]):
        s += a[0] * b[1]
    for i, row in enumerate(A):
        for j, v in enumerate(row):
            s += v * i * j
    return s
""", (1.3, 3)),
    "branch": ("""\
def f(x, n):
    A = [[x] for _ in range(n)]
    if x > 1.0:
        A[0].append(x * x)
    else:
        A.append([2.0 * x])
    return sum(sum(r) for r in A) + len(A)
""", (1.3, 3)),
    "ragged np": ("""\
def f(x, n):
    A = [[x] * (i + 1) for i in range(n)]
    return np.array(A).sum()
""", (1.3, 3)),
    "copy then append": ("""\
def f(x, n):
    A = [[x] * (i + 1) for i in range(n)]
    B = A.copy()
    B.append([x, x])
    A[0][0] = 5.0
    return sum(A[0]) + len(A)
""", (1.3, 3)),
    "two lists row": ("""\
def f(x, n):
    A = [[x] * (i + 1) for i in range(n)]
    B = []
    B.append(A[0])
    A[0][0] = 7.0
    return B[0][0] * x
""", (1.3, 3)),
    "two lists row2": ("""\
def f(x, n):
    A = [[x] * (i + 1) for i in range(n)]
    B = []
    B.append(A[0])
    B.append(A[1])
    s = B[0][0] * B[1][1]
    A[0].append(7.0)
    return s + sum(A[0])
""", (1.3, 3)),
    "del item": ("""\
def f(x, n):
    A = [[x * i, x] for i in range(n)]
    A.insert(1, [5.0, x])
    A.insert(n, [x])
    b = A.pop(0)
    b.append(x)
    return A[0][0] * sum(A[n - 1]) + sum(b)
""", (1.3, 3)),
    "contains": ("""\
def f(x, n):
    g = [[] for _ in range(n)]
    for i in range(n):
        if 1 not in g[0]:
            g[0].append(i)
    return x * len(g[0])
""", (1.3, 3)),
    "heap user": ("""\
import heapq
def f(x, n):
    h = []
    for i in range(n):
        heapq.heappush(h, math.sin(x * i))
    s = 0.0
    k = 1.0
    while h:
        v = heapq.heappop(h)
        s += v * k
        k += 1.0
    return s
""", (1.3, 6)),
    "dijkstra": ("""\
import heapq
def f(w, n):
    adj = [[] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i != j and (i + 2 * j) % 3 != 0:
                adj[i].append((j, w[i] * w[j] + 0.1 * j))
    dist = [1e9] * n
    dist[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v, c in adj[u]:
            nd = d + c
            if nd < dist[v]:
                dist[v] = nd
                heapq.heappush(heap, (nd, v))
    return sum(dist)
""", (np.array([1.0, 2.0, 0.5, 1.5]), 4)),
    "a heap of cells of a list": ("""\
import heapq
def f(w, n):
    adj = [[] for _ in range(n)]
    for i in range(n):
        adj[i].append(((i + 1) % n, w[i]))
        adj[i].append(((i + 2) % n, w[i] * 1.7))
    dist = [1e9] * n
    dist[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        for v, c in adj[u]:
            if d + c < dist[v]:
                dist[v] = d + c
                heapq.heappush(heap, (dist[v], v))
    return sum(dist)
""", (np.array([1.0, 2.0, 0.5, 1.5]), 4)),
    "heapify": ("""\
from heapq import heapify, heappop, heapreplace, heappushpop
def f(x, n):
    h = [math.cos(x * i * i) for i in range(n)]
    heapify(h)
    a = heappop(h)
    b = heapreplace(h, x)
    c = heappushpop(h, 0.1 * x)
    return a + 2.0 * b + 3.0 * c + h[0] * 5.0 + h[-1]
""", (1.3, 8)),
    "huffman": ("""\
import heapq
def f(p, n):
    h = []
    for i in range(n):
        heapq.heappush(h, (p[i], i))
    total = 0.0
    k = n
    while len(h) > 1:
        a, _ = heapq.heappop(h)
        b, _ = heapq.heappop(h)
        total += (a + b) ** 2
        heapq.heappush(h, (a + b, k))
        k += 1
    return total
""", (np.array([0.1, 0.3, 0.2, 0.25, 0.15]), 5)),
    "memo loop": ("""\
def f(x, n):
    memo = {0: x, 1: 1.0}
    for i in range(2, n):
        memo[i] = memo[i - 1] * x + memo[i - 2]
    return memo[n - 1] + len(memo)
""", (1.3, 6)),
    "counts": ("""\
def f(x, idx, n):
    d = {}
    for i in range(n):
        k = idx[i]
        d[k] = d.get(k, 0.0) + x * i
    s = 0.0
    for k, v in d.items():
        s += k * v * v
    for k in d:
        s += d[k]
    return s + sum(d.values())
""", (1.3, np.array([5, -3, 5, 100, 7, -3, 12, 5]), 8)),
    "default": ("""\
from collections import defaultdict
def f(x, idx, n):
    d = defaultdict(float)
    g = defaultdict(list)
    for i in range(n):
        d[idx[i]] += x * x * i
        g[idx[i] % 3].append(i)
    s = 0.0
    for k in d:
        s += d[k] * k
    for k, js in g.items():
        for j in js:
            s += x * j * k
    return s + d[99] + len(d)
""", (1.3, np.array([5, -3, 5, 100, 7, -3, 12, 5]), 8)),
    "recursions that append": ("""\
def walk(x, k, n, out):
    if k < n:
        walk(x, 2 * k + 1, n, out)
        out.append(x * k)
        walk(x, 2 * k + 2, n, out)
def f(x, idx, n):
    seen, kept = [0.0], {}
    def visit(k, depth=0):
        if k >= n:
            return 0.0
        seen.append(x * k)
        kept[depth] = kept.get(depth, 0.0) + x
        return x * k + visit(2 * k + 1, depth + 1) * 0.5 + visit(2 * k + 2, depth + 1)
    out = []
    walk(x, 0, n, out)
    r = visit(0)
    return r + sum(v * v for v in seen) + sum(k * v for k, v in enumerate(out)) + sum(k * v * v for k, v in kept.items())
""", (1.3, np.array([5, -3]), 8)),
    "items of lists in dicts": ("""\
from collections import defaultdict
class Log:
    def __init__(self):
        self.xs, self.by = [], {"a": [1.0]}
def f(x, idx, n):
    d, e, log, rows = defaultdict(list), {"a": [], "b": (x,)}, Log(), [[], [1.0]]
    for i in range(n):
        d[idx[i] % 3].append(x * i)
        d[i % 2 + 3] += [x, x * i]
        e["a"] += [x * i]
        rows[i % 2] += [x, x * i]
        log.xs += [x]
        log.by["a"] += [x * x, 1.0]
    d[2][0] = x ** 3
    d[3][1] *= 2.0
    e["b"] += (x * x,)
    found = log.xs.count(x) * x + rows[0].index(x * 2)
    log.xs.remove(x)
    return sum(d[2]) * sum(d[3]) + sum(e["a"]) * e["b"][1] + sum(rows[1]) + sum(log.xs) * sum(log.by["a"]) + found
""", (1.3, np.array([5, -3, 5, 100, 7, -3, 12, 5]), 8)),
    "sets": ("""\
def f(x, idx, n):
    seen = set()
    s = 0.0
    for i in range(n):
        if idx[i] in seen:
            s += x * i
        else:
            seen.add(idx[i])
    seen.discard(5)
    seen.remove(7)
    if 5 not in seen:
        s += x * len(seen)
    for v in sorted(seen):
        s = s * 0.5 + v * x
    return s
""", (1.3, np.array([5, -3, 5, 100, 7, -3, 12, 5]), 8)),
    "memo recursion": ("""\
def f(x, n):
    memo = {}
    def fib(k):
        if k in memo:
            return memo[k]
        if k < 2:
            v = x * k + 1.0
        else:
            v = fib(k - 1) + x * fib(k - 2)
        memo[k] = v
        return v
    return fib(n)
""", (1.3, 7)),
    "sparse": ("""\
def f(x, n):
    A = {}
    for i in range(n):
        A[(i, i)] = 2.0 * x
        if i + 1 < n:
            A[i, i + 1] = -x * i
            A[(i + 1, i)] = -1.0
    v = [1.0 + i for i in range(n)]
    y = [0.0] * n
    for (i, j), a in A.items():
        y[i] += a * v[j]
    return sum(t * t for t in y) + A.get((0, 5), x)
""", (1.3, 4)),
    "delete": ("""\
def f(x, n):
    d = {i * i: x * i for i in range(n)}
    del d[4]
    a = d.pop(9)
    b = d.pop(77, x)
    s = a * b
    for k, v in d.items():
        s += v * k
    d[4] = x
    k, v = d.popitem()
    return s + k * v + len(d)
""", (1.3, 9)),
    "counter": ("""\
from collections import Counter
def f(x, idx):
    c = Counter(idx)
    c[3] += 2
    s = 0.0
    for k, v in c.items():
        s += x * k * v
    return s + c[1234]
""", (1.3, np.array([5, -3, 5, 100, 7, -3, 12, 5]))),
    "setdefault": ("""\
def f(x, n):
    d = {}
    for i in range(n):
        d.setdefault(i % 3, []).append(x * i)
    return sum(sum(v) * k for k, v in d.items())
""", (1.3, 7)),
    "rec memo": ("""\
def ways(known, k, x):
    if k < 2:
        return x * k
    if k not in known:
        known[k] = ways(known, k - 1, x) + 0.5 * ways(known, k - 2, x)
    return known[k]
def f(x, n):
    known = {}
    def inner(k):
        if k < 2:
            return x
        if k not in known:
            known[k] = inner(k - 1) * x + inner(k - 2)
        return known[k]
    return ways({}, n, x) + inner(n)
""", (1.3, 7)),
    "key evaluated once": ("""\
from collections import defaultdict
def f(x):
    d, e, n = defaultdict(float), [0.0, 1.0, 2.0], 0
    def g():
        nonlocal n
        n += 1
        return n
    for a in x:
        d[g() % 2] += a
    e[g() % 3] *= x[0]
    return d[0] + 3.0 * d[1] + n * e[2]
""", (np.array([1.5, -0.5, 2.5, 0.75]),)),
    "deleted from a defaultdict": ("""\
from collections import defaultdict
def f(x):
    d = defaultdict(float)
    for i, a in enumerate(x):
        d[i % 3] += a * d[(i + 1) % 3] + 1.0
    del d[1]
    d[1] = 2.0
    s = 0.0
    for k, v in d.items():
        s = 3.0 * s + v + k
    return s
""", (np.array([1.5, -0.5, 2.5, 0.75]),)),
    "object attr": ("""\
class Cache:
    def __init__(self):
        self.memo = {}
        self.hits = 0
    def get(self, k, x):
        if k in self.memo:
            self.hits += 1
            return self.memo[k]
        v = x * x * k
        self.memo[k] = v
        return v
def f(x, n):
    c = Cache()
    s = 0.0
    for i in range(n):
        s += c.get(i % 3, x)
    return s + c.hits
""", (1.3, 7)),
    "setops": ("""\
def f(x, n):
    s = {i % 4 for i in range(n)}
    t = set(range(n))
    total = 0.0
    for v in sorted(t):
        if v in s:
            total += x * v
    return total + max(t) + len({n, n + 1})
""", (1.3, 6)),
    "rec lists": ("""\
def fill(k, x, a, b):
    if k <= 0:
        a.append(x)
        return x
    v = fill(k - 1, x, a, b) + x * fill(k - 2, x, a, b)
    a.append(v)
    b.append(k)
    return v
def f(x, n):
    a = []
    b = []
    return fill(n, x, a, b) + len(a) + len(b)
""", (1.3, 4)),
    "rec one": ("""\
def fill(k, x, a):
    if k <= 0:
        a.append(x)
        return x
    v = fill(k - 1, x, a) + x * fill(k - 2, x, a)
    a.append(v)
    return v
def f(x, n):
    a = []
    return fill(n, x, a) + len(a)
""", (1.3, 4)),
    "rec ints": ("""\
def fill(k, x, a):
    if k <= 0:
        a.append(k)
        return x
    v = fill(k - 1, x, a)
    a.append(k)
    return v
def f(x, n):
    a = [1] * n
    b = [2] * n
    return fill(n, x, a) + len(a)
""", (1.3, 4)),
    "rec obj": ("""\
class B:
    def __init__(self, n):
        self.a = [1] * n
        self.b = [2] * n
def fill(k, x, o):
    if k <= 0:
        o.a.append(k)
        return x
    v = fill(k - 1, x, o)
    o.b.append(k)
    return v
def f(x, n):
    o = B(n)
    return fill(n, x, o) + len(o.a)
""", (1.3, 4)),
    "sort key": ("""\
def f(x, n):
    pts = [(math.sin(x * i * 3.0), i % 3) for i in range(n)]
    pts.sort(key=lambda p: p[1])
    s = 0.0
    for k, (a, b) in enumerate(pts):
        s += a * k + b
    pts.sort()
    s += pts[0][0] * 3.0 + pts[-1][0]
    q = sorted(pts, key=lambda p: (p[1], -p[0]), reverse=True)
    for k, (a, b) in enumerate(q):
        s += a * k * k + b
    return s
""", (1.3, 6)),
    "sort rev": ("""\
def f(x, idx):
    order = sorted(range(len(x)), key=lambda i: x[i])
    s = 0.0
    for k, i in enumerate(order):
        s += x[i] * k
    xs = list(x)
    xs.sort(reverse=True)
    return s + xs[0] * 2.0 + xs[1] + sorted(idx, reverse=True)[0]
""", (np.array([3.0, 1.0, 2.0, -4.0]), np.array([3, 1, 2, 5]))),
    "minkey": ("""\
def f(x, n):
    i = min(range(n), key=lambda i: abs(x[i] - 1.5))
    p = max([(x[i], i) for i in range(n)], key=lambda p: p[0] * p[0])
    return x[i] * 2.0 + p[0] * p[1]
""", (np.array([3.0, 1.0, 2.0, -4.0]), 4)),
    "deleted from a dict that nothing is put into": ("""\
def f(x, n):
    found, s = {}, 0.0
    before = found.get(n)
    if n + 1 in found:
        del found[n + 1]
    return s + (x[1] if before is None else before)
""", (np.array([3.0, 1.0, 2.0, -4.0]), 3)),
    "default of an extreme": ("""\
def f(x, n):
    few, many = [v for v in x[:n] if v > 2.5], [(v * v, i) for i, v in enumerate(x) if v > -1.0]
    p = max(many, default=(x[0], 7))
    q = min([(v, 1) for v in few if v < 0.0], default=(x[1] * 3.0, 8))
    r = min((v for v in few), key=lambda v: -v * v, default=x[2])
    return p[0] * p[1] + q[0] * q[1] + r * max(few[1:], key=abs, default=x[3] * 2.0)
""", (np.array([3.0, 1.0, 2.0, -4.0]), 3)),
    "nsmallest": ("""\
import heapq
def f(x, k):
    a = heapq.nsmallest(k, [(v * v, i) for i, v in enumerate(x)])
    b = heapq.nlargest(2, x)
    return sum(d for d, _ in a) + b[0] * b[1]
""", (np.array([3.0, 1.0, 2.0, -4.0]), 2)),
    "bisects": ("""\
import bisect
def f(x, n):
    xs = []
    s = 0.0
    for i in range(n):
        v = math.sin(x * i * i)
        k = bisect.bisect_left(xs, v)
        s += k * v
        bisect.insort(xs, v)
        s += xs[len(xs) // 2] * i
    return s + bisect.bisect(xs, 0.1)
""", (1.3, 6)),
    "deque1": ("""\
from collections import deque
def f(x, n):
    q = deque()
    q.append(x)
    q.appendleft(2.0 * x)
    s = 0.0
    for i in range(n):
        v = q.popleft()
        s += v * i
        q.append(v * 0.5 + i)
        if i % 2 == 0:
            q.appendleft(x * i)
    for v in q:
        s = s * 0.5 + v
    q[0] = x
    q[-1] += 3.0 * x
    return s + q[0] * q[-1] + len(q) + q.pop() + sum(q)
""", (1.3, 5)),
    "moving": ("""\
from collections import deque
def f(x, k):
    w = deque(maxlen=k)
    s = 0.0
    for v in x:
        w.append(v)
        s += sum(w) / len(w) * max(w)
    w.rotate(1)
    return s + w[0] * 2.0 + w[1]
""", (np.array([1.0, 3.0, -2.0, 4.0, 0.5]), 3)),
    "bfs p10": ("""\
from collections import deque
def f(x, n):
    adj = [[] for _ in range(n)]
    for i in range(n - 1):
        adj[i].append(i + 1)
        adj[i // 2].append(i + 1)
    dist = {0: 0.0}
    q = deque([0])
    while q:
        u = q.popleft()
        for v in adj[u]:
            if v not in dist:
                dist[v] = dist[u] + x * v
                q.append(v)
    return sum(dist.values())
""", (1.3, 5)),
    "deque empty": ("""\
from collections import deque
def f(x, n):
    q = deque([x] * n)
    for i in range(n + 1):
        q.popleft()
    return x
""", (1.3, 3)),
    "tuples": ("""\
from collections import deque
def f(x, n):
    q = deque([(x, 0)])
    s = 0.0
    while q:
        v, d = q.popleft()
        s += v * d
        if d < n:
            q.append((v * 0.5, d + 1))
            q.append((v * 0.3, d + 2))
    return s
""", (1.3, 4)),
    "previous": ("""\
def f(x, keys):
    last, s = {}, 0.0
    for k, i in enumerate(keys):
        before = last.get(i)
        if before is not None:
            s += x * before * k
        last[i] = k + x
    while (v := last.pop(5, None)) is not None:
        s += v
    return s
""", (1.3, np.array([5, 1, 5, 1, 2]))),
    "triangle": ("""\
def f(x, n):
    rows = [[1.0]]
    rows.append([x for _ in range(2)])
    for i in range(n):
        rows.append([x * i + v for v in rows[-1]])
    del rows[0]
    del rows[0][0]
    return sum(sum(r) for r in rows)
""", (1.3, 4)),
    "folds": ("""\
from functools import reduce
def f(x, n):
    xs = []
    for i in range(n):
        xs.append(math.sin(x + i))
    it = iter(xs)
    s = next(it) * sum(it) + math.prod(xs) + math.prod((v * x for v in xs), start=2.0)
    s += reduce(lambda a, b: a * b + 1.0, (v for v in xs)) + max((v, i) for i, v in enumerate(xs))[1]
    return s + min([(abs(v), v) for v in xs])[1] + max((v for v in xs), key=lambda v: -v * v)
""", (1.3, 5)),
    "steps": ("""\
from collections import deque
def f(y, n):
    last, q, xs = deque(maxlen=3), deque(), [y, y * 2]
    for k in range(n):
        last.append(np.array([y[1], -y[0]]))
        y = y + 0.1 * last[0] - 0.05 * last[-1]
        q.append(y * k)
        if k % 3:
            v = q.popleft()
            xs[0] = xs[1].copy()
            xs[1] = v
    return y[0] * xs[0][1] + xs[1][0] + len(q)
""", (np.array([1.0, 0.1]), 7)),
    "sets": ("""\
from collections import Counter, deque
def f(x, keys, more, y):
    s, t, q, c = set(keys), {2, 7}, deque([x], maxlen=4), Counter(keys)
    t.update(more)
    c.update(more)
    q.extend(y)
    both = s & t
    total = len(s | t) * x + len(s - t) - 10 * len(s ^ t) + c[2] + sum(q) * sum(both)
    if s.issubset(s.union(more)) and not t.isdisjoint(v for v in sorted(s)):
        total += x * sum(s.intersection(more)) + len(t.difference(s) | set())
    return total + max([(x, 1), (0.5, 2)])[0] * max((v, k) for k, v in enumerate([x]))[1]
""", (1.3, np.array([5, 2, 5]), np.array([2, 9, 2]), np.array([0.5, 0.7]))),
    "compared": ("""\
from collections import Counter
def f(x, keys):
    a, b, c = [k for k in keys], [], Counter(keys)
    for k in keys:
        b.append(k)
    total = x if a == b else 0.5
    b.append(3)
    if a != b and [(k, x) for k in keys] == [(3, x), (1, x), (3, x), (2, x), (2, x)] and b != []:
        total += x * x
    k, n = c.most_common(1)[0]
    for k, m in c.most_common():
        total = total * x + k * m
    return total * n + len(c.most_common(2))
""", (1.3, np.array([3, 1, 3, 2, 2]))),
    "row loop keep": ("""\
def f(x, n):
    A = [[x * i, x] for i in range(n)]
    best = A[0]
    for row in A:
        if row[0] > best[0]:
            best = row
    return best[0] * best[1]
""", (1.3, 3)),
}

# What is refused, because Python would show a change under another name.
REFUSED = {
    "an item of a list that the expression changes before it uses the item": ("""\
def first(xs, v):
    xs[0] = v
    return v[0]
def f(x, n):
    xs = [x * k for k in range(n)]
    return (xs[0] * first(xs, x + 5.0)).sum()
""", (np.array([0.5, 1.2]), 3)),
    "lists that two dicts would hold": ("""\
def f(x, k):
    rows = {}
    for i in range(k):
        rows[i] = [x * i]
    e = {**rows, k: [x]}
    e[0].append(x)
    return sum(rows[0]) + sum(e[k])
""", (1.3, 3)),
    "row held used": ("""\
def f(x, k):
    A = []
    for i in range(k):
        A.append([x, x * i])
    r = [x, 2.0]
    A.append(r)
    A[k][0] = x * 3.0
    return A[k][0] * A[k][1] + A[0][1] + r[0]
""", (1.3, 3)),
    "twice": ("""\
def f(x, k):
    A = []
    r = [x, 2.0]
    for i in range(k):
        A.append(r)
    A[0][0] = x * 3.0
    return A[1][0]
""", (1.3, 3)),
    "shallow bad": ("""\
def f(x, n):
    A = [[x * i, 2.0] for i in range(n)]
    B = A[:]
    A[1][0] = 7.0
    return B[1][0]
""", (1.3, 4)),
    "if row": ("""\
def f(x, n):
    A = [[x] * (i + 1) for i in range(n)]
    r = A[0] if x > 1.0 else A[1]
    A[0][0] = 9.0
    return sum(r)
""", (1.3, 3)),
}
