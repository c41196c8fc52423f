"""The form of the console that creates a tournament."""

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
    "knockout": "Knockout: the loser is out",
    "swiss": "Swiss: in each round, bots with equal points meet",
}


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of the form; `name` is its place in the configuration, like `time_control.move_ms`."""

    name: str
    label: str
    hint: str
    kind: Kind
    choices: Choices = ()
    minimum: int | None = None
    maximum: int | None = None
    formats: str = ""
    """The formats that have this field, separated by spaces; empty: all."""
    required: bool = False

    @property
    def default(self) -> Any:
        """The value that the form begins with; None for an empty field."""
        found: Any = DEFAULTS
        for part in self.name.split("."):
            found = found.get(part)
        return found / 1000 if self.kind == "seconds" else found


@dataclass(frozen=True, slots=True)
class FormGroup:
    """Fields that belong together; an `advanced` group is folded away."""

    title: str
    fields: tuple[FormField, ...]
    advanced: bool = False


DEFAULTS: dict[str, Any] = {
    **TournamentConfig(name="any", game="tictactoe").model_dump(),
    "name": None,
    "points": "1, 0.5, 0",
}


def _integer(
    name: str, label: str, hint: str, minimum: int, maximum: int | None = None, formats: str = ""
) -> FormField:
    return FormField(name, label, hint, "integer", minimum=minimum, maximum=maximum, formats=formats)


def _seconds(name: str, label: str, hint: str) -> FormField:
    return FormField(name, label, hint, "seconds", minimum=0)


def form_groups() -> Sequence[FormGroup]:
    """Make the form: every field of a configuration but the game's settings."""
    formats = tuple((name, FORMAT_TITLES.get(name, name)) for name in FORMATS)
    games = tuple((name, get_game(name).title) for name in _game_names())
    own_id = "For people. Its id, as in addresses, is made from it."
    played_again = "How many times a tied pairing is played again before the better seed goes on."
    openings_hint = "Each pair plays an opening from both seats. Your own: one opening a line, moves with spaces."
    tiebreaks_hint = f"In this order; there are {', '.join(TIEBREAKS)}. Empty: the format's own."
    absent_hint = "How long matches wait for a bot that is not connected; then it loses them."
    listed_hint = "The list of tournaments shows it. Otherwise one must know its address to find it."
    openings = (
        ("auto", "From the start, then from the game's openings"),
        ("suite", "From the game's openings"),
        ("none", "Always from the start"),
        ("own", "These:"),
    )
    return (
        FormGroup(
            "What is played",
            (
                FormField("name", "Name", own_id, "text", maximum=80, required=True),
                FormField("game", "Game", "Its settings follow below, where it has any.", "choice", games),
            ),
        ),
        FormGroup(
            "Who meets whom",
            (
                FormField("format", "Format", "How pairings are made.", "choice", formats),
                _integer("cycles", "Cycles", "How often everyone meets everyone.", 1, 1000, "round-robin gauntlet"),
                _integer(
                    "legs",
                    "Matches a pairing",
                    "With 2, both bots play the same opening from both seats, which is fair.",
                    1,
                    1000,
                ),
                _integer("rounds", "Rounds", "Empty: as many as a knockout would have.", 1, 1000, "swiss"),
                _integer(
                    "challengers",
                    "Challengers",
                    "How many of the first bots, by number, meet all others.",
                    1,
                    1000,
                    "gauntlet",
                ),
                _integer("replays", "Replays of a tie", played_again, 0, 100, "knockout"),
            ),
        ),
        FormGroup(
            "Time to think",
            (
                _seconds("time_control.move_ms", "Each move (seconds)", "Each move uses this time first."),
                _seconds(
                    "time_control.bank_ms", "Bank (seconds)", "For the whole match; used when a move takes longer."
                ),
                _seconds("time_control.increment_ms", "Increment (seconds)", "The bank grows by this after each move."),
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
                _integer(
                    "start_at_bots",
                    "Start at this many bots",
                    "It starts by itself when as many have joined. Empty: you start it.",
                    2,
                    MOST_BOTS,
                ),
                FormField(
                    "start_at_ms",
                    "Start at",
                    "It starts by itself at this time, or later, when two bots have joined.",
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
                FormField("openings", "Openings", openings_hint, "openings", openings),
                FormField("points", "Points", "For a win, a draw and a loss.", "numbers"),
                FormField("tiebreaks", "Tie-breaks", tiebreaks_hint, "list"),
                FormField("rated", "Rated", "Ratings with their intervals are computed.", "checkbox"),
                _integer("seed", "Seed", "The same seed and the same bots give the same schedule and openings.", 0),
            ),
            advanced=True,
        ),
        FormGroup(
            "Faults and patience",
            (
                _integer(
                    "illegal_retries",
                    "Second chances",
                    "How many illegal moves in a match may be made again, on the same clock. 0: the first loses.",
                    0,
                    100,
                ),
                _integer(
                    "bench_after",
                    "Bench after",
                    "A bot is benched after this many matches in a row lost by its own fault. 0: never.",
                    0,
                    1_000_000,
                ),
                _seconds(
                    "away_ms",
                    "Away (seconds)",
                    "How long a bot's connection may be gone in a match, apart from its clock.",
                ),
                _seconds("absent_ms", "Absent (seconds)", absent_hint),
                FormField("listed", "Listed", listed_hint, "checkbox"),
            ),
            advanced=True,
        ),
    )


def games_with_settings() -> Sequence[Game]:
    """Return the games that have settings to choose."""
    return [game for game in map(get_game, _game_names()) if game.settings]


def _game_names() -> list[str]:
    """Return the games, without those of families (there may be a hundred): the API takes these by name."""
    return [name for name in game_names() if ":" not in name]
