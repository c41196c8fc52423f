"""Events of one simulation as seen from outside the server: the checker knows only these and the log."""

from typing import NamedTuple


class Entry(NamedTuple):
    """Event of the trace. `written` is the number of the newest fact on disk at that moment.

    | kind | wire | text |
    |---|---|---|
    | start | run number | JSON: its grace in ms |
    | kill | run number | |
    | stop | run number | "whole": all facts are on disk |
    | clean | run number | all facts are on disk, and told |
    | stall | run number | end of the stall |
    | suspended | run number | end of the suspension; the entry's time is its beginning |
    | grace | run number | time before which no away time runs, after a suspension that closed the bots |
    | open | connection | JSON: who opened it, in which run, and the network's round trip in ms |
    | first | connection | before its first frame arrives; "clean": all facts are on disk, and told |
    | arrived | connection | a frame of the bot, as the server took it |
    | told | connection | a frame of the server, as written to the connection |
    | closing | connection | the close code that the server sent |
    | lost | connection | the server saw its end |
    | public | run number | a text that anybody, or the host, can read about a running match that hides something |
    | owned | run number | a bot of such a match, a space, and its transcript |
    | ordered | 0 | JSON: a host's confirmed command and its tournament |
    """

    at_ms: int
    kind: str
    wire: int
    text: str
    written: int


class Trace(list[Entry]):
    """The entries of one simulation."""
