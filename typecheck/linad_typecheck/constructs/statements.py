"""Statements: assignment, branches, exits. Loops are in `loops`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..advice.impure import WARNINGS, impure
from ..arrays.from_parts import row_of
from ..arrays.indexing import Cell, load_cell, require_cell, store_cell
from ..arrays.updates import Region, assign_region, region, update_region
from ..ir.core import AddTo, Call, Check, Const, If, Loop, Stmt, blocks, written
from ..engine.arithmetic import binary, unary
from ..engine.blocks import STATEMENTS, TARGETS, assign, if_, set_exit_kind
from ..engine.closures import closed, nested_function
from ..engine.entities import callee, imported, is_exception, named
from ..engine.evaluation import (
    all_present, as_list_comprehension, condition, expression, may_update, operands, pull, usable,
)  # fmt: skip
from ..engine.exits import only_raises
from ..engine.growing import taken_out
from ..engine.numbers import fitted, promote
from ..engine.hashed import is_hashed
from ..engine.places import force_delayed
from ..engine.provenance import user_name
from ..engine.quoted import Quoted
from ..engine.refusal import Refused, refuse
from ..engine.results import warn_unused
from ..engine.returning import copied_result, gone, moved_result, without_meaning, writes
from ..engine.sizes import is_array, is_complex_array
from ..engine.state import BREAK, CONTINUE, FALSE, RET, RETURN, Lowering
from ..engine.exceptions import kind_of
from ..engine.values import (
    ITERATORS, RANGE, SILENT, ArrayValue, Binding, Delayed, EntityValue, FunctionValue, NoneValue, Poison, ScalarValue,
    TupleValue, Value, contains, describe, is_complex, literal, map_arrays, type_of,
)
from ..engine.values import objects as objects_in
from ..library.operators import operator
from ..ownership.liveness import bound
from ..ownership.objects import allocated_at
from ..ownership.state import cell_of, is_item, names_of, write
from ..messages.language import ImpureCall, NotPrinted, Unsupported
from ..messages.types import WrongType
from ..names.scope import ErrorClass, External, is_library
from ..span import Span
from ..types import BOOL, FLOATS, INTS
from . import complexes, dicts, hashed, lists, objects, queues
from .generators import by_library
from .iterables import of_object
from .quotes import Message, message_of
from .records import by_class, has_method, in_place_operator, refuse_attribute
from .subscripts import target as place
from .targets import held_object
from .unpacking import unpacked, with_rest


# --------------------------------------------------------------------------------------------- blocks and exits


def _if(ctx: Lowering, s: ast.If) -> None:
    if only_raises(s.body) and not s.orelse:
        cond = condition(ctx, s.test)
        if cond is not None:
            span = ctx.span(s.body[0])
            ok = Const(not cond.value, BOOL) if isinstance(cond, Const) else ctx.let("ok", "not", (cond,), BOOL, span)
            _raise_unless(ctx, ok, s.body[0])
        return
    live = ctx.live.after.get(s, frozenset())
    if_(ctx, s, s.body, s.orelse, live)


def _return(ctx: Lowering, s: ast.Return) -> None:
    span = ctx.span(s.value if s.value is not None else s)
    value: Value = NoneValue() if s.value is None else expression(ctx, s.value, "result", none=ctx.spec is not None)
    if ctx.path.dead:  # its evaluation raises
        return
    value = usable(ctx, value, "the result", span)
    if ctx.spec is None:
        value = all_present(ctx, s.value, value) if s.value is not None else value
        value = copied_result(ctx, lists.entry_result(ctx, value, span), span)
    else:
        value = closed(ctx, value, span)
    value, seen = moved_result(ctx, value, span)
    if ctx.spec is None and isinstance(value, FunctionValue):
        ctx.report(Unsupported(span, "returning a function", "call it here, or define it where it is used"))
        value = Poison()
    elif (
        ctx.spec is None and not isinstance(value, NoneValue) and not contains(value, SILENT) and without_meaning(value)
    ):
        what = describe(type_of(value))
        ctx.report(
            Unsupported(span, f"a result that is {what}", "return floats, ints, bools, arrays, or tuples of them")
        )
        value = Poison()
    ctx.go(returned=(*ctx.path.returned, (span, value)))
    ctx.bind(RET, Binding(value, span))
    # the arrays move into the result
    left = {n: map_arrays(b.value, lambda v: gone(v, seen, span)) for n, b in ctx.env.items() if n[0] != "%"}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})
    set_exit_kind(ctx, RETURN, span)


def _break(ctx: Lowering, s: ast.stmt) -> None:
    set_exit_kind(ctx, BREAK if isinstance(s, ast.Break) else CONTINUE, ctx.span(s))


_ERRORS = {n for n, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, Exception)}


def _raise_unless(ctx: Lowering, ok, s: ast.Raise) -> None:
    span = ctx.span(s)
    found: Message | None = None
    match s.exc:
        case ast.Call(func=error, args=[message, *_]) if _raised(ctx, error):
            # unknown parts of the text are left out
            found = message_of(ctx, message)
        case ast.Call(func=error, args=[]) | (ast.Name() | ast.Attribute() as error) if _raised(ctx, error):
            found = "", ()
    if found is None:
        how = 'raise an exception with a text: `raise ValueError(f"... {n}")`'
        ctx.report(Unsupported(span, "this `raise`", how))
        return
    ctx.emit(Check(ok, _raised(ctx, error), *found, span))


def _raised(ctx: Lowering, node: ast.expr) -> str:
    """The name of the raised exception class, builtin or user-defined; empty if it is not a class."""
    if isinstance(node, ast.Name) and node.id in _ERRORS and node.id not in ctx.local_names:
        return node.id if ctx.source.scope.lookup(node.id) in (None, External(f"builtins.{node.id}")) else ""
    found = named(ctx, node)
    if found is None and isinstance(node, ast.Attribute) and node.attr.endswith("Error"):
        value = ctx.attempt(lambda: expression(ctx, node)).value
        found = value.entity if isinstance(value, EntityValue) else None
    match found:
        case External(dotted="numpy.linalg.LinAlgError" | "scipy.linalg.LinAlgError"):
            return "LinAlgError"
        case External(dotted=dotted) if dotted.startswith("numpy.exceptions."):
            return dotted
        case External(dotted=dotted) if is_exception(dotted):  # a name that holds a class
            return dotted.removeprefix("builtins.")
        case ErrorClass():
            return kind_of(ctx, found)
    return ""


def _raise(ctx: Lowering, s: ast.Raise) -> None:
    _raise_unless(ctx, FALSE, s)
    ctx.go(dead=True)


def _assert(ctx: Lowering, s: ast.Assert) -> None:
    cond = condition(ctx, s.test)
    found = ("", ()) if s.msg is None else message_of(ctx, s.msg)
    if cond is not None:
        ctx.emit(Check(cond, "AssertionError", *found, ctx.span(s)))


# --------------------------------------------------------------------------------------------------- assignment


def _assign(ctx: Lowering, s: ast.Assign) -> None:
    if lists.exchanged(ctx, s):
        return
    hint = s.targets[0].id if isinstance(s.targets[0], ast.Name) else "t"
    value = _assigned(ctx, s, hint)
    stored_at_once = len(s.targets) == 1 and isinstance(s.targets[0], ast.Subscript)
    if isinstance(value, Delayed) and (not stored_at_once or may_update(ctx, s.targets[0])):
        value = force_delayed(ctx, value, hint, ctx.span(s.value))
    _assign_each(ctx, s.targets, (value,) * len(s.targets), ctx.span(s.value))


def _assign_each(ctx: Lowering, targets: list[ast.expr], values: tuple[Value, ...], span: Span) -> None:
    """Assign to several targets. Storing into one may change an object that a later one receives, as in
    ``xs[0], ys = 1.0, xs``: until then a pseudo-name holds the values. An array that a later one receives from a list,
    as in ``xs[0], xs[1] = xs[1], xs[0]``, is taken out of it before its cells get another item."""
    only_names = all(isinstance(t, ast.Name) for t in targets[:-1])
    if not only_names:
        values = (*values[:1], *(taken_out(ctx, v, is_item, span) for v in values[1:]))
    if only_names or not any(objects_in(TupleValue(values[1:]))):
        for target, value in zip(targets, values, strict=True):
            assign(ctx, target, value, span)
        return
    kept = ctx.pseudo("assigned", span)
    ctx.bind(kept, Binding(TupleValue(values), span))
    for target in targets:
        value, *others = ctx.env[kept].value.items
        ctx.bind(kept, Binding(TupleValue(tuple(others)), span))
        assign(ctx, target, value, span)
    ctx.unbind(kept)


def _assigned(ctx: Lowering, s: ast.Assign, hint: str) -> Value:
    """The right side. A list or tuple that is assigned to cells is converted to an array."""
    if isinstance(s.value, (ast.List, ast.Tuple)) and all(isinstance(t, ast.Subscript) for t in s.targets):
        if all(held_object(ctx, t.value) is None for t in s.targets):
            return row_of(ctx, s.value)
    unpacked = len(s.targets) == 1 and isinstance(s.targets[0], (ast.Tuple, ast.List))
    value = as_list_comprehension(s.value) if unpacked else s.value
    return pull(ctx, value, hint, none=all(_takes_none(ctx, t) for t in s.targets))


def _takes_none(ctx: Lowering, target: ast.expr) -> bool:
    """Whether None can be assigned to a target: not to a cell of an array."""
    if not isinstance(target, ast.Subscript):
        return isinstance(target, ast.Name | ast.Attribute)
    return held_object(ctx, target.value) is not None


def _annotated(ctx: Lowering, s: ast.AnnAssign) -> None:
    if s.value is not None:
        hint = s.target.id if isinstance(s.target, ast.Name) else "t"
        assign(ctx, s.target, expression(ctx, s.value, hint), ctx.span(s.value))


def _name(ctx: Lowering, target: ast.Name, value: Value, span: Span) -> None:
    if isinstance(value, ArrayValue) and any([n[0] != "%" for n in names_of(ctx, value.var)]):
        ctx.fact("borrow", target.id, span, "another name for the same array")
    ctx.bind(target.id, Binding(value, span))
    ctx.typed(target.id, ctx.span(target), value)


def _dict(ctx: Lowering, node: ast.expr) -> TupleValue | None:
    """The dict that a name holds."""
    value = held_object(ctx, node)
    return value if value is not None and value.mapping else None


def _pops(ctx: Lowering, target: ast.Subscript) -> bool:
    """Whether ``del x[k]`` is ``x.pop(k)``."""
    held = held_object(ctx, target.value)
    return held is not None and (held.mapping or (lists.is_list(held) and not isinstance(target.slice, ast.Slice)))


def _hashed(ctx: Lowering, target: ast.Subscript) -> TupleValue | None:
    """The dict with keys known only at run time of which a target denotes an item."""
    value = held_object(ctx, target.value)
    found = None if value is None else hashed.hashed_for_key(ctx, value, target.slice) or value
    return found if found is not None and is_hashed(found) else None


def _extended(ctx: Lowering, target: ast.expr) -> ast.expr | None:
    """The list that `+=` extends, if it is a part of a list, a dict or an object; None if there is none."""
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
        return None
    part = ast.copy_location(type(target)(**dict(ast.iter_fields(target)) | {"ctx": ast.Load()}), target)
    within = ctx.attempt(lambda: held_object(ctx, target.value)).value is not None
    return part if within and lists.is_list(ctx.attempt(lambda: expression(ctx, part)).value) else None


def _assign_to_hashed(ctx: Lowering, target: ast.Subscript, value: Value, span: Span) -> None:
    found = _hashed(ctx, target)
    if found is None:  # the value has made it unknown
        raise Refused(None)
    hashed.assign(ctx, target, found, value, span)


def _in_deque(ctx: Lowering, target: ast.Subscript, of: TupleValue) -> ast.Subscript:
    """``d[k]`` as an item of the list that a deque keeps its items in."""
    k = queues.position_of(ctx, of, expression(ctx, target.slice), "", ctx.span(target))
    index = Quoted(target, ScalarValue(k, True))
    items = ast.copy_location(ast.Attribute(target.value, "items", ast.Load()), target)
    return ast.copy_location(ast.Subscript(items, index, target.ctx), target)


def _assign_to_deque(ctx: Lowering, target: ast.Subscript, of: TupleValue, value: Value, span: Span) -> None:
    _subscript(ctx, _in_deque(ctx, target, of), value, span)


def _subscript(ctx: Lowering, target: ast.Subscript, value: Value, span: Span) -> None:
    each = lambda item: _subscript(ctx, item, value, span) or NoneValue()
    if dicts.for_each_key(ctx, target, each, span) is not None:
        return
    target = hashed.found_once(ctx, target)
    if (of := held_object(ctx, target.value)) is not None and queues.is_deque(of):
        _assign_to_deque(ctx, target, of, value, span)
        return
    if (of := _hashed(ctx, target)) is not None:
        hashed.assign(ctx, target, of, value, span)
        return
    if (numbers := complexes.complex_array(ctx, target.value)) is not None:
        complexes.store(ctx, target, numbers, usable(ctx, value, "the value", span), span)
        return
    if (of := _dict(ctx, target.value)) is not None:
        dicts.assign(ctx, target, of, force_delayed(ctx, usable(ctx, value, "the value", span), "t", span), span)
        return
    of = held_object(ctx, target.value)
    if of is not None and by_class(ctx, "__setitem__", of, target, [target.slice, Quoted(target, value)]) is not None:
        return
    if lists.store_items(ctx, target, value, span):
        return
    where = place(ctx, target)
    match where:
        case Cell():
            store(ctx, where, value, span)
        case Region():
            assign_region(ctx, where, usable(ctx, value, "the value", span), span)


def _attribute(ctx: Lowering, target: ast.Attribute, value: Value, span: Span) -> None:
    cells = complexes.part_target(ctx, target)
    if cells is not None:
        _subscript(ctx, cells, value, span)
        return
    array = ctx.env[target.value.id].value if getattr(target.value, "id", "") in ctx.env else None
    if target.attr == "shape" and isinstance(array, ArrayValue) and len(names_of(ctx, array.var)) == 1:
        call = ast.Call(ast.Attribute(target.value, "reshape", ast.Load()), [Quoted(target, value)], [])
        assign(ctx, target.value, expression(ctx, ast.fix_missing_locations(ast.copy_location(call, target))), span)
        return
    objects.assign(ctx, target, value, span)


def _unpack(ctx: Lowering, target: ast.Tuple | ast.List, value: Value, span: Span) -> None:
    targets = target.elts
    starred = next((k for k, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
    value = of_object(ctx, value, target) or value
    if isinstance(value, FunctionValue) and value.source.running:  # Python takes one more value than there are names
        most = [] if starred is not None else [Quoted(target, literal(len(targets) + 1))]
        which = "%iterators._each" if starred is not None else "itertools.islice"
        value = by_library(ctx, which, target, [Quoted(target, value), *most])
        value = lists.of_iterable(ctx, Quoted(target, value))
    if isinstance(value, TupleValue) and value.record in (RANGE, *ITERATORS):
        value = lists.of_iterable(ctx, Quoted(target, value))
    if starred is None:
        items = unpacked(ctx, value, len(targets), span)
    else:
        before, rest, after = with_rest(ctx, value, starred, len(targets) - starred - 1, target, span)
        items = (*before, allocated_at(ctx, rest, ctx.span(target)), *after)
    _assign_each(ctx, [t.value if isinstance(t, ast.Starred) else t for t in targets], tuple(items), span)


def store(ctx: Lowering, where: Cell, value: Value, span: Span) -> None:
    """``where = value``."""
    value = usable(ctx, value, "the value", span)
    if isinstance(value, SILENT):
        ctx.programs.poisoned |= isinstance(value, Poison)
        return
    if not isinstance(value, ScalarValue):
        if is_complex(value):
            what, instead = "a cell of this array holds a real number", "allocate the array with `dtype=complex`"
        else:
            what, instead = "a cell holds a scalar", "store cell by cell in a loop"
        ctx.report(WrongType(span, what, describe(type_of(value)), instead))
        return
    write(ctx, cell_of(where.array, where.index), where.name, where.span)
    store_cell(ctx, where, value)


def _augmented(ctx: Lowering, s: ast.AugAssign) -> None:
    span = ctx.span(s)
    each = lambda target: _augmented(ctx, ast.copy_location(ast.AugAssign(target, s.op, s.value), s)) or NoneValue()
    if dicts.for_each_key(ctx, s.target, each, span) is not None:
        return
    if isinstance(s.target, ast.Subscript):
        target = _with_index(ctx, s.target)
        s = ast.copy_location(ast.AugAssign(hashed.found_once(ctx, target), s.op, s.value), s)
    match s.target:
        case ast.Name(id=name):
            _augmented_name(ctx, s, name, span)
        case ast.Subscript() | ast.Attribute() if isinstance(s.op, ast.Add) and (part := _extended(ctx, s.target)):
            call = ast.Call(ast.Attribute(part, "extend", ast.Load()), [s.value], [])
            expression(ctx, ast.fix_missing_locations(ast.copy_location(call, s)), none=True)
        case ast.Subscript(value=of) if queues.is_deque(found := held_object(ctx, of)):
            _augmented(ctx, ast.copy_location(ast.AugAssign(_in_deque(ctx, s.target, found), s.op, s.value), s))
        case ast.Subscript() if _hashed(ctx, s.target) is not None:
            _augmented_part(ctx, s, lambda new: _assign_to_hashed(ctx, s.target, new, span))
        case ast.Subscript(value=of) if _dict(ctx, of) is not None:
            _augmented_part(ctx, s, lambda new: dicts.assign(ctx, s.target, _dict(ctx, of), new, span))
        case ast.Subscript(value=of) if (numbers := complexes.complex_array(ctx, of)) is not None:
            _augmented_part(ctx, s, lambda new: complexes.store(ctx, s.target, numbers, new, span))
        case ast.Subscript(value=of) if has_method(ctx, held_object(ctx, of), "__setitem__"):
            _augmented_part(ctx, s, lambda new: _subscript(ctx, s.target, new, span), True)
        case ast.Subscript() if lists.counted_item(ctx, s.target) is not None:
            _augmented_part(ctx, s, lambda new: lists.store_items(ctx, s.target, new, span))
        case ast.Subscript() if lists.is_replaced(ctx, s):
            index = Quoted(s.target.slice, expression(ctx, s.target.slice), ast.unparse(s.target.slice))
            item = ast.copy_location(ast.Subscript(s.target.value, index, s.target.ctx), s.target)
            again = ast.copy_location(ast.AugAssign(item, s.op, s.value), s)
            _augmented_part(ctx, again, lambda new: lists.store_items(ctx, item, new, span))
        case ast.Subscript():
            where = place(ctx, s.target, may_update(ctx, s.value))
            match where:
                case Cell():
                    _update_cell(ctx, s, where, span)
                case Region():
                    update_region(ctx, where, type(s.op), usable(ctx, pull(ctx, s.value), "the value", span), span)
                case None:
                    expression(ctx, s.value)
        case ast.Attribute() if (cells := complexes.part_target(ctx, s.target)) is not None:
            _augmented(ctx, ast.copy_location(ast.AugAssign(cells, s.op, s.value), s))
        case ast.Attribute():
            if objects.changing(ctx, s.target) is None:
                refuse_attribute(ctx, s.target)
                expression(ctx, s.value)
                return
            _augmented_part(ctx, s, lambda new: objects.assign(ctx, s.target, new, span), objects.is_set(ctx, s.target))
        case _:
            refuse(ctx, s.target)


def _with_index(ctx: Lowering, target: ast.Subscript) -> ast.Subscript:
    """The item of a list or a dict that is read and stored, with an index that may change something evaluated once."""
    if not any(isinstance(n, ast.Call | ast.NamedExpr) for n in ast.walk(target.slice)):
        return target
    if held_object(ctx, target.value) is None or isinstance(target.slice, ast.Slice):
        return target
    index = Quoted(target.slice, expression(ctx, target.slice), ast.unparse(target.slice))
    return ast.copy_location(ast.Subscript(target.value, index, target.ctx), target)


def _augmented_name(ctx: Lowering, s: ast.AugAssign, name: str, span: Span) -> None:
    """``a op= e`` of a name: a list, a dict or an array is updated in place, any other value is rebound."""
    old, value = operands(ctx, [s.target, s.value])
    if lists.is_list(old) and isinstance(s.op, ast.Add):
        lists.lengthen(ctx, s.target, old, Quoted(s.value, value), span)
    elif lists.is_list(old) and isinstance(s.op, ast.Mult):
        new = _operation(ctx, s, old, value, name)
        lists.rebuild(ctx, s.target, old, new, "`*=`", span)
    elif hashed.is_dict(old) and isinstance(s.op, ast.BitOr):
        if not hashed.is_dict(value):
            told = WrongType(span, "a dict is updated with a dict", describe(type_of(value)))
            raise Refused(None if isinstance(value, SILENT) else told)
        if not (old.mapping and value.mapping):
            hashed.update(ctx, s.target, old, value, span)
            return
        dicts.with_items_of(ctx, s.target, old, value, "`|=`", span)
    elif is_array(old):
        again = next((n for n in ast.walk(s.value) if isinstance(n, ast.NamedExpr) and n.target.id == name), None)
        if again is not None:  # Python updates the old array and then rebinds the name to it
            what = f"`{name} := ...` in an update of `{name}`"
            raise Refused(Unsupported(ctx.span(again), what, "use another name"))
        where = region(ctx, old, name, ctx.span(s.target))
        if where is not None:
            update_region(ctx, where, type(s.op), usable(ctx, value, "the value", span), span)
    elif is_complex_array(old):
        complexes.refill(ctx, s.target, old, operator(ctx, type(s.op), old, value, span, name), span)
    else:
        ctx.bind(name, Binding(_operation(ctx, s, old, value, name), span))
        ctx.typed(name, ctx.span(s.target), value)


def _operation(ctx: Lowering, s: ast.AugAssign, old: Value, value: Value, hint: str = "t") -> Value:
    """The value of an augmented assignment, from values that are already evaluated."""
    made = in_place_operator(ctx, type(s.op), old, value, s.target)
    if made is not None:
        return made
    return expression(ctx, ast.copy_location(ast.BinOp(Quoted(s.target, old), s.op, Quoted(s.value, value)), s), hint)


def _augmented_part(ctx: Lowering, s: ast.AugAssign, store: Callable[[Value], None], again: bool = False) -> None:
    """``d["w"] op= e``, ``xs[0] op= e``, ``p.a op= e``: an array is updated in place, any other value is rebound.

    With ``again``, what stores the value does more than that, and is given the updated array, too."""
    span = ctx.span(s)
    old, value = operands(ctx, [s.target, s.value])
    if not is_array(old):
        store(_operation(ctx, s, old, value))
        return
    where = region(ctx, old, user_name(s.target), ctx.span(s.target))
    if where is not None:
        update_region(ctx, where, type(s.op), usable(ctx, value, "the value", span), span)
        if again:
            store(old)


def _update_cell(ctx: Lowering, s: ast.AugAssign, where: Cell, span: Span) -> None:
    """``a[i] op= e``. As in Python, the cell is loaded before ``e`` is evaluated. An undisturbed sum becomes
    `AddTo`."""
    at = len(ctx.out)
    old = load_cell(ctx, where)
    after = len(ctx.out)
    value = usable(ctx, expression(ctx, s.value), "the value", span)
    if not isinstance(value, ScalarValue):
        binary(ctx, type(s.op), old, value, span)
        return
    dtype = where.array.type.dtype
    exact = dtype in FLOATS or (dtype in INTS and promote(old, value)[0] in INTS)
    write(ctx, cell_of(where.array, where.index), where.name, where.span)
    if isinstance(s.op, (ast.Add, ast.Sub)) and exact and not writes(ctx, ctx.out[after:], where.array):
        evaluated, ctx.out[at:] = ctx.out[after:], []
        if where.checked and _observable(ctx, evaluated):  # IndexError has to come first
            require_cell(ctx, where)
            where = replace(where, checked=False)
        ctx.out.extend(evaluated)
        e = fitted(ctx, value, dtype, span)
        if isinstance(s.op, ast.Sub):
            e = unary(ctx, ast.USub, ScalarValue(e), span).atom
        ctx.emit(AddTo(where.array, where.index, e, where.checked, where.span))
        return
    new = binary(ctx, type(s.op), old, value, span)
    if isinstance(new, ScalarValue):
        store_cell(ctx, replace(where, checked=False), new)


def _observable(ctx: Lowering, stmts: Sequence[Stmt]) -> bool:
    """Whether statements may raise an exception other than IndexError, or update an array."""

    def does(s: Stmt) -> bool:
        match s:
            case Check():
                return True
            case Call(callee=callee):
                function = ctx.programs.function(callee)
                return function is None or _observable(ctx, function.body.stmts)
            case If() | Loop():
                return any(_observable(ctx, b.stmts) for b in blocks(s))
            case _:
                return written(s) is not None

    return any(map(does, stmts))


def _expression(ctx: Lowering, s: ast.Expr) -> None:
    if isinstance(s.value, ast.Constant) or _only_warns(ctx, s.value):  # a docstring or `...`
        return
    if isinstance(s.value, ast.Call) and callee(ctx, s.value.func) == "builtins.print":
        if _only_reads(ctx, s.value):
            ctx.report(NotPrinted(ctx.span(s.value), ctx.span(s)))
        else:
            does, instead = impure("builtins.print")
            ctx.report(ImpureCall(ctx.span(s.value), "print", does, instead))
        return
    at, names = len(ctx.out), ctx.env
    value = expression(ctx, s.value, none=True)
    if ctx.env is names:  # otherwise it changes a dict or a list
        warn_unused(ctx, s, value, ctx.out[at:])


_READING = frozenset(
    "format join lower upper strip title sum mean std min max round tolist item copy keys values items get".split()
)  # methods


def _only_reads(ctx: Lowering, call: ast.Call) -> bool:
    """Whether the arguments of a call can be left out with it: nothing in them updates anything."""
    inside = [n for part in (*call.args, *call.keywords) for n in ast.walk(part)]
    calls = [n.func for n in inside if isinstance(n, ast.Call)]
    of_library = lambda f: bool(found := callee(ctx, f)) and is_library(found) and found != "builtins.next"
    reads = all((isinstance(f, ast.Attribute) and f.attr in _READING) or of_library(f) for f in calls)
    return reads and not any(isinstance(n, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await) for n in inside)


def _only_warns(ctx: Lowering, node: ast.expr) -> bool:
    """Whether a call only shows or filters warnings, logs a message, or makes an exception that is not raised. These
    have no effect here."""
    return isinstance(node, ast.Call) and (callee(ctx, node.func) in WARNINGS or bool(_raised(ctx, node.func)))


def _global(ctx: Lowering, s: ast.Global) -> None:
    """``global name``, which has no effect if the name is only read."""
    if bound(ctx.source.node.body).keys() & s.names:
        refuse(ctx, s)


def _function(ctx: Lowering, s: ast.FunctionDef) -> None:
    made: Value = nested_function(ctx, s, s.name)
    for decorator in reversed(s.decorator_list):
        if callee(ctx, decorator) in _SAME_FUNCTION or (
            isinstance(decorator, ast.Call) and callee(ctx, decorator.func) in _SAME_FUNCTION
        ):
            continue
        call = ast.Call(decorator, [Quoted(decorator, made)], [])
        made = expression(ctx, ast.copy_location(call, decorator), s.name)
    ctx.bind(s.name, Binding(made, ctx.span(s)))


# decorators that give a function with the same values
_SAME_FUNCTION = (
    "functools.wraps",
    "functools.lru_cache",
    "functools.cache",
    "numba.njit",
    "numba.jit",
    "builtins.staticmethod",
)


def _delete(ctx: Lowering, s: ast.Delete) -> None:
    """``del name``: it is undefined from here on."""
    for target in s.targets:
        if isinstance(target, ast.Name):
            ctx.unbind(target.id)
        elif isinstance(target, ast.Subscript) and (of := _hashed(ctx, target)) is not None:
            hashed.delete(ctx, target, of)
        elif isinstance(target, ast.Subscript) and _pops(ctx, target):
            pop = ast.Call(ast.Attribute(target.value, "pop", ast.Load()), [target.slice], [])
            for n in (pop, pop.func):
                ast.copy_location(n, target)
            expression(ctx, pop)
        elif isinstance(target, ast.Subscript) and (part := lists.with_part(ctx, target)) is not None:
            lists.remove_part(ctx, target, part)
        elif isinstance(target, ast.Subscript) and (of := held_object(ctx, target.value)) is not None and (
            by_class(ctx, "__delitem__", of, target, [target.slice]) is not None
        ):
            pass
        elif not isinstance(target, ast.Subscript) or not isinstance(expression(ctx, target.value), SILENT):
            instead = "arrays keep their cells; `del` takes a key out of a dict, or items off a list"
            ctx.report(Unsupported(ctx.span(target), "`del` of a part", instead))


STATEMENTS.update({
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.Return: _return,
    ast.Break: _break,
    ast.Continue: _break,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Expr: _expression,
    ast.FunctionDef: _function,
    ast.Delete: _delete,
    ast.Global: _global,
    ast.Import: imported,
    ast.ImportFrom: imported,
})  # fmt: skip
TARGETS.update({
    ast.Name: _name,
    ast.Tuple: _unpack,
    ast.List: _unpack,
    ast.Subscript: _subscript,
    ast.Attribute: _attribute,
})  # fmt: skip
