"""`rumble tournament` against a real server, on a thread of this process."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from rumble_protocol.secret import is_made, make_secret
from rumble_server.cli.support.api_client import ApiClient
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.server.cli.run_here import Captured, printed, printed_json, ran, refused
from tests.server.cli.server_thread import PATIENCE_S, play
from tests.server.web.export_schema import check_export

pytestmark = pytest.mark.usefixtures("as_host")


def answer_to(capsys: Captured, *arguments: str) -> Any:
    return printed_json(capsys, "tournament", *arguments)


def refusal(capsys: Captured, code: int, *arguments: str) -> str:
    return refused(capsys, code, "tournament", *arguments)


def test_a_forecast_creates_nothing(capsys: Captured) -> None:
    shown = printed(capsys, "tournament", "create", "Forecast", "--game", "connect4", "--forecast", "10")
    assert shown.startswith("90 matches; 18 one after another. About ")
    assert "Forecast" not in printed(capsys, "tournament", "list")


def test_create_with_every_option(capsys: Captured) -> None:
    command = (
        "--game connect4 --set columns=5 --format round-robin --cycles 2 --legs 4 --bank-ms 60000 --increment-ms 500 "
        "--seed 7 --start-at-bots 9 --illegal-retries 1 --away-ms 1000 --away-clock runs --absent-ms 2000 --invite hush"
    )
    created = answer_to(capsys, "create", "Every option", *command.split())
    assert created["id"] == "every-option"
    expected = {"game": "connect4", "cycles": 2, "legs": 4, "seed": 7, "start_at_bots": 9, "by_invitation": True}
    assert {name: created[name] for name in expected} == expected
    assert created["settings"] == {"columns": 5, "rows": 6, "connect": 4}
    assert created["time_control"] == {"move_ms": 0, "bank_ms": 60_000, "increment_ms": 500}
    refusal(capsys, 2, "create", "Wrong", "--game", "tictactoe", "--away-clock", "walks")


def test_audit(capsys: Captured) -> None:
    answer_to(capsys, "create", "Audited", "--game", "tictactoe")
    assert answer_to(capsys, "audit", "audited")["fair"] is True
    shown = printed(capsys, "tournament", "audit", "audited", "--host-token", "any-token-of-16-characters")
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
        created = answer_to(capsys, "create", name, "--game", "tictactoe", "--format", name, *given)
        assert created["format"] == name


def test_create_says_where_the_page_is_and_how_to_join(capsys: Captured, server_url: str) -> None:
    created, command, warning = printed(capsys, "tournament", "create", "Spoken", "--game", "tictactoe").splitlines()
    assert created == f"spoken is created: {server_url}/tournaments/spoken"
    assert command.startswith(f"bots join with: rumble bot mine.py:ai --server {server_url} --join spoken --name ")
    assert warning.startswith("only this machine can use these:")


def test_list_standings_and_export(capsys: Captured, tmp_path: Path) -> None:
    answer_to(capsys, "create", "A long name " * 6, "--game", "tictactoe")
    listed = answer_to(capsys, "list")["tournaments"]
    (mine,) = [each for each in listed if each["name"].startswith("A long name")]
    lines = printed(capsys, "tournament", "list").splitlines()
    assert lines[0].split() == ["id", "status", "game", "bots", "name"]
    assert any(mine["id"] in line and line.rstrip().endswith(mine["name"].strip()) for line in lines), "nothing is cut"
    ranked = {"status": "lobby", "standings": [], "tiebreak_rules": "2026-03"}
    assert answer_to(capsys, "standings", mine["id"]) == ranked
    older = answer_to(capsys, "create", "Older", "--game", "tictactoe", "--tiebreak-rules", "2024-08")
    assert answer_to(capsys, "standings", older["id"])["tiebreak_rules"] == "2024-08"
    assert "2024-08" in refusal(capsys, 2, "create", "Old", "--game", "tictactoe", "--tiebreak-rules", "2022")
    assert printed(capsys, "tournament", "standings", mine["id"]).startswith(f"{mine['id']}: lobby\n")
    file = tmp_path / "export.json"
    printed(capsys, "tournament", "export", mine["id"], "--out", file)
    document = json.loads(file.read_text(encoding="utf-8"))
    assert set(document) == {"tournament", "standings", "matches", "voided"}
    check_export(document)
    assert json.loads(printed(capsys, "tournament", "export", mine["id"], "--format", "json")) == document


def test_commands_say_the_status(capsys: Captured) -> None:
    answer_to(capsys, "create", "Short", "--game", "tictactoe")
    assert printed(capsys, "tournament", "cancel", "short") == "short: cancelled\n"


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
        (["start", "friday", "--host-token", "schlüssel-\u2603"], 2, "plain characters"),
        (["create", "Zo\udcc3\udcab", "--game", "tictactoe"], 2, "PYTHONUTF8=1"),  # a name the locale could not read
        (["standings", "Zo\udcc3\udcab"], 2, "PYTHONUTF8=1"),  # the same in a path of the API
        (["create", "x", "--game", "hex", "--setting", r'columns="\ud800"'], 2, "PYTHONUTF8=1"),  # half a character
        (["list", "--server", "127.0.0.1:1"], 1, "no server answers at http://127.0.0.1:1"),
    ],
)
def test_an_error_is_one_line(capsys: Captured, arguments: list[str], code: int, says: str) -> None:
    assert says in refusal(capsys, code, *arguments)


def test_a_command_of_the_host_needs_the_token(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUMBLE_HOST_TOKEN")
    assert "--host-token" in refusal(capsys, 1, "create", "x", "--game", "tictactoe")
    assert answer_to(capsys, "list")["tournaments"] is not None


def test_house_bots_are_listed_added_and_removed(capsys: Captured) -> None:
    answer_to(capsys, "create", "Filled", "--game", "tictactoe")
    listed = printed(capsys, "tournament", "house", "filled")
    assert "random: Plays any legal move." in listed
    assert "there is room for 32" in listed
    shown = answer_to(capsys, "house", "filled", "random", "--count", "2")
    assert [each["name"] for each in shown["entrants"]] == ["house-random-1", "house-random-2"]
    shown = answer_to(capsys, "house", "filled", "perfect", "--name", "teacher")
    assert "teacher" in [each["name"] for each in shown["entrants"]]
    assert answer_to(capsys, "house", "filled")["room"] == 29
    printed(capsys, "tournament", "remove", "filled", "teacher")
    assert "there is no house bot 'chaos' for tictactoe" in refusal(capsys, 1, "house", "filled", "chaos")
    assert "is not benched" in refusal(capsys, 1, "unbench", "filled", "house-random-1")
    assert answer_to(capsys, "reset-key", "house-random-1") == {
        "message": "the next login of house-random-1 claims the name"
    }


def test_a_tournament_starts_without_the_bots_that_are_away(capsys: Captured, server_url: str) -> None:
    answer_to(capsys, "create", "Some away", "--game", "tictactoe")
    faulty = ["bot", "faulty", "--server", server_url, "--fault", "absent", "--join", "some-away"]
    assert printed(capsys, *faulty, "--name", "away") == "joined and left\n"
    answer_to(capsys, "house", "some-away", "random", "--count", "2")
    started = answer_to(capsys, "start", "some-away", "--without-absent")
    assert started["status"] == "running"
    there = [each["name"] for each in started["entrants"] if not each["withdrawn"]]
    assert there == ["house-random-3", "house-random-4"]


def test_a_classroom_says_with_which_code_pupils_join(capsys: Captured, server_url: str) -> None:
    *_, pupils, _ = printed(capsys, "tournament", "create", "Lesson", "--game", "tictactoe", "--classroom").splitlines()
    code = pupils.split()[1]
    assert pupils == f"pupils   {code} at {server_url}/join?code={code}"
    assert pupils in printed(capsys, "tournament", "invite", "lesson").splitlines()


def test_a_class_plays_again_and_the_best_play_a_final(capsys: Captured, server_url: str) -> None:
    answer_to(capsys, "create", "Weekly", "--game", "tictactoe", "--classroom")
    refusal(capsys, 1, "again", "weekly")
    code = answer_to(capsys, "invite", "weekly")["door"]["code"]
    for display in ("Gil", "Hal", "Ida"):
        pupil = {"code": code, "display_name": display, "key": make_secret()}
        assert httpx.post(f"{server_url}/api/join", json=pupil).status_code == 200
    printed(capsys, "tournament", "cancel", "weekly")
    assert printed(capsys, "tournament", "again", "weekly") == "weekly-2: lobby\n"
    final = answer_to(capsys, "again", "weekly", "--top", "2")
    assert (final["id"], len(final["entrants"])) == ("final-of-weekly", 2)
    refusal(capsys, 2, "again", "weekly", "--top", "1")


def test_an_invitation_is_shown_and_changed(capsys: Captured, tmp_path: Path, server_url: str) -> None:
    answer_to(capsys, "create", "Closed", "--game", "tictactoe", "--invite", "hush", "--unlisted", "--unrated")
    picture = tmp_path / "qr.svg"
    *lines, command, warning = printed(capsys, "tournament", "invite", "closed", "--qr", picture).splitlines()
    link, _, made = lines.pop().rpartition("=")
    assert (lines, link, is_made(made)) == (["code     hush"], f"link     {server_url}/tournaments/closed?invite", True)
    assert command.startswith(
        f"command  rumble bot mine.py:ai --server {server_url} --join closed --invite {made} --name "
    )
    assert warning.startswith("only this machine can use these:")
    assert picture.read_text().startswith("<svg")
    assert answer_to(capsys, "invite", "closed", "--code", "ours")["code"] == "ours"
    assert answer_to(capsys, "invite", "closed", "--new")["code"] not in ("ours", "hush", None)
    assert "none: anyone may join" in printed(capsys, "tournament", "invite", "closed", "--open")
    refusal(capsys, 2, "invite", "closed", "--open", "--new")


def test_characters_that_would_steer_a_terminal_are_shown_as_escapes(capsys: Captured) -> None:
    assert answer_to(capsys, "create", "steer\x1b[2J\x9b", "--game", "tictactoe")["name"] == "steer\x1b[2J\x9b"
    for arguments in (["list"], ["list", "--json"], ["create", "x", "--game", "\x1b[2J"]):
        _, out, err = ran(capsys, "tournament", *arguments)
        text = out + err
        assert "\x1b" not in text
        assert "\x9b" not in text
        assert "[2J" in text


def test_an_audit_shows_such_characters_as_escapes(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = {"matches": 2, "seats": [1, 1], "longest_wait_ms": 3, "excused_ms": 0, "drops": 0}
    report = {"fair": True, "flags": [], "void": {}, "bots": {"steer\x1b[2J": bot}}
    monkeypatch.setattr(ApiClient, "get", lambda *_: report)
    assert "steer\\u001b[2J" in printed(capsys, "tournament", "audit", "friday")


def test_a_host_gives_an_open_name_a_key(capsys: Captured, server_url: str) -> None:
    answer_to(capsys, "create", "open", "--game", "tictactoe")
    refusal(capsys, 1, "reset-key", "nobody", "--key", "correct-horse-battery")
    refusal(capsys, 2, "reset-key", "nobody", "--key", "short")
    answer_to(capsys, "house", "open", "random", "--name", "rose")
    answer = answer_to(capsys, "reset-key", "rose", "--key", "correct-horse-battery")
    assert answer == {"message": "the key protects rose"}


@pytest.mark.slow
def test_a_swiss_with_a_bye_a_no_show_and_seeds_is_exported_and_paired_again(
    capsys: Captured, server_url: str, tmp_path: Path
) -> None:
    """`zoe` joined once, never comes to its matches, and has a half-point bye in the last round."""
    seeds = ("--seed-rating", "ben=2100", "--seed-rating", "ann=2000")
    choices = ("--format", "swiss", "--rounds", "3", "--legs", "1", "--absent-ms", "0", *seeds)
    answer_to(capsys, "create", "Paired again", "--game", "tictactoe", "--start-at-bots", "6", *choices)
    with connect(f"{server_url.replace('http', 'ws')}/bot", subprotocols=[Subprotocol("rumble.v1")]) as zoe:
        zoe.send('{"type": "login", "name": "zoe", "join": "paired-again"}')
        while '"joined"' not in str(zoe.recv(PATIENCE_S)):
            pass
    assert "has no bot 'ann'" in refusal(capsys, 1, "bye", "paired-again", "ann", "1")
    answer_to(capsys, "bye", "paired-again", "zoe", "3")
    assert "paired-again has no round 4; its last is 3" in refusal(capsys, 1, "bye", "paired-again", "zoe", "4")
    play(server_url, "paired-again", "ann", "ben", "cid", "dan", "eve")
    document = json.loads(printed(capsys, "tournament", "export", "paired-again"))
    assert document["tournament"]["pairing_rules"] == "dutch-2026"
    assert document["tournament"]["pairing_order"][:2] == ["ben", "ann"]
    for newer in ([], ["--trf-2026"]):
        path = tmp_path / "export.trf"
        printed(capsys, "tournament", "export", "paired-again", "--format", "trf", *newer, "--out", path)
        agreed = "3 rounds paired again by dutch-2026: all as the rules have it\n"
        assert ran(capsys, "pair", path, "--check") == (0, agreed, "")
        assert "0000 - H" in path.read_text()
    assert "is over; its results stand" in refusal(capsys, 1, "bye", "paired-again", "ann", "3")


def test_a_faulty_bot_brings_its_invitation_and_fails_where_it_is_refused(capsys: Captured, server_url: str) -> None:
    answer_to(capsys, "create", "invited", "--game", "tictactoe", "--invite", "hush")
    faulty = ["bot", "faulty", "--server", server_url, "--fault", "absent", "--join", "invited"]
    assert "(invite_required)" in refused(capsys, 1, *faulty, "--name", "without")
    assert printed(capsys, *faulty, "--name", "with", "--invite", "hush") == "joined and left\n"


def test_standings_say_how_much_was_played_and_what_their_columns_are(capsys: Captured, server_url: str) -> None:
    answer_to(capsys, "create", "columns", "--game", "tictactoe", "--start-at-bots", "2")
    play(server_url, "columns", "columns-a", "columns-b")
    first, *_, last = printed(capsys, "tournament", "standings", "columns").splitlines()
    assert first == "columns: finished, 2 of 2 matches"
    assert last.startswith("Equal points are told apart by: DE direct encounter, WON wins over the board, SB Sonneborn")


@pytest.mark.slow
def test_a_tournament_of_tables(capsys: Captured, server_url: str, tmp_path: Path) -> None:
    game = ("--game", "snakes", "--set", "size=7", "--set", "turns=5", "--seats", "4")
    created = answer_to(capsys, "create", "tables", *game, "--points", "10,6,3,0", "--start-at-bots", "4")
    assert (created["match_seats"], created["legs"]) == (4, 1)
    printed(capsys, "tournament", "create", "by-places", *game, "--points", "places")
    for given, said in (
        (("--points", "payoffs"), "points: snakes has no payoffs: give points in numbers"),
        (("--points", "many"), "--points: 'many' is neither numbers like 3,1,0 or 10,6,3,0, nor places or payoffs"),
        (("--points", "3"), "points"),
        (("--legs", "2"), "legs: legs swap two seats: leave out legs above two seats, and ask for more cycles"),
        (("--tiebreaks", "sb"), "tiebreaks: the tie-break 'sb' is not for tables; there are: won, places, de, payoff"),
    ):
        assert said in refusal(capsys, 2, "create", "refused", *game, *given)
    line = refusal(capsys, 2, "create", "x", "--game", "tictactoe", "--seats", "3")
    assert "seats: tictactoe has 2 seats, not 3" in line
    play(server_url, "tables", "t-a", "t-b", "t-c", "t-d")
    file = tmp_path / "export.json"
    printed(capsys, "tournament", "export", "tables", "--out", file)
    check_export(json.loads(file.read_text(encoding="utf-8")))
    shown = printed(capsys, "tournament", "standings", "tables")
    assert "first  first, shared  behind" in shown
    assert shown.endswith("DE who finished before whom\n")
    ranked = printed_json(capsys, "standings", file)["standings"]
    listed = answer_to(capsys, "standings", "tables")["standings"]
    assert [(line["rank"], line["name"], line["points"]) for line in ranked] == [
        (line["rank"], line["name"], line["points"]) for line in listed
    ]
    assert "seat 0  seat 1  seat 2  seat 3" in printed(capsys, "tournament", "audit", "tables")
    for kind in ("trf", "pgn"):
        line = refusal(capsys, 2, "export", "tables", "--format", kind)
        assert f"{kind.upper()} is for matches of two seats; this tournament has tables of more" in line
    answer_to(capsys, "create", "swiss-of-tables", *game, "--format", "swiss")
    assert "a Swiss of tables" in refusal(capsys, 1, "bye", "swiss-of-tables", "any", "1")
