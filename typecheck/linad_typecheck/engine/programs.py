"""The functions that an entry function reaches, specialised for argument types, and all facts about them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..facts import Fact
from ..ir.core import Derivative, Function, Mode
from ..messages import Message
from ..names.scope import FunctionSource
from ..span import Span
from .findings import Findings
from .spec import CallOptions, LinearityClaim, Spec, Typed
from .values import Bottom, Poison, Value, contains, describe, option_key, type_of

RECURSION_LIMIT = 1000


@dataclass
class Programs(ABC):
    """All functions that an entry function reaches, and all facts about them."""

    entry: FunctionSource
    limit: int = RECURSION_LIMIT
    findings: Findings = field(default_factory=Findings)  # where the code being lowered reports to
    # the tail duplications around, each with its function and whether it must leave no choice: `blocks.duplicate_rest`
    duplications: list[tuple[object, bool]] = field(default_factory=list)
    written_out: int = 1  # iterations of the loops around that are written out, see `constructs.loops`
    meanings: dict[tuple[str, Span], Value] = field(default_factory=dict)  # values of names, where they are bound
    depends: list[tuple[str, object]] = field(default_factory=list)
    specs: dict[object, Spec] = field(default_factory=dict)
    claims: list[LinearityClaim] = field(default_factory=list)  # decided when all rules have been lowered
    stack: list[Spec] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    # derivatives as functions: pullbacks, by the calls that create them
    pullbacks: dict[object, FunctionSource] = field(default_factory=dict)
    # calls of the prelude, by function and known values, that are lowered for each place: something is said about them
    placed: set[object] = field(default_factory=set)
    numbers: dict[str, str] = field(default_factory=dict)  # variable of a scalar parameter of the entry -> its name
    wanted: dict[str, None] = field(default_factory=dict)  # scalar parameters whose values have to be known
    permuted: bool = False  # an indexing result was met whose axes NumPy lays out in another order
    in_order: bool = False  # C order was assumed for an array whose axes may be permuted later
    unknown: bool = False  # something of unknown type was met
    sized: bool = False  # shapes of arguments are known, which helpers are lowered for
    endless: set[int] = field(default_factory=set)  # functions found to call themselves with ever new types
    errors: dict[str, tuple[str, ...]] = field(default_factory=dict)  # user-defined exceptions, with their base classes
    codes: dict[object, int] = field(default_factory=dict)  # the options of choices, and the ints that stand for them

    def code(self, option: Value) -> int:
        """The int that stands for an option of a choice."""
        return self.codes.setdefault(option_key(option), len(self.codes))

    def report(self, message: Message) -> None:
        self.findings.note(message.diagnostic())

    @property
    def poisoned(self) -> bool:
        return self.findings.poisoned

    @poisoned.setter
    def poisoned(self, value: bool) -> None:
        self.findings.poisoned = value

    @contextmanager
    def apart(self) -> Iterator[Findings]:
        """Keep findings made inside separate."""
        before = self.findings
        self.findings = found = Findings(before)
        try:
            yield found
        finally:
            self.findings = before

    @contextmanager
    def perhaps_dead(self, unknown: bool) -> Iterator[None]:
        """Code lowered inside may be dead, because of a constant that the text does not determine.

        Nothing is reported about it here. Functions that it calls are still reported where other code calls them.
        """
        if not unknown:
            yield
            return
        with self.apart() as found:
            yield
        self.findings.take_quietly(found)

    def all_facts(self) -> tuple[Fact, ...]:
        """The facts, and the type of each name where it is bound."""
        types = (
            (n, at, describe(type_of(v))) for (n, at), v in self.meanings.items() if not contains(v, (Poison, Bottom))
        )
        return (*self.findings.facts, *(Fact("type", n, at, t) for n, at, t in types if n[0] != "%"))

    def spec(self, callee: str) -> Spec:
        return next(s for s in self.specs.values() if s.name == callee)

    def function(self, callee: str) -> Function | None:
        """The lowered function; None while it is being lowered."""
        found = self.spec(callee)
        return found.function if found.done else None

    def modes(self, callee: str) -> tuple[Mode, ...]:
        spec = self.spec(callee)
        return (*spec.modes, *("read",) * len(spec.hidden), *(("own",) if spec.recursive else ()))

    def returns(self, callee: str, k: int, j: int) -> bool:
        """Whether the result ``k`` of a function may be its argument ``j``."""
        return self.spec(callee).may_return(k, j)

    def inside(self, source: FunctionSource) -> int:
        """How many lowerings of a function are in progress: several if it calls itself with other argument types."""
        return sum(s.source.node is source.node for s in self.stack)

    def unsettled(self) -> bool:
        """Whether a recursion is being lowered whose results are not known yet."""
        return any(s.recursive for s in self.stack)

    @abstractmethod
    def specialise(
        self, source: FunctionSource, params: Typed, captures: Typed, options: CallOptions = CallOptions()
    ) -> Spec:
        """The function specialised for arguments of these types, as in `specialise.Specialiser`. What lowers a call
        asks for it here, because specialising lowers the callee in turn."""

    def name(self, wanted: str) -> str:
        base = "".join(c if c.isalnum() or c == "_" else "" for c in wanted) or "function"
        name, k = base, 1
        while name in self.taken:
            k += 1
            name = f"{base}#{k}"
        self.taken.add(name)
        return name

    def derivatives(self) -> dict[str, Derivative]:
        return {s.name: s.derivative for s in self.specs.values() if s.derivative is not None}

    def functions(self) -> dict[str, Function]:
        return {s.name: s.function for s in self.specs.values() if s.function is not None}
