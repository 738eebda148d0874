"""The four problems of the ADBench suite of gradient benchmarks, each in loops and in NumPy style."""
