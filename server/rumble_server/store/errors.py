"""Errors of the store.

StoreError         the database cannot be used; its text is one line for the host
    DamagedLog     a part of it can never be read
    Pruned         a part of it was deleted by the host, to save space
"""


class StoreError(RuntimeError):
    """The database cannot be opened, read or written."""


class DamagedLog(StoreError):
    """What the log holds is damaged: trying again is of no use."""


class Pruned(StoreError):
    """The plies of a match were deleted by the host; its result is kept."""
