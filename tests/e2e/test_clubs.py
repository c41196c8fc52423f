"""Two clubs and main on one real server, each with a tournament `cup` and a bot `ann`, played by every kind of command.

The bots share a configuration folder, like the bots of one person.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import PATIENCE_S, RUMBLE, TOKEN, clean_environment, running, serving, typed_here

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

ADMIN = "the-token-of-the-administrator"
BOTS = {"main": ["ann", "ben"], "red": ["ann", "ben", "cid", "dan"], "blue": ["ann", "cid"]}
"""Names of the bots in each club; each bot is of another kind."""
BARE = Path(__file__).parents[2] / "bots" / "python" / "bare_bot.py"
FIRST = "import sys, json\nfor line in sys.stdin:\n    print(json.loads(line)['legal'][0], flush=True)"
SCRIPT = """
import sys
from rumble_bots import Bot, run

class First(Bot):
    def choose(self, turn):
        return turn.legal[0]

run(First(), sys.argv[1], name="cid", join="cup")
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A club on the server, and how its host and its bots are started."""

    club: str
    address: str
    """HOST:PORT, and the path of the club."""
    token: str
    folder: Path

    def environment(self) -> dict[str, str]:
        variables = {"RUMBLE_SERVER": self.address, "RUMBLE_HOST_TOKEN": self.token, "NO_COLOR": "1"}
        return clean_environment(self.folder, variables)

    def rumble(self, *arguments: str, code: int = 0) -> str:
        """Run a command that finds its club in the environment. Return its output, or for a `code` its error."""
        done = typed_here(arguments, self.environment(), self.folder)
        assert done.code == code, done
        return done.err if code else done.out

    def key(self, name: str) -> str:
        """Return the key of a bot's name that the SDK keeps for this club."""
        server = self.address.partition("/")[0].replace("127.0.0.1:", "localhost_")
        club = "" if self.club == "main" else f"c/{self.club}"
        return str(json.loads((self.folder / "config" / "keys" / server / club / f"{name}.json").read_text())["key"])


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sequence[Place]]:
    """Yield main, `red` and `blue` after their tournaments, which are played at the same time."""
    folder = tmp_path_factory.mktemp("clubs")
    with serving(folder, "--admin-token", ADMIN) as server, ExitStack() as stack:
        address = f"127.0.0.1:{server.port}"
        main = Place("main", address, TOKEN, folder)
        found = [main]
        for club in list(BOTS)[1:]:
            assert f"http://{address}/c/{club}/" in main.rumble("club", "create", club, "--admin-token", ADMIN)
            made = json.loads(main.rumble("club", "token", club, "host", "--admin-token", ADMIN, "--json"))
            found.append(Place(club, f"{address}/c/{club}", made["token"], folder))
        bots = [process for place in found for process in start(place, stack)]
        assert [process.wait(PATIENCE_S) for process in bots] == [0] * len(bots), logs(folder)
        yield found


def start(place: Place, stack: ExitStack) -> list["subprocess.Popen[str]"]:
    """Create a tournament, and start its bots, each of another kind and with another form of the address."""
    base = f"http://{place.address}"
    many = str(len(BOTS[place.club]))
    created = place.rumble("tournament", "create", "cup", "--game", "tictactoe", "--start-at-bots", many)
    assert f"{base}/tournaments/cup" in created, "the link leads into the club"
    assert f"--server {base} --join cup" in created, "and so does the command for bots"
    (place.folder / "script.py").write_text(SCRIPT)
    commands = {
        "ann": [*RUMBLE, "bot", "random", "--join", "cup", "--name", "ann", "--server", f"ws://{place.address}/bot/"],
        "ben": [*RUMBLE, "bridge", "stdio", "--join", "cup", "--name", "ben", "--", sys.executable, "-c", FIRST],
        "cid": [sys.executable, "script.py", f"{base}/tournaments/cup?from=a-page"],
        "dan": ["sh", "-c", 'exec "$0" "$@" >&2', sys.executable, str(BARE), f"{base}/", "cup", "dan"],
    }
    environment = place.environment()
    return [
        stack.enter_context(running(commands[name], environment, place.folder / f"{place.club}-{name}.log"))
        for name in BOTS[place.club]
    ]


def logs(folder: Path) -> str:
    return "\n".join(f"{log.name}: {log.read_text()}" for log in sorted(folder.glob("*-*.log")))


def test_each_club_has_its_own_tournament_of_the_same_name(places: Sequence[Place]) -> None:
    for place in places:
        (listed,) = json.loads(place.rumble("tournament", "list", "--json"))["tournaments"]
        assert (listed["id"], listed["status"], listed["bots"]) == ("cup", "finished", len(BOTS[place.club]))
        exported = place.folder / f"{place.club}.json"
        place.rumble("tournament", "export", "cup", "--out", str(exported))
        document: dict[str, Any] = json.loads(exported.read_text())
        assert {match["id"].partition(".")[0] for match in document["matches"]} == {"cup"}
        assert {name for match in document["matches"] for name in match["seats"]} == set(BOTS[place.club])
        played = next(match["id"] for match in document["matches"] if "ann" in match["seats"])
        assert "match_start" in place.rumble("tournament", "transcript", played, "--bot", "ann"), (
            "by her key of the club"
        )


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["watch", "cup"], "cup"),
        (["tournament", "standings", "cup"], "ann"),
        (["tournament", "audit", "cup"], "ann"),
        (["tournament", "transcript", "cup.1.1.1.1"], "match_start"),
        (["replay", "cup.1.1.1.1"], "cup.1.1.1.1"),
        (["token", "list"], "made"),
        (["ban", "list"], ""),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_every_command_finds_its_club(places: Sequence[Place], command: list[str], expected: str) -> None:
    for place in places:
        assert expected in place.rumble(*command)


def test_one_name_has_a_key_in_each_club(places: Sequence[Place]) -> None:
    keys = [place.key(name) for place in places for name in BOTS[place.club] if name != "dan"]
    keys += [file.read_text() for file in (places[0].folder / "config").glob("dan@*+c+red.key")]
    assert len(set(keys)) == sum(map(len, BOTS.values()))
