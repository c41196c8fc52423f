"""The options of a tournament, chosen by its organiser."""

from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo, field_validator, model_validator
from rumble_engine import EngineError, IllegalMove, State, get_game
from rumble_protocol.fields import AwayClock, Duration, Settings, ShortText, TimeControl

from rumble_server.results.editions import FIRST, NEWEST, Edition, FideEdition
from rumble_server.results.tally import Scheme
from rumble_server.results.tiebreaks import DEFAULT, DEFAULT_SWISS, DEFAULT_SWISS_FIRST, check_tiebreaks
from rumble_server.tournament.formats import FORMATS, Plan
from rumble_server.tournament.formats.pairing_rules import DUTCH_2025
from rumble_server.tournament.formats.pairing_rules import NEWEST as NEWEST_PAIRING_RULES
from rumble_server.tournament.openings import suite

MOST_BOTS = 4096
"""Maximum of `start_at_bots`."""
MOST_OPENINGS = 64
"""Maximum number of openings made; a pair with more matches starts again from the first opening."""
Points = tuple[float, float, float]
Count = Annotated[int, Field(ge=1, le=1000)]


class TournamentConfig(BaseModel):
    """All options of a tournament, with defaults that suit a first tournament. Bad values raise ValidationError.

    Durations are in ms.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    game: ShortText
    settings: Settings = Field(default_factory=dict)
    format: ShortText = "round-robin"
    cycles: Count = 1
    legs: Count = 2
    rounds: Count | None = None
    """Swiss: number of rounds; None for the number of rounds of a knockout with as many bots."""
    challengers: Count = 1
    """Gauntlet: number of bots, the first by number, that meet every other bot."""
    replays: Annotated[int, Field(ge=0, le=100)] = 1
    """Knockout: number of times that a tied pairing is played again before the better seed goes on."""
    tiebreaks: list[str] | None = Field(default=None, max_length=8)
    """Tie-breaks in order; None for the format's own."""
    points: Annotated[list[float], Field(min_length=3, max_length=3)] = Field(default_factory=lambda: [1.0, 0.5, 0.0])
    """Points for a win, a draw and a loss."""
    openings: Literal["auto", "suite", "none"] | list[list[str]] = "auto"
    """Openings of each pair, played from both seats: `auto` begins without an opening and continues with the game's
    suite, so that no match is played twice; `suite` plays only the suite; or a list of openings."""
    time_control: TimeControl = Field(default_factory=lambda: TimeControl(move_ms=10_000))
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] = 0
    start_at_bots: Annotated[int, Field(ge=2, le=MOST_BOTS)] | None = None
    start_at_ms: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = None
    """Time of the automatic start in ms since the epoch; with fewer than two bots by then, the start comes with the
    second."""
    late_join: bool = False
    """Round-robin: true if bots may join while it runs. A late bot meets all earlier bots, as often as they meet each
    other, in rounds after the schedule's own; a bot that leaves loses its remaining matches as `no_show`."""
    illegal_retries: Annotated[int, Field(ge=0, le=100)] = 0
    away_ms: Duration = 30_000
    away_clock: AwayClock = "stands"
    """Rule for the clock of a bot that is away on its own turn: the clock stands, or runs on."""
    absent_ms: Duration = 120_000
    bench_after: Annotated[int, Field(ge=0, le=1_000_000)] = 10
    """Number of matches lost in a row by its own fault after which a bot is benched; 0 for never."""
    rated: bool = True
    listed: bool = True
    invite: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None
    pairing_rules: Literal["dutch-2025", "dutch-2026"] | None = None
    """Swiss: edition of the pairing rules. None means the newest in a new tournament, and `dutch-2025` in a tournament
    made by Rumble 0.1."""
    acceleration: Literal["none", "baku"] = "none"
    """Swiss: with `baku`, virtual points make the first half of the seeds meet each other at first."""
    seed_ratings: dict[ShortText, Annotated[float, Field(ge=0, le=10_000)]] = Field(
        default_factory=dict, max_length=MOST_BOTS
    )
    """Ratings by name that decide the seeding, greatest first; bots without a rating come last, in an order by the
    seed. A list of texts `NAME=RATING` is accepted, too."""
    tiebreak_rules: FideEdition | None = None
    """Edition of the tie-break rules. None means the newest in a new tournament, and Rumble 0.1's own in a tournament
    made by it."""

    @field_validator("format")
    @classmethod
    def _check_format(cls, given: str) -> str:
        if given not in FORMATS:
            raise ValueError(f"unknown format {given!r}; there are: {', '.join(FORMATS)}")
        return given

    @field_validator("tiebreaks")
    @classmethod
    def _check_tiebreaks(cls, given: list[str] | None, info: ValidationInfo) -> list[str] | None:
        check_tiebreaks(given or (), rounds=info.data.get("format") == "swiss")
        return given

    @field_validator("points")
    @classmethod
    def _check_points(cls, given: list[float]) -> list[float]:
        Scheme.of((given[0], given[1], given[2]))
        return given

    @field_validator("seed_ratings", mode="before")
    @classmethod
    def _read_seed_ratings(cls, given: object) -> object:
        return dict(map(_read_rating, given)) if isinstance(given, list) else given

    @field_validator("late_join")
    @classmethod
    def _check_late_join(cls, given: bool, info: ValidationInfo) -> bool:
        if given and info.data.get("format", "round-robin") != "round-robin":
            raise ValueError("late_join is for a round-robin")
        return given

    @model_validator(mode="after")
    def _check_game(self) -> Self:
        try:
            game = get_game(self.game)
            object.__setattr__(self, "settings", game.complete(self.settings))
            if isinstance(self.openings, list):
                for opening in self.openings:
                    check_opening(game.initial(self.settings, self.seed), opening)
        except EngineError as error:
            raise ValueError(str(error)) from None
        return self

    def plan(self, bots: int) -> Plan:
        """Return the input of the schedule for a field of `bots` bots."""
        return Plan(
            bots,
            self.cycles,
            self.legs,
            self.rounds,
            self.challengers,
            self.replays,
            self.scheme,
            self.pairing_edition,
            self.acceleration,
        )

    def with_rules_of_today(self) -> "TournamentConfig":
        """Return the configuration of a new tournament, with the newest rules by name, so that they stay."""
        named = {
            "pairing_rules": self.pairing_rules or NEWEST_PAIRING_RULES,
            "tiebreak_rules": self.tiebreak_rules or NEWEST,
        }
        return self.model_copy(update=named)

    @property
    def pairing_edition(self) -> str:
        """Name of the pairing rules of an existing Swiss."""
        return self.pairing_rules or DUTCH_2025

    def seed_rating(self, bot: str) -> float | None:
        """Return the rating by which a bot is seeded; None for a bot without a rating."""
        return self._seed_ratings.get(bot.casefold())

    @cached_property
    def _seed_ratings(self) -> dict[str, float]:
        return {name.casefold(): rating for name, rating in self.seed_ratings.items()}

    @property
    def scheme(self) -> Points:
        win, draw, loss = self.points
        return win, draw, loss

    @property
    def edition(self) -> Edition:
        """Name of the tie-break rules of an existing tournament."""
        return self.tiebreak_rules or FIRST

    @property
    def tiebreak_order(self) -> tuple[str, ...]:
        if self.tiebreaks is not None:
            return tuple(self.tiebreaks)
        if self.format != "swiss":
            return DEFAULT
        return DEFAULT_SWISS_FIRST if self.edition == FIRST else DEFAULT_SWISS

    def make_openings(self) -> list[tuple[str, ...]]:
        """Return the openings of every pair, in order; equal configurations give equal openings.

        Making them may take a second in some games, so the first call belongs off the event loop. The result is kept.
        """
        return list(self.made_openings)

    @cached_property
    def made_openings(self) -> list[tuple[str, ...]]:
        """Openings, made at the first use."""
        wanted = min((self.cycles * self.legs + 1) // 2, MOST_OPENINGS)
        if isinstance(self.openings, list):
            return [tuple(opening) for opening in self.openings]
        if self.openings == "none":
            return []
        first: list[tuple[str, ...]] = [()] if self.openings == "auto" else []
        if wanted <= len(first):
            return first
        return [*first, *suite(get_game(self.game), self.settings, self.seed, wanted - len(first))]


def _read_rating(text: object) -> tuple[str, float]:
    name, _, value = str(text).rpartition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise ValueError(f"{text!r} is not NAME=RATING") from None


def check_opening(state: State, opening: list[str]) -> None:
    """Check an opening by playing it. Raises EngineError if a move is illegal, or the opening ends the game."""
    for move in opening:
        state = state.play(move)
    if state.outcome is not None:
        raise IllegalMove(f"the opening {' '.join(opening)} ends the game")
