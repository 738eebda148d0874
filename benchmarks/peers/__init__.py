"""The same small programs through several differentiation tools, each gradient compared with finite differences."""
