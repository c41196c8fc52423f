"""Field types that messages share, and the base classes of the messages in each direction."""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$"

LARGEST_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exact (RFC 8259, section 6)."""
DAY_MS = 24 * 60 * 60 * 1000

Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
"""A bot's name, compared without case."""
WantedName = Annotated[str, WithJsonSchema({"type": "string", "pattern": NAME_PATTERN})]
"""A name that a bot asks for. The pattern is only in the schema, so the server answers a wrong name with `bad_name`,
not with `bad_message`."""
Key = Annotated[str, StringConstraints(min_length=16, max_length=128)]
TournamentId = Annotated[str, StringConstraints(min_length=1, max_length=64)]
MatchId = Annotated[str, StringConstraints(min_length=1, max_length=128)]
TurnId = Annotated[str, StringConstraints(min_length=1, max_length=64)]
MOST_REASON = 500
"""Maximum number of characters of the reason of a `resign`."""
Reason = Annotated[str, StringConstraints(max_length=MOST_REASON)]
ShortText = Annotated[str, StringConstraints(max_length=64)]
Seat = Annotated[int, Field(ge=0, le=15)]
Count = Annotated[int, Field(ge=0, le=LARGEST_INTEGER)]
Milliseconds = Annotated[int, Field(ge=0, le=LARGEST_INTEGER)]
Duration = Annotated[int, Field(ge=0, le=DAY_MS)]
"""A duration in ms chosen by a user: at most a day."""
SettingSchema = (
    bool | Annotated[int, Field(ge=-LARGEST_INTEGER, le=LARGEST_INTEGER)] | Annotated[str, Field(max_length=256)]
)
"""Union of the types that `_setting` accepts, used only in the schema. Validation by the union would report three
problems for each wrong value."""


def _setting(value: Any) -> bool | int | str:
    match value:
        case bool():
            return value
        case int() if abs(value) <= LARGEST_INTEGER:
            return value
        case str() if len(value) <= 256:
            return value
    raise ValueError("a setting is true or false, an integer of at most 53 bits, or text of at most 256 characters")


SettingValue = Annotated[bool | int | str, PlainValidator(_setting, json_schema_input_type=SettingSchema)]
Settings = dict[str, SettingValue]
"""A game's settings by name."""


class BotMessageModel(BaseModel):
    """Base class of a bot's messages: no coercion, and no unknown fields, so that a typo is an error."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


def _is_missing(value: object) -> bool:
    return not value


DisplayName = Annotated[str | None, Field(exclude_if=_is_missing)]
"""Display name of a bot, in messages of the server; absent for a bot that people know by its name."""
DisplayNames = Annotated[dict[str, str], Field(default_factory=dict, exclude_if=_is_missing)]
"""Display names by the names of bots, in messages of the server; absent if no bot has one."""


class ServerMessageModel(BaseModel):
    """Base class of the server's messages: a reader ignores unknown fields."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, allow_inf_nan=False)


class TimeControl(BaseModel):
    """Thinking time of a bot, in ms: `move_ms` for each move, then the bank, which grows by the increment.

    If neither `move_ms` nor `bank_ms` is given, `move_ms` is 10000. If only the bank is given, `move_ms` is 0.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True)

    move_ms: Duration = 0
    """Time for each move, used before the bank."""
    bank_ms: Duration = 0
    """Time for a whole match, used by a move that takes longer than `move_ms`."""
    increment_ms: Duration = 0
    """Time that the bank gains after each move."""

    @model_validator(mode="before")
    @classmethod
    def _default(cls, given: Any) -> Any:
        if isinstance(given, dict) and not any(name in given for name in ("move_ms", "bank_ms")):
            return {"move_ms": 10_000, **given}
        return given

    @model_validator(mode="after")
    def _some_time(self) -> Self:
        if self.move_ms + self.bank_ms == 0:
            raise ValueError("move_ms and bank_ms cannot both be 0: no tournament is without a clock")
        return self


AwayClock = Literal["stands", "runs"]
"""Behaviour of a bot's clock while the bot is away on its turn."""


def _without_unknown(given: Any) -> Any:
    if isinstance(given, dict):
        return {name: value for name, value in given.items() if name in TimeControl.model_fields}
    return given


ToldTimeControl = Annotated[TimeControl, BeforeValidator(_without_unknown)]
"""A time control in a message of the server; later versions may add fields."""


def _at_most_1_kb(note: str) -> str:
    if len(note.encode()) > 1024:
        raise ValueError("a note is at most 1024 bytes of UTF-8")
    return note


Note = Annotated[str, Field(max_length=1024), AfterValidator(_at_most_1_kb)]


MOST_INFO_BYTES = 1024
"""Maximum size in bytes of a `MoveInfo` as JSON without spaces; a larger `MoveInfo` makes a message bad."""


class MoveInfo(BotMessageModel):
    """A bot's thoughts about its move. `score` is in the bot's own unit; greater is better for the bot that moves.

    `depth` is in plies, `nodes` counts positions, `pv` lists the moves that the bot expects, its own first.
    """

    score: float | None = None
    depth: Count | None = None
    nodes: Count | None = None
    time_ms: Milliseconds | None = None
    pv: list[ShortText] | None = Field(default=None, max_length=MOST_INFO_BYTES // 3, fail_fast=True)

    @model_validator(mode="after")
    def _small(self) -> Self:
        if len(self.__pydantic_serializer__.to_json(self, exclude_none=True)) > MOST_INFO_BYTES:
            raise ValueError(f"an info is at most {MOST_INFO_BYTES} bytes of JSON")
        return self
