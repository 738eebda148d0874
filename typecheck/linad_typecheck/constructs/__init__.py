"""One file per construct of Python: a row in a table of the engine for each kind of node.

Every file enters its rows when it is imported; with the package, all of them are.
"""

from . import (
    attributes, batches, calls, checkpoints, combinators, comprehensions, derivatives, dicts, displays, expressions,
    iterables, lists,
    loops, objects,
    questions, records, slice_objects, statements, static_lists, static_texts, subscripts,
)  # fmt: skip
