"""A player's matches, sessions and room agree whatever comes, in any order."""

from itertools import product
from random import Random

import pytest
from rumble_protocol.bot_messages import Login
from rumble_server.arena.bots.frame_sender import FrameSenders
from rumble_server.arena.bots.player import Player, Players
from rumble_server.arena.bots.session import Assignment, BotSession
from rumble_server.arena.ports import Caller

from tests.server.arena.bots.sent import Sent, match_over
from tests.server.world import World

CALLER = Caller("", True, 64, 0, False, True, True, True)
GAMES = ("hex", "chess")


def check_player(players: Players, player: Player, assignments: dict[str, Assignment]) -> None:
    """Assert that sessions and matches agree, no match waits although a session has room, and `free` is current."""
    for session in player.sessions.values():
        assert session.matches == {
            match: assignment for match, assignment in assignments.items() if assignment.session is session
        }
        assert set(session.challenges) == {
            match for match, assignment in session.matches.items() if assignment.is_challenge
        }
    assert player.waiting_matches == {
        match: assignment for match, assignment in assignments.items() if assignment.session is None
    }
    for assignment in player.waiting_matches.values():
        assert player.session_for(assignment.game) is None
    assert sorted(player.matches()) == sorted(assignments)
    for game in GAMES:
        able = [each for each in player.sessions.values() if each is player.sole_session or each.accepts_game(game)]
        is_free = any(len(each.matches) - len(each.challenges) < each.max_matches for each in able)
        assert (player.name in players.free(game)) == is_free == (player.tournament_room(game) > 0)


@pytest.mark.parametrize("seed", range(60))
def test_a_player_keeps_its_books_whatever_comes_in_whatever_order(seed: int) -> None:
    random, world = Random(seed), World()
    senders = FrameSenders(world.log, world.gateway.sessions)
    players = Players()
    player, assignments = players.get_or_add("ann"), dict[str, Assignment]()
    players.free("hex")
    for number in range(200):
        what = random.choice(("connect", "drop", "begin", "begin", "end"))
        if what == "connect":
            games = random.choice((None, None, ["hex"], ["chess"]))
            worker = random.choice((None, "one", "ONE", "two"))
            login = Login(name="ann", worker=worker, games=games, max_matches=random.randint(1, 3))
            session = BotSession(number, login, CALLER, senders)
            player.connect(session)
            taken = player.assign_waiting_matches(session)
            if session is not player.sole_session:
                assert session.room >= 0
            assert all(assignment.session is not None for assignment in taken)
        elif what == "drop" and player.sessions:
            player.disconnect(random.choice(list(player.sessions.values())))
            player.assign_waiting_matches()
        elif what == "begin":
            game = random.choice(GAMES)
            if player.session_for(game) is not None:
                assignment = assignments[f"m{number}"] = Assignment(f"m{number}", 0, game, random.random() < 0.3)
                player.begin_match(assignment)
        elif what == "end" and assignments:
            player.end_match(assignments.pop(random.choice(list(assignments))))
            player.assign_waiting_matches()
        check_player(players, player, assignments)


def connected(**max_matches: int) -> Player:
    """Return a player with a session for each worker; the worker `_` is a session that names no worker."""
    senders, player = Sent().senders, Players().get_or_add("ann")
    for number, (worker, most) in enumerate(max_matches.items()):
        login = Login(name="ann", worker=None if worker == "_" else worker, games=["hex"], max_matches=most)
        player.connect(BotSession(number, login, CALLER, senders))
    return player


def test_a_session_that_takes_no_more_matches_uses_no_room_of_another() -> None:
    player = connected(one=3, two=2)
    player.begin_match(Assignment("a", 0, "hex", is_challenge=False))
    player.stop_assigning(player.sessions["one"])
    assert player.room == 2
    assert player.has_room_beside("hex", "hex")


def test_a_sole_session_has_one_room_for_all_games() -> None:
    assert not connected(_=1).has_room_beside("hex", "chess")
    assert connected(_=2).has_room_beside("hex", "chess")


@pytest.mark.parametrize("most", range(4))
def test_the_short_rule_for_a_sole_session_is_the_rule_for_several(most: int) -> None:
    for challenges, matches, room_to_free in product(range(3), repeat=3):
        sole, several = connected(_=1), connected(_=1)
        several.connect(BotSession(9, Login(name="ann", worker="full", games=["chess"]), CALLER, Sent().senders))
        for player in (sole, several):
            session = player.sessions[""]
            session.max_matches = most
            for number in range(challenges + matches):
                session.add_match(Assignment(f"m{number}", 0, "hex", is_challenge=number < challenges))
            for number in range(room_to_free):
                session.sender.post(match_over(b"over", f"o{number}", 1))
        assert [sole.sole_session, several.sole_session] == [sole.newest, None]
        assert sole.room_by_cancelling("hex") == several.room_by_cancelling("hex")
        assert (sole.session_for("hex") is None) == (several.session_for("hex") is None)
        for reserved_for in (None, *GAMES):
            sole.reserve_room(reserved_for)
            assert len({sole.tournament_room(game) for game in GAMES}) == 1, "`update_free` asks for one game only"


def test_while_an_end_is_untold_no_challenge_gives_way() -> None:
    player = connected(one=1, two=1)
    one, two = player.sessions.values()
    one.add_match(Assignment("a", 0, "hex", is_challenge=True))
    assert (player.room_by_cancelling("hex"), player.room) == (2, 1)
    two.sender.post(match_over(b"over", "b", 1))
    assert (player.room_by_cancelling("hex"), player.challenge_to_cancel("hex")) == (0, None)
