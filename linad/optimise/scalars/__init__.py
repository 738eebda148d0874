"""Passes over values: what is computed, whether it is needed, and in what form."""
