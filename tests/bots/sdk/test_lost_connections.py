"""The conversation with the server's arena, on virtual time, over connections that are lost."""

import json
from typing import Any

import pytest
from rumble_bots.sdk.actions import Action, Drop, Fail, Finish, Send, Think
from rumble_bots.sdk.conversation import Aim, Conversation
from rumble_engine import Termination
from rumble_protocol.bot_messages import Challenge
from rumble_protocol.codec import write_message
from rumble_server.match.facts import MatchOver

from tests.server.arena.test_next_tournament import again, by_code
from tests.server.world import World

MOST = 20
"""More frames than the whole conversation has on a single connection, in both directions."""


def play(world: World, talk: Conversation, frames: int, *, is_noticed: bool) -> Action | None:
    """Play on a connection that is lost after `frames` frames, in both directions. Return the action that ends play.

    Return None if the connection is lost before. The server notices the loss only if `is_noticed`.
    """
    bot = world.connect()
    for frame in bot.inbox.frames:  # further frames are added meanwhile
        if not frames:
            break
        frames -= 1
        for action in talk.on_frame(json.dumps(frame)):
            if isinstance(action, Think):
                (action,) = talk.on_move(action.turn, action.turn.legal[0])
            if isinstance(action, Drop | Fail | Finish):
                return action
            if isinstance(action, Send) and frames:
                frames -= 1
                bot.say_text(write_message(action.message).decode())
                world.run(1000)
    if is_noticed:
        bot.drop()
    talk.on_lost(1006, "")
    world.run(1000)
    return None


@pytest.mark.parametrize("is_noticed", [True, False])
@pytest.mark.parametrize("wish", [{"join": "friday"}, {"challenge": Challenge(against="ben", game="tictactoe")}])
def test_a_bot_plays_one_match_wherever_two_connections_are_lost(wish: dict[str, Any], *, is_noticed: bool) -> None:
    for first in range(MOST):
        for second in range(MOST):
            world = World()
            world.create(start_at_bots=2, legs=1)
            world.player("ben", lambda turn: turn["legal"][-1], challenges=True, join=wish.get("join"))
            talk = Conversation(Aim("ann", **wish), lambda: 0.0)
            plays = (play(world, talk, frames, is_noticed=is_noticed) for frames in (first, second, MOST))
            connections, end = next(((number, end) for number, end in enumerate(plays, 1) if end), (3, None))
            assert isinstance(end, Finish), (first, second)
            (over,) = [fact for fact in world.log.facts if isinstance(fact, MatchOver)]
            assert over.termination is Termination.NORMAL, (first, second)
            if connections == 1:
                return
            if connections == 2:
                break


@pytest.mark.parametrize("is_noticed", [True, False])
def test_a_pupil_plays_in_the_next_tournament_wherever_two_connections_are_lost(*, is_noticed: bool) -> None:
    """The next tournament begins when the pupil loses its connection after the end of the first tournament."""
    for first in range(MOST):
        for second in range(MOST):
            world = World()
            by_code(world, world.create(start_at_bots=2, legs=1), "ann", "ben")
            world.player("ben", lambda turn: turn["legal"][-1])
            talk = Conversation(Aim("ann", join="friday", follow=True, challenges=True), lambda: 0.0)
            for frames in (first, second, MOST, MOST):
                play(world, talk, frames, is_noticed=is_noticed)
                if "friday" in world.log.records and "saturday" not in world.arena.tournaments.taken_ids:
                    world.organiser.start(again(world, name="Saturday").id)
            play(world, talk, 4, is_noticed=is_noticed)
            assert talk.tournament_id == "saturday", (first, second)
            overs = [fact for fact in world.log.facts if isinstance(fact, MatchOver)]
            assert [over.termination for over in overs] == [Termination.NORMAL] * 2, (first, second)
