"""Errors of the store.

StoreError         the database cannot be used; the text is one line for the host
    DamagedLog     a part of the log can never be read
    Pruned         a part of the log was deleted by the host, to save space
"""


class StoreError(RuntimeError):
    """The database cannot be opened, read or written."""


class DamagedLog(StoreError):
    """The log's content is damaged, so trying again is of no use."""


class Pruned(StoreError):
    """The plies of a match were deleted by the host; its result is kept."""
