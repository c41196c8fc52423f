"""The options of a tournament, chosen by its organiser."""

from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo, field_validator, model_validator
from rumble_engine import EngineError, IllegalMove, State, get_game
from rumble_protocol.fields import AwayClock, Duration, Settings, ShortText, TimeControl

from rumble_server.results.editions import NEWEST, Edition
from rumble_server.results.tally import Scheme
from rumble_server.results.tiebreaks import DEFAULT, DEFAULT_SWISS, check_tiebreaks
from rumble_server.tournament.formats import FORMATS, Plan
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

    Durations are in ms, and times in ms since the epoch.

    A field is described only by its docstring: the API's document, the console's form and the command line show the
    text.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True)

    name: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    """Name for people. The tournament's id, which is part of its addresses, is made from the name."""
    game: ShortText
    """Game that is played."""
    settings: Settings = Field(default_factory=dict)
    """Settings of the game by name; a missing setting has the game's own default."""
    format: Annotated[ShortText, Field(json_schema_extra={"enum": list(FORMATS)})] = "round-robin"
    """Rule by which pairings are made."""
    cycles: Count = 1
    """Round-robin, gauntlet: number of times that everyone meets everyone."""
    legs: Count = 2
    """Matches of a pairing, seats swapped. With 2, both bots play the same opening from both seats, which is fair."""
    rounds: Count | None = None
    """Swiss: number of rounds; by default as many as a knockout has."""
    pairing_rules: Literal["dutch-2025", "dutch-2026"] = NEWEST_PAIRING_RULES
    """Swiss: edition of the FIDE Dutch System, by default the newest. A tournament keeps its edition."""
    acceleration: Literal["none", "baku"] = "none"
    """Swiss: with baku, the first half of the seeds has virtual points in the first rounds, and so meets each other."""
    challengers: Count = 1
    """Gauntlet: number of bots, the first by number, that meet all others."""
    replays: Annotated[int, Field(ge=0, le=100)] = 1
    """Knockout: number of times that a tied pairing plays again before the better seed goes on."""
    time_control: TimeControl = Field(default_factory=lambda: TimeControl(move_ms=10_000))
    """Time that a bot has to think."""
    invite: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None
    """Code that a bot needs to join; by default anyone may join."""
    start_at_bots: Annotated[int, Field(ge=2, le=MOST_BOTS)] | None = None
    """Number of bots with which the tournament starts by itself; by default the host starts the tournament."""
    start_at_ms: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = None
    """Time of the automatic start; with fewer than two bots by then, the start comes with the second bot."""
    late_join: bool = False
    """Round-robin: bots may join while the tournament runs. A late bot meets all earlier bots, in rounds after the
    schedule's own."""
    openings: Literal["auto", "suite", "none"] | list[list[str]] = "auto"
    """Openings, each played from both seats. auto: a pair begins without an opening, and goes on with the game's
    openings. suite: a pair plays only the game's openings. none: matches begin without openings. Or your own list."""
    points: Annotated[list[float], Field(min_length=3, max_length=3)] = Field(default_factory=lambda: [1.0, 0.5, 0.0])
    """Points for a win, a draw and a loss."""
    tiebreaks: list[str] | None = Field(default=None, max_length=8)
    """Tie-breaks in order: de, won, sb, ks, bpg, bwg, bh, faults, and of a swiss bh-c1, bh-m1, ps, aro, tpr (by given
    ratings); by default the tie-breaks of the format."""
    tiebreak_rules: Edition = NEWEST
    """Edition of FIDE's tie-break rules, by default the newest. A tournament keeps its edition."""
    rated: bool = True
    """Ratings, with their intervals, are computed."""
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] = 0
    """Seed of everything random: the same seed and the same bots give the same schedule and openings."""
    seed_ratings: dict[ShortText, Annotated[float, Field(ge=0, le=10_000)]] = Field(
        default_factory=dict, max_length=MOST_BOTS
    )
    """Ratings by which the bots are seeded, the greatest first. Bots without a rating come last, in an order by the
    seed."""
    illegal_retries: Annotated[int, Field(ge=0, le=100)] = 0
    """Number of illegal moves in a match that a bot may correct, on the same clock."""
    bench_after: Annotated[int, Field(ge=0, le=1_000_000)] = 10
    """Number of matches lost in a row by its own fault after which a bot is benched; 0: never."""
    away_ms: Duration = 30_000
    """Time for which a bot may be disconnected in a match, separate from its thinking time."""
    away_clock: AwayClock = "stands"
    """Rule for the clock of a bot that is away on its own turn: the clock stands or runs."""
    absent_ms: Duration = 120_000
    """Time for which matches wait for a bot that is not connected; then the bot loses them."""
    listed: bool = True
    """The list of tournaments shows the tournament; an unlisted one is found by its address alone."""

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
            if self.openings == "suite" and not game.in_turn:
                raise ValueError(f"{game.name} has no openings, because its seats do not move in turn, or by chance")
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
            self.pairing_rules,
            self.acceleration,
        )

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
    def tiebreak_order(self) -> tuple[str, ...]:
        if self.tiebreaks is not None:
            return tuple(self.tiebreaks)
        return DEFAULT_SWISS if self.format == "swiss" else DEFAULT

    def make_openings(self) -> list[tuple[str, ...]]:
        """Return the openings that every pair plays, in order. Equal configurations give equal openings.

        In some games the first call may take a second, so it belongs off the event loop. The result is kept.
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
        game = get_game(self.game)
        if wanted <= len(first) or not game.in_turn:
            return first
        return [*first, *suite(game, self.settings, self.seed, wanted - len(first))]


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
