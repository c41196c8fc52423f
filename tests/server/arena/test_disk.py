"""Promise 1: told facts are on disk first, and no frame overtakes them; and play while the disk fails."""

import pytest
from rumble_protocol.fields import TimeControl
from rumble_server.match.draws import commitment_of

from tests.server.arena.playing import assert_all_was_played, begun_at_random, enter, first_legal
from tests.server.world import World

# --- promise 1: held back until it is on disk, and nothing overtakes ---


def test_a_result_is_held_back_until_it_is_on_disk_and_nothing_later_overtakes_it() -> None:
    world = World()
    tournament, bots = begun_at_random(world, "ann", "ben")
    for bot in bots:
        bot.heard()
    world.log.stuck = True
    world.run(100)
    assert len(tournament.results) == 1
    for bot in bots:
        assert set(bot.inbox.kinds()) == {"turn"}, "nothing but turns of the first match"
    world.log.unstick()
    for bot in bots:
        assert bot.inbox.kinds()[:2] == ["match_over", "match_start"]


@pytest.mark.parametrize("game", ["tictactoe", "dilemma", "backgammon"])
def test_a_start_waits_for_the_disk_only_if_a_crash_could_lose_a_seed_behind_its_commitment(game: str) -> None:
    world = World()
    tournament = world.create(game=game, legs=1)
    bots = world.logins("ann", "ben", join=tournament.id)
    world.log.write(world.log.last)
    world.log.stuck = True
    world.organiser.start(tournament.id)
    (match,) = world.arena.matches.live.values()
    is_told = [bool(bot.inbox.all("match_start")) for bot in bots]
    if game == "tictactoe":
        assert is_told == [True, True]
        return
    assert is_told == [False, False]
    assert not any(bot.inbox.all("turn") for bot in bots)
    world.run(5_000)
    world.log.unstick()
    terms = match.progress.terms
    commitment = commitment_of(terms.chance_seed, terms.match, terms.attempt)
    assert [bot.last("match_start")["seed_commitment"] for bot in bots] == [commitment] * 2
    turns = [bot.last("turn")["clock"]["remaining_ms"] for bot in bots if bot.inbox.all("turn")]
    assert turns == [10_000] * len(match.progress.state.movers)


def test_a_claim_is_told_when_it_is_on_disk_even_to_the_next_connection() -> None:
    world = World()
    world.log.stuck = True
    first = world.login("ann", key="correct-horse-battery")
    assert first.inbox.kinds() == ["welcome"]
    second = world.login("ann", key="correct-horse-battery")
    assert second.inbox.kinds() == ["welcome"]
    world.log.unstick()
    assert second.inbox.kinds() == ["session"]


def test_a_join_is_told_when_it_is_on_disk_even_if_it_is_asked_for_again() -> None:
    world = World()
    tournament = world.create()
    bot = world.login("ann")
    world.log.stuck = True
    bot.say(type="join", tournament=tournament.id)
    bot.drop()
    again = world.login("ann")
    again.say(type="join", tournament=tournament.id)
    assert "joined" not in again.inbox.kinds()
    world.log.unstick()
    assert again.inbox.kinds()[-1] == "joined"


def test_the_end_is_told_when_it_is_on_disk_even_to_a_bot_that_asks() -> None:
    world = World()
    tournament = world.create()
    for bot in world.logins("ann", "ben", join=tournament.id):
        bot.heard()
    world.log.stuck = True
    world.organiser.end(tournament.id, cancelled=True)
    bot.drop()
    again = world.login("ben", join=tournament.id)
    assert "tournament_over" not in again.inbox.kinds()
    world.log.unstick()
    assert again.inbox.kinds()[-2:] == ["joined", "tournament_over"]


def test_a_connection_that_was_replaced_and_waits_for_its_close_costs_no_match_by_flooding() -> None:
    world = World()
    tournament, (ann, _) = world.begun("ann", "ben")
    world.log.stuck = True
    world.organiser.pause(tournament.id, "lunch")
    world.login("ann")
    for _ in range(world.gateway.limits.unsolicited_per_minute + 1):
        ann.say(type="nonsense")
    assert len(world.arena.matches.live) == 1
    assert tournament.results == {}
    world.log.unstick()
    assert ann.inbox.kinds()[-1] == "notice"


# --- disk trouble ---


def test_while_the_log_cannot_be_written_no_match_starts_and_it_is_said_why() -> None:
    world = World()
    tournament, bots = begun_at_random(world, "ann", "ben")
    world.log.stuck = True
    world.arena.on_trouble("disk full")
    for bot in bots:
        assert bot.last("notice")["code"] == "disk"
        assert "disk full" in bot.last("notice")["message"]
    world.run()
    assert (len(tournament.results), tournament.status) == (1, "paused")
    assert all(bot.inbox.all("match_over") == [] for bot in bots)
    world.log.unstick()
    world.arena.on_trouble(None)
    world.run()
    assert_all_was_played(tournament)


def test_a_tournament_that_starts_meanwhile_waits_for_the_disk_and_charges_nobody_for_absence() -> None:
    world = World()
    tournament = world.create(start_at_bots=3, absent_ms=30_000)
    _, ben = world.logins("ann", "ben", join="friday")
    ben.drop()
    world.log.stuck = True
    world.arena.on_trouble("disk full")
    cid = world.login("cid", join="friday")
    assert (tournament.status, tournament.is_paused_by_disk) == ("paused", True)
    assert cid.last("notice")["code"] == "disk"
    world.clock.advance(60_000)
    world.log.unstick()
    world.arena.on_trouble(None)
    assert (tournament.status, tournament.field["ben"].absent_left_ms) == ("running", 30_000)


@pytest.mark.parametrize("drops", [False, True])
def test_a_turn_that_waits_for_the_disk_costs_no_thinking_time(drops: bool) -> None:
    """The turn waits behind the answer to a `join`; its bot may drop before."""
    world = World()
    tournament = world.create(start_at_bots=2, time_control=TimeControl(move_ms=1000))
    enter(world, tournament.id, "ann")
    ben = world.login("ben")
    world.log.stuck = True
    ben.say(type="join", tournament=tournament.id)
    world.run(10_000)
    (match,) = world.arena.matches.live.values()
    turn = match.progress.seats[match.players.index(world.arena.players["ben"])].turn
    assert turn is not None
    assert turn.is_stopped
    assert ben.inbox.all("turn") == []
    if drops:
        ben.drop()
    world.log.unstick()
    if drops:
        ben = world.login("ben")
    assert ben.last("turn")["clock"]["remaining_ms"] == 1000
    ben.move(first_legal(ben.last("turn")))
    assert match.progress.over is None


def test_nothing_is_taken_up_after_the_stop() -> None:
    world = World()
    tournament = world.create(legs=4, start_at_bots=2)
    one = world.login("ann", worker="one", join=tournament.id)
    two = world.login("ann", worker="two")
    world.login("ben", max_matches=4, join=tournament.id)
    two.drop()
    (match,) = world.arena.players["ann"].sessions["one"].matches
    world.log.stuck = True
    one.say(type="resign", match=match)
    world.arena.stop()
    last = world.log.last
    world.log.unstick()
    world.run(100_000)
    assert world.log.last == last


def test_a_bot_that_waits_to_be_told_of_an_end_is_not_idle() -> None:
    world = World()
    tournament, (ann, _) = world.begun("ann", "ben", legs=2)
    (match,) = tournament.running
    world.log.stuck = True
    ann.say(type="resign", match=match)
    assert (len(tournament.running), world.arena.is_playing("ann")) == (0, True)


def test_a_pause_of_the_host_outlasts_disk_trouble() -> None:
    world = World()
    tournament, _ = begun_at_random(world, "ann", "ben")
    world.organiser.pause(tournament.id, "lunch")
    world.arena.on_trouble("disk full")
    world.arena.on_trouble(None)
    assert (tournament.status, tournament.reason) == ("paused", "lunch")


# --- results whose connection ends before they are on disk ---


@pytest.mark.parametrize("end", ["dropped", "replaced", "closing", "dropped twice"])
def test_a_result_that_waits_for_the_disk_outlasts_its_connection(end: str) -> None:
    world = World()
    tournament, (ann, ben) = world.begun("ann", "ben", legs=1)
    (match,) = tournament.running
    world.log.write(world.log.last)
    world.log.stuck = True
    if end == "closing":
        world.arena.sign_out("ann", "the key is another")
    ben.say(type="resign", match=match)
    if end != "replaced":
        ann.drop()
    if end == "dropped twice":
        world.login("ann").drop()
    again = world.login("ann")
    world.log.unstick()
    assert [over["match"] for over in again.inbox.all("match_over")] == [match]
    assert world.login("ann").inbox.all("match_over") == []


def test_a_result_of_a_match_that_never_began_outlasts_its_connection() -> None:
    world = World()
    tournament, (ann, ben) = world.begun("ann", "ben", legs=2, absent_ms=1_000)
    ben.drop()
    ann.say(type="resign", match=next(iter(tournament.running)))
    world.log.stuck = True
    world.run(1_000)
    ann.drop()
    again = world.login("ann")
    world.log.unstick()
    assert [over["termination"] for over in again.inbox.all("match_over")] == ["no_show"]


def test_a_result_outlasts_a_connection_whose_end_the_arena_does_not_know_yet() -> None:
    world = World()
    tournament, (ann, ben) = world.begun("ann", "ben", legs=1)
    world.log.stuck = True
    ben.say(type="resign", match=next(iter(tournament.running)))
    ann.end_socket()
    world.log.unstick()
    ann.drop()
    assert world.login("ann").inbox.all("match_over")


def test_a_login_on_a_connection_that_has_ended_takes_no_result() -> None:
    world = World()
    tournament, (ann, ben) = world.begun("ann", "ben", legs=1)
    ann.drop()
    ben.say(type="resign", match=next(iter(tournament.running)))
    late = world.connect()
    late.end_socket()
    late.login("ann")
    late.drop()
    assert world.login("ann").inbox.all("match_over")
