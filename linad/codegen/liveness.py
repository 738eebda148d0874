"""Liveness on the statement tree, and removal of dead assignments; Numba cannot always infer types for them."""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import Var

from .tree import (
    Assign, Branch, Demand, Fail, Finish, For, Forever, Forward, Leave, Node, ParallelCopy, read_by, written_by,
)

Live = frozenset[str]
Nodes = tuple[Node, ...]


class Liveness:
    """A backward walk that knows which variables are live. ``depth``: the number of enclosing loops."""

    depth = 0

    def assignment(self, node: Node, live: Live) -> Node | None:
        """Called with each node without nested ones and what is live after it; None removes it."""
        return node

    def index(self, index: Var, live: Live) -> None:
        """Called with the index of a loop and what is live at the start of its body."""

    def nodes(self, nodes: Nodes, live: Live, at_break: Live) -> tuple[Nodes, Live]:
        """The nodes that stay, and the variables live before them, given those live after them and at the target of
        ``break``."""
        kept: list[Node] = []
        for node in reversed(nodes):
            stays, live = self.node(node, live, at_break)
            kept += [] if stays is None else [stays]
        return tuple(reversed(kept)), live

    def node(self, node: Node, live: Live, at_break: Live) -> tuple[Node | None, Live]:
        match node:
            case Branch(then=a, orelse=b):
                (then, first), (orelse, second) = self.nodes(a, live, at_break), self.nodes(b, live, at_break)
                return replace(node, then=then, orelse=orelse), first | second | read_by(node)
            case For(index=index):
                return self.loop(node, live, live, {index.name})
            case Forever():
                return self.loop(node, frozenset(), live, set())
            case Leave():
                return node, at_break
            case Fail() | Finish() | Forward() | Demand():
                return node, frozenset(read_by(node))
        stays = self.assignment(node, live)
        return stays, live if stays is None else live - {t.name for t in written_by(stays)} | read_by(stays)

    def loop(self, node: For | Forever, head: Live, after: Live, own: set[str]) -> tuple[Node, Live]:
        """A loop, iterated until the variables live at the head of its body no longer grow."""
        self.depth += 1
        while True:
            kept, inside = self.nodes(node.body, head, after)
            if isinstance(node, For):
                self.index(node.index, inside)
            if inside - own <= head:
                break
            head |= inside - own
        self.depth -= 1
        return replace(node, body=kept), head | read_by(node)


class _Dead(Liveness):
    def assignment(self, node: Node, live: Live) -> Node | None:
        match node:
            case Assign(target=t) if t.name not in live:
                return None
            case ParallelCopy(pairs):
                pairs = tuple((t, e) for t, e in pairs if t.name in live)
                return ParallelCopy(pairs) if pairs else None
        return node


def without_dead(nodes: Nodes) -> Nodes:
    """The nodes of a function without assignments to variables that are not read afterwards."""
    while (kept := _Dead().nodes(nodes, frozenset(), frozenset())[0]) != nodes:
        nodes = kept
    return nodes
