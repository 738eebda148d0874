"""Checking of files: broken text, suppressions, fixes, settings, many files."""
