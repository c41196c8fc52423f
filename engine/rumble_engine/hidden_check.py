"""Checks of the views and plies of hidden games. `conformance` runs them for every state of its playouts."""

from collections.abc import Iterable
from random import Random

from rumble_engine.errors import MoveError, NotSampled
from rumble_engine.game import ALL, Game, State
from rumble_engine.joint import JointState
from rumble_engine.requirement import require
from rumble_engine.texts import shown


def check_samples(game: Game, state: State, random: Random, texts: Iterable[str]) -> None:
    """Draw a sample from each seat's view. Check that the seat, and spectators, see the sample as they see `state`.

    If the seat is to move, each text of `texts` is tried as a move of the seat. Sample and state must both accept the
    text, or both refuse the text with the same message. Games without samples are not checked. Raises ConformanceError.
    """
    texts = tuple(texts)
    for seat in range(state.seats):
        view = state.view(seat)
        try:
            other = game.sample(view, random)
        except NotSampled:
            return
        known = f"a sample of view({seat})"
        require(other.view(seat) == view == state.view(seat), f"{known} has another view of that seat")
        require(other.view() == state.view(), f"{known} has another view of a spectator: view() tells a secret")
        require(
            (other.movers, other.is_chance, other.outcome is None, sorted(other.finished))
            == (state.movers, state.is_chance, state.outcome is None, sorted(state.finished)),
            f"{known} has other movers, or another end",
        )
        if seat in state.movers:
            moves = [[each.text_for(seat, code) for code in each.codes_for(seat)] for each in (state, other)]
            require(moves[0] == moves[1], f"{known} has other legal moves")
            for text in texts:
                refusals = [_refusal(each, seat, text) for each in (state, other)]
                require(refusals[0] == refusals[1], f"{known} answers {shown(text)} in other words")


def check_seen(game: Game, before: State, text: str, other: str) -> None:
    """Check how seats and spectators see the ply `text`, made in the state `before`. Raises ConformanceError.

    In a hidden game, `other` is another ply that `before` allows. If the states after both plies look the same to
    spectators, the plies must look the same, too. A hidden game that does not override `State.seen` reveals every
    deal, and fails.
    """
    require(before.seen(text, ALL) == text, "seen(text, ALL) is not the text")
    for seat in (None, *range(before.seats)):
        seen = before.seen(text, seat)
        require(seen and seen.isprintable(), f"seen(text, {seat}) is not one printable line")
        require(game.hides or seen == text, "seen() hides a ply, but hides is false")
        require(before.parts(seen), f"parts() of a ply as seat {seat} sees it is empty")
        own = seat in before.movers and not isinstance(before, JointState)
        require(not own or seen == text, f"seat {seat} does not see its own move")
    if not game.hides:
        return
    after, another = before.play(text), before.play(other)
    if after != another and after.view() == another.view():
        alike = before.seen(text, None) == before.seen(other, None)
        require(alike, "spectators see more of a ply than their view tells after it")


def _refusal(state: State, seat: int, text: str) -> str:
    """Return the message with which a state refuses a move of `seat`; empty if the move is accepted."""
    try:
        state.code_for(seat, text)
    except MoveError as error:
        return str(error)
    return ""
