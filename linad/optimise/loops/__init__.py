"""Passes over loops: fusion, distribution, splitting, unrolling, and values carried between iterations."""
