"""The disk as a target: what a bot sends is kept within bounds, and no quota faults a move."""

import hashlib
import json

import pytest
from rumble_server.bounds import Bounds

from tests.hostile.attacker import TEXT, Attacker, RawBot, frame, next_turn
from tests.hostile.target import Target, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long]

KEY = "key-of-bots-that-fill-the-disk"
PADDING, FRAMES = 60_000, 20
KEPT = Bounds().kept_frame_bytes


def own_frames(server: Target, tournament: str) -> list[str]:
    """Return the frames of bots that the log of a tournament holds."""
    facts = server.facts(tournament)
    return [fact["frame"] for fact in facts if fact.get("frame") and fact.get("sender", "bot") == "bot"]


def pair(server: Target, attacker: Attacker, names: tuple[str, str], **config: object) -> tuple[str, RawBot, RawBot]:
    """Begin a match of two bots; return its tournament and them."""
    cup = server.create(start_at_bots=2, legs=1, **config)
    first, second = (attacker.login(name, key=KEY, join=cup) for name in names)
    return cup, first, second


def padded(turn: dict[str, str], move: str, padding: str) -> bytes:
    """Build the text of a move with this padding between its tokens."""
    answer = json.dumps({"type": "move", "match": turn["match"], "turn_id": turn["turn_id"], "move": move})
    return answer.replace(", ", f",{padding}", 1).encode()


def test_moves_padded_with_spaces_are_kept_without(server: Target, attacker: Attacker) -> None:
    cup, first, second = pair(server, attacker, ("padder-1", "padder-2"))
    sent = []
    with first, second:
        while True:
            bot, turn = next_turn(first, second)
            sent.append(padded(turn, turn["legal"][0], " " * PADDING))
            bot.send(frame(TEXT, sent[-1]))
            if turn["ply"] == 6:
                break
        over = first.until("match_over")
        assert over["termination"] == "normal"
    kept = own_frames(server, cup)
    assert len(kept) == len(sent)
    assert sum(map(len, kept)) < len(sent) * KEPT
    lines = [line for line in server.transcript(over["match"]) if line.get("sender") == "bot"]
    assert [line["frame"].encode() for line in lines] == [each.replace(b" ", b"") for each in sent]
    assert [line["bytes"] for line in lines] == [len(each) for each in sent]
    assert [line["sha256"] for line in lines] == [hashlib.sha256(each).hexdigest() for each in sent]


def test_a_short_frame_is_kept_to_the_letter(server: Target, attacker: Attacker) -> None:
    _, first, second = pair(server, attacker, ("brief-1", "brief-2"))
    with first, second:
        bot, turn = next_turn(first, second)
        text = padded(turn, turn["legal"][0], " " * (KEPT // 2))
        bot.send(frame(TEXT, text))
        other, _ = next_turn(first, second)
        other.say(type="resign", match=turn["match"])
        first.until("match_over")
    (line, _) = (line for line in server.transcript(turn["match"]) if line.get("sender") == "bot")
    assert (line["frame"], line.get("bytes"), line.get("sha256")) == (text.decode(), None, None)


def test_what_is_not_json_is_kept_as_its_beginning(server: Target, attacker: Attacker) -> None:
    cup, first, second = pair(server, attacker, ("noisy-1", "noisy-2"))
    noise = b"no JSON " * (PADDING // 8)
    with first, second:
        match = next_turn(first, second)[1]["match"]
        for _ in range(FRAMES):
            first.send(frame(TEXT, noise))
            first.until("error")
        first.say(type="resign", match=match)
        first.until("match_over")
    lines = [line for line in server.transcript(match) if line.get("sender") == "bot"][:-1]
    assert {(line["frame"], line["bytes"]) for line in lines} == {(noise[:KEPT].decode(), len(noise))}
    assert {line["sha256"] for line in lines} == {hashlib.sha256(noise).hexdigest()}
    assert sum(map(len, own_frames(server, cup))) < (FRAMES + 1) * KEPT


def test_an_overheard_frame_is_kept_once(server: Target, attacker: Attacker) -> None:
    """A bot with many matches says what belongs to none of them."""
    names = [f"crowded-{number}" for number in range(8)]
    cup = server.create(start_at_bots=len(names), legs=1)
    bots = [attacker.login(name, key=KEY, join=cup, max_matches=len(names)) for name in names]
    speaker = bots[0]
    noise = "overheard " * (KEPT // 20)
    for _ in names[1:]:
        match = speaker.until("match_start")["match"]
    for _ in range(FRAMES):
        speaker.send(frame(TEXT, noise.encode()))
        speaker.until("error")
    assert wait_until(lambda: said(server, noise) >= FRAMES)
    speaker.say(type="resign", match=match)
    speaker.until("match_over")
    for bot in bots:
        bot.sock.close()
    assert said(server, noise) == FRAMES


def said(server: Target, text: str) -> int:
    """Return how often the whole log has a text."""
    return sum(json.dumps(fact).count(text) for fact in server.facts())
