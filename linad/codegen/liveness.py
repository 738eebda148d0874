"""Removal of dead assignments from the statement tree; Numba cannot always infer types for them."""

from __future__ import annotations

from dataclasses import replace

from .tree import (
    Assign, Branch, Demand, Fail, Finish, For, Forever, Forward, Leave, Node, ParallelCopy, read_by, written_by,
)

Live = frozenset[str]
Nodes = tuple[Node, ...]


def without_dead(nodes: Nodes) -> Nodes:
    """The nodes of a function without assignments to variables that are not read afterwards."""
    while True:
        kept, _ = _nodes(nodes, frozenset(), frozenset())
        if kept == nodes:
            return nodes
        nodes = kept


def _nodes(nodes: Nodes, live: Live, at_break: Live) -> tuple[Nodes, Live]:
    """The nodes that are needed, and the variables live before them."""
    kept: list[Node] = []
    for node in reversed(nodes):
        needed, live = _node(node, live, at_break)
        kept.extend(needed)
    return tuple(reversed(kept)), live


def _node(node: Node, live: Live, at_break: Live) -> tuple[Nodes, Live]:
    match node:
        case Assign(target=t):
            return ((node,), live - {t.name} | read_by(node)) if t.name in live else ((), live)
        case ParallelCopy(pairs=pairs):
            node = ParallelCopy(tuple((t, e) for t, e in pairs if t.name in live))
            return ((node,), live - {t.name for t, _ in node.pairs} | read_by(node)) if node.pairs else ((), live)
        case Branch(then=a, orelse=b):
            (then, first), (orelse, second) = _nodes(a, live, at_break), _nodes(b, live, at_break)
            return (replace(node, then=then, orelse=orelse),), first | second | read_by(node)
        case For(index=index, body=body):
            head = live
            while True:
                kept, inside = _nodes(body, head, live)
                grown = head | (inside - {index.name})
                if grown == head:
                    return (replace(node, body=kept),), head | read_by(node)
                head = grown
        case Forever(body=body):
            head = frozenset()
            while True:
                kept, inside = _nodes(body, head, live)
                if inside <= head:
                    return (replace(node, body=kept),), head
                head |= inside
        case Leave():
            return (node,), at_break
        case Fail() | Finish() | Forward() | Demand():
            return (node,), frozenset(read_by(node))
    return (node,), live - {t.name for t in written_by(node)} | read_by(node)
