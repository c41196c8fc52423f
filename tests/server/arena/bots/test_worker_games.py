"""Workers of several games, and their challenges."""

from rumble_engine import Termination
from rumble_server.match.facts import MatchOver, SeatAway

from tests.server.arena.bots.workers import absent_since_ms, facts, gauntlet, start, workers
from tests.server.world import World


def test_a_match_goes_to_a_worker_of_its_game() -> None:
    world = World()
    other, own = world.login("ann", worker="c4", games=["connect4"], max_matches=9), world.login("ann", worker="ttt")
    tournament = gauntlet(world, absent_ms=10_000)
    other.say(type="join", tournament=tournament.id)
    start(world, tournament, "ben", "cid")
    assert len(own.inbox.all("match_start")) == 1, "it has room for one, and the other is not asked"
    own.drop()
    assert facts(world, SeatAway), "it waits for who plays the game"
    assert absent_since_ms(tournament) == world.clock.now_ms()
    world.run(9000)
    (again,) = workers(world, "ttt")
    assert len(again.last("session")["matches"]) == 1
    assert absent_since_ms(tournament) is None
    assert not other.inbox.all("match_start")


def test_a_tournament_does_not_wait_without_end_for_a_worker_of_its_game() -> None:
    world = World()
    tournament = gauntlet(world, absent_ms=10_000)
    workers(world, "ttt", join=tournament.id)[0].drop()
    (other,) = workers(world, "c4", games=["connect4"])
    start(world, tournament, "ben")
    world.run(10_000)
    (over,) = facts(world, MatchOver)
    assert (over.termination, over.at_ms) == (Termination.NO_SHOW, world.clock.now_ms())
    assert not other.inbox.all("match_start")


def test_a_bot_that_is_one_session_without_a_worker_is_given_its_matches_whatever_its_games() -> None:
    world = World()
    tournament = gauntlet(world)
    world.login("ann", join=tournament.id).drop()
    bot = world.login("ann", games=["connect4"])
    start(world, tournament, "ben")
    assert len(bot.inbox.all("match_start")) == 1
    bot.drop()
    assert len(world.login("ann", games=["connect4"]).inbox.all("match_start")) == 1


def test_a_challenge_is_accepted_if_any_worker_accepts_challenges() -> None:
    world = World()
    bots = [world.login("ben", worker=worker, challenges=worker == "two") for worker in ("one", "two", "three")]
    ann = world.login("ann")
    ann.say(type="challenge", against="ben", game="tictactoe")
    assert all(bot.last("joined") for bot in (ann, *bots))


def test_a_tournament_takes_the_room_of_a_challenge_at_a_worker_of_its_game() -> None:
    world = World()
    bots = [world.login("ann", worker=game, games=[game], challenges=True) for game in ("tictactoe", "connect4")]
    for name, game in (("ben", "tictactoe"), ("cid", "connect4")):
        world.login(name).say(type="challenge", against="ann", game=game)
    assert [len(bot.inbox.all("match_start")) for bot in bots] == [1, 1]
    tournament = gauntlet(world)
    bots[1].say(type="join", tournament=tournament.id)
    start(world, tournament, "dan")
    assert bots[0].last("match_start")["tournament"] == tournament.id
    assert len(bots[1].inbox.all("match_start")) == 1
    assert not bots[1].inbox.all("match_over"), "its challenge is not in the way"


def test_the_room_that_a_challenge_leaves_goes_to_a_match_that_is_away_first() -> None:
    world = World()
    one, two = workers(world, "one", "two", challenges=True)
    world.login("zoe").say(type="challenge", against="ann", game="tictactoe")
    first = gauntlet(world)
    one.say(type="join", tournament=first.id)
    start(world, first, "ben")
    challenged, other = sorted((one, two), key=lambda bot: bot.last("match_start")["tournament"] == first.id)
    lost = other.last("match_start")["match"]
    other.drop()
    second = gauntlet(world, name="second")
    challenged.say(type="join", tournament=second.id)
    start(world, second, "cid")
    assert challenged.last("match_start")["match"] == lost
    challenged.say(type="resign", match=lost)
    assert challenged.last("match_start")["tournament"] == second.id
