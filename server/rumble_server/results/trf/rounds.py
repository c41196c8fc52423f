"""The rounds, counts and standings of an event in a TRF file. Points are in tenths."""

from collections import Counter
from collections.abc import Sequence

from rumble_engine import Termination
from rumble_protocol.feed_messages import Standing

from rumble_server.results.editions import Edition
from rumble_server.results.round_sums import RoundSums
from rumble_server.results.rounds import RoundEntry, Rounds
from rumble_server.results.tally import Count, Scheme
from rumble_server.results.tiebreaks import rank_sums
from rumble_server.results.trf import codes
from rumble_server.results.trf.event import TrfEvent

TENTHS = 10
GIVEN_UP = codes.REQUESTED - {codes.FULL_BYE} | {codes.FORFEIT_LOSS}
"""Codes for a round that a player missed by choice or fault.

The code of a full-point bye is not included, because the organiser gives such a bye.
"""


def names_of(event: TrfEvent) -> dict[int, str]:
    """Return the players' names by starting number. If players share a name, the starting number is added."""
    count, names = Counter(player.name for player in event.players), {each.number: each.name for each in event.players}
    for number, name in sorted(names.items(), key=lambda each: len(each[1])):  # a name with a number is longer
        if count[name] > 1:
            names[number] = f"{name} ({number})"
            count[names[number]] += 1
    return names


def rounds_of(event: TrfEvent) -> Rounds:
    """Return the rounds of an event. In these rounds, the players' names replace the starting numbers."""
    worth, names = event.worth, names_of(event)
    scheme = Scheme(
        worth[codes.WIN, codes.WHITE], worth[codes.DRAW, codes.WHITE], worth[codes.LOSS, codes.WHITE], TENTHS
    )
    ratings = {names[player.number]: player.rating for player in event.players}
    rounds = Rounds(scheme, rating=ratings.get)
    for player in event.players:
        row = []
        for entry in player.entries:
            second = entry.seat == codes.BLACK
            played = entry.code in codes.PLAYED
            won = entry.code in codes.WON
            row.append(
                RoundEntry(
                    names[entry.opponent] if entry.opponent else None,
                    event.worth_of(entry),
                    1 if entry.opponent else 0,
                    int(played),
                    int(played and second),
                    int(won),
                    int(won and second),
                    int(entry.code in GIVEN_UP),
                    int(entry.code in codes.DRAWN),
                )
            )
        rounds.rows[names[player.number]] = row
    return rounds


def counts_of(event: TrfEvent) -> dict[str, Count]:
    """Return each player's numbers of games won, drawn and lost, and of byes, by name."""
    names, counts = names_of(event), {}
    for player in event.players:
        number = Counter(entry.code for entry in player.entries)
        won, lost = sum(number[code] for code in codes.WON), number[codes.LOSS] + number[codes.UNRATED_LOSS]
        counts[names[player.number]] = Count(
            wins=won + number[codes.FORFEIT_WIN],
            draws=number[codes.DRAW] + number[codes.UNRATED_DRAW],
            losses=lost + number[codes.FORFEIT_LOSS],
            faults={Termination.NO_SHOW: missed} if (missed := number[codes.FORFEIT_LOSS]) else {},
            unplayed=number[codes.FORFEIT_WIN] + number[codes.FORFEIT_LOSS],
            byes=number[codes.PAIRING_BYE] + number[codes.FULL_BYE],
            half_byes=number[codes.HALF_BYE],
        )
    return counts


def rank_event(event: TrfEvent, tiebreaks: Sequence[str], edition: Edition) -> list[Standing]:
    """Return the standings of an event. Raises ValueError if a tie-break cannot be computed."""
    sums = RoundSums(rounds_of(event), edition, round_robin=event.is_round_robin)
    return rank_sums(sums, counts_of(event), tiebreaks)
