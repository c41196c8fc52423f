"""The console's form for a new tournament: labels and kinds of its fields. Hints come from the configuration model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rumble_engine import Game, game_names, get_game
from rumble_protocol.fields import DAY_MS

from rumble_server.tournament.config_fields import ConfigField, config_fields
from rumble_server.tournament.formats import FORMATS, formats_with
from rumble_server.tournament.pairs.pairing_rules import PAIRING_RULES

FieldKind = Literal["text", "integer", "seconds", "choice", "checkbox", "moment", "list", "numbers", "openings"]


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of the form; `name` is the path in the configuration, such as `time_control.move_ms`."""

    name: str
    label: str
    kind: FieldKind
    hint: str
    default: Any
    """The initial value in the form; None for an empty field."""
    choices: Mapping[str, str]
    """Texts for people, keyed by the values to choose from."""
    minimum: int | None
    maximum: int | None
    formats: str
    """The formats that have this field, separated by spaces; empty for all formats."""
    is_for_two: bool
    """True if only matches of two seats have this field."""


@dataclass(frozen=True, slots=True)
class FormGroup:
    """A group of fields; an advanced group is folded away."""

    title: str
    fields: Sequence[FormField]
    is_advanced: bool


GROUPS = {
    "What is played": "classroom name game seats",
    "Who meets whom": "format cycles legs rounds pairing_rules acceleration challengers replays",
    "Time to think": "time_control.move_ms time_control.bank_ms time_control.increment_ms",
    "Who may join, and when it starts": "invite start_at_bots start_at_ms late_join",
    "Scoring and openings": "openings points tiebreaks tiebreak_rules rated seed seed_ratings",
    "Faults and patience": "illegal_retries bench_after away_ms away_clock absent_ms spectator_delay_ms listed",
}
"""For the title of each group, the names of the group's fields in order, separated by spaces."""
ADVANCED = ("Scoring and openings", "Faults and patience")
LABELS = {
    "classroom": "For a class",
    "legs": "Matches a pairing",
    "replays": "Replays of a tie",
    "time_control.move_ms": "Each move (seconds)",
    "time_control.bank_ms": "Bank (seconds)",
    "time_control.increment_ms": "Increment (seconds)",
    "invite": "Invitation code",
    "start_at_bots": "Start at this many bots",
    "start_at_ms": "Start at",
    "late_join": "Bots may enter while it runs",
    "tiebreaks": "Tie-breaks",
    "tiebreak_rules": "Tie-break rules",
    "seed_ratings": "Ratings of the seeds",
    "illegal_retries": "Second chances",
    "away_ms": "Away (seconds)",
    "away_clock": "Clock of a bot that is away",
    "absent_ms": "Absent (seconds)",
    "spectator_delay_ms": "Delay for spectators (seconds)",
}
"""The labels that are not simply the name of the field."""
FOR_TWO = ("legs", "pairing_rules", "acceleration", "late_join", "openings")
BY_TYPE: dict[str, FieldKind] = {"string": "text", "integer": "integer", "boolean": "checkbox"}
KINDS: dict[str, FieldKind] = {
    "game": "choice",
    "start_at_ms": "moment",
    "openings": "openings",
    "points": "numbers",
    "tiebreaks": "list",
    "seed_ratings": "list",
}
"""The kinds of fields whose type does not determine the kind."""
ENTERED = {
    "openings": "Your own: one opening a line, moves with spaces.",
    "points": "Numbers separated by commas, or a word. Empty: 1, 0.5, 0, or places.",
    "tiebreaks": "Names separated by commas.",
    "seed_ratings": "Each name=rating, separated by commas.",
}
"""Hints on how to enter values that are more than a number or a text."""
CHOICES = {
    "format": {name: each.title for name, each in FORMATS.items()},
    "pairing_rules": {name: f"{name}: {about}" for name, about in PAIRING_RULES.items()},
    "acceleration": {"none": "None", "baku": "Baku: the first half of the seeds meet each other at first"},
    "openings": {
        "auto": "From the start, then from the game's openings",
        "suite": "From the game's openings",
        "none": "Always from the start",
        "own": "These:",
    },
    "away_clock": {"stands": "Stands", "runs": "Runs on"},
}
"""The texts of choices for people, keyed by the field's name, and then by the value of the choice."""


def form_groups() -> Sequence[FormGroup]:
    """Make the groups of the form. They have every field of a configuration except the game's settings."""
    fields = config_fields()
    return [
        FormGroup(title, [_form_field(fields[name]) for name in names.split()], title in ADVANCED)
        for title, names in GROUPS.items()
    ]


def _form_field(field: ConfigField) -> FormField:
    name, default, kind = field.name, field.default, _kind(field)
    choices = CHOICES.get(name) or {value: value for value in field.choices}
    maximum = field.maximum
    match kind:
        case "choice" if name == "game":
            choices = {game: get_game(game).title for game in _game_names()}
        case "seconds":
            default, maximum = default / 1000, DAY_MS // 1000
        case "numbers" | "list":
            default = None
    return FormField(
        name=name,
        label=LABELS.get(name, name.replace("_", " ").capitalize()),
        kind=kind,
        hint=f"{field.about} {ENTERED[name]}" if name in ENTERED else field.about,
        default=default,
        choices=choices,
        minimum=field.minimum,
        maximum=maximum,
        formats=" ".join(formats_with(name)),
        is_for_two=name in FOR_TWO,
    )


def _kind(field: ConfigField) -> FieldKind:
    if field.name in KINDS:
        return KINDS[field.name]
    if field.choices:
        return "choice"
    if field.name.endswith("_ms"):
        return "seconds"
    return BY_TYPE[field.type]


def games_with_settings() -> Sequence[Game]:
    """Return the games that have settings to choose."""
    return [game for game in map(get_game, _game_names()) if game.settings]


def _game_names() -> list[str]:
    """Return the names of the games, without the members of game families. A family may have a hundred members.

    The API accepts the names of members, too.
    """
    return [name for name in game_names() if ":" not in name]
