"""The boards of a match, ply by ply, for stepping through it. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from rumble_engine import get_game

from rumble_server.match.facts import MatchStarted
from rumble_server.web.api.models import MatchBoards, PlyBoard


def replay(terms: MatchStarted, moves: Sequence[str], first: int, most: int) -> MatchBoards:
    """Draw at most `most` boards, from the one after `first` plies on; none if the match has fewer plies."""
    game = get_game(terms.game)
    state, boards = game.initial(terms.settings, terms.seed), []
    blank = game.drawing(state.view())
    for ply, last in enumerate((None, *moves[: first + most - 1])):
        if last is not None:
            state = state.play(last)
        if ply >= first:
            drawing = game.drawing(state.view(), last)
            boards.append(
                PlyBoard(
                    board="" if drawing is None else drawing.board,
                    last=[] if drawing is None else list(drawing.last),
                    diagram=state.diagram() if drawing is None else None,
                    position=state.text(),
                )
            )
    return MatchBoards(
        match=terms.match,
        attempt=terms.attempt,
        plies=len(moves),
        first=first,
        drawing=None if blank is None else replace(blank, last=()),
        boards=boards,
    )
