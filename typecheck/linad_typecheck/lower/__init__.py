"""The function that Python calls, lowered to the core."""
