"""Functions of public packages, chosen by a rule and differentiated as they are: `python -m benchmarks.real`."""
