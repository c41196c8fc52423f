"""Every code block in PROTOCOL.md and in the page of the examples is valid, and its commands run."""

import json
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from rumble_engine import Termination
from rumble_protocol.bot_messages import Login
from rumble_protocol.codec import read_bot_message, read_server_message
from rumble_server.match.facts import MatchOver
from rumble_server.match.transcript import TranscriptLine, as_json

from tests.docs_blocks import (
    Block,
    Checks,
    are_commands,
    are_messages,
    blocks,
    check_page,
    commands,
    is_a_drawing,
    is_file,
    is_message,
    is_part_of_a_file,
)
from tests.e2e.processes import PATIENCE_S, RUMBLE, clean_environment, running, serving
from tests.protocol.golden_transcript import EXAMPLES
from tests.protocol.protocol_md import PATH


def is_a_transcript(block: Block) -> None:
    for line in map(json.loads, block.text.splitlines()):
        if "frame" in line:
            assert as_json(TranscriptLine(**line)) == line
            (read_server_message if line["sender"] == "server" else read_bot_message)(line["frame"])
        else:
            result = as_json(MatchOver("m", 1, ("a", "b"), (0, 1), Termination.RESIGNATION, "", (), (), 0))
            assert line.keys() == result.keys()


def asks_for_a_transcript(block: Block) -> None:
    (command,) = commands(block)
    program, _, header, url = shlex.split(command)
    scheme, credentials = header.removeprefix("Authorization: ").split()
    assert (program, scheme) == ("curl", "Bot")
    Login(name=credentials.partition(":")[0], key=credentials.partition(":")[2])
    assert re.fullmatch(r"http://127\.0\.0\.1:8765/api/matches/[^/]+/transcript", url)


CHECKS: Checks = {
    "ten minutes": are_commands(),
    "file:": is_file,
    "friday-alice.jsonl": are_messages,
    "game:": lambda block: None,  # tests/protocol/test_protocol_md_games.py plays them
    "transcript": is_a_transcript,
    "transcript request": asks_for_a_transcript,
    "part of:": is_part_of_a_file,
    "json": is_message,
    "text": is_a_drawing,
    "sh": are_commands(),
}


def test_every_block_of_code_passes_its_check() -> None:
    assert check_page(PATH, CHECKS) > 40


def test_every_block_of_the_examples_page_passes_its_check() -> None:
    def are_ours(block: Block) -> None:
        are_commands("python")(replace(block, text="\n".join(map(with_server, commands(block)))))

    assert check_page(EXAMPLES / "README.md", {"sh": are_ours}) == 3
    assert find_spec("tests.protocol.conversation") is not None


def with_server(command: str) -> str:
    return f"{command} --server 127.0.0.1:8765" if "tournament" in command and "--server" not in command else command


@pytest.mark.e2e
@pytest.mark.slow
def test_the_ten_minutes_are_as_told(tmp_path: Path) -> None:
    """The page's own commands and its own bot, to the end of the tournament."""
    page = blocks(PATH)
    (start,) = (commands(block) for block in page if block.marker == "ten minutes")
    (bot,) = (block.text for block in page if block.language == "python")
    script = tmp_path / "bot.py"
    script.write_text(bot, encoding="utf-8")
    serve, *others = start
    with serving(tmp_path, *shlex.split(serve)[2:]) as server:
        address = f"127.0.0.1:{server.port}"
        alone = clean_environment(tmp_path)
        create, random_bot = (shlex.split(command.replace("127.0.0.1:8765", address))[1:] for command in others)
        subprocess.run([*RUMBLE, *create], env=alone, check=True, capture_output=True)
        with running([*RUMBLE, *random_bot], alone, tmp_path / "random.log"):
            mine = [sys.executable, str(script), address, "friday", "my-bot"]
            done = subprocess.run(mine, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["type"], last["status"], last["bots"]) == ("tournament_over", "finished", 2)
