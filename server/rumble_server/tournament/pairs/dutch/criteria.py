"""The pairing criteria C1 to C21 (article 2 of C.04.3), each a small function.

C1 to C3 decide which players may meet, and which players may have the bye. For every other criterion a function returns
the worth of a pair. Two pairings of a bracket are compared by the sums of their pairs' worths: the first criterion with
different sums decides, and the greater sum is better.
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

from rumble_server.tournament.pairs.dutch.player import ABSOLUTE, DOWN, STRONG, UP, DutchPlayer

CURRENT, NEXT, BEYOND = range(3)
"""Where a pair's lower ranked player is: in the bracket, in the scoregroup after the bracket, or further down."""


def may_meet(one: DutchPlayer, two: DutchPlayer) -> bool:
    """Return whether two players may meet.

    C1: they must not have met before. C3: if both must have the same colour, one must be a topscorer.
    """
    if one.index in two.opponents:
        return False
    absolute = one.strength == ABSOLUTE and two.strength == ABSOLUTE
    return not absolute or one.preference != two.preference or one.is_topscorer or two.is_topscorer


class Bracket:
    """A pairing bracket (1.3), and the players after it: the next scoregroup (`lower`), and the players further down
    (`beyond`). A bracket made for a trial may leave out some of the later players.
    """

    def __init__(
        self,
        moved_down: list[DutchPlayer],
        residents: list[DutchPlayer],
        lower: list[DutchPlayer],
        beyond: list[DutchPlayer],
        bye_score: int | None,
    ) -> None:
        """Make the bracket; `bye_score` is the score of the player who will have the bye, None without a bye."""
        self.moved_down = moved_down
        self.residents = residents
        self.lower = lower
        self.beyond = beyond
        self.bye_score = bye_score
        self.floats_bye = bye_score is not None and bye_score >= residents[0].score
        """True if the player who will have the bye is the only unpaired player of the bracket (C9)."""
        self.own = [*moved_down, *residents]
        near = [*self.own, *lower]
        self.players = [*near, *beyond]
        scores = [player.score for player in near]
        self.slot: dict[int, int] = {}
        """For each score, the position of the lowest bit of a count in a packed integer. The integer holds a count of
        players for each score. The counts of higher scores are in higher bits."""
        self.slot_bits = 0
        """The number of bits that the counts of all scores take."""
        for score in sorted(set(scores)):
            self.slot[score] = self.slot_bits
            self.slot_bits += scores.count(score).bit_length()
        games = sorted((len(each.colours) for each in self.players if each.score == bye_score), reverse=True)
        self.games_rank = {played: rank for rank, played in enumerate(games)}
        """Ranks of the players with the score `bye_score`, keyed by number of games. More games give a smaller rank."""
        self.rank_bits = (len(games) ** 2).bit_length()
        self.bits = len(residents).bit_length()
        self.lower_bits = len(lower).bit_length()

    def needs_pair(self, player: DutchPlayer) -> bool:
        """C2 and C5: return whether the player cannot have the bye."""
        return not player.may_have_bye or self.bye_score is None or player.score > self.bye_score


Worth = Callable[[Bracket, DutchPlayer, DutchPlayer, int], int]


@dataclass(frozen=True, slots=True)
class Criterion:
    """A pairing criterion, with its number in the rules (such as `C6`) and a description."""

    number: str
    about: str
    worth: Worth
    """Function that returns the worth of a pair, given the bracket, the higher ranked player, the lower ranked player,
    and where the lower ranked player is (`CURRENT`, `NEXT` or `BEYOND`)."""
    bits: Callable[[Bracket], int]
    """Function that returns the number of bits that hold the sum of the worths of all pairs of a bracket."""


def completes_round(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
    """C4: pair all players, or all except a player who may have the bye."""
    return 1 + bracket.needs_pair(high) + bracket.needs_pair(low)


def pairs(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
    """C6: have as many pairs as possible, and so as few downfloaters as possible."""
    return int(where == CURRENT)


def paired_scores(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
    """C7: keep the scores of downfloaters low, by keeping the scores of paired players high."""
    return 1 << bracket.slot[high.score] if where == CURRENT else 0


def pairs_below(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
    """C8, first part: have as many pairs as possible in the next bracket."""
    return int(where == NEXT)


def paired_scores_below(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
    """C8, second part: keep the scores of the next bracket's downfloaters low."""
    return 1 << bracket.slot[high.score] if where == NEXT else 0


def bye_has_played(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
    """C9: give the bye to a player with few unplayed rounds. For this, pair the players with many unplayed rounds."""
    if not bracket.floats_bye:
        return 0
    return sum(bracket.games_rank[len(each.colours)] for each in (high, low) if each.score == bracket.bye_score)


def no_third_more(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
    """C10: avoid that a topscorer, or a topscorer's opponent, gets a colour difference of three games."""
    both = abs(high.difference) > 1 and abs(low.difference) > 1
    return int(where == CURRENT and not (both and conflict(high, low)))


def no_third_in_a_row(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
    """C11: avoid that a topscorer, or a topscorer's opponent, has a colour three times in a row."""
    if where != CURRENT:
        return 0
    if not (high.strength == low.strength == ABSOLUTE and conflict(high, low)):
        return 1
    if abs(high.difference) == abs(low.difference):
        return int(not high.repeated or high.repeated != low.repeated)
    # The player with the smaller difference yields (5.2.2).
    loser = min(high, low, key=lambda each: abs(each.difference))
    return int(loser.repeated in ("", loser.preference))


def preference(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
    """C12: grant as many colour preferences as possible."""
    return int(where == CURRENT and not conflict(high, low))


def strong_preference(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
    """C13: grant as many strong colour preferences as possible."""
    both_absolute = high.strength == low.strength == ABSOLUTE
    lost = high.strength >= STRONG and low.strength >= STRONG and conflict(high, low) and not both_absolute
    return int(where == CURRENT and not lost)


def no_downfloat_again(rounds: int) -> Worth:
    """C14 and C16: avoid downfloats of players who floated down in the last round (C14), or in the round before (C16).

    `rounds` is the index into `DutchPlayer.floats`: 0 for the last round, 1 for the round before.
    """

    def worth(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
        if where != CURRENT:
            return 0
        return (low.floats[rounds] == DOWN) + (high.score <= low.score and high.floats[rounds] == DOWN)

    return worth


def no_upfloat_again(rounds: int) -> Worth:
    """C15 and C17: avoid upfloats of players who floated up in the last round (C15), or in the round before (C17).

    `rounds` is the index into `DutchPlayer.floats`, as in `no_downfloat_again`.
    """

    def worth(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
        return int(where == CURRENT and not _floats_up_again(high, low, rounds))

    return worth


def downfloat_scores(rounds: int) -> Worth:
    """C18 and C20: keep the score differences small for players who float down again, the greatest difference first.

    `rounds` is the index into `DutchPlayer.floats`, as in `no_downfloat_again`.
    """

    def worth(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
        if where != CURRENT:
            return 0
        return sum(1 << bracket.slot[each.score] for each in (high, low) if each.floats[rounds] == DOWN)

    return worth


def upfloat_scores(rounds: int) -> Worth:
    """C19 and C21: keep the score differences small for players who float up again, the greatest difference first.

    `rounds` is the index into `DutchPlayer.floats`, as in `no_downfloat_again`.
    """

    def worth(bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
        counts = where == CURRENT and not _floats_up_again(high, low, rounds)
        return 1 << bracket.slot[high.score] if counts else 0

    return worth


def conflict(one: DutchPlayer, two: DutchPlayer) -> bool:
    """Return whether both players prefer the same colour, so that one of the two preferences is not granted."""
    return bool(one.preference) and one.preference == two.preference


def _floats_up_again(high: DutchPlayer, low: DutchPlayer, rounds: int) -> bool:
    return low.floats[rounds] == UP and high.score > low.score


def _twice(bracket: Bracket) -> int:
    return bracket.bits + 1


_count, _scores = attrgetter("bits"), attrgetter("slot_bits")


COMPLETION = Criterion(
    "C4", "the round can be completed", completes_round, lambda bracket: (3 * len(bracket.players)).bit_length()
)
FIRST = (COMPLETION, Criterion("C6", "number of pairs", pairs, _count))
QUALITY = (
    *FIRST,
    Criterion("C7", "scores of downfloaters", paired_scores, _scores),
    Criterion("C8", "number of pairs in the next bracket", pairs_below, lambda bracket: bracket.lower_bits),
    Criterion("C8", "scores of the next bracket's downfloaters", paired_scores_below, _scores),
    Criterion("C9", "unplayed rounds of the player with the bye", bye_has_played, lambda bracket: bracket.rank_bits),
    Criterion("C10", "topscorers' colour differences", no_third_more, _count),
    Criterion("C11", "topscorers' third colour in a row", no_third_in_a_row, _count),
    Criterion("C12", "colour preferences", preference, _count),
    Criterion("C13", "strong colour preferences", strong_preference, _count),
    Criterion("C14", "downfloats as in the last round", no_downfloat_again(0), _twice),
    Criterion("C15", "upfloats as in the last round", no_upfloat_again(0), _count),
    Criterion("C16", "downfloats as two rounds before", no_downfloat_again(1), _twice),
    Criterion("C17", "upfloats as two rounds before", no_upfloat_again(1), _count),
    Criterion("C18", "score differences of downfloats as in the last round", downfloat_scores(0), _scores),
    Criterion("C19", "score differences of upfloats as in the last round", upfloat_scores(0), _scores),
    Criterion("C20", "score differences of downfloats as two rounds before", downfloat_scores(1), _scores),
    Criterion("C21", "score differences of upfloats as two rounds before", upfloat_scores(1), _scores),
)
"""The criteria in the order in which they count."""


def combined(criteria: tuple[Criterion, ...], bracket: Bracket, high: DutchPlayer, low: DutchPlayer, where: int) -> int:
    """Return a pair's worths by all criteria in a single number, with the first criterion in the highest bits."""
    value = 0
    for criterion in criteria:
        value = (value << criterion.bits(bracket)) | criterion.worth(bracket, high, low, where)
    return value
