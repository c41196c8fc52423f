"""Bugs put into the server on purpose: each bug tells a secret of a match before the end."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

import orjson
import pytest
from rumble_engine import ALL, get_game
from rumble_protocol.codes import Rejection
from rumble_server.match import frames, public_view, transcript
from rumble_server.match.announcer import Announcer
from rumble_server.match.facts import MatchStarted, StartTold
from rumble_server.match.plies import Plies, PlyPart, PublicPosition
from rumble_server.match.referee import Referee
from rumble_server.match.seat import OpenTurn
from rumble_server.web.api import from_log, replays
from rumble_server.web.feed import position_view

from tests.simulation.bugs import Bug


def tell_a_seat_everything(patch: pytest.MonkeyPatch) -> None:
    """Send each seat the view meant for after the match."""
    patch.setattr(Plies, "view", lambda self, seat: orjson.dumps(self.state.view(ALL)))


def tell_a_seat_the_plies_of_others(patch: pytest.MonkeyPatch) -> None:
    """Send each seat the news of the next seat."""
    news = Plies.parts_since_own_move

    def changed(self: Plies, seat: int) -> list[PlyPart]:
        return news(self, (seat + 1) % self.state.seats)

    patch.setattr(Plies, "parts_since_own_move", changed)


def tell_all_moves_to_who_returns(patch: pytest.MonkeyPatch) -> None:
    """List the moves in the `match_start` of a returning bot."""

    def changed(told: StartTold, terms: MatchStarted, moves: Sequence[str]) -> Iterator[tuple[int, bytes]]:
        for seat, frame in frames.frames_of_start(told, terms, moves):
            yield seat, orjson.dumps({**orjson.loads(frame), "moves": list(moves)})

    patch.setattr("rumble_server.match.announcer.frames_of_start", changed)


def tell_everybody_why_a_move_does_not_count(patch: pytest.MonkeyPatch) -> None:
    """Put the text of a rejection, meant for the seat alone, into the reason of the fall."""
    refuse = Referee._on_invalid_move

    def changed(
        self: Referee, seat: int, turn: OpenTurn, code: Rejection, message: str, now_ms: int, frame: str
    ) -> None:
        with pytest.MonkeyPatch.context() as inside:
            inside.setattr(get_game(self.progress.terms.game), "hides", False)
            refuse(self, seat, turn, code, message, now_ms, frame)

    patch.setattr(Referee, "_on_invalid_move", changed)


def tell_a_rejection_to_all(patch: pytest.MonkeyPatch) -> None:
    """Send a rejection to every seat."""
    send = Announcer._send

    def changed(self: Announcer, seat: int, now_ms: int, message: Any) -> None:
        seats = self._progress.seats
        others = range(len(seats)) if message.type == "rejected" else (seat,)
        for each in others:
            if seats[each].away_since_ms is None:
                send(self, each, now_ms, message)

    patch.setattr(Announcer, "_send", changed)


def show_spectators_everything(patch: pytest.MonkeyPatch) -> None:
    """Draw the boards of the feed and of the pages as after the match."""
    show = position_view.position_view
    patch.setattr(position_view, "position_view", lambda game, state, last, seat: show(game, state, last, ALL))


def show_spectators_all_moves(patch: pytest.MonkeyPatch) -> None:
    """List the moves of a running match as made."""
    patch.setattr(
        public_view, "position", lambda progress, now_ms: PublicPosition(progress.state, progress.moves, True)
    )


def show_everything_in_a_replay(patch: pytest.MonkeyPatch) -> None:
    """Draw the earlier boards of a running match as after the match."""
    draw = replays.replay
    patch.setattr(from_log, "replay", lambda terms, moves, seat, *rest: draw(terms, moves, ALL, *rest))


def let_the_host_read_a_running_match(patch: pytest.MonkeyPatch) -> None:
    """Let the host read the frames of every seat during the match."""
    public_facts = transcript.public_facts

    def changed(facts: Iterable[object], *, to_a_seat: bool) -> list[object]:
        return public_facts(facts, to_a_seat=True)

    patch.setattr(from_log, "public_facts", changed)


def let_a_seat_read_all_frames(patch: pytest.MonkeyPatch) -> None:
    """Let the owner of a bot read the frames of every seat."""
    patch.setattr(from_log, "transcript_of", lambda facts, bot: transcript.transcript(facts))


def tell_a_hash(patch: pytest.MonkeyPatch) -> None:
    """Make the id of a turn from the hash of a secret of the first seat."""
    ask = Announcer.ask_movers

    def changed(self: Announcer, plies: Plies, now_ms: int) -> None:
        new, tokens = self._new_turn_id, getattr(plies.state, "tokens", ())
        if tokens:
            self._new_turn_id = lambda: sha256(tokens[0].encode()).hexdigest()
        ask(self, plies, now_ms)
        self._new_turn_id = new

    patch.setattr(Announcer, "ask_movers", changed)


LEAKS: tuple[tuple[Bug, str, int], ...] = (
    (tell_a_seat_everything, r"was told a token of \w+ in turn", 12),
    (tell_a_seat_the_plies_of_others, r"was told a token of \w+ in turn", 12),
    (tell_all_moves_to_who_returns, r"was told a token of \w+ in match_start", 12),
    (tell_everybody_why_a_move_does_not_count, r"was told a token of \w+ in notice", 562),
    (tell_a_rejection_to_all, r"was told a token of \w+ in rejected", 562),
    (show_spectators_everything, r"everybody could read a token", 22),
    (show_spectators_all_moves, r"everybody could read a token", 12),
    (show_everything_in_a_replay, r"everybody could read a token", 22),
    (let_the_host_read_a_running_match, r"everybody could read a token", 12),
    (let_a_seat_read_all_frames, r"^(?!everybody)\w+ could read a token", 12),
    (tell_a_hash, r"was told a token of \w+ in turn", 12),
)
"""Each bug, a pattern of the checker's complaint, and a seed that shows the bug."""
