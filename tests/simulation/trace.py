"""What was seen from outside the server during one simulation, in order: all that the checker knows beside the log."""

from typing import NamedTuple


class Entry(NamedTuple):
    """Something that was seen. `written` is how many facts were on disk at that moment.

    | kind | wire | text |
    |---|---|---|
    | start | run number | JSON: its grace in ms |
    | kill | run number | |
    | stop | run number | "whole": everything that was said is on disk |
    | clean | run number | everything that was appended is on disk, and said so |
    | stall | run number | until when the server did nothing |
    | suspended | run number | until when its lease was over; it stands where it was valid again |
    | grace | run number | until when no away time runs, where its bots were closed and it goes on |
    | open | connection | JSON: who opened it, in which run, and the network's round trip in ms |
    | arrived | connection | a frame of the bot, as the server took it |
    | told | connection | a frame of the server, as it was written to the connection |
    | closing | connection | the close code that the server sent |
    | lost | connection | the server saw its end |
    | ordered | 0 | JSON: a host's command that was confirmed, and to which tournament |
    """

    at_ms: int
    kind: str
    wire: int
    text: str
    written: int


class Trace(list[Entry]):
    """The entries of one simulation."""
