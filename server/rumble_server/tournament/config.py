"""What a host chooses for a tournament. Frozen; bad values fail when it is made."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from rumble_engine import EngineError, get_game
from rumble_protocol.fields import Duration, Settings, ShortText, TimeControl

MOST_BOTS = 4096

Format = Literal["round-robin"]


class TournamentConfig(BaseModel):
    """All choices of one tournament, with the defaults that suit a first one. Durations in ms."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    game: ShortText
    settings: Settings = Field(default_factory=dict)
    format: Format = "round-robin"
    cycles: Annotated[int, Field(ge=1, le=1000)] = 1
    legs: Annotated[int, Field(ge=1, le=1000)] = 2
    time_control: TimeControl = Field(default_factory=lambda: TimeControl(move_ms=10_000))
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] = 0
    start_at_bots: Annotated[int, Field(ge=2, le=MOST_BOTS)] | None = None
    illegal_retries: Annotated[int, Field(ge=0, le=100)] = 0
    away_ms: Duration = 30_000
    absent_ms: Duration = 120_000
    bench_after: Annotated[int, Field(ge=0, le=1_000_000)] = 10
    """So many faulty matches in a row bench a bot; 0: never."""
    rated: bool = True
    listed: bool = True
    invite: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None

    @model_validator(mode="after")
    def _check_game(self) -> Self:
        try:
            object.__setattr__(self, "settings", get_game(self.game).complete(self.settings))
        except EngineError as error:
            raise ValueError(str(error)) from None
        return self
