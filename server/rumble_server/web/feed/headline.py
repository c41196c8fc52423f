"""The state of a tournament in a sentence: the bot in the lead, the winner, or the bots still missing. Pure."""

from collections.abc import Collection, Mapping, Sequence

from rumble_protocol.feed_messages import Standing
from rumble_protocol.server_messages import TournamentStatus

from rumble_server.results.tables.standings import TABLE_TIEBREAKS
from rumble_server.results.tiebreaks import TIEBREAKS
from rumble_server.tournament.ended import FinalResult
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.texts import moment_text, points, shown_name

MOST_NAMED = 3
"""Maximum number of bots on the same place whose names are in the sentence.

For more bots, the sentence has only their number.
"""

PAIRING = "The next round is being paired."

Line = Standing | FinalResult


def headline(tournament: Tournament, standings: Sequence[Standing]) -> str:
    """Return the sentence for the top of a tournament's page; `standings` are the standings on the page."""
    if tournament.status == "lobby":
        return _lobby(tournament)
    config = tournament.config
    sentence = headline_of(
        tournament.status, config.format, standings, tournament.challengers, counts_places=config.counts_places
    )
    return f"{sentence} {PAIRING}" if tournament.is_pairing_slow else sentence


def headline_of(
    status: TournamentStatus,
    format_name: str,
    standings: Sequence[Line],
    challengers: Collection[str],
    *,
    counts_places: bool = False,
) -> str:
    """Return the sentence for a tournament that has started or is over."""
    over = status == "finished"
    if status == "cancelled":
        return "Cancelled: it has no winner."
    if not any(line.played for line in standings):
        return "It ended without a result." if over else "No match is over yet."
    if FORMATS[format_name].has_bracket:
        return _knockout(standings, over=over)
    if challengers:
        return _gauntlet([line for line in standings if line.name in challengers])
    # The record of an ended tournament does not tell whether matches of two seats count by places.
    tiebreaks = TABLE_TIEBREAKS if counts_places else TABLE_TIEBREAKS | TIEBREAKS
    return _by_points(standings, tiebreaks, over=over)


def _lobby(tournament: Tournament) -> str:
    bots, wanted, at_ms = len(tournament.field), tournament.config.start_at_bots, tournament.config.start_at_ms
    if wanted is not None and not tournament.config.classroom:
        return f"Waiting for bots: {bots} of {wanted} are in."
    who = f"{_count(bots, 'bot')} {'is' if bots == 1 else 'are'} in."
    if wanted is not None:
        return f"{who} It starts with {wanted} connected bots."
    return f"{who} The host starts it." if at_ms is None else f"{who} It starts at {moment_text(at_ms)}."


def _knockout(standings: Sequence[Line], *, over: bool) -> str:
    first = [line for line in standings if line.rank == 1]
    if len(first) == 1:
        return f"{_name(first[0])} {'wins' if over else 'has won'} the knockout."
    return f"{_names(first)} {'were' if over else 'are'} still in it."


def _gauntlet(challengers: Sequence[Line]) -> str:
    if len(challengers) > MOST_NAMED:
        return f"{_count(len(challengers), 'challenger')} meet the field."
    scores = [f"{_name(line)} with {_points(line)} from {_count(line.played, 'match')}" for line in challengers]
    return f"Against the field: {'; '.join(scores)}."


def _by_points(standings: Sequence[Line], tiebreaks: Mapping[str, str], *, over: bool) -> str:
    first = [line for line in standings if line.rank == 1]
    best = first[0]
    if len(first) > 1:
        verb = "share first place" if over else "share the lead"
        return f"{_names(first)} {verb} with {_points(best)}."
    played = f"{_count(best.played, 'match')}{_byes(best)}"
    text = f"{_name(best)} {'wins' if over else 'leads'} with {_points(best)} from {played}"
    if len(standings) < 2:
        return f"{text}."
    second = [line for line in standings if line.rank == standings[1].rank]
    if second[0].points == best.points:
        return f"{text}, before {_names(second)} by {tiebreaks.get(best.decided_by, 'tie-break')}."
    least = min(line.played for line in standings)
    level = "" if over or 2 * least >= best.played else f" Not level yet: who has played least has played {least}."
    follows = "came second" if over else "follows" if len(second) == 1 else "follow"
    return f"{text}; {_names(second)} {follows} with {points(second[0].points)}.{level}"


def _names(lines: Sequence[Line]) -> str:
    if len(lines) > MOST_NAMED:
        return _count(len(lines), "bot")
    *others, last = [_name(line) for line in lines]
    return f"{', '.join(others)} and {last}" if others else last


def _name(line: Line) -> str:
    return shown_name(line.name, line.display_name)


def _byes(line: Line) -> str:
    """Write the number of a bot's byes, to explain the points that the bot got without playing."""
    byes = line.byes + line.half_byes
    return f" and {_count(byes, 'bye')}" if byes else ""


def _points(line: Line) -> str:
    return f"{points(line.points)} point{'' if line.points in (0.5, 1) else 's'}"


def _count(number: int, noun: str) -> str:
    plural = "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}{'' if number == 1 else plural}"
