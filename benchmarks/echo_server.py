"""The yardstick of the server: an echo on the stock `websockets` asyncio server with uvloop.

It parses each move and builds each turn as pydantic models. It has no rules, no log and no standings.
"""

import sys

import uvloop
from rumble_protocol.codec import read_bot_message, write_message
from rumble_protocol.server_messages import Turn, TurnClock
from websockets.asyncio.server import ServerConnection, serve

LEGAL = ["a", "b", "c", "d", "e", "f", "g"]


async def echo(connection: ServerConnection) -> None:
    ply = 0
    async for frame in connection:
        assert isinstance(frame, str)
        read_bot_message(frame)
        ply += 1
        turn = Turn(
            match="friday.1.1.1.1",
            attempt=1,
            turn_id=f"1.{ply:x}",
            game="connect4",
            ply=ply % 42,
            seat=ply % 2,
            state={"board": "." * 42, "columns": 7, "rows": 6, "connect": 4},
            legal=LEGAL,
            moves=LEGAL * 2,
            clock=TurnClock(remaining_ms=10_000, seats_ms=[10_000, 10_000], lag_ms=0),
        )
        await connection.send(write_message(turn), text=True)


async def main(port: int) -> None:
    async with serve(echo, "127.0.0.1", port, compression=None, ping_interval=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
