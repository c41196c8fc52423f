"""Errors of the store.

StoreError        the database cannot be used; its text is one line for the host
"""


class StoreError(RuntimeError):
    """The database cannot be opened or read."""
