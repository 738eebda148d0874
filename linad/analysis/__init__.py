"""Analyses of core programs, shared by the passes, the storage plan and code generation."""
