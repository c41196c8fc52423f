"""The event of a TRF file, as input for the pairing of any of its rounds. The command `rumble pair` uses it."""

from collections.abc import Sequence
from itertools import accumulate

from rumble_server.results.trf import codes
from rumble_server.results.trf.event import TrfEvent, TrfPlayer
from rumble_server.tournament.pairs.dutch.event import DutchEntry, DutchEvent
from rumble_server.tournament.pairs.dutch.pairing import PairedRound


class TrfRounds:
    """The rounds of a TRF event; players are counted from 0 in the order of their pairing numbers."""

    def __init__(self, trf: TrfEvent, rounds: int) -> None:
        """Read the rounds of `trf`; `rounds` is the number of rounds that the event will have in the end."""
        self.trf = trf
        self.rounds = rounds
        self.players: Sequence[TrfPlayer] = trf.players
        if not trf.is_by_rank:
            self.players = sorted(trf.players, key=lambda player: player.number)
        self._index = {player.number: index for index, player in enumerate(self.players)}
        self._entries = tuple(tuple(self._entries_of(player)) for player in self.players)
        self._first_seat = trf.first_seat or _first_seat(self._entries)

    def before(self, number: int) -> DutchEvent:
        """Return the event from which the round `number`, counted from 1, is paired.

        `number` is at most the number of the first round that is not played yet.
        """
        if number <= self.trf.played:
            absent = {index for index, own in enumerate(self._entries) if not own[number - 1].is_in_pairing}
        else:
            byes = self.trf.byes.get(number, {})
            absent = {index for index, player in enumerate(self.players) if player.number in byes}
        worth = self.trf.worth
        return DutchEvent(
            rounds=self.rounds,
            entries=tuple(own[: number - 1] for own in self._entries),
            absent=frozenset(absent),
            win=worth[codes.WIN, codes.WHITE],
            draw=worth[codes.DRAW, codes.WHITE],
            loss=worth[codes.LOSS, codes.WHITE],
            virtual=tuple(tuple(self.trf.accelerations.get(player.number, ())) for player in self.players),
            forbidden=frozenset(self._forbidden(number)),
            first_seat=self._first_seat,
        )

    def paired(self, number: int) -> PairedRound:
        """Return the file's own pairing of a round, with boards in the order of the players."""
        boards, bye = [], None
        for index, own in enumerate(self._entries):
            entry = own[number - 1]
            if entry.opponent and entry.seat == codes.WHITE:
                boards.append((index, entry.opponent - 1))
            elif entry.result == codes.PAIRING_BYE:
                bye = index
        return PairedRound(tuple(boards), bye)

    def _entries_of(self, player: TrfPlayer) -> list[DutchEntry]:
        points = accumulate(map(self.trf.worth_of, player.entries))
        return [
            DutchEntry(self._index[entry.opponent] + 1 if entry.opponent else 0, entry.seat, entry.code, total)
            for entry, total in zip(player.entries, points, strict=True)
        ]

    def _forbidden(self, number: int) -> set[tuple[int, int]]:
        pairs = set()
        for rule in self.trf.forbidden:
            if rule.first_round <= number and (rule.last_round is None or number <= rule.last_round):
                among = sorted(self._index[player] for player in rule.numbers)
                pairs |= {(one, two) for index, one in enumerate(among) for two in among[index + 1 :]}
        return pairs


def _first_seat(entries: Sequence[Sequence[DutchEntry]]) -> str:
    """Return the initial colour, as determined by the first round with colours.

    In that round, no player has a preference yet. So the pairing number of a pair's higher ranked player decides
    (article 5.2.5). If the number is odd, the player has the initial colour; if it is even, the other colour.
    Of all players with a colour in the round, the player with the lowest number is the higher ranked player of a pair.
    """
    for number in range(len(entries[0]) if entries else 0):
        counted = [own for own in entries if any(entry.is_in_pairing for entry in own[: number + 1])]
        for index, own in enumerate(counted):
            seat = own[number].seat
            if seat != codes.NO_SEAT:
                return seat if index % 2 == 0 else codes.BLACK if seat == codes.WHITE else codes.WHITE
    return codes.WHITE
