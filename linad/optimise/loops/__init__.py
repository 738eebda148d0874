"""Passes over loops: their order, their division, and what passes from one iteration to the next."""
