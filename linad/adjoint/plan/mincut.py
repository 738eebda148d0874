"""Minimum vertex cut: the cheapest set of values to save."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping

_INFINITE = 1 << 60


def cheapest_cut(
    uses: Mapping[Hashable, Iterable[Hashable]],
    cost: Mapping[Hashable, int],
    lost: Iterable[Hashable],
    needed: Iterable[Hashable],
) -> set[Hashable]:
    """The cheapest set of nodes to save such that every needed one can be recomputed.

    Parameters
    ----------
    uses
        For each node that can be recomputed, the nodes it is computed from.
    cost
        Bytes needed to save each node.
    lost
        Nodes that can only be saved, not recomputed.
    needed
        Nodes whose values are wanted.

    Returns
    -------
    set
        The minimum cut; of several, the one nearest to the needed nodes, which recomputes least.

    Notes
    -----
    By the max-flow min-cut theorem (Ford and Fulkerson), with shortest augmenting paths (Edmonds and Karp, J. ACM 19,
    1972), on the graph in which every node is split into two, joined by an edge whose capacity is its cost.
    """
    source, sink = object(), object()
    residual: dict[object, dict[object, int]] = {}

    def edge(a: object, b: object, capacity: int) -> None:
        residual.setdefault(a, {})[b] = residual.get(a, {}).get(b, 0) + capacity
        residual.setdefault(b, {}).setdefault(a, 0)

    lost, needed = set(lost), set(needed)
    for n in cost:
        edge((n, 0), (n, 1), cost[n])
        for m in uses.get(n, ()):
            edge((m, 1), (n, 0), _INFINITE)
    for n in lost:
        edge(source, (n, 0), _INFINITE)
    for n in needed:
        edge((n, 1), sink, _INFINITE)
    if source not in residual or sink not in residual:
        return set()
    while path := _shortest_path(residual, source, sink):
        flow = min(residual[a][b] for a, b in path)
        for a, b in path:
            residual[a][b] -= flow
            residual[b][a] += flow
    reaches = {sink}
    queue = deque([sink])
    back: dict[object, list[object]] = {}
    for a, out in residual.items():
        for b, capacity in out.items():
            if capacity > 0:
                back.setdefault(b, []).append(a)
    while queue:
        for a in back.get(queue.popleft(), ()):
            if a not in reaches:
                reaches.add(a)
                queue.append(a)
    return {n for n in cost if (n, 1) in reaches and (n, 0) not in reaches}


def _shortest_path(residual: dict, source: object, sink: object) -> list[tuple[object, object]]:
    parent: dict[object, object] = {source: source}
    queue = deque([source])
    while queue:
        a = queue.popleft()
        for b, capacity in residual[a].items():
            if capacity > 0 and b not in parent:
                parent[b] = a
                if b is sink:
                    path = []
                    while b is not source:
                        path.append((parent[b], b))
                        b = parent[b]
                    return path[::-1]
                queue.append(b)
    return []
