"""A round that is paired in another process, while bots come and go."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.exports.document import export
from rumble_server.tournament.pairs.plan import Pairing, Round

from tests.server.arena.playing import numbered
from tests.server.arena.test_formats_in_play import (
    assert_all_was_played,
    log_in,
    names,
    paired,
    rounds_paired,
    seats_of,
    status,
)
from tests.server.world import Bot, World


class Elsewhere:
    """Slow work that finishes on the test's demand."""

    def __init__(self) -> None:
        self.tasks: list[tuple[Callable[[], Round], Callable[[Round | None], None]]] = []
        self.asked = 0

    def take(self, task: Callable[[], Round], done: Callable[[Round | None], None]) -> None:
        self.asked += 1
        self.tasks.append((task, done))

    def come_back(self, *, fails: bool = False) -> None:
        ((task, done),) = self.tasks
        self.tasks.clear()
        done(None if fails else task())


def in_the_first_round(count: int = 4) -> tuple[World, Elsewhere, list[Bot]]:
    """Return a Swiss of so many bots whose first round was paired and begins."""
    elsewhere = Elsewhere()
    world = World(run_pairing=elsewhere.take)
    world.create(start_at_bots=count, format="swiss")
    bots = log_in(world, names(count))
    elsewhere.come_back()
    return world, elsewhere, bots


def between_rounds() -> tuple[World, Elsewhere, list[Bot]]:
    """Return a Swiss of five bots whose second round is being paired after the first was played."""
    world, elsewhere, bots = in_the_first_round(5)
    world.run(1_000)
    assert len(elsewhere.tasks) == 1
    assert len(rounds_paired(world)) == 1
    return world, elsewhere, bots


def finish(world: World, elsewhere: Elsewhere) -> None:
    while elsewhere.tasks:
        elsewhere.come_back()
        world.run(1_000)
    assert_all_was_played(world, paired(world))
    assert len(rounds_paired(world)) == 3


def test_a_round_is_paired_elsewhere_once_whatever_happens_meanwhile() -> None:
    world, elsewhere, bots = between_rounds()
    bots[0].drop()
    (bots[0],) = log_in(world, names(1))
    world.run(200_000)
    assert (len(elsewhere.tasks), elsewhere.asked) == (1, 2)
    finish(world, elsewhere)
    assert elsewhere.asked == 3


def test_drain_keeps_a_finished_pairing_and_starts_no_other() -> None:
    world, elsewhere, _ = between_rounds()
    world.arena.drain()
    elsewhere.come_back()
    world.run(1_000)
    assert (len(rounds_paired(world)), len(world.arena.matches.live), elsewhere.tasks) == (2, 0, [])
    again = Elsewhere()
    after = world.after_crash(run_pairing=again.take)
    log_in(after, names(5))
    after.run(1_000)
    finish(after, again)


def test_while_the_server_drains_no_round_is_asked_for() -> None:
    world, elsewhere, _ = in_the_first_round()
    world.arena.drain()
    world.run(1_000)
    assert (len(world.tournament("friday").results), elsewhere.asked) == (4, 1)


@contextmanager
def paused(world: World, what: str) -> Iterator[None]:
    """Hold up the tournament, by trouble with the disk or by a pause of the host."""
    if what == "the disk":
        world.arena.on_trouble("disk full")
        yield
        world.arena.on_trouble(None)
    else:
        world.organiser.pause("friday", "lunch")
        yield
        world.organiser.resume("friday")


@pytest.mark.parametrize("what", ["the disk", "the host"])
def test_a_round_paired_while_its_tournament_is_paused_is_played_when_it_goes_on(what: str) -> None:
    world, elsewhere, _ = between_rounds()
    with paused(world, what):
        elsewhere.come_back()
        world.run(1_000)
        assert (len(rounds_paired(world)), len(world.arena.matches.live)) == (2, 0)
    world.run(1_000)
    finish(world, elsewhere)


@pytest.mark.parametrize("what", ["the disk", "the host"])
def test_while_a_tournament_is_paused_no_round_is_asked_for(what: str) -> None:
    world, elsewhere, _ = in_the_first_round()
    with paused(world, what):
        world.run(1_000)
        assert (len(world.tournament("friday").results), elsewhere.asked) == (4, 1)
    assert elsewhere.asked == 2
    while elsewhere.tasks:
        elsewhere.come_back()
        world.run(1_000)
    assert_all_was_played(world, paired(world))


@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.parametrize("cancelled", [True, False])
def test_pairing_finished_after_the_end_is_ignored(cancelled: bool, fails: bool) -> None:
    world, elsewhere, _ = between_rounds()
    world.organiser.end("friday", cancelled=cancelled)
    facts = len(world.log.facts)
    elsewhere.come_back(fails=fails)
    world.run(1_000)
    assert (len(world.log.facts), len(world.arena.matches.live)) == (facts, 0)


def test_pairing_finished_after_the_stop_is_left_to_the_next_run() -> None:
    world, elsewhere, _ = between_rounds()
    world.arena.stop()
    facts = len(world.log.facts)
    elsewhere.come_back()
    assert len(world.log.facts) == facts
    after = world.after_crash()
    log_in(after, names(5))
    after.run(1_000)
    assert_all_was_played(after, paired(after))


def test_a_result_that_is_voided_while_the_next_round_is_paired_is_played_again_beside_it() -> None:
    world, elsewhere, _ = between_rounds()
    world.organiser.play_again("friday.1.1.1.1")
    elsewhere.come_back()
    world.run(1_000)
    tournament = world.tournament("friday")
    assert tournament.results["friday.1.1.1.1"].attempt == 2
    assert list(tournament.voided_later) == ["friday.1.1.1.1"], "the second round was paired from the voided result"
    world.organiser.play_again("friday.1.1.1.1")  # the third round is being paired
    elsewhere.come_back()
    assert export(tournament)["tournament"]["voided_later"] == ["friday.1.1.1.1"]
    world.run(1_000)
    while elsewhere.tasks:
        elsewhere.come_back()
        world.run(1_000)
    assert status(tournament) == "finished"
    assert set(tournament.results) == set(seats_of(tournament, iter(paired(world))))


FAILED = "the server failed at the pairing of the next round; the server's log has the error"


def test_a_round_that_cannot_be_paired_pauses_its_tournament_and_is_paired_when_it_goes_on() -> None:
    world, elsewhere, bots = between_rounds()
    tournament = world.tournament("friday")
    elsewhere.come_back(fails=True)
    world.run(1_000)
    assert (status(tournament), tournament.reason, tournament.is_pairing_slow) == ("paused", FAILED, False)
    assert [bot.last("notice")["message"] for bot in bots] == [f"friday is paused: {FAILED}"] * len(bots)
    assert elsewhere.tasks == [], "it is not tried again without the host"
    world.organiser.resume("friday")
    elsewhere.come_back(fails=True)
    assert status(tournament) == "paused"
    world.organiser.resume("friday")
    finish(world, elsewhere)
    assert status(tournament) == "finished"


def test_a_round_that_cannot_be_added_pauses_its_tournament() -> None:
    world, elsewhere, _ = between_rounds()
    ((_, done),) = elsewhere.tasks
    done(Round((Pairing(1, 2, 1, 0, 5),)))  # there is no bot 5
    assert (status(world.tournament("friday")), world.tournament("friday").reason) == ("paused", FAILED)


def test_a_pairing_that_fails_in_a_pause_of_the_host_is_tried_again_afterwards() -> None:
    world, elsewhere, _ = between_rounds()
    world.organiser.pause("friday", "lunch")
    elsewhere.come_back(fails=True)
    assert world.tournament("friday").reason == "lunch"
    world.organiser.resume("friday")
    finish(world, elsewhere)


def test_bots_are_told_when_pairing_takes_longer_than_a_second() -> None:
    world, elsewhere, bots = between_rounds()
    tournament = world.tournament("friday")
    assert tournament.is_pairing_slow
    assert all(bot.last("notice")["code"] == "pairing" for bot in bots)
    assert [kind for bot in bots for kind in bot.inbox.kinds()].count("notice") == len(bots)
    finish(world, elsewhere)
    assert not tournament.is_pairing_slow


def test_after_the_end_no_bot_is_told_of_a_pairing() -> None:
    world = World(run_pairing=Elsewhere().take)
    world.create(start_at_bots=4, format="swiss")
    bots = log_in(world, names(4))
    world.organiser.end("friday", cancelled=True)
    world.run(5_000)
    assert [bot.inbox.kinds()[-1] for bot in bots] == ["tournament_over"] * 4


def test_a_half_point_bye_comes_too_late_for_a_round_that_is_being_paired() -> None:
    world, elsewhere, _ = between_rounds()
    with pytest.raises(CommandRefused, match="round 2 of friday is paired, or is being paired; it is too late"):
        world.organiser.give_half_bye("friday", names(1)[0], 2)
    world.organiser.give_half_bye("friday", names(1)[0], 3)
    finish(world, elsewhere)
    assert rounds_paired(world)[2].half_byes == (numbered(world.tournament("friday")).index(names(1)[0]),)
