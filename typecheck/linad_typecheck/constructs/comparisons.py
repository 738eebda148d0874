"""`==`, `<`, `in` and `is` of tuples, strings, None and other values that are not numbers."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..arrays import ranges
from ..engine.arithmetic import compare, unary
from ..engine.choices import chooses, one_per_option, same_option
from ..engine.elementwise import lift
from ..engine.evaluation import expression
from ..engine.growing import count_of, is_growing, leaves_of
from ..engine.numbers import number_of
from ..engine.places import loaded
from ..engine.quoted import Quoted, at_span
from ..engine.refusal import Refused
from ..engine.rulebook import CONSTANTS, Args
from ..engine.short_circuit import lazily
from ..engine.sizes import is_array, rank_of
from ..engine.state import ZERO, Lowering
from ..engine.values import (
    LISTS, SEQUENCES, SILENT, TWICE, UNKNOWN, Bottom, EntityValue, Never, NoneValue, Poison, ScalarValue, TextValue,
    TupleValue, Value, as_optional, contains, describe, is_choice, is_complex, is_number, is_optional, literal,
    option_key, type_of,
)
from ..ir.core import Const
from ..library.externals import call_external
from ..library.type_tests import same_class, same_dtype
from ..messages.language import UnknownIdentity, Unsupported
from ..messages.types import WrongType
from ..names.scope import DEQUE, EnumMember, External, Opaque
from ..ownership.objects import is_held, is_same_object
from ..span import Span
from ..types import BOOL, INTS
from .dicts import has
from .enumerations import members
from .records import NOT_IMPLEMENTED, by_class, compared_fields, derives, has_method

# ``k in d`` where the keys are known only at run time: from the key, the dict or set, and the position
MEMBERS: list[Callable[[Lowering, Value, Value, Span], Value | None]] = []
EQUALITIES = (ast.Eq, ast.NotEq)


def of_parts(ctx: Lowering, op: ast.cmpop, a: Value, b: Value, span: Span) -> Value | None:
    """The comparison of two values other than numbers or arrays; None if both are numbers or arrays."""
    asks = isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn))
    if isinstance(a, ScalarValue) and isinstance(b, ScalarValue) and not asks:
        return None
    if is_choice(a) or is_choice(b):
        return _of_choices(ctx, op, a, b, span)
    if (made := _by_class(ctx, type(op), a, b, span)) is not None:
        return made
    if not asks:
        one, other = _number_of(ctx, a, b, span), _number_of(ctx, b, a, span)
        if one is not None or other is not None:
            return compare(ctx, type(op), one or a, other or b, span)
    if isinstance(a, SILENT) or isinstance(b, SILENT):
        return Poison() if asks else None
    if contains(a, SILENT) or contains(b, SILENT):
        bottom = contains(a, Bottom) or contains(b, Bottom)
        raise Refused(None, Bottom() if bottom else Poison())
    if isinstance(op, ast.Is | ast.IsNot):
        return _same(ctx, op, a, b, span)
    if isinstance(op, ast.In | ast.NotIn):
        return _negated(ctx, _member(ctx, a, b, span), isinstance(op, ast.NotIn), span)
    if is_complex(a) or is_complex(b):
        return _of_complex_numbers(ctx, op, a, b, span)
    if isinstance(op, EQUALITIES) and (is_optional(a) or is_optional(b)):
        if (found := _equal(ctx, a, b, span)) is None:
            raise Refused(Unsupported(span, "`==` of an array that may be None here", "ask first: `if a is not None:`"))
        return _negated(ctx, found, isinstance(op, ast.NotEq), span)
    if isinstance(op, EQUALITIES) and (same := _same_constants(a, b)) is not None:
        return literal(same == isinstance(op, ast.Eq))
    if isinstance(op, EQUALITIES) and isinstance(a, TextValue) | isinstance(b, TextValue):
        unknown = next((v.entity for v in (a, b) if isinstance(v, EntityValue) and isinstance(v.entity, Opaque)), None)
        if unknown is not None:
            instead = "compare the numbers that it is made of"
            raise Refused(Unsupported(span, f"a comparison with {unknown.what}", instead))
    return _of_tuples(ctx, op, a, b, span) if isinstance(a, TupleValue) or isinstance(b, TupleValue) else None


def comparison_of(ctx: Lowering, op: ast.cmpop, a: Value, b: Value, span: Span) -> Value:
    """The comparison of two values."""
    found = of_parts(ctx, op, a, b, span)
    return lift(ctx, (a, b), lambda v: compare(ctx, type(op), *v, span), span, "b") if found is None else found


def _negated(ctx: Lowering, found: Value, negate: bool, span: Span) -> Value:
    return unary(ctx, ast.Not, found, span) if negate and isinstance(found, ScalarValue) else found


def _of_complex_numbers(ctx: Lowering, op: ast.cmpop, a: Value, b: Value, span: Span) -> Value:
    if not isinstance(op, EQUALITIES):
        ctx.raised("TypeError")
        instead = "compare absolute values: `abs(z)`"
        raise Refused(WrongType(span, "an order is of real numbers", "complex number", instead))
    name = "numpy.equal" if isinstance(op, ast.Eq) else "numpy.not_equal"
    return call_external(ctx, name, Args("==", span, (a, b), {}, "b"))


def _of_tuples(ctx: Lowering, op: ast.cmpop, a: Value, b: Value, span: Span) -> Value:
    """The comparison of two values one of which is a tuple, a list, a dict or an object."""
    equality, negate = isinstance(op, EQUALITIES), isinstance(op, ast.NotEq)
    if equality and (found := _equal(ctx, a, b, span)) is not None:
        return _negated(ctx, found, negate, span)
    if not equality and (found := _ordered(ctx, type(op), a, b, span)) is not None:
        return found
    shown = describe(type_of(a if isinstance(a, TupleValue) else b))
    instead = "compare the parts one by one: `p.x == q.x and ...`, and arrays by `np.array_equal`"
    raise Refused(WrongType(span, "a comparison is of scalars", shown, instead))


# the method of the left operand's class, and that of the right one's
_METHODS = {
    ast.Eq: ("__eq__", "__eq__"), ast.NotEq: ("__ne__", "__ne__"), ast.Lt: ("__lt__", "__gt__"),
    ast.LtE: ("__le__", "__ge__"), ast.Gt: ("__gt__", "__lt__"), ast.GtE: ("__ge__", "__le__"),
}  # fmt: skip


def _by_class(ctx: Lowering, op: type[ast.cmpop], a: Value, b: Value, span: Span) -> Value | None:
    """``a < b`` if the class of one operand defines it; None otherwise."""
    at = at_span(span)
    sides = list(zip(_METHODS.get(op, ()), (a, b), (b, a)))
    for name, own, other in sides[::-1] if derives(b, a) else sides:
        if (found := by_class(ctx, name, own, at, [Quoted(at, other)])) not in (None, NOT_IMPLEMENTED):
            return found
    same = _by_class(ctx, ast.Eq, a, b, span) if op is ast.NotEq else None
    return unary(ctx, ast.Not, same, span) if isinstance(same, ScalarValue) else same


def _of_choices(ctx: Lowering, op: ast.cmpop, a: Value, b: Value, span: Span) -> Value:
    """The comparison of a value of which it is decided at run time which one it is."""
    each = lambda x, y: comparison_of(ctx, op, x, y, span)
    if is_choice(a) and is_choice(b) and isinstance(op, (*EQUALITIES, ast.Is, ast.IsNot)):
        pairs = ((x, y) for x in a.items[1:] for y in b.items[1:])
        if all(_same_constants(x, y) == (option_key(x) == option_key(y)) for x, y in pairs):
            same = same_option(ctx, a, b, span)
            return same if isinstance(op, ast.Eq | ast.Is) else unary(ctx, ast.Not, same, span)
    if is_choice(a):
        return one_per_option(ctx, a, lambda x: each(x, b), span, "b")
    return one_per_option(ctx, b, lambda y: each(a, y), span, "b")


def _number_of(ctx: Lowering, v: Value, beside: Value, span: Span) -> ScalarValue | None:
    """The int that an `IntEnum` member denotes when it is compared with a number."""
    return number_of(ctx, v, span) if isinstance(beside, ScalarValue) else None


def _same_constants(a: Value, b: Value) -> bool | None:
    """Whether two values known at compile time are equal; None if one of them is not known."""
    members = [v.entity for v in (a, b) if isinstance(v, EntityValue) and isinstance(v.entity, EnumMember)]
    if len(members) == 2:
        return (members[0].key, members[0].name) == (members[1].key, members[1].name)
    if members:
        text = next((v.text for v in (a, b) if isinstance(v, TextValue)), None)
        return members[0].plain and text == members[0].value if text is not None or not members[0].plain else None
    if isinstance(a, TextValue) and isinstance(b, TextValue):
        return a.text == b.text
    dtypes = same_dtype(a, b)
    if dtypes is not None:
        return dtypes
    classes = same_class(a, b)
    if classes is not None:
        return classes
    static = (TextValue, NoneValue)
    if any(map(_is_single, (a, b))):
        other = b if _is_single(a) else a
        return None if is_array(other) or isinstance(other, TupleValue) else a == b
    # a string or None does not equal any number, nor an array as a whole
    if isinstance(a, static) or isinstance(b, static):
        other = b if isinstance(a, static) else a
        if isinstance(other, EntityValue) and isinstance(other.entity, Opaque):
            return None  # such as a text that is computed at run time
        if isinstance(other, TupleValue) and other.record in SEQUENCES:
            return False
        return None if is_array(other) or isinstance(other, TupleValue) else type(a) is type(b)
    return None


_SINGLE = CONSTANTS["builtins.Ellipsis"], CONSTANTS["builtins.NotImplemented"]


def _is_single(v: Value) -> bool:
    """Whether a value is the only one of its class: `...` or `NotImplemented`."""
    return v in _SINGLE


def _same(ctx: Lowering, op: ast.cmpop, a: Value, b: Value, span: Span) -> Value:
    for v, other in ((a, b), (b, a)):
        if is_optional(v) and isinstance(other, NoneValue):
            there = v.items[1]
            return there if isinstance(op, ast.IsNot) else unary(ctx, ast.Not, there, span)
    if any(map(_is_single, (a, b))):
        return literal((a == b) == isinstance(op, ast.Is))
    if isinstance(a, NoneValue) or isinstance(b, NoneValue):
        same = isinstance(a, NoneValue) and isinstance(b, NoneValue)
        return literal(same == isinstance(op, ast.Is))
    # True and False are singletons
    if all(isinstance(v, ScalarValue) and v.dtype == "bool" and v.weak for v in (a, b)):
        return compare(ctx, ast.Eq if isinstance(op, ast.Is) else ast.NotEq, a, b, span)
    if (found := _same_item_of_list(ctx, a, b, span)) is not None:
        return found if isinstance(op, ast.Is) else unary(ctx, ast.Not, found, span)
    same = _same_constants(a, b)
    kinds = [is_array(v) or isinstance(v, ScalarValue) for v in (a, b)]
    if same is None and (is_array(a) or is_array(b) or kinds[0] != kinds[1]) and type(a) is not type(b):
        same = False  # an array, or a number and an object of another kind
    if same is None:
        same = is_same_object(ctx, a, b)
    if same is not None:
        return literal(same == isinstance(op, ast.Is))
    numpys = any(isinstance(v, ScalarValue) and v.dtype == "bool" for v in (a, b))
    instead = "compare with `==`" + ": a bool of NumPy is never the object `True`" * numpys
    raise Refused(UnknownIdentity(span, "`is`", instead))


def _same_item_of_list(ctx: Lowering, a: Value, b: Value, span: Span) -> Value | None:
    """Whether two objects of a list of different ones have one index there; None for other values."""
    if not (isinstance(a, TupleValue) and isinstance(b, TupleValue) and is_held(a) and is_held(b)):
        return None
    pairs = zip(leaves_of(a), leaves_of(b), strict=False)
    one, other = next(((x, y) for x, y in pairs if is_number(x) and is_number(y)), (None, None))
    if one is None or one.var != other.var or not (a.made | b.made).isdisjoint(TWICE | UNKNOWN):
        return None
    index = [tuple(ScalarValue(axis.start) for axis in v.view.axes) for v in (one, other)]
    return _equal(ctx, *map(TupleValue, index), span)


def _equal(ctx: Lowering, a: Value, b: Value, span: Span) -> Value | None:
    """Whether two values are equal; None if they are not comparable as numbers."""
    if is_choice(a) or is_choice(b):
        return of_parts(ctx, ast.Eq(), a, b, span)
    if (made := _by_class(ctx, ast.Eq, a, b, span)) is not None:
        return made
    known = _same_constants(a, b)
    if known is not None:
        return literal(known)
    if (parts := _compared(ctx, "__eq__", a, b, span)) is not None:
        return _equal(ctx, *parts, span)
    if is_optional(a) or is_optional(b):
        return _equal_or_none(ctx, as_optional(a), as_optional(b), span)
    if (_is_object(a) or _is_object(b)) and isinstance(a, TupleValue) and isinstance(b, TupleValue):
        same = is_same_object(ctx, a, b) if _of_one_class(a, b) else False
        return None if same is None else literal(same)
    if _are_lists(a, b):
        return _same_lists(ctx, a, b, span)
    match a, b:
        case TupleValue(mapping=True, record=p, items=xs), TupleValue(mapping=True, record=q, items=ys):
            if set(p.names) != set(q.names):
                return literal(False)
            pairs = zip(xs, (ys[q.names.index(n)] for n in p.names), strict=True)
            return _chain(ctx, True, [lambda x=x, y=y: _same_item(ctx, x, y, span) for x, y in pairs], span)
        case TupleValue(items=xs), TupleValue(items=ys) if _is_sequence(a) and _is_sequence(b):
            if len(xs) != len(ys) or a.listed != b.listed:  # a list does not equal a tuple
                return literal(False)
            pairs = zip(xs, ys, strict=True)
            return _chain(ctx, True, [lambda x=x, y=y: _same_item(ctx, x, y, span) for x, y in pairs], span)
        case ScalarValue(), ScalarValue():
            return compare(ctx, ast.Eq, a, b, span)
        case (ScalarValue(weak=weak), TupleValue() as t) | (TupleValue() as t, ScalarValue(weak=weak)):
            # a NumPy number and a sequence are compared item by item
            return literal(False) if _is_object(t) or weak else None
        case (
            NoneValue() | TextValue() | ScalarValue() | TupleValue(),
            NoneValue() | TextValue() | ScalarValue() | TupleValue(),
        ) if type(a) is not type(b):
            return literal(False)
        case NoneValue(), NoneValue():
            return literal(True)
    return None


def _same_item(ctx: Lowering, a: Value, b: Value, span: Span) -> Value | None:
    """Whether two items of containers are equal: an object equals itself there, whatever its class says."""
    return literal(True) if is_same_object(ctx, a, b) else _equal(ctx, a, b, span)


def _equal_or_none(ctx: Lowering, a: TupleValue, b: TupleValue, span: Span) -> Value | None:
    """Whether two values that may be None are equal."""
    (x, p), (y, q) = a.items, b.items
    if x is None or y is None:
        return unary(ctx, ast.Not, both(ctx, "or", p, q, span), span)
    found = _chain(ctx, True, [lambda: both(ctx, "and", p, q, span), lambda: _equal(ctx, x, y, span)], span)
    if not isinstance(found, ScalarValue):
        return found
    return both(ctx, "or", found, unary(ctx, ast.Not, both(ctx, "or", p, q, span), span), span)


def _is_object(v: Value) -> bool:
    """Whether it is a dataclass or an object of another class of the user."""
    return isinstance(v, TupleValue) and v.closed and not v.record.key.startswith(("%", "builtins."))


def _of_one_class(a: TupleValue, b: TupleValue) -> bool:
    return a.record is not None and b.record is not None and a.record.key == b.record.key


def _compared(ctx: Lowering, name: str, a: Value, b: Value, span: Span) -> tuple[TupleValue, TupleValue] | None:
    """What the dataclass decorator lets ``a`` and ``b`` be compared by: tuples of their fields. None if it made no such
    comparison of their class, or their classes differ."""
    fields = compared_fields(ctx, a, name)
    if fields is None or not isinstance(b, TupleValue) or not _of_one_class(a, b):
        return None
    held = [dict(zip(v.record.names, loaded(ctx, v, span, True).items, strict=True)) for v in (a, b)]
    return tuple(TupleValue(tuple(h[n] for n in fields)) for h in held)


def _ordered(ctx: Lowering, op: type[ast.cmpop], a: Value, b: Value, span: Span) -> Value | None:
    """``a < b`` of tuples, which the first items that differ decide; None if they are not comparable so."""
    if isinstance(a, ScalarValue) and isinstance(b, ScalarValue):
        return compare(ctx, op, a, b, span)
    if (parts := _compared(ctx, _METHODS[op][0], a, b, span)) is not None:
        return _ordered(ctx, op, *parts, span)
    if not (_is_sequence(a) and _is_sequence(b) and a.listed == b.listed):
        return None
    lengths = (literal(len(v.items)) for v in (a, b))
    found: Value | None = compare(ctx, op, *lengths, span)
    for x, y in reversed(list(zip(a.items, b.items, strict=False))):
        first, same = _ordered(ctx, op, x, y, span), _same_item(ctx, x, y, span)
        if not (isinstance(first, ScalarValue) and isinstance(same, ScalarValue)):
            return None
        rest = both(ctx, "and", same, found, span)
        strict = first if op in (ast.Lt, ast.Gt) else both(ctx, "and", unary(ctx, ast.Not, same, span), first, span)
        found = both(ctx, "or", strict, rest, span)
    return found


def _is_sequence(v: Value) -> bool:
    return isinstance(v, TupleValue) and (v.record in SEQUENCES or (v.record.named_tuple and not v.changes))


def both(ctx: Lowering, op: str, a: ScalarValue, b: ScalarValue, span: Span) -> ScalarValue:
    """``a and b``, ``a or b`` of bools that are evaluated already."""
    for x, y in ((a, b), (b, a)):
        if isinstance(x.atom, Const):
            return y if x.atom.value == (op == "and") else x
    return ScalarValue(ctx.let("b", op, (a.atom, b.atom), BOOL, span), True)


def _chain(ctx: Lowering, every: bool, tests: list[Callable[[], Value | None]], span: Span) -> Value | None:
    if not tests:
        return literal(every)
    first = tests[0]()
    if first is None or len(tests) == 1 or isinstance(first, SILENT):
        return first
    unknown = False

    def rest() -> Value:
        nonlocal unknown
        found = _chain(ctx, every, tests[1:], span)
        unknown |= found is None
        return literal(every) if found is None else found

    value = lazily(ctx, every, first, rest, span, "b")
    return None if unknown else value


def _member(ctx: Lowering, a: Value, b: Value, span: Span) -> Value:
    if isinstance(b, TextValue) and isinstance(a, TextValue):
        return literal(a.text in b.text)
    if isinstance(b, TupleValue) and b.mapping and chooses(a):
        return one_per_option(ctx, a, lambda x: _member(ctx, x, b, span), span, "b")
    at = at_span(span)
    if (found := by_class(ctx, "__contains__", b, at, [Quoted(at, a)])) is not None:
        test = ast.Call(Quoted(at, EntityValue(External("builtins.bool"), "bool")), [Quoted(at, found)], [])
        return expression(ctx, ast.copy_location(test, at), "b")
    if ranges.is_range(b) and isinstance(a, ScalarValue) and a.dtype in INTS:
        return ranges.holds(ctx, b, a, span)
    for rule in MEMBERS:
        if (found := rule(ctx, a, b, span)) is not None:
            return found
    if isinstance(b, TupleValue) and b.mapping and (found := has(ctx, b, a, span)) is not None:
        return found
    if (found := members(b)) is not None:
        b = found
    deque = isinstance(b, TupleValue) and b.record is DEQUE
    if is_growing(b) or deque or has_method(ctx, b, "__iter__"):
        return _any_of(ctx, a, b, span)
    if isinstance(b, TupleValue) and not b.closed:
        found = _chain(ctx, False, [lambda x=x: _same_item(ctx, a, x, span) for x in b.items], span)
        if found is not None:
            return found
    elif is_array(b) and isinstance(a, TextValue | NoneValue) and rank_of(b) > 0:
        return literal(False)
    elif is_array(b) and isinstance(a, ScalarValue) and rank_of(b) > 0:
        equal = call_external(ctx, "numpy.equal", Args("np.equal", span, (b, a), {}, "b"))
        return call_external(ctx, "numpy.any", Args("np.any", span, (equal,), {}, "b"))
    raise Refused(Unsupported(span, "`in`", "compare with each element: `x == a or x == b`"))


def _are_lists(a: Value, b: Value) -> bool:
    """Whether two lists of numbers or tuples are compared, one of which has a length known only at run time."""
    lists = all(isinstance(v, TupleValue) and v.record in LISTS for v in (a, b))
    return lists and any(is_growing(v) and not isinstance(v.items[0], Never) for v in (a, b))


def _same_lists(ctx: Lowering, a: TupleValue, b: TupleValue, span: Span) -> Value:
    """``a == b`` of two lists."""
    if not (a.items and b.items):
        count = count_of(ctx, a if a.items else b)
        return ScalarValue(ctx.let("same", "eq", (count, ZERO), BOOL, span), True)
    at = at_span(span)
    function = EntityValue(External("%ordering._equal"), "==")
    call = ast.Call(Quoted(at, function), [Quoted(at, v) for v in (a, b)], [])
    found = expression(ctx, ast.copy_location(call, at))
    if isinstance(found, SILENT):
        raise Refused(None, found)
    return found


def _any_of(ctx: Lowering, a: Value, b: Value, span: Span) -> Value:
    """``a in xs`` of a list of a computed length, or of an object: ``any(a == e for e in xs)``."""
    at = at_span(span)
    name = ctx.pseudo("item", span)
    test = ast.Compare(Quoted(at, a), [ast.Eq()], [ast.Name(name, ast.Load())])
    part = ast.comprehension(ast.Name(name, ast.Store()), Quoted(at, b), [], 0)
    found = ast.Call(Quoted(at, EntityValue(External("builtins.any"), "any")), [ast.GeneratorExp(test, [part])], [])
    for n in ast.walk(found):
        ast.copy_location(n, at)
    return expression(ctx, found, "b")
