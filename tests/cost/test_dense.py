"""Dense linear algebra keeps the bound."""

import numpy as np
import pytest

from linad.cost import cost_of

from .programs import core_of


def solve(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2)


def product(a, b):
    return np.sum((a @ a) @ b)


def determinant(a, b):
    return np.linalg.det(a) + b[0]


def root(a, b):
    return np.sum(np.linalg.cholesky(a)) + b[0]


def inverse(a, b):
    return np.sum(np.linalg.inv(a)) + b[0]


@pytest.mark.parametrize("n", [2, 8])
@pytest.mark.parametrize("f", [solve, product, determinant, root, inverse])
def test_dense(f, n):
    found = cost_of(*core_of(f, 2.0 * np.eye(n) + 0.1, np.ones(n)))
    assert found.primal < found.gradient <= found.bound
