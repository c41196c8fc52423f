"""`rumble watch`: lines and pictures from events, and a whole tournament over a real server."""

import io
import re
import threading
from dataclasses import asdict
from typing import Any

import pytest
from rich.console import Console
from rumble_engine import get_game
from rumble_server.cli.support import watching
from rumble_server.cli.support.event_stream import StreamEvent
from rumble_server.cli.support.watching import WatchedTournament

from tests.server.cli.run_here import Captured, printed, ran, refused
from tests.server.cli.server_thread import PATIENCE_S, play
from tests.server.cli.standing_line import standing


def result(match: str, attempt: int = 1, scores: list[float] | None = None) -> dict[str, Any]:
    return {"match": match, "attempt": attempt, "seats": ["a", "b"], "scores": scores, "reason": "why"}


def board(match: str, ply: int = 0) -> dict[str, Any]:
    return {"match": match, "seats": ["a", "b"], "ply": ply, "diagram": f"board of {match}"}


def entrant(name: str, *, benched: bool = False) -> dict[str, Any]:
    return {"name": name, "connected": True, "withdrawn": False, "benched": benched}


def line(name: str, rank: int) -> dict[str, Any]:
    told = {"tiebreaks": {"de": None, "sb": 9.25}, "decided_by": "sb", "rating": 120.0, "interval": [90.0, 150.0]}
    return standing(name=name, rank=rank, **told).model_dump()


SNAPSHOT: dict[str, Any] = {
    "name": "Friday [1]",
    "status": "running",
    "reason": "",
    "matches_over": 2,
    "matches_total": 6,
    "standings": [line("a", 1), line("b", 2)],
    "entrants": [entrant("a"), entrant("b")],
    "running": [board("f.3")],
    "latest": [result("f.2", 1, [0.5, 0.5]), result("f.1", 1, [1.0, 0.0])],
}


def drawn(shown: WatchedTournament, width: int = 120, height: int = 40) -> str:
    console = Console(width=width, height=height, record=True, file=io.StringIO())
    console.print(shown.draw(console))
    return console.export_text()


def test_every_result_is_one_line_and_told_once() -> None:
    shown = WatchedTournament()
    assert shown.take_event(StreamEvent("1", "snapshot", SNAPSHOT)) == [
        "f.1  a - b  1 : 0  why",
        "f.2  a - b  0.5 : 0.5  why",
    ]
    assert shown.take_event(StreamEvent("2", "match_over", result("f.2", 1, [0.5, 0.5]))) == []
    assert shown.take_event(StreamEvent("3", "match_over", result("f.3"))) == ["f.3  a - b  void  why"]
    assert shown.take_event(StreamEvent("4", "match_over", result("f.3", 2, [0.0, 1.0]))) == ["f.3  a - b  0 : 1  why"]
    assert shown.take_event(StreamEvent("5", "snapshot", SNAPSHOT)) == []


def test_a_change_of_status_is_a_line() -> None:
    shown = WatchedTournament()
    shown.take_event(StreamEvent("1", "snapshot", SNAPSHOT))
    status = {"status": "paused", "reason": "lunch", "matches_over": 3, "matches_total": 6}
    assert shown.take_event(StreamEvent("2", "status", status)) == ["Friday [1] is paused: lunch"]
    assert shown.title == "Friday [1]: paused (lunch), 3 of 6 matches"


def test_the_pairing_of_the_next_round_is_told_by_one_line() -> None:
    shown = WatchedTournament()
    shown.take_event(StreamEvent("1", "snapshot", SNAPSHOT))
    status = {"status": "running", "reason": "", "matches_over": 3, "matches_total": 6, "pairing": True}
    assert shown.take_event(StreamEvent("2", "status", status)) == ["Friday [1]: the next round is being paired"]
    assert shown.take_event(StreamEvent("3", "status", status)) == []
    assert shown.title == "Friday [1]: running (the next round is being paired), 3 of 6 matches"
    assert shown.take_event(StreamEvent("4", "status", {**status, "pairing": False})) == []
    assert shown.title == "Friday [1]: running, 3 of 6 matches"


def test_a_watched_tournament_is_drawn_with_its_title_standings_and_boards() -> None:
    shown = WatchedTournament(boards=1)
    shown.take_event(StreamEvent("1", "snapshot", SNAPSHOT))
    shown.take_event(StreamEvent("2", "match_start", board("f.4")))
    text = drawn(shown)
    assert "Friday [1]: running, 2 of 6 matches" in text
    assert "+120 ± 30" in text
    assert "9.25" in text
    assert "board of f.3" in text
    assert "board of f.4" not in text
    shown.take_event(StreamEvent("3", "match_over", result("f.3", 1, [1.0, 0.0])))
    assert "board of f.4" in drawn(shown)
    shown.take_event(
        StreamEvent("4", "standings", {"standings": [line("b", 1)], "matches_over": 3, "matches_total": 6, "pairs": []})
    )
    assert "3 of 6 matches" in drawn(shown)


def wide_snapshot() -> dict[str, Any]:
    hexes = get_game("hex")
    drawing = hexes.drawing(hexes.initial({"size": 3}).play("a1").play("b2").view(), "a1")
    assert drawing is not None
    return {**SNAPSHOT, "running": [{**board("f.3", 2), "moves": ["b2", "a1"], "drawing": asdict(drawing)}]}


def test_a_board_stands_beside_the_table_or_below_it_or_not_at_all() -> None:
    shown = WatchedTournament()
    shown.take_event(StreamEvent("1", "snapshot", wide_snapshot()))
    row = next(line for line in drawn(shown, width=120).splitlines() if "[X]" in line)
    assert re.search(r"^#  name .*1\[X\]\. \.", row), "the columns' names and the top row of the board"
    row = next(line for line in drawn(shown, width=80).splitlines() if line.startswith("#"))
    assert "decided by" not in row, "fewer columns make room for the board"
    below = drawn(shown, width=60).splitlines()
    assert next(number for number, line in enumerate(below) if "[X]" in line) > 3
    assert "ply 2: a1" in below[-1]
    assert any("a (X) - b (O)" in line for line in below)
    assert "[X]" not in drawn(shown, width=60, height=8)
    away = {**wide_snapshot()["running"][0], "away": [None, {"since_at_ms": 1, "until_at_ms": 2}]}
    shown.take_event(StreamEvent("2", "move", away))
    assert "ply 2: a1; b is away" in drawn(shown, width=60).splitlines()[-1]


def test_the_last_board_stays_until_another_match_begins() -> None:
    shown = WatchedTournament()
    shown.take_event(StreamEvent("1", "snapshot", wide_snapshot()))
    shown.take_event(StreamEvent("2", "match_over", result("f.3", 1, [1.0, 0.0])))
    assert "[X]" in drawn(shown)
    shown.take_event(StreamEvent("3", "match_start", board("f.4")))
    assert "board of f.4" in drawn(shown)
    assert "[X]" not in drawn(shown)


def test_faults_and_benched_bots_are_in_the_table() -> None:
    lines = [line("a", 1), {**line("b", 2), "faults": {"timeout": 2, "illegal_move": 1}}]
    shown = WatchedTournament(0)
    entrants = [entrant("a"), entrant("b")]
    shown.take_event(StreamEvent("1", "snapshot", {**SNAPSHOT, "standings": lines, "entrants": entrants}))
    assert "2 timeout, 1 illegal move" in drawn(shown, width=150)
    shown.take_event(StreamEvent("2", "field", {"entrants": [entrant("a"), entrant("b", benched=True)]}))
    assert "2 timeout, 1 illegal move; benched" in drawn(shown, width=150)
    assert "3; benched" in drawn(shown, width=80)


def test_more_bots_than_rows_are_counted() -> None:
    shown = WatchedTournament(0)
    shown.take_event(
        StreamEvent("1", "snapshot", {**SNAPSHOT, "standings": [line(f"bot-{n}", n) for n in range(1, 31)]})
    )
    shown.show_problem("no server answers; connecting again in 1 s")
    text = drawn(shown, height=14)
    assert "bot-10 " in text
    assert "bot-11" not in text
    assert "... and 20 more" in text
    assert "connecting again in 1 s" in text
    shown.take_event(StreamEvent("2", "field", {"entrants": []}))
    assert "connecting again" not in drawn(shown, height=14)


@pytest.mark.slow
@pytest.mark.e2e
@pytest.mark.usefixtures("as_host")
def test_a_tournament_is_watched_to_its_end(capsys: Captured, server_url: str) -> None:
    printed(capsys, "tournament", "create", "Cup", "--game", "tictactoe", "--start-at-bots", "2", "--cycles", "8")
    playing = threading.Thread(target=play, args=(server_url, "cup", "ann", "ben"))
    playing.start()
    code, out, err = ran(capsys, "watch", "cup")
    playing.join(PATIENCE_S)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len({line.split()[0] for line in lines if line.startswith("cup.")}) == 16
    assert "Cup is finished: all matches were played" in lines
    table = lines.index(next(line for line in lines if line.startswith("Cup: finished")))
    assert {line.split()[1] for line in lines[table + 2 : -1]} == {"ann", "ben"}
    assert lines[-1].startswith("Equal points are told apart by: ")
    again = printed(capsys, "watch", "cup", "--boards", "2").splitlines()
    shown = [[line for line in each if line.startswith("cup.")] for each in (lines, again)]
    assert shown[0] == shown[1], "all results, though a snapshot has only the latest"
    for kind, begin in {"csv": "match,", "pgn": "[Event"}.items():
        assert printed(capsys, "tournament", "export", "cup", "--format", kind).startswith(begin)


@pytest.mark.usefixtures("as_host")
def test_errors_are_one_clear_line(capsys: Captured) -> None:
    assert refused(capsys, 1, "watch", "nothing") == "rumble: there is no tournament 'nothing'\n"
    line = refused(capsys, 1, "watch", "cup", "--server", "127.0.0.1:1")
    assert line.startswith("rumble: no server answers at http://127.0.0.1:1 (")


def test_an_event_of_another_form_ends_the_pictures() -> None:
    watched = WatchedTournament()
    reading = watching._reading(watched, iter([StreamEvent("1", "snapshot", {})]))
    with pytest.raises(KeyError, match="name"):
        reading.result(PATIENCE_S)
    with pytest.raises(KeyError, match="name"):
        watching._draw(Console(file=io.StringIO()), watched, reading)


def test_characters_that_would_steer_a_terminal_are_shown_as_escapes() -> None:
    steering = "\x1b[2J\x9b"
    watched = WatchedTournament(1)
    watched.take_event(StreamEvent("1", "snapshot", {**SNAPSHOT, "name": f"Friday{steering}", "running": [board("m")]}))
    paused = {**SNAPSHOT, "status": "paused", "reason": f"wait\nm  {steering}"}
    lines = watched.take_event(StreamEvent("1", "status", paused))
    lines += watched.take_event(StreamEvent("1", "match_over", {**result("n"), "reason": steering}))
    watched.take_event(
        StreamEvent("1", "match_start", {**board("o"), "seats": [steering, "b"], "diagram": f"{steering}\n. ."})
    )
    console = Console(file=io.StringIO(), width=200, no_color=True)
    console.print(watched.draw(console))
    text = "".join(lines) + console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert len(lines) == 2
    assert "Friday\\u001b[2J\\u009b is paused: wait\\u000am" in lines[0]
