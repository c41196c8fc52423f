"""The list of all pages, which the checks of accessibility and the screenshots go through."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page: its name, and its path with ids of `sample_site` in braces. `refused` is the status of an error page."""

    name: str
    path: str
    refused: int | None = None


# Add a line here for each new page.
SITE_PAGES = (
    SitePage("home", "/"),
    SitePage("lobby-empty", "/tournaments/{empty}"),
    SitePage("lobby", "/tournaments/{lobby}"),
    SitePage("running", "/tournaments/{running}"),
    SitePage("paused", "/tournaments/{paused}"),
    SitePage("finished", "/tournaments/{finished}"),
    SitePage("swiss", "/tournaments/{swiss}"),
    SitePage("knockout", "/tournaments/{knockout}"),
    SitePage("big", "/tournaments/{big}"),
    SitePage("cancelled", "/tournaments/{cancelled}"),
    SitePage("matches", "/tournaments/{knockout}/matches"),
    SitePage("matches-of-bot", "/tournaments/{swiss}/matches?bot={bot}"),
    SitePage("match-running", "/matches/{running_match}"),
    SitePage("match-over", "/matches/{finished_match}"),
    SitePage("rounds", "/tournaments/{swiss}/rounds"),
    SitePage("audit", "/tournaments/{finished}/audit"),
    SitePage("bot", "/bots/{bot}"),
    SitePage("write", "/write"),
    SitePage("play", "/play"),
    SitePage("console", "/console"),
    SitePage("console-tournament", "/console/{running}"),
    SitePage("docs", "/docs"),
    SitePage("error", "/nothing-here", refused=404),
)
