"""The problems in JAX and PyTorch, in the forms that vectorise best; of several forms the fastest counts."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import numpy as np

from benchmarks.suite.peers import TEXTS, jax_call, torch_call

LOG_TWO_PI = np.log(2.0 * 3.14159265359)
# Of the joints of five fingers: which bone turns, and which number of theta turns it about the first or the last axis.
TURNING, BY = (np.array([[4 * f + j + 1, 6 + 4 * f + (j if j > 1 else 0)] for f in range(5) for j in (1, 2, 3)]).T)
SPREAD, SPREAD_BY = np.array([[4 * f + 2, 7 + 4 * f] for f in range(5)]).T


def gmm_products(np, alphas, means, icf, x, gamma, m, constant, sign):
    """Points as columns: a product of matrices for each component, all of them in one batch."""
    k, d = means.shape
    scale, rest = np.exp(icf[:, :d]), icf[:, d:]
    factors = np.place_lower(rest, d) + np.einsum("ka,ab->kab", scale, np.eye(d))
    y = np.einsum("kab,kbn->kan", factors, (x[None] - means[:, None]).swapaxes(1, 2))
    inner = alphas[:, None] + icf[:, :d].sum(1)[:, None] - 0.5 * (y**2).sum(1)
    likelihood = np.logsumexp(inner, 0).sum() - len(x) * np.logsumexp(alphas, 0)
    wishart = 0.5 * gamma**2 * ((scale**2).sum() + (rest**2).sum()) - m * icf[:, :d].sum() - constant
    return likelihood - 0.5 * len(x) * d * LOG_TWO_PI + sign * wishart


def ba(np, cameras, points, weights, pixels, obs):
    squares = TEXTS["bundle"](np, cameras, points, weights, pixels, obs[:, 0], obs[:, 1])
    return squares + 0.5 * ((1.0 - weights**2) ** 2).sum()


def _posed(np, theta, parents, relatives, inverses, base, skin):
    """Angles of all bones at once; the chain of bones is a Python loop over the known tree."""
    bones = len(parents)
    x = np.put(np.zeros(bones), TURNING, theta[BY])
    z = np.put(np.zeros(bones), SPREAD, theta[SPREAD_BY])
    cx, sx, cz, sz, none = np.cos(x), np.sin(x), np.cos(z), np.sin(z), np.zeros(bones)
    entries = [cz, -sz * cx, sz * sx, none, sz, cz * cx, -cz * sx, none, none, sx, cx, none, none, none, none, none + 1.0]
    local = relatives @ np.stack(entries, 1).reshape(bones, 4, 4)
    absolute = []
    for b in range(bones):
        absolute.append(local[b] if parents[b] < 0 else absolute[parents[b]] @ local[b])
    transforms = np.stack(absolute) @ inverses
    blend = np.einsum("vb,bij->vij", skin, transforms[:, :3])
    blended = np.einsum("vij,vj->vi", blend[:, :, :3], base) + blend[:, :, 3]
    angle = np.sqrt((theta[:3] ** 2).sum())
    a, c, s, o = theta[:3] / angle, np.cos(angle), np.sin(angle), np.zeros(())
    cross = np.stack([o, -a[2], a[1], a[2], o, -a[0], -a[1], a[0], o]).reshape(3, 3)
    turn = c * np.eye(3) + s * cross + (1.0 - c) * a[:, None] * a[None]
    return blended @ turn.T + theta[3:6]


def hand_simple(np, theta, parents, relatives, inverses, base, skin, chosen, points):
    return 0.5 * ((points - _posed(np, theta, parents, relatives, inverses, base, skin)[chosen]) ** 2).sum()


def hand_complicated(np, theta, us, parents, relatives, inverses, base, skin, triangles, chosen, points):
    corners = _posed(np, theta, parents, relatives, inverses, base, skin)[triangles[chosen]]
    last = 1.0 - us[:, :1] - us[:, 1:]
    places = us[:, :1] * corners[:, 0] + us[:, 1:] * corners[:, 1] + last * corners[:, 2]
    return 0.5 * ((points - places) ** 2).sum()


FORMS: dict[str, tuple[Callable, ...]] = {"gmm": (TEXTS["gmm"], gmm_products), "ba": (ba,), "lstm": (TEXTS["lstm"],)}


def _of(kind: str, args: tuple) -> tuple[tuple, tuple[Callable, ...]]:
    """The arguments as the texts take them, and the texts."""
    if kind == "lstm":  # rows of each layer on an axis of their own
        main, extra, state, sequence = args
        b = sequence.shape[1]
        args = main.reshape(-1, 8, b), extra, state.reshape(-1, 2, b), sequence
    if kind == "hand":  # the tree of bones is known when the program is traced
        text, at = (hand_simple, 1) if len(args) == 8 else (hand_complicated, 2)
        parents = args[at].tolist()
        return args[:at] + args[at + 1 :], (lambda np, *a: text(np, *a[:at], parents, *a[at:]),)
    return args, FORMS[kind]


TOOLS = {"JAX": ("jax", jax_call), "PyTorch": ("torch", torch_call)}


def calls(kind: str, args: tuple, active: int) -> dict[str, list[Callable[[], tuple]]]:
    """For each tool that is installed, value and gradient in each form."""
    given, forms = _of(kind, args)
    leaves = list(range(active))
    made = {}
    for tool, (package, make) in TOOLS.items():
        if importlib.util.find_spec(package) is not None:
            made[tool] = [make(form, given, leaves) for form in forms]
    return made
