"""Python and JavaScript draw equal boards: every element of every board of every installed game is compared."""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import product
from random import Random
from typing import Any

import pytest
from playwright.async_api import Page
from rumble_engine import Drawing, Game, JointState, State, game_families, game_names, get_game
from rumble_server.web.pages.board_svg import seat_piece, svg

pytestmark = pytest.mark.slow

PLAYOUTS = 3
MOST_PLIES = 1_000
"""Maximum number of plies of a playout, which matches of a repeated game can exceed."""
GAMES = [get_game(name) for name in game_names()]
COMPARE = """async (boards) => {
  const { picture, seatPiece } = await import("/static/drawing.js");
  const read = (html) => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return template.content.childNodes;
  };
  const differences = [];
  for (const { drawing, flipped, seat, html } of boards) {
    const drawn = seat === null ? picture(drawing, "a board", flipped) : seatPiece(drawing, seat);
    const nodes = [...read(html)];
    const same = drawn === null ? !nodes.length : nodes.length === 1 && drawn.isEqualNode(nodes[0]);
    if (!same) differences.push([html, drawn?.outerHTML ?? ""]);
  }
  return differences;
}"""
"""Compares by `isEqualNode`: name, namespace, attributes, text, and children in order."""


def choices(game: Game) -> Iterator[dict[str, Any]]:
    """Yield settings: the defaults, every choice and both values of each setting, all minima, and all maxima."""
    yield {}
    for bound in ("minimum", "maximum"):
        bounds = {setting.name: getattr(setting, bound) for setting in game.settings}
        yield {name: value for name, value in bounds.items() if value is not None}
    for setting in game.settings:
        for value in (False, True) if isinstance(setting.default, bool) else setting.choices or ():
            yield {setting.name: value}


def any_ply(state: State, random: Random) -> str:
    """Return the text of a random ply; joint moves are not listed, because they may be many."""
    if isinstance(state, JointState) and state.movers:
        return state.joint_text({seat: random.choice(state.codes_for(seat)) for seat in state.movers})
    if state.is_chance:
        return state.text_of(state.draw(random.getrandbits(256)))
    return random.choice(list(state.legal_moves))


def drawings(game: Game) -> list[Drawing]:
    """Yield the start, the middle and the end of seeded playouts under all `choices`, with the last move marked."""
    found = []
    for settings in choices(game):
        for seed, seats in product(range(PLAYOUTS), {game.seats, game.most_seats}):
            random, states, moves = Random(seed), [game.initial_for(seats, settings)], [""]
            while states[-1].outcome is None and len(states) < MOST_PLIES:
                moves.append(any_ply(states[-1], random))
                states.append(states[-1].play(moves[-1]))
            for ply in {0, 1, len(states) // 2, len(states) - 1}:
                drawing = game.drawing(states[ply].view(), moves[ply] or None)
                assert drawing is not None
                found.append(drawing)
    return found


def drawn(drawing: Drawing) -> list[dict[str, Any]]:
    """Return the server's SVG of a drawing: the board from both sides, and the piece of each seat."""
    boards = [(flipped, None, svg(drawing, "a board", flipped)) for flipped in (False, True)]
    pieces = [(False, seat, seat_piece(drawing, seat)) for seat in range(8)]
    as_data = asdict(drawing)
    return [
        {"drawing": as_data, "flipped": flipped, "seat": seat, "html": str(html)}
        for flipped, seat, html in (*boards, *pieces)
    ]


async def first_difference(page: Page, boards: list[dict[str, Any]]) -> tuple[str, str] | None:
    """Return both versions of the first element that the server and the script draw differently."""
    for difference in await page.evaluate(COMPARE, boards):
        server, script = ([*html.split("<"), ""] for html in difference)
        return next(
            (pair for pair in zip(server, script, strict=False) if pair[0] != pair[1]), (difference[0], difference[1])
        )
    return None


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
async def test_the_script_draws_the_same_as_the_server(home: Page, game: Game) -> None:
    boards = [each for drawing in drawings(game) for each in drawn(drawing)]
    assert await first_difference(home, boards) is None


def test_games_of_families_have_no_boards() -> None:
    for name, family in game_families().items():
        game = get_game(f"{name}:{family.example}")
        assert game.drawing(game.initial().view()) is None


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("<path", "<rect"),
        ('role="img" ', ""),
        ("X: 4.", "X: 5."),
        ('<g class="pieces">', '<g></g><g class="pieces">'),
        ('<g class="pieces">', 'text<g class="pieces">'),
    ],
)
async def test_any_difference_is_found(home: Page, was: str, becomes: str) -> None:
    game = get_game("tictactoe")
    drawing = game.drawing(game.initial().play("4").view(), "4")
    assert drawing is not None
    board, *_ = drawn(drawing)
    assert await first_difference(home, [board]) is None
    changed = board["html"].replace(was, becomes, 1)
    assert changed != board["html"]
    assert await first_difference(home, [{**board, "html": changed}]) is not None


IN_PLACE = """async ([boards, flipped]) => {
  const { picture } = await import("/static/drawing.js");
  const { DrawnBoard } = await import("/static/drawn_board.js");
  const frame = document.querySelector("main");
  frame.replaceChildren();
  const drawn = new DrawnBoard(frame);
  const observer = new MutationObserver(() => {});
  observer.observe(frame, { subtree: true, childList: true, attributes: true, characterData: true });
  const changes = [];
  let wrong = null;
  for (const drawing of boards) {
    observer.takeRecords();
    drawn.show(drawing, "a board", flipped);
    const records = observer.takeRecords();
    const nodes = records.flatMap((each) => [...each.addedNodes, ...each.removedNodes]);
    const parts = nodes.map((node) => (node.matches(".piece") ? 1 : 1 + node.querySelectorAll("*").length));
    const attributes = records.filter((each) => each.type !== "childList").length;
    changes.push(parts.reduce((sum, one) => sum + one, attributes));
    const whole = picture(drawing, "a board", flipped).outerHTML;
    if (frame.innerHTML !== whole) wrong ??= [frame.innerHTML, whole];
  }
  return [wrong, changes];
}"""
"""Shows drawings in turn on a board; counts the elements (a piece counts once) and attributes that changed."""


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
async def test_a_move_changes_only_its_own_squares_on_the_page(home: Page, game: Game) -> None:
    random, state = Random(7), game.initial_for(game.most_seats)
    boards, bounds = [game.drawing(state.view())], [0]
    while state.outcome is None:
        move = any_ply(state, random)
        state = state.play(move)
        boards.append(game.drawing(state.view(), move))
        before, after = (drawing for drawing in boards[-2:] if drawing)
        cells = sum(one != other for one, other in zip(before.board, after.board, strict=True))
        marks = sum(1 + 2 * len(drawing.last) for drawing in (before, after))
        bounds.append(2 * cells + marks + 1)
    drawn = [asdict(each) for each in boards if each]
    for flipped in (False, True):
        wrong, changes = await home.evaluate(IN_PLACE, [drawn, flipped])
        assert wrong is None
        for changed, bound in zip(changes[1:], bounds[1:], strict=True):
            assert changed <= bound, "a piece that went and one that came in each cell, the marks, the label"


async def test_another_game_on_the_same_board_is_drawn_anew(home: Page) -> None:
    boards = [asdict(drawing) for game in GAMES if (drawing := game.drawing(game.initial().view()))]
    wrong, changes = await home.evaluate(IN_PLACE, [[*boards, *boards[::-1]], False])
    assert wrong is None
    assert changes[len(boards)] == 0, "the same position again changes nothing"
