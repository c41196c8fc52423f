"""The choice of seats at tables. Pure.

If all tables are known at the start, seats are fair over the whole schedule. If later tables depend on results, seats
are chosen table by table.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

_Vertex = tuple[int, int]
"""Vertex of a graph. For a group of a bot's tables: the bot, and the group's number. For a table: -1, and the table's
number."""
SeatCounts = Mapping[tuple[int, int], int]
"""Number of times that a bot had a seat, by bot and seat; a missing pair has 0."""


def balanced_seats(tables: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return the tables of a whole schedule with their bots in seat order.

    If all tables have the same size, a bot has all seats about equally often: for any two seats, the numbers differ by
    one at most. If some tables have one bot less, the same is true for all seats but the last. A bot has the last seat
    at 1/k of its full tables, rounded up or down, where k is the size of a full table.

    The seats are found by colouring the edges of a graph of bots and tables. An edge joins a bot to a table, and the
    colour of the edge is the bot's seat. The edges of a bipartite graph can be coloured with k colours if no vertex has
    more than k edges (König). Therefore the tables of a bot are split into groups of at most k tables, and each group
    has a vertex.
    """
    seated: list[tuple[int, ...]] = [() for _ in tables]
    rest = [list(bots) for bots in tables]
    while any(rest):
        size = max(map(len, rest))
        full = [number for number, bots in enumerate(rest) if len(bots) == size]
        first = 0 if len(full) == len(rest) else size - 1
        for number, in_order in zip(full, _coloured([rest[number] for number in full], size), strict=True):
            seated[number] = (*in_order[first:], *seated[number])
            rest[number] = in_order[:first]
    return seated


def _coloured(tables: Sequence[Sequence[int]], colours: int) -> list[list[int]]:
    """Return the bots of each table in the order of the colours of their edges (see `balanced_seats`).

    All tables have `colours` bots.
    """
    edges: dict[tuple[_Vertex, int], tuple[_Vertex, _Vertex]] = {}
    """For a vertex and a colour, the edge of this colour at the vertex. A pair without such an edge has no entry."""
    played: Counter[int] = Counter()
    for number, bots in enumerate(tables):
        for bot in bots:
            ends = ((bot, played[bot] // colours), (-1, number))
            played[bot] += 1
            free, other = (next(each for each in range(colours) if (end, each) not in edges) for end in ends)
            path, end, colour = [], ends[1], free
            while (end, colour) in edges:  # swap the two colours along the path, so that `free` is free at both ends
                path.append((edge := edges[end, colour], colour))
                end, colour = edge[1] if edge[0] == end else edge[0], free + other - colour
            for edge, colour in path:
                for end in edge:
                    del edges[end, colour]
            for edge, colour in [*((edge, free + other - colour) for edge, colour in path), (ends, free)]:
                for end in edge:
                    edges[end, colour] = edge
    return [[edges[(-1, number), colour][0][0] for colour in range(colours)] for number in range(len(tables))]


def seats_had(tables: Iterable[Sequence[int]]) -> Counter[tuple[int, int]]:
    """Return how often each bot had each seat at these tables."""
    return Counter((bot, seat) for bots in tables for seat, bot in enumerate(bots))


def seated_by(had: SeatCounts, bots: Iterable[int]) -> tuple[int, ...]:
    """Return the bots of a table in seat order, so that few bots get a seat that they had often before.

    The cost of a bot is the number of times that the bot had its new seat before, according to `had`. No exchange of
    seats between two bots would reduce the sum of their costs.
    """
    order = list(bots)
    pairs = list(combinations(range(len(order)), 2))

    def gain(pair: tuple[int, int]) -> int:
        one, other = pair
        first, second = order[one], order[other]
        now = had.get((first, one), 0) + had.get((second, other), 0)
        return now - had.get((first, other), 0) - had.get((second, one), 0)

    while gain(best := max(pairs, key=gain)) > 0:
        one, other = best
        order[one], order[other] = order[other], order[one]
    return tuple(order)
