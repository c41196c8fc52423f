"""CPU of a proxy's question, who leads the club of a path. `python benchmarks/question.py`

One node of several on a PostgreSQL of its own is asked over eight connections, as a proxy asks it. Loopback only; it
ends by itself.
"""

import asyncio
import socket
import statistics
from contextlib import ExitStack

from options import options_of
from servers import Running, serving

from tests.postgres.cluster import cluster

GOAL_US = 100
CONNECTIONS = 8
QUESTION = b"GET /api/leader HTTP/1.1\r\nHost: rumble.example\r\nX-Original-URI: /api/tournaments/friday?x=1\r\n\r\n"


def cost_us(node: Running, connections: list[socket.socket], questions: int) -> float:
    """Return the CPU time that a question takes in the node, in us. Raises RuntimeError if nobody leads."""
    before = node.cpu_s()
    for _ in range(questions // CONNECTIONS):
        for connection in connections:
            connection.sendall(QUESTION)
        for connection in connections:
            if not connection.recv(4096).startswith(b"HTTP/1.1 204"):
                raise RuntimeError("nobody leads")
    return (node.cpu_s() - before) / questions * 1e6


async def main(questions: int, rounds: int) -> None:
    options = ("--node-address", "http://127.0.0.1:8765", "--behind-proxy", "127.0.0.1")
    with cluster() as database, ExitStack() as stack:
        async with serving(database.database(), options=options) as node:
            address = ("127.0.0.1", node.port)
            connections = [stack.enter_context(socket.create_connection(address)) for _ in range(CONNECTIONS)]
            cost_us(node, connections, questions)  # to warm up
            costs = [cost_us(node, connections, questions) for _ in range(rounds)]
    median_us = statistics.median(costs)
    print(f"a question takes {median_us:.0f} us of CPU ({min(costs):.0f} to {max(costs):.0f}); ", end="")
    print(f"the goal is {GOAL_US}: {'met' if median_us <= GOAL_US else 'NOT MET'}")


if __name__ == "__main__":
    given = options_of(__doc__, questions=8000, rounds=9).parse_args()
    asyncio.run(main(given.questions, given.rounds))
