"""Openings: short lists of moves from which matches begin, so that two bots do not play one match for ever. Pure.

Every pairing has the same list, and plays each opening from both seats (`opening_of`). Tic-tac-toe has a listed suite;
other games have openings made by a seeded generator that asks only what every game can answer: positions that no
symmetry maps onto each other, in which nobody can force a win within some plies, and whose estimate is near even.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from rumble_engine import EngineError, Game
from rumble_engine.game import State

Opening = tuple[str, ...]

LISTED = "012 015 017 018 024 025 027 041 042 045 048 053 057 084 085 103 104 135 143 164 174"
TIC_TAC_TOE: tuple[Opening, ...] = tuple(tuple(squares) for squares in LISTED.split())
"""All 21 positions after three plies, up to symmetry, that are drawn with best play."""
TRIES = 60
"""How many random openings are tried, and a quarter of it for each one wanted; then the requirements are lowered."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a generated opening must be: `plies` long, and without a forced win in `quiet` further plies."""

    plies: int
    quiet: int
    even: float
    """The farthest that the game's own estimate may be from 0."""


MOST_STATES = 2_000
"""About how many positions are looked at to see whether a seat can force a win; on a large board within fewer plies."""
RECIPES = {"connect4": Recipe(4, 6, 0.1), "chess": Recipe(4, 1, 0.15)}
OTHERS = Recipe(3, 3, 0.2)


def suite(game: Game, settings: Mapping[str, Any] | None, seed: int, count: int) -> list[Opening]:
    """Make `count` openings for this seed: distinct while the game has more, then from the start again.

    The same arguments give the same list; it is empty if the game has no opening. A long list may take a second.
    """
    if count < 1:
        return []
    random = Random(f"openings.{game.name}.{seed}")
    if game.name == "tictactoe":
        found = list(TIC_TAC_TOE)
        random.shuffle(found)
    else:
        found = _generate(game, game.initial(settings, seed), random, count)
    return [found[index % len(found)] for index in range(count)] if found else []


def opening_of(openings: Sequence[Opening], cycle: int, leg: int, legs: int) -> Opening:
    """Return the opening of a match: two successive matches of a pairing share one, from either seat.

    Seats swap from leg to leg and from cycle to cycle, so the matches of a pair in order of play are taken by twos. A
    pair needs `cycles * legs / 2` openings, rounded up.
    """
    if not openings:
        return ()
    return openings[((cycle - 1) * legs + leg - 1) // 2 % len(openings)]


def read_openings(text: str, game: Game, settings: Mapping[str, Any] | None = None, seed: int = 0) -> list[Opening]:
    """Read a file with one opening a line, moves separated by blanks. Empty lines and those with `#` first are skipped.

    Raises BadOpenings, which names every bad line by its number.
    """
    openings: list[Opening] = []
    lines: dict[Opening, int] = {}
    problems = []
    start = game.initial(settings, seed)
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
    """A file of openings that cannot be used; `problems` has a line for each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


def _problem(state: State, moves: Opening) -> str:
    for place, move in enumerate(moves, 1):
        try:
            state = state.play(move)
        except EngineError as error:
            return f"move {place}: {error}"
    return "" if state.outcome is None else f"the game is over after it ({state.outcome.reason})"


def duplicates(matches: Iterable[tuple[Hashable, Sequence[str]]]) -> dict[tuple[Hashable, Opening], int]:
    """Count the lists of moves that come more than once with the same key (the seats, for example)."""
    counts = Counter((key, tuple(moves)) for key, moves in matches)
    return {found: number for found, number in counts.items() if number > 1}


def _generate(game: Game, start: State, random: Random, count: int) -> list[Opening]:
    recipe = RECIPES.get(game.name, OTHERS)
    found: dict[Hashable, Opening] = {}
    asked = [recipe, Recipe(recipe.plies, recipe.quiet // 2, 1.0), Recipe(max(1, recipe.plies // 2), 0, 1.0)]
    for step in asked:
        seen: set[Hashable] = set(found)
        for state, moves in _random_openings(start, step.plies, random, TRIES + TRIES * count // 4):
            key = state.canonical()
            if key in seen:
                continue
            seen.add(key)
            if _is_fair(state, step):
                found[key] = moves
                if len(found) == count:
                    return list(found.values())
    return list(found.values())


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
    """Return how many of these plies are searched, by the number of moves in each.

    A search that finds no win tries all moves of one seat, and one answer of the other.
    """
    while plies > 0 and moves ** ((plies + 1) // 2) > MOST_STATES:
        plies -= 1
    return plies


def forces(state: State, seat: int, plies: int) -> bool:
    """Whether `seat` can force a win within `plies` plies."""
    outcome = state.outcome
    if outcome is not None:
        return outcome.winner == seat
    mine = state.to_move == seat
    # A seat that cannot move again within the plies cannot win any more.
    if plies == 0 or (plies == 1 and not mine):
        return False
    parts = (forces(state.after(code), seat, plies - 1) for code in state.codes())
    return any(parts) if mine else all(parts)
