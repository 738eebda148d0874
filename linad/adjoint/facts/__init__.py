"""Analyses of a program before differentiation: activity, dependence, overwritten cells."""
