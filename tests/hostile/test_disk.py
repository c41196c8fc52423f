"""The disk as a target: what a bot sends is kept within bounds, and no quota faults a move."""

import hashlib
import json
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from rumble_server.limits.bounds import Bounds

from tests.hostile.attacker import TEXT, Attacker, RawBot, frame, next_turn, play_on
from tests.hostile.target import Target, target, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long]

KEY = "key-of-bots-that-fill-the-disk"
PADDING, FRAMES = 60_000, 20
KEPT = Bounds().kept_frame_bytes


def own_frames(server: Target, tournament: str) -> list[str]:
    """Return the frames of bots that the log of a tournament holds."""
    facts = server.facts(tournament)
    return [fact["frame"] for fact in facts if fact.get("frame") and fact.get("sender", "bot") == "bot"]


def pair(server: Target, attacker: Attacker, names: tuple[str, str], **config: object) -> tuple[str, RawBot, RawBot]:
    """Begin a match of two bots; return the tournament and both bots."""
    cup = server.create(start_at_bots=2, legs=1, **config)
    first, second = (attacker.login(name, key=KEY, join=cup) for name in names)
    return cup, first, second


def padded(turn: dict[str, str], move: str, padding: str) -> bytes:
    """Build the text of a move with padding between its tokens."""
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
    # A refused frame counts by its bytes: a few larger ones would close the connection.
    noise = b"no JSON " * (2 * KEPT // 8)
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
    """A bot with many matches sends frames that belong to no match."""
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


def test_what_challenges_of_one_address_write_is_bounded_and_a_running_match_ends(tmp_path: Path) -> None:
    """40 bots of one address that challenged each other wrote 10 MB/s, without an end."""
    most, names = 20_000, [f"busy-{number}" for number in range(6)]
    with target(tmp_path, constants={"challenge_bytes_per_day": most}) as server, ExitStack() as opened:
        busy, other = server.attacker(), server.attacker()
        bots = [opened.enter_context(busy.login(name, key=KEY, challenges=True)) for name in names]
        for bot in bots:
            bot.until("session")
        pairs = list(zip(bots[::2], bots[1::2], names[1::2], strict=True))
        refused, padding = 0, " " * KEPT
        for _ in range(most // KEPT):
            refused = 0
            for first, second, name in pairs:
                first.say(type="challenge", against=name, game="tictactoe", seat=0)
                if (answer := first.until("joined", "error"))["type"] == "error":
                    assert answer["code"] == "quota"
                    refused += 1
                    continue
                assert play_on(first, second, padding=padding)["termination"] == "normal"
                first.until("tournament_over")
        assert refused == len(pairs)
        with closing(sqlite3.connect(f"file:{server.database}?mode=ro", uri=True)) as database:
            written = database.execute("SELECT sum(length(facts)) FROM log WHERE tournament != ''").fetchone()[0]
        one_more = 9 * 2 * KEPT
        assert most <= written < most + len(pairs) * one_more
        with other.login("other", key=KEY) as bot:
            bot.say(type="challenge", against=names[0], game="tictactoe")
            assert bot.until("joined", "error")["type"] == "joined"
