"""The forecast of a tournament that has not been created."""

from dataclasses import asdict
from typing import Annotated

from fastapi import Query, Request
from rumble_protocol.codes import ErrorCode

from rumble_server.tournament.config import MOST_BOTS, TournamentConfig
from rumble_server.tournament.forecast import Forecast, forecast
from rumble_server.web.api.host.commands import body_schema, host_router
from rumble_server.web.api.host.models import ForecastAnswer
from rumble_server.web.api.problems import read_config
from rumble_server.web.errors import WebError
from rumble_server.web.guards.bodies import read_body
from rumble_server.web.site import site_of
from rumble_server.web.texts import forecast_text

router = host_router(audited=False)  # a forecast changes nothing


@router.post("/host/forecast", openapi_extra=body_schema(TournamentConfig))
async def forecast_tournament(request: Request, bots: Annotated[int, Query(ge=2, le=MOST_BOTS)]) -> ForecastAnswer:
    """Forecast a tournament of `bots` bots: its matches, and its approximate length. Creates nothing."""
    made = await site_of(request).reader.run(forecast_of, await read_body(request), bots)
    return ForecastAnswer(**asdict(made), text=forecast_text(made))


def forecast_of(body: bytes, bots: int) -> Forecast:
    """Forecast the tournament of a configuration. Raises WebError for a bad configuration."""
    config = read_config(body)
    try:
        return forecast(config, bots)
    except ValueError as error:
        raise WebError(422, ErrorCode.BAD_SETTINGS, str(error)) from None
