"""What was seen from outside the server during one simulation, in order: all that the checker knows beside the log."""

from typing import NamedTuple


class Entry(NamedTuple):
    """Something that was seen. `written` is how many facts were on disk at that moment.

    | kind | wire | text |
    |---|---|---|
    | start | run number | JSON: its grace in ms |
    | kill, stop | run number | |
    | clean | run number | everything that was appended is on disk, and said so |
    | stall | run number | until when the server did nothing |
    | suspended | run number | until when its lease was over; it stands where it was valid again |
    | open | connection | JSON: who opened it, in which run or to which node, and the network's round trip in ms |
    | arrived | connection | a frame of the bot, as the server took it |
    | told | connection | a frame of the server, as it was written to the connection |
    | closing | connection | the close code that the server sent |
    | lost | connection | the server saw its end |
    | said | run number | the id of the turn, if it is one: its leader said a frame, to a bot of its node or another |
    | taken, left | connection | the run whose leader took its login ("again": one did before), or took it for gone |
    | reached | connection | match and turn that a move came to the leader about |
    | asked, heard | connection | match and turn: its node told how long its bot thought, and the leader heard it |
    | level | node | the run with which it has nothing more to exchange, and all is on disk |
    | froze | node | until when it did nothing |
    | died | node | |
    | ordered | 0 | JSON: a host's command that was confirmed, and to which tournament |
    """

    at_ms: int
    kind: str
    wire: int
    text: str
    written: int


class Trace(list[Entry]):
    """The entries of one simulation."""
