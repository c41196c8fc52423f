"""Openings: short lists of moves from which matches begin, so that two bots do not play the same match again. Pure.

All pairings have the same list, and play each opening from both seats (`opening_of`). Tic-tac-toe has a fixed list.
Openings of other games come from a seeded generator, which uses only functions that every game has. In the positions
after these openings, the game's estimate is near even, and neither seat can force a win within some plies. No symmetry
maps one of the positions onto another.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from rumble_engine import EngineError, Game
from rumble_engine.game import State

Opening = tuple[str, ...]

LISTED = "012 015 017 018 024 025 027 041 042 045 048 053 057 084 085 103 104 135 143 164 174"
TIC_TAC_TOE: tuple[Opening, ...] = tuple(tuple(squares) for squares in LISTED.split())
"""Openings of three plies: one for each of the 21 positions that are drawn with best play. Positions that a symmetry
maps onto each other count as one position."""
TRIES = 60
"""Number of random openings tried before the requirements are lowered. A quarter of this number is added for each
wanted opening."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The requirements of a generated opening: `plies` plies, after which no seat can force a win in `quiet` further
    plies.
    """

    plies: int
    quiet: int
    even: float
    """Maximum distance of the game's estimate from 0."""


MOST_STATES = 2_000
"""Approximate maximum number of positions searched for a forced win. In a game with many moves, fewer plies are
searched."""
RECIPES = {"connect4": Recipe(4, 6, 0.1), "chess": Recipe(4, 1, 0.15)}
OTHERS = Recipe(3, 3, 0.2)


def suite(game: Game, settings: Mapping[str, Any] | None, seed: int, count: int) -> list[Opening]:
    """Return `count` openings for this seed. If the game has fewer openings, the list repeats them from the first.

    Equal arguments give equal lists; the list is empty if the game has no opening. A long list may take a second.
    """
    if count < 1:
        return []
    random = Random(f"openings.{game.name}.{seed}")
    if game.name == "tictactoe":
        openings = list(TIC_TAC_TOE)
        random.shuffle(openings)
    else:
        openings = _generate(game, game.initial(settings, seed), random, count)
    return [openings[index % len(openings)] for index in range(count)] if openings else []


def opening_of(openings: Sequence[Opening], cycle: int, leg: int, legs: int) -> Opening:
    """Return the opening of a match.

    The matches of a pairing are counted over all cycles and legs. The first two matches share an opening, and so do the
    next two, and so on. Seats are swapped from leg to leg and from cycle to cycle. A pairing needs
    `cycles * legs / 2` openings, rounded up.
    """
    if not openings:
        return ()
    return openings[((cycle - 1) * legs + leg - 1) // 2 % len(openings)]


def read_openings(text: str, game: Game, settings: Mapping[str, Any] | None = None) -> list[Opening]:
    """Return the openings in a text. Each line is an opening, with blanks between the moves.

    Empty lines and lines that begin with `#` are skipped. Raises BadOpenings, with the number of every bad line.
    """
    openings: list[Opening] = []
    lines: dict[Opening, int] = {}
    problems = []
    start = game.initial(settings)
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        moves = tuple(line.split())
        if not moves or moves[0].startswith("#"):
            continue
        problem = _problem(start, moves)
        if not problem and moves in lines:
            problem = f"the same opening as line {lines[moves]}"
        if problem:
            problems.append(f"line {number}: {problem}")
        else:
            lines[moves] = number
            openings.append(moves)
    if not openings and not problems:
        problems.append("there is no opening in it")
    if problems:
        raise BadOpenings(problems)
    return openings


class BadOpenings(ValueError):
    """A file of openings that cannot be used; `problems` has a line for each problem."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


def _problem(state: State, moves: Opening) -> str:
    for number, move in enumerate(moves, 1):
        try:
            state = state.play(move)
        except EngineError as error:
            return f"move {number}: {error}"
    return "" if state.outcome is None else f"the game is over after it ({state.outcome.reason})"


def _generate(game: Game, start: State, random: Random, count: int) -> list[Opening]:
    recipe = RECIPES.get(game.name, OTHERS)
    openings: dict[Hashable, Opening] = {}
    recipes = [recipe, Recipe(recipe.plies, recipe.quiet // 2, 1.0), Recipe(max(1, recipe.plies // 2), 0, 1.0)]
    for step in recipes:
        seen: set[Hashable] = set(openings)
        for state, moves in _random_openings(start, step.plies, random, TRIES + TRIES * count // 4):
            key = state.canonical()
            if key in seen:
                continue
            seen.add(key)
            if _is_fair(state, step):
                openings[key] = moves
                if len(openings) == count:
                    return list(openings.values())
    return list(openings.values())


def _random_openings(start: State, plies: int, random: Random, tries: int) -> Iterator[tuple[State, Opening]]:
    for _ in range(tries):
        state = start
        moves: list[str] = []
        while len(moves) < plies and state.outcome is None:
            code = random.choice(state.codes())
            moves.append(state.text_of(code))
            state = state.after(code)
        if state.outcome is None:
            yield state, tuple(moves)


def _is_fair(state: State, recipe: Recipe) -> bool:
    if abs(state.estimate()) > recipe.even:
        return False
    quiet = affordable(recipe.quiet, len(state.codes()))
    return not any(forces(state, seat, quiet) for seat in range(2))


def affordable(plies: int, moves: int) -> int:
    """Return the number of plies, at most `plies`, that can be searched for a forced win.

    `moves` is the number of legal moves at each ply. A search that finds no win tries every move of the seat, but only
    one answer of the opponent to each move.
    """
    while plies > 0 and moves ** ((plies + 1) // 2) > MOST_STATES:
        plies -= 1
    return plies


def forces(state: State, seat: int, plies: int) -> bool:
    """Return true if `seat` can force a win within `plies` plies."""
    outcome = state.outcome
    if outcome is not None:
        return outcome.winner == seat
    mine = state.to_move == seat
    # A seat without another move within the plies cannot win any more.
    if plies == 0 or (plies == 1 and not mine):
        return False
    parts = (forces(state.after(code), seat, plies - 1) for code in state.codes())
    return any(parts) if mine else all(parts)
