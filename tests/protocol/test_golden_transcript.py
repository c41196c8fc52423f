"""The server speaks the golden transcripts; frames that count as equal, and detection of any other frame."""

import pytest

from tests.protocol.golden_transcript import EXAMPLES, Frame, Mismatch, Players, compare, translated
from tests.protocol.server_in_memory import ServerInMemory

FRIDAY = ("friday-alice", "friday-bob")
FIRST, OTHER, AGAIN = SATURDAY = ("saturday-alice-1", "saturday-bob", "saturday-alice-2")


@pytest.fixture
def server() -> ServerInMemory:
    return ServerInMemory({})


def test_the_readme_names_every_golden_transcript() -> None:
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    played = sorted(f"{name}.jsonl" for name in (*FRIDAY, *SATURDAY))
    assert [path.name for path in sorted(EXAMPLES.glob("*.jsonl"))] == played
    assert [name for name in played if f"`{name}`" not in readme] == []


def standings(server: ServerInMemory, tournament: str) -> list[tuple[str, float]]:
    """Return names and points of a tournament that is over."""
    lines = server.world.log.records[tournament].lines
    return [(line.name, line.points) for line in lines]


async def test_friday(server: ServerInMemory) -> None:
    friday = {"name": "friday", "game": "tictactoe", "start_at_bots": 2}
    server.host("create", tournament=friday)
    players = Players(server)
    for name in FRIDAY:
        players.connect(name)
    players.end()
    assert standings(server, "friday") == [("alice", 2.0), ("bob", 0.0)]


async def test_saturday(server: ServerInMemory) -> None:
    control = {"bank_ms": 60_000, "increment_ms": 1000}
    saturday = {"name": "saturday", "game": "connect4", "legs": 1, "start_at_bots": 2, "time_control": control}
    server.host("create", tournament=saturday)
    players = Players(server)
    for name in (FIRST, OTHER):
        players.connect(name)
    players.drop(FIRST)
    players.connect(AGAIN)
    players.end()
    assert standings(server, "saturday") == [("alice", 1.0), ("bob", 0.0)]


async def test_a_server_that_says_something_else_is_found_out(server: ServerInMemory) -> None:
    server.host("create", tournament={"name": "friday", "game": "connect4", "start_at_bots": 2})
    with pytest.raises(Mismatch, match=r"^friday-alice:"):
        Players(server).connect("friday-alice")


async def test_a_silent_server_is_found_out(server: ServerInMemory) -> None:
    server.host("create", tournament={"name": "friday", "game": "tictactoe", "start_at_bots": 2})
    players = Players(server)
    players.connect("friday-alice")
    with pytest.raises(Mismatch, match="friday-alice: the server sent"):
        players.end()


def matches(expected: Frame, got: Frame, turn_ids: dict[str, str]) -> bool:
    try:
        compare(expected, got, turn_ids, "here")
    except Mismatch:
        return False
    return True


def test_a_turn_id_stands_for_one_value_all_along() -> None:
    ids: dict[str, str] = {}
    assert matches({"turn_id": "a1"}, {"turn_id": "x"}, ids)
    assert matches({"turn_id": "a1"}, {"turn_id": "x"}, ids)
    assert not matches({"turn_id": "a1"}, {"turn_id": "y"}, ids)
    assert translated({"type": "move", "turn_id": "a1"}, ids) == {"type": "move", "turn_id": "x"}
    assert translated({"type": "resign", "match": "a1"}, ids) == {"type": "resign", "match": "a1"}


def test_times_are_compared_by_their_kind() -> None:
    assert matches({"remaining_ms": 5, "seats_ms": [1, 2]}, {"remaining_ms": 6, "seats_ms": [3, 4]}, {})
    assert not matches({"remaining_ms": 5}, {"remaining_ms": None}, {})
    assert not matches({"remaining_ms": 5}, {"remaining_ms": 5.0}, {})
    assert not matches({"seats_ms": [1, 2]}, {"seats_ms": [1]}, {})


def test_a_server_may_have_more_games_but_not_fewer() -> None:
    assert matches({"games": ["chess", "go"]}, {"games": ["chess", "draughts", "go"]}, {})
    assert not matches({"games": ["chess", "go"]}, {"games": ["chess"]}, {})
    assert not matches({"games": ["chess"]}, {"games": "chess"}, {})


def test_fields_and_types_are_compared() -> None:
    others: list[Frame] = [{"seat": 1}, {"seat": 0.0}, {"seat": 0, "newer": 1}, {}, {"seat": None}]
    assert not any(matches({"seat": 0}, other, {}) for other in others)


def test_lists_are_compared_one_by_one() -> None:
    assert not matches({"moves": ["1"]}, {"moves": ["2"]}, {})
    assert not matches({"moves": ["1"]}, {"moves": []}, {})
    assert not matches({"moves": [True]}, {"moves": [1]}, {})
