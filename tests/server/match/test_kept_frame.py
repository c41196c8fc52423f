"""The kept part of a bot's frame: all of a usual frame, and never more than a bounded part."""

import json
from hashlib import sha256

import pytest
from rumble_protocol.bot_messages import Move
from rumble_server.match.facts import FrameSeen
from rumble_server.match.kept_frame import COMPACT_TIMES, SURELY_SHORT, frame_seen

MOST = 2048


def keep(frame: str) -> FrameSeen:
    return frame_seen(("friday.1.1.1.1", 1, 0), "bot", frame, 0, MOST)


def padded(*, to_bytes: int, note: str = "two  blanks") -> str:
    frame = json.dumps({"type": "move", "match": "m", "turn_id": "1", "move": "4", "note": note}, ensure_ascii=False)
    return frame[:-1] + " " * (to_bytes - len(frame.encode())) + "}"


@pytest.mark.parametrize("size", [SURELY_SHORT, SURELY_SHORT + 1, MOST])
def test_a_frame_up_to_the_bound_is_kept_to_the_letter(size: int) -> None:
    for frame in (padded(to_bytes=size), "\u00e9" * (size // 2), " " * size):
        assert (keep(frame).frame, keep(frame).bytes, keep(frame).sha256) == (frame, 0, "")


def test_a_longer_frame_is_kept_without_the_whitespace_between_its_tokens() -> None:
    note = 'two  blanks, a tab\t, a quote" and "text" \u00e9 {  } , back\\'
    frame = padded(to_bytes=65_536, note=note).replace('", "', '"\n\r\t ,  "')
    kept = keep(frame)
    assert json.loads(kept.frame) == json.loads(frame)
    assert json.loads(kept.frame)["note"] == note
    assert len(kept.frame) < 200
    assert kept.frame.startswith('{"type":"move","match":"m","turn_id":"1",')
    assert (kept.bytes, kept.sha256) == (len(frame.encode()), sha256(frame.encode()).hexdigest())


def test_the_longest_note_fits_even_escaped() -> None:
    escaped = "\\u0041" * 1024
    frame = f'{{"type": "move", "match": "m", "turn_id": "1", "move": "4", "note": "{escaped}"}}'
    kept = keep(frame)
    assert Move.model_validate_json(kept.frame).note == "A" * 1024
    assert kept.bytes == len(frame)


@pytest.mark.parametrize(
    "frame",
    [
        "nonsense " * 7000,
        '{"type": "move", "note": "' + "x" * 60_000,
        '{"note": "' + "x" * 60_000 + '", "type": "move"}',
        "[" + "1, " * 20_000 + "1]",
    ],
    ids=["no JSON", "cut off", "long text", "many tokens"],
)
def test_of_anything_else_the_beginning_is_kept(frame: str) -> None:
    kept = keep(frame)
    assert kept.frame == frame[:MOST]
    assert (kept.bytes, kept.sha256) == (len(frame), sha256(frame.encode()).hexdigest())


def test_a_character_is_not_cut_in_half() -> None:
    assert keep("x" + "\u00e9" * MOST).frame == "x" + "\u00e9" * (MOST // 2 - 1)


def test_json_is_kept_whole_up_to_a_multiple_of_the_bound() -> None:
    frame = json.dumps(["x" * (COMPACT_TIMES * MOST - 4)])
    assert keep(frame).frame == frame
    assert len(keep(frame.replace("x", "xx", 1)).frame) == MOST
