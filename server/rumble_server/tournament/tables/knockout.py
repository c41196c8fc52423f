"""Knockout of tables: the better half of a table, rounded down, goes on. The numbers of the bots are their seeds.

The next round is made when every table of the newest round is decided. Bots are dealt one by one to the tables, from
the first table to the last and back. In the order of dealing, winners of tables and bots that had a bye come first,
second places next, and so on. Bots with the same place are ordered by seed. Byes go to the bots with the fewest earlier
byes. Among bots with equally many byes, the first in the order of dealing get the byes. If a single table has room for
all bots that are left, the round is the final, which has one winner. If too few bots for a match would be left, one
more bot goes on from every table.

The tie rule: bots that are tied at the border between going on and falling out play a replay. A table has at most
`replays` replays. A replay has the number of the next cycle, so that match ids stay unique. If the tied bots are too
few for a match, the whole table plays the replay. Even then, no bot passes a bot that was ahead before the replay. If
bots are still tied after the last replay, the better seed goes on.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from itertools import pairwise

from rumble_server.tournament.schedule import BoardKey
from rumble_server.tournament.tables.plan import Seating, TablePlan, TableRound, table_round, table_sizes
from rumble_server.tournament.tables.schedule import Results, RoundTask, TablesFromResults
from rumble_server.tournament.tables.seats import seated_by, seats_had

_Keys = dict[int, tuple[int, ...]]
"""The places of each bot of a table: in the first match, then in the replays that the bot played."""


def advancing_counts(sizes: Sequence[int], byes: int, least: int) -> list[int]:
    """Return how many bots go on from each table of a round. `least` is the minimum number of bots for a match."""
    if len(sizes) == 1 and not byes:
        return [1]
    on = [size // 2 for size in sizes]
    while sum(on) + byes < least:
        on = [number + 1 for number in on]
    return on


def deal(order: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Deal the bots one by one to the tables, from the first table to the last and back. Return the bots of each table.

    `sizes` has the number of seats of each table; a full table is skipped.
    """
    tables: list[list[int]] = [[] for _ in sizes]
    bots = iter(order)
    for lap in range(max(sizes)):
        for table, size in list(zip(tables, sizes, strict=True))[:: -1 if lap % 2 else 1]:
            if lap < size:
                table.append(next(bots))
    return tables


def sizes_of_rounds(plan: TablePlan) -> list[list[int]]:
    """Return the sizes of the tables of each round, if no table is played again."""
    rounds, bots = [], plan.bots
    while True:
        sizes = sizes_of_round(plan, bots)
        rounds.append(sizes)
        byes = bots - sum(sizes)
        if len(sizes) == 1 and not byes:
            return rounds
        bots = sum(advancing_counts(sizes, byes, plan.least)) + byes


def sizes_of_round(plan: TablePlan, bots: int) -> list[int]:
    """Return the sizes of the tables of a round with this number of bots.

    If all bots fit at one table, the round is the final.
    """
    return [bots] if plan.least <= bots <= plan.seats else table_sizes(bots, plan.seats, plan.smallest)


class KnockoutOfTables(TablesFromResults):
    """A knockout: the better half of each table goes on.

    The only state is the rounds added so far; the rest is computed from results.
    """

    has_bracket = True

    def __init__(self, plan: TablePlan) -> None:
        super().__init__(plan)
        sizes = sizes_of_rounds(plan)
        self.number_of_rounds = len(sizes)
        self._tables = sum(map(len, sizes))
        self._rounds: list[list[list[Seating]]] = []
        """For each round and each table, the matches of the table: the first match, then the replays."""
        self._advancing: list[int] = []
        """For each table of the newest round, the number of bots that go on from the table."""
        self._rested: list[tuple[int, ...]] = []
        """The bots with a bye, by round."""

    def add(self, new_round: TableRound) -> None:
        """Add the next round, or replays of tables in the newest round.

        Raises ValueError for any other round or replay.
        """
        if all(seating.cycle > 1 for seating in new_round.seatings):
            for seating in new_round.seatings:
                plays = self._rounds[-1][seating.board - 1]
                if (seating.round, seating.cycle) != (len(self._rounds), len(plays) + 1):
                    raise ValueError(f"board {seating.board} of round {seating.round} is not to be played again")
                plays.append(seating)
            return
        if any((seating.round, seating.cycle) != (len(self._rounds) + 1, 1) for seating in new_round.seatings):
            raise ValueError(f"round {len(self._rounds) + 1} is next")
        self._rounds.append([[seating] for seating in new_round.seatings])
        sizes = [len(seating.bots) for seating in new_round.seatings]
        self._advancing = advancing_counts(sizes, len(new_round.byes), self.plan.least)
        self._rested.append(new_round.byes)
        self.advanced = self._advanced_bots()

    def prepare(self, results: Results, withdrawn: Collection[int] = ()) -> RoundTask | None:
        if self.is_slow:
            has_next = self._is_decided(results) and not self.is_finished(results, withdrawn)
            return partial(_next_round, self, dict(results), frozenset(withdrawn)) if has_next else None
        new_round = self.next_round(results, withdrawn)
        return None if new_round is None else lambda: new_round

    def next_round(self, results: Results, withdrawn: Collection[int] = ()) -> TableRound | None:
        """Return the tables that can be played now: the replays of tied tables, or else the next round.

        Return None after the final. Also return None if results are missing, and no table is to be replayed now. A tie
        is not played again if all its bots are in `withdrawn`.
        """
        if not self._rounds:
            return self._round(list(range(self.plan.bots)))
        decided = [self._places_of(number, results) for number in range(len(self._rounds[-1]))]
        again = [self._replay_of(number, keys, withdrawn) for number, keys in enumerate(decided) if keys is not None]
        if any(again):
            return TableRound(tuple(seating for seating in again if seating is not None))
        if self._is_final or None in decided:
            return None
        ranked = [(0, bot) for bot in self._rested[-1]]
        for keys, on in zip(decided, self._advancing, strict=True):
            ranked += list(enumerate(_in_order(keys or {})))[:on]
        return self._round([bot for _, bot in sorted(ranked)])

    def matches_total(self, results: Results, withdrawn: Collection[int] = ()) -> int:
        replays = sum(len(plays) - 1 for tables in self._rounds for plays in tables)
        return self._tables + replays

    def _advanced_bots(self) -> dict[BoardKey, int]:
        """Return, for each table, a bot that went on from the table.

        If several bots went on, the first in seat order is returned. Tables of the newest round are left out.
        """
        advanced = {}
        for number, (tables, later) in enumerate(pairwise(self._rounds), 1):
            still_in = {bot for plays in later for bot in plays[0].bots}.union(self._rested[number])
            for board, plays in enumerate(tables, 1):
                advanced[number, board] = next(bot for bot in plays[0].bots if bot in still_in)
        return advanced

    @property
    def _is_final(self) -> bool:
        return bool(self._rounds) and len(self._rounds[-1]) == 1 and not self._rested[-1]

    def _is_decided(self, results: Results) -> bool:
        """Return whether all results of the newest round are there; true before the first round."""
        newest = self._rounds[-1] if self._rounds else ()
        return all(plays[-1].match_key in results for plays in newest)

    def is_finished(self, results: Results, withdrawn: Collection[int] = ()) -> bool:
        """Return whether the final is decided."""
        return (
            self._is_final and self.next_round(results, withdrawn) is None and self._places_of(0, results) is not None
        )

    def places(self, results: Results, withdrawn: Collection[int] = ()) -> dict[int, int]:
        """Return the rank of each bot.

        Bots that fell out in the same round share a rank. All bots that have not fallen out share rank 1. Once the
        final is decided, its bots are ranked by their places.
        """
        ranks = dict.fromkeys(range(self.plan.bots), 1)
        for tables, rested in zip(self._rounds[1:], self._rested[1:], strict=True):
            going_on = {bot for plays in tables for bot in plays[0].bots}.union(rested)
            ranks |= {bot: len(going_on) + 1 for bot, rank in ranks.items() if rank == 1 and bot not in going_on}
        if self.is_finished(results, withdrawn):
            keys = self._places_of(0, results) or {}
            ranks |= {bot: max(2, 1 + sum(key < keys[bot] for key in keys.values())) for bot in _in_order(keys)[1:]}
        return ranks

    def _round(self, order: Sequence[int]) -> TableRound:
        sizes = sizes_of_round(self.plan, len(order))
        had_byes = Counter(bot for rested in self._rested for bot in rested)
        byes = sorted(order, key=had_byes.__getitem__)[: len(order) - sum(sizes)]
        had = seats_had(seating.bots for tables in self._rounds for plays in tables for seating in plays)
        tables = deal([bot for bot in order if bot not in byes], sizes)
        return table_round(len(self._rounds) + 1, [seated_by(had, bots) for bots in tables], sorted(byes))

    def _places_of(self, table: int, results: Results) -> _Keys | None:
        """Return the places of a table's bots in the newest round; None while a result is missing."""
        keys: _Keys = {}
        for seating in self._rounds[-1][table]:
            result = results.get(seating.match_key)
            if result is None:
                return None
            keys |= {bot: (*keys.get(bot, ()), place) for bot, place in zip(seating.bots, result.places, strict=True)}
        return keys

    def _replay_of(self, table: int, keys: _Keys, withdrawn: Collection[int]) -> Seating | None:
        """Return the replay of a decided table. Return None if there is no tie at the border between going on and
        falling out, if no replay is left, or if all tied bots have withdrawn.
        """
        plays, tied = self._rounds[-1][table], _tied(keys, self._advancing[table])
        if len(plays) > self.plan.replays or all(bot in withdrawn for bot in tied):
            return None
        bots = tied if len(tied) >= self.plan.least else plays[0].bots
        had = seats_had(seating.bots for seating in plays)
        return Seating(len(plays) + 1, plays[0].round, plays[0].board, seated_by(had, bots))


def _next_round(knockout: KnockoutOfTables, results: Results, withdrawn: frozenset[int]) -> TableRound:
    """Make the next round. If the last round has tied tables, the new round only repeats these tables."""
    new_round = knockout.next_round(results, withdrawn)
    if new_round is None:
        raise ValueError("the knockout has no next round")
    return new_round


def _in_order(keys: _Keys) -> list[int]:
    """Return the bots of a table, the best first; of tied bots, the better seed comes first."""
    return sorted(keys, key=lambda bot: (keys[bot], bot))


def _tied(keys: _Keys, on: int) -> list[int]:
    """Return the bots that are tied at the border between the first `on` bots, which go on, and the others. Return an
    empty list without a tie.
    """
    in_order = sorted(keys.values())
    return [bot for bot, key in keys.items() if key == in_order[on]] if in_order[on - 1] == in_order[on] else []
