"""Promise 7: a match's transcript has every frame of it both ways, with the server's times, rebuilt from the log."""

import json
from functools import partial
from hashlib import sha256
from random import Random

import pytest
from rumble_engine.games.dilemma import DilemmaState
from rumble_protocol.fields import TimeControl
from rumble_server.match.facts import FrameSeen, FrameShared, MatchFact, MatchOver, SeatAway, with_shared_frames
from rumble_server.match.last_attempt import notes
from rumble_server.match.plies import Plies, PlyFact
from rumble_server.match.transcript import TranscriptLine, as_json, transcript, transcript_of

from tests.server.failing import fail_if
from tests.server.frames import Frame
from tests.server.match.driven import START_MS, DrivenReferee
from tests.server.world import Bot, MemoryLink, World


class WatchedBot(Bot):
    """A bot with a record of all frames on its connection, in order. Keep each text as sent, and the server's frames as
    data.
    """

    def __init__(self, world: World) -> None:
        self.wire: list[tuple[str, str | Frame]] = []
        link = MemoryLink(measure_wait=lambda _ago_ms: (0, True))
        link.on_frame.append(lambda frame: self.wire.append(("server", frame)))
        super().__init__(world, link)

    def say_text(self, text: str) -> None:
        self.wire.append(("bot", text))
        super().say_text(text)

    def frames_during(self, match: str) -> list[tuple[str, str | Frame]]:
        """Return the frames of a match, and all errors with the frames that they answer, while the bot is in the match.

        Every answer of the server must directly follow the bot's frame.
        """
        kept: list[tuple[str, str | Frame]] = []
        is_on, after = False, [frame for _, frame in self.wire[1:]]
        for (sender, frame), answer in zip(self.wire, [*after, {}], strict=True):
            if isinstance(frame, str):
                is_refused = isinstance(answer, dict) and answer.get("type") == "error"
                is_kept = is_on and (is_refused or f'"match": "{match}"' in frame)
            else:
                is_of_match = frame.get("match") == match
                is_on |= is_of_match and frame["type"] == "match_start"
                is_kept = is_on and (is_of_match or frame["type"] == "error")
                is_on &= not is_of_match or frame["type"] != "match_over"
            if is_kept:
                kept.append((sender, frame))
        return kept


STRAYS = (
    "nonsense",
    '{"type": "chat", "info": {}}',
    '{"type": "join", "tournament": "nowhere"}',
    '{"type": "leave", "tournament": "nowhere"}',
    '{"type": "challenge", "against": "zed", "game": "tictactoe"}',
    '{"type": "resign", "match": "nowhere.1.1.1.1"}',
    '{"type": "login", "name": "zed"}',
)
"""Frames that belong to no match. The server answers each with an error."""


def facts_of(world: World, match: str) -> list[object]:
    """Return the facts of a match, with the frames that it shares with other matches."""

    def find(shared: FrameShared) -> FrameSeen:
        found = world.log.facts[shared.other_number - 1]
        assert isinstance(found, FrameSeen)
        return found

    of_match = (fact for fact in world.log.facts if isinstance(fact, MatchFact) and fact.match == match)
    return list(with_shared_frames(of_match, find))


def sent_to(lines: list[TranscriptLine], seat: int) -> list[object]:
    return [json.loads(line.frame) for line in lines if (line.seat, line.sender) == (seat, "server")]


@pytest.mark.parametrize("game", ["tictactoe", "snakes"])
@pytest.mark.parametrize("seed", range(4))
def test_a_transcript_has_every_frame_that_passes_a_bots_connections_during_the_match(game: str, seed: int) -> None:
    """Bots play two matches at a time. They send frames of no match, resign, answer too late, drop out and return."""
    random, world = Random(seed), World(seed=seed)
    of_tables: dict[str, object] = {"seats": 3, "settings": {"size": 7, "turns": 8}} if game == "snakes" else {}
    control = TimeControl(move_ms=1000, bank_ms=500)
    for name in ("Friday", "Monday"):
        world.create(name=name, game=game, start_at_bots=3, illegal_retries=1, time_control=control, **of_tables)
    bots: dict[str, list[WatchedBot]] = {}

    def login(name: str) -> None:
        bot = WatchedBot(world)
        bots.setdefault(name, []).append(bot)
        bot.link.on_frame.append(lambda frame: plan_answer(bot, frame) if frame["type"] == "turn" else None)
        bot.login(name, join="friday", max_matches=2, omit=random.choice([[], ["moves"]]))
        bot.say(type="join", tournament="monday")

    def plan_answer(bot: WatchedBot, turn: Frame) -> None:
        world.clock.call_in(random.randrange(300), lambda: None if bot.gone else answer(bot, turn))

    def answer(bot: WatchedBot, turn: Frame) -> None:
        chance = random.random()
        if chance < 0.1:
            bot.say_text(random.choice(STRAYS))
        if chance > 0.99:
            bot.say(type="resign", match=turn["match"])
        else:
            if chance > 0.94:  # the answer comes too late
                world.clock.stall(turn["clock"]["remaining_ms"] + 50)
            bot.move(random.choice([*turn["legal"], *turn["legal"], "nonsense"]), turn=turn)

    for name in ("ann", "ben", "cid"):
        login(name)
    while world.clock.step():
        bot = random.choice(list(bots.values()))[-1]
        if random.random() < 0.02 and not bot.gone:
            bot.drop()
            world.clock.call_in(random.choice([0, random.randrange(6000)]), partial(login, bot.name))
    results = {**world.tournament("friday").results, **world.tournament("monday").results}
    assert len(results) == (12 if game == "tictactoe" else 6)
    for match, over in results.items():
        facts = facts_of(world, match)
        entries = list(transcript(facts))
        assert entries.count(over) == 1
        assert [entry.at_ms for entry in entries] == sorted(entry.at_ms for entry in entries)
        for name, wires in bots.items():
            lines = [line for line in transcript_of(facts, name) if isinstance(line, TranscriptLine)]
            frames = [(line.sender, line.frame if line.sender == "bot" else json.loads(line.frame)) for line in lines]
            assert frames == [frame for bot in wires for frame in bot.frames_during(match)], (match, name)


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


@pytest.mark.parametrize("game", ["tictactoe", "dilemma"])
def test_an_answer_that_comes_too_late_is_shown_once_before_the_verdict(game: str) -> None:
    driven = DrivenReferee.seated(game=game, chance_seed="" if game == "tictactoe" else "00" * 16)
    driven.connect(0, is_stamped=True)
    turn, text = driven.seats[0].last("turn"), '{"type": "move", "move": "late"}'
    driven.now_ms += 1300
    driven.late_ms += 500
    before = len(list(transcript(driven.facts)))
    assert not driven.referee.move(
        0, turn["turn_id"], turn["legal"][0], driven.now_ms, text, lambda _ago_ms: (200, True)
    )
    entries = list(transcript(driven.facts))[before:]
    first = entries[0]
    assert isinstance(first, TranscriptLine)
    assert (first.sender, first.frame, first.excused_ms) == ("bot", text, 200)
    assert [each.frame for each in entries if isinstance(each, TranscriptLine)].count(text) == 1
    assert any(isinstance(each, MatchOver) for each in entries) == (game == "tictactoe")


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

    for match in matches:
        lines = list(transcript(facts_of(world, match)))[-2:]
        assert [(line.sender, line.frame[:4], line.bytes) for line in lines if isinstance(line, TranscriptLine)] == [
            ("bot", "xxxx", 3000),
            ("server", '{"ty', 0),
        ]


@pytest.mark.parametrize("is_away", [False, True])
def test_a_match_over_is_shown_to_the_bots_that_were_connected_at_the_end(is_away: bool) -> None:
    """The log does not have when the frame was sent: an end of the connection before the commit makes no difference."""
    world = World(delay_ms=50)
    _, (ann, ben) = world.begun("ann", "ben", legs=1)
    world.run(200)
    if is_away:
        ben.drop()
    ann.say(type="resign", match="friday.1.1.1.1")
    if not is_away:
        ben.drop()
    world.run(200)
    again = world.login("ben")
    world.run(200)
    assert not ben.inbox.all("match_over")
    assert again.inbox.all("match_over")
    lines = [line for line in transcript(facts_of(world, "friday.1.1.1.1")) if isinstance(line, TranscriptLine)]
    shown = [line.seat for line in lines if json.loads(line.frame)["type"] == "match_over"]
    assert len(shown) == (1 if is_away else 2)


def test_time_excused_in_an_attempt_is_not_in_the_lines_of_the_next() -> None:
    void = DrivenReferee.seated()
    void.stall(400)
    void.disconnect(0)
    void.abort("enough")
    again = DrivenReferee.seated(attempt=2)
    assert void.all_facts(SeatAway)[0].excused_ms == 400
    lines = list(transcript([*void.facts, *again.facts]))
    assert lines[-len(list(transcript(again.facts))) :] == list(transcript(again.facts))
