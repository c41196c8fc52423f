"""Errors as the web answers them: under `/api` as `{"error": {code, message, detail}}`, elsewhere as a small page.

WebError        a request that cannot be served, with its HTTP status and code
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Self

from pydantic import BaseModel
from rumble_protocol.codes import ErrorCode
from rumble_protocol.server_messages import FieldProblem

from rumble_server.tournament.errors import TournamentError

NOT_FOUND_CODES = frozenset({ErrorCode.UNKNOWN_TOURNAMENT, ErrorCode.UNKNOWN_BOT})


class WebErrorBody(BaseModel):
    """A code for programs, a line for people, and the fields that are wrong, if any."""

    code: str
    message: str
    detail: list[FieldProblem]


class WebErrorAnswer(BaseModel):
    """The body of every error that the API answers."""

    error: WebErrorBody


def error_answers(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """Describe the errors of a route for the OpenAPI document, which has their model from another one.

    Each model of each route is made anew: with models, those of errors would be most of what a start makes.
    """
    schema = {"$ref": f"#/components/schemas/{WebErrorAnswer.__name__}"}
    content = {"application/json": {"schema": schema}}
    return {status.value: {"description": status.phrase, "content": content} for status in statuses}


class WebError(Exception):
    """A request that cannot be served."""

    def __init__(self, status: int, code: str, message: str, detail: Sequence[FieldProblem] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.detail = list(detail)

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        """Pickle all of it: another process may raise it."""
        return type(self), (self.status, self.code, self.message, self.detail)

    @classmethod
    def of(cls, error: TournamentError) -> Self:
        """Convert what a tournament refuses: 404 for an unknown id or name, 409 for what cannot be done now."""
        status = HTTPStatus.NOT_FOUND if error.code in NOT_FOUND_CODES else HTTPStatus.CONFLICT
        return cls(status, error.code, str(error))

    @classmethod
    def unavailable(cls, message: str) -> Self:
        """Make the error while the log cannot be written, or the server is about to stop."""
        return cls(HTTPStatus.SERVICE_UNAVAILABLE, ErrorCode.UNAVAILABLE, message)

    @classmethod
    def too_many(cls, message: str) -> Self:
        """Make the refusal of an address that asked too much; it may ask again in a minute."""
        return cls(HTTPStatus.TOO_MANY_REQUESTS, "too_many_requests", message)

    @classmethod
    def not_found(cls, message: str) -> Self:
        return cls(HTTPStatus.NOT_FOUND, "not_found", message)

    def answer(self) -> WebErrorAnswer:
        return WebErrorAnswer(error=WebErrorBody(code=self.code, message=self.message, detail=self.detail))
