"""Starters as `rumble new` writes them: each keeps every rule of the protocol; all play in one tournament, and win or
block where they can. The tests are in one module, so that starters are built once.
"""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import mean
from threading import Thread
from typing import Any

import pytest
from rumble_bots.check.report import Report
from rumble_bots.check.run import ANY_PORT, Plan, check_bot
from rumble_protocol.clubs import MAIN, web_path
from rumble_server.cli.main import run
from rumble_server.starters.starter import STARTERS
from websockets.sync.server import ServerConnection, serve

from tests.bots.sdk import says
from tests.bots.sdk.fake_server import FakeServer
from tests.bots.starters.building import Built, build, tool_path
from tests.e2e.processes import ADMIN_TOKEN, Server, clean_environment, running, serving
from tests.needs import LONG, long_or
from tests.server.web.export_schema import check_export

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[3]
PATIENCE_S = 120.0
STOP_S = 30.0
BARE, INVITE = "bare", "hush hush"
KEY = "a-key-of-sixteen-characters-or-more"
FUN = replace(ANY_PORT, club="fun")
ADMIN = ("--admin-token", ADMIN_TOKEN)
FORMS = ("{}", "http://{}", "ws://{}/bot", "http://{}/", "ws://{}")
"""The ways to write the address of a server, or of a club."""
CYCLES = long_or(3, 8)
LANGUAGES = [language for language in STARTERS if LONG or language != "cpp"]
"""Languages whose starters are built: C++ takes half a minute of a core, so only long runs have it."""
FAILING = {
    "python": ('turn["state"]["board"]', 'turn["none"]', "strategy.py:15: KeyError: 'none'"),
    "javascript": ("} = turn.state", "} = turn.none", "strategy.js:11: TypeError: "),
    "java": ('turn.get("state")', "null", "Strategy.java:16: java.lang.NullPointerException"),
    "go": ("[turn.Seat]", "[turn.Seat+2]", "strategy.go:16: runtime error: index out of range"),
    "cpp": ('at("state")', 'at("none")', "strategy.h: "),
    "shell": ("print move\n", "print move(\n", "strategy.awk gave no move: "),
}
"""A text of each strategy, what makes the strategy fail in its place, and the beginning of the reason that is told."""
HALF_CHARACTERS = {
    "python": ('turn["state"]["board"]', '(_ for _ in ()).throw(OSError("\\udcfc"))', "strategy.py:15: OSError: ?"),
    "javascript": ("} = turn.state", '} = (() => { throw "\\ud800"; })()', "strategy.js: ?"),
    "java": (
        'turn.get("state")',
        '(Object) Integer.valueOf("\\uD800")',
        "Strategy.java:16: java.lang.NumberFormatException",
    ),
    "cpp": ('at("state")', 'at("\\xff")', "strategy.h: "),
}
"""The same for an error whose text is no Unicode."""
GAMES = ["tictactoe", "connect4", "snakes", "dilemma", "backgammon"]
LIMITS = {"frame_bytes": 65_536, "login_ms": 10_000, "unsolicited_per_minute": 120, "ping_ms": 5_000}
SESSION = says.session(name="me", max_matches=4)
LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


def environment(folder: Path, place: str, tournament: str, form: str, name: str) -> dict[str, str]:
    told = {
        "RUMBLE_SERVER": form.format(place),
        "RUMBLE_JOIN": tournament,
        "RUMBLE_NAME": name,
        "RUMBLE_KEY": "",  # as good as none
        "RUMBLE_INVITE": INVITE,
        "RUMBLE_STATE_DIR": str(folder / "state"),
        "PATH": tool_path(),
    }
    return clean_environment(folder, told)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Built]:
    """Build each starter once for all its tests."""
    folder = tmp_path_factory.mktemp("starters")
    with ThreadPoolExecutor(2) as pool:  # compilers take the time, a core each
        return dict(zip(LANGUAGES, pool.map(lambda language: build(language, folder), LANGUAGES), strict=True))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server"), "--admin-token", ADMIN_TOKEN) as server:
        yield server


def host(*command: str) -> None:
    """Run a host's command."""
    assert run(command) == 0


def bare(place: str, *invite: str) -> list[str]:
    """Return the command of the bare bot."""
    return [sys.executable, str(ROOT / "bots" / "python" / "bare_bot.py"), place, "cup", BARE, *invite]


def played(
    server: Server, folder: Path, bots: Mapping[str, Sequence[str]], *options: str, club: str = MAIN
) -> list[Any]:
    """Return the matches of a tournament of these programs in a club; all programs ended with exit code 0."""
    place = f"127.0.0.1:{server.port}{web_path(club)}"
    if club != MAIN:
        host("club", "create", club, *ADMIN, "--server", server.url)
    many, hosting = str(len(bots) + 1), ("--server", place, "--host-token", ADMIN_TOKEN)
    host("tournament", "create", "cup", "--start-at-bots", many, "--invite", INVITE, *hosting, *options)
    processes = {}
    with ExitStack() as stack:
        for number, (name, command) in enumerate({**bots, BARE: bare(place, INVITE)}.items()):
            told = environment(folder, place, "cup", FORMS[(number + len(options)) % len(FORMS)], name)
            processes[name] = stack.enter_context(running(command, told, folder / f"{name}.log"))
            if name == BARE:
                # The bare bot prints every frame, and would wait for a reader.
                processes[name].communicate(timeout=PATIENCE_S)
        ended = {name: process.wait(PATIENCE_S) for name, process in processes.items()}
    assert set(ended.values()) == {0}, {name: (folder / f"{name}.log").read_text() for name in ended if ended[name]}
    exported = folder / "cup.json"
    host("tournament", "export", "cup", "--server", place, "--out", str(exported))
    document = json.loads(exported.read_text())
    check_export(document)
    return list(document["matches"])


def talked(
    talk: Callable[[ServerConnection], None], command: Sequence[str] | Callable[[str], Sequence[str]], folder: Path
) -> "subprocess.CompletedProcess[str]":
    """Run a bot to its end with a server whose connections are `talk`; the command may depend on the server's place."""
    with serve(talk, "127.0.0.1", 0, select_subprotocol=lambda _, offered: next(iter(offered), None)) as scripted:
        Thread(target=scripted.serve_forever, daemon=True).start()
        place = f"127.0.0.1:{scripted.socket.getsockname()[1]}"
        words = command(place) if callable(command) else command
        told = environment(folder, place, "cup", "{}", "me")
        return subprocess.run(words, env=told, capture_output=True, text=True, timeout=PATIENCE_S, cwd=folder)


def score(matches: Sequence[Any], name: str, against: str) -> float:
    """Return the mean score of a bot against another bot."""
    scores = [m["scores"][m["seats"].index(name)] for m in matches if set(m["seats"]) == {name, against}]
    return float(sum(scores) / len(scores))


def winner(match: Any) -> str:
    """Return the name of the winner of a match, or `nobody`."""
    return str(dict(zip(match["scores"], match["seats"], strict=True)).get(1.0, "nobody"))


def urgent(match: Any, seat: int) -> Iterator[int]:
    """Yield the plies at which a bot could win or had to block. Raises AssertionError if it did neither."""
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
    """Return the free square of a line whose other squares have the same mark."""
    marks = [board[int(square)] for square in line]
    return line[marks.index(".")] if sorted(marks) == sorted([".", mark, mark]) else None


@pytest.fixture(scope="module")
def reports(built: Mapping[str, Built], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    async def all_of_them() -> dict[str, Report]:
        told: dict[str, Any] = {"games": GAMES, "server": FUN, "wait_s": 60, "move_ms": 1000}
        there = {language: bot for language, bot in built.items() if bot.missing is None}
        plans = {language: Plan(bot.command(), **told) for language, bot in there.items()}
        return dict(zip(plans, await asyncio.gather(*map(check_bot, plans.values())), strict=True))

    with pytest.MonkeyPatch.context() as patch:
        for variable in ("SERVER", "JOIN", "NAME"):
            patch.delenv(f"RUMBLE_{variable}", raising=False)
        patch.setenv("RUMBLE_KEY", KEY)
        patch.setenv("RUMBLE_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        patch.setenv("PATH", tool_path())
        return asyncio.run(all_of_them())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.slow
def test_a_starter_keeps_every_rule(language: str, built: Mapping[str, Built], reports: Mapping[str, Report]) -> None:
    built[language].command()
    left = {
        result.label: (result.status, result.why) for result in reports[language].results if result.status != "pass"
    }
    may = {f"another-fell ({game})": "skip" for game in ("dilemma", "backgammon")}  # of two seats
    may |= {"two-matches": "skip"} if language == "shell" else {}
    assert {label: status for label, (status, _) in left.items()} == may, left
    assert reports[language].bot == "checked-bot", "it takes its name from the environment"
    (place,) = [result.why for result in reports[language].results if result.label == "connect"]
    assert place == "at /c/fun/bot"


@pytest.mark.slow
def test_all_starters_play_together_and_winning_or_blocking_starters_beat_a_random_bot(
    built: Mapping[str, Built], server: Server, tmp_path: Path
) -> None:
    bots = {language: bot.command() for language, bot in built.items()}
    matches = played(server, tmp_path, bots, "--game", "tictactoe", "--cycles", str(CYCLES))
    assert len(matches) == CYCLES * len(bots) * (len(bots) + 1)
    assert {match["termination"] for match in matches} == {"normal"}
    for name in bots.keys() - {"shell"}:  # `rumble bridge` prints the lines of `shell`
        said = (tmp_path / f"{name}.log").read_text()
        told = re.findall(r"^(cup[.\d]+): (\S+) wins: ", said, re.MULTILINE)
        assert sorted(told) == sorted((match["id"], winner(match)) for match in matches if name in match["seats"])
        assert re.search(rf"^cup: rank [1-9] of {len(bots) + 1}, [\d.]+ points$", said, re.MULTILINE)
    beaten = {name: score(matches, name, BARE) for name in bots}
    assert mean(beaten.values()) > 0.7, beaten  # 0.88 is expected, and 36 matches scatter by 0.04
    assert CYCLES < 8 or min(beaten.values()) > 0.55, beaten  # 16 matches scatter by 0.06
    seen = {
        name: sum(len(list(urgent(m, m["seats"].index(name)))) for m in matches if name in m["seats"]) for name in bots
    }
    assert min(seen.values()) > CYCLES * len(bots), f"too few moves that win or block to tell: {seen}"


@pytest.mark.slow
def test_starters_in_a_club_play_other_games_at_random(
    built: Mapping[str, Built], server: Server, tmp_path: Path
) -> None:
    bots = {language: bot.command() for language, bot in built.items()}
    matches = played(server, tmp_path, bots, "--game", "connect4", "--legs", "1", club="fun")
    assert {match["termination"] for match in matches} == {"normal"}
    begun = {name: {tuple(m["moves"][0:7:2]) for m in matches if m["seats"][0] == name} for name in bots}
    assert all(len(moves) > 1 for moves in begun.values()), begun


@pytest.mark.slow
def test_all_starters_come_back_to_a_replaced_server_and_give_up_a_silent_connection(
    built: Mapping[str, Built], tmp_path: Path
) -> None:
    """Refuse each bot twice, then leave its first connection silent."""
    commands = {language: bot.command() for language, bot in built.items()} | {BARE: bare("")}

    def come_back(name: str) -> tuple[int, str, int]:
        with FakeServer(refusals=[(503, "1"), (421, "1")], silent_after=1).in_a_thread() as fake:
            told = environment(tmp_path, fake.address, "cup", "{}", name)
            command = [word or fake.address for word in commands[name]]
            done = subprocess.run(command, env=told, capture_output=True, text=True, timeout=PATIENCE_S)
            return done.returncode, done.stderr, len(fake.logins)

    with ThreadPoolExecutor(len(commands)) as pool:
        for name, (code, said, logins) in zip(commands, pool.map(come_back, commands), strict=True):
            assert (code, logins) == (0, 2), (name, said)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.slow
def test_a_starter_gives_up_where_it_is_refused_or_told_nonsense(
    language: str, built: Mapping[str, Built], server: Server, tmp_path: Path
) -> None:
    told = environment(tmp_path, f"127.0.0.1:{server.port}", "nowhere", "{}", "stranger")

    def tried(told: Mapping[str, str]) -> tuple[int, str]:
        command = built[language].command()
        done = subprocess.run(command, env=told, capture_output=True, text=True, timeout=PATIENCE_S)
        return done.returncode, done.stderr

    code, said = tried(told)
    assert code == 1
    assert "refused" in said
    assert "nowhere" in said
    del told["RUMBLE_JOIN"]
    code, said = tried(told)
    assert code == 2
    assert "RUMBLE_JOIN" in said


@pytest.mark.parametrize("language", [*LANGUAGES, BARE])
@pytest.mark.slow
def test_a_starter_tries_again_where_its_neighbours_sent_too_many_messages(
    language: str, built: Mapping[str, Built], tmp_path: Path
) -> None:
    """The first login is refused; at the second the connection stays open, and the invitation is not looked at."""
    refused, unheard = (says.error("too_many_messages", fatal=fatal) for fatal in (True, False))
    answers = [[refused], [SESSION, unheard], [SESSION, says.joined(), says.tournament_over()]]

    def talk(connection: ServerConnection) -> None:
        connection.send(says.welcome(limits=LIMITS))
        connection.recv(PATIENCE_S)
        own = answers.pop(0)
        for frame in own:
            connection.send(frame)
        if own == [refused]:
            connection.close(4008)
        for _ in connection:
            pass

    done = talked(talk, bare if language == BARE else built[language].command(), tmp_path)
    assert (done.returncode, answers) == (0, []), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("club", "told"), [("gone", "4004|removed"), pytest.param("never", "no club|HTTP 404", marks=pytest.mark.long)]
)
@pytest.mark.slow
def test_all_stop_at_once_where_there_is_no_such_club(
    built: Mapping[str, Built], server: Server, tmp_path: Path, club: str, told: str
) -> None:
    if club == "gone":
        host("club", "create", club, *ADMIN, "--server", server.url)
        host("club", "remove", club, "--yes", *ADMIN, "--server", server.url)
    place = f"127.0.0.1:{server.port}{web_path(club)}"
    processes = {}
    with ExitStack() as stack:
        starters = {language: bot.command() for language, bot in built.items()}
        for name, command in {**starters, BARE: bare(place)}.items():
            own = environment(tmp_path, place, "cup", "{}", name)
            processes[name] = stack.enter_context(running(command, own, tmp_path / f"{name}.log"))
        for name, process in processes.items():
            out, _ = process.communicate(timeout=STOP_S)
            said = out + (tmp_path / f"{name}.log").read_text()
            assert process.returncode == 1, said
            assert re.search(told, said), (name, said)
            assert "again" not in said


@pytest.mark.parametrize(
    ("language", "failing"),
    [(language, case[language]) for case in (FAILING, HALF_CHARACTERS) for language in LANGUAGES if language in case],
)
@pytest.mark.slow
def test_a_strategy_that_fails_costs_its_match_and_no_other(
    language: str, failing: tuple[str, str, str], built: Mapping[str, Built], tmp_path: Path
) -> None:
    """The server asks in two matches; the bot resigns both as failed, and says where its strategy failed."""
    built[language].command()  # is it here?
    copy = tmp_path / "copy"
    shutil.copytree(built[language].folder, copy)
    own = replace(built[language], folder=copy)
    old, new, reason = failing
    strategy = copy / own.starter.strategy
    strategy.write_text(strategy.read_text().replace(old, new, 1))
    if own.starter.build and own.starter.compiled:
        modules = {"GOPROXY": "off", "GOSUMDB": "off", "GOMODCACHE": str(built[language].folder.parent / "gomodules")}
        subprocess.run(["sh", "-c", own.starter.build], cwd=copy, check=True, env={**os.environ, **modules})
    answers = []

    def talk(connection: ServerConnection) -> None:
        connection.send(says.welcome(limits=LIMITS, features=["failure"]))
        connection.recv(PATIENCE_S)
        for frame in (SESSION, says.joined()):
            connection.send(frame)
        for match in ("cup.1", "cup.2"):
            connection.send(says.match_start(match))
            connection.send(says.turn(match=match))
            answers.append(json.loads(connection.recv(PATIENCE_S)))
        connection.send(says.tournament_over())
        for _ in connection:
            pass

    done = talked(talk, own.command(), tmp_path)
    assert done.returncode == 0, done.stderr
    assert [(answer["type"], answer["match"]) for answer in answers] == [("resign", "cup.1"), ("resign", "cup.2")]
    assert reason in done.stderr
    assert {answer["failed"] for answer in answers} == {True}
    assert all(answer["reason"].encode().decode().startswith(reason) for answer in answers), answers


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.slow
def test_a_starter_stays_for_the_next_tournament_of_the_class(
    language: str, built: Mapping[str, Built], tmp_path: Path
) -> None:
    """The first server cannot follow. The second moves the bot to `final`, and to `last` between two connections."""
    moved = says.session(name="me", tournaments=[{"id": "last", "game": "tictactoe", "status": "running"}])
    follows: list[object] = []

    def talk(connection: ServerConnection) -> None:
        connection.send(says.welcome(limits=LIMITS, features=["follow"] if follows else []))
        login = json.loads(connection.recv(PATIENCE_S))
        old = says.joined(login["join"], status="finished"), says.tournament_over(login["join"])
        scripts = [
            [SESSION],
            [SESSION, says.joined(), says.notice("waiting"), says.joined("final"), says.tournament_over()],
            [moved, *old, says.tournament_over("last")],
        ]
        for frame in scripts[len(follows)]:
            connection.send(frame)
        follows.append(login.get("follow"))
        if len(follows) < len(scripts):
            connection.close(1012)
        for _ in connection:
            pass

    done = talked(talk, built[language].command(), tmp_path)
    assert (done.returncode, follows) == (0, [None, True, True]), done.stderr
    assert "be told" in done.stderr
