"""Passes over arrays: allocation, aliasing of buffers, memory layout and known contents."""
