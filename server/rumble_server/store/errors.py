"""Errors of the store.

StoreError         the database cannot be used; its text is one line for the host
    DamagedLog     a part of it can never be read
"""


class StoreError(RuntimeError):
    """The database cannot be opened, read or written."""


class DamagedLog(StoreError):
    """What the log holds is damaged: trying again is of no use."""
