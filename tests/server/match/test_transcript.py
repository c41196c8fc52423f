"""Promise 7: a match's transcript has every frame of it both ways, with the server's times, rebuilt from the log."""

import json
from random import Random

import pytest
from rumble_protocol.fields import TimeControl
from rumble_server.match.facts import MatchFact, MatchOver
from rumble_server.match.transcript import Line, as_json, transcript

from tests.server.match.driven import START_MS, DrivenReferee
from tests.server.world import Bot, World


def facts_of(world: World, match: str) -> list[MatchFact]:
    return [fact for fact in world.log.facts if isinstance(fact, MatchFact) and fact.match == match]


def told(lines: list[Line], seat: int) -> list[object]:
    return [json.loads(line.frame) for line in lines if (line.seat, line.sender) == (seat, "server")]


def said(lines: list[Line], seat: int) -> list[str]:
    return [line.frame for line in lines if (line.seat, line.sender) == (seat, "bot")]


@pytest.mark.parametrize("seed", range(4))
def test_it_has_every_frame_of_the_match_that_either_bot_sent_or_was_sent(seed: int) -> None:
    random = Random(seed)
    world = World(seed=seed)
    world.create(start_at_bots=3, illegal_retries=1, time_control=TimeControl(move_ms=1000, bank_ms=500))
    bots: dict[str, list[Bot]] = {}

    def choose(turn: dict[str, object]) -> str:
        legal = turn.get("legal", ["0"])
        assert isinstance(legal, list)
        return str(random.choice([*legal, *legal, "nonsense"]))

    def login(name: str) -> None:
        bot = world.connect()
        bots.setdefault(name, []).append(bot)
        bot.play(choose, think_ms=lambda: random.randrange(300))
        bot.login(name, join="friday", omit=random.choice([[], ["moves"]]))

    for name in ("ann", "ben", "cid"):
        login(name)
    while world.clock.step():
        if random.random() < 0.05:
            name = random.choice(list(bots))
            bots[name][-1].drop()
            login(name)
    assert len(world.arena.tournaments["friday"].results) == 6
    for match, over in world.arena.tournaments["friday"].results.items():
        entries = list(transcript(facts_of(world, match)))
        lines = [entry for entry in entries if isinstance(entry, Line)]
        assert entries.count(over) == 1
        assert [line.at_ms for line in lines] == sorted(line.at_ms for line in lines)
        for seat, name in enumerate(over.seats):
            heard = [frame for bot in bots[name] for frame in bot.inbox.frames if frame.get("match") == match]
            sent = [text for bot in bots[name] for text in bot.sent if json.loads(text).get("match") == match]
            assert told(lines, seat) == heard
            assert said(lines, seat) == sent


def test_an_opening_is_in_the_frames_that_follow() -> None:
    driven = DrivenReferee.seated(moves=("4", "0"))
    driven.play("8")
    lines = [line for line in transcript(driven.facts) if isinstance(line, Line)]
    turns = [frame for frame in (json.loads(line.frame) for line in lines) if frame["type"] == "turn"]
    assert [turn["moves"] for turn in turns] == [["4", "0"], ["4", "0", "8"]]
    assert turns == [driven.seats[0].last("turn"), driven.seats[1].last("turn")]


def test_as_data_it_is_frames_and_the_verdict() -> None:
    driven = DrivenReferee.seated()
    driven.pass_ms(1000)
    entries = list(transcript(driven.facts))
    first, *_ = entries
    assert isinstance(first, Line)
    assert as_json(first) == {
        "at_ms": START_MS,
        "attempt": 1,
        "seat": 0,
        "sender": "server",
        "frame": first.frame,
    }
    (verdict,) = [entry for entry in entries if isinstance(entry, MatchOver)]
    assert as_json(verdict) == {
        "at_ms": START_MS + 1000,
        "attempt": 1,
        "verdict": "timeout",
        "scores": [0.0, 1.0],
        "reason": driven.over.reason,
        "at_fault": [0],
    }


def test_a_void_attempts_verdict_has_no_scores() -> None:
    driven = DrivenReferee.seated()
    driven.abort("the power failed")
    verdict = next(entry for entry in transcript(driven.facts) if isinstance(entry, MatchOver))
    assert as_json(verdict)["scores"] is None


def test_facts_without_their_start_give_only_the_frames_that_stand_in_them() -> None:
    driven = DrivenReferee.seated()
    driven.play("4")
    driven.move(0, "5", turn_id="stale")
    lines = [line for line in transcript(driven.facts[1:]) if isinstance(line, Line)]
    assert [json.loads(line.frame)["type"] for line in lines] == ["move", "rejected"]


def test_what_was_excused_stands_beside_the_frame_that_it_was_excused_for_and_the_verdict() -> None:
    driven = DrivenReferee.seated(time_control=TimeControl(move_ms=60_000))
    driven.stall(300)
    driven.play("4")
    driven.stall(20)
    driven.disconnect(1)
    driven.stall(7)
    driven.connect(1)
    driven.stall(1)
    driven.resign(1)
    entries = [as_json(entry) for entry in transcript(driven.facts)]
    assert [
        (json.loads(entry["frame"])["type"] if "frame" in entry else "verdict", entry[name])
        for entry in entries
        for name in ("excused_ms", "seats_excused_ms")
        if name in entry
    ] == [("move", 300), ("match_start", 20), ("verdict", [300, 21])]
