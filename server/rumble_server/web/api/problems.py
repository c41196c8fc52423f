"""Error answers for bad requests, with the problem of each wrong field, and the reading of configurations."""

from collections.abc import Sequence
from http import HTTPStatus

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from rumble_engine import EngineError, get_game
from rumble_protocol.clubs import CLUB_PATTERN
from rumble_protocol.codes import ErrorCode
from rumble_protocol.fields import NAME_PATTERN
from rumble_protocol.server_messages import FieldProblem

from rumble_server.tournament.config import TournamentConfig
from rumble_server.web.errors import WebError

MOST_PROBLEMS = 8
"""Maximum number of problems in an answer."""
PATTERNS = {
    CLUB_PATTERN: "1 to 32 of a-z, 0-9 and -",
    NAME_PATTERN: "1 to 32 of the letters A-Z a-z, digits, and . _ -, and begin with a letter or a digit",
}
"""For each pattern, a description for people of the texts that match."""


def bad_request(problems: Sequence[ErrorDetails], skip: int = 0) -> WebError:
    """Make the error for bad fields.

    The first `skip` parts of each location only say where the field was given, such as `query`, and are left out.
    """
    detail = [_problem(problem, skip) for problem in problems[:MOST_PROBLEMS]]
    message = "; ".join(f"{each.field}: {each.problem}" if each.field else each.problem for each in detail)
    return WebError(HTTPStatus.UNPROCESSABLE_ENTITY, ErrorCode.BAD_MESSAGE, message, detail)


def read_config(body: bytes) -> TournamentConfig:
    """Read a configuration. Raises WebError with `unknown_game`, `bad_settings`, or else `bad_message`."""
    try:
        return TournamentConfig.model_validate_json(body)
    except ValidationError as error:
        problems = error.errors(include_url=False)
    refusal = bad_request(problems)
    for problem in problems:
        if problem["type"] == "value_error" and not problem["loc"]:
            is_game = _is_game(problem["input"]["game"])
            refusal.code = ErrorCode.BAD_SETTINGS if is_game else ErrorCode.UNKNOWN_GAME
            refusal.detail = [FieldProblem(field="settings" if is_game else "game", problem=refusal.message)]
    raise refusal


def _is_game(name: str) -> bool:
    try:
        get_game(name)
    except EngineError:
        return False
    return True


def _problem(problem: ErrorDetails, skip: int) -> FieldProblem:
    field = ".".join(str(part) for part in problem["loc"][skip:]) or problem.get("ctx", {}).get("field", "")
    match problem["type"]:
        case "missing":
            text = "is required"
        case "extra_forbidden":
            text = "unknown field"
        case "json_invalid":
            text = problem["msg"].replace("Invalid JSON", "not JSON")
        case "string_pattern_mismatch" if problem["ctx"]["pattern"] in PATTERNS:
            text = f"should be {PATTERNS[problem['ctx']['pattern']]}"
        case _:
            text = problem["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return FieldProblem(field=field[:80], problem=text)
