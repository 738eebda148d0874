"""The sweeps that a derivative program consists of, forward and reverse, and forward mode."""
