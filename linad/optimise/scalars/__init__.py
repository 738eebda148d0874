"""Passes over scalar values: folding, elimination of dead code and checks, and conversion between branches and selects.
"""
