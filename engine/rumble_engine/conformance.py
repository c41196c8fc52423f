"""The conformance kit: random playouts that check every rule of `Game` and `State`. Every game must pass.

    from rumble_engine.conformance import check_game
    check_game(MY_GAME)                 # raises ConformanceError, or returns a Report

or, for an installed game, on the command line:

    python -m rumble_engine.conformance mygame --playouts 1000 --settings '{"size": 5}'

If a game raises an error of an unexpected class, the game fails, and the error is the cause of the ConformanceError.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from math import isclose
from random import Random
from typing import Any

from rumble_engine import errors
from rumble_engine.chance import NUMBERS
from rumble_engine.drawing_check import DrawingCheck
from rumble_engine.game import ALL, Game, State
from rumble_engine.hidden_check import check_samples, check_seen
from rumble_engine.joint import IDLE, JointState
from rumble_engine.outcome import Outcome, Termination, scores_of
from rumble_engine.registry import get_game
from rumble_engine.requirement import require as _require
from rumble_engine.texts import shown

LONGEST = 10_000
"""Maximum number of plies of a playout; a longer playout fails as endless."""
OTHERS = 20
"""Maximum number of illegal moves tried in each state. The moves were legal in earlier states."""
LONG = 100
"""`_check_growth` compares the sizes of views only in a playout with at least this many views in each half."""
REMEMBERED = 250_000
"""Maximum number of positions remembered (about 100 MB), to compare states with equal `canonical` keys."""
GARBAGE = ("\0", "\ud800", "\n", "x" * 99_999)
"""Texts that are neither a position nor a move in any game."""
NONSENSE = (*GARBAGE, "", " ", "?", "-1", "+1", "1.0", "0x1", "\u0663", "\uff14", "\u00bd", "None")
"""Texts to try as moves. A state must refuse each text that is not a legal move.

Python's `int` would accept some of the texts as numbers.
"""


@dataclass(slots=True)
class Report:
    """Counts from a successful check of a game."""

    game: str
    """The game's name."""
    settings: dict[str, Any]
    """The game's settings, with their defaults filled in."""
    playouts: int = 0
    """Number of playouts."""
    plies: int = 0
    """Number of plies in all playouts together."""
    longest: int = 0
    """Number of plies of the longest playout."""
    wins: list[int] = field(default_factory=list)
    """Number of playouts won, by seat. Draws are not counted here."""


def check_game(
    game: Game,
    *,
    settings: Mapping[str, Any] | None = None,
    playouts: int = 100,
    seed: int = 0,
    longest: int = LONGEST,
    seats: int | None = None,
) -> Report:
    """Check `game` with these settings in `playouts` random games. Equal seeds give equal games.

    If `seats` is None, each playout has the game's usual number of seats. Raises ConformanceError. The text of the
    error is one line, which names the problem and the moves before the problem.
    """
    with _blaming(game, "describing it"):
        _check_description(game)
    with _blaming(game, "reading settings"):
        seats = game.seats if seats is None else seats
        report = Report(game.name, _check_settings(game, settings), wins=[0] * seats)
        for wrong in (game.least_seats - 1, game.most_seats + 1):
            _raises(errors.BadSettings, "initial_for", game.initial_for, wrong, settings)
    with _blaming(game, "reading positions"):
        _raises(errors.BadPosition, "load", game.load, {})
        for text in GARBAGE:
            _raises(errors.EngineError, "parse", game.parse, text, settings)
    players = _Playouts(game, seats, report.settings, Random(seed), longest)
    for number in range(playouts):
        outcome, plies = players.play(number)
        report.playouts += 1
        report.plies += plies
        report.longest = max(report.longest, plies)
        if outcome.winner is not None:
            report.wins[outcome.winner] += 1
    return report


@contextmanager
def _blaming(game: Game, when: str) -> Iterator[None]:
    """Turn every error in the block into a ConformanceError whose text begins with the game's name and `when`."""
    try:
        yield
    except errors.ConformanceError as error:
        raise errors.ConformanceError(f"{game.name}, {when}: {error}") from error
    except Exception as error:
        raise errors.ConformanceError(f"{game.name}, {when}: {type(error).__name__}: {error}") from error


def _raises(expected: type[errors.EngineError], name: str, call: Callable[..., object], *args: object) -> None:
    """Require that `call(*args)` raises `expected` with a message of one line.

    Error messages show `name` as the name of the function.
    """
    what = f"{name}({shown(args[0]) if isinstance(args[0], str) else args[0]})"
    try:
        call(*args)
    except expected as error:
        message = str(error)
        _require(message and message.isprintable(), f"{what}: the message of the error is not one printable line")
        _require(len(message) <= 500, f"{what}: the message of the error is longer than 500 characters")
    except Exception as error:
        raise errors.ConformanceError(f"{what} raises {type(error).__name__}, not {expected.__name__}") from error
    else:
        raise errors.ConformanceError(f"{what} does not raise {expected.__name__}")


def _check_description(game: Game) -> None:
    _require(re.fullmatch(r"[a-z0-9_:-]+", game.name), f"the name {game.name!r} is not of a-z, 0-9, _, : and -")
    _require(game.title and game.title.isprintable(), "the title is not one printable line")
    _require(game.least_seats >= 2, "there are fewer than two seats")
    _require(game.least_seats <= game.seats <= game.most_seats, "seats is not from least_seats to most_seats")
    for what, given in (("seat_marks", game.seat_marks), ("seat_names", game.seat_names)):
        _require(
            len(given) == len(set(given)) == game.most_seats,
            f"{what} is not one for each seat, each another",
        )
        _require(all(each and each.isprintable() for each in given), f"an entry of {what} is not one printable line")
    _require(_is_json(game.describe()), "describe() is not JSON data")


def _check_settings(game: Game, given: Mapping[str, Any] | None) -> dict[str, Any]:
    names = [setting.name for setting in game.settings]
    _require(len(names) == len(set(names)), "two settings have the same name")
    for setting in game.settings:
        _raises(errors.BadSettings, "initial", game.initial, {setting.name: None})
    _raises(errors.BadSettings, "initial", game.initial, {"no such setting": 1})
    full = game.complete(given)
    _require(_is_json(full), "the settings are not JSON data")
    return dict(full)


def _is_json(data: object) -> bool:
    """Return true if `data` is unchanged after a conversion to JSON and back.

    A tuple, or a key that is a number, would be changed.
    """
    return bool(json.loads(json.dumps(data, allow_nan=False)) == data)


class _Playouts:
    """Random playouts of a game, with checks of every state, and comparisons of states that should be equal."""

    def __init__(self, game: Game, seats: int, settings: Mapping[str, Any], random: Random, longest: int) -> None:
        self.game = game
        self.seats = seats
        self.settings = settings
        self.random = random
        self.longest = longest
        self.drawings = DrawingCheck(game, NONSENSE)
        self.texts: set[str] = set()
        self.finished: set[int] = set()
        self.kinds: dict[Hashable, tuple[int, float | None]] = {}

    def play(self, seed: int) -> tuple[Outcome, int]:
        """Play a random game from the initial state of `seed`. Return the outcome and the number of plies."""
        with _blaming(self.game, f"starting with seed {seed}"):
            state = self.game.initial_for(self.seats, self.settings, seed)
            again = self.game.initial_for(self.seats, self.settings, seed)
            _check_same(state, again, "two initial states of one seed")
        moves: list[str] = []
        sizes: list[int] = []
        self.finished = set()
        kept = state
        while True:
            with _blaming(self.game, f"seed {seed}, after {' '.join(moves) or 'no move'}"):
                _require(len(moves) <= self.longest, f"the game is not over after {self.longest} plies")
                outcome = self.check(state)
                self.drawings.check(state, moves[-1] if moves else None)
                if isinstance(state, JointState) or state.is_chance or self.seats > 2:
                    sizes.append(len(json.dumps(state.view())))
                if outcome is not None:
                    if not self.game.views_grow:
                        _check_growth(sizes)
                    self.check_fall(kept)
                    return outcome, len(moves)
                if state.can_fall and state.movers and not self.random.randrange(len(moves) + 1):
                    kept = state  # keeps a random ply, each with the same probability
                code = self.choose(state)
                moves.append(state.text_of(code))
                other = state.text_of(self.choose(state)) if self.game.hides else ""
                check_seen(self.game, state, moves[-1], other)
                state = self.step(state, code)

    def choose(self, state: State) -> int:
        """Choose a legal ply at random. Outcomes of chance are chosen by their probabilities."""
        if state.is_chance:
            return state.draw(self.random.randrange(NUMBERS))
        if isinstance(state, JointState):
            return state.joint(self.joint_move(state))
        return self.random.choice(state.codes())

    def joint_move(self, state: State) -> dict[int, int]:
        return {seat: self.random.choice(state.codes_for(seat)) for seat in state.movers}

    def check(self, state: State) -> Outcome | None:
        joint = state if isinstance(state, JointState) and state.movers else None
        outcome = state.outcome
        _require(state.seats == self.seats, f"seats is {state.seats} in a match of {self.seats}")
        _require(state.to_move in range(self.seats), f"to_move is {state.to_move}, which is no seat")
        self.check_kind(state)
        known_by = bool(outcome) + bool(state.is_chance) + bool(state.movers)
        _require(known_by == 1, "not just one of outcome, is_chance and movers")
        if outcome is not None:
            _check_outcome(outcome, self.seats)
            _require((outcome.payoffs is not None) is self.game.pays, "`pays` does not tell whether there are payoffs")
            _require(not state.codes() and not state.chances(), "legal moves and an outcome")
        if state.is_chance:
            self.check_chance(state)
        elif joint is not None:
            self.check_joint(joint)
        else:
            codes = list(state.codes())
            _require(codes or outcome, "no legal move and no outcome")
            _require(not state.chances(), "chances() is not empty, but is_chance is false")
            self.check_moves(state, codes)
        self.check_forms(state)
        guess = state.estimate()
        _require(-1 < guess < 1, f"estimate() is {guess}, not strictly between -1 and 1")
        kind = (len(_plies(state)), None if outcome is None else outcome.scores[state.to_move])
        known = self.kinds.get(key := state.canonical(), kind)
        if len(self.kinds) < REMEMBERED:
            self.kinds[key] = known
        _require(kind == known, "two states with one canonical() differ in the number of moves or the outcome")
        return outcome

    def check_kind(self, state: State) -> None:
        """Check that a state fits the game's description (`in_turn`, `hides`), and that no finished seat moves."""
        is_other = state.is_chance or len(state.movers) > 1
        _require(not (self.game.in_turn and is_other), "in_turn is true, but chance decides or several seats move")
        _require(not set(state.finished) & set(state.movers), "a seat that has finished is to move")
        _require(self.finished <= set(state.finished), "a seat that had finished has not")
        alike = self.game.hides or all(state.view(seat) == state.view() for seat in range(self.seats))
        _require(alike, "views differ, but hides is false")
        self.finished = set(state.finished)

    def check_chance(self, state: State) -> None:
        """Check a state in which chance decides: probabilities, the method `draw`, and codes and texts of outcomes."""
        draws = [state.draw(number) for number in (0, NUMBERS - 1, self.random.randrange(NUMBERS))]
        _require(draws == [state.draw(number) for number in (0, NUMBERS - 1)] + draws[2:], "draw() is not determined")
        with suppress(errors.NotListed):
            chances = state.chances()
            codes = [code for code, _ in chances]
            _require(isclose(sum(weight for _, weight in chances), 1), "the probabilities do not sum to 1")
            _require(all(weight > 0 for _, weight in chances), "an outcome of chance has no probability")
            _require(list(state.codes()) == codes, "codes() is not the codes of chances()")
            _require(len(set(map(state.text_of, codes))) == len(codes), "two outcomes of chance have one text")
            _require(set(draws) <= set(codes), "draw() gives what chances() does not list")
            draws += self.random.sample(codes, min(len(codes), OTHERS))
        for code in draws:
            _require(state.code_of(state.text_of(code)) == code, "code_of() does not read what text_of() writes")
        for text in GARBAGE:
            _raises(errors.MoveError, "code_of", state.code_of, text)

    def check_moves(self, state: State, codes: list[int]) -> None:
        """Check that the codes and texts of legal moves fit together, and that the state refuses other texts."""
        moves = list(state.legal_moves)
        _require(len(set(codes)) == len(codes), "codes() names a move twice")
        _require(moves == [state.text_of(code) for code in codes], "legal_moves is not the text of codes() in order")
        _require(
            all(len(move) <= errors.LONGEST_MOVE for move in moves),
            f"a legal move has over {errors.LONGEST_MOVE} characters",
        )
        _require([state.code_of(move) for move in moves] == codes, "code_of() does not read what text_of() writes")
        refusal = errors.IllegalMove if state.outcome else errors.MoveError
        others = sorted(self.texts.difference(moves))
        for text in self.random.sample(others, min(len(others), OTHERS)):
            _raises(refusal, "code_of", state.code_of, text)
        self.texts.update(moves)
        padded = [form for move in moves[:1] for form in (f" {move}", f"{move} ", f"{move}\n")]
        for text in (*padded, *NONSENSE):
            if text not in moves:
                _raises(errors.MoveError, "code_of", state.code_of, text)

    def check_joint(self, state: JointState) -> None:
        """Check the moves of each seat, and that the order of the seats in a joint move does not matter."""
        for seat in state.movers:
            own = list(state.codes_for(seat))
            words = [state.text_for(seat, code) for code in own]
            _require(own and len(set(words)) == len(own), f"seat {seat} has no move, or two moves of one text")
            _require(all(0 <= code < state.moves_each for code in own), f"a code of seat {seat} is not in moves_each")
            _require(all(" " not in word and word != IDLE for word in words), f"a move of seat {seat} is no word")
            _require([state.code_for(seat, word) for word in words] == own, "code_for() does not read text_for()")
            for text in NONSENSE:
                if text not in words:
                    _raises(errors.MoveError, f"code_for, seat {seat}", partial(state.code_for, seat), text)
        _require(tuple(sorted(set(state.movers))) == state.movers, "movers are not in ascending order")
        _require(not state.chances(), "chances() is not empty, but is_chance is false")
        for _ in range(OTHERS):
            moves = self.joint_move(state)
            self.texts.add(state.joint_text(moves))
            if state.can_fall and self.random.random() < 0.5:
                del moves[self.random.choice(state.movers)]
            _require(state.split(state.joint(moves)) == moves, "a joint move has not just the movers")
            after = state.after_all(moves)
            _check_same(after, state.after_all(dict(reversed(moves.items()))), "one joint move in another order")
            _check_same(after, state.play(state.joint_text(moves)), "one joint move made by its text")
        if not state.can_fall:
            idle = " ".join([IDLE] * state.seats)
            _raises(errors.MoveError, "code_of", state.code_of, idle)
        for text in NONSENSE:
            _raises(errors.MoveError, "code_of", state.code_of, text)
            if text not in GARBAGE:
                _raises(errors.MoveError, "code_of", state.code_of, " ".join([text] * state.seats))

    def check_forms(self, state: State) -> None:
        """Check that views and texts can be read back as the same state.

        Also check that changing a view changes no state.
        """
        views: list[dict[str, Any]] = []
        for seat in (None, ALL, *range(self.seats)):
            view = state.view(seat)
            if view not in views:
                _require(_is_json(view), f"view({seat}) is not JSON data")
                _require(self.game.diagram(view), "diagram() is empty")
                if self.game.hides:
                    _raises(errors.BadPosition, "load", self.game.load, view)
                else:
                    _check_same(state, self.game.load(view), f"load(view({seat}))")
                views.append(deepcopy(view))
            view.clear()
        if self.game.hides:
            tried = self.random.sample(sorted(self.texts), min(len(self.texts), OTHERS))
            check_samples(self.game, state, self.random, (*tried, *NONSENSE))
        _check_same(state, self.game.parse(state.text(), self.settings), "parse(text())")
        _require(state.text().isprintable(), "text() is not one printable line")
        _require(state.diagram(), "diagram() is empty")

    def check_fall(self, state: State) -> None:
        """Check that the game ends if all movers fall out at `state` and at each later ply.

        In a state with joint moves, also check that no seat gains by falling out. Where seats move in turn, gains are
        not compared: a seat that plays on at random may get less than a seat that falls out.
        """
        if not state.can_fall or not state.movers:
            return
        if isinstance(state, JointState):
            moves = self.joint_move(state)
            seat = self.random.choice(state.movers)
            played = self.gain(seat, state.after_all(moves), ())
            del moves[seat]
            fallen = self.gain(seat, state.after_all(moves), (seat,))
            _require(fallen <= played, f"seat {seat} gets {fallen} by falling out, and {played} by playing on")
        _raises(errors.MoveError, f"code_for, seat {state.to_move}", partial(state.code_for, state.to_move), IDLE)
        fell = state.after_all({})
        _check_same(fell, state.play(state.joint_text({})), "a fall made by its text")
        self.check_forms(fell)
        for _ in range(self.longest):
            if fell.outcome is not None:
                return
            fell = fell.after(self.choose(fell)) if fell.is_chance else fell.after_all({})
        raise errors.ConformanceError("the game goes on after all movers fell out")

    def gain(self, seat: int, state: State, fallen: Collection[int]) -> float:
        """Play randomly to the end, and return the payoff of `seat`; in a game without payoffs, return the score.

        Check that the seats in `fallen` are never to move.
        """
        while state.outcome is None:
            _require(not set(state.movers) & set(fallen), "a seat is to move that is out")
            state = state.after(self.choose(state))
        return (state.outcome.payoffs or state.outcome.scores)[seat]

    def step(self, state: State, code: int) -> State:
        """Return the state after the move `code`.

        Check that the move always has the same result, and does not change `state`.
        """
        before = (deepcopy(state), hash(state), state.view(), state.text(), _plies(state))
        after = state.after(code)
        now = (state, hash(state), state.view(), state.text(), _plies(state))
        _require(now == before, "a move changed the state it was made in")
        _check_same(after, state.after(code), "the same move made twice")
        _check_same(after, state.play(state.text_of(code)), "the same move made by its text")
        return after


def _check_outcome(outcome: Outcome, seats: int) -> None:
    _require(len(outcome.scores) == seats, f"the outcome has {len(outcome.scores)} scores for {seats} seats")
    _require(isclose(sum(outcome.scores), seats / 2), f"the scores {outcome.scores} do not sum to {seats / 2}")
    if outcome.places is not None:
        _require(outcome.scores == scores_of(outcome.places), f"the scores are not those of {outcome.places}")
    if outcome.payoffs is not None:
        _require(outcome == Outcome.paid(outcome.payoffs, outcome.reason), "places do not follow from the payoffs")
    _require(all(0 <= score <= 1 for score in outcome.scores), f"the scores {outcome.scores} are not from 0 to 1")
    _require(outcome.termination is Termination.NORMAL, "a game's own outcome has a termination other than normal")
    _require(outcome.reason and outcome.reason.isprintable(), "the outcome's reason is not one printable line")


def _check_growth(sizes: Sequence[int]) -> None:
    """Check that in a long game the views of the second half are not much larger than those of the first half."""
    half = len(sizes) // 2
    if half >= LONG:
        first, second = max(sizes[:half]), max(sizes[half:])
        _require(second <= 1.2 * first + 50, f"views grow during the game, from {first} characters to {second}")


def _plies(state: State) -> list[object]:
    """Return the codes of the plies that can follow. In a state with joint moves, return a list for each mover.

    The list of a mover has the codes of the mover's legal moves. If `codes` raises NotListed, return an empty list.
    """
    if isinstance(state, JointState) and state.movers:
        return [list(state.codes_for(seat)) for seat in state.movers]
    try:
        return list(state.codes())
    except errors.NotListed:
        return []


def _check_same(one: State, other: State, what: str) -> None:
    """Check that two states are equal, with equal moves, outcomes and views. `what` names the states in the error."""
    _require(one == other and hash(one) == hash(other), f"{what}: not equal, or not the same hash")
    _require(one.canonical() == other.canonical(), f"{what}: equal, but not the same canonical()")
    first = (one.to_move, one.outcome, _plies(one), one.view())
    second = (other.to_move, other.outcome, _plies(other), other.view())
    _require(first == second, f"{what}: equal, but not the same moves, outcome or view")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check an installed game, and print one line. Return 0 if the game passes, 1 if it fails.

    Wrong usage, or a game that cannot be loaded, exits the process with status 2, like argparse.
    """
    parser = argparse.ArgumentParser(
        prog="python -m rumble_engine.conformance", description="Check that an installed game keeps the rules of Game."
    )
    parser.add_argument("game", help="the game's name, as its entry point has it")
    parser.add_argument("--playouts", type=int, default=100, help="random games to play (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other random games (default: %(default)s)")
    parser.add_argument("--seats", type=int, help="seats in each game (default: as many as the game has by itself)")
    parser.add_argument("--settings", default="{}", metavar="JSON", help="the game's settings, as a JSON object")
    given = parser.parse_args(arguments)
    try:
        settings = json.loads(given.settings)
        game = get_game(given.game)
        if not isinstance(settings, dict):
            raise errors.BadSettings("--settings takes a JSON object")
        game.complete(settings)
    except json.JSONDecodeError as error:
        parser.error(f"--settings is not JSON: {error}")
    except errors.EngineError as error:
        parser.error(str(error))
    try:
        report = check_game(game, settings=settings, playouts=given.playouts, seed=given.seed, seats=given.seats)
    except errors.ConformanceError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    wins = ", ".join(f"seat {seat} won {won}" for seat, won in enumerate(report.wins))
    seen = f"{report.playouts} playouts, {report.plies} plies, the longest {report.longest}; {wins}"
    sys.stdout.write(f"{report.game} passes: {seen}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
