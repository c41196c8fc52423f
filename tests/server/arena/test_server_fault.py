"""Errors of the server in a match: no bot is blamed, the match is played again, and other matches go on."""

from collections.abc import Callable
from typing import Any

import pytest
from rumble_engine import Termination
from rumble_engine.games.dilemma import DilemmaState
from rumble_engine.games.tictactoe import TicTacToeState
from rumble_protocol.fields import TimeControl
from rumble_server.arena.bots.frame_sender import FrameSender
from rumble_server.arena.matches import WHY_VOID
from rumble_server.match.facts import MoveMade
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.terms import Terms
from rumble_server.tournament.tournament import Tournament

from tests.server.arena.playing import first_legal
from tests.server.failing import fail_if
from tests.server.world import Bot, World


def played(**config: Any) -> tuple[World, Tournament, list[Bot]]:
    """Run a tournament of two bots that play the first legal move, as far as the fault lets them."""
    world = World()
    tournament = world.create(**config)
    bots = world.logins("ann", "ben", join=tournament.id)
    for bot in bots:
        bot.play(first_legal)
    world.organiser.start(tournament.id)
    world.run()
    return world, tournament, bots


def test_a_match_at_which_the_server_fails_is_void_and_played_again_under_its_id(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fail_if(monkeypatch, TicTacToeState, "code_of", lambda _, text: text == "2", times=1)
    _, tournament, _ = played(legs=1)
    assert [(over.termination, over.scores, over.at_fault) for over in tournament.voided] == [
        (Termination.ABORTED, None, ())
    ]
    assert [over.attempt for over in tournament.results.values()] == [2]
    assert tournament.status == "finished"
    assert "the referee failed at ply 2" in caplog.text


def test_a_match_that_is_void_again_and_again_pauses_its_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_if(monkeypatch, TicTacToeState, "code_of", lambda _, text: text == "0")
    _, tournament, bots = played(legs=1)
    assert tournament.status == "paused"
    assert "was void 5 times" in tournament.reason
    assert len(tournament.voided) == 5
    for bot in bots:
        (notice,) = bot.inbox.all("notice")
        assert (notice["code"], notice["tournament"]) == ("paused", tournament.id)
        assert notice["message"].endswith(tournament.reason)


def test_a_move_after_which_the_game_fails_is_in_the_log_without_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_if(monkeypatch, TicTacToeState, "view", lambda state, *_: len(state.legal_moves) == 6, times=1)
    world, tournament, _ = played(legs=1)
    (void,) = tournament.voided
    made = [fact for fact in world.log.facts if isinstance(fact, MoveMade) and fact.attempt == 1]
    assert tuple(fact.move for fact in made) == void.moves == ("0", "1", "2")
    assert [bool(fact.next_turn_id) for fact in made] == [True, True, False]
    assert tournament.status == "finished"


@pytest.mark.parametrize("away_clock", ["stands", "runs"])
@pytest.mark.parametrize("method", ["after", "outcome"])
def test_a_move_that_the_game_cannot_make_or_judge_is_in_the_log(
    monkeypatch: pytest.MonkeyPatch, method: str, away_clock: str
) -> None:
    def fail(state: TicTacToeState, *_: int) -> None:
        if method == "after" or len(state.legal_moves) < 9:
            raise RuntimeError("a bug in the game")

    monkeypatch.setattr(TicTacToeState, method, property(fail) if method == "outcome" else fail)
    world, tournament, _ = played(legs=1, openings="none", away_clock=away_clock)
    made = [fact for fact in world.log.facts if isinstance(fact, MoveMade)]
    assert [(fact.attempt, fact.move, bool(fact.next_turn_id)) for fact in made] == [
        (attempt, "0", False) for attempt in range(1, 6)
    ]
    assert [over.moves for over in tournament.voided] == [("0",) if method == "outcome" else ()] * 5


@pytest.mark.parametrize("shown", [None, {"board": {"no": {"JSON"}}}])
@pytest.mark.parametrize("is_away", [False, True])
def test_a_game_that_does_not_show_its_last_position_ends_all_the_same(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, is_away: bool, shown: Any
) -> None:
    right = TicTacToeState.view

    def view(state: TicTacToeState, seat: int | None = None) -> dict[str, Any]:
        if state.outcome is not None and shown is None:
            raise RuntimeError("a bug in the game")
        return right(state, seat) if state.outcome is None else dict(shown)

    monkeypatch.setattr(TicTacToeState, "view", view)
    world = World()
    tournament, (ann, ben) = world.begun("ann", "ben", legs=2, openings="none")
    first, second = (ann, ben) if ann.inbox.all("turn") else (ben, ann)
    for bot, move in ((first, "0"), (second, "3"), (first, "1"), (second, "4")):
        bot.move(move)
    if is_away:
        second.drop()
    first.move("2")
    if is_away:
        second = world.login(second.name)
    for bot in (first, second):
        assert (bot.last("match_over")["winner"], bot.last("match_over")["state"]) == (0, {})
    assert first.link.closed is None
    assert "the game does not show the last position" in caplog.text
    assert [over.termination for over in tournament.results.values()] == [Termination.NORMAL]
    assert (tournament.status, len(tournament.running)) == ("running", 1)


def test_after_an_end_that_cannot_be_told_the_next_match_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = fail_if(monkeypatch, FrameSender, "post", lambda _, item: item.is_match_over, times=1)
    _, tournament, _ = played(legs=2)
    assert failed
    assert (tournament.status, len(tournament.results)) == ("finished", 2)


@pytest.mark.parametrize("is_graced", [False, True])
def test_a_game_that_fails_when_a_bot_goes_away_or_gets_a_grace_voids_the_match_alone(
    monkeypatch: pytest.MonkeyPatch, is_graced: bool
) -> None:
    world = World()
    tournament, (ann, ben) = world.begun("ann", "ben", game="dilemma", legs=1, away_clock="runs")
    ann.move("C")
    if is_graced:
        ann.drop()
    with monkeypatch.context() as broken:
        broken.setattr(DilemmaState, "movers", property(lambda _: 1 // 0))
        if is_graced:
            world.arena.resume(1_000, were_bots_disconnected=True)
            world.end_iteration()
        else:
            ann.drop()
    assert [over.termination for over in tournament.voided] == [Termination.ABORTED]
    assert ben.last("match_over")["scores"] is None
    ann = world.login("ann")
    assert ann.last("match_start")["attempt"] == 2


def stay_silent(bot: Bot) -> None:
    bot.world.run(1_000)


def resign(bot: Bot) -> None:
    bot.say(type="resign", match=bot.last("turn")["match"])


def misanswer(bot: Bot) -> None:
    bot.say(type="move", match=bot.last("turn")["match"], turn_id=bot.last("turn")["turn_id"], move=1)


def be_removed(bot: Bot) -> None:
    bot.world.organiser.remove("friday", bot.name)


@pytest.mark.parametrize("fall", [stay_silent, resign, misanswer, be_removed])
def test_a_game_that_fails_at_a_fall_voids_the_match_alone(
    fall: Callable[[Bot], None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fail_if(monkeypatch, DilemmaState, "_ended", lambda *_: True, times=1)
    world = World()
    tournament = world.create(name="Friday", game="dilemma", legs=1, time_control=TimeControl(move_ms=1_000))
    other = world.create(name="Monday", legs=1)
    ann, ben = world.logins("ann", "ben", join=tournament.id)
    for bot in world.logins("cid", "dot", join=other.id):
        bot.play(lambda turn: turn["legal"][0], think_ms=lambda: 300)
    for each in (tournament, other):
        world.organiser.start(each.id)
    ann.move("C")
    fall(ben)
    (void,) = tournament.voided
    assert (void.termination, void.reason, void.at_fault) == (Termination.ABORTED, WHY_VOID, ())
    assert ann.link.closed is ben.link.closed is None
    assert "the referee failed at ply 0" in caplog.text
    world.run()
    assert (other.status, len(other.results), other.voided) == ("finished", 1, [])


# --- errors at the schedule of a tournament ---


@pytest.mark.parametrize(
    ("kind", "method", "is_bad"),
    [
        (Tournament, "due", lambda tournament, *_: tournament.config.name == "Bad"),
        (Tournament, "pairing_task", lambda tournament: tournament.config.name == "Bad"),
        (Terms, "start", lambda _, slot, *__: slot.match_id.startswith("bad.")),
    ],
)
def test_a_tournament_whose_schedule_fails_is_paused_and_stops_no_other(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: type,
    method: str,
    is_bad: Callable[..., bool],
) -> None:
    world = World()
    bad = world.create(name="Bad", legs=1, format="swiss", rounds=2)
    other = world.create(name="Other", legs=1)
    bots = world.logins("ann", "ben", "cid", "dot", join=bad.id)
    for bot in bots:
        bot.play(first_legal)
    with monkeypatch.context() as broken:
        fail_if(broken, kind, method, is_bad)
        world.organiser.start(bad.id)
        world.run()
        for bot in world.logins("eve", "fay", join=other.id):
            bot.play(first_legal)
        world.organiser.start(other.id)
        world.run()
        assert (other.status, len(other.results)) == ("finished", 1)
        assert (bad.status, bad.reason) == (
            "paused",
            "the server failed at the schedule; the server's log has the error",
        )
        assert "bad: could not be settled" in caplog.text
        assert [notice["code"] for bot in bots for notice in bot.inbox.all("notice")] == ["paused"] * 4
    world.organiser.resume(bad.id)
    world.run()
    assert (bad.status, len(bad.results)) == ("finished", 4)


def test_a_tournament_that_fails_to_start_by_itself_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_if(monkeypatch, TournamentConfig, "make_openings", lambda config: config.name == "Bad")
    world = World()
    bad, _ = world.begun("ann", "ben", name="Bad")
    good, _ = world.begun("ann", "ben", name="Good")
    assert (bad.status, good.status) == ("cancelled", "running")
    assert bad.reason.startswith("the server failed")
