"""The reason why a pairing of a round is better than another: the first criterion or article by which they differ."""

from rumble_server.tournament.pairs.dutch.bracket import BracketPairing
from rumble_server.tournament.pairs.dutch.criteria import QUALITY, Bracket, may_meet
from rumble_server.tournament.pairs.dutch.event import DutchEvent
from rumble_server.tournament.pairs.dutch.pairing import PairedRound, brackets, score_of_bye
from rumble_server.tournament.pairs.dutch.player import DutchPlayer, players_of

SEQUENCE = "articles 3 and 4 (the sequence of candidates)"
COLOURS = "article 5 (colours)"

Pairs = set[frozenset[DutchPlayer]]


def why_not(event: DutchEvent, other: PairedRound) -> str:
    """Return the criterion by which Rumble's pairing of a round is better than `other`, such as `C12 (colour
    preferences)`.

    The two pairings must differ. Raises CannotBePaired.
    """
    players = players_of(event)
    by_index = {player.index: player for player in players}
    pairs = {frozenset((by_index[one], by_index[two])) for one, two in other.boards}
    broken = _absolute(players, pairs)
    if broken:
        return broken
    for bracket, ours in brackets(players):
        own = set(bracket.own)
        theirs = {pair for pair in pairs if pair <= own}
        if theirs != set(map(frozenset, ours)):
            return _quality(bracket, set(map(frozenset, ours)), theirs)
    return COLOURS


def _absolute(players: list[DutchPlayer], pairs: Pairs) -> str:
    """Return a criterion from C1 to C5 that the pairs break; empty if the pairs break none of the five criteria."""
    for one, two in map(tuple, pairs):
        if one.index in two.opponents:
            return "C1 (players who met)"
        if not may_meet(one, two):
            return "C3 (the same absolute colour preference)"
    unpaired = [player for player in players if not any(player in pair for pair in pairs)]
    if len(unpaired) > len(players) % 2:
        return "C4 (as many players as possible are paired)"
    bye_score = score_of_bye(players)
    for player in unpaired:
        if not player.may_have_bye:
            return "C2 (who may have the bye)"
        if bye_score is not None and player.score > bye_score:
            return "C5 (the score of the player with the bye)"
    return ""


def _quality(bracket: Bracket, ours: Pairs, theirs: Pairs) -> str:
    """Return the first criterion by which two pairings of a bracket differ."""
    for criterion, mine, other in zip(QUALITY, _values(bracket, ours), _values(bracket, theirs), strict=True):
        if mine != other:
            return f"{criterion.number} ({criterion.about})"
    return SEQUENCE


def _values(bracket: Bracket, pairs: Pairs) -> list[int]:
    """Return the value of the pairing `pairs` of a bracket for each criterion.

    The values come from a matching in which `pairs` are the only pairs inside the bracket. The players after the
    bracket are paired as well as possible. In the total weight of the matching, some bits belong to each criterion.
    These bits are the value for the criterion.
    """
    pairing = BracketPairing(bracket)
    graph, own = pairing.graph, bracket.own
    for low in range(len(own)):
        for high in range(low):
            if frozenset((own[high], own[low])) not in pairs:
                graph.set(high, low, 0)
    graph.solve()
    total = graph.total() >> pairing.order_bits
    values = []
    for criterion in reversed(QUALITY):
        bits = criterion.bits(bracket)
        values.append(total & ((1 << bits) - 1))
        total >>= bits
    return values[::-1]
