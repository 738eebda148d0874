"""What generated programs of arrays call, and which of their names share an array."""

from __future__ import annotations

from dataclasses import dataclass, field

HELPERS = '''

def scaled(v, c):
    v *= c
    v[1:] += 0.5 * v[:-1]


def tail(v):
    return v[1:]


def backwards(v):
    w = v[::-1]
    return w


def column(M, j):
    return M[:, j]


def energy(v):
    return 0.5 * np.sum(v * v) + math.sin(np.sum(v))


def blended(u, v):
    return np.tanh(u + 0.5 * v[::-1])


def exchange(u, v):
    for i in range(len(u)):
        t = u[i]
        u[i] = math.sin(v[i])
        v[i] = t * 0.5


def pushed(v, i, e):
    v[i] += e
    return e * 0.5
'''

Shape = tuple[int, ...]


@dataclass
class Name:
    """What a name holds: its shape, the group of names that share its array, whether it is a view, and whether it may be
    written."""

    shape: Shape
    group: int
    view: bool = False
    writable: bool = True


@dataclass
class Scope:
    arrays: dict[str, Name] = field(default_factory=dict)
    floats: list[str] = field(default_factory=list)
    ints: dict[str, int] = field(default_factory=dict)  # loop indices, with their bounds
    outer: Scope | None = None

    def inner(self) -> Scope:
        return Scope(dict(self.arrays), list(self.floats), dict(self.ints), self)

    def of(self, shape: Shape) -> list[str]:
        return [a for a, x in self.arrays.items() if x.shape == shape]

    def updated(self, name: str, keep: bool) -> None:
        """Let go of the other names of an array that was updated; a view's parent stays."""
        mine = self.arrays[name]
        for other, x in list(self.arrays.items()):
            if other != name and x.group == mine.group and not (mine.view and not x.view) and not keep:
                self.drop(other)

    def drop(self, name: str) -> None:
        scope: Scope | None = self
        while scope is not None:
            scope.arrays.pop(name, None)
            scope = scope.outer
