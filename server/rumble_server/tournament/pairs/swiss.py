"""Swiss: in each round bots with about equal points meet, by the FIDE Dutch System in the edition of `pairing_rules`.

A round is paired when every match of the previous round has its result. Two bots that played each other do not meet
again; a pairing may come again if all its matches were forfeited. In an odd field a bot has a bye, which counts as won;
no bot gets a second bye. A bot that has withdrawn is not paired any more. A bot with a half-point bye from the host is
not paired in the round of the bye. If a round cannot be paired (a small field, or most bots withdrawn), the tournament
ends before the round, and `stop_reason` returns the reason. If half-point byes leave nobody to pair, the round has only
these byes, and the next round follows.

Pairing a big field may take seconds. So `prepare` returns a small picklable `SwissTask`, which is called in another
process, and `add` takes the round that the task returns.

With an even number of legs both bots of a pairing have each seat equally often, so preferences of seats must not count:
the pairing engine is given the same seats for every bot.
"""

from collections.abc import Collection
from dataclasses import dataclass

from rumble_server.results.tally import Scheme
from rumble_server.results.trf import codes
from rumble_server.tournament.pairs.dutch.event import DutchEntry, DutchEvent, baku
from rumble_server.tournament.pairs.dutch.pairing import CannotBePaired
from rumble_server.tournament.pairs.pairing_rules import pair
from rumble_server.tournament.pairs.plan import Pairing, Plan, Round
from rumble_server.tournament.pairs.schedule import PairSchedule, Results, pairing_results


@dataclass(frozen=True, slots=True)
class SwissTask:
    """The task that pairs a round. Calling the task may be slow, and changes nothing."""

    number: int
    event: DutchEvent
    rules: str
    half_byes: tuple[int, ...]

    def __call__(self) -> Round:
        """Pair the round. If no pairing is possible, return a round with only the half-point byes."""
        try:
            paired = pair(self.event, self.rules)
        except CannotBePaired:
            return Round((), (), self.half_byes)
        boards = enumerate(paired.boards, 1)
        pairings = tuple(Pairing(1, self.number, board, first, second) for board, (first, second) in boards)
        return Round(pairings, () if paired.bye is None else (paired.bye,), self.half_byes)


def most_rounds(bots: int) -> int:
    """Return the maximum number of rounds that a field of `bots` bots can play if no two bots meet twice."""
    return bots - 1 + bots % 2


class Swiss(PairSchedule):
    """The schedule of a Swiss tournament, which may end before its last round."""

    is_slow = True

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        rounds = (plan.bots - 1).bit_length() if plan.rounds is None else plan.rounds
        self.number_of_rounds = min(rounds, most_rounds(plan.bots))
        if self.number_of_rounds < 1:
            raise ValueError("a Swiss needs one round at least")
        self.scheme = Scheme.of(plan.points)
        self._is_unpaired = False
        """True if the next round cannot be paired: a round with neither pairings nor half-point byes was added."""

    def is_finished(self, results: Results, withdrawn: Collection[int] = ()) -> bool:
        return len(self.rounds_added) == self.number_of_rounds or bool(self.stop_reason(results, withdrawn))

    def stop_reason(self, results: Results, withdrawn: Collection[int] = ()) -> str:
        if self._is_unpaired:
            return f"round {len(self.rounds_added) + 1} cannot be paired without meeting again"
        too_few = len(self.rounds_added) < self.number_of_rounds and self.plan.bots - len(set(withdrawn)) < 2
        return "fewer than two bots are left" if too_few and self._is_played(results) else ""

    def _is_played(self, results: Results) -> bool:
        """Return whether every match of the newest round has its result."""
        last = self.rounds_added[-1].pairings if self.rounds_added else ()
        return all(pairing_results(pairing, self.plan.legs, results) is not None for pairing in last)

    def matches_total(self, results: Results, withdrawn: Collection[int] = ()) -> int:
        """Return the number of matches in the whole tournament if no further bot withdraws."""
        to_come = 0 if self.is_finished(results, withdrawn) else self.number_of_rounds - len(self.rounds_added)
        paired = sum(len(played.pairings) for played in self.rounds_added)
        return (paired + self.plan.bots // 2 * to_come) * self.plan.legs

    def add(self, new_round: Round) -> None:
        """Add a round; a round with neither pairings nor half-point byes ends the tournament."""
        if new_round.pairings or new_round.half_byes:
            self.rounds_added.append(new_round)
        else:
            self._is_unpaired = True

    def prepare(self, results: Results, withdrawn: Collection[int] = ()) -> "SwissTask | None":
        if self.is_finished(results, withdrawn):
            return None
        entries: list[list[DutchEntry]] = [[] for _ in range(self.plan.bots)]
        for number, played in enumerate(self.rounds_added, 1):
            if not self._enter(entries, number, played, results):
                return None
        legs, scheme, plan = self.plan.legs, self.scheme, self.plan
        number = len(self.rounds_added) + 1
        half_byes = self.half_byes.get(number, set()).difference(withdrawn)
        win, draw = legs * scheme.win, legs * scheme.draw
        accelerated = plan.acceleration == "baku"
        event = DutchEvent(
            rounds=self.number_of_rounds,
            entries=tuple(map(tuple, entries)),
            absent=frozenset((*withdrawn, *half_byes)),
            win=win,
            draw=draw,
            loss=legs * scheme.loss,
            virtual=baku(plan.bots, self.number_of_rounds, win, draw) if accelerated else (),
        )
        return SwissTask(number, event, plan.pairing_rules, tuple(sorted(half_byes)))

    def _enter(self, entries: list[list[DutchEntry]], number: int, played: Round, results: Results) -> bool:
        """Add a played round to each bot's entries, and return true. If a result of the round is missing, stop, and
        return false.
        """
        scheme, legs = self.scheme, self.plan.legs
        seats = (codes.WHITE, codes.BLACK)
        if legs % 2 == 0:
            seats = (codes.WHITE, codes.WHITE) if number % 2 else (codes.BLACK, codes.BLACK)
        for pairing in played.pairings:
            legs_played = pairing_results(pairing, legs, results)
            if legs_played is None:
                return False
            forfeit = all(leg.is_forfeit for leg in legs_played)
            sums = [sum(scheme.points(leg.scores[side]) for leg in legs_played) for side in range(2)]
            scores = [sum(leg.scores[side] for leg in legs_played) for side in range(2)]
            for side, (bot, opponent) in enumerate(((pairing.first, pairing.second), (pairing.second, pairing.first))):
                result = _code(scores[side], scores[1 - side], forfeit)
                before = entries[bot][-1].points if entries[bot] else 0
                entries[bot].append(DutchEntry(opponent + 1, seats[side], result, before + sums[side]))
        for bot, own_entries in enumerate(entries):
            if len(own_entries) < number:
                before = own_entries[-1].points if own_entries else 0
                code, units = codes.ABSENT, 0
                if bot in played.byes:
                    code, units = codes.PAIRING_BYE, legs * scheme.win
                elif bot in played.half_byes:
                    code, units = codes.HALF_BYE, legs * scheme.draw
                own_entries.append(DutchEntry(0, codes.NO_SEAT, code, before + units))
        return True


def _code(score: float, other: float, forfeit: bool) -> str:
    if forfeit:
        return codes.FORFEIT_WIN if score > other else codes.FORFEIT_LOSS
    return codes.WIN if score > other else codes.LOSS if score < other else codes.DRAW
