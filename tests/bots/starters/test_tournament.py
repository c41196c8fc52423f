"""All starters and the bare bot play in one tournament, and win or block where they can."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from rumble_bots.sdk.starters import STARTERS
from rumble_protocol.clubs import MAIN, web_path

from tests.bots.starters.building import Built, tool_path
from tests.e2e.processes import ADMIN_TOKEN, RUMBLE, Server, clean_environment, running, serving
from tests.server.web.export_schema import check_export

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[3]
PATIENCE_S = 120.0
STOP_S = 30.0
BARE, INVITE = "bare", "hush hush"
FORMS = ("{}", "http://{}", "ws://{}/bot", "http://{}/", "ws://{}")
"""The ways to write the address of a server, or of a club."""
CYCLES = 8
LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


def environment(folder: Path, place: str, tournament: str, form: str, name: str) -> dict[str, str]:
    told = {
        "RUMBLE_SERVER": form.format(place),
        "RUMBLE_JOIN": tournament,
        "RUMBLE_NAME": name,
        "RUMBLE_INVITE": INVITE,
        "RUMBLE_STATE_DIR": str(folder / "state"),
        "PATH": tool_path(),
    }
    return clean_environment(folder, told)


def played(folder: Path, bots: Mapping[str, Sequence[str]], *options: str, club: str = MAIN) -> list[Any]:
    """Return the matches of a tournament of these programs in a club; each of them ended with exit code 0."""
    with serving(folder, "--admin-token", ADMIN_TOKEN) as server, ExitStack() as stack:
        place = f"127.0.0.1:{server.port}{web_path(club)}"
        host = ["--server", place, "--host-token", ADMIN_TOKEN]
        if club != MAIN:
            create = [*RUMBLE, "club", "create", club, "--admin-token", ADMIN_TOKEN]
            subprocess.run(create, env=server.environment, check=True, timeout=PATIENCE_S)
        many = str(len(bots) + 1)
        server.tournament("create", "cup", "--start-at-bots", many, "--invite", INVITE, *host, *options)
        bare_bot = str(ROOT / "bots" / "python" / "bare_bot.py")
        bare = [sys.executable, bare_bot, place, "cup", BARE, INVITE]
        processes = {}
        for number, (name, command) in enumerate({**bots, BARE: bare}.items()):
            told = environment(folder, place, "cup", FORMS[(number + len(options)) % len(FORMS)], name)
            processes[name] = stack.enter_context(running(command, told, folder / f"{name}.log"))
            if name == BARE:
                # It prints all that it is sent, and would wait for a reader.
                processes[name].communicate(timeout=PATIENCE_S)
        ended = {name: process.wait(PATIENCE_S) for name, process in processes.items()}
        assert set(ended.values()) == {0}, {name: (folder / f"{name}.log").read_text() for name in ended if ended[name]}
        exported = folder / "cup.json"
        command = [*RUMBLE, "tournament", "export", "cup", *host[:2], "--out", str(exported)]
        subprocess.run(command, env=server.environment, check=True, timeout=PATIENCE_S)
    document = json.loads(exported.read_text())
    check_export(document)
    return list(document["matches"])


def score(matches: Sequence[Any], name: str, against: str) -> float:
    """Return the mean score of one bot against another."""
    scores = [m["scores"][m["seats"].index(name)] for m in matches if set(m["seats"]) == {name, against}]
    return float(sum(scores) / len(scores))


def urgent(match: Any, seat: int) -> Iterator[int]:
    """Return the number of plies at which a bot could win or had to block. Raises AssertionError where it did not."""
    board = ["."] * 9
    for ply, move in enumerate(match["moves"]):
        if ply % 2 == seat:
            for mark in ("XO"[seat], "OX"[seat]):
                completing = {free for line in LINES if (free := missing(board, line, mark)) is not None}
                if completing:
                    assert move in completing, f"{match['seats'][seat]} played {move} in {''.join(board)}"
                    yield ply
                    break
        board[int(move)] = "XO"[ply % 2]


def missing(board: Sequence[str], line: str, mark: str) -> str | None:
    """Return the free square of a line whose other squares have one mark."""
    marks = [board[int(square)] for square in line]
    return line[marks.index(".")] if sorted(marks) == sorted([".", mark, mark]) else None


def test_all_play_together_and_those_that_win_or_block_beat_a_random_one(
    built: Mapping[str, Built], tmp_path: Path
) -> None:
    bots = {language: bot.command("winblock") for language, bot in built.items()}
    matches = played(tmp_path, bots, "--game", "tictactoe", "--cycles", str(CYCLES))
    assert len(matches) == CYCLES * len(bots) * (len(bots) + 1)
    assert {match["termination"] for match in matches} == {"normal"}
    beaten = {name: score(matches, name, BARE) for name in bots}
    assert min(beaten.values()) > 0.55, beaten  # 0.88 is expected, and 16 matches scatter by 0.06
    seen = [
        number for match in matches for seat in (0, 1) if match["seats"][seat] != BARE for number in urgent(match, seat)
    ]
    assert len(seen) > len(matches), "too few moves that win or block to tell"


def test_in_a_club_without_an_argument_they_play_at_random_whatever_the_game(
    built: Mapping[str, Built], tmp_path: Path
) -> None:
    bots = {language: bot.command() for language, bot in built.items()}
    matches = played(tmp_path, bots, "--game", "connect4", club="fun")
    assert {match["termination"] for match in matches} == {"normal"}
    begun = {name: {tuple(m["moves"][0:7:2]) for m in matches if m["seats"][0] == name} for name in bots}
    assert all(len(moves) > 1 for moves in begun.values()), begun


@pytest.mark.parametrize("language", STARTERS)
def test_it_gives_up_where_it_is_refused_or_told_nonsense(
    language: str, built: Mapping[str, Built], lobby: Server, tmp_path: Path
) -> None:
    told = environment(tmp_path, f"127.0.0.1:{lobby.port}", "nowhere", "{}", "stranger")

    def run(strategy: str, told: Mapping[str, str]) -> tuple[int, str]:
        command = built[language].command(strategy)
        done = subprocess.run(command, env=told, capture_output=True, text=True, timeout=PATIENCE_S)
        return done.returncode, done.stderr

    code, said = run("random", told)
    assert code == 1
    assert "refused" in said
    assert "nowhere" in said
    del told["RUMBLE_JOIN"]
    code, said = run("winblock", told)
    assert code == 2
    assert "RUMBLE_JOIN" in said
    if language != "shell":
        code, said = run("chess", told)
        assert code == 2
        assert "random" in said
        assert "winblock" in said


@pytest.fixture(scope="module")
def lobby(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with serving(tmp_path_factory.mktemp("lobby")) as server:
        yield server


@pytest.mark.parametrize(
    ("club", "told"),
    [("gone", "4004|removed"), pytest.param("never", "no club|HTTP 404", marks=pytest.mark.long)],
)
def test_all_stop_at_once_where_there_is_no_such_club(
    built: Mapping[str, Built], tmp_path: Path, club: str, told: str
) -> None:
    with serving(tmp_path, "--admin-token", ADMIN_TOKEN) as server, ExitStack() as stack:
        for done in (["create", "gone"], ["remove", "gone", "--yes"]):
            administer = [*RUMBLE, "club", *done, "--admin-token", ADMIN_TOKEN]
            subprocess.run(administer, env=server.environment, check=True, timeout=PATIENCE_S)
        place = f"127.0.0.1:{server.port}{web_path(club)}"
        bare = [sys.executable, str(ROOT / "bots" / "python" / "bare_bot.py"), place, "cup", BARE]
        processes = {}
        for name, command in {**{language: bot.command() for language, bot in built.items()}, BARE: bare}.items():
            own = environment(tmp_path, place, "cup", "{}", name)
            processes[name] = stack.enter_context(running(command, own, tmp_path / f"{name}.log"))
        for name, process in processes.items():
            out, _ = process.communicate(timeout=STOP_S)
            said = out + (tmp_path / f"{name}.log").read_text()
            assert process.returncode == 1, said
            assert re.search(told, said), (name, said)
            assert "again" not in said
