"""The ADBench problems: linad in every style against the strict C primal, C by hand, JAX and PyTorch, in one run."""
