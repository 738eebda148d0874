"""`frozen` makes what ``dataclass(frozen=True)`` makes: each class here is made by both, and both are asked the same."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import ClassVar

import pytest
from linad_typecheck.frozen import frozen


def both(**options):
    """Every class of the table by `dataclass` and by `frozen`."""
    return [make(lambda c=None, **k: decorate(c, **{**options, **k})) for decorate in (_standard, frozen)]


def _standard(cls=None, **options):
    return dataclasses.dataclass(cls, frozen=True, **options) if cls else dataclasses.dataclass(frozen=True, **options)


def make(decorate):
    class Classes:
        @decorate
        class Plain:
            a: int
            b: str = "b"
            kind: ClassVar[str] = "k"

            def twice(self):
                return 2 * self.a

        @decorate
        class Single:
            a: tuple

        @decorate
        class Nothing:
            """Of no fields."""

        @decorate
        class Partly:
            a: int
            b: int = dataclasses.field(default=3, compare=False, repr=False)
            c: list = dataclasses.field(default_factory=list, hash=False)
            d: int = dataclasses.field(default=7, init=False)

        @decorate
        class Checked:
            a: int

            def __post_init__(self):
                if self.a < 0:
                    raise ValueError("below zero")

        @decorate
        class Own:
            a: int

            def __eq__(self, other):
                return True

            def __hash__(self):
                return 1

            def __repr__(self):
                return "own"

    @decorate
    class Child(Classes.Plain):
        c: float = 1.5

    Classes.Child = Child
    return Classes


GIVEN = [
    ("Plain", (1,), {}),
    ("Plain", (1, "x"), {}),
    ("Plain", (), {"b": "y", "a": 2}),
    ("Plain", (), {}),
    ("Plain", (1, 2, 3), {}),
    ("Plain", (1,), {"z": 1}),
    ("Single", ((1, 2),), {}),
    ("Nothing", (), {}),
    ("Partly", (1,), {}),
    ("Partly", (1, 9, [2]), {}),
    ("Checked", (1,), {}),
    ("Checked", (-1,), {}),
    ("Own", (1,), {}),
    ("Child", (1,), {}),
    ("Child", (1, "b", 2.5), {}),
]


def asked(cls, args, kwargs, slots):
    """What an instance answers, or the error of making one."""
    try:
        x = cls(*args, **kwargs)
    except (TypeError, ValueError) as error:
        return type(error)
    answers = [repr(x).rpartition(".")[2], [f.name for f in dataclasses.fields(x)], dataclasses.asdict(x), cls.__match_args__]
    answers += [x == cls(*args, **kwargs), x == 1, dataclasses.is_dataclass(cls), copy.copy(x) == x]
    try:
        answers.append(hash(x) == hash(cls(*args, **kwargs)))
    except TypeError:
        answers.append("no hash")
    changes = [lambda: setattr(x, "new", 3)]
    if not slots:  # ours are not guarded with slots
        changes += [lambda: setattr(x, "a", 3), lambda: delattr(x, "a")]
    for change in changes:
        with pytest.raises((AttributeError, TypeError)):  # the latter is a slip of `dataclass` with slots
            change()
    if "a" in cls.__match_args__:
        y = dataclasses.replace(x, a=5)
        answers += [dataclasses.asdict(y), x == y]
    return answers


@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize(("name", "args", "kwargs"), GIVEN)
def test_as_a_dataclass(name, args, kwargs, slots):
    standard, ours = (getattr(c, name) for c in both(slots=slots))
    assert asked(ours, args, kwargs, slots) == asked(standard, args, kwargs, slots)


def test_match_and_methods():
    _, ours = both(slots=True)
    match ours.Child(1, "x"):
        case ours.Plain(a, b):
            assert (a, b) == (1, "x")
    assert ours.Plain(4).twice() == 8 and ours.Plain.kind == "k"
    assert not hasattr(ours.Plain(1), "__dict__")


@frozen(slots=True)
class Pickled:
    a: int
    b: tuple = ()


@frozen
class PickledToo:
    a: int


@dataclasses.dataclass(frozen=True)
class StandardChild(PickledToo):
    b: int = 2


@frozen
class OurChild(StandardChild):
    c: int = 3


@pytest.mark.parametrize("x", [Pickled(1, (2,)), PickledToo(3), StandardChild(1), OurChild(1, 5)])
def test_pickle_and_mixed_families(x):
    assert pickle.loads(pickle.dumps(x)) == x and type(copy.deepcopy(x)) is type(x)
    assert dataclasses.replace(x, a=7).a == 7


def test_mistakes_are_told_where_the_class_is_made():
    with pytest.raises(TypeError, match="follows default"):

        @frozen
        class Late:
            a: int = 1
            b: int

    with pytest.raises(ValueError, match="mutable default"):

        @frozen
        class Mutable:
            a: list = []  # noqa: RUF012


def test_nothing_is_compiled_before_there_is_an_instance():
    code = (
        "import builtins, dataclasses\nfrom linad_typecheck.frozen import frozen\n"
        "compiled = []\nold = builtins.exec\nbuiltins.exec = lambda *a: (compiled.append(a[0]), old(*a))[1]\n"
        "A = frozen(type('A', (), {'__annotations__': {'x': int}}))\nassert not compiled\nA(1)\nA(2)\nassert len(compiled) == 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@frozen(slots=True)
class Quick:
    name: str
    size: int = 3


def test_with_slots_it_is_the_same_class_but_for_assignments():
    q = Quick("a")
    assert q == Quick("a", 3) and hash(q) == hash(Quick("a")) and repr(q) == "Quick(name='a', size=3)"
    assert dataclasses.replace(q, size=4).size == 4 and pickle.loads(pickle.dumps(q)) == q
    with pytest.raises(AttributeError):
        q.other = 1
