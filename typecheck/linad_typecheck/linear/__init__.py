"""The linear form: how it is established, checked and erased."""
