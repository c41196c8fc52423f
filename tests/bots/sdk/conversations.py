"""Conversations to begin tests with, and functions that take values from lists of actions."""

import logging
from typing import Any

from rumble_bots.sdk.actions import Action, Fail, Say, Send, Think
from rumble_bots.sdk.bot import Turn
from rumble_bots.sdk.conversation import Aim, Conversation

from tests.bots.sdk import says

JOINING = Aim("ann", key="k" * 16, join="cup", invite="come", max_matches=4, games=("tictactoe",), version="7")


def conversation(aim: Aim = JOINING, *frames: str) -> Conversation:
    talk = Conversation(aim, lambda: 0.0)
    for frame in frames:
        talk.on_frame(frame)
    return talk


def playing(*frames: str) -> Conversation:
    return conversation(JOINING, says.welcome(), says.session(), says.joined(), says.match_start(), *frames)


def sent(actions: list[Action]) -> list[Any]:
    return [action.message for action in actions if isinstance(action, Send)]


def thought(actions: list[Action]) -> Turn:
    (turn,) = [action.turn for action in actions if isinstance(action, Think)]
    return turn


def said(actions: list[Action], level: int = logging.INFO) -> str:
    return "\n".join(action.text for action in actions if isinstance(action, Say) and action.level >= level)


def failure(actions: list[Action]) -> Exception:
    (error,) = [action.error for action in actions if isinstance(action, Fail)]
    return error
