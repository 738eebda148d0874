"""Other ways to a derivative, kept to be measured against and to check the compiled one.

``graph``: operator overloading, a graph of nodes. ``tape``: operator overloading onto an indexed list. ``dual``: dual
numbers, forward mode. These three run the user's undecorated function. ``pure``: the generated adjoint itself with each
in-place update replaced by a fresh array.
"""

from . import whole_arrays  # noqa: F401 - enters what arrays do as wholes
