"""A player as pairing sees it: score, colours and floats by articles 1.2 to 1.8 of C.04.3."""

from dataclasses import dataclass

from rumble_server.results.trf.codes import BLACK, PAIRING_BYE, WHITE
from rumble_server.tournament.pairs.dutch.event import DutchEntry, DutchEvent

NONE, MILD, STRONG, ABSOLUTE = range(4)
"""Strengths of a colour preference (1.7)."""
DOWN, UP, LEVEL = "down", "up", ""
"""Floats (1.4)."""


@dataclass(slots=True, eq=False)
class DutchPlayer:
    """A player to be paired."""

    index: int
    """The player's index in `DutchEvent.entries`."""
    number: int
    """The pairing number, from 1. Only players who took part in a pairing, or take part now, are counted."""
    points: int
    score: int
    """The points, including virtual points."""
    opponents: frozenset[int]
    """The indexes of players whom the player has played, or must not meet."""
    colours: tuple[str, ...]
    """The colours in the games played, in order."""
    difference: int
    """Number of games with white, minus number of games with black."""
    repeated: str
    """The player's colour in the last two games, if both games had the same colour; else empty."""
    preference: str
    strength: int
    floats: tuple[str, str]
    """The player's floats in the last two rounds, the last round first."""
    may_have_bye: bool
    is_topscorer: bool

    @property
    def order(self) -> tuple[int, int]:
        """The sort key by which the higher ranked player comes first (1.2)."""
        return -self.score, self.number


def players_of(event: DutchEvent) -> list[DutchPlayer]:
    """Return the players to be paired, the highest ranked first."""
    counted = [
        index
        for index, own in enumerate(event.entries)
        if index not in event.absent or any(entry.is_in_pairing for entry in own)
    ]
    numbers = {index: number for number, index in enumerate(counted, 1)}
    rounds = event.played_rounds
    players = [_player(event, index, numbers[index], rounds) for index in counted if index not in event.absent]
    return sorted(players, key=lambda player: player.order)


def _player(event: DutchEvent, index: int, number: int, rounds: int) -> DutchPlayer:
    own = event.entries[index]
    played = [entry for entry in own if entry.was_played]
    colours = tuple(entry.seat for entry in played)
    difference = colours.count(WHITE) - colours.count(BLACK)
    repeated = colours[-1] if len(colours) > 1 and colours[-1] == colours[-2] else ""
    preference, strength = _preference(colours, difference, repeated)
    score = event.score(index, rounds)
    return DutchPlayer(
        index=index,
        number=number,
        points=event.points(index, rounds),
        score=score,
        opponents=frozenset((*(entry.opponent - 1 for entry in played), *_not_to_meet(event, index))),
        colours=colours,
        difference=difference,
        repeated=repeated,
        preference=preference,
        strength=strength,
        floats=(_float(event, index, rounds), _float(event, index, rounds - 1)),
        may_have_bye=not any(_rules_out_bye(event, index, before, entry) for before, entry in enumerate(own)),
        is_topscorer=rounds >= event.rounds - 1 and 2 * score > rounds * max(event.win, event.draw),
    )


def _not_to_meet(event: DutchEvent, index: int) -> set[int]:
    return {one + two - index for one, two in event.forbidden if index in (one, two)}


def other(colour: str) -> str:
    """Return the opposite colour; empty for no colour."""
    return {WHITE: BLACK, BLACK: WHITE}.get(colour, "")


def _preference(colours: tuple[str, ...], difference: int, repeated: str) -> tuple[str, int]:
    """Return a player's colour preference, and its strength (1.7)."""
    lesser = BLACK if difference > 0 else WHITE
    if abs(difference) > 1:
        return lesser, ABSOLUTE
    if repeated:
        return other(repeated), ABSOLUTE
    if difference:
        return lesser, STRONG
    return (other(colours[-1]), MILD) if colours else ("", NONE)


def _float(event: DutchEvent, index: int, rounds: int) -> str:
    """Return a player's float in the round `rounds`, counted from 1 (1.4).

    A player who does not play in the round, but gets more points than for a loss, floats down.
    """
    if rounds < 1:
        return LEVEL
    entry = event.entries[index][rounds - 1]
    if not entry.was_played:
        return DOWN if _gain(event, index, rounds - 1, entry) > event.loss else LEVEL
    mine = event.score(index, rounds - 1)
    theirs = event.score(entry.opponent - 1, rounds - 1)
    return DOWN if mine > theirs else UP if mine < theirs else LEVEL


def _rules_out_bye(event: DutchEvent, index: int, before: int, entry: DutchEntry) -> bool:
    """Return true if the round of `entry` forbids the player a later pairing-allocated bye (2.1.2).

    This is so if the player had such a bye in the round, or got at least the points of a win without playing.
    """
    return entry.result == PAIRING_BYE or (not entry.was_played and _gain(event, index, before, entry) >= event.win)


def _gain(event: DutchEvent, index: int, before: int, entry: DutchEntry) -> int:
    """Return the points that a player scored in the round of `entry`. `before` is the number of earlier rounds."""
    return entry.points - event.points(index, before)
