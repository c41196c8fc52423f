"""Secrets at rest: a reader of the disk or the screen learns no secret."""

import re
import stat
import subprocess
from pathlib import Path

import pytest
from rumble_server.limits.bounds import Bounds

from tests.e2e.processes import RUMBLE, TOKEN, clean_environment
from tests.hostile.attacker import Attacker
from tests.hostile.target import Target, target

pytestmark = [pytest.mark.e2e, pytest.mark.long]

KEY = "key-that-no-file-may-have-in-clear"
OLD_UMASK = ("sh", "-c", 'umask 0 && exec "$@"', "sh")


def play_something(server: Target) -> None:
    """Let two bots with a key play; the first shows its key in wrong places."""
    cup = server.create(start_at_bots=2, legs=1)
    first, second = (server.attacker().login(name, key=KEY, join=cup) for name in ("first", "second"))
    with first, second:
        for bot in (first, second):
            match = bot.until("match_start")["match"]
            for name in ("key", "Key", "token"):
                bot.say(**{"type": "move", "match": match, name: KEY})
                bot.until("error")
        first.say(type="resign", match=match)
        first.until("match_over")


def test_the_files_are_of_their_owner_alone_and_have_no_token_in_clear(tmp_path: Path) -> None:
    with target(tmp_path, before=OLD_UMASK) as server:
        play_something(server)
        backup = [*RUMBLE, "db", "backup", str(tmp_path / "rumble.db.backup"), "--db", str(server.database)]
        subprocess.run([*OLD_UMASK, *backup], env=clean_environment(tmp_path), check=True, stdout=subprocess.DEVNULL)
        files = [*tmp_path.glob("rumble.db*")]
        assert len(files) >= 5, "database, write-ahead log, its index, the lock and the backup"
        assert {stat.filemode(file.stat().st_mode) for file in files} == {"-rw-------"}
        for file in files:
            assert TOKEN.encode() not in file.read_bytes()
            assert KEY.encode() not in file.read_bytes()
        assert TOKEN not in server.announced + server.log
        assert KEY not in server.announced + server.log


def test_a_token_that_rumble_made_is_printed_once(tmp_path: Path) -> None:
    with target(tmp_path, token=None) as server:
        token = server.printed_token()
        assert token
        server.terminate()
        server.start()
        assert token not in server.announced + server.log
        assert server.attacker().ask("/api/host", f"Authorization: Bearer {token}\r\n") == 200
        assert all(token.encode() not in file.read_bytes() for file in tmp_path.glob("rumble.db*"))


def test_guesses_leave_a_line_and_no_secret_in_the_log(server: Target, attacker: Attacker) -> None:
    logged = len(server.log)
    for number in range(Bounds().wrong_tries_per_minute + 10):
        attacker.ask("/api/host", f"Authorization: Bearer guess-number-{number}-of-a-thief\r\n")
    assert re.search(rf"{re.escape(attacker.address)}\b", server.log[logged:])
    assert "of-a-thief" not in server.log
    assert TOKEN not in server.log
