"""Commands to a tournament. A function checks a command, and returns a fact that the caller records and applies.

`absentees` and the functions `check…` return no fact.

The organiser (`arena/commands/organiser.py`) and the players' sessions call the functions, on behalf of hosts and bots.
"""

from math import inf
from random import Random
from typing import Literal

from rumble_protocol.codes import ErrorCode
from rumble_protocol.server_messages import OVER, TournamentStatus

from rumble_server.match.match_id import MatchId, match_id_of
from rumble_server.tournament import facts
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.pairs.swiss import most_rounds
from rumble_server.tournament.tournament import Tournament

STANDS = "; its results stand"
"""Last words of the message with which most commands are refused on an ended tournament."""
PLAYED_AGAIN = "the host has the match played again"
"""Reason of a match whose running attempt or result the host has made void."""
MOST_ROUND_MATCHES = 5_000
"""Maximum number of matches in a round of pairs. The same maximum holds for the matches added when bots join late
together. The event loop takes about 20 ms to make 5,000 matches."""


def join(
    tournament: Tournament, bot: str, now_ms: int, invite: str | None = None, *, joining: int = 1
) -> facts.BotJoined | None:
    """Return the fact that a bot enters the field; None if the bot is in the field already. Raises CommandRefused.

    `joining` is the number of bots that enter at the same time.
    """
    entrant = tournament.field.get(bot)
    if entrant is not None:
        if entrant.withdrawn:
            raise CommandRefused(ErrorCode.TOURNAMENT_CLOSED, f"{bot} left {tournament.id} for good")
        return None
    if not tournament.takes_entries:
        raise closed_error(tournament.id, tournament.status, "; it takes no more bots: join another")
    if not tournament.admits(invite):
        raise CommandRefused(
            ErrorCode.INVITE_REQUIRED,
            f"{tournament.id} is by invitation: ask its host for the code, and send it as `invite`",
        )
    if tournament.agenda is not None:
        _check_late_matches(tournament, len(tournament.agenda.bots), joining)
    return facts.BotJoined(tournament.id, bot, now_ms)


def _check_late_matches(tournament: Tournament, earlier: int, joining: int) -> None:
    """Raise CommandRefused if `joining` bots that meet `earlier` bots, and each other, would get too many matches."""
    meetings = earlier * joining + joining * (joining - 1) // 2
    matches = meetings * tournament.config.cycles * tournament.config.legs
    if matches > MOST_ROUND_MATCHES:
        so = f"; bots that join late get at most {MOST_ROUND_MATCHES} matches at once, not {matches}"
        raise closed_error(tournament.id, tournament.status, so)


def leave(tournament: Tournament, bot: str, now_ms: int, *, removed: bool = False) -> facts.BotLeft | None:
    """Return the fact that a bot leaves for good; None for a bot that left before, or is not in the field.

    Raises CommandRefused after the tournament's end.
    """
    entrant = tournament.field.get(bot)
    if entrant is None or entrant.withdrawn:
        return None
    _check_status(tournament)
    return facts.BotLeft(tournament.id, bot, removed, now_ms)


def start(tournament: Tournament, now_ms: int, order: tuple[str, ...] | None = None) -> facts.TournamentStarted:
    """Return the fact of the start. If `order` is given, the bots are numbered in this order. Raises CommandRefused.

    Without `order` the bots are numbered by seed rating, the greatest first. The configuration's seed decides the order
    of bots with equal ratings, and of bots without a rating.
    """
    _check_status(tournament, "lobby", cannot="started")
    least = tournament.config.least_bots
    if len(tournament.field) < least:
        needs = "two" if least == 2 else str(least)
        message = f"{tournament.id} needs {needs} bots to start; it has {len(tournament.field)}"
        raise CommandRefused(ErrorCode.TOURNAMENT_CLOSED, message)
    if order is None:
        names = sorted(tournament.field, key=lambda name: (name.casefold(), name))
        Random(tournament.config.seed).shuffle(names)
        ratings = {name: tournament.config.seed_rating(name) for name in names}
        order = tuple(sorted(names, key=lambda name: inf if (rating := ratings[name]) is None else -rating))
    _check_schedule(tournament.config, len(order), tournament.id)
    return facts.TournamentStarted(tournament.id, order, tuple(tournament.config.make_openings()), now_ms)


def absentees(tournament: Tournament) -> list[str]:
    """Return the bots of a lobby that are not connected, except house bots.

    Raises CommandRefused if the tournament has started, or if the remaining bots would be too few for a start.
    """
    _check_status(tournament, "lobby", cannot="started")
    away = (each for each in tournament.field.values() if each.absent_since_ms is not None)
    absentees = [each.bot for each in away if each.reference_bot is None]
    there, least = len(tournament.field) - len(absentees), tournament.config.least_bots
    if there < least:
        message = f"{tournament.id} needs {least} bots to start; {there} of its {len(tournament.field)} are there"
        raise CommandRefused(ErrorCode.TOURNAMENT_CLOSED, message)
    _check_schedule(tournament.config, there, tournament.id)
    return absentees


def check_round_size(config: TournamentConfig, bots: int) -> None:
    """Raise CommandRefused if a round of this number of bots has too many matches.

    A round of tables is never too large, because tables have one leg.
    """
    pairs = bots // 2
    if "challengers" in FORMATS[config.format].options:
        pairs = min(config.challengers, bots - config.challengers)
    if config.match_seats == 2 and pairs * config.legs > MOST_ROUND_MATCHES:
        message = f"a round of {bots} bots has {pairs * config.legs} matches; {MOST_ROUND_MATCHES} is the most"
        raise CommandRefused(ErrorCode.BAD_SETTINGS, f"{message}: ask for fewer legs")


def check_rounds(config: TournamentConfig, bots: int) -> None:
    """Raise CommandRefused if a Swiss has more rounds than this number of bots can play without meeting again.

    Also raise CommandRefused if a round has too many matches. For tables, the format does not matter: raise
    CommandRefused if no schedule can be made for this number of bots.
    """
    check_round_size(config, bots)
    most = most_rounds(bots)
    if config.match_seats > 2:
        if bots >= config.least_bots:  # `start` refuses a smaller field
            _check_schedule(config, bots, "the tournament")
    elif FORMATS[config.format].pairs_by_points and bots > 1 and config.rounds is not None and config.rounds > most:
        message = f"{bots} bots can play {most} rounds without meeting again, not {config.rounds}: ask for fewer rounds"
        raise CommandRefused(ErrorCode.BAD_SETTINGS, message)


def _check_schedule(config: TournamentConfig, bots: int, what: str) -> None:
    """Check that a schedule can be made for this number of bots.

    Raises CommandRefused, whose text says that `what` cannot be started.
    """
    try:
        config.make_schedule(bots)
    except ValueError as error:
        raise CommandRefused(ErrorCode.BAD_SETTINGS, f"{what} cannot be started: {error}") from None


def pause(
    tournament: Tournament, reason: str, now_ms: int, *, by: Literal["host", "disk"] = "host"
) -> list[facts.TournamentFact]:
    """Return the facts of a pause. In a pause, running matches finish, and no match starts.

    The pause also stops the absent budgets, the times for which the tournament waits for absent bots.

    Raises CommandRefused.
    """
    _check_status(tournament, "running", cannot="paused")
    return [*tournament.absence.used_budgets(now_ms), facts.TournamentPaused(tournament.id, reason, by, now_ms)]


def resume(tournament: Tournament, now_ms: int) -> facts.TournamentResumed:
    """Return the fact that matches start again. Raises CommandRefused."""
    _check_status(tournament, "paused", cannot="resumed")
    return facts.TournamentResumed(tournament.id, now_ms)


def end(tournament: Tournament, now_ms: int, *, cancelled: bool, reason: str) -> facts.TournamentEnded:
    """Return the fact of an early end: cancelled, or finished with the current standings. Raises CommandRefused."""
    _check_status(tournament)
    if not cancelled and tournament.status == "lobby":
        raise CommandRefused(ErrorCode.TOURNAMENT_CLOSED, f"{tournament.id} has not started; cancel it instead")
    return facts.TournamentEnded(tournament.id, "cancelled" if cancelled else "finished", reason, now_ms)


def change_invite(
    tournament: Tournament, invite: str | None, now_ms: int, made_invite: str | None = None
) -> facts.InviteChanged:
    """Return the fact that bots join with the code `invite` from now on, or without a code if `invite` is None.

    `made_invite` is a secret that the server has made. Bots can join with the secret, too. Raises CommandRefused.
    """
    _check_status(tournament)
    return facts.InviteChanged(tournament.id, invite, now_ms, made_invite)


def change_join_code(tournament: Tournament, code: str | None, now_ms: int) -> facts.JoinCodeChanged:
    """Return the fact that pupils join with this code from now on; None closes the door. Raises CommandRefused."""
    _check_status(tournament)
    return facts.JoinCodeChanged(tournament.id, code, now_ms)


def change_config(tournament: Tournament, config: TournamentConfig, now_ms: int) -> facts.ConfigChanged:
    """Return the fact that the configuration changes. The invitation code stays. Raises CommandRefused.

    After the start, only `listed` may change. The game cannot change while bots are in the field.
    """
    old = tournament.config
    config = config.model_copy(update={"invite": old.invite})
    allowed: tuple[TournamentStatus, ...] = () if _without_listed(config) == _without_listed(old) else ("lobby",)
    _check_status(tournament, *allowed, cannot="changed, except that it can be listed or not")
    if tournament.field and (config.game, config.match_seats) != (old.game, old.match_seats):
        message = f"{tournament.id} has bots that joined for {old.game}: make another tournament for {config.game}"
        raise CommandRefused(ErrorCode.UNAVAILABLE, message)
    if config.start_at_bots is not None:
        check_rounds(config, config.start_at_bots)
    return facts.ConfigChanged(tournament.id, config, now_ms)


def _without_listed(config: TournamentConfig) -> TournamentConfig:
    return config.model_copy(update={"listed": False})


def change_roster(tournament: Tournament, names: tuple[str, ...], now_ms: int) -> facts.RosterChanged:
    """Return the fact that the host expects these pupils. Raises CommandRefused."""
    _check_status(tournament)
    return facts.RosterChanged(tournament.id, names, now_ms)


def bench(tournament: Tournament, bot: str, now_ms: int, version: str | None = None) -> facts.BotBenched | None:
    """Return the fact that a bot is benched, because it lost too many matches in a row by its own fault.

    Return None if the bot is not to be benched. `version` is the version given in the bot's newest login.
    """
    entrant, limit = tournament.field[bot], tournament.config.bench_after
    if entrant.benched or entrant.withdrawn or limit == 0 or entrant.faulty_in_a_row < limit:
        return None
    reason = f"{bot} lost {entrant.faulty_in_a_row} matches in a row by its own fault"
    return facts.BotBenched(tournament.id, bot, True, reason, now_ms, version)


def unbench(
    tournament: Tournament, bot: str, now_ms: int, reason: str = "the host lets it play again"
) -> facts.BotBenched:
    """Return the fact that a benched bot may play again. Raises CommandRefused."""
    entrant = tournament.field.get(bot)
    if entrant is None:
        raise CommandRefused(ErrorCode.UNKNOWN_BOT, f"{tournament.id} has no bot {bot!r}")
    if not entrant.benched:
        raise CommandRefused(ErrorCode.UNAVAILABLE, f"{bot} is not benched in {tournament.id}")
    return facts.BotBenched(tournament.id, bot, False, reason, now_ms)


def _check_bye(tournament: Tournament, bot: str, number: int) -> None:
    """Check whether a half-point bye of `bot` can still be given or taken back. `number` is the round, counted from 1.

    Raises CommandRefused if the bot can have no such bye, or if the round is already paired or being paired.
    """
    _check_status(tournament)
    if not FORMATS[tournament.config.format].pairs_by_points:
        raise closed_error(tournament.id, f"a {tournament.config.format}, and no Swiss", "; it has no half-point byes")
    if tournament.config.match_seats > 2:
        raise closed_error(tournament.id, "a Swiss of tables", "; it has no half-point byes")
    entrant = tournament.field.get(bot)
    if entrant is None or entrant.withdrawn:
        raise CommandRefused(ErrorCode.UNKNOWN_BOT, f"{tournament.id} has no bot {bot!r}")
    schedule = None if tournament.agenda is None else tournament.agenda.schedule
    last = tournament.config.rounds if schedule is None else schedule.number_of_rounds
    if number < 1 or (last is not None and number > last):
        raise CommandRefused(ErrorCode.UNAVAILABLE, f"{tournament.id} has no round {number}; its last is {last}")
    if schedule is not None and number <= len(schedule.rounds_added) + tournament.is_pairing:
        raise CommandRefused(
            ErrorCode.UNAVAILABLE,
            f"round {number} of {tournament.id} is paired, or is being paired; it is too late for a bye",
        )


def give_half_bye(tournament: Tournament, bot: str, number: int, now_ms: int) -> facts.HalfByeGiven | None:
    """Return the fact that a bot gets a half-point bye in the round `number` of a Swiss, counted from 1.

    Return None if the bye was given before. Raises CommandRefused.
    """
    _check_bye(tournament, bot, number)
    has_bye = bot in tournament.half_byes.get(number, ())
    return None if has_bye else facts.HalfByeGiven(tournament.id, bot, number, now_ms)


def take_half_bye(tournament: Tournament, bot: str, number: int, now_ms: int) -> facts.HalfByeTaken:
    """Return the fact that a half-point bye is taken back, before the round is paired. Raises CommandRefused."""
    _check_bye(tournament, bot, number)
    if bot not in tournament.half_byes.get(number, ()):
        message = f"{bot} has no half-point bye in round {number} of {tournament.id}"
        raise CommandRefused(ErrorCode.UNAVAILABLE, message)
    return facts.HalfByeTaken(tournament.id, bot, number, now_ms)


def void(tournament: Tournament, match_id: str, now_ms: int) -> facts.ResultVoided:
    """Return the fact that a result is voided, so that the match is played again. Raises CommandRefused."""
    _check_status(tournament)
    over = tournament.results.get(match_id)
    if over is None:
        raise CommandRefused(ErrorCode.UNAVAILABLE, f"{tournament.id} has no result of a match {match_id!r}")
    played = MatchId.parse(match_id)
    schedule = None if tournament.agenda is None else tournament.agenda.schedule
    if schedule is not None and schedule.has_bracket and tournament.is_pairing:
        message = f"the next round of {tournament.id} is being made from its results; they stand meanwhile"
        raise CommandRefused(ErrorCode.UNAVAILABLE, message)
    if schedule is not None and (played.round, played.board) in schedule.advanced:
        message = f"the winner of {match_id} has gone on to round {played.round + 1}; its result stands"
        raise CommandRefused(ErrorCode.UNAVAILABLE, message)
    again = match_id_of(tournament.id, (played.cycle + 1, *played.key[1:3], 1))
    is_repeated = again in tournament.results or (tournament.agenda is not None and again in tournament.agenda.open)
    if schedule is not None and schedule.has_bracket and tournament.config.match_seats == 2 and is_repeated:
        message = f"the pairing of {match_id} was tied, and {again} repeats it; its result stands"
        raise CommandRefused(ErrorCode.UNAVAILABLE, message)
    return facts.ResultVoided(match_id, over.attempt, now_ms)


def _check_status(tournament: Tournament, *allowed: TournamentStatus, cannot: str = "") -> None:
    """Raise CommandRefused if the status of the tournament is not in `allowed`.

    An empty `allowed` means that every status is allowed until the tournament is over.
    With `cannot`, the message about a tournament that is not over ends in words such as "it cannot be paused".
    """
    goes_on = not tournament.is_over
    if not (tournament.status in allowed if allowed else goes_on):
        so = f"; it cannot be {cannot}" if cannot and goes_on else STANDS
        raise closed_error(tournament.id, tournament.status, so)


def closed_error(tournament_id: str, status: str, so: str = STANDS) -> CommandRefused:
    """Return the error for a command that this status does not allow.

    The message ends with `so`, which explains what follows from the status.
    """
    text = "over" if status in OVER else status
    return CommandRefused(ErrorCode.TOURNAMENT_CLOSED, f"{tournament_id} is {text}{so}")
