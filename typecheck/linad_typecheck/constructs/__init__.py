"""One file per construct of Python, each with rows for the engine's dispatch tables, one per kind of node.

Every file registers its rows when it is imported; importing the package imports all of them.
"""

from . import (
    attributes, batches, calls, checkpoints, combinators, comprehensions, derivatives, dicts, displays, expressions,
    iterables, lists,
    loops, objects,
    questions, records, reductions, slice_objects, statements, static_lists, static_texts, subscripts,
)  # fmt: skip
