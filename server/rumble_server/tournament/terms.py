"""The terms of a tournament's matches, and the result of a match that is lost before it begins. Pure."""

from collections.abc import Mapping, Sequence
from secrets import token_hex

from rumble_engine import Termination, get_game

from rumble_server.match.draws import SEED_BYTES
from rumble_server.match.facts import MatchOver, MatchStarted, is_plain
from rumble_server.tournament.agenda import Slot
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.openings import Opening, opening_of


class Terms:
    """The terms of a tournament's matches, read from the configuration only once, because reading a pydantic model
    costs more than making the fact of a start.
    """

    def __init__(self, config: TournamentConfig, openings: Sequence[Opening]) -> None:
        self._openings = openings
        self._legs = config.legs
        self._game = config.game
        self._settings = config.settings
        self._seed = config.seed
        self._time_control = config.time_control
        self._illegal_retries = config.illegal_retries
        self._away_ms = config.away_ms
        self._away_clock = config.away_clock

    def start(self, slot: Slot, at_ms: int) -> MatchStarted:
        """Return the fact that a match begins. The tournament's seed is the same in all matches, so an opening leads to
        the same position. The seed of chance is new for each attempt, and no bot can know it.
        """
        return MatchStarted(
            slot.match_id,
            slot.attempt,
            self._game,
            self._settings,
            self._seed,
            slot.seats,
            self._opening(slot),
            self._time_control,
            self._illegal_retries,
            self._away_ms,
            at_ms,
            self._away_clock,
            chance_seed="" if is_plain(get_game(self._game), len(slot.seats)) else token_hex(SEED_BYTES),
        )

    def no_show(self, slot: Slot, gone: Mapping[str, str], at_ms: int) -> MatchOver:
        """Return the fact that a match is lost by the bots in `gone`, which has reasons by name. If both are gone,
        neither scores.
        """
        at_fault = tuple(seat for seat, bot in enumerate(slot.seats) if bot in gone)
        return MatchOver(
            match=slot.match_id,
            attempt=slot.attempt,
            seats=slot.seats,
            scores=tuple(0.0 if seat in at_fault or len(at_fault) == 2 else 1.0 for seat in range(2)),
            termination=Termination.NO_SHOW,
            reason=" and ".join(f"{slot.seats[seat]} {gone[slot.seats[seat]]}" for seat in at_fault),
            at_fault=at_fault,
            moves=self._opening(slot),
            at_ms=at_ms,
        )

    def _opening(self, slot: Slot) -> Opening:
        cycle, _, _, leg = slot.key
        return opening_of(self._openings, cycle, leg, self._legs)
