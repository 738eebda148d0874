"""What surrounds the check of one function: broken texts, suppressions, fixes, settings, many files."""
