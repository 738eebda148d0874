"""Passes over arrays: which are made, where they lie, and what their cells hold."""
