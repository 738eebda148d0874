"""Twenty programs, each in five styles: how much longer than the fastest style of a program does each one take?"""
