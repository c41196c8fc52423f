"""Clocks: time that a bot takes for itself, by going away or by delaying pongs, is the bot's own loss."""

import time

import pytest

from tests.hostile.attacker import PING, PONG, Attacker, frame, next_turn
from tests.hostile.target import Target

pytestmark = [pytest.mark.e2e, pytest.mark.long]

KEY = "key-of-bots-with-clever-clocks"
MOVE_MS, AWAY_S, LATE_MS = 300, 0.6, 150


def test_who_thinks_while_it_is_away_pays_where_the_clock_runs(server: Target, attacker: Attacker) -> None:
    cup = server.create(start_at_bots=2, legs=1, time_control={"move_ms": MOVE_MS}, away_clock="runs")
    first, second = (attacker.login(name, key=KEY, join=cup) for name in ("thinker", "waiter"))
    with first, second:
        assert first.until("joined")["away_clock"] == "runs"
        assert second.until("match_start")["away_clock"] == "runs"
        gone, _ = next_turn(first, second)
        gone.sock.close()
        over = (second if gone is first else first).until("match_over")
    assert over["termination"] == "timeout"


def test_drops_on_the_own_turn_are_counted(server: Target, attacker: Attacker) -> None:
    """The clock stands by default, as version 1 promises; the audit counts a bot's drops on its own turn."""
    cup = server.create(start_at_bots=2, legs=1, time_control={"move_ms": MOVE_MS})
    first, second = (attacker.login(name, key=KEY, join=cup) for name in ("dropper", "stayer"))
    with first, second:
        assert first.until("joined")["away_clock"] == "stands"
        gone, turn = next_turn(first, second)
        stayer, name = (second, "dropper") if gone is first else (first, "stayer")
        gone.sock.close()
        stayer.until("notice", code="opponent_away")
        time.sleep(AWAY_S)  # the absent bot thinks
        with attacker.login(name, key=KEY) as back:
            back.move(back.until("turn"))
            _, turn = next_turn(stayer)
            assert turn["ply"] == 1
            back.say(type="resign", match=turn["match"])
            stayer.until("match_over")
    audit = server.host.get(f"/api/tournaments/{cup}/audit").json()
    assert {bot: found["drops"] for bot, found in audit["bots"].items() if found["drops"]} == {name: 1}


def test_late_pongs_bring_no_time(server: Target, attacker: Attacker) -> None:
    """A bot that delays its pongs is granted only the lag of its line, here loopback's."""
    cup = server.create(start_at_bots=2, legs=1)
    with attacker.bot() as late:
        late.answers_pings = False
        payload = next(payload for opcode, payload in late.frames() if opcode == PING)
        time.sleep(LATE_MS / 1000)
        late.send(frame(PONG, payload))
        late.say(type="login", name="late", key=KEY, join=cup)
        late.until("joined")
        with attacker.login("punctual", key=KEY, join=cup) as punctual:
            asked, turn = next_turn(late, punctual)
            if asked is punctual:
                punctual.move(turn)
                turn = late.until("turn")
            late.say(type="resign", match=turn["match"])
            punctual.until("match_over")
    assert turn["clock"]["lag_ms"] < LATE_MS / 2
