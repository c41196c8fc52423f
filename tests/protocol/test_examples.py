"""The golden transcripts are valid and plausible conversations."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator
from rumble_engine import State, get_game
from rumble_protocol.codec import BadMessage, read_bot_message, read_server_message, write_message
from rumble_protocol.frames import turn_frame
from rumble_protocol.schema import schemas

from tests.protocol.golden_transcript import EXAMPLES, Line, read

TRANSCRIPTS = sorted(EXAMPLES.glob("*.jsonl"))
SCHEMA = {name: Draft202012Validator(schemas()[f"{name}_message.json"]) for name in ("bot", "server")}


def lines(transcript: Path) -> list[Line]:
    found = read(transcript)
    assert found
    return found


def frames(transcript: Path, kind: str) -> list[dict[str, Any]]:
    return [line.frame for line in lines(transcript) if line.frame["type"] == kind]


def test_they_are_where_the_readme_says() -> None:
    told = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert TRANSCRIPTS
    assert [path.name for path in TRANSCRIPTS if f"`{path.name}`" not in told] == []


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_server_says_what_the_models_write(transcript: Path) -> None:
    for sender, frame in lines(transcript):
        if sender == "server":
            SCHEMA["server"].validate(frame)
            message = read_server_message(orjson.dumps(frame))
            if message.type == "turn":
                fields = message.model_dump(exclude={"type", "clock"}) | message.clock.model_dump()
                fields |= {name: frame.get(name) for name in ("legal", "moves")}
                assert turn_frame(**fields) == orjson.dumps(frame)
            else:
                assert write_message(message) == orjson.dumps(frame)


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_bot_is_refused_exactly_where_it_errs(transcript: Path) -> None:
    conversation = lines(transcript)
    for line, answer in pairwise(conversation):
        if line.sender == "bot" and answer.frame["type"] == "error":
            with pytest.raises(BadMessage) as caught:
                read_bot_message(orjson.dumps(line.frame))
            assert answer.frame["message"] == caught.value.message
            assert answer.frame["detail"] == [problem.model_dump() for problem in caught.value.detail]
            assert not SCHEMA["bot"].is_valid(line.frame)
        elif line.sender == "bot":
            read_bot_message(orjson.dumps(line.frame))
            SCHEMA["bot"].validate(line.frame)


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.stem)
def test_turns_are_asked_once_and_answered(transcript: Path) -> None:
    asked: list[str] = []
    for sender, frame in lines(transcript):
        if sender == "server" and frame["type"] == "turn":
            asked.append(frame["turn_id"])
        elif "turn_id" in frame:
            assert frame["turn_id"] in asked
    assert len(asked) == len(set(asked)) > 0


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.stem)
def test_positions_are_the_engines(transcript: Path) -> None:
    starts = {start["match"]: start for start in frames(transcript, "match_start")}
    overs = {over["match"]: over for over in frames(transcript, "match_over")}
    for turn in frames(transcript, "turn"):
        start = starts[turn["match"]]
        moves = turn["moves"] if "moves" in turn else overs[turn["match"]]["moves"][: turn["ply"]]
        state = played(start, moves)
        assert turn["ply"] == len(moves)
        assert turn["state"] == state.view(start["seat"])
        assert turn["seat"] == start["seat"] == state.to_move
        assert turn.get("legal", list(state.legal_moves)) == list(state.legal_moves)


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.stem)
def test_results_are_the_engines(transcript: Path) -> None:
    starts = {start["match"]: start for start in frames(transcript, "match_start")}
    for over in frames(transcript, "match_over"):
        state = played(starts[over["match"]], over["moves"])
        assert over["state"] == state.view(over["winner"])
        if over["termination"] == "normal":
            assert state.outcome is not None
            assert (over["scores"], over["reason"]) == (list(state.outcome.scores), state.outcome.reason)


def played(start: dict[str, Any], moves: list[str]) -> State:
    """Return the state after `moves` of the match that began with `start`."""
    state = get_game(start["game"]).initial(start["settings"])
    for move in moves:
        state = state.play(move)
    return state


@pytest.mark.parametrize("day", ["friday", "saturday"])
def test_the_two_sides_tell_one_story(day: str) -> None:
    sides = {
        name: [line for path in sorted(EXAMPLES.glob(f"{day}-{name}*.jsonl")) for line in read(path)]
        for name in ("alice", "bob")
    }
    results = {name: [frame for _, frame in side if frame["type"] == "match_over"] for name, side in sides.items()}
    assert results["alice"] == results["bob"] != []
    for name, side in sides.items():
        seats = {frame["match"]: frame["seats"].index(name) for _, frame in side if frame["type"] == "match_start"}
        (end,) = (frame for _, frame in side if frame["type"] == "tournament_over")
        assert end["points"] == sum(over["scores"][seats[over["match"]]] for over in results[name])
