"""Installed games are found by their entry points."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest
from rumble_engine import BadSettings, EngineError, Game, GameFamily, MissingExtra, UnknownGame, registry
from rumble_engine.registry import broken_games, game_families, game_names, game_title, get_game, missing_games

from .shipped import GAMES
from .take import Take


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install two broken packages beside tic-tac-toe."""
    found = {
        "broken": EntryPoint("broken", "rumble_engine:Game", registry.GROUP),
        "renamed": EntryPoint("renamed", "rumble_engine.games.tictactoe:GAME", registry.GROUP),
        "tictactoe": EntryPoint("tictactoe", "rumble_engine.games.tictactoe:GAME", registry.GROUP),
    }
    monkeypatch.setattr(registry, "entries", lambda: found)
    _forget()
    yield
    _forget()


def _forget() -> None:
    """Clear the registry's caches, since entry points of equal text count as equal across tests."""
    get_game.cache_clear()
    registry._load_all.cache_clear()


def test_our_games_are_installed() -> None:
    assert {game.name for game in GAMES} <= {*game_names()}
    assert game_names() == sorted(game_names())
    assert get_game("connect4") is get_game("connect4")


@pytest.mark.usefixtures("installed")
def test_an_unknown_game_is_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownGame, match="unknown game 'go'; installed: tictactoe"):
        get_game("go")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["broken", "renamed"])
def test_a_package_that_is_no_such_game_is_told(name: str) -> None:
    with pytest.raises(EngineError, match=f"the entry point rumble.games:{name} .* is not a game called '{name}'"):
        get_game(name)


@pytest.mark.usefixtures("installed")
def test_a_broken_package_is_left_out_with_a_line_that_names_it() -> None:
    assert game_names() == ["tictactoe"]
    assert list(broken_games()) == ["broken", "renamed"]
    assert broken_games()["renamed"].startswith("the entry point rumble.games:renamed (rumble_engine.games.tictactoe")


@pytest.mark.usefixtures("extended")
@pytest.mark.parametrize("raised", [RuntimeError("no board"), SystemExit("no board")])
def test_a_package_that_raises_when_it_is_imported_is_left_out(
    monkeypatch: pytest.MonkeyPatch, raised: BaseException
) -> None:
    def fail(name: str) -> object:
        raise raised

    monkeypatch.setattr(sys.modules["rumble_test_holder"], "__getattr__", fail)
    assert game_names() == ["tictactoe"]
    assert broken_games()["glass"].endswith(f"cannot be loaded: {type(raised).__name__}: no board")


@pytest.mark.usefixtures("extended")
@pytest.mark.parametrize("raised", [RuntimeError("no board"), BadSettings("no board")])
@pytest.mark.parametrize("method", ["initial", "describe"])
def test_a_game_that_fails_before_the_first_move_is_left_out(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, method: str
) -> None:
    def fail(*given: object) -> object:
        raise raised

    game = type("Glass", (Take,), {"name": "glass", method: fail})()
    monkeypatch.setitem(vars(sys.modules["rumble_test_holder"]), "GLASS", game)
    assert game_names() == ["tictactoe"]
    assert broken_games()["glass"].endswith(f"fails at the first position: {type(raised).__name__}: no board")
    with pytest.raises(EngineError, match=r"rumble.games:glass .* fails at the first position"):
        get_game("glass")


class Piles(GameFamily):
    """A family with the only game `piles:take`."""

    title = "Piles"
    example = "take"

    def names(self) -> Sequence[str]:
        return ["piles:take"]

    def game(self, name: str) -> Game:
        if name == "piles:heavy":
            raise RuntimeError("too heavy")
        if name != "piles:take":
            raise UnknownGame(f"no {name}")
        game: Game = type("PilesTake", (Take,), {"name": name})()
        return game


@pytest.fixture
def extended(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a family, a game whose library is missing, and a game whose module fails, beside tic-tac-toe."""
    holder = ModuleType("rumble_test_holder")
    holder.FAMILY = Piles()  # type: ignore[attr-defined]

    def missing(name: str) -> object:
        raise MissingExtra("glass needs the package glass-game")

    holder.__getattr__ = missing  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "rumble_test_holder", holder)
    found = {
        "crashing": EntryPoint("crashing", "rumble_no_such_module:GAME", registry.GROUP),
        "glass": EntryPoint("glass", "rumble_test_holder:GLASS", registry.GROUP),
        "piles": EntryPoint("piles", "rumble_test_holder:FAMILY", registry.GROUP),
        "tictactoe": EntryPoint("tictactoe", "rumble_engine.games.tictactoe:GAME", registry.GROUP),
    }
    monkeypatch.setattr(registry, "entries", lambda: found)
    _forget()
    yield
    _forget()


@pytest.mark.usefixtures("extended")
def test_a_game_without_its_extra_is_missing_not_installed() -> None:
    assert game_names() == ["tictactoe"]
    assert missing_games() == {"glass": "glass needs the package glass-game"}
    with pytest.raises(MissingExtra, match="glass needs the package"):
        get_game("glass")


@pytest.mark.usefixtures("extended")
def test_a_package_that_cannot_be_imported_is_told() -> None:
    with pytest.raises(
        EngineError, match=r"rumble.games:crashing \(rumble_no_such_module:GAME\) cannot be loaded: Mod"
    ):
        get_game("crashing")


@pytest.mark.usefixtures("extended")
def test_games_of_a_family_are_found_by_their_full_names() -> None:
    assert list(game_families()) == ["piles"]
    assert get_game("piles:take").name == "piles:take"
    assert get_game("piles:take") is get_game("piles:take")
    with pytest.raises(UnknownGame, match="'piles' is a family of games; write one as piles:take"):
        get_game("piles")
    for name in ("piles:", "piles:chess", "piles:heavy", "heaps:take", "tictactoe:x"):
        with pytest.raises(EngineError):
            get_game(name)


def test_people_read_titles() -> None:
    assert game_title("connect4") == "Connect four"
    assert game_title("no-such-game") == "no-such-game"


@pytest.mark.parametrize(
    ("module", "without", "message"),
    [
        ("chess", ("cozy_chess", "chess"), "chess needs an extra; in a checkout of Rumble: pip install '.[chess]'\n"),
        ("poker", ("pyspiel",), "poker needs an extra; in a checkout of Rumble: pip install '.[openspiel]'\n"),
        (
            "openspiel",
            ("pyspiel",),
            "openspiel games need an extra; in a checkout of Rumble: pip install '.[openspiel]'\n",
        ),
    ],
)
def test_the_error_without_an_extra_names_the_extra(module: str, without: tuple[str, ...], message: str) -> None:
    script = (
        f"import sys; sys.modules.update(dict.fromkeys({without}))\n"
        "from rumble_engine import MissingExtra\n"
        f"try:\n    import rumble_engine.games.{module}\n"
        "except MissingExtra as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == message
