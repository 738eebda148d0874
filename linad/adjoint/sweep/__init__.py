"""The forward and reverse sweeps of a derivative program, and forward mode."""
