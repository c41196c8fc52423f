"""The terms of a tournament's matches, and the result of a match that is lost before it begins. Pure."""

from collections.abc import Mapping, Sequence
from secrets import token_hex

from rumble_engine import JointState, Outcome, Termination, get_game

from rumble_server.match.draws import SEED_BYTES
from rumble_server.match.facts import MatchOver, MatchStarted, Placement
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.openings import Opening, opening_of
from rumble_server.tournament.slot import Slot


class Terms:
    """The terms of a tournament's matches.

    The terms are read from the configuration only once. Reading a pydantic model for every match would take longer than
    creating the match's `MatchStarted`.
    """

    def __init__(self, config: TournamentConfig, openings: Sequence[Opening]) -> None:
        self._openings = openings
        self._legs = config.legs
        self._game = config.game
        self._is_plain = get_game(config.game).is_plain
        self._settings = config.settings
        self._seed = config.seed
        self._time_control = config.time_control
        self._illegal_retries = config.illegal_retries
        self._away_ms = config.away_ms
        self._away_clock = config.away_clock
        self._spectator_delay_ms = config.spectator_delay_ms

    def start(self, slot: Slot, at_ms: int, gone: tuple[str, ...] = ()) -> MatchStarted:
        """Return the `MatchStarted` of a match. The bots in `gone` get no seat.

        The tournament's seed is the same in all matches, so an opening leads to the same position in each
        match. The chance seed is new for each attempt, and no bot can know the chance seed.
        """
        seats = tuple([bot for bot in slot.seats if bot not in gone]) if gone else slot.seats
        return MatchStarted(
            slot.match_id,
            slot.attempt,
            self._game,
            self._settings,
            self._seed,
            seats,
            self._opening(slot),
            self._time_control,
            self._illegal_retries,
            self._away_ms,
            at_ms,
            self._away_clock,
            chance_seed="" if self._is_plain(len(seats)) else token_hex(SEED_BYTES),
            absent=gone,
            spectator_delay_ms=self._spectator_delay_ms,
        )

    def no_show(self, slot: Slot, gone: Mapping[str, str], at_ms: int) -> MatchOver:
        """Return the `MatchOver` of a match that the bots in `gone` lose before its beginning.

        `gone` has a reason for each of these bots, by name. If both bots of a match of two are gone, neither scores.
        """
        seats = slot.seats
        at_fault = tuple([seat for seat, bot in enumerate(seats) if bot in gone])
        reason = " and ".join(f"{seats[seat]} {gone[seats[seat]]}" for seat in at_fault)
        outcome = None if self._is_plain(len(seats)) else self._fallen(slot, at_fault, reason, at_ms)
        if len(seats) == 2:
            scores = tuple([float(seat not in at_fault) for seat in range(2)])
        else:
            scores = () if outcome is None else outcome.scores
        falls = tuple([(seat, 0, Termination.NO_SHOW) for seat in at_fault])
        return MatchOver(
            match=slot.match_id,
            attempt=slot.attempt,
            seats=seats,
            scores=scores,
            termination=Termination.NO_SHOW,
            reason=reason,
            at_fault=at_fault,
            moves=self._opening(slot),
            at_ms=at_ms,
            placement=None if outcome is None else Placement(outcome.places, outcome.payoffs, falls, ""),
        )

    def _fallen(self, slot: Slot, gone: tuple[int, ...], reason: str, at_ms: int) -> Outcome:
        """Return the outcome if the seats `gone` fall out before the first ply. The game's rules give the payoffs.

        The other seats make some move. The choice of the move changes neither their places nor their payoffs. In a game
        whose rules leave the outcome open, no seat gains or loses anything.
        """
        state, seats = self.start(slot, at_ms).opening_state(), len(slot.seats)
        if isinstance(state, JointState) and state.can_fall:
            state = state.after_all({seat: state.codes_for(seat)[0] for seat in state.movers if seat not in gone})
        payoffs = [0.0] * seats if get_game(self._game).pays else None
        outcome = state.outcome or Outcome.ranked([1] * seats, reason, payoffs=payoffs)
        return outcome.with_falls(dict.fromkeys(gone, 0))

    def _opening(self, slot: Slot) -> Opening:
        cycle, _, _, leg = slot.key
        return opening_of(self._openings, cycle, leg, self._legs)
