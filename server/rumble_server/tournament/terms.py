"""What a match of a tournament is played under, and its result where it is lost before it begins. Pure."""

from collections.abc import Mapping, Sequence

from rumble_engine import Termination

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament.agenda import Slot
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.openings import Opening, opening_of


def terms(config: TournamentConfig, openings: Sequence[Opening], slot: Slot, at_ms: int) -> MatchStarted:
    """Make the fact that the match begins. The game's seed is the tournament's, so all pairs have the same openings."""
    return MatchStarted(
        match=slot.match_id,
        attempt=slot.attempt,
        game=config.game,
        settings=config.settings,
        seed=config.seed,
        seats=slot.seats,
        moves=_opening(config, openings, slot),
        time_control=config.time_control,
        illegal_retries=config.illegal_retries,
        away_ms=config.away_ms,
        at_ms=at_ms,
        away_clock=config.away_clock,
    )


def no_show(
    config: TournamentConfig, openings: Sequence[Opening], slot: Slot, gone: Mapping[str, str], at_ms: int
) -> MatchOver:
    """Make the fact that the match is lost by its `gone` bots (by name, why). If both are gone, nobody scores."""
    at_fault = tuple(seat for seat, bot in enumerate(slot.seats) if bot in gone)
    return MatchOver(
        match=slot.match_id,
        attempt=slot.attempt,
        seats=slot.seats,
        scores=tuple(0.0 if seat in at_fault or len(at_fault) == 2 else 1.0 for seat in range(2)),
        termination=Termination.NO_SHOW,
        reason=" and ".join(f"{slot.seats[seat]} {gone[slot.seats[seat]]}" for seat in at_fault),
        at_fault=at_fault,
        moves=_opening(config, openings, slot),
        at_ms=at_ms,
    )


def _opening(config: TournamentConfig, openings: Sequence[Opening], slot: Slot) -> Opening:
    cycle, _, _, leg = slot.key
    return opening_of(openings, cycle, leg, config.legs)
