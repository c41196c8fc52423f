"""A player's matches, sessions and room agree whatever comes, in any order."""

from random import Random

import pytest
from rumble_protocol.bot_messages import Login
from rumble_server.arena.bots.frame_sender import FrameSenders
from rumble_server.arena.bots.player import Player, Players
from rumble_server.arena.bots.session import BotSession, Part
from rumble_server.arena.ports import Caller

from tests.server.world import World

CALLER = Caller("", True, 64, 0, False, True, True, True)
GAMES = ("hex", "chess")


def check_player(players: Players, player: Player, parts: dict[str, Part]) -> None:
    """Assert that sessions and matches agree, no match waits although a session has room, and `free` is current."""
    for session in player.sessions.values():
        assert session.matches == {match: part for match, part in parts.items() if part.session is session}
        assert set(session.challenges) == {match for match, part in session.matches.items() if part.is_challenge}
    assert player.waiting_parts == {match: part for match, part in parts.items() if part.session is None}
    for part in player.waiting_parts.values():
        assert player.session_for(part.game) is None
    assert sorted(player.matches()) == sorted(parts)
    for game in GAMES:
        able = [each for each in player.sessions.values() if each is player.sole_session or each.admits_game(game)]
        is_free = any(len(each.matches) - len(each.challenges) < each.max_matches for each in able)
        assert (player.name in players.free(game)) == is_free == player.is_free(game)


@pytest.mark.parametrize("seed", range(60))
def test_a_player_keeps_its_books_whatever_comes_in_whatever_order(seed: int) -> None:
    random, world = Random(seed), World()
    senders = FrameSenders(world.log, world.gateway.sessions)
    players = Players()
    player, parts = players.get_or_add("ann"), dict[str, Part]()
    players.free("hex")
    for number in range(200):
        what = random.choice(("connect", "drop", "begin", "begin", "end"))
        if what == "connect":
            games = random.choice((None, None, ["hex"], ["chess"]))
            worker = random.choice((None, "one", "ONE", "two"))
            login = Login(name="ann", worker=worker, games=games, max_matches=random.randint(1, 3))
            session = BotSession(number, login, CALLER, senders)
            player.connect(session)
            taken = player.assign_waiting_parts(session)
            if session is not player.sole_session:
                assert session.room >= 0
            assert all(part.session is not None for part in taken)
        elif what == "drop" and player.sessions:
            player.disconnect(random.choice(list(player.sessions.values())))
            player.assign_waiting_parts()
        elif what == "begin":
            game = random.choice(GAMES)
            if player.session_for(game) is not None:
                part = parts[f"m{number}"] = Part(f"m{number}", 0, game, random.random() < 0.3)
                player.begin_match(part)
        elif what == "end" and parts:
            player.end_match(parts.pop(random.choice(list(parts))))
            player.assign_waiting_parts()
        check_player(players, player, parts)
