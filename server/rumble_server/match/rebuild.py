"""Rebuilding a running match from the log. A thread may do so, because a long match would hold up the event loop."""

from collections.abc import Iterable

from rumble_server.match.clock import FastControl, Lateness
from rumble_server.match.facts import MatchFact, MatchStarted
from rumble_server.match.plies import PlyFact
from rumble_server.match.progress import Progress


class _NoLateness:
    """The lateness while facts are applied. Lateness counts only for open turns, and a rebuilt match has none."""

    late_ms = 0
    suspended_until_ms = 0


class RebuiltMatch:
    """A match that was running when the server stopped, rebuilt as far as the log and the game's code allow."""

    def __init__(self, started: MatchStarted, control: FastControl, recorded: Iterable[MatchFact]) -> None:
        """Apply `recorded`, the attempt's facts after `started`."""
        self.started = started
        self.is_whole = True
        """False if plies are missing in the log. The facts after the gap are not applied."""
        self.error: Exception | None = None
        """Error of the game's code at a fact, or at the opening; None if the game did not fail."""
        self._progress: Progress | None = None
        """None if the game's code failed at the opening."""
        try:
            self._progress = progress = Progress(started, control, _NoLateness(), 0)
            for fact in recorded:
                if isinstance(fact, PlyFact) and fact.ply != len(progress.moves):
                    self.is_whole = False
                    break
                progress.apply(fact)
        except Exception as error:  # noqa: BLE001  # a game's code raises any error; the match is then ended as void
            self.error = error

    def progress(self, lateness: Lateness, grace_until_ms: int) -> Progress:
        """Return the progress, to go on with `lateness`. If the game's code failed at the opening, raise its error."""
        if self._progress is None:
            assert self.error is not None
            raise self.error
        self._progress.lateness, self._progress.grace_until_ms = lateness, grace_until_ms
        return self._progress
