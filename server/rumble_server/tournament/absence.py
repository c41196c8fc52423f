"""The absent bots of a field, and the time for which a tournament waits for each bot: the absent budget."""

from collections.abc import Callable, Iterable

from rumble_server.tournament.entrant import Entrant
from rumble_server.tournament.facts import BotAbsent


class Absence:
    """The absent bots of a tournament. `has_matches` returns true if a bot has matches to play. The budget of an
    absent bot runs while the bot has matches to play, but is not playing any.
    """

    def __init__(self, tournament_id: str, has_matches: Callable[[str], bool]) -> None:
        self._tournament_id = tournament_id
        self._has_matches = has_matches
        self._absent: dict[str, Entrant] = {}

    def on_connected(self, entrant: Entrant, now_ms: int) -> BotAbsent | None:
        left_ms = entrant.absent_left(now_ms) if self._is_waited_for(entrant) else entrant.absent_left_ms
        entrant.absent_since_ms = None
        self.forget(entrant.bot)
        if left_ms == entrant.absent_left_ms:
            return None
        return BotAbsent(self._tournament_id, entrant.bot, left_ms, now_ms)

    def on_disconnected(self, entrant: Entrant, now_ms: int) -> None:
        if entrant.absent_since_ms is None:
            entrant.absent_since_ms = now_ms
            self._absent[entrant.bot] = entrant

    def end(self) -> None:
        """Note that the tournament is over: no bot has matches any more.

        `has_matches`, a method of the tournament, is dropped, so that no reference cycle keeps the tournament in
        memory.
        """
        self._has_matches = _none

    def forget(self, bot: str) -> None:
        """Remove a bot that is connected, or no longer in the field, from the absent bots."""
        self._absent.pop(bot, None)

    def mark_all_absent(self, field: Iterable[Entrant], since_ms: int) -> None:
        self._absent = {}
        for entrant in field:
            entrant.absent_since_ms = since_ms
            self._absent[entrant.bot] = entrant

    def count_from(self, at_ms: int) -> None:
        """Let no budget run before `at_ms`."""
        for entrant in self._absent.values():
            entrant.count_absence_from(at_ms)

    def used_budgets(self, now_ms: int) -> list[BotAbsent]:
        """Return a fact for each running budget, with the rest of the budget at `now_ms`."""
        return [
            BotAbsent(self._tournament_id, entrant.bot, entrant.absent_left(now_ms), now_ms)
            for entrant in self._waited_for()
        ]

    def expired_budgets(self, now_ms: int) -> list[BotAbsent]:
        """Return a fact for each absent budget that is used up. Until a bot without budget comes back, it loses its due
        matches.
        """
        return [
            BotAbsent(self._tournament_id, entrant.bot, 0, now_ms)
            for entrant in self._waited_for()
            if entrant.absent_until_ms <= now_ms
        ]

    @property
    def wake_at_ms(self) -> int | None:
        if not self._absent:
            return None
        return min((entrant.absent_until_ms for entrant in self._waited_for()), default=None)

    def _waited_for(self) -> Iterable[Entrant]:
        return (entrant for entrant in self._absent.values() if self._is_waited_for(entrant))

    def _is_waited_for(self, entrant: Entrant) -> bool:
        return entrant.is_waited_for and self._has_matches(entrant.bot)


def _none(bot: str) -> bool:
    return False
