"""Dimension arithmetic."""
