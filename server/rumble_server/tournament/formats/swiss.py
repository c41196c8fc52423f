"""Swiss: in each round bots with about equal points meet, never twice. Pairings by `py4swiss`, the FIDE Dutch system.

A round is paired when every match of the one before has its result. In an odd field one bot has a bye, which counts as
won; each bot has one at most. A bot that has withdrawn is not paired any more. If a round cannot be paired without
meeting again (a small field, or most of it gone) the tournament ends before it, and says why.

Pairing takes the `py4swiss` engine 0.1 s for 64 bots and seconds for 300, in one thread. So `prepare` gives the work as
a small picklable `SwissTask`, to be called in another process, and `add` takes its answer.

With an even number of legs the seats are even in each pairing, so seat preferences have no part in it: every bot is
shown to the engine with the same seats. Points of several legs, or of another scheme than 1, 1/2, 0, reach the engine
exactly, as the "accelerations" that it adds to the points it counts itself.
"""

from collections.abc import Collection
from dataclasses import dataclass

from rumble_server.results.tally import Scheme
from rumble_server.tournament.formats.schedule import Plan, Results, Round, Schedule, pairing_results
from rumble_server.tournament.pairing import Pairing

WHITE, BLACK, NO_SEAT = "w", "b", "-"
WIN, DRAW, LOSS, FORFEIT_WIN, FORFEIT_LOSS, BYE, ABSENT = "1", "=", "0", "+", "-", "U", "Z"
"""TRF16 codes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One round of one bot: its opponent (0: none; numbers count from 1), TRF16 codes, and its points after it."""

    opponent: int
    seat: str
    result: str
    points: int


@dataclass(frozen=True, slots=True)
class SwissTask:
    """All that pairing a round takes. Calling it is slow, and changes nothing."""

    number: int
    rounds: int
    entries: tuple[tuple[Entry, ...], ...]
    """By bot."""
    gone: frozenset[int]
    win: int
    draw: int
    loss: int

    def __call__(self) -> Round:
        """Pair the round. If it cannot be paired, it has no pairings."""
        from py4swiss.engines import DutchEngine
        from py4swiss.engines.common import PairingError

        try:
            pairs = [(pair.white, pair.black) for pair in DutchEngine.generate_pairings(self._report())]
        except PairingError:
            return Round(())
        boards = enumerate(((first, second) for first, second in pairs if second), 1)
        pairings = tuple(Pairing(1, self.number, board, first - 1, second - 1) for board, (first, second) in boards)
        return Round(pairings, tuple(first - 1 for first, second in pairs if not second))

    def _report(self) -> object:
        """Write the tournament as `py4swiss` reads it."""
        from py4swiss.trf import ParsedTrf, codes, results, sections

        worth = {WIN: self.win, FORFEIT_WIN: self.win, BYE: self.win, DRAW: self.draw, ABSENT: 0}
        system = results.ScoringPointSystem()
        for code, units in (("W", self.win), ("PAB", self.win), ("D", self.draw), ("L", self.loss), ("ZPB", 0)):
            system.apply_code(results.ScoringPointSystemCode(code), units)
        players, accelerations = [], {}
        for number, entries in enumerate(self.entries, 1):
            players.append(
                sections.PlayerSection(
                    code=codes.PlayerCode.PLAYER,
                    starting_number=number,
                    points_times_ten=entries[-1].points if entries else 0,
                    rank=number,
                    results=[
                        results.RoundResult(
                            id=entry.opponent,
                            color=results.ColorToken(entry.seat),
                            result=results.ResultToken(entry.result),
                        )
                        for entry in entries
                    ],
                )
            )
            counted, extra = 0, [0]
            for entry in entries:
                counted += worth.get(entry.result, self.loss)
                extra.append(entry.points - counted)
            accelerations[number] = extra
        return ParsedTrf(
            player_sections=players,
            x_section=sections.XSection(
                number_of_rounds=self.rounds,
                zeroed_ids={bot + 1 for bot in self.gone},
                scoring_point_system=system,
                accelerations=accelerations,
            ),
        )


class Swiss(Schedule):
    """A Swiss tournament. It may stop before its last round."""

    slow = True

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        most = plan.bots - 1 + plan.bots % 2
        self.number_of_rounds = min((plan.bots - 1).bit_length() if plan.rounds is None else plan.rounds, most)
        if self.number_of_rounds < 1:
            raise ValueError("a Swiss needs one round at least")
        self.scheme = Scheme.of(plan.points)
        self._rounds: list[Round] = []
        self._unpaired = False
        """Whether the next round cannot be paired: a round without pairings was added."""

    def is_finished(self, results: Results, gone: Collection[int] = ()) -> bool:
        return len(self._rounds) == self.number_of_rounds or bool(self.stopped(results, gone))

    def stopped(self, results: Results, gone: Collection[int] = ()) -> str:
        if self._unpaired:
            return f"round {len(self._rounds) + 1} cannot be paired without meeting again"
        too_few = len(self._rounds) < self.number_of_rounds and self.plan.bots - len(set(gone)) < 2
        return "fewer than two bots are left" if too_few and self._is_played(results) else ""

    def _is_played(self, results: Results) -> bool:
        """Whether every match of the last round has its result."""
        last = self._rounds[-1].pairings if self._rounds else ()
        return all(pairing_results(pairing, self.plan.legs, results) is not None for pairing in last)

    def matches_total(self, results: Results, gone: Collection[int] = ()) -> int:
        """Return how many matches there will be if no further bot withdraws."""
        to_come = 0 if self.is_finished(results, gone) else self.number_of_rounds - len(self._rounds)
        paired = sum(len(played.pairings) for played in self._rounds)
        return (paired + self.plan.bots // 2 * to_come) * self.plan.legs

    def add(self, paired: Round) -> None:
        """Take in a round; one without pairings ends the tournament."""
        if paired.pairings:
            self._rounds.append(paired)
        else:
            self._unpaired = True

    def prepare(self, results: Results, gone: Collection[int] = ()) -> "SwissTask | None":
        if self.is_finished(results, gone):
            return None
        entries: list[list[Entry]] = [[] for _ in range(self.plan.bots)]
        for number, played in enumerate(self._rounds, 1):
            if not self._enter(entries, number, played, results):
                return None
        legs, scheme = self.plan.legs, self.scheme
        return SwissTask(
            number=len(self._rounds) + 1,
            rounds=self.number_of_rounds,
            entries=tuple(map(tuple, entries)),
            gone=frozenset(gone),
            win=legs * scheme.win,
            draw=legs * scheme.draw,
            loss=legs * scheme.loss,
        )

    def _enter(self, entries: list[list[Entry]], number: int, played: Round, results: Results) -> bool:
        """Add a round to each bot's entries. Return False if it is not over."""
        scheme, legs = self.scheme, self.plan.legs
        seats = (WHITE, BLACK)
        if legs % 2 == 0:
            seats = (WHITE, WHITE) if number % 2 else (BLACK, BLACK)
        for pairing in played.pairings:
            found = pairing_results(pairing, legs, results)
            if found is None:
                return False
            forfeit = all(leg.forfeit for leg in found)
            sums = [sum(_points(scheme, leg.scores[side]) for leg in found) for side in range(2)]
            scores = [sum(leg.scores[side] for leg in found) for side in range(2)]
            for side, (bot, opponent) in enumerate(((pairing.first, pairing.second), (pairing.second, pairing.first))):
                result = _code(scores[side], scores[1 - side], forfeit)
                before = entries[bot][-1].points if entries[bot] else 0
                entries[bot].append(Entry(opponent + 1, seats[side], result, before + sums[side]))
        for bot, own in enumerate(entries):
            if len(own) < number:
                before = own[-1].points if own else 0
                bye = bot in played.byes
                own.append(Entry(0, NO_SEAT, BYE if bye else ABSENT, before + (legs * scheme.win if bye else 0)))
        return True


def _points(scheme: Scheme, score: float) -> int:
    return scheme.win if score == 1 else scheme.draw if score > 0 else scheme.loss


def _code(score: float, other: float, forfeit: bool) -> str:
    if forfeit:
        return FORFEIT_WIN if score > other else FORFEIT_LOSS
    return WIN if score > other else LOSS if score < other else DRAW
