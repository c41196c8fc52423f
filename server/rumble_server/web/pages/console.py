"""The form of the console that creates a tournament: its fields, hints and defaults."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rumble_engine import Game, game_names, get_game

from rumble_server.results.editions import FIDE_EDITIONS
from rumble_server.results.tiebreaks import TIEBREAKS
from rumble_server.tournament.config import MOST_BOTS, TournamentConfig
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.formats.pairing_rules import PAIRING_RULES

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
    """A field of the form; `name` is the path in the configuration, such as `time_control.move_ms`."""

    name: str
    label: str
    kind: Kind
    choices: Choices = ()
    minimum: int | None = None
    maximum: int | None = None
    formats: str = ""
    """The formats that have this field, separated by spaces; empty for all formats."""
    required: bool = False

    @property
    def hint(self) -> str:
        return HINTS[self.name]

    @property
    def default(self) -> Any:
        """The initial value in the form; None for an empty field."""
        found: Any = DEFAULTS
        for part in self.name.split("."):
            found = found.get(part)
        return found / 1000 if self.kind == "seconds" else found


@dataclass(frozen=True, slots=True)
class FormGroup:
    """A group of fields; an `advanced` group is folded away."""

    title: str
    fields: tuple[FormField, ...]
    advanced: bool = False


DEFAULTS: dict[str, Any] = {
    **TournamentConfig(name="any", game="tictactoe").with_rules_of_today().model_dump(),
    "name": None,
    "points": "1, 0.5, 0",
    "seed_ratings": None,
}


HINTS = {
    "name": "For people. Its id, as in addresses, is made from it.",
    "game": "Its settings follow below, where it has any.",
    "format": "How pairings are made.",
    "cycles": "How often everyone meets everyone.",
    "legs": "With 2, both bots play the same opening from both seats, which is fair.",
    "rounds": "Empty: as many as a knockout would have.",
    "pairing_rules": "The edition of the FIDE Dutch System; the tournament keeps it.",
    "acceleration": "Virtual points in the first rounds part the field sooner.",
    "challengers": "How many of the first bots, by number, meet all others.",
    "replays": "How many times a tied pairing is played again before the better seed goes on.",
    "time_control.move_ms": "Each move uses this time first.",
    "time_control.bank_ms": "For the whole match; used when a move takes longer.",
    "time_control.increment_ms": "The bank grows by this after each move.",
    "invite": "Only bots that send it may join. Empty: anyone may.",
    "start_at_bots": "It starts by itself when as many have joined. Empty: you start it.",
    "start_at_ms": "It starts by itself at this time, or later, when two bots have joined.",
    "late_join": "A newcomer meets everyone in rounds after the schedule's own.",
    "openings": "Each pair plays an opening from both seats. Your own: one opening a line, moves with spaces.",
    "points": "For a win, a draw and a loss.",
    "tiebreaks": f"In this order; there are {', '.join(TIEBREAKS)}. Empty: the format's own.",
    "tiebreak_rules": "The edition of FIDE's tie-break rules; the tournament keeps it.",
    "rated": "Ratings with their intervals are computed.",
    "seed": "The same seed and the same bots give the same schedule and openings.",
    "seed_ratings": "Name=rating, with commas between: the greatest is the first seed. Empty: the seed's order.",
    "illegal_retries": "How many illegal moves in a match may be made again, on the same clock. 0: the first loses.",
    "bench_after": "A bot is benched after this many matches in a row lost by its own fault. 0: never.",
    "away_ms": "How long a bot's connection may be gone in a match, apart from its clock.",
    "away_clock": "Whether a bot's clock stands while it is away on its own turn, or runs on.",
    "absent_ms": "How long matches wait for a bot that is not connected; then it loses them.",
    "listed": "The list of tournaments shows it. Otherwise one must know its address to find it.",
}
AWAY_CLOCKS = (("stands", "Stands"), ("runs", "Runs on"))
EDITIONS = tuple((name, name) for name in reversed(FIDE_EDITIONS))
PAIRING_EDITIONS = tuple((name, f"{name}: {about}") for name, about in reversed(PAIRING_RULES.items()))
ACCELERATIONS = (("none", "None"), ("baku", "Baku: the first half of the seeds meet each other at first"))
OPENINGS = (
    ("auto", "From the start, then from the game's openings"),
    ("suite", "From the game's openings"),
    ("none", "Always from the start"),
    ("own", "These:"),
)


def _integer(name: str, label: str, minimum: int, maximum: int | None = None, formats: str = "") -> FormField:
    return FormField(name, label, "integer", minimum=minimum, maximum=maximum, formats=formats)


def _seconds(name: str, label: str) -> FormField:
    return FormField(name, label, "seconds", minimum=0)


def form_groups() -> Sequence[FormGroup]:
    """Make the form: every field of a configuration except the game's settings."""
    formats = tuple((name, FORMAT_TITLES.get(name, name)) for name in FORMATS)
    games = tuple((name, get_game(name).title) for name in _game_names())
    played = (FormField("name", "Name", "text", maximum=80, required=True), FormField("game", "Game", "choice", games))
    meetings = (
        FormField("format", "Format", "choice", formats),
        _integer("cycles", "Cycles", 1, 1000, "round-robin gauntlet"),
        _integer("legs", "Matches a pairing", 1, 1000),
        _integer("rounds", "Rounds", 1, 1000, "swiss"),
        FormField("pairing_rules", "Pairing rules", "choice", PAIRING_EDITIONS, formats="swiss"),
        FormField("acceleration", "Acceleration", "choice", ACCELERATIONS, formats="swiss"),
        _integer("challengers", "Challengers", 1, 1000, "gauntlet"),
        _integer("replays", "Replays of a tie", 0, 100, "knockout"),
    )
    time = (
        _seconds("time_control.move_ms", "Each move (seconds)"),
        _seconds("time_control.bank_ms", "Bank (seconds)"),
        _seconds("time_control.increment_ms", "Increment (seconds)"),
    )
    joining = (
        FormField("invite", "Invitation code", "text", maximum=64),
        _integer("start_at_bots", "Start at this many bots", 2, MOST_BOTS),
        FormField("start_at_ms", "Start at", "moment"),
        FormField("late_join", "Bots may enter while it runs", "checkbox", formats="round-robin"),
    )
    scoring = (
        FormField("openings", "Openings", "openings", OPENINGS),
        FormField("points", "Points", "numbers"),
        FormField("tiebreaks", "Tie-breaks", "list"),
        FormField("tiebreak_rules", "Tie-break rules", "choice", EDITIONS),
        FormField("rated", "Rated", "checkbox"),
        _integer("seed", "Seed", 0),
        FormField("seed_ratings", "Ratings of the seeds", "list"),
    )
    patience = (
        _integer("illegal_retries", "Second chances", 0, 100),
        _integer("bench_after", "Bench after", 0, 1_000_000),
        _seconds("away_ms", "Away (seconds)"),
        FormField("away_clock", "Clock of a bot that is away", "choice", AWAY_CLOCKS),
        _seconds("absent_ms", "Absent (seconds)"),
        FormField("listed", "Listed", "checkbox"),
    )
    return (
        FormGroup("What is played", played),
        FormGroup("Who meets whom", meetings),
        FormGroup("Time to think", time),
        FormGroup("Who may join, and when it starts", joining),
        FormGroup("Scoring and openings", scoring, advanced=True),
        FormGroup("Faults and patience", patience, advanced=True),
    )


def games_with_settings() -> Sequence[Game]:
    """Return the games that have settings to choose."""
    return [game for game in map(get_game, _game_names()) if game.settings]


def _game_names() -> list[str]:
    """Return the names of the games, without the members of families, of which there may be a hundred.

    The API takes a family's members by name.
    """
    return [name for name in game_names() if ":" not in name]
