"""The storage plan: how each primal value that the reverse sweep needs is obtained there."""
