"""What facts change in a tournament, for those who watch it. Pure."""

from dataclasses import dataclass, field, replace

from rumble_server.match.facts import MatchOver, MatchStarted, MoveMade, SeatAway, SeatBack, StartTold, TurnAsked
from rumble_server.tournament.facts import (
    BotBenched,
    BotJoined,
    BotLeft,
    LogFact,
    ResultVoided,
    TournamentEnded,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
)
from rumble_server.tournament.tournament import Tournament

VOIDED = "the host has it played again"
"""The reason of a result that was told and no longer counts."""


@dataclass(slots=True)
class Changes:
    """The changes of one tournament since somebody was last told of it."""

    tournament: Tournament
    started: dict[str, None] = field(default_factory=dict)
    """The ids of the matches that began, in order."""
    moved: dict[str, None] = field(default_factory=dict)
    """The ids of the matches whose board or running clock is another, or who is away from them, in order."""
    over: list[MatchOver] = field(default_factory=list)
    """The matches that ended, and those whose result was voided (without scores)."""
    met: dict[frozenset[str], None] = field(default_factory=dict)
    """The bots whose result against each other is another."""
    field_changed: bool = False
    status_changed: bool = False

    def note(self, fact: LogFact) -> None:
        """Add what a fact of this tournament changes; the tournament has applied it already."""
        match fact:
            case MoveMade() | TurnAsked() | SeatAway() | SeatBack() | StartTold():
                self.moved[fact.match] = None
            case MatchStarted():
                self.started[fact.match] = None
            case MatchOver():
                self._note_over(fact)
            case ResultVoided():
                voided = self.tournament.voided
                over = next(each for each in voided if (each.match, each.attempt) == (fact.match, fact.attempt))
                self._note_over(replace(over, scores=None, reason=VOIDED))
            case BotJoined() | BotLeft() | BotBenched():
                self.field_changed = True
            case TournamentStarted() | TournamentPaused() | TournamentResumed() | TournamentEnded():
                self.status_changed = True
            case _:
                pass

    def _note_over(self, over: MatchOver) -> None:
        self.over.append(over)
        self.met[frozenset(over.seats)] = None
