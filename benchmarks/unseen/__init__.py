"""Programs that no pass was written for, at two sizes each: what their gradients cost, and their values beside plain Numba."""
