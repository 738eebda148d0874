"""The forward and reverse sweeps of derivative programs, and forward mode."""
