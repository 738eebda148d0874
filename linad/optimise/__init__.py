"""Optimisation: transformations from core programs to faster, equivalent core programs."""
