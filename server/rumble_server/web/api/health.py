"""Probes for orchestrators, and figures for Prometheus."""

import asyncio
from collections.abc import Iterator
from http import HTTPStatus

from fastapi import APIRouter, Response
from rumble_protocol.server_messages import TournamentStatus

from rumble_server.match.facts import MatchOver, MoveMade
from rumble_server.tournament.tournament import OVER
from rumble_server.web.api.models import Health
from rumble_server.web.site import Site

PROBE_S = 0.005
"""The time in s that a timer is set to, to measure by how much it is late."""
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
LIVE: tuple[TournamentStatus, ...] = ("lobby", "running", "paused")

Figure = tuple[str, str, str, float]
"""Name, type, help, value."""


def health_routes(site: Site) -> APIRouter:
    """Make these routes; they need no token."""
    router = APIRouter(tags=["operation"])

    @router.get("/healthz")
    async def healthz() -> Health:
        """Answer, which shows that the process runs."""
        return Health(status="ok", reason="")

    @router.get("/readyz", responses={503: {"model": Health}})
    async def readyz(response: Response) -> Health:
        """Say whether matches can start: 503 while the server drains, or while the database cannot be written."""
        reason = "draining" if site.arena.scheduler.draining else site.log.trouble
        if reason is None:
            return Health(status="ok", reason="")
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
        return Health(status="unavailable", reason=reason)

    @router.get("/metrics", response_class=Response)
    async def metrics() -> Response:
        """Show figures in the text format of Prometheus."""
        loop = asyncio.get_running_loop()
        due_s = loop.time() + PROBE_S
        await asyncio.sleep(PROBE_S)
        lag_s = max(0.0, loop.time() - due_s)
        return Response("".join(_lines(site, lag_s)), media_type=PROMETHEUS)

    return router


def _lines(site: Site, lag_s: float) -> Iterator[str]:
    for name, kind, about, value in _figures(site, lag_s):
        yield f"# HELP rumble_{name} {about}\n# TYPE rumble_{name} {kind}\nrumble_{name} {value:.12g}\n"
    yield "# HELP rumble_tournaments Tournaments in memory, by status.\n# TYPE rumble_tournaments gauge\n"
    tournaments = list(site.arena.tournaments.values())
    for status in (*LIVE, *OVER):
        count = sum(tournament.status == status for tournament in tournaments)
        yield f'rumble_tournaments{{status="{status}"}} {count}\n'


def _figures(site: Site, lag_s: float) -> Iterator[Figure]:
    arena, counts = site.arena, site.feed.counts
    connected = sum(player.is_connected for player in arena.players)
    yield "bots_connected", "gauge", "Bots that are logged in.", connected
    yield "spectators", "gauge", "Open streams of events.", site.feed.spectators
    yield "matches_running", "gauge", "Matches that are being played.", len(arena.matches.live)
    yield "moves_total", "counter", "Moves that counted, since the start of this process.", counts[MoveMade]
    yield "results_total", "counter", "Matches that ended, since the start of this process.", counts[MatchOver]
    yield "log_facts", "gauge", "The number of the last fact of the event log.", site.log.last
    yield "log_facts_durable", "gauge", "The number of the last fact that is on disk.", site.log.durable
    yield "log_trouble", "gauge", "1 while the database cannot be written.", site.log.trouble is not None
    yield "loop_lag_seconds", "gauge", "How late a timer was, measured at this reading.", lag_s
