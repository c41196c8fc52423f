from rumble_engine import Termination
from rumble_protocol.fields import TimeControl
from rumble_server.match.facts import MatchOver
from rumble_server.tournament.changes import Changes
from rumble_server.tournament.commands import PLAYED_AGAIN
from rumble_server.tournament.facts import ConfigChanged, HalfByeGiven, HalfByeTaken, RoundPaired
from rumble_server.tournament.pairs.plan import Pairing
from rumble_server.tournament.tournament import Tournament

from tests.server.world import World


def changes_since(world: World, tournament: Tournament, number: int) -> Changes:
    changes = Changes(tournament)
    for fact in world.log.facts[number:]:
        changes.add_fact(fact)
    return changes


def test_a_tournament_that_was_played() -> None:
    world = World(delay_ms=3)
    tournament = world.create(start_at_bots=2)
    for bot in world.logins("alice", "bob", join=tournament.id):
        bot.play(lambda turn: str(turn["legal"][0]))
    world.run()
    changes = changes_since(world, tournament, 0)
    assert changes.boards == dict.fromkeys(tournament.results, True)
    assert changes.has_ended
    assert changes.over == list(tournament.results.values())
    assert set(changes.changed_pairs) == {frozenset({"alice", "bob"})}
    assert changes.has_changed_field
    assert changes.has_changed_status


def test_a_voided_result_is_told_as_void() -> None:
    world = World(delay_ms=3)
    tournament = world.create(start_at_bots=2, cycles=50)
    for bot in world.logins("alice", "bob", join=tournament.id):
        bot.play(lambda turn: str(turn["legal"][0]), lambda: 10)
    world.clock.advance(1_000)
    before, match = world.log.last, next(iter(tournament.results))
    world.organiser.play_again(match)
    changes = changes_since(world, tournament, before)
    (over,) = changes.over
    assert (over.match, over.scores, over.winner, over.reason) == (match, None, None, PLAYED_AGAIN)
    assert set(changes.changed_pairs) == {frozenset({"alice", "bob"})}
    assert not changes.has_changed_field
    assert not changes.has_changed_status


def test_an_answer_to_a_joint_move_changes_nothing_before_all_are_in() -> None:
    world = World(delay_ms=3)
    tournament, (one, other) = world.begun("alice", "bob", game="dilemma", time_control=TimeControl(move_ms=60_000))
    world.run(10)
    before = world.log.last
    one.move("C")
    world.run(10)
    assert world.log.last > before
    assert list(changes_since(world, tournament, before).boards) == []
    other.move("D")
    world.run(10)
    assert list(changes_since(world, tournament, before).boards) == list(tournament.running)


def test_changes_that_were_put_off_come_first() -> None:
    changes = changes_since(World(), World().create(), 0)
    changes.boards = {"new": True, "again": False}
    changes.put_first({"old": False, "again": True})
    assert list(changes.boards.items()) == [("old", False), ("again", True), ("new", True)]


def test_the_scores_against_an_absent_bot_of_a_table_change_too() -> None:
    changes = Changes(World().create())
    changes.add_fact(
        MatchOver("t.1.1.1.1", 1, ("a", "b"), (1.0, 0.0), Termination.NORMAL, "", (), (), at_ms=0, absent=("c",))
    )
    assert set(changes.changed_pairs) == {frozenset({"a", "b", "c"})}


def test_byes_change_the_field() -> None:
    tournament = World().create(format="swiss")
    paired = RoundPaired("friday", (), (2,), 0), RoundPaired("friday", (), (), 0, half_byes=(1,))
    given = HalfByeGiven("friday", "ann", 1, 0), HalfByeTaken("friday", "ann", 1, 0)
    for fact in (*given, ConfigChanged("friday", tournament.config, 0), *paired):
        changes = Changes(tournament)
        changes.add_fact(fact)
        assert changes.has_changed_field
    changes = Changes(tournament)
    changes.add_fact(RoundPaired("friday", (Pairing(1, 1, 1, 0, 1),), (), 0))
    assert not changes.has_changed_field, "a knockout has many such facts"
