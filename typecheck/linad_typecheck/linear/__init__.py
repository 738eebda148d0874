"""The linear form: established, checked and erased."""
