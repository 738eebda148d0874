"""Records and their annotations as another module has them: all annotations are strings."""

from __future__ import annotations

from typing import NamedTuple


class Point(NamedTuple):
    x: float
    y: float


class Tree(NamedTuple):
    value: float
    left: Tree


Pair = tuple[Point, Point]


def norm(p):
    return p.x * p.x + p.y * p.y
