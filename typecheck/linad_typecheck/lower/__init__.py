"""Lowering of entry functions."""
