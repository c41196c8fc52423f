"""Memory of an idle connection: many bots log in and wait. `python benchmarks/idle.py`"""

import asyncio

import uvloop
from load import Tally, allow_many_connections, connect
from options import options_of
from servers import serving


async def main(bots: int) -> None:
    tally = Tally()
    async with serving() as running:
        await connect(running, "/bot", tally, {"type": "login", "name": "warm"})
        await asyncio.sleep(0.5)
        before = running.resident_kb()
        for number in range(bots):  # in sequence, because the temporary memory of concurrent logins is not the bots'
            await connect(running, "/bot", tally, {"type": "login", "name": f"bot{number}"})
        await asyncio.sleep(1.0)
        after = running.resident_kb()
    print(f"{bots} idle bots: {(after - before) / bots:.1f} KB each ({before} KB before, {after} KB after)")


if __name__ == "__main__":
    options = options_of(__doc__, bots=2000).parse_args()
    allow_many_connections()
    uvloop.run(main(options.bots))
