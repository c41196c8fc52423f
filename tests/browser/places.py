"""Every page there is, once: the checks of accessibility and the screenshots go through this list."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A page: its name, and its path with the ids of `scenery` in braces. `refused` is the status of an error page."""

    name: str
    path: str
    refused: int | None = None


# A new page is one more line here.
PLACES = (
    Place("home", "/"),
    Place("lobby-empty", "/tournaments/{empty}"),
    Place("lobby", "/tournaments/{lobby}"),
    Place("running", "/tournaments/{running}"),
    Place("paused", "/tournaments/{paused}"),
    Place("finished", "/tournaments/{finished}"),
    Place("swiss", "/tournaments/{swiss}"),
    Place("knockout", "/tournaments/{knockout}"),
    Place("big", "/tournaments/{big}"),
    Place("cancelled", "/tournaments/{cancelled}"),
    Place("matches", "/tournaments/{knockout}/matches"),
    Place("matches-of-bot", "/tournaments/{swiss}/matches?bot={bot}"),
    Place("match-running", "/matches/{running_match}"),
    Place("match-over", "/matches/{finished_match}"),
    Place("rounds", "/tournaments/{swiss}/rounds"),
    Place("audit", "/tournaments/{finished}/audit"),
    Place("bot", "/bots/{bot}"),
    Place("write", "/write"),
    Place("play", "/play"),
    Place("console", "/console"),
    Place("console-tournament", "/console/{running}"),
    Place("docs", "/docs"),
    Place("error", "/nothing-here", refused=404),
)
