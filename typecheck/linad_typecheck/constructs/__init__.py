"""The constructs of Python, one file each. A file enters its rows into the dispatch tables of the engine when it is
imported.

Importing the package imports all of them.
"""

from . import (
    attributes, batches, calls, checkpoints, combinators, comprehensions, derivatives, dicts, displays, expressions,
    generators, hashed, iterables, iterators, lists, loops, objects, queues,
    type_tests, records, reductions, slice_objects, statements, static_lists, static_texts, subscripts,
)  # fmt: skip
