"""`rumble tournament` against a real server, on a thread of this process."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from rumble_protocol.secret import is_made, make_secret
from rumble_server.cli.main import run
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.server.arena.fake_house import FakeHouse
from tests.server.cli.server_thread import PATIENCE_S, TOKEN, play, server_on_thread
from tests.server.web.export_schema import check_export

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a server that runs during all tests of this module."""
    with server_on_thread(tmp_path_factory.mktemp("server") / "rumble.db", FakeHouse()) as address:
        yield address


@pytest.fixture(autouse=True)
def environment(server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUMBLE_SERVER", server_url)
    monkeypatch.setenv("RUMBLE_HOST_TOKEN", TOKEN)


def told(capsys: Captured, *arguments: str) -> Any:
    """Return the JSON that a command prints."""
    assert run(["tournament", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys: Captured, *arguments: str) -> tuple[int, str]:
    """Return the exit code and the single line of a failing command."""
    code = run(["tournament", *arguments])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return code, captured.err


def test_a_forecast_creates_nothing(capsys: Captured) -> None:
    assert run(["tournament", "create", "Forecast", "--game", "connect4", "--forecast", "10"]) == 0
    assert capsys.readouterr().out.startswith("90 matches; 18 one after another. About ")
    assert run(["tournament", "list"]) == 0
    assert "Forecast" not in capsys.readouterr().out


def test_create_with_every_option(capsys: Captured, server_url: str) -> None:
    options = {
        "--game": "connect4",
        "--set": "columns=5",
        "--format": "round-robin",
        "--cycles": "2",
        "--legs": "4",
        "--bank-ms": "60000",
        "--increment-ms": "500",
        "--seed": "7",
        "--start-at-bots": "9",
        "--illegal-retries": "1",
        "--away-ms": "1000",
        "--away-clock": "runs",
        "--absent-ms": "2000",
        "--invite": "hush",
    }
    created = told(capsys, "create", "Every option", *(part for option in options.items() for part in option))
    assert created["id"] == "every-option"
    expected = {"game": "connect4", "cycles": 2, "legs": 4, "seed": 7, "start_at_bots": 9, "by_invitation": True}
    assert {name: created[name] for name in expected} == expected
    assert created["settings"] == {"columns": 5, "rows": 6, "connect": 4}
    assert created["time_control"] == {"move_ms": 0, "bank_ms": 60_000, "increment_ms": 500}
    assert refused(capsys, "create", "Wrong", "--game", "tictactoe", "--away-clock", "walks")[0] != 0


def test_audit(capsys: Captured) -> None:
    told(capsys, "create", "Audited", "--game", "tictactoe")
    assert told(capsys, "audit", "audited")["fair"] is True
    assert run(["tournament", "audit", "audited", "--host-token", "any-token-of-16-characters"]) == 0
    shown = capsys.readouterr().out
    assert "audited: nothing to complain of" in shown
    assert "excused ms" in shown


def test_create_with_every_choice_of_a_format(capsys: Captured, tmp_path: Path) -> None:
    openings = tmp_path / "openings.txt"
    openings.write_text("# two\n0 4\n4 0\n")
    ratings = tmp_path / "ratings.txt"
    ratings.write_text("ben = 2000\n\ncid=1500.5\n")
    options = {
        "swiss": [
            *("--rounds", "3", "--tiebreaks", "buchholz,sb", "--points", "3,1,0", "--openings", str(openings)),
            *("--pairing-rules", "dutch-2025", "--acceleration", "baku", "--seed-rating", "ann=1900"),
            *("--seed-rating", str(ratings)),
        ],
        "gauntlet": ["--challengers", "2", "--openings", "suite", "--bench-after", "0"],
        "knockout": ["--replays", "0", "--openings", "none"],
        "round-robin": ["--late-join", "--start-at", "2100-01-01T00:00:00Z", "--tiebreaks", ""],
    }
    for name, given in options.items():
        created = told(capsys, "create", name, "--game", "tictactoe", "--format", name, *given)
        assert created["format"] == name


def test_create_says_where_the_page_is_and_how_to_join(capsys: Captured, server_url: str) -> None:
    assert run(["tournament", "create", "Spoken", "--game", "tictactoe"]) == 0
    created, command, warning = capsys.readouterr().out.splitlines()
    assert created == f"spoken is created: {server_url}/tournaments/spoken"
    assert command.startswith(f"bots join with: rumble bot mine.py:ai --server {server_url} --join spoken --name ")
    assert warning.startswith("only this machine can use these:")


def test_list_standings_and_export(capsys: Captured, tmp_path: Path) -> None:
    told(capsys, "create", "A long name " * 6, "--game", "tictactoe")
    listed = told(capsys, "list")["tournaments"]
    (mine,) = [each for each in listed if each["name"].startswith("A long name")]
    assert run(["tournament", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["id", "status", "game", "bots", "name"]
    assert any(mine["id"] in line and line.rstrip().endswith(mine["name"].strip()) for line in lines), "nothing is cut"
    assert told(capsys, "standings", mine["id"]) == {"status": "lobby", "standings": [], "tiebreak_rules": "2026-03"}
    older = told(capsys, "create", "Older", "--game", "tictactoe", "--tiebreak-rules", "2024-08")
    assert told(capsys, "standings", older["id"])["tiebreak_rules"] == "2024-08"
    assert run(["tournament", "create", "Old", "--game", "tictactoe", "--tiebreak-rules", "2022"]) != 0
    assert "2024-08" in capsys.readouterr().err
    assert run(["tournament", "standings", mine["id"]]) == 0
    assert capsys.readouterr().out.startswith(f"{mine['id']}: lobby\n")
    file = tmp_path / "export.json"
    assert run(["tournament", "export", mine["id"], "--out", str(file)]) == 0
    document = json.loads(file.read_text(encoding="utf-8"))
    assert set(document) == {"tournament", "standings", "matches", "voided"}
    check_export(document)
    capsys.readouterr()
    assert run(["tournament", "export", mine["id"], "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == document


def test_commands_say_the_status(capsys: Captured) -> None:
    told(capsys, "create", "Short", "--game", "tictactoe")
    assert run(["tournament", "cancel", "short"]) == 0
    assert capsys.readouterr().out == "short: cancelled\n"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["standings", "nope"], 1, "there is no tournament 'nope'"),
        (["export", "no/pe"], 1, "there is nothing at"),
        (["start", "nope"], 1, "there is no tournament 'nope'"),
        (["pause", "nope", "--reason", "lunch"], 1, "there is no tournament 'nope'"),
        (["resume", "nope"], 1, "there is no tournament 'nope'"),
        (["end", "nope"], 1, "there is no tournament 'nope'"),
        (["remove", "nope", "alice"], 1, "there is no tournament 'nope'"),
        (["replay", "nope.1.1.1.1"], 1, "there is no tournament 'nope'"),
        (["cancel", "nope", "--host-token", "wrong"], 1, "this is not a host token of http://127.0.0.1"),
        (["create", "x", "--game", "go"], 2, "unknown game 'go'"),
        (["create", "x", "--game", "connect4", "--set", "columns=99"], 2, "columns must be"),
        (["create", "x", "--game", "connect4", "--set", "columns"], 2, "write NAME=VALUE"),
        (["create", "x", "--game", "tictactoe", "--cycles", "0"], 2, "--cycles"),
        (["create", "x"], 2, "--game"),
        (["list", "--server", "ftp://x"], 2, "not a server address"),
        (["export", "nope", "--format", "xml"], 2, "--format"),
        ([], 2, "command"),
    ],
)
def test_what_goes_wrong_is_one_line(capsys: Captured, arguments: list[str], code: int, says: str) -> None:
    found, line = refused(capsys, *arguments)
    assert says in line
    assert found == code


def test_a_command_of_the_host_needs_the_token(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUMBLE_HOST_TOKEN")
    code, line = refused(capsys, "create", "x", "--game", "tictactoe")
    assert (code, "--host-token" in line) == (1, True)
    assert told(capsys, "list")["tournaments"] is not None


def test_a_token_that_no_header_can_carry(capsys: Captured) -> None:
    code, line = refused(capsys, "start", "friday", "--host-token", "schlüssel-\u2603")
    assert (code, "plain characters" in line) == (2, True)


def test_a_name_that_the_locale_could_not_read(capsys: Captured) -> None:
    code, line = refused(capsys, "create", "Zo\udcc3\udcab", "--game", "tictactoe")
    assert (code, "PYTHONUTF8=1" in line) == (2, True)


def test_a_server_that_is_not_there(capsys: Captured) -> None:
    code, line = refused(capsys, "list", "--server", "127.0.0.1:1")
    assert (code, "no server answers at http://127.0.0.1:1" in line) == (1, True)


def test_house_bots_are_listed_added_and_removed(capsys: Captured) -> None:
    told(capsys, "create", "Filled", "--game", "tictactoe")
    assert run(["tournament", "house", "filled"]) == 0
    listed = capsys.readouterr().out
    assert "random: Plays any legal move." in listed
    assert "there is room for 32" in listed
    shown = told(capsys, "house", "filled", "random", "--count", "2")
    assert [each["name"] for each in shown["entrants"]] == ["house-random-1", "house-random-2"]
    shown = told(capsys, "house", "filled", "perfect", "--name", "teacher")
    assert "teacher" in [each["name"] for each in shown["entrants"]]
    assert told(capsys, "house", "filled")["room"] == 29
    assert run(["tournament", "remove", "filled", "teacher"]) == 0
    assert run(["tournament", "house", "filled", "chaos"]) == 1
    assert "there is no house bot 'chaos' for tictactoe" in capsys.readouterr().err
    assert run(["tournament", "unbench", "filled", "house-random-1"]) == 1
    assert "is not benched" in capsys.readouterr().err
    assert told(capsys, "reset-key", "house-random-1") == {
        "message": "the next login of house-random-1 claims the name"
    }


def test_a_classroom_says_with_which_code_pupils_join(capsys: Captured, server_url: str) -> None:
    assert run(["tournament", "create", "Lesson", "--game", "tictactoe", "--classroom"]) == 0
    *_, pupils, _ = capsys.readouterr().out.splitlines()
    code = pupils.split()[1]
    assert pupils == f"pupils   {code} at {server_url}/join?code={code}"
    assert run(["tournament", "invite", "lesson"]) == 0
    assert pupils in capsys.readouterr().out.splitlines()


def test_a_class_plays_again_and_the_best_play_a_final(capsys: Captured, server_url: str) -> None:
    told(capsys, "create", "Weekly", "--game", "tictactoe", "--classroom")
    assert refused(capsys, "again", "weekly")[0] == 1
    code = told(capsys, "invite", "weekly")["door"]["code"]
    for display in ("Ann", "Ben", "Cem"):
        pupil = {"code": code, "display_name": display, "key": make_secret()}
        assert httpx.post(f"{server_url}/api/join", json=pupil).status_code == 200
    assert run(["tournament", "cancel", "weekly"]) == 0
    capsys.readouterr()
    assert run(["tournament", "again", "weekly"]) == 0
    assert capsys.readouterr().out == "weekly-2: lobby\n"
    final = told(capsys, "again", "weekly", "--top", "2")
    assert (final["id"], len(final["entrants"])) == ("final-of-weekly", 2)
    assert refused(capsys, "again", "weekly", "--top", "1")[0] == 2


def test_an_invitation_is_shown_and_changed(capsys: Captured, tmp_path: Path, server_url: str) -> None:
    told(capsys, "create", "Closed", "--game", "tictactoe", "--invite", "hush", "--unlisted", "--unrated")
    picture = tmp_path / "qr.svg"
    assert run(["tournament", "invite", "closed", "--qr", str(picture)]) == 0
    *lines, command, warning = capsys.readouterr().out.splitlines()
    link, _, made = lines.pop().rpartition("=")
    assert (lines, link, is_made(made)) == (["code     hush"], f"link     {server_url}/tournaments/closed?invite", True)
    assert command.startswith(
        f"command  rumble bot mine.py:ai --server {server_url} --join closed --invite {made} --name "
    )
    assert warning.startswith("only this machine can use these:")
    assert picture.read_text().startswith("<svg")
    assert told(capsys, "invite", "closed", "--code", "ours")["code"] == "ours"
    assert told(capsys, "invite", "closed", "--new")["code"] not in ("ours", "hush", None)
    assert run(["tournament", "invite", "closed", "--open"]) == 0
    assert "none: anyone may join" in capsys.readouterr().out
    assert run(["tournament", "invite", "closed", "--open", "--new"]) == 2


def test_what_would_steer_a_terminal_is_shown_as_escapes(capsys: Captured) -> None:
    assert told(capsys, "create", "steer\x1b[2J\x9b", "--game", "tictactoe")["name"] == "steer\x1b[2J\x9b"
    for arguments in (["list"], ["list", "--json"], ["create", "x", "--game", "\x1b[2J"]):
        run(["tournament", *arguments])
        captured = capsys.readouterr()
        text = captured.out + captured.err
        assert "\x1b" not in text
        assert "\x9b" not in text
        assert "[2J" in text


def test_a_host_gives_an_open_name_a_key(capsys: Captured, server_url: str) -> None:
    told(capsys, "create", "open", "--game", "tictactoe")
    assert refused(capsys, "reset-key", "nobody", "--key", "correct-horse-battery")[0] == 1
    assert refused(capsys, "reset-key", "nobody", "--key", "short")[0] == 2
    told(capsys, "house", "open", "random", "--name", "rose")
    answer = told(capsys, "reset-key", "rose", "--key", "correct-horse-battery")
    assert answer == {"message": "the key protects rose"}


@pytest.mark.slow
def test_a_swiss_with_a_bye_a_no_show_and_seeds_is_exported_and_paired_again(
    capsys: Captured, server_url: str, tmp_path: Path
) -> None:
    """`zoe` joined once, never comes to its matches, and has a half-point bye in the last round."""
    seeds = ("--seed-rating", "ben=2100", "--seed-rating", "ann=2000")
    choices = ("--format", "swiss", "--rounds", "3", "--legs", "1", "--absent-ms", "0", *seeds)
    told(capsys, "create", "Paired again", "--game", "tictactoe", "--start-at-bots", "6", *choices)
    with connect(f"{server_url.replace('http', 'ws')}/bot", subprotocols=[Subprotocol("rumble.v1")]) as zoe:
        zoe.send('{"type": "login", "name": "zoe", "join": "paired-again"}')
        while '"joined"' not in str(zoe.recv(PATIENCE_S)):
            pass
    code, line = refused(capsys, "bye", "paired-again", "ann", "1")
    assert (code, "has no bot 'ann'" in line) == (1, True)
    told(capsys, "bye", "paired-again", "zoe", "3")
    code, line = refused(capsys, "bye", "paired-again", "zoe", "4")
    assert (code, "paired-again has no round 4; its last is 3" in line) == (1, True)
    play(server_url, "paired-again", "ann", "ben", "cid", "dan", "eve")
    assert run(["tournament", "export", "paired-again"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["tournament"]["pairing_rules"] == "dutch-2026"
    assert document["tournament"]["pairing_order"][:2] == ["ben", "ann"]
    for newer in ([], ["--trf-2026"]):
        path = tmp_path / "export.trf"
        assert run(["tournament", "export", "paired-again", "--format", "trf", *newer, "--out", str(path)]) == 0
        assert run(["pair", str(path), "--check"]) == 0
        captured = capsys.readouterr()
        assert captured.out == "3 rounds paired again by dutch-2026: all as the rules have it\n"
        assert captured.err == ""
        assert "0000 - H" in path.read_text()
    code, line = refused(capsys, "bye", "paired-again", "ann", "3")
    assert (code, "is over; its results stand" in line) == (1, True)


def test_a_faulty_bot_brings_its_invitation_and_fails_where_it_is_refused(capsys: Captured, server_url: str) -> None:
    told(capsys, "create", "invited", "--game", "tictactoe", "--invite", "hush")
    faulty = ["bot", "faulty", "--server", server_url, "--fault", "absent", "--join", "invited"]
    assert run([*faulty, "--name", "without"]) == 1
    assert "(invite_required)" in capsys.readouterr().err
    assert run([*faulty, "--name", "with", "--invite", "hush"]) == 0
    assert capsys.readouterr().out == "joined and left\n"


def test_standings_say_how_much_was_played_and_what_their_columns_are(capsys: Captured, server_url: str) -> None:
    told(capsys, "create", "columns", "--game", "tictactoe", "--start-at-bots", "2")
    play(server_url, "columns", "columns-a", "columns-b")
    assert run(["tournament", "standings", "columns"]) == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "columns: finished, 2 of 2 matches"
    assert last.startswith("Equal points are told apart by: DE direct encounter, WON wins over the board, SB Sonneborn")


@pytest.mark.slow
def test_a_tournament_of_tables(capsys: Captured, server_url: str, tmp_path: Path) -> None:
    game = ("--game", "snakes", "--set", "size=7", "--set", "turns=5", "--seats", "4")
    created = told(capsys, "create", "tables", *game, "--points", "10,6,3,0", "--start-at-bots", "4")
    assert (created["match_seats"], created["legs"]) == (4, 1)
    assert run(["tournament", "create", "by-places", *game, "--points", "places"]) == 0
    capsys.readouterr()
    for given, said in (
        (("--points", "payoffs"), "points: snakes has no payoffs: give points in numbers"),
        (("--points", "many"), "--points: 'many' is neither numbers like 3,1,0 or 10,6,3,0, nor places or payoffs"),
        (("--points", "3"), "points"),
        (("--legs", "2"), "legs: legs swap two seats: leave out legs above two seats, and ask for more cycles"),
        (("--tiebreaks", "sb"), "tiebreaks: the tie-break 'sb' is not for tables; there are: won, places, de, payoff"),
    ):
        assert said in refused(capsys, "create", "refused", *game, *given)[1]
    assert "seats: tictactoe has 2 seats, not 3" in refused(
        capsys, "create", "x", "--game", "tictactoe", "--seats", "3"
    )[1]  # fmt: skip
    play(server_url, "tables", "t-a", "t-b", "t-c", "t-d")
    file = tmp_path / "export.json"
    assert run(["tournament", "export", "tables", "--out", str(file)]) == 0
    check_export(json.loads(file.read_text(encoding="utf-8")))
    assert run(["tournament", "standings", "tables"]) == 0
    shown = capsys.readouterr().out
    assert "first  first, shared  behind" in shown
    assert shown.endswith("DE who finished before whom\n")
    assert run(["standings", str(file), "--json"]) == 0
    ranked = json.loads(capsys.readouterr().out)["standings"]
    listed = told(capsys, "standings", "tables")["standings"]
    assert [(line["rank"], line["name"], line["points"]) for line in ranked] == [
        (line["rank"], line["name"], line["points"]) for line in listed
    ]
    assert run(["tournament", "audit", "tables"]) == 0
    assert "seat 0  seat 1  seat 2  seat 3" in capsys.readouterr().out
    for kind in ("trf", "pgn"):
        assert f"{kind.upper()} is for matches of two seats; this tournament has tables of more" in refused(
            capsys, "export", "tables", "--format", kind
        )[1]  # fmt: skip
    assert "a Swiss of tables" in told_bye(capsys, game)


def told_bye(capsys: Captured, game: tuple[str, ...]) -> str:
    told(capsys, "create", "swiss-of-tables", *game, "--format", "swiss")
    return refused(capsys, "bye", "swiss-of-tables", "any", "1")[1]
