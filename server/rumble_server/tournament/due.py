"""What a started tournament has to do next: matches to start, matches lost because a bot is gone, rounds to pair.

`Tournament` tells which bots to look at, and applies the facts that `DueMatches` returns.
"""

from collections.abc import Callable, Iterable, Mapping, Set

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament import facts
from rumble_server.tournament.agenda import Agenda
from rumble_server.tournament.entrant import Entrant
from rumble_server.tournament.formats import AnyRound
from rumble_server.tournament.slot import Slot
from rumble_server.tournament.terms import Terms

MOST_PULLED_MATCHES = 2_500
"""After this many matches pulled in one call of `Tournament.due`, the call pulls no further round, and ends."""
Due = MatchStarted | MatchOver | facts.RoundFact


class DueMatches:
    """The search for due matches in the agenda of a tournament. `field` has the tournament's bots."""

    def __init__(
        self, tournament_id: str, agenda: Agenda, terms: Terms, least_seats: int, field: Mapping[str, Entrant]
    ) -> None:
        self._tournament_id = tournament_id
        self._agenda = agenda
        self._terms = terms
        self._least_seats = least_seats
        """Number of connected bots without which a match cannot begin."""
        self._field = field
        self._gone = {entrant.bot for entrant in field.values() if entrant.is_gone}
        """Bots that lose their due matches."""
        self.to_check: dict[str, None] = dict.fromkeys(field)
        """Bots that `next` must look at; a dict for its order."""
        self._pulled_matches = 0
        """Number of matches pulled since `Tournament.due` was called."""
        self.may_pair = True
        """True if `next` must try to pair a round: before the first try, and after each new result if the schedule
        has logged rounds."""

    def mark_for_check(self, bots: Iterable[str]) -> None:
        """Have `next` look at bots, because they became free or connected, or got matches."""
        for bot in bots:
            self.to_check[bot] = None

    def update_gone(self, entrant: Entrant) -> None:
        if entrant.is_gone:
            self._gone.add(entrant.bot)
        else:
            self._gone.discard(entrant.bot)

    def begin(self) -> None:
        """Begin a call of `Tournament.due`."""
        self._pulled_matches = 0

    @property
    def has_pulled_most(self) -> bool:
        """True if the present call of `Tournament.due` has pulled `MOST_PULLED_MATCHES` matches, and must end."""
        return self._pulled_matches >= MOST_PULLED_MATCHES

    def next(self, free: Set[str], now_ms: int, room_of: Callable[[str], int]) -> Due | None:
        """Return the fact of a match that starts or is lost now, or of a newly paired round; None if nothing is due.

        Record, apply and carry out the fact before the next call. `free` has the bots that are connected and can take a
        further match. `room_of` returns the number of matches that a bot can take.

        Also return None after `MOST_PULLED_MATCHES` matches were pulled. `to_check` then still has bots.
        """
        bots, gone = self.to_check, self._gone
        while bots and not self.has_pulled_most:
            if self.may_pair:
                paired = self._pair(now_ms)
                if paired is not None:
                    return paired
            bot = next(iter(bots))
            fact = self._match_of(bot, free, now_ms, room_of) if bot in free or bot in gone else None
            if fact is not None:
                return fact
            if not self.has_pulled_most:
                bots.pop(bot, None)
        return None

    def add_next_round(self) -> AnyRound | None:
        """Add the next round of a schedule without logged rounds. Return None if there is no further round."""
        agenda, before = self._agenda, len(self._agenda.open)
        new_round = None if agenda.schedule.has_logged_rounds else agenda.add_next_round()
        self._pulled_matches += len(agenda.open) - before
        if new_round is not None:
            self.mark_for_check(agenda.names(new_round.bots))
        return new_round

    def _pair(self, now_ms: int) -> facts.RoundFact | None:
        """Return the fact of the next round, paired from the results so far. The bots of the round need not be free.

        Return None if no round can be paired yet. Also return None for a slow schedule, whose rounds must be paired
        off the event loop (`Tournament.pairing_task`).
        """
        schedule = self._agenda.schedule
        task = self._agenda.prepare() if schedule.has_logged_rounds and not schedule.is_slow else None
        paired = None if task is None else facts.fact_of_round(self._tournament_id, task(), now_ms)
        self.may_pair = False  # last, so that a pairing that failed is tried again after a pause
        return paired

    def _match_of(
        self, bot: str, free: Set[str], now_ms: int, room_of: Callable[[str], int]
    ) -> MatchStarted | MatchOver | None:
        agenda = self._agenda
        while True:
            slot = agenda.queue.oldest(bot, free, self._gone, room_of)
            if slot is not None:
                return self._start_or_loss(slot, now_ms)
            if self.has_pulled_most or not agenda.may_add_round_for(bot) or self.add_next_round() is None:
                return None

    def _start_or_loss(self, slot: Slot, now_ms: int) -> MatchStarted | MatchOver:
        """Return the fact that a match starts, or is lost because too many of its bots are gone."""
        if self._gone.isdisjoint(slot.seats):
            return self._terms.start(slot, now_ms)
        gone = tuple([name for name in slot.seats if name in self._gone])
        if len(slot.seats) - len(gone) >= self._least_seats:
            return self._terms.start(slot, now_ms, gone)
        return self._terms.no_show(slot, {name: self._field[name].gone_reason for name in gone}, now_ms)
