"""Fourteen programs of science and finance: what their gradients cost, against C by hand, JAX and PyTorch."""
