"""Ownership, modes and the linear form."""
