"""Assignment of Python names to variables: liveness, interference and coalescing on the statement tree.

Two variables may share a name unless one is assigned while the other is live. A copy does not make its source and
target interfere, so the values that a loop carries share one name wherever that is correct, and stay apart where it is
not (a swap, a value used after its successor is computed).
"""

from __future__ import annotations

import keyword
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import count

from linad_typecheck.ir.core import Var, base_name

from .liveness import Live, Liveness
from .tree import Assign, Branch, For, Forever, Leaf, Node, ParallelCopy, read_by, written_by

TEMPORARY = re.compile(r"^(_.*|t\d*)$")


class Interference(Liveness):
    """The interference graph, and the pairs of variables that should share a name. Parameters are assigned together at
    the start of the function."""

    def __init__(self, nodes: tuple[Node, ...], params: tuple[Var, ...]) -> None:
        self.edges: dict[str, set[str]] = defaultdict(set)
        self.wishes: dict[tuple[str, str], int] = {}
        self.vars: dict[str, Var] = {}
        _, entry = self.nodes(nodes, frozenset(), frozenset())
        for p in params:
            self.index(p, entry | {p.name for p in params})

    def assignment(self, node: Node, live: Live) -> Node:
        copies = _copies(node)
        together = {t.name for t in written_by(node)}
        for t in written_by(node):
            source = copies.get(t.name)
            self.index(t, (live | together) - {source})
            if source is not None:
                self.wishes[t.name, source] = max(self.depth, self.wishes.get((t.name, source), 0))
        return node

    def index(self, index: Var, live: Live) -> None:
        self.vars.setdefault(index.name, index)
        others = live - {index.name}
        self.edges[index.name] |= others
        for other in others:
            self.edges[other].add(index.name)


def _copies(node: Node) -> dict[str, str]:
    """For each target that is a plain copy, its source."""
    match node:
        case Assign(target=t, value=Leaf(v)):
            return {t.name: v.name}
        case ParallelCopy(pairs=pairs):
            targets = {t.name for t, _ in pairs}
            # a source that is also a target is overwritten at the same time, so it interferes
            plain = ((t.name, e.var.name) for t, e in pairs if isinstance(e, Leaf))
            return {t: source for t, source in plain if source not in targets - {t}}
        case _:
            return {}


def assign_names(nodes: tuple[Node, ...], params: tuple[Var, ...], reserved: set[str]) -> dict[str, str]:
    """The Python name of every variable."""
    graph = Interference(nodes, params)
    _mention_all(nodes, graph)
    group = _coalesce(graph, {p.name for p in params})
    members: dict[str, list[str]] = defaultdict(list)
    for name in graph.vars:
        members[group[name]].append(name)
    taken: dict[str, list[str]] = defaultdict(list)
    names: dict[str, str] = {}
    order = sorted(members, key=lambda g: not any(m in {p.name for p in params} for m in members[g]))
    param_names = {p.name for p in params}
    for g in order:
        enemies = {group[e] for m in members[g] for e in graph.edges[m]}
        own_param = next((m for m in members[g] if m in param_names), None)
        for candidate in _candidates(members[g], own_param, reserved):
            holders = taken[candidate]
            if all(h not in enemies and graph.vars[h].type == graph.vars[g].type for h in holders):
                holders.append(g)
                names.update((m, candidate) for m in members[g])
                break
    return names


def _mention_all(nodes: tuple[Node, ...], graph: Interference) -> None:
    """Fail on variables that are never assigned: an internal error, reported here rather than by Numba."""
    for node in _walk(nodes):
        missing = read_by(node) - graph.vars.keys()
        if missing:
            raise AssertionError(f"read but never assigned: {sorted(missing)}")


def _walk(nodes: tuple[Node, ...]) -> Iterator[Node]:
    for node in nodes:
        yield node
        match node:
            case Branch(then=a, orelse=b):
                yield from _walk(a)
                yield from _walk(b)
            case For(body=body) | Forever(body=body):
                yield from _walk(body)


def _coalesce(graph: Interference, params: set[str]) -> dict[str, str]:
    """The representative of every variable after merging along copies, innermost copies first."""
    group = {name: name for name in graph.vars}
    members = {name: {name} for name in graph.vars}
    enemies = {name: set(graph.edges[name]) for name in graph.vars}
    for (a, b), _ in sorted(graph.wishes.items(), key=lambda item: -item[1]):
        ga, gb = group[a], group[b]
        if ga == gb or graph.vars[a].type != graph.vars[b].type:
            continue
        if enemies[ga] & members[gb] or enemies[gb] & members[ga]:
            continue
        if members[ga] & params and members[gb] & params:
            continue
        for m in members[gb]:
            group[m] = ga
        members[ga] |= members.pop(gb)
        enemies[ga] |= enemies.pop(gb)
    return group


def _candidates(members: list[str], param: str | None, reserved: set[str]) -> Iterator[str]:
    """Candidate names for a group: the parameter's, else the user's most frequent one, else a temporary name."""
    bases = [base_name(m) for m in ([param] if param else members)]
    best = max(bases, key=lambda b: (not TEMPORARY.match(b), bases.count(b), -bases.index(b)))
    best = re.sub(r"\W", "_", best)
    if not best or best[0].isdigit():
        best = f"v{best}"
    if best in reserved or keyword.iskeyword(best) or best.startswith("__"):
        best = f"{best.strip('_')}_"
    for k in count(1):
        name = best if k == 1 else f"{best}_{k}"
        if name not in reserved:
            yield name
