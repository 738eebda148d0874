"""Suggestions: replacements for unsupported constructs and functions, and names that were probably meant."""
