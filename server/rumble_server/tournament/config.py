"""What an organiser chooses for a tournament."""

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
"""Maximum number of openings that are made; a pair with more matches plays them again from the first."""
Points = tuple[float, float, float]
Count = Annotated[int, Field(ge=1, le=1000)]


class TournamentConfig(BaseModel):
    """All choices of one tournament, with defaults that suit a first one. Bad values raise ValidationError.

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
    """Swiss: how many rounds; None: the number that a knockout of the field would have."""
    challengers: Count = 1
    """Gauntlet: how many bots, the first by number, meet all others."""
    replays: Annotated[int, Field(ge=0, le=100)] = 1
    """Knockout: how often a tied pairing is played again before the better seed goes on."""
    tiebreaks: list[str] | None = Field(default=None, max_length=8)
    """In order; None: the format's own."""
    points: Annotated[list[float], Field(min_length=3, max_length=3)] = Field(default_factory=lambda: [1.0, 0.5, 0.0])
    """For a win, a draw and a loss."""
    openings: Literal["auto", "suite", "none"] | list[list[str]] = "auto"
    """The openings of each pair, played from both seats: `auto` begins with none and goes on with the game's suite, so
    that no match is played twice; `suite` takes the suite from the beginning; or a list of openings."""
    time_control: TimeControl = Field(default_factory=lambda: TimeControl(move_ms=10_000))
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] = 0
    start_at_bots: Annotated[int, Field(ge=2, le=MOST_BOTS)] | None = None
    start_at_ms: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = None
    """When it starts by itself (ms since the epoch); if fewer than two bots are in at that time, as soon as two are."""
    late_join: bool = False
    """Round-robin: whether bots may enter while it runs. A newcomer meets all earlier bots, as often as they meet each
    other, in rounds after the schedule's own; a bot that leaves loses its remaining matches as `no_show`."""
    illegal_retries: Annotated[int, Field(ge=0, le=100)] = 0
    away_ms: Duration = 30_000
    away_clock: AwayClock = "stands"
    """Whether a bot's clock stands while it is away on its own turn, or runs on."""
    absent_ms: Duration = 120_000
    bench_after: Annotated[int, Field(ge=0, le=1_000_000)] = 10
    """A bot that loses this many matches in a row by its own fault is benched; 0: never."""
    rated: bool = True
    listed: bool = True
    invite: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None
    pairing_rules: Literal["dutch-2025", "dutch-2026"] | None = None
    """Swiss: the edition of the pairing rules. None: of a tournament to be created, the newest; of one that Rumble 0.1
    made, `dutch-2025`."""
    acceleration: Literal["none", "baku"] = "none"
    """Swiss: `baku` has the first half of the seeds meet each other at first, by virtual points."""
    seed_ratings: dict[ShortText, Annotated[float, Field(ge=0, le=10_000)]] = Field(
        default_factory=dict, max_length=MOST_BOTS
    )
    """By name: ratings by which bots are seeded, the greatest first; bots without one come last, by the seed. A list of
    texts `NAME=RATING` is read, too."""
    tiebreak_rules: FideEdition | None = None
    """The edition of the tie-break rules. None: of a tournament to be created, the newest; of one that Rumble 0.1 made,
    its own."""

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
        """Return what the schedule of a field of `bots` bots is made from."""
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
        """Return the configuration of a tournament that is created: its rules are named, so that it keeps them."""
        named = {
            "pairing_rules": self.pairing_rules or NEWEST_PAIRING_RULES,
            "tiebreak_rules": self.tiebreak_rules or NEWEST,
        }
        return self.model_copy(update=named)

    @property
    def pairing_edition(self) -> str:
        """The name of the pairing rules of a Swiss that exists."""
        return self.pairing_rules or DUTCH_2025

    def seed_rating(self, bot: str) -> float | None:
        """Return the rating by which a bot is seeded; None if it has none."""
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
        """The name of the tie-break rules of a tournament that exists."""
        return self.tiebreak_rules or FIRST

    @property
    def tiebreak_order(self) -> tuple[str, ...]:
        if self.tiebreaks is not None:
            return tuple(self.tiebreaks)
        if self.format != "swiss":
            return DEFAULT
        return DEFAULT_SWISS_FIRST if self.edition == FIRST else DEFAULT_SWISS

    def make_openings(self) -> list[tuple[str, ...]]:
        """Make the openings of every pair, in order; the same config gives the same.

        This may take a second in some games. The result is kept, so call it off the event loop first.
        """
        return list(self.made_openings)

    @cached_property
    def made_openings(self) -> list[tuple[str, ...]]:
        """The openings, made when they are asked for first."""
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
    """Play an opening. Raises EngineError if a move is not legal, or the game is over after it."""
    for move in opening:
        state = state.play(move)
    if state.outcome is not None:
        raise IllegalMove(f"the opening {' '.join(opening)} ends the game")
