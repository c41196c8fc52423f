"""What spectators may see of a running match. Pages and the feed read a progress by these functions. No I/O."""

from rumble_server.match.plies import PublicPosition
from rumble_server.match.progress import Clocks, Progress
from rumble_server.match.seat import SeatState

Absence = tuple[int, int]
"""Start of a bot's absence, and time at which the match stops waiting for the bot, in ms of server time."""


def position(progress: Progress, now_ms: int) -> PublicPosition:
    """Return the position and the plies that spectators may see at `now_ms`. After the match, they see everything."""
    plies = progress.plies
    if plies is None or progress.over is not None:
        return PublicPosition(progress.state, progress.moves, True)
    delay_ms = progress.terms.spectator_delay_ms
    if delay_ms and plies.hides:
        return plies.public_position_at(now_ms - delay_ms)
    return PublicPosition(progress.state, plies.public_moves, True)


def clocks(progress: Progress, public: PublicPosition, now_ms: int) -> Clocks:
    """Return the clocks that spectators may see together with the position `public`.

    In a match that is not plain, spectators get the clocks of the moment at which the turns were asked. The present
    clocks would show who has answered. Spectators with a delay get the clocks of the position that they see.
    """
    if not public.is_newest:
        return Clocks(now_ms, public.seats_ms)
    return progress.clocks_when_asked or Clocks(now_ms, progress.times_left_ms(now_ms))


def movers(progress: Progress) -> list[int]:
    """Return the seats to move, as far as spectators may know. Seats that have already answered are included."""
    if progress.over is not None:
        return []
    return list(progress.awaited_seats()) if progress.plies is None else progress.plies.movers()


def is_ticking(progress: Progress) -> bool:
    """Return true if a turn is open. In a match that is not plain: if any seat has to move."""
    if progress.plies is not None:
        return progress.over is None and bool(progress.state.movers)
    return any(seat_state.turn is not None for seat_state in progress.seats)


def absences(progress: Progress) -> tuple[Absence | None, ...]:
    """Return, by seat, when the bot went away, and when the match stops waiting; None for a bot that is not away.

    The match waits until the away budget is used up, or until the clock runs out, if this is earlier. In a match that
    is not plain, the clock is left out, because times from clocks would show which bots have not answered.
    """
    return tuple([_absence(progress, seat, seat_state) for seat, seat_state in enumerate(progress.seats)])


def _absence(progress: Progress, seat: int, seat_state: SeatState) -> Absence | None:
    plies = progress.plies
    is_waited_for = not seat_state.is_out or (plies is not None and plies.fell_in_this_ply(seat))
    if seat_state.away_since_ms is None or not is_waited_for:
        return None
    until_ms = progress.away_until_ms(seat_state)
    if seat_state.turn is not None and plies is None:
        until_ms = min(until_ms, seat_state.turn.until_ms(progress.lateness.late_ms))
    return seat_state.away_since_ms, until_ms
