"""Figures about all clubs together, for Prometheus. Requests from this machine need no token; other requests do."""

import hmac
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from rumble_protocol.clubs import MAIN
from rumble_protocol.server_messages import OVER, TournamentStatus

from rumble_server.host.histogram import Histogram
from rumble_server.limits.guesses import HOST_TOKEN, SHORTEST_TOKEN
from rumble_server.match.facts import MatchOver, MoveMade
from rumble_server.web.client import client_address, is_local
from rumble_server.web.guards.secret_checks import SecretChecker
from rumble_server.web.guards.tokens import bearer_token
from rumble_server.web.ports import ClubPlay
from rumble_server.web.site import ClubSites, ProcessFigures, clubs_of, process_of

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
LIVE: tuple[TournamentStatus, ...] = ("lobby", "running", "paused")


def figures(clubs: ClubSites, operation: ProcessFigures) -> CollectorRegistry:
    """Make the registry of a process's figures, which are read at each request."""
    registry = CollectorRegistry()
    registry.register(_Figures(clubs, operation))
    ProcessCollector(registry=registry)
    return registry


router = APIRouter(tags=["operation"])


@router.get("/metrics", response_class=Response)
async def metrics(request: Request) -> Response:
    """Show figures in the text format of Prometheus. Other machines need `Authorization: Bearer TOKEN`."""
    if not _admit(request):
        if len(bearer_token(request)) < SHORTEST_TOKEN:
            process_of(request).figures.refusals.count("wrong_token", client_address(request), request.url.path)
        text = "from another machine /metrics takes the host token or --metrics-token as a bearer token\n"
        return Response(text, HTTPStatus.UNAUTHORIZED, {"WWW-Authenticate": "Bearer"}, media_type="text/plain")
    return Response(generate_latest(request.state.figures), media_type=PROMETHEUS)


def _admit(request: Request) -> bool:
    """Return true if a request is local or shows a right token. A wrong token is counted.

    Raises WebError (429) after too many wrong tokens.
    """
    process = process_of(request)
    shown, token = bearer_token(request), process.figures.metrics_token
    main = next((site for site in clubs_of(request).sites() if site.club == MAIN), None)
    if is_local(request):
        return True
    if len(shown) < SHORTEST_TOKEN:
        return False
    is_metrics_token = token is not None and hmac.compare_digest(shown.encode(), token.encode())
    is_host_token = main is not None and main.play.host_tokens.holder(shown) is not None
    # Both tokens count as a single try. A comparison outside of the count would allow endless guesses.
    checker = SecretChecker(process.guesses, process.now_ms)
    return checker.check_secret(request, HOST_TOKEN, shown, is_right=is_metrics_token or is_host_token)


class _Figures(Collector):
    """The figures of a process, read at each request."""

    def __init__(self, clubs: ClubSites, operation: ProcessFigures) -> None:
        self._clubs = clubs
        self._operation = operation

    def collect(self) -> Iterator[Metric]:
        sites, operation = list(self._clubs.sites()), self._operation
        plays, logs = [site.play for site in sites], [site.log for site in sites]
        connected = sum(player.is_connected for play in plays for player in play.players)
        last, waiting = max([log.last for log in logs], default=0), operation.waiting_facts()
        yield _gauge("clubs", "Clubs that are loaded.", len(sites))
        yield _gauge("bots_connected", "Bots that are logged in.", connected)
        yield _gauge("spectators", "Open streams of events.", sum(site.feed.reader_count for site in sites))
        yield _gauge("matches_running", "Matches that are being played.", sum(play.running_count for play in plays))
        yield _counter("moves", "Moves that counted, since the start of this process.", operation.fact_counts[MoveMade])
        yield _counter(
            "results", "Matches that ended, since the start of this process.", operation.fact_counts[MatchOver]
        )
        yield _gauge("log_facts", "The greatest number of a fact of the event log.", last)
        yield _gauge("log_facts_durable", "The same, less the facts that are not on disk.", max(0, last - waiting))
        trouble = any(log.trouble is not None for log in logs)
        yield _gauge("log_trouble", "1 while the database cannot be written.", trouble)
        yield _gauge(
            "loop_lag_seconds", "How late the event loop was when it was last measured.", operation.beat_delay_s()
        )
        yield _labelled("tournaments", "Tournaments, by status.", "status", self._tournaments(plays))
        yield _labelled("connections", "Open connections, by kind.", "kind", operation.connections())
        queues = {
            "facts": waiting,
            "sessions": sum(play.waiting_for_disk for play in plays),
            "streams": sum(site.feed.waiting_count for site in sites),
        }
        yield _labelled("queue_length", "What waits for the disk, by kind.", "queue", queues)
        refused = dict(sorted(operation.refusals.counts.items()))
        yield _labelled("refusals", "What was refused, by reason.", "reason", refused, CounterMetricFamily)
        about = (
            "Time from the first frame queued in an iteration of the event loop until the iteration's frames are "
            "written. Reading and refereeing before that are not included."
        )
        yield _histogram("turn_latency_seconds", about, operation.turn_latency)
        yield _histogram(
            "loop_late_seconds", "How late the event loop was, measured all the time.", operation.beat_delays
        )
        yield _histogram("commit_seconds", "Time of a transaction on the database.", operation.commits)

    def _tournaments(self, plays: Sequence[ClubPlay]) -> Mapping[str, float]:
        over = self._operation.ended()
        live = [tournament.status for play in plays for tournament in play.tournaments.values()]
        counts = {str(status): live.count(status) for status in LIVE} | {str(status): over[status] for status in OVER}
        return {**counts, "damaged": sum(len(play.tournaments.damaged) for play in plays)}


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(f"rumble_{name}", about, value)


def _counter(name: str, about: str, value: float) -> Metric:
    return CounterMetricFamily(f"rumble_{name}", about, value)


def _labelled(
    name: str,
    about: str,
    label: str,
    values: Mapping[str, float],
    kind: type[GaugeMetricFamily | CounterMetricFamily] = GaugeMetricFamily,
) -> Metric:
    family = kind(f"rumble_{name}", about, labels=[label])
    for each, value in values.items():
        family.add_metric([each], value)
    return family


def _histogram(name: str, about: str, histogram: Histogram) -> Metric:
    return HistogramMetricFamily(f"rumble_{name}", about, histogram.buckets(), histogram.sum_s)
