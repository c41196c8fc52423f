"""The pairing of a bracket. Of the candidates that are best by the criteria, the first in the sequence is chosen.

Article 2 of C.04.3 has the criteria, and articles 3 and 4 have the sequence of candidates.

A weighted matching pairs the players in the bracket and the players after the bracket. The criteria determine the
weights. The sequence is expressed as preferences. The preferences are then added one by one in the lowest bits of the
weights, which the criteria leave free. After each addition, the matching is computed again. The new matching meets the
preference if the criteria can then be met as well as before, and otherwise not.
"""

from collections.abc import Sequence

from rumble_server.tournament.pairs.dutch.criteria import (
    BEYOND,
    CURRENT,
    NEXT,
    QUALITY,
    Bracket,
    Criterion,
    combined,
    conflict,
    may_meet,
)
from rumble_server.tournament.pairs.dutch.matching import Graph
from rumble_server.tournament.pairs.dutch.player import DutchPlayer


class BracketPairing:
    """A bracket being paired. The vertices of the matching are players.

    The moved-down players come first, then the residents, and then the players after the bracket.
    """

    def __init__(self, bracket: Bracket, criteria: Sequence[Criterion] = QUALITY) -> None:
        self.bracket = bracket
        self.criteria = tuple(criteria)
        self._first_resident = len(bracket.moved_down)
        self._first_lower = self._first_resident + len(bracket.residents)
        self._own_bits = (self._first_lower + 1).bit_length()
        self.order_bits = 3 * self._own_bits + 1
        bits = sum(criterion.bits(bracket) for criterion in self.criteria) + self.order_bits
        self.graph = Graph(len(bracket.players), bits)
        self._set_weights()
        self.graph.solve()

    def _set_weights(self) -> None:
        """Give a weight to each pair that may meet. A weight is computed once for all pairs that have the same values
        for the criteria.
        """
        bracket, graph = self.bracket, self.graph
        players = bracket.players
        first_beyond = self._first_lower + len(bracket.lower)
        worths: dict[tuple[object, object, int], int] = {}
        kinds = [_kind(player, bracket) for player in players]
        for low in range(self._first_resident, len(players)):
            where = CURRENT if low < self._first_lower else NEXT if low < first_beyond else BEYOND
            kind = kinds[low]
            met = players[low].opponents
            for high in range(low):
                if players[high].index in met:
                    continue
                key = kinds[high], kind, where
                worth = worths.get(key)
                if worth is None:
                    worth = 0
                    if may_meet(players[high], players[low]):
                        worth = combined(self.criteria, bracket, players[high], players[low], where)
                    worths[key] = worth = worth << self.order_bits
                if worth:
                    graph.set(high, low, worth)

    def pair(self) -> None:
        """Choose the pairs of the bracket. Afterwards `pairs` has the chosen pairs."""
        self._pair_moved_down(self._choose_moved_down())
        self._pair_residents()

    @property
    def pairs(self) -> list[tuple[DutchPlayer, DutchPlayer]]:
        players, matching = self.bracket.players, self.graph.matching
        return [
            (players[high], players[matching[high]])
            for high in range(self._first_lower)
            if high < matching[high] < self._first_lower
        ]

    @property
    def unpaired(self) -> list[DutchPlayer]:
        """The players in the bracket and after it who have no partner in the matching."""
        players = self.bracket.players
        return [players[vertex] for vertex, partner in enumerate(self.graph.matching) if vertex == partner]

    # --- moved-down players (3.3 and 4.4): the choice of players to pair, and of their partners ---

    def _choose_moved_down(self) -> list[int]:
        """Return the moved-down players to pair. The criteria determine how many players of each score are paired.

        Higher ranked players are preferred.
        """
        chosen: list[int] = []
        players, graph = self.bracket.players, self.graph
        by_score: dict[int, list[int]] = {}
        for vertex in range(self._first_resident):
            by_score.setdefault(players[vertex].score, []).append(vertex)
        lock = self._first_lower + 1  # more than all single bonuses together, so that a chosen player stays chosen
        for group in by_score.values():
            to_pair = sum(self._is_resident(graph.matching[vertex]) for vertex in group)
            for index, vertex in enumerate(group):
                if to_pair == 0:
                    break
                if to_pair == len(group) - index:
                    chosen.extend(group[index:])
                    break
                if not self._is_resident(graph.matching[vertex]):
                    self._add(vertex, 1)
                    graph.solve()
                if self._is_resident(graph.matching[vertex]):
                    to_pair -= 1
                    chosen.append(vertex)
                    self._add(vertex, lock)
        return chosen

    def _add(self, moved_down: int, value: int) -> None:
        for resident in range(self._first_resident, self._first_lower):
            self.graph.add(moved_down, resident, value)

    def _pair_moved_down(self, chosen: list[int]) -> None:
        taken: set[int] = set()
        for vertex in chosen:
            residents = [each for each in range(self._first_resident, self._first_lower) if each not in taken]
            taken.add(self._pair_with_first(vertex, residents))

    def _pair_with_first(self, vertex: int, partners: list[int]) -> int:
        """Pair the player `vertex` with a player of `partners`, and return this partner.

        The partner is the first player of `partners` for whom the matching stays optimal.
        """
        graph = self.graph
        partners = [each for each in partners if graph.weight(vertex, each)]
        if graph.matching[vertex] != partners[0] and not graph.exchange(vertex, partners[0]):
            for value, each in enumerate(reversed(partners)):
                graph.add(vertex, each, value)
            graph.solve()
        partner = graph.matching[vertex]
        graph.fix(vertex, partner)
        return partner

    # --- residents among themselves (3.2, 4.2 and 4.3) ---

    def _pair_residents(self) -> None:
        graph = self.graph
        first = self._first_resident  # residents whose partner comes before the first resident are paired already
        rest = [each for each in range(first, self._first_lower) if graph.matching[each] >= first]
        half = sum(self._is_resident(graph.matching[each]) for each in rest) // 2
        upper, lower = rest[:half], rest[half:]
        base = {(one, two): graph.weight(one, two) for index, one in enumerate(rest) for two in rest[index + 1 :]}
        for index, one in enumerate(rest):
            # The large term rewards pairs in which the higher ranked player comes from the upper half: the fewest
            # exchanges (4.3.1). The small term rewards high ranks: the least difference between the sums of exchanged
            # players (4.3.2). The lowest bit stays free for `_exchange_down` and `_exchange_up`.
            value = (((index < half) << (2 * self._own_bits)) - index) << 1
            for two in rest[index + 1 :]:
                graph.add(one, two, value)
        graph.solve()
        exchanges = sum(not self._is_upper(each) for each in upper)
        self._exchange_down(upper, rest, base, exchanges)
        self._exchange_up(lower, rest, base, exchanges)
        roles = {each: self._is_upper(each) for each in rest}
        for (one, two), weight in base.items():
            graph.set(one, two, weight if roles[one] and not roles[two] else 0)
        free = [each for each in rest if not roles[each]]
        for each in rest:
            if roles[each]:
                free.remove(self._pair_with_first(each, free))

    def _exchange_down(
        self, upper: list[int], rest: list[int], base: dict[tuple[int, int], int], exchanges: int
    ) -> None:
        """Choose the players who leave the upper half, the lowest ranked first (4.3.3)."""
        graph = self.graph
        for index in range(len(upper) - 1, -1, -1):
            if exchanges == 0:
                return
            one, below = upper[index], rest[index + 1 :]
            tried = self._is_upper(one)
            if tried:
                for two in below:
                    graph.add(one, two, -1)
                graph.solve()
            if not self._is_upper(one):
                exchanges -= 1
                for two in below:
                    base[one, two] = 0
                    graph.set(one, two, 0)
            elif tried:
                for two in below:
                    graph.add(one, two, 1)

    def _exchange_up(self, lower: list[int], rest: list[int], base: dict[tuple[int, int], int], exchanges: int) -> None:
        """Choose the players who enter the upper half, the highest ranked first (4.3.4).

        The last of these players needs no choice: by 4.3.2 the sum of the exchanged ranks is minimal, so the earlier
        choices leave only one player.
        """
        graph = self.graph
        first = len(rest) - len(lower)
        for index, one in enumerate(lower, first):
            if exchanges <= 1:
                return
            below = rest[index + 1 :]
            tried = not self._is_upper(one)
            if tried:
                for two in below:
                    graph.add(one, two, 1)
                graph.solve()
            if self._is_upper(one):
                exchanges -= 1
                for two in rest[:index]:
                    base[two, one] = 0
                    graph.set(two, one, 0)
                for two in range(self._first_lower, len(self.bracket.players)):
                    graph.set(one, two, 0)
            if tried:
                for two in below:
                    graph.add(one, two, -1)

    # --- partners in the matching ---

    def _is_resident(self, vertex: int) -> bool:
        return self._first_resident <= vertex < self._first_lower

    def _is_upper(self, resident: int) -> bool:
        """Return whether the resident is paired with a lower ranked resident of the bracket."""
        return resident < self.graph.matching[resident] < self._first_lower


def first_candidate(bracket: Bracket) -> list[tuple[DutchPlayer, DutchPlayer]] | None:
    """Return the first candidate in the sequence (3.2) if it is perfect by all criteria, else None.

    With a perfect first candidate, the slow matching is not needed.
    """
    residents = bracket.residents
    half = len(residents) // 2
    pairs = list(zip(residents[:half], residents[half : 2 * half], strict=True))
    odd = len(residents) % 2
    alike = len({_kind(player, bracket) for player in residents}) == 1 and not bracket.lower
    if bracket.moved_down or (odd and not alike):
        return None
    return pairs if all(may_meet(*pair) and not conflict(*pair) for pair in pairs) else None


def _kind(player: DutchPlayer, bracket: Bracket) -> object:
    """Return the values of a player on which the criteria depend. The player's earlier opponents are left out."""
    return (
        player.score,
        player.preference,
        player.strength,
        player.difference,
        player.repeated,
        player.floats,
        player.is_topscorer,
        player.may_have_bye,
        len(player.colours),
    )
