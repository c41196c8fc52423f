"""The matches of an event in a TRF file, for ratings."""

from rumble_engine import Termination

from rumble_server.results.file_contents import ResultsFile
from rumble_server.results.result import Result, blame
from rumble_server.results.trf import codes
from rumble_server.results.trf.event import HALVES, TrfEvent
from rumble_server.results.trf.rounds import counts_of, names_of


def results_of(event: TrfEvent) -> ResultsFile:
    """Return the matches of an event, round by round. A forfeit becomes a match lost by `no_show`."""
    names = names_of(event)
    entries = {player.number: player.entries for player in event.players}
    results = []
    for number in range(event.played):
        for player in event.players:
            own = player.entries[number]
            if own.seat != codes.WHITE:
                continue
            other = entries[own.opponent][number]
            scores = HALVES.get(own.code, 0) / 2, HALVES.get(other.code, 0) / 2
            kind = Termination.NORMAL if own.code in codes.PLAYED else Termination.NO_SHOW
            seats = names[player.number], names[own.opponent]
            results.append(Result(seats, scores, kind, blame(scores, kind), f"round {number + 1}"))
    byes = {name: count.byes for name, count in counts_of(event).items() if count.byes}
    return ResultsFile(tuple(results), tuple(names.values()), byes, event=event)
