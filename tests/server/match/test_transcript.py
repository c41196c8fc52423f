"""Promise 7: a match's transcript has every frame of it both ways, with the server's times, rebuilt from the log."""

import json
from hashlib import sha256
from random import Random

import pytest
from rumble_engine.games.dilemma import DilemmaState
from rumble_protocol.fields import TimeControl
from rumble_server.match.facts import FrameSeen, FrameShared, MatchFact, MatchOver, SeatAway, with_shared_frames
from rumble_server.match.last_attempt import notes
from rumble_server.match.plies import Plies, PlyFact
from rumble_server.match.transcript import TranscriptLine, as_json, transcript

from tests.server.failing import fail_if
from tests.server.match.driven import START_MS, DrivenReferee
from tests.server.world import Bot, World


def facts_of(world: World, match: str) -> list[MatchFact]:
    return [fact for fact in world.log.facts if isinstance(fact, MatchFact) and fact.match == match]


def sent_to(lines: list[TranscriptLine], seat: int) -> list[object]:
    return [json.loads(line.frame) for line in lines if (line.seat, line.sender) == (seat, "server")]


def said(lines: list[TranscriptLine], seat: int) -> list[str]:
    return [line.frame for line in lines if (line.seat, line.sender) == (seat, "bot")]


@pytest.mark.parametrize("seed", range(4))
def test_a_transcript_has_every_frame_that_either_bot_sent_or_was_sent(seed: int) -> None:
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
    assert len(world.tournament("friday").results) == 6
    for match, over in world.tournament("friday").results.items():
        entries = list(transcript(facts_of(world, match)))
        lines = [entry for entry in entries if isinstance(entry, TranscriptLine)]
        assert entries.count(over) == 1
        assert [line.at_ms for line in lines] == sorted(line.at_ms for line in lines)
        for seat, name in enumerate(over.seats):
            frames = [frame for bot in bots[name] for frame in bot.inbox.frames if frame.get("match") == match]
            too_late = [frame for frame in frames if frame.get("code") == "unknown_match"]  # after the match's end
            heard = [frame for frame in frames if frame not in too_late]
            texts = [text for bot in bots[name] for text in bot.sent if json.loads(text).get("match") == match]
            sent = texts[: len(texts) - len(too_late)]
            assert sent_to(lines, seat) == heard
            assert said(lines, seat) == sent


def test_an_opening_is_in_the_frames_that_follow() -> None:
    driven = DrivenReferee.seated(moves=("4", "0"))
    driven.play("8")
    lines = [line for line in transcript(driven.facts) if isinstance(line, TranscriptLine)]
    turns = [frame for frame in (json.loads(line.frame) for line in lines) if frame["type"] == "turn"]
    assert [turn["moves"] for turn in turns] == [["4", "0"], ["4", "0", "8"]]
    assert turns == [driven.seats[0].last("turn"), driven.seats[1].last("turn")]


def test_after_a_ply_that_the_game_can_make_no_more_no_frame_is_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    driven = DrivenReferee.seated(game="dilemma", chance_seed="00" * 16, settings={"rounds": 4})
    for move in "CDCC":
        for seat in (0, 1):
            driven.move(seat, move)
    fail_if(monkeypatch, DilemmaState, "code_for", lambda _, seat, text: text == "D")
    lines = [line for line in transcript(driven.facts) if isinstance(line, TranscriptLine)]
    for seat in (0, 1):
        assert sent_to(lines, seat) == driven.seats[seat].frames[:3], "the start, and the turns of two plies"
    plies = Plies(driven.progress.terms)
    assert [plies.try_apply(fact) for fact in driven.facts if isinstance(fact, PlyFact)] == [False, True] + [False] * 6
    assert (plies.moves, plies.answers) == (["C C"], {})


def test_a_transcript_as_data_is_frames_and_the_verdict() -> None:
    driven = DrivenReferee.seated()
    driven.pass_ms(1000)
    entries = list(transcript(driven.facts))
    first, *_ = entries
    assert isinstance(first, TranscriptLine)
    assert as_json(first) == {"at_ms": START_MS, "attempt": 1, "seat": 0, "sender": "server", "frame": first.frame}
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
    lines = [line for line in transcript(driven.facts[1:]) if isinstance(line, TranscriptLine)]
    assert [json.loads(line.frame)["type"] for line in lines] == ["move", "rejected"]


def test_transcript_shows_excused_time_with_the_frame_and_the_verdict() -> None:
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
    ] == [("move", 300), ("match_start", 20), ("resign", 1), ("verdict", [300, 21])]


def test_a_padded_move_counts_and_its_line_tells_what_was_left_out() -> None:
    driven = DrivenReferee.seated()
    frame = json.dumps({"type": "move", "note": "a  note"})
    padded = frame[:-1] + " " * 10_000 + "}"
    turn = driven.seats[0].last("turn")
    assert driven.referee.move(0, str(turn["turn_id"]), "4", START_MS, padded)
    lines = [entry for entry in transcript(driven.facts) if isinstance(entry, TranscriptLine)]
    (line,) = [line for line in lines if line.sender == "bot"]
    line_data = as_json(line)
    assert line_data["frame"] == '{"type":"move","note":"a  note"}'
    assert (line_data["bytes"], line_data["sha256"]) == (len(padded), sha256(padded.encode()).hexdigest())
    assert "bytes" not in as_json(lines[0])


def test_the_note_of_a_padded_move_is_found() -> None:
    driven = DrivenReferee.seated()
    for seat, move in ((0, "0"), (1, "3"), (0, "1"), (1, "4"), (0, "2")):
        turn_id = str(driven.seats[seat].last("turn")["turn_id"])
        message = {"type": "move", "match": "m", "turn_id": turn_id, "move": move, "note": f"I play {move}"}
        assert driven.referee.move(seat, turn_id, move, START_MS, json.dumps(message, indent=seat * 2000 or None))
    assert notes(driven.facts, driven.over) == [f"I play {move}" for move in "03142"]


def test_a_frame_of_no_match_is_kept_once_and_shown_by_each() -> None:
    world = World()
    for name in ("friday", "monday"):
        world.create(name=name, start_at_bots=2)
    ann, ben = (world.connect() for _ in range(2))
    for bot, name in ((ann, "ann"), (ben, "ben")):
        bot.login(name, join="friday", max_matches=4)
        bot.say(type="join", tournament="monday")
    world.clock.advance(100)
    matches = list(world.arena.matches.live)
    assert len(matches) == 4
    before = len(world.log.facts)
    ann.say_text("x" * 3000)
    kept = world.log.facts[before:]
    assert [fact.frame[:10] for fact in kept if isinstance(fact, FrameSeen)] == ["x" * 10, '{"type":"e']
    assert len([fact for fact in kept if isinstance(fact, FrameShared)]) == 2 * (len(matches) - 1)

    def find(shared: FrameShared) -> FrameSeen:
        found = world.log.facts[shared.other_number - 1]
        assert isinstance(found, FrameSeen)
        return found

    for match in matches:
        lines = list(transcript(with_shared_frames(facts_of(world, match), find)))[-2:]
        assert [(line.sender, line.frame[:4], line.bytes) for line in lines if isinstance(line, TranscriptLine)] == [
            ("bot", "xxxx", 3000),
            ("server", '{"ty', 0),
        ]


def test_time_excused_in_an_attempt_is_not_in_the_lines_of_the_next() -> None:
    void = DrivenReferee.seated()
    void.stall(400)
    void.disconnect(0)
    void.abort("enough")
    again = DrivenReferee.seated(attempt=2)
    assert void.all_facts(SeatAway)[0].excused_ms == 400
    lines = list(transcript([*void.facts, *again.facts]))
    assert lines[-len(list(transcript(again.facts))) :] == list(transcript(again.facts))
