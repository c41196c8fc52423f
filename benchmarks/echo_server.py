"""The yardstick of the server: an echo on the stock `websockets` asyncio server with uvloop.

    python benchmarks/echo_server.py GAME SEATS

The echo parses each move and builds each turn as pydantic models. It has no rules, no log and no standings: its turns
come from matches played at random before it listens, so that turns are as large as the game's.
"""

import asyncio
import itertools
import random
import sys
from typing import Any

import uvloop
from load import LONGEST_PLIES
from rumble_engine import JointState, get_game
from rumble_engine.chance import BITS
from rumble_protocol.bot_messages import Move
from rumble_protocol.codec import read_bot_message, write_message
from rumble_protocol.server_messages import Turn, TurnClock
from websockets.asyncio.server import ServerConnection, serve

MATCHES = 50


def turns_of(game: str, seats: int) -> list[dict[str, Any]]:
    """Play matches at random, and return the contents of their turns."""
    lot, turns, is_plain = random.Random(1), [], get_game(game).is_plain(seats)
    for _ in range(MATCHES):
        state, moves, since = get_game(game).initial_for(seats), list[str](), list[Any]()
        while state.outcome is None and len(moves) < LONGEST_PLIES:
            if state.is_chance:
                text = state.text_of(state.draw(lot.getrandbits(BITS)))
            else:
                chosen = {}
                for seat in state.movers:
                    codes = state.codes_for(seat)
                    legal = [state.text_for(seat, code) for code in codes]
                    position = {"ply": len(moves), "seat": seat, "state": state.view(seat), "legal": legal}
                    turns.append(position | ({"moves": [*moves]} if is_plain else {"moves": [], "since": since}))
                    chosen[seat] = lot.choice(codes)
                since = []
                text = state.joint_text(chosen) if isinstance(state, JointState) else state.text_of(chosen[seat])
            since = [*since, *state.parts(text)]
            moves.append(text)
            state = state.play(text)
    return turns


async def main(game: str, seats: int) -> None:
    turns = turns_of(game, seats)
    lot = random.Random(1)

    async def echo(connection: ServerConnection) -> None:
        begin = lot.randrange(len(turns))
        for number, position in enumerate(itertools.cycle(turns[begin:] + turns[:begin]), 1):
            frame = await connection.recv()
            assert isinstance(frame, str)
            move = read_bot_message(frame)
            assert isinstance(move, Move)
            turn = Turn(
                match=move.match,
                attempt=1,
                turn_id=f"1.{number:x}",
                game=game,
                clock=TurnClock(remaining_ms=10_000, seats_ms=[10_000] * seats, lag_ms=0),
                **position,
            )
            await connection.send(write_message(turn), text=True)

    async with serve(echo, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", flush=True)
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2])))
