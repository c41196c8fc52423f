"""The pairing of a round (article 1.9 of C.04.3): bracket by bracket, from the highest score to the lowest."""

from collections.abc import Iterator
from dataclasses import dataclass

from rumble_server.tournament.pairs.dutch.bracket import BracketPairing, first_candidate
from rumble_server.tournament.pairs.dutch.colours import with_white_first
from rumble_server.tournament.pairs.dutch.criteria import FIRST, QUALITY, Bracket, may_meet
from rumble_server.tournament.pairs.dutch.event import DutchEvent
from rumble_server.tournament.pairs.dutch.matching import is_perfect
from rumble_server.tournament.pairs.dutch.player import DutchPlayer, players_of

Pair = tuple[DutchPlayer, DutchPlayer]


class CannotBePaired(Exception):
    """The error for a round of which no pairing meets the absolute criteria."""


@dataclass(frozen=True, slots=True)
class PairedRound:
    """Boards in order, each as (white, black), and the player with the bye. Players are numbers from 0."""

    boards: tuple[tuple[int, int], ...]
    bye: int | None


def pair_round(event: DutchEvent) -> PairedRound:
    """Pair the next round. Raises CannotBePaired."""
    players = players_of(event)
    unpaired = set(players)
    pairs = []
    for _, pairs_of_bracket in brackets(players):
        pairs.extend(pairs_of_bracket)
        unpaired.difference_update(player for pair in pairs_of_bracket for player in pair)
    boards = sorted((with_white_first(*pair, event.first_seat) for pair in pairs), key=_board_order, reverse=True)
    bye = unpaired.pop().index if unpaired else None
    return PairedRound(tuple((white.index, black.index) for white, black in boards), bye)


def _board_order(board: tuple[DutchPlayer, DutchPlayer]) -> tuple[int, int, int]:
    """Return the sort key of a board (C.04.2).

    The key is the points of the higher ranked player, the points of the lower ranked player, and the rank of the higher
    ranked player.
    """
    higher, lower = sorted(board, key=lambda player: (-player.points, player.number))
    return higher.points, lower.points, -higher.number


def brackets(players: list[DutchPlayer]) -> Iterator[tuple[Bracket, list[Pair]]]:
    """Yield the brackets in order, each with its pairs. Raises CannotBePaired."""
    bye_score = score_of_bye(players)
    groups = [[player for player in players if player.score == score] for score in _scores(players)]
    moved_down: list[DutchPlayer] = []
    for index, residents in enumerate(groups):
        lower = groups[index + 1] if index + 1 < len(groups) else []
        beyond = [player for group in groups[index + 2 :] for player in group]
        bracket = Bracket(moved_down, residents, lower, beyond, bye_score)
        pairs = _pair_bracket(bracket)
        yield bracket, pairs
        in_pairs = {player for pair in pairs for player in pair}
        moved_down = [player for player in (*moved_down, *residents) if player not in in_pairs]


def _scores(players: list[DutchPlayer]) -> list[int]:
    return sorted({player.score for player in players}, reverse=True)


def _pair_bracket(bracket: Bracket) -> list[Pair]:
    """Pair a bracket. Consider as few of the players after the bracket as possible, since each player makes matching
    slower.

    At first, some players after the bracket are left out, and the best pairing of the others is computed. Then the
    left-out players and the unpaired players are taken together. If this group can be paired completely, the best
    pairing is also the best with all players. The whole bracket with all players is tried last.
    """
    first = first_candidate(bracket)
    if first is not None and can_be_paired([*bracket.lower, *bracket.beyond], bracket.bye_score):
        return first
    if not bracket.floats_bye:
        for lower, others in _with_fewer_players(bracket):
            part = Bracket(bracket.moved_down, bracket.residents, lower, [], bracket.bye_score)
            tried = BracketPairing(part, QUALITY[1:])
            tried.pair()
            # Downfloaters are judged by the pairs they allow in the next scoregroup (C8), which was left out here.
            floats_unseen = bool(tried.unpaired) and not lower
            if not floats_unseen and can_be_paired([*tried.unpaired, *others], bracket.bye_score):
                return tried.pairs
    elif bracket.lower:
        fewest = BracketPairing(bracket, FIRST)
        bracket.floats_bye = len(bracket.own) - 2 * len(fewest.pairs) == 1
    whole = BracketPairing(bracket)
    whole.pair()
    return whole.pairs


def _with_fewer_players(bracket: Bracket) -> Iterator[tuple[list[DutchPlayer], list[DutchPlayer]]]:
    """Yield ways to split the players after the bracket into two lists: the players to consider, and the players to
    leave out.
    """
    if len(bracket.own) % 2 == 0:
        yield [], [*bracket.lower, *bracket.beyond]
    if bracket.beyond:
        yield bracket.lower, bracket.beyond


def score_of_bye(players: list[DutchPlayer]) -> int | None:
    """Return the lowest score that the player with the bye can have (C5); None without a bye.

    Raises CannotBePaired.
    """
    if len(players) % 2 == 0:
        if not can_be_paired(players, None):
            raise CannotBePaired
        return None
    for score in reversed(_scores(players)):
        if can_be_paired(players, score):
            return score
    raise CannotBePaired


def can_be_paired(players: list[DutchPlayer], bye_score: int | None) -> bool:
    """Return true if all players can be paired (C1, C3).

    If the number of players is odd, a player has to get the bye. The bye can go only to a player who may have a bye
    (C2), and has at most `bye_score` points.
    """
    byes = [player for player in players if bye_score is not None and player.may_have_bye and player.score <= bye_score]
    if len(players) % 2 and not byes:
        return False
    rest = list(players)
    if len(players) % 2:
        rest.remove(byes[-1])
    if _pairs_in_order(rest):
        return True
    edges = [
        (low, high) for high, one in enumerate(players) for low, two in enumerate(players[:high]) if may_meet(one, two)
    ]
    odd = len(players) % 2
    if odd:
        candidates = set(byes)
        edges.extend((vertex, len(players)) for vertex, player in enumerate(players) if player in candidates)
    return is_perfect(len(players) + odd, edges)


def _pairs_in_order(players: list[DutchPlayer]) -> bool:
    """Pair each player with the nearest free one, and return whether this pairs all.

    If not, another pairing may still pair all players.
    """
    rest = list(players)
    while rest:
        one = rest.pop()
        for index in range(len(rest) - 1, -1, -1):
            if may_meet(one, rest[index]):
                del rest[index]
                break
        else:
            return False
    return True
