"""A killed server leaves no process behind."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.hostile.target import target
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long]

KEY = "key-of-bots-in-a-swiss"


def lives(process: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_child_processes_end_with_the_killed_server(tmp_path: Path) -> None:
    """The child processes for writing, for pairing and for house bots end with the server."""
    with target(tmp_path, "--house", "random") as server, ExitStack() as opened:
        cup = server.create(format="swiss", start_at_bots=4)
        names = [f"swiss-{number}" for number in range(4)]
        bots = [opened.enter_context(server.attacker().login(name, key=KEY, join=cup)) for name in names]
        for bot in bots:
            bot.until("match_start")
        children = server.children()
        assert len(children) >= 3
        server.kill()
        assert wait_until(lambda: not any(map(lives, children))), [each for each in children if lives(each)]
