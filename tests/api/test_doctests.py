"""The examples in docstrings of the public names and of the boundary."""

import doctest
from importlib import import_module

import pytest

MODULES = [
    "linad.decorator", "linad.api", "linad.combinators", "linad.checkpointing", "linad.cost", "linad.show", "linad.testing",
    "linad.boundary.dims", "linad.boundary.overlap", "linad.boundary.results", "linad.boundary.workspace",
    "linad_typecheck.diagnostics",
    "linad.transforms.hessian", "linad.transforms.jacobian", "linad.transforms.linearize",
    "linad.transforms.linear_transpose", "linad.transforms.stop_gradient", "linad.transforms.vmap",
]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    outcome = doctest.testmod(import_module(name))
    assert outcome.attempted > 0 and outcome.failed == 0
