"""The boundary between Python and kernels: live functions, argument and result conversion, errors at the user's line.
"""
