"""Measurements: `python -m benchmarks` for linad's own costs, `python -m benchmarks.peers` for other tools."""
