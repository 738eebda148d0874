"""Checkpointed loops: schedules, snapshots of the state, and the reverse sweep that re-runs steps from snapshots."""
