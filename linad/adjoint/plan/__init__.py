"""The storage plan: how the reverse sweep obtains each primal value that it needs."""
