"""Assignment of Python names to variables: liveness, interference and coalescing on the statement tree.

Two variables may share a name unless one is assigned while the other is live. A copy does not make its source and
target interfere, so the values that a loop carries share one name wherever that is correct, and stay apart where it is
not (a swap, a value used after its successor is computed).
"""

from __future__ import annotations

import keyword
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count

from linad_typecheck.ir.core import Var, base_name

from .tree import (
    Assign, Branch, Demand, Fail, Finish, For, Forever, Forward, Leaf, Leave, Node, ParallelCopy, read_by, written_by,
)

TEMPORARY = re.compile(r"^(_.*|t\d*)$")


@dataclass
class Interference:
    """The interference graph, and the pairs of variables that should share a name."""

    edges: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    wishes: dict[tuple[str, str], int] = field(default_factory=dict)
    vars: dict[str, Var] = field(default_factory=dict)

    def define(self, target: Var, live_after: set[str], source: str | None = None) -> None:
        self.vars.setdefault(target.name, target)
        self.edges[target.name]  # creates the entry
        for other in live_after:
            if other != target.name and other != source:
                self.edges[target.name].add(other)
                self.edges[other].add(target.name)

    def wish(self, a: str, b: str, weight: int) -> None:
        self.wishes[a, b] = max(weight, self.wishes.get((a, b), 0))


def interference(nodes: tuple[Node, ...], params: Iterable[Var]) -> Interference:
    """Build the interference graph of a function body; parameters are assigned together at its start."""
    graph = Interference()
    entry = _block(nodes, set(), set(), graph, 0)
    params = tuple(params)
    together = {p.name for p in params}
    for p in params:
        graph.define(p, entry | together)
    return graph


def _block(nodes: tuple[Node, ...], live: set[str], at_break: set[str], graph: Interference, depth: int) -> set[str]:
    """The variables live before the nodes, given those live after them and at the target of ``break``."""
    for node in reversed(nodes):
        live = _node(node, live, at_break, graph, depth)
    return live


def _node(node: Node, live: set[str], at_break: set[str], graph: Interference, depth: int) -> set[str]:
    match node:
        case Branch(then=a, orelse=b):
            return (
                _block(a, live, at_break, graph, depth) | _block(b, live, at_break, graph, depth) | read_by(node)
            )
        case For(index=index, body=body):
            head = set(live)
            while True:
                inside = _block(body, head, live, graph, depth + 1)
                graph.define(index, inside)
                grown = head | (inside - {index.name})
                if grown == head:
                    return head | read_by(node)
                head = grown
        case Forever(body=body):
            head = set()
            while True:
                inside = _block(body, head, live, graph, depth + 1)
                if inside <= head:
                    return head
                head = head | inside
        case Leave():
            return set(at_break)
        case Fail() | Finish() | Forward() | Demand():
            return read_by(node)
        case _:
            targets = written_by(node)
            copies = _copies(node)
            together = {t.name for t in targets}
            for t in targets:
                source = copies.get(t.name)
                graph.define(t, (live | together) - {t.name}, source)
                if source is not None:
                    graph.wish(t.name, source, depth)
            return (live - together) | read_by(node)


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
    graph = interference(nodes, params)
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
