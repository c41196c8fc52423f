"""Errors of the store.

StoreError         the database cannot be used; the text is one line for the host
    DamagedLog     a part of the log can never be read
    Pruned         a part of the log was deleted by the host, to save space
"""


class StoreError(RuntimeError):
    """The error that the database cannot be opened, read or written."""


class DamagedLog(StoreError):
    """The error that rows of the log are damaged. To try again is of no use."""


class Pruned(StoreError):
    """The error that the plies of a match were deleted to save space. The result of the match is kept."""
