"""The changes that facts make to a tournament, for its watchers. Pure; the feed of the web uses it."""

from collections.abc import Iterable
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
from rumble_server.tournament.facts import (
    BotBenched,
    BotJoined,
    BotLeft,
    ConfigChanged,
    LogFact,
    ResultVoided,
    TournamentEnded,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
)
from rumble_server.tournament.tournament import Tournament

VOIDED = "the host has it played again"
"""Reason that watchers are given when the host voids a result."""


@dataclass(slots=True)
class Changes:
    """The changes of a tournament since its watchers were last told."""

    tournament: Tournament
    started: dict[str, None] = field(default_factory=dict)
    """Ids of the matches that began, in order."""
    moved: dict[str, None] = field(default_factory=dict)
    """Ids of the matches in which the board, the running clock or the presence of a bot has changed, in order."""
    over: list[MatchOver] = field(default_factory=list)
    """Ended matches, and matches with a voided result (without scores)."""
    met: dict[frozenset[str], None] = field(default_factory=dict)
    """Pairs of bots with a changed result."""
    field_changed: bool = False
    status_changed: bool = False

    def note(self, fact: LogFact) -> None:
        """Add the changes of a fact of this tournament, which the tournament has applied already."""
        match fact:
            case MoveMade() if self._is_joint(fact):
                pass  # watchers hear of an answer only when all answers are in: then the next turns are asked
            case MoveMade() | TurnAsked() | TurnsAsked() | ChanceDrawn() | SeatAway() | SeatBack() | StartTold():
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
            case ConfigChanged() | TournamentStarted() | TournamentPaused() | TournamentResumed() | TournamentEnded():
                self.status_changed = True
            case _:
                pass

    def put_off(self, earlier: "Changes", matches: Iterable[str]) -> None:
        """Put the changes of some matches in `earlier` before the changes here. Watchers were not told of them."""
        started, moved = dict[str, None](), dict[str, None]()
        for match in matches:
            (started if match in earlier.started else moved)[match] = None
        self.started, self.moved = started | self.started, moved | self.moved

    def _is_joint(self, made: MoveMade) -> bool:
        terms = self.tournament.running.get(made.match)
        return terms is not None and bool(terms.chance_seed)

    def _note_over(self, over: MatchOver) -> None:
        self.over.append(over)
        self.met[frozenset(over.seats)] = None
