"""Reverse differentiation of linear core programs and the storage plan of their primal values."""
