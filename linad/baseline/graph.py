"""Reverse mode by operator overloading: a graph of nodes with parents and local partial derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from .active import Active
from .rules import Number, Partials
from .structure import arguments, bare, collect, lift, pairs, run, strip, unit_cotangent


class Node(Active):
    """A value, the nodes it was computed from, and the partial derivatives with respect to them."""

    __slots__ = ("adjoint", "parents", "partials", "varies")

    def __init__(self, value: Number, parents: tuple[Node, ...] = (), partials: tuple[float, ...] = ()) -> None:
        self.value = value
        self.parents = parents
        self.partials = partials
        self.adjoint = 0.0
        self.varies = bool(parents)

    @classmethod
    def constant(cls, value: Number) -> Self:
        return cls(value)

    @classmethod
    def variable(cls, value: Number) -> Self:
        node = cls(value)
        node.varies = True
        return node

    @classmethod
    def record(cls, value: Number, inputs: tuple[object, ...], partials: Partials) -> Self:
        kept = [
            (x, float(p))
            for x, p in zip(inputs, partials, strict=True)
            if isinstance(x, Node) and x.varies and p is not None
        ]
        return cls(value, tuple(x for x, _ in kept), tuple(p for _, p in kept))


def topological(roots: Sequence[Node]) -> list[Node]:
    """All ancestors of the roots and the roots themselves, parents before children."""
    order: list[Node] = []
    seen: set[int] = set()
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, parents_done = stack.pop()
        if parents_done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((p, False) for p in node.parents if id(p) not in seen)
    return order


def sweep(seeds: Sequence[tuple[Node, float]]) -> None:
    """Propagate adjoints from the results to the variables; a node whose adjoint is 0 contributes nothing."""
    for node, cotangent in seeds:
        node.adjoint += cotangent
    for node in reversed(topological([node for node, _ in seeds])):
        if node.adjoint != 0.0:
            for parent, partial in zip(node.parents, node.partials, strict=True):
                parent.adjoint += partial * node.adjoint


def _trace(f: Callable[..., Any], args: tuple[Any, ...], updates: Sequence[str]) -> tuple[list[Node], Any]:
    variables: list[Node] = []

    def variable(value: Number) -> Node:
        variables.append(Node.variable(value))
        return variables[-1]

    return variables, run(f, lift(args, Node, variable), Node, updates)


def vjp(f: Callable[..., Any], args: Sequence[Any], cotangent: Any, updates: Sequence[str] = ()) -> tuple[Any, tuple]:
    """Value and gradients of ``<cotangent, f(args)>``, one entry per differentiable parameter.

    With ``updates``, the value is ``(result, *final contents of those parameters)`` and the cotangent has the same
    structure.
    """
    args = arguments(f, args)
    variables, result = _trace(f, args, updates)
    sweep(list(pairs(result, cotangent)))  # type: ignore[arg-type]
    return strip(result), collect(args, (v.adjoint for v in variables))


def value_and_gradient(f: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, Any]:
    """Value and gradient of a function whose result is a single float."""
    args = arguments(f, args)
    variables, result = _trace(f, args, ())
    value = strip(result)
    sweep([(node, c) for node, c in pairs(result, unit_cotangent(value))])  # type: ignore[misc]
    return value, bare(collect(args, (v.adjoint for v in variables)))


def gradient(f: Callable[..., Any], args: Sequence[Any]) -> Any:
    """The gradient: one entry per differentiable parameter, unpacked if there is only one."""
    return value_and_gradient(f, args)[1]
