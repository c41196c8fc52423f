"""The host's console: pages that hold nothing secret; their scripts ask the API with the token that the host enters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rumble_engine import Game, game_names, get_game

from rumble_server.results.tiebreaks import TIEBREAKS
from rumble_server.tournament.config import MOST_BOTS, TournamentConfig
from rumble_server.tournament.formats import FORMATS

Kind = Literal["text", "integer", "seconds", "choice", "checkbox", "moment", "list", "numbers", "openings"]
Choices = tuple[tuple[str, str], ...]

FORMAT_TITLES = {
    "round-robin": "Round-robin: everyone meets everyone",
    "gauntlet": "Gauntlet: a few challengers meet all others",
    "knockout": "Knockout: who loses is out",
    "swiss": "Swiss: in each round, bots with as many points meet",
}


@dataclass(frozen=True, slots=True)
class FormField:
    """One choice in the form; `name` is its place in the configuration, like `time_control.move_ms`."""

    name: str
    label: str
    hint: str
    kind: Kind
    choices: Choices = ()
    minimum: int | None = None
    maximum: int | None = None
    formats: str = ""
    """Only for these formats, separated by spaces; empty: for all."""
    required: bool = False

    @property
    def default(self) -> Any:
        """What is chosen if nothing is; None where that is to choose nothing."""
        found: Any = DEFAULTS
        for part in self.name.split("."):
            found = found.get(part)
        return found / 1000 if self.kind == "seconds" else found


@dataclass(frozen=True, slots=True)
class FormGroup:
    """Choices that belong together; `advanced` ones are folded away."""

    title: str
    fields: tuple[FormField, ...]
    advanced: bool = False


DEFAULTS: dict[str, Any] = {
    **TournamentConfig(name="any", game="tictactoe").model_dump(),
    "name": None,
    "points": "1, 0.5, 0",
}


def form_groups() -> Sequence[FormGroup]:
    """The form that creates a tournament: all that a configuration has but for the game's settings."""
    formats = tuple((name, FORMAT_TITLES.get(name, name)) for name in FORMATS)
    games = tuple((name, get_game(name).title) for name in _game_names())
    return (
        FormGroup(
            "What is played",
            (
                FormField(
                    "name",
                    "Name",
                    "For people. Its id, as in addresses, is made from it.",
                    "text",
                    maximum=80,
                    required=True,
                ),
                FormField("game", "Game", "Its settings follow below, where it has any.", "choice", games),
            ),
        ),
        FormGroup(
            "Who meets whom",
            (
                FormField("format", "Format", "How pairings are made.", "choice", formats),
                FormField(
                    "cycles",
                    "Cycles",
                    "How often everyone meets everyone.",
                    "integer",
                    minimum=1,
                    maximum=1000,
                    formats="round-robin gauntlet",
                ),
                FormField(
                    "legs",
                    "Matches a pairing",
                    "With 2, both play the same opening from both seats: that is fair.",
                    "integer",
                    minimum=1,
                    maximum=1000,
                ),
                FormField(
                    "rounds",
                    "Rounds",
                    "Empty: as many as a knockout of the field would have.",
                    "integer",
                    minimum=1,
                    maximum=1000,
                    formats="swiss",
                ),
                FormField(
                    "challengers",
                    "Challengers",
                    "The first so many bots, by number, meet all others.",
                    "integer",
                    minimum=1,
                    maximum=1000,
                    formats="gauntlet",
                ),
                FormField(
                    "replays",
                    "Replays of a tie",
                    "How often a tied pairing is played again before the better seed goes on.",
                    "integer",
                    minimum=0,
                    maximum=100,
                    formats="knockout",
                ),
            ),
        ),
        FormGroup(
            "Time to think",
            (
                FormField(
                    "time_control.move_ms", "Each move (seconds)", "Every move has this first.", "seconds", minimum=0
                ),
                FormField(
                    "time_control.bank_ms",
                    "Bank (seconds)",
                    "For the whole match; used where a move takes longer.",
                    "seconds",
                    minimum=0,
                ),
                FormField(
                    "time_control.increment_ms",
                    "Increment (seconds)",
                    "The bank grows by this after each move.",
                    "seconds",
                    minimum=0,
                ),
            ),
        ),
        FormGroup(
            "Who may join, and when it starts",
            (
                FormField(
                    "invite",
                    "Invitation code",
                    "Only bots that send it may join. Empty: anyone may.",
                    "text",
                    maximum=64,
                ),
                FormField(
                    "start_at_bots",
                    "Start with so many bots",
                    "It starts by itself when they are in. Empty: you start it.",
                    "integer",
                    minimum=2,
                    maximum=MOST_BOTS,
                ),
                FormField(
                    "start_at_ms",
                    "Start at",
                    "It starts by itself then, or as soon after it as two bots are in.",
                    "moment",
                ),
                FormField(
                    "late_join",
                    "Bots may enter while it runs",
                    "A newcomer meets everyone in rounds after the schedule's own.",
                    "checkbox",
                    formats="round-robin",
                ),
            ),
        ),
        FormGroup(
            "Scoring and openings",
            (
                FormField(
                    "openings",
                    "Openings",
                    "What pairs begin with, each from both seats. Own ones: an opening a line, its moves with spaces.",
                    "openings",
                    (
                        ("auto", "From the start, then from the game's openings"),
                        ("suite", "From the game's openings"),
                        ("none", "Always from the start"),
                        ("own", "These:"),
                    ),
                ),
                FormField("points", "Points", "For a win, a draw and a loss.", "numbers"),
                FormField(
                    "tiebreaks", "Tie-breaks", f"In order, of {', '.join(TIEBREAKS)}. Empty: the format's own.", "list"
                ),
                FormField("rated", "Rated", "Ratings with their intervals are worked out.", "checkbox"),
                FormField(
                    "seed",
                    "Seed",
                    "Of everything random: the same seed and bots, the same schedule and openings.",
                    "integer",
                    minimum=0,
                ),
            ),
            advanced=True,
        ),
        FormGroup(
            "Faults and patience",
            (
                FormField(
                    "illegal_retries",
                    "Second chances",
                    "So many illegal moves a match are asked again, on the same clock. 0: the first loses.",
                    "integer",
                    minimum=0,
                    maximum=100,
                ),
                FormField(
                    "bench_after",
                    "Bench after",
                    "So many matches lost in a row by its own fault bench a bot. 0: never.",
                    "integer",
                    minimum=0,
                    maximum=1_000_000,
                ),
                FormField(
                    "away_ms",
                    "Away (seconds)",
                    "So long a bot's connection may be gone in a match, apart from its clock.",
                    "seconds",
                    minimum=0,
                ),
                FormField(
                    "absent_ms",
                    "Absent (seconds)",
                    "So long its matches wait for a bot that is not there; then they are lost.",
                    "seconds",
                    minimum=0,
                ),
                FormField(
                    "listed",
                    "Listed",
                    "It is shown in the list of tournaments. Otherwise only who knows its address finds it.",
                    "checkbox",
                ),
            ),
            advanced=True,
        ),
    )


def games_with_settings() -> Sequence[Game]:
    """The games that have settings to choose."""
    return [game for game in map(get_game, _game_names()) if game.settings]


def _game_names() -> list[str]:
    """The games but for those of families, of which there may be a hundred: the API takes these by name."""
    return [name for name in game_names() if ":" not in name]
