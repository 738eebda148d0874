"""Checkpointed loops: where snapshots of the state are taken, and the reverse sweep that re-runs steps from them."""
