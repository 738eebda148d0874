"""Facts about a program before it is differentiated: activity, dependence, overwritten cells."""
