"""The changes that facts make to a tournament, for its watchers. Pure; the feed of the web uses it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rumble_server.match.facts import (
    ChanceDrawn,
    MatchOver,
    MatchStarted,
    MoveMade,
    SeatAway,
    SeatBack,
    StartTold,
    TurnAsked,
    TurnsAsked,
)
from rumble_server.tournament.commands import PLAYED_AGAIN
from rumble_server.tournament.facts import (
    BotBenched,
    BotJoined,
    BotLeft,
    ConfigChanged,
    HalfByeGiven,
    HalfByeTaken,
    LogFact,
    ResultVoided,
    RoundPaired,
    TablesSeated,
    TournamentEnded,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
)
from rumble_server.tournament.tournament import Tournament


@dataclass(slots=True)
class Changes:
    """The changes of a tournament since its watchers were last told."""

    tournament: Tournament
    boards: dict[str, bool] = field(default_factory=dict)
    """For the id of each changed match: true if the match began, false if the match was running already.

    In a running match, the change is in the board, the running clock or the presence of a bot. The oldest change comes
    first.
    """
    over: list[MatchOver] = field(default_factory=list)
    """Ended matches, and matches with a voided result (without scores)."""
    changed_pairs: dict[frozenset[str], None] = field(default_factory=dict)
    """Pairs of bots with a changed result."""
    has_changed_field: bool = False
    has_changed_status: bool = False
    has_ended: bool = False
    """True if the tournament has ended."""

    def add_fact(self, fact: LogFact) -> None:
        """Add the changes made by `fact`. The tournament must have applied the fact already."""
        match fact:
            case MoveMade() if self._is_joint(fact):
                pass  # watchers hear of an answer only when all answers are in: then the next turns are asked
            case MoveMade() | TurnAsked() | TurnsAsked() | ChanceDrawn() | SeatAway() | SeatBack() | StartTold():
                self.boards.setdefault(fact.match, False)
            case MatchStarted():
                self.boards[fact.match] = True
            case MatchOver():
                self._note_over(fact)
            case ResultVoided():
                voided = self.tournament.voided
                over = next(each for each in voided if (each.match, each.attempt) == (fact.match, fact.attempt))
                self._note_over(replace(over, scores=None, reason=PLAYED_AGAIN))
            case BotJoined() | BotLeft() | BotBenched() | HalfByeGiven() | HalfByeTaken():
                self.has_changed_field = True
            case RoundPaired() | TablesSeated() if fact.byes or fact.as_round.half_byes:
                self.has_changed_field = True  # a bye gives points, and a requested bye is no longer to come
            case ConfigChanged():
                self.has_changed_status = self.has_changed_field = True  # half-point byes may no longer be possible
            case TournamentStarted() | TournamentPaused() | TournamentResumed():
                self.has_changed_status = True
            case TournamentEnded():
                self.has_changed_status = self.has_ended = True
            case _:
                pass

    def put_first(self, boards: Mapping[str, bool]) -> None:
        """Put `boards`, earlier changes that watchers have not seen, before the newer changes of boards."""
        later, self.boards = self.boards, dict(boards)
        for match, has_begun in later.items():
            self.boards[match] = has_begun or self.boards.get(match, False)

    def _is_joint(self, move_fact: MoveMade) -> bool:
        terms = self.tournament.running.get(move_fact.match)
        return terms is not None and bool(terms.chance_seed)

    def _note_over(self, over: MatchOver) -> None:
        self.over.append(over)
        self.changed_pairs[frozenset(over.seats + over.absent)] = None
