"""For pages: the rounds of a Swiss, and the bracket of a knockout with two seats a match. Pure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from rumble_server.tournament.agenda import Agenda
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.pages.table_rounds import TablesOfRound, order_in_rounds

TITLES = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}


@dataclass(frozen=True, slots=True)
class Leg:
    """A match of a meeting. `points` are in the order of the meeting's `seats`; None before the match is over."""

    match: str
    points: tuple[float, float] | None


@dataclass(slots=True)
class Meeting:
    """A pairing of a round.

    `seats` are the bots, empty while unknown. `legs` are the matches that are over or in play.
    """

    seats: tuple[str, str] = ("", "")
    legs: list[Leg] = field(default_factory=list)
    to_play: int = 0
    """Number of paired matches without a result."""
    winner: str = ""
    """In a knockout, the bot that wins the meeting and goes on; empty while undecided."""
    is_bye: bool = False

    def put_first(self, name: str) -> None:
        """Make `name` the first of the two bots in `seats`, and its points the first in `legs`."""
        if self.seats[1] == name:
            self.seats = (self.seats[1], self.seats[0])
            self.legs = [Leg(leg.match, leg.points and (leg.points[1], leg.points[0])) for leg in self.legs]

    @property
    def points(self) -> list[float]:
        """The sum of each bot's points in the legs that are over, in the order of `seats`."""
        return [sum(leg.points[side] for leg in self.legs if leg.points) for side in (0, 1)]

    @property
    def played(self) -> int:
        return sum(leg.points is not None for leg in self.legs)

    @property
    def is_playing(self) -> bool:
        return len(self.legs) > self.played

    @property
    def is_by_seed(self) -> bool:
        """True if the meeting of a knockout ended level, so that the better seed goes on."""
        return bool(self.winner) and len(set(self.points)) == 1 and not self.is_bye


@dataclass(slots=True)
class RoundView:
    """A round with its meetings by board; `idle` are the bots without an opponent in the round."""

    title: str
    meetings: list[Meeting]
    idle: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return not any(meeting.to_play for meeting in self.meetings)


def round_title(boards: int) -> str:
    """Return the name of a knockout's round with `boards` pairings."""
    return TITLES.get(boards, f"Round of {2 * boards}")


def knockout_result(rank: int, best: int, finalists: int = 0) -> str:
    """Write how far a bot of rank `rank` came in a knockout: `winner`, `still in`, or the last round of the bot.

    `best` is the number of bots that share rank 1. `finalists` is the number of bots in the final of a knockout of
    tables; a bot that did not reach this final is `out`. In a knockout of two seats, `finalists` is 0.
    `static/standings.js` writes the same text.
    """
    if rank == 1:
        return "winner" if best == 1 else "still in"
    if finalists:
        return "final" if rank <= finalists else "out"
    return round_title(rank - 1).lower()


def pairing_text(tournament: Tournament, rounds: Sequence[RoundView | TablesOfRound]) -> str:
    """Return a sentence that names the round of a Swiss that is being paired; an empty text if there is none."""
    agenda = tournament.agenda
    if agenda is None or agenda.schedule.has_bracket or tournament.status != "running":
        return ""
    following, last = len(rounds) + 1, agenda.schedule.number_of_rounds
    if following > last or not all(each.is_over for each in rounds):
        return ""
    return f"Round {following} is being paired."


def rounds_of(tournament: Tournament) -> list[RoundView]:
    """Return the paired rounds of a Swiss, or all rounds of a knockout, first to last; empty for other formats."""
    agenda = tournament.agenda
    if agenda is None or not agenda.schedule.has_logged_rounds:
        return []
    meetings = _meetings(tournament, agenda)
    if agenda.schedule.has_bracket:
        return list(_bracket(agenda, meetings))
    return [
        RoundView(
            f"Round {number} of {agenda.schedule.number_of_rounds}",
            found,
            _idle(agenda, number, found, tournament.shown_name),
        )
        for number, found in _by_round(meetings)
    ]


def _meetings(tournament: Tournament, agenda: Agenda) -> dict[tuple[int, int], Meeting]:
    """Return the meetings, keyed and sorted by round and board. A meeting also has the matches that break its tie."""
    found: dict[tuple[int, int], Meeting] = {}
    seats_of = {slot.match_id: slot.seats for slot in agenda.open.values()}
    seats_of |= {match: (over.seats[0], over.seats[1]) for match, over in tournament.results.items()}
    for match in sorted(seats_of, key=order_in_rounds):
        number, board, _, leg = order_in_rounds(match)
        meeting = found.setdefault((number, board), Meeting())
        if meeting.seats == ("", ""):
            first, second = seats_of[match]
            meeting.seats = (first, second) if leg % 2 else (second, first)
        over = tournament.results.get(match)
        meeting.to_play += over is None
        if over is not None and over.scores is not None:
            one, other = over.scores if over.seats[0] == meeting.seats[0] else reversed(over.scores)
            meeting.legs.append(Leg(match, (one, other)))
        elif match in tournament.running:
            meeting.legs.append(Leg(match, None))
    return found


def _by_round(meetings: dict[tuple[int, int], Meeting]) -> Iterator[tuple[int, list[Meeting]]]:
    numbers = sorted({number for number, _ in meetings})
    for number in numbers:
        yield number, [meeting for (each, _), meeting in meetings.items() if each == number]


def _idle(agenda: Agenda, number: int, meetings: list[Meeting], shown: Callable[[str], str]) -> list[str]:
    busy = {name for meeting in meetings for name in meeting.seats}
    half_byes = {agenda.bots[bot] for bot in agenda.schedule.rounds_added[number - 1].half_byes}
    idle = sorted((name for name in agenda.bots if name not in busy), key=str.casefold)
    return [f"{shown(name)} (half-point bye)" if name in half_byes else name for name in idle]


def _bracket(agenda: Agenda, meetings: dict[tuple[int, int], Meeting]) -> Iterator[RoundView]:
    schedule = agenda.schedule
    went_on = {key: agenda.bots[number] for key, number in schedule.advanced.items()}
    ranks = agenda.places()
    for number in range(1, schedule.number_of_rounds + 1):
        boards = 1 << (schedule.number_of_rounds - number)
        found = []
        for board in range(1, boards + 1):
            meeting = meetings.get((number, board))
            if meeting is None:
                one, other = (went_on.get((number - 1, before), "") for before in (2 * board - 1, 2 * board))
                meeting = Meeting((one, other))
            elif number == 1:
                meeting.put_first(min(meeting.seats, key=agenda.bots.index))
            else:
                meeting.put_first(went_on[number - 1, 2 * board - 1])
            # The loser of a tie has this rank at once; the schedule may note the winner (`advanced`) later.
            lost = [name for name in meeting.seats if ranks.get(name) == boards + 1]
            kept = [name for name in meeting.seats if name not in lost]
            meeting.winner = went_on.get((number, board), kept[0] if len(lost) == len(kept) == 1 else "")
            if number == 1 and meeting.seats == ("", ""):
                meeting.seats, meeting.is_bye = (meeting.winner, ""), True
            found.append(meeting)
        yield RoundView(round_title(boards), found)
