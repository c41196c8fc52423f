"""Finds and checks the code blocks of a Markdown page.

A page's test passes `Checks`, which say how to check the blocks of a language, or a block by the comment before it:

    <!-- transcript -->
    ```jsonl
    {"at_ms": 1, ...}
    ```

`check_page` checks every block, and fails for a block that has no check.
"""

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jsonschema import Draft202012Validator
from rumble_protocol.codec import read_bot_message, read_server_message
from rumble_protocol.schema import schemas

from tests.command_line import parse_all

ROOT = Path(__file__).parents[1]

_FENCE = re.compile(r"(?P<fence>`{3,}|~{3,})(?P<language>[^\s`]*)")
_MARKER = re.compile(r"<!--\s*(.*?)\s*-->")


@dataclass(frozen=True, slots=True)
class Block:
    """Code block: its language (none if indented), its text, and the comment on the line before it."""

    page: Path
    line: int
    language: str
    marker: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line} ({self.marker or self.language or 'no language'})"


Check = Callable[[Block], None]
Checks = Mapping[str, Check]
"""Checks by whole marker, by marker up to its `:`, or by language; the first match in this order counts."""


def blocks(page: Path) -> list[Block]:
    """Return the code blocks of a page in order: fenced blocks, also in lists and quotes, and indented lines."""
    found: list[Block] = []
    lines = enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
    marker, after_blank = "", True
    for number, line in lines:
        bare = line.strip().lstrip("> ")
        comment = _MARKER.fullmatch(bare)
        if fence := _FENCE.match(bare):
            found.append(Block(page, number, fence["language"], marker, _fenced(lines, line, fence["fence"])))
        elif line.startswith("    ") and bare and after_blank and comment is None:
            found.append(Block(page, number, "", marker, line[4:] + "\n"))
            continue
        after_blank = not bare or bool(fence)
        marker = comment[1] if comment else marker if not bare else ""
    return found


def _fenced(lines: Iterator[tuple[int, str]], first: str, fence: str) -> str:
    """Return the lines up to the closing fence, without the opening fence's indentation."""
    indent = len(first) - len(first.lstrip())
    content: list[str] = []
    for _, line in lines:
        if line.strip().lstrip("> ") == fence:
            return "".join(content)
        cut = min(indent, len(line) - len(line.lstrip()))
        content.append(line[cut:] + "\n")
    raise AssertionError(f"a block does not end: {first}")


def check_page(page: Path, checks: Checks) -> int:
    """Check every block and return their number. Raises AssertionError that names the block."""
    found = blocks(page)
    for block in found:
        by_marker = (block.marker, f"{block.marker.partition(':')[0]}:") if block.marker else ()
        names = (*by_marker, block.language)
        check = next((checks[name] for name in names if name in checks), None)
        assert check is not None, f"{block}: nothing says how this block is checked"
        try:
            check(block)
        except Exception as error:
            raise AssertionError(f"{block}: {error}") from error
    return len(found)


# --- checks to use ---


def is_message(block: Block) -> None:
    """Check that the block is a message of either direction, by the models and by the JSON Schemas."""
    _check_message(json.loads(block.text))


def are_messages(block: Block) -> None:
    """Check that each line is a message, or a line of a golden conversation with one.

    A message may be wrong on purpose if the server's `error` follows.
    """
    lines = [json.loads(line) for line in block.text.splitlines()]
    frames = [line.get("frame", line) for line in lines]
    for frame, answer in zip(frames, [*frames[1:], {}], strict=True):
        if answer.get("code") != "bad_message":
            _check_message(frame)


def _check_message(frame: dict[str, object]) -> None:
    kind = frame.get("type")
    schema = schemas().get(f"{kind}.json")
    assert schema is not None, f"there is no message {kind!r}"
    Draft202012Validator(schema).validate(frame)
    (read_bot_message if schema.get("additionalProperties") is False else read_server_message)(json.dumps(frame))


def are_commands(*others: str) -> Check:
    """Make a check that each line is a valid command of `rumble`, or of one of the programs in `others`.

    `#` begins a comment; `&&` joins commands; `\\` at the end of a line continues it; `$ ` may stand before a command.
    """

    def check(block: Block) -> None:
        for command in commands(block):
            program = shlex.split(command)[0]
            if program == "rumble":
                parse_all([command])
            else:
                assert program in others, f"nothing says that {program!r} may stand here"

    return check


def commands(block: Block) -> list[str]:
    """Return the commands of a shell block."""
    text = block.text.replace("\\\n", " ")
    lines = [re.sub(r"(^|\s)#.*", "", line).strip().removeprefix("$ ") for line in text.splitlines()]
    return [part.strip() for line in lines for part in line.split("&&") if part.strip()]


def is_file(block: Block) -> None:
    """Check that the block is exactly the file named by its marker `file: PATH`."""
    path = block.marker.partition(":")[2].strip()
    assert block.text == (ROOT / path).read_text(encoding="utf-8"), f"this is not {path}"


def is_part_of_a_file(block: Block) -> None:
    """Check that the block's lines are in the file named by its marker `part of: PATH`, apart from indentation."""
    path = block.marker.partition(":")[2].strip()
    whole = _unindented((ROOT / path).read_text(encoding="utf-8").splitlines())
    assert _unindented(block.text.splitlines()) in whole, f"this is not in {path}"


def _unindented(lines: Iterable[str]) -> str:
    return "\n".join(line.strip() for line in lines if line.strip())


def is_a_drawing(block: Block) -> None:
    """Accept a picture or an outline for people, which cannot be checked further."""
    assert block.text.strip()
