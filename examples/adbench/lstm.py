"""ADBench's D-LSTM: layers of gates that act on each feature alone, and the loss of predicting the next character.

Row `2 i` of `main` has the weights of layer i and row `2 i + 1` its biases, each in four blocks: forget, in, out, change.
Row `2 i` of `state` is the hidden vector that layer i starts with, row `2 i + 1` its cell. `extra` are the weights of the
input, and weights and biases of the output.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float64

from linad import linear_grad

Main = Float64[np.ndarray, "l2 b4"]
Extra = Float64[np.ndarray, "3 b"]
State = Float64[np.ndarray, "l2 b"]
Sequence = Float64[np.ndarray, "c b"]


def sigmoid(z: float) -> float:
    return 1.0 / (1.0 + math.exp(-z))


@linear_grad(wrt=("main", "extra"))
def loops(main: Main, extra: Extra, state: State, sequence: Sequence) -> float:
    """The loss, feature by feature."""
    layers = len(main) // 2
    c, b = sequence.shape
    h = np.empty((layers, b))
    cell = np.empty((layers, b))
    for i in range(layers):
        for j in range(b):
            h[i, j] = state[2 * i, j]
            cell[i, j] = state[2 * i + 1, j]
    x = np.empty(b)
    total = 0.0
    for t in range(c - 1):
        for j in range(b):
            x[j] = sequence[t, j] * extra[0, j]
        for i in range(layers):
            w, v = 2 * i, 2 * i + 1
            for j in range(b):
                forget = sigmoid(x[j] * main[w, j] + main[v, j])
                take = sigmoid(h[i, j] * main[w, b + j] + main[v, b + j])
                give = sigmoid(x[j] * main[w, 2 * b + j] + main[v, 2 * b + j])
                change = math.tanh(h[i, j] * main[w, 3 * b + j] + main[v, 3 * b + j])
                cell[i, j] = cell[i, j] * forget + take * change
                h[i, j] = give * math.tanh(cell[i, j])
                x[j] = h[i, j]
        norm = 2.0
        for j in range(b):
            norm += math.exp(x[j] * extra[1, j] + extra[2, j])
        for j in range(b):
            total += sequence[t + 1, j] * (x[j] * extra[1, j] + extra[2, j] - math.log(norm))
    return -total / ((c - 1) * b)


def sigmoids(z: Float64[np.ndarray, "b"]) -> Float64[np.ndarray, "b"]:
    return 1.0 / (1.0 + np.exp(-z))


@linear_grad(wrt=("main", "extra"))
def arrays(main: Main, extra: Extra, state: State, sequence: Sequence) -> float:
    """The loss, layer by layer."""
    c, b = sequence.shape
    h = state[0::2].copy()
    cell = state[1::2].copy()
    total = 0.0
    for t in range(c - 1):
        x = sequence[t] * extra[0]
        for i in range(len(h)):
            weight = main[2 * i]
            bias = main[2 * i + 1]
            forget = sigmoids(x * weight[:b] + bias[:b])
            take = sigmoids(h[i] * weight[b : 2 * b] + bias[b : 2 * b])
            give = sigmoids(x * weight[2 * b : 3 * b] + bias[2 * b : 3 * b])
            change = np.tanh(h[i] * weight[3 * b :] + bias[3 * b :])
            cell[i] = cell[i] * forget + take * change
            x = give * np.tanh(cell[i])
            h[i] = x
        y = x * extra[1] + extra[2]
        total += np.sum(sequence[t + 1] * (y - np.log(2.0 + np.sum(np.exp(y)))))
    return -total / ((c - 1) * b)
