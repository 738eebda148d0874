"""What is known about a program before it is differentiated: activity, dependence, cells that are overwritten."""
