"""Maximum-weight matching, by py4swiss's compiled part, with weights as int.

`solve` gives only the changed weights to the compiled part, which computes the new matching from the last matching. A
new start would be slower. If `exchange` can turn the last matching into an optimal one, `solve` is not needed.
"""

from collections.abc import Iterable

CHUNK = 60
"""Size in bits of the pieces in which the compiled part gets a large weight."""


class Graph:
    """A graph with vertices numbered from 0, and edges with weights. An edge of weight 0 does not exist."""

    def __init__(self, size: int, bits: int) -> None:
        """Make a graph without edges; `bits` is the number of bits of the greatest weight.

        Only `fix` uses the greatest weight. A weight that a caller sets must be below half of the greatest weight.
        """
        from py4swiss.dynamicuint import DynamicUint
        from py4swiss.matching_computer import ComputerDutchOptimality

        most = DynamicUint(1)
        most.shift_grow(bits + 2)  # the compiled part needs a margin of two bits
        most >>= 1
        most -= (most & 0) | 1
        self._zero = most & 0
        self._made = {0: self._zero}
        self._computer = ComputerDutchOptimality(size, most)
        for _ in range(size):
            self._computer.add_vertex()
        self._most = (1 << bits) - 1
        self._weights = [[0] * size for _ in range(size)]
        self._stale: set[tuple[int, int]] = set()
        self._fixed: list[tuple[int, int]] = []
        self.matching = list(range(size))
        """The partner of each vertex; a vertex without a partner is its own partner."""

    def weight(self, one: int, two: int) -> int:
        return self._weights[one][two]

    def set(self, one: int, two: int, weight: int) -> None:
        if self._weights[one][two] != weight:
            self._weights[one][two] = self._weights[two][one] = weight
            self._stale.add((one, two))

    def add(self, one: int, two: int, value: int) -> None:
        """Add `value` to the weight of an edge; do nothing if the edge does not exist."""
        if self._weights[one][two]:
            self.set(one, two, self._weights[one][two] + value)

    def fix(self, one: int, two: int) -> None:
        """Keep two matched vertices matched from now on, by giving their edge the greatest weight.

        Every other weight is below half of the greatest weight, so breaking the pair for two other edges never pays.
        """
        self._fixed.append((one, two))

    def solve(self) -> None:
        """Compute the matching for the present weights."""
        for one, two in self._fixed:
            self.set(one, two, self._most)
        self._fixed.clear()
        for one, two in self._stale:
            self._computer.set_edge_weight(one, two, self._big(self._weights[one][two]))
        self._stale.clear()
        self._computer.compute_matching()
        self.matching = self._computer.get_matching()

    def exchange(self, one: int, two: int) -> bool:
        """Match two vertices with each other, and likewise their former partners, if the sum of weights stays the same.

        Return false if nothing was changed. An optimal matching stays optimal, as its sum does not change.
        """
        mine, theirs = self.matching[one], self.matching[two]
        between = self._weights[one][two]
        before = self._own(one, mine) + self._own(two, theirs)
        alone = mine == one or theirs == two
        rest = 0 if alone else self._weights[mine][theirs]
        if not between or between + rest != before or not (alone or rest):
            return False
        matching = self.matching
        matching[one], matching[two] = two, one
        if mine != one:
            matching[mine] = mine if alone else theirs
        if theirs != two:
            matching[theirs] = theirs if alone else mine
        return True

    def total(self) -> int:
        """Return the sum of the weights of the matched edges."""
        return sum(self._weights[one][two] for one, two in enumerate(self.matching) if one < two)

    def _own(self, vertex: int, partner: int) -> int:
        return 0 if vertex == partner else self._weights[vertex][partner]

    def _big(self, weight: int) -> object:
        """Return a weight as a `DynamicUint`, the number type of the compiled part."""
        made = self._made.get(weight)
        if made is None:
            made = self._zero | (weight >> (weight.bit_length() // CHUNK * CHUNK))
            for shift in range(weight.bit_length() // CHUNK * CHUNK - CHUNK, -1, -CHUNK):
                made = (made << CHUNK) | ((weight >> shift) & ((1 << CHUNK) - 1))
            self._made[weight] = made
        return made


def is_perfect(size: int, edges: Iterable[tuple[int, int]]) -> bool:
    """Return true if some of the edges form a matching of all vertices."""
    from py4swiss.matching_computer import ComputerDutchValidity

    computer = ComputerDutchValidity(size, 1)
    for _ in range(size):
        computer.add_vertex()
    for one, two in edges:
        computer.set_edge_weight(one, two, 1)
    computer.compute_matching()
    return all(one != two for one, two in enumerate(computer.get_matching()))
