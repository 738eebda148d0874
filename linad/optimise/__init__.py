"""Optimisation: programs of the core become faster programs of the core with the same meaning."""
