"""The next tournament of a class: who is moved over, and the `tournament_over` that waits for followers."""

from typing import Any

import pytest
from rumble_protocol.codes import ErrorCode
from rumble_server.arena.tournaments.followers import FOLLOW_MS
from rumble_server.tournament.club_facts import DisplayNamed
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.facts import BotJoined
from rumble_server.tournament.next_tournament import next_config
from rumble_server.tournament.tournament import Tournament

from tests.server.arena.playing import at_random
from tests.server.world import Bot, World


def by_code(world: World, tournament: Tournament, *names: str) -> None:
    """Enter bots as pupils do with a join code."""
    with world.arena.transaction:
        for name in names:
            joined = BotJoined(tournament.id, name, world.clock.now_ms(), by_code=True)
            world.arena.lifecycle.record_entry(world.arena.players.get_or_add(name), tournament, joined)


def pupil(world: World, name: str, **login: Any) -> Bot:
    given: dict[str, Any] = {"join": "friday", "follow": True, **login}
    return world.player(name, at_random(name), **given)


def lesson(world: World, *names: str) -> dict[str, Bot]:
    """Play a tournament of pupils who follow to its end."""
    tournament = world.create()
    by_code(world, tournament, *names)
    bots = {name: pupil(world, name) for name in names}
    world.organiser.start(tournament.id)
    world.run(60_000)
    assert tournament.status == "finished"
    return bots


def again(world: World, top: int | None = None, **changes: Any) -> Tournament:
    config = next_config(world.tournament("friday").config, changes, top)
    ended = world.log.records["friday"]
    return world.organiser.create_next(ended, TournamentConfig.model_validate_json(config), top=top)


def kinds(bot: Bot) -> list[tuple[str, str]]:
    """Return the frames about tournaments, each with its tournament."""
    told = ("joined", "tournament_over", "notice")
    return [(frame["type"], frame["tournament"]) for frame in bot.inbox.frames if frame["type"] in told]


def test_joined_comes_before_the_end_of_the_old_tournament() -> None:
    world = World()
    bots = lesson(world, "ann", "ben", "cid")
    waiting = bots["ann"].last("notice")
    assert (waiting["code"], waiting["tournament"]) == ("waiting", "friday")
    assert not bots["ann"].inbox.all("tournament_over")
    next_ = again(world)
    assert (next_.id, next_.follows, set(next_.field)) == ("friday-2", "friday", {"ann", "ben", "cid"})
    for bot in bots.values():
        assert kinds(bot)[-2:] == [("joined", "friday-2"), ("tournament_over", "friday")]


def test_the_final_takes_the_best_and_tells_the_others_the_end() -> None:
    world = World()
    bots = lesson(world, "ann", "ben", "cid")
    final = again(world, top=2)
    best = [line.name for line in world.log.records["friday"].lines[:2]]
    assert list(final.field) == best
    for name, bot in bots.items():
        assert (("joined", "final-of-friday") in kinds(bot)) == (name in best)
        assert kinds(bot)[-1] == ("tournament_over", "friday")


def test_a_pupil_that_waits_in_vain_is_told_after_an_hour() -> None:
    world = World()
    (ann, _) = lesson(world, "ann", "ben").values()
    ended_at_ms = world.log.records["friday"].ended_at_ms or 0
    world.run(ended_at_ms + FOLLOW_MS - 1 - world.clock.now_ms())
    assert not ann.inbox.all("tournament_over")
    world.run(1)
    assert len(ann.inbox.all("tournament_over")) == 1
    late = pupil(world, "ann")
    assert kinds(late) == [("joined", "friday"), ("tournament_over", "friday")]


def test_the_wait_goes_on_after_a_restart_and_ends_with_the_next_tournament() -> None:
    world = World()
    lesson(world, "ann", "ben")
    world = world.after_crash()
    ann = pupil(world, "ann")
    assert kinds(ann) == [("joined", "friday"), ("notice", "friday")]
    again(world, name="Saturday")
    assert kinds(ann)[-2:] == [("joined", "saturday"), ("tournament_over", "friday")]
    assert "ben" in world.tournament("saturday").field, "who is away is moved over, too"
    world = world.after_crash()
    ben = pupil(world, "ben")
    assert ben.last("session")["tournaments"] == [{"id": "saturday", "game": "tictactoe", "status": "lobby"}]
    assert kinds(ben) == [("joined", "friday"), ("tournament_over", "friday")]


def test_a_pupil_that_missed_the_next_tournament_waits_on() -> None:
    """A next tournament that is over holds no pupil, whether its end is on disk or not."""
    world = World()
    (ann, _) = lesson(world, "ann", "ben").values()
    ann.drop()
    again(world)
    world.log.stuck = True
    world.organiser.end("friday-2", cancelled=True)
    before = pupil(world, "ann")
    assert kinds(before) == [("joined", "friday"), ("notice", "friday")]
    world.log.unstick()
    after = pupil(world, "ann")
    assert kinds(after) == [("joined", "friday"), ("notice", "friday")]


def test_nobody_else_is_moved() -> None:
    world = World()
    tournament = world.create()
    by_code(world, tournament, "ann", "ben", "cid", "dan")
    bots = [pupil(world, name) for name in ("ann", "ben")]
    pupil(world, "cid", games=["tictactoe"])
    leaves = pupil(world, "dan")
    stranger = pupil(world, "eve")
    world.organiser.start(tournament.id)
    leaves.say(type="leave", tournament="friday")
    world.run(60_000)
    assert kinds(stranger)[-1] == ("tournament_over", "friday"), "only pupils wait"
    next_ = again(world, game="connect4")
    assert set(next_.field) == {"ann", "ben"}
    assert all(kinds(bot)[-2][0] == "joined" for bot in bots)


def test_a_pupil_that_does_not_follow_is_told_at_once_and_moved_all_the_same() -> None:
    world = World()
    tournament = world.create()
    by_code(world, tournament, "ann", "ben")
    ann, _ = (pupil(world, name, follow=None) for name in ("ann", "ben"))
    world.organiser.start(tournament.id)
    world.run(60_000)
    assert kinds(ann)[-1] == ("tournament_over", "friday")
    again(world)
    assert kinds(ann)[-1] == ("joined", "friday-2")


def test_a_start_without_absent_bots_takes_absent_bots_out() -> None:
    world = World()
    tournament = world.create()
    by_code(world, tournament, "ann", "ben", "cid")
    pupil(world, "ann")
    with pytest.raises(CommandRefused, match="needs 2 bots to start; 1 of its 3 are there") as refused:
        world.organiser.start(tournament.id, without_absent=True)
    assert (refused.value.code, len(tournament.field)) == (ErrorCode.TOURNAMENT_CLOSED, 3)
    pupil(world, "ben")
    world.organiser.start(tournament.id, without_absent=True)
    assert (tournament.status, set(tournament.field)) == ("running", {"ann", "ben"})
    with pytest.raises(CommandRefused, match="running"):
        world.organiser.start(tournament.id, without_absent=True)


def test_a_pupil_who_was_away_at_the_start_of_a_class_comes_late() -> None:
    world = World()
    tournament = world.create(classroom=True, cycles=50)
    by_code(world, tournament, "ann", "ben", "cid")
    world.arena.recorder.record(DisplayNamed("cid", "Zoë", 0))
    for name in ("ann", "ben"):
        pupil(world, name)
    world.organiser.start(tournament.id, without_absent=True)
    pupil(world, "cid")
    world.run(60_000)
    ended = world.log.records["friday"]
    assert all(line.by_code and line.played for line in ended.lines)
    assert len(ended.lines) == 3
    assert not again(world, top=2).config.late_join
