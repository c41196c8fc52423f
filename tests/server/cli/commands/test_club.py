"""`rumble club` against a real server, on a thread of this process."""

import json
from pathlib import Path

import pytest

from tests.server.cli.run_here import Captured, ran, refused
from tests.server.cli.server_thread import ADMIN_TOKEN, TOKEN, server_on_thread


@pytest.mark.slow
def test_an_administrator_creates_changes_and_removes_clubs(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rumble(*arguments: str) -> tuple[int, str, str]:
        return ran(capsys, *arguments)

    with server_on_thread(tmp_path / "rumble.db") as address:
        monkeypatch.setenv("RUMBLE_SERVER", f"{address}/c/anything")
        monkeypatch.setenv("RUMBLE_ADMIN_TOKEN", ADMIN_TOKEN)
        created = rumble("club", "create", "chess", "--title", "Chess", "--bots", "3", "--matches", "none")
        assert created == (0, f"the club chess is at {address}/c/chess/\n", "")
        code, _, error = rumble("club", "create", "chess")
        assert (code, error) == (1, "rumble: there is a club chess already\n")
        assert rumble("club", "title", "chess", "Chess club") == (0, "chess is called Chess club\n", "")
        assert rumble("club", "set", "chess", "--listed", "--house")[1] == (
            "chess is listed, and has the server's house bots to challenge\n"
        )
        out = rumble("club", "quota", "chess", "--house-bots", "none", "--bytes", "5000")[1]
        assert out == "chess: bots 3, tournaments 100, bytes 5000, matches none, house bots none\n"
        token = rumble("club", "token", "chess", "teacher")[1].strip()
        rows = [line.split() for line in rumble("club", "list")[1].splitlines()]
        assert " ".join(rows[0]) == "club title listed house bots tournaments bytes matches house bots"
        assert rows[1][0] == "main"
        assert rows[2][:8] == ["chess", "Chess", "club", "yes", "yes", "0", "of", "3"]
        host = ("--server", f"{address}/c/chess", "--host-token", token)
        assert rumble("tournament", "create", "Cup", "--game", "tictactoe", *host)[0] == 0
        assert rumble("tournament", "create", "Cup", "--game", "tictactoe", "--server", address, *host[2:])[0] == 1
        monkeypatch.delenv("RUMBLE_ADMIN_TOKEN")
        listed = json.loads(rumble("club", "list", "--json")[1])["clubs"]
        assert [(each["name"], each["quotas"]) for each in listed] == [("main", None), ("chess", None)]
        assert rumble("club", "remove", "chess", "--yes")[2].startswith("rumble: this needs the administrator's token")
        wrong = rumble("club", "remove", "chess", "--yes", "--admin-token", TOKEN)[2]
        assert wrong == f"rumble: this is not the administrator's token of {address}\n"
        removed = rumble("club", "remove", "chess", "--yes", "--admin-token", ADMIN_TOKEN)
        assert removed == (0, "the club chess is removed\n", "")
        assert rumble("tournament", "create", "Cup", "--game", "tictactoe", *host)[0] == 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("quota", "chess"), "rumble: say what to change (see --help)\n"),
        (("set", "chess"), "rumble: say what to change (see --help)\n"),
        (("create", "Chess"), "rumble: 'Chess' is not a club's name: 1 to 32 of a-z, 0-9 and -\n"),
        (("title", "../x", "X"), "rumble: '../x' is not a club's name: 1 to 32 of a-z, 0-9 and -\n"),
        (("quota", "chess", "--house-bots", "-1"), "rumble: --house-bots: a whole number or none, not '-1'\n"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(given: tuple[str, ...], expected: str, capsys: Captured) -> None:
    assert refused(capsys, 2, "club", *given) == expected


def test_nothing_is_removed_unasked(capsys: Captured) -> None:
    assert refused(capsys, 2, "club", "remove", "chess") == "rumble: a club is removed for good: add --yes\n"
