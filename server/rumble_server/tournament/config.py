"""The options of a tournament, chosen by its organiser."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError
from rumble_engine import EngineError, Game, IllegalMove, State, get_game
from rumble_protocol.fields import AwayClock, Duration, Settings, ShortText, TimeControl

from rumble_server.results.editions import NEWEST, Edition
from rumble_server.results.rounds import Rounds
from rumble_server.results.standings import LiveStandings, PlaceStandings, WinLossStandings
from rumble_server.results.tables.points import TablePoints
from rumble_server.results.tables.standings import DEFAULT_TABLES, check_table_tiebreaks
from rumble_server.results.tally import Scheme
from rumble_server.results.tiebreaks import check_tiebreaks
from rumble_server.tournament.formats import FORMATS, formats_with
from rumble_server.tournament.openings import suite
from rumble_server.tournament.pairs.pairing_rules import NEWEST as NEWEST_PAIRING_RULES
from rumble_server.tournament.pairs.plan import Plan
from rumble_server.tournament.schedule import Schedule
from rumble_server.tournament.tables.plan import TablePlan, smallest_table
from rumble_server.tournament.tables.refusals import refusal

MOST_SEATS = 16
"""Maximum of `seats`."""
MOST_BOTS = 4096
"""Maximum of `start_at_bots`."""
MOST_OPENINGS = 64
"""Maximum number of openings made for a tournament. A pair that has played all of them starts again from the first."""
WinDrawLoss = tuple[float, float, float]
UpTo1000 = Annotated[int, Field(ge=1, le=1000)]


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
    seats: Annotated[int, Field(ge=2, le=MOST_SEATS)] | None = None
    """Seats of a match, by default the game's usual number. With more than two, bots meet at tables."""
    format: Annotated[ShortText, Field(json_schema_extra={"enum": list(FORMATS)})] = "round-robin"
    """Rule by which pairings are made."""
    cycles: UpTo1000 = 1
    """Round-robin, gauntlet: number of times that everyone meets everyone."""
    legs: UpTo1000 = 2
    """Number of matches of a pairing, with seats swapped after each. With 2, both bots play the same opening from both
    seats, which is fair. With more than two seats always 1. A round has at most 5,000 matches."""
    rounds: UpTo1000 | None = None
    """Swiss: number of rounds; by default as many as a knockout has."""
    pairing_rules: Literal["dutch-2025", "dutch-2026", "tables"] = NEWEST_PAIRING_RULES
    """Swiss: edition of the FIDE Dutch System, by default the newest. A tournament keeps its edition. With more than
    two seats always tables: bots with about equal points meet."""
    acceleration: Literal["none", "baku"] = "none"
    """Swiss: with baku, the first half of the seeds has virtual points in the first rounds, so that these bots meet."""
    challengers: UpTo1000 = 1
    """Gauntlet: number of challengers, which are the first bots by number. Each challenger meets all other bots, but no
    challenger."""
    replays: Annotated[int, Field(ge=0, le=100)] = 1
    """Knockout: number of times that a tied pairing or table is played again before the better seed goes on."""
    time_control: TimeControl = Field(default_factory=lambda: TimeControl(move_ms=10_000))
    """Time that a bot has to think."""
    invite: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None
    """Code that a bot needs to join; by default anyone may join."""
    start_at_bots: Annotated[int, Field(ge=2, le=MOST_BOTS)] | None = None
    """The tournament starts by itself with this number of bots, in a classroom with this number of connected bots. By
    default the host starts the tournament."""
    start_at_ms: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = None
    """Time of the automatic start; with too few bots by then, the start comes as soon as there are enough."""
    late_join: bool = False
    """Round-robin: bots may join while the tournament runs. A late bot meets all earlier bots, in rounds after the
    schedule's own, in at most 5,000 matches."""
    openings: Literal["auto", "suite", "none"] | list[list[str]] = "auto"
    """Openings, each played from both seats. auto: a pair begins without an opening, and goes on with the game's
    openings. suite: a pair plays only the game's openings. none: matches begin without openings. Or your own list."""
    points: Annotated[list[float], Field(min_length=2, max_length=MOST_SEATS)] | Literal["places", "payoffs"] = Field(
        default_factory=lambda: [1.0, 0.5, 0.0]
    )
    """Points for a win, a draw and a loss; with more than two seats, for the first place, the second, and so on. places
    (the default with more than two seats): a point for each seat behind. payoffs: the sum of the game's own payoffs."""
    tiebreaks: list[str] | None = Field(default=None, max_length=8)
    """Tie-breaks in order, out of de, won, sb, ks, bpg, bwg, bh, faults; in a swiss also bh-c1, bh-m1, ps, aro and tpr
    (aro and tpr use given ratings). With more than two seats, or with points by places or payoffs, out of won, places,
    de, payoff, faults. By default the tie-breaks of the format."""
    tiebreak_rules: Edition = NEWEST
    """Edition of FIDE's tie-break rules, by default the newest. A tournament keeps its edition."""
    rated: bool = True
    """Ratings, with their intervals, are computed."""
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] = 0
    """Seed of everything random: the same seed and the same bots give the same schedule and openings."""
    seed_ratings: dict[ShortText, Annotated[float, Field(ge=0, le=10_000)]] = Field(
        default_factory=dict, max_length=MOST_BOTS
    )
    """Ratings by which the bots are seeded, the greatest first. Bots without a rating come last, in an order drawn from
    the seed."""
    illegal_retries: Annotated[int, Field(ge=0, le=100)] = 0
    """Number of illegal moves in a match that a bot may correct, on the same clock."""
    bench_after: Annotated[int, Field(ge=0, le=1_000_000)] = 10
    """Number of matches that a bot loses in a row by its own fault until the bot is benched; 0: never."""
    away_ms: Duration = 30_000
    """Time for which a bot may be disconnected in a match, separate from its thinking time."""
    away_clock: AwayClock = "stands"
    """Rule for the clock of a bot that is away on its own turn: the clock stands or runs."""
    absent_ms: Duration = 120_000
    """Time for which matches wait for a bot that is not connected; then the bot loses them."""
    spectator_delay_ms: Annotated[int, Field(ge=0, le=3_600_000)] = 0
    """Delay of each ply for spectators, in a hidden game. Secrets are never shown before the end of a match, even
    without a delay."""
    listed: bool = True
    """The list of tournaments shows the tournament; an unlisted one is found by its address alone."""

    classroom: bool = False
    """Pupils join by a code of six letters in a browser. By default the tournament is then not listed, and a
    round-robin for two seats takes late bots."""

    @field_validator("format")
    @classmethod
    def _check_format(cls, given: str) -> str:
        if given not in FORMATS:
            raise ValueError(f"unknown format {given!r}; there are: {', '.join(FORMATS)}")
        return given

    @field_validator("seed_ratings", mode="before")
    @classmethod
    def _read_seed_ratings(cls, given: object) -> object:
        return dict(map(_read_rating, given)) if isinstance(given, list) else given

    @field_validator("late_join")
    @classmethod
    def _check_late_join(cls, given: bool, info: ValidationInfo) -> bool:
        takers = formats_with("late_join")
        if given and "format" in info.data and info.data["format"] not in takers:
            raise ValueError(f"late_join is for a {' or '.join(takers)}")
        return given

    @model_validator(mode="after")
    def _complete_and_check(self) -> Self:
        try:
            game = get_game(self.game)
            self._complete(game)
            with _problem_of("seats"):
                game.check_seats(self.match_seats)
            self._check_tables()
            self._check_points()
            if self.openings == "suite" and not (game.in_turn and not game.hides):
                raise ValueError(f"{game.name} has no openings, because its seats do not move in turn, or by chance")
            if game.hides and isinstance(self.openings, list):
                raise ValueError(f"{game.name} has no openings, because it hides something")
            if self.spectator_delay_ms and not game.hides:
                raise _problem("spectator_delay_ms", f"{game.name} hides nothing, so spectators see it at once")
            if isinstance(self.openings, list):
                for opening in self.openings:
                    check_opening(game.initial(self.settings, self.seed), opening)
        except EngineError as error:
            raise ValueError(str(error)) from None
        return self

    def _complete(self, game: Game) -> None:
        """Set the options that follow from the game and from other options. Later a configuration never changes."""
        seats = game.seats if self.seats is None else self.seats
        values: dict[str, object] = {"settings": game.complete(self.settings), "seats": seats}
        defaults: dict[str, object] = {}
        if game.cooperative:
            values["rated"] = False
        if self.classroom:
            takes_late = self.format in formats_with("late_join") and seats == 2
            defaults |= {"listed": False, "late_join": takes_late}
        if seats > 2:
            defaults |= {"pairing_rules": "tables", "legs": 1, "points": "places"}
        values |= {name: value for name, value in defaults.items() if name not in self.model_fields_set}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _check_tables(self) -> None:
        """Check the options that are only for two seats, or only for tables. Raises ValueError."""
        if self.match_seats == 2:
            if self.pairing_rules == "tables":
                raise _problem("pairing_rules", "the pairing_rules tables are for more than two seats")
            return
        refused = refusal({name: getattr(self, name) for name in self.model_fields_set})
        if refused is not None:
            raise _problem(*refused)
        if self.start_at_bots is not None and self.start_at_bots < self.least_bots:
            needs = f"a table of {self.seats} needs {self.least_bots} bots"
            raise _problem("start_at_bots", f"{needs}: start_at_bots is too small")

    def _check_points(self) -> None:
        """Check points and tie-breaks. Raises ValueError."""
        by_points = FORMATS[self.format].pairs_by_points
        with _problem_of("points"):
            if self.points == "payoffs" and not get_game(self.game).pays:
                raise ValueError(f"{self.game} has no payoffs: give points in numbers")
            if self.match_seats == 2 and (self.points == "places" or (self.counts_places and by_points)):
                raise ValueError("a swiss of two seats, and places of two seats, need points for a win, draw and loss")
            _ = self.table_points if self.counts_places else Scheme.of(self.scheme)
        with _problem_of("tiebreaks"):
            if self.counts_places:
                check_table_tiebreaks(self.tiebreaks or ())
            else:
                check_tiebreaks(self.tiebreaks or (), rounds=by_points)

    @property
    def match_seats(self) -> int:
        """Number of seats of a full match."""
        return self.seats or 2

    @property
    def is_swiss_of_pairs(self) -> bool:
        """True for a Swiss of two seats. Only its bots can have half-point byes."""
        return FORMATS[self.format].pairs_by_points and self.match_seats == 2

    @property
    def counts_places(self) -> bool:
        """True if results count by places or payoffs, and not as wins, draws and losses."""
        return self.match_seats > 2 or isinstance(self.points, str)

    @property
    def table_points(self) -> TablePoints:
        if self.points == "places":
            return TablePoints(seats=self.seats)
        return TablePoints(counts_payoffs=True) if self.points == "payoffs" else TablePoints.of(self.points)

    @property
    def least_seats(self) -> int:
        """Minimum number of bots with which a match of the tournament is played."""
        return min(get_game(self.game).least_seats, self.match_seats)

    @property
    def least_bots(self) -> int:
        """Minimum number of bots with which the tournament starts."""
        return 2 if self.match_seats == 2 else smallest_table(self.match_seats, self.least_seats)

    def make_schedule(self, bots: int) -> Schedule[Any, Any]:
        """Make the schedule for a field of `bots` bots: of pairs, or of tables. Raises ValueError if there is none."""
        kind, size = FORMATS[self.format], (self.rounds, self.challengers, self.replays)
        if self.match_seats > 2:
            seats = self.match_seats
            tables = TablePlan(bots, seats, self.least_seats, self.cycles, *size, self.seed, self.table_points)
            return kind.table_schedule(tables)
        scheme = (1, 0.5, 0) if self.counts_places else self.scheme
        pairs = Plan(bots, self.cycles, self.legs, *size, scheme, self.pairing_rules, self.acceleration)
        return kind.schedule(pairs)

    def make_standings(self) -> LiveStandings[Any]:
        """Make the standings of a tournament without bots. In a Swiss of two seats, they also keep the rounds."""
        order = self.tiebreak_order
        if self.counts_places:
            return PlaceStandings(order, self.table_points)
        rounds = Rounds(Scheme.of(self.scheme), self.legs, rating=self.seed_rating) if self.is_swiss_of_pairs else None
        return WinLossStandings(tiebreaks=order, points=self.scheme, edition=self.tiebreak_rules, rounds=rounds)

    def seed_rating(self, bot: str) -> float | None:
        """Return the rating by which a bot is seeded; None for a bot without a rating."""
        return self._seed_ratings.get(bot.casefold())

    @cached_property
    def _seed_ratings(self) -> dict[str, float]:
        return {name.casefold(): rating for name, rating in self.seed_ratings.items()}

    @property
    def scheme(self) -> WinDrawLoss:
        """The points for a win, a draw and a loss. Raises ValueError if `points` are not three numbers."""
        if isinstance(self.points, str) or len(self.points) != 3:
            raise ValueError(f"points are three numbers, for a win, a draw and a loss, not {self.points!r}")
        win, draw, loss = self.points
        return win, draw, loss

    @property
    def tiebreak_order(self) -> tuple[str, ...]:
        if self.tiebreaks is not None:
            return tuple(self.tiebreaks)
        if self.counts_places:
            return DEFAULT_TABLES
        return FORMATS[self.format].default_tiebreaks

    def make_openings(self) -> list[tuple[str, ...]]:
        """Return the openings that every pair plays, in order. Equal configurations give equal openings.

        In some games the first call may take a second, so make this call off the event loop. Later calls are fast.
        """
        return list(self.made_openings)

    @cached_property
    def made_openings(self) -> list[tuple[str, ...]]:
        """Openings, made at the first use."""
        count = min((self.cycles * self.legs + 1) // 2, MOST_OPENINGS)
        if isinstance(self.openings, list):
            return [tuple(opening) for opening in self.openings]
        if self.openings == "none":
            return []
        first: list[tuple[str, ...]] = [()] if self.openings == "auto" else []
        game = get_game(self.game)
        if count <= len(first) or not game.is_plain(self.match_seats):
            return first
        return [*first, *suite(game, self.settings, self.seed, count - len(first))]


@contextmanager
def _problem_of(field: str) -> Iterator[None]:
    """Add the name of a field to the ValueErrors of checks that need several fields."""
    try:
        yield
    except ValueError as error:
        raise _problem(field, str(error)) from None


def _problem(field: str, problem: str) -> PydanticCustomError:
    return PydanticCustomError("of_field", "{problem}", {"field": field, "problem": problem})


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
