"""Playing transcripts: frames that count as equal, and detection of any other frame."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rumble_protocol import SUBPROTOCOL
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from tests.protocol import golden_transcript
from tests.protocol.golden_transcript import EXAMPLES, Frame, Mismatch, compare, play_transcript, read, translated

ALICE = EXAMPLES / "friday-alice.jsonl"


def renamed(frame: Frame) -> Frame:
    """Copy a frame as another run of the same server would send it, with other turn ids and times."""
    other = copy.deepcopy(frame)
    if "turn_id" in other:
        other["turn_id"] = f"other-{other['turn_id']}"
    if "clock" in other:
        other["clock"] = {"remaining_ms": 7, "seats_ms": [7, 8], "lag_ms": 3}
    return other


class ScriptedServer:
    """A server that sends its lines of a transcript, changed by `change`, and keeps what it receives."""

    def __init__(self, transcript: Path, change: Callable[[int, Frame], Frame | None]) -> None:
        self.transcript = transcript
        self.change = change
        self.heard: list[Frame] = []

    async def play(self, socket: ServerConnection) -> None:
        for number, (sender, frame) in enumerate(read(self.transcript)):
            if sender == "bot":
                self.heard.append(json.loads(await socket.recv()))
                continue
            said = self.change(number, renamed(frame))
            if said is None:
                await socket.wait_closed()
                return
            await socket.send(json.dumps(said))
        await socket.wait_closed()


async def played(change: Callable[[int, Frame], Frame | None]) -> tuple[list[Frame], list[Frame]]:
    """Play alice's transcript; return the frames that the server received, and the frames that the bot received."""
    server_side = ScriptedServer(ALICE, change)
    told: list[Frame] = []
    async with serve(server_side.play, "127.0.0.1", 0, subprotocols=[Subprotocol(SUBPROTOCOL)]) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        await play_transcript(ALICE, f"ws://127.0.0.1:{port}/bot", told.append)
    return server_side.heard, told


@pytest.mark.e2e
async def test_another_run_of_the_same_server_passes() -> None:
    heard, told = await played(lambda number, frame: frame)
    lines = read(ALICE)
    assert heard == [renamed(line.frame) for line in lines if line.sender == "bot"]
    assert told == [renamed(line.frame) for line in lines if line.sender == "server"]


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("field", "value"), [("type", "notice"), ("seat", 1), ("seat", 0.0), ("state", {}), ("moves", ["4"]), ("newer", 1)]
)
async def test_a_server_that_says_something_else_is_found_out(field: str, value: object) -> None:
    first_turn = next(number for number, line in enumerate(read(ALICE)) if line.frame["type"] == "turn")
    with pytest.raises(Mismatch, match=rf"^friday-alice\.jsonl:{first_turn + 1}\b"):
        await played(lambda number, frame: {**frame, field: value} if number == first_turn else frame)


@pytest.mark.e2e
async def test_a_silent_server_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden_transcript, "PATIENCE_S", 0.05)
    with pytest.raises(Mismatch, match="sent nothing"):
        await played(lambda number, frame: None if frame["type"] == "session" else frame)


def matches(expected: Any, got: Any, turn_ids: dict[str, str]) -> bool:
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


def test_lists_are_compared_one_by_one() -> None:
    assert not matches({"moves": ["1"]}, {"moves": ["2"]}, {})
    assert not matches({"moves": ["1"]}, {"moves": []}, {})
    assert not matches([True], [1], {})
