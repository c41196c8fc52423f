"""Errors of requests, answered as `{"error": {code, message, detail}}` under `/api`, and as a small page elsewhere."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Self

from pydantic import BaseModel
from rumble_protocol.codes import ErrorCode
from rumble_protocol.server_messages import FieldProblem

from rumble_server.tournament.errors import RequestRefused

STATUSES: dict[str, HTTPStatus] = {
    ErrorCode.UNKNOWN_TOURNAMENT: HTTPStatus.NOT_FOUND,
    ErrorCode.UNKNOWN_BOT: HTTPStatus.NOT_FOUND,
    "unknown_code": HTTPStatus.NOT_FOUND,
    "not_found": HTTPStatus.NOT_FOUND,
    "too_many_requests": HTTPStatus.TOO_MANY_REQUESTS,
    "bad_display_name": HTTPStatus.UNPROCESSABLE_ENTITY,
}
"""Statuses of refusals by code; every other refusal is a conflict (409)."""


class WebErrorBody(BaseModel):
    """An error: its `code` for programs, its `message` for people, and in `detail` the problem of each wrong field."""

    code: str
    message: str
    detail: list[FieldProblem]


class WebErrorAnswer(BaseModel):
    """The body of every error answer of the API."""

    error: WebErrorBody


def error_answers(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """Describe the errors of a route for the OpenAPI document, by a reference to the model of all errors.

    FastAPI builds each model anew for every route that names the model. For the model of errors, this would take most
    of the time of the server's start. So only `reading.WITH_MODEL` names the model, which suffices for the document.
    """
    schema = {"$ref": f"#/components/schemas/{WebErrorAnswer.__name__}"}
    content = {"application/json": {"schema": schema}}
    return {status.value: {"description": status.phrase, "content": content} for status in statuses}


class WebError(Exception):
    """The error of a request that cannot be served."""

    def __init__(self, status: int, code: str, message: str, detail: Sequence[FieldProblem] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.detail = list(detail)

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        """Pickle all fields, since another process may raise the error; by default only the message would be passed."""
        return type(self), (self.status, self.code, self.message, self.detail)

    @classmethod
    def of(cls, error: RequestRefused) -> Self:
        """Make the error of a refused command: the refusal's code decides the status, by default 409."""
        return cls(STATUSES.get(error.code, HTTPStatus.CONFLICT), error.code, str(error))

    @classmethod
    def unavailable(cls, message: str) -> Self:
        """Make the error (503) for a database that cannot be read or written, or a server that is about to stop."""
        return cls(HTTPStatus.SERVICE_UNAVAILABLE, ErrorCode.UNAVAILABLE, message)

    @classmethod
    def too_many(cls, message: str) -> Self:
        """Make the refusal (429) of an address that asked too much; the address may ask again in a minute."""
        return cls(HTTPStatus.TOO_MANY_REQUESTS, "too_many_requests", message)

    @classmethod
    def bad_token(cls, message: str) -> Self:
        """Make the refusal (401) of a request without a right key or token."""
        return cls(HTTPStatus.UNAUTHORIZED, "bad_token", message)

    @classmethod
    def not_found(cls, message: str) -> Self:
        return cls(HTTPStatus.NOT_FOUND, "not_found", message)

    def answer(self) -> WebErrorAnswer:
        return WebErrorAnswer(error=WebErrorBody(code=self.code, message=self.message, detail=self.detail))
