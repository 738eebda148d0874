"""The generators of `itertools`, and of the builtins where one of their arguments is a generator.

They are inlined in the loops over their calls. The body of such a loop is lowered at each `yield`, so there are few.
``pool(x)`` is a sequence with the items of ``x``, which no later update of ``x`` changes.
"""

from __future__ import annotations

from . import implements, pool


@implements("itertools.product")
def product(*iterables, repeat=1):
    """The tuples of a Cartesian product; the last position changes fastest.

    Parameters
    ----------
    *iterables : iterable
        The factors.
    repeat : int
        How often the factors are repeated; a literal.

    Yields
    ------
    tuple
        One item of each factor.

    Examples
    --------
    >>> list(product([1, 2], [3, 4]))
    [(1, 3), (1, 4), (2, 3), (2, 4)]
    """
    yield from _product(tuple(pool(x) for x in iterables) * repeat)


def _product(pools):
    if len(pools) == 0:
        yield ()
    elif len(pools) == 1:
        for first in pools[0]:
            yield (first,)
    else:
        for first in pools[0]:
            for rest in _product(pools[1:]):
                yield (first, *rest)


@implements("itertools.combinations")
def combinations(iterable, r):
    """The tuples of ``r`` items at increasing positions, in lexicographic order of the positions.

    Parameters
    ----------
    iterable : iterable
        The items.
    r : int
        The length of the tuples; a literal.

    Yields
    ------
    tuple
        ``r`` items.

    Examples
    --------
    >>> list(combinations("abc", 2))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    yield from _increasing(pool(iterable), r, 0, 1)


@implements("itertools.combinations_with_replacement")
def combinations_with_replacement(iterable, r):
    """The tuples of ``r`` items at positions that do not decrease, in lexicographic order of the positions.

    Parameters
    ----------
    iterable : iterable
        The items.
    r : int
        The length of the tuples; a literal.

    Yields
    ------
    tuple
        ``r`` items.

    Examples
    --------
    >>> list(combinations_with_replacement("ab", 2))
    [('a', 'a'), ('a', 'b'), ('b', 'b')]
    """
    yield from _increasing(pool(iterable), r, 0, 0)


def _increasing(items, r, first, step):
    if r < 0:
        raise ValueError("r must be non-negative")
    if r == 0:
        yield ()
    elif r == 1:
        for k in range(first, len(items)):
            yield (items[k],)
    else:
        for k in range(first, len(items)):
            for rest in _increasing(items, r - 1, k + step, step):
                yield (items[k], *rest)


@implements("itertools.permutations")
def permutations(iterable, r=None):
    """The tuples of ``r`` items at different positions, in lexicographic order of the positions.

    Parameters
    ----------
    iterable : iterable
        The items.
    r : int
        The length of the tuples; a literal.

    Yields
    ------
    tuple
        ``r`` items.

    Examples
    --------
    >>> list(permutations("abc", 2))
    [('a', 'b'), ('a', 'c'), ('b', 'a'), ('b', 'c'), ('c', 'a'), ('c', 'b')]
    """
    items = pool(iterable)
    yield from _different(items, len(items) if r is None else r, ())


def _different(items, r, taken):
    if r < 0:
        raise ValueError("r must be non-negative")
    if r == 0:
        yield ()
    else:
        for k in range(len(items)):
            if all(k != j for j in taken):
                for rest in _different(items, r - 1, (*taken, k)):
                    yield (items[k], *rest)


@implements("itertools.accumulate")
def accumulate(iterable, func=None, *, initial=None):
    """The running totals of the items, or of a function of the total and the next item.

    Parameters
    ----------
    iterable : iterable
        The items.
    func : callable
        What combines the total and an item; addition by default.
    initial : object
        The first total; by default the first item.

    Yields
    ------
    object
        The total.

    Examples
    --------
    >>> list(accumulate([1, 2, 3]))
    [1, 3, 6]
    """
    if initial is None:
        items = pool(iterable)
        if len(items) > 0:
            total = items[0]
            for k in range(len(items)):
                if k > 0:
                    total = total + items[k] if func is None else func(total, items[k])
                yield total
    else:
        total = initial
        yield total
        for item in iterable:
            total = total + item if func is None else func(total, item)
            yield total


@implements("itertools.chain")
def chain(*iterables):
    """The items of one iterable after the other.

    Parameters
    ----------
    *iterables : iterable
        What the items are of.

    Yields
    ------
    object
        The items.

    Examples
    --------
    >>> list(chain([1, 2], [3]))
    [1, 2, 3]
    """
    for items in iterables:
        yield from items


@implements("itertools.chain.from_iterable")
def chain_from_iterable(iterable):
    """The items of the iterables that an iterable gives.

    Parameters
    ----------
    iterable : iterable
        Iterables.

    Yields
    ------
    object
        Their items.

    Examples
    --------
    >>> list(chain_from_iterable([[1, 2], [3]]))
    [1, 2, 3]
    """
    for items in iterable:
        yield from items


@implements("itertools.islice")
def islice(iterable, *bounds):
    """The items at the positions of a range.

    Parameters
    ----------
    iterable : iterable
        The items.
    *bounds : int or None
        The stop; or the start, the stop and the step.

    Yields
    ------
    object
        The items.

    Examples
    --------
    >>> list(islice("abcdef", 1, 5, 2))
    ['b', 'd']
    """
    start = (0 if bounds[0] is None else bounds[0]) if len(bounds) > 1 else 0
    stop = bounds[1] if len(bounds) > 1 else bounds[0]
    step = (1 if bounds[2] is None else bounds[2]) if len(bounds) > 2 else 1
    if start < 0:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if step < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")
    if stop is not None:
        if stop < 0:
            raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
        if stop == 0:
            return
    place = 0
    wanted = start
    for item in iterable:
        if place == wanted:
            yield item
            wanted += step
        place += 1
        if stop is not None:
            if place >= stop:
                return


@implements("itertools.pairwise")
def pairwise(iterable):
    """Each item with the next one.

    Parameters
    ----------
    iterable : iterable
        The items.

    Yields
    ------
    tuple
        Two neighbours.

    Examples
    --------
    >>> list(pairwise("abc"))
    [('a', 'b'), ('b', 'c')]
    """
    items = pool(iterable)
    for k in range(1, len(items)):
        yield items[k - 1], items[k]


@implements("itertools.zip_longest")
def zip_longest(*iterables, fillvalue=None):
    """The tuples of items at one position. Where an iterable has ended, a given value takes the place of its items.

    Parameters
    ----------
    *iterables : iterable
        What the items are of.
    fillvalue : object
        The value for missing items.

    Yields
    ------
    tuple
        One item of each.

    Examples
    --------
    >>> list(zip_longest([1, 2], [3], fillvalue=0))
    [(1, 3), (2, 0)]
    """
    pools = tuple(pool(x) for x in iterables)
    for k in range(max(0, 0, *(len(x) for x in pools))):
        yield tuple(x[k] if k < len(x) else fillvalue for x in pools)


@implements("itertools.repeat")
def repeat(object, times=None):
    """The same object again and again.

    Parameters
    ----------
    object : object
        What is repeated.
    times : int
        How often; by default without end.

    Yields
    ------
    object
        The object.

    Examples
    --------
    >>> list(repeat(1.5, 2))
    [1.5, 1.5]
    """
    if times is None:
        while True:
            yield object
    else:
        for _ in range(times):
            yield object


@implements("itertools.cycle")
def cycle(iterable):
    """The items again and again.

    Parameters
    ----------
    iterable : iterable
        The items.

    Yields
    ------
    object
        The items.

    Examples
    --------
    >>> list(islice(cycle("ab"), 3))
    ['a', 'b', 'a']
    """
    items = pool(iterable)
    if len(items) > 0:
        while True:
            yield from items


@implements("itertools.count")
def count(start=0, step=1):
    """Numbers at equal distances, without end.

    Parameters
    ----------
    start : float
        The first one.
    step : float
        The distance.

    Yields
    ------
    float
        The numbers.

    Examples
    --------
    >>> list(islice(count(3, 2), 3))
    [3, 5, 7]
    """
    number = start
    while True:
        yield number
        number = number + step


@implements("itertools.takewhile")
def takewhile(predicate, iterable):
    """The items before the first one that does not satisfy a condition.

    Parameters
    ----------
    predicate : callable
        The condition.
    iterable : iterable
        The items.

    Yields
    ------
    object
        The items.

    Examples
    --------
    >>> list(takewhile(lambda v: v < 3, [1, 2, 3, 1]))
    [1, 2]
    """
    for item in iterable:
        if not predicate(item):
            return
        yield item


@implements("itertools.dropwhile")
def dropwhile(predicate, iterable):
    """The items from the first one on that does not satisfy a condition.

    Parameters
    ----------
    predicate : callable
        The condition.
    iterable : iterable
        The items.

    Yields
    ------
    object
        The items.

    Examples
    --------
    >>> list(dropwhile(lambda v: v < 3, [1, 2, 3, 1]))
    [3, 1]
    """
    dropping = True
    for item in iterable:
        if dropping:
            dropping = bool(predicate(item))
        if not dropping:
            yield item


@implements("itertools.starmap")
def starmap(function, iterable):
    """The results of a function for the tuples of arguments.

    Parameters
    ----------
    function : callable
        The function.
    iterable : iterable
        Tuples.

    Yields
    ------
    object
        The results.

    Examples
    --------
    >>> list(starmap(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    for given in iterable:
        yield function(*given)


@implements("itertools.filterfalse")
def filterfalse(predicate, iterable):
    """The items that do not satisfy a condition.

    Parameters
    ----------
    predicate : callable or None
        The condition; None stands for the truth of the item.
    iterable : iterable
        The items.

    Yields
    ------
    object
        The items.

    Examples
    --------
    >>> list(filterfalse(lambda v: v < 3, [1, 2, 3, 1]))
    [3]
    """
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


@implements("builtins.filter")
def filter(function, iterable):
    """The items that satisfy a condition.

    Parameters
    ----------
    function : callable or None
        The condition; None stands for the truth of the item.
    iterable : iterable
        The items.

    Yields
    ------
    object
        The items.

    Examples
    --------
    >>> list(filter(lambda v: v < 3, [1, 2, 3, 1]))
    [1, 2, 1]
    """
    for item in iterable:
        if item if function is None else function(item):
            yield item


@implements("itertools.compress")
def compress(data, selectors):
    """The items whose selectors are true.

    Parameters
    ----------
    data : iterable
        The items.
    selectors : iterable
        One truth value for each.

    Yields
    ------
    object
        The items.

    Examples
    --------
    >>> list(compress("abc", [1, 0, 1]))
    ['a', 'c']
    """
    for item, wanted in zip(data, selectors):
        if wanted:
            yield item


@implements("itertools.groupby")
def groupby(iterable, key=None):
    """The runs of items with one key. The items of a run are a list.

    Parameters
    ----------
    iterable : iterable
        The items.
    key : callable
        The key of an item; by default the item.

    Yields
    ------
    tuple
        The key, and the items.

    Examples
    --------
    >>> [(k, list(items)) for k, items in groupby([1, 1, 2])]
    [(1, [1, 1]), (2, [2])]
    """
    items = pool(iterable)
    first = 0
    while first < len(items):
        this = items[first] if key is None else key(items[first])
        last = first + 1
        while last < len(items) and (items[last] if key is None else key(items[last])) == this:
            last += 1
        yield this, _part(items, first, last)
        first = last


def _part(items, first, last):
    for k in range(first, last):
        yield items[k]


def _enumerate(iterable, start=0):
    number = start
    for item in iterable:
        yield number, item
        number += 1


def _zip(before, iterable, after):
    """The tuples of `zip`, where one of its arguments is a generator. As in Python, it is not resumed after the end of
    an argument ``before`` it."""
    place = 0
    if len(before) > 0:
        if min(len(x) for x in before) == 0:
            return
    for item in iterable:
        if len(after) > 0:
            if place >= min(len(x) for x in after):
                return
        yield (*(x[place] for x in before), item, *(x[place] for x in after))
        place += 1
        if len(before) > 0:
            if place >= min(len(x) for x in before):
                return


def _map(function, iterable):
    for given in iterable:
        yield function(*given)


def _rest(iterator):
    while iterator.at < len(iterator.items):
        item = iterator.items[iterator.at]
        iterator.at += 1
        yield item


def _around(iterator):
    while len(iterator.items) > 0:
        item = iterator.items[iterator.at]
        iterator.at = (iterator.at + 1) % len(iterator.items)
        yield item


def _each(iterable):
    yield from iterable
