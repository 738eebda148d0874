"""Reverse-mode differentiation of linear core programs, and the storage plan for their primal values."""
