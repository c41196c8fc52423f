"""`rumble serve` with a short grace time after its start, for which the command line has no option.

python -m tests.e2e.short_grace_server PORT DATABASE HOST_TOKEN GRACE_MS
"""

import sys

from rumble_server.cli.processes.running import running_server
from rumble_server.cli.support.loop import run, until_signal
from rumble_server.config import ServerConfig


async def serve(port: int, db: str, host_token: str, grace_ms: int) -> None:
    """Serve until a signal comes."""
    stopping = until_signal()
    async with running_server(ServerConfig(port=port, db=db, host_token=host_token, grace_ms=grace_ms)):
        print(f"listening on port {port}", flush=True)
        await stopping.wait()


if __name__ == "__main__":
    run(serve(int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
