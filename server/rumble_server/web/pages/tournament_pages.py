"""The pages made from a whole tournament. Pure: the functions run in the process that reads the log."""

from collections.abc import Sequence

from rumble_protocol.feed_messages import Standing, TournamentView

from rumble_server.tournament.audit import Audit, Context
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.rebuild import Rebuilt
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api import from_log
from rumble_server.web.api.host.invitations import page_invitation
from rumble_server.web.pages.rendering import render
from rumble_server.web.pages.tournament_page import audit_context, rounds_context, tournament_context
from rumble_server.web.public_address import PublicAddress

MATCHES_A_PAGE = 50
"""Number of matches on a page of a tournament's matches; the last page may have fewer."""
MOST_AUDITED = 5000
"""Maximum number of results in a tournament whose page has an audit. Larger audits are only in the API."""
BOT_NAME = "@bot-name@"
"""The placeholder for a made-up bot name. A page is written once for several readers. Each gets a new name."""


def page_of_tournament(
    rebuilt: Rebuilt, shown: bytes | None, now: Context | None, address: PublicAddress, invite: str | None
) -> bytes:
    """Write the page of a tournament.

    If the tournament is in memory, `shown` is the API's JSON of the tournament, and `now` is the context of the audit.
    Otherwise both are None. `invite` is the code in the page's address.
    """
    view = from_log.view(rebuilt) if shown is None else TournamentView.model_validate_json(shown)
    context = tournament_context(rebuilt.tournament, view, _audit(rebuilt, now))
    invitation = page_invitation(rebuilt.tournament, invite)
    return render("tournament.html", address, bot_name=BOT_NAME, **context, **invitation).encode()


def page_of_matches(rebuilt: Rebuilt, bot: str | None, against: str | None, page: int, address: PublicAddress) -> bytes:
    """Write a page of a tournament's matches, the newest first. If `page` is out of range, write the nearest page."""
    names = {name.casefold(): name for name in sorted(rebuilt.tournament.field, key=str.casefold)}
    asked = [name for name in (bot, against) if name]
    bots = [names.get(name.casefold(), name) for name in asked]
    overs = from_log.chosen(rebuilt, *asked)
    last = max(1, -(-len(overs) // MATCHES_A_PAGE))
    page = min(max(page, 1), last)
    end = len(overs) - (page - 1) * MATCHES_A_PAGE
    context = {
        "tournament": rebuilt.tournament,
        "display_names": rebuilt.tournament.standings.display_names,
        "absent": {over.match: over.absent for over in overs},
        "names": list(names.values()),
        "strangers": [name for name in asked if name.casefold() not in names],
        "bot": bots[0] if bots else None,
        "against": bots[1] if len(bots) > 1 else None,
        "total": len(overs),
        "matches": from_log.results(overs[max(0, end - MATCHES_A_PAGE) : end][::-1]),
        "first": (page - 1) * MATCHES_A_PAGE + 1,
        "page": page,
        "last": last,
    }
    return render("matches.html", address, **context).encode()


def page_of_results(rebuilt: Rebuilt, address: PublicAddress) -> bytes:
    """Write the page to print: a strip for each bot, with rank, points, best win and faults."""
    tournament, standings = rebuilt.tournament, from_log.ranking(rebuilt).standings
    best = best_wins(tournament, standings)
    context = {"tournament": tournament, "standings": standings, "best": best}
    return render("results.html", address, **context).encode()


def best_wins(tournament: Tournament, standings: Sequence[Standing]) -> dict[str, str]:
    """Return the best win of each bot: the beaten opponent with the best rank, or an empty text without a win."""
    ranks = {line.name: line.rank for line in standings}
    best: dict[str, str] = {}
    for over in tournament.results.values():
        scores = over.scores or ()
        for seat, bot in enumerate(over.seats[: len(scores)]):
            beaten = [each for other, each in enumerate(over.seats) if scores[other] < scores[seat]]
            best[bot] = min(filter(None, [best.get(bot), *beaten]), key=ranks.__getitem__, default="")
    return best


def part_with_rounds(rebuilt: Rebuilt, address: PublicAddress) -> bytes:
    """Write only the rounds of a tournament; empty for a format that is not shown in rounds."""
    if not FORMATS[rebuilt.tournament.config.format].is_in_rounds:
        return b""
    return render("part.html", address, part="rounds", **rounds_context(rebuilt.tournament)).encode()


def part_with_audit(rebuilt: Rebuilt, now: Context | None, address: PublicAddress) -> bytes:
    """Write only the audit of a tournament."""
    context = audit_context(rebuilt.tournament, _audit(rebuilt, now))
    return render("part.html", address, part="audit", **context).encode()


def _audit(rebuilt: Rebuilt, now: Context | None) -> Audit | None:
    if rebuilt.tournament.agenda is None or len(rebuilt.tournament.results) > MOST_AUDITED:
        return None
    return from_log.audit(rebuilt, now)
