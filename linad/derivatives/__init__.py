"""The partial derivatives of each primitive."""
