"""The code blocks of a Markdown page, so that a test can hold each of them to what it claims.

A page's test says by `Checks` how blocks of each language are checked, or single ones by the comment before them:

    <!-- transcript -->
    ```jsonl
    {"at_ms": 1, ...}
    ```

`check_page` then checks every block, and fails for one that nothing was said about: no block goes unread.
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
    """One code block: its language (none if indented), its text, and the comment on the line before it."""

    page: Path
    line: int
    language: str
    marker: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line} ({self.marker or self.language or 'no language'})"


Check = Callable[[Block], None]
Checks = Mapping[str, Check]
"""By the block's whole marker, by its marker's first word up to `:`, or by its language; the first that is there."""


def blocks(page: Path) -> list[Block]:
    """Every code block of a page, in order: the fenced ones, in lists and quotes too; of indented ones each line."""
    found: list[Block] = []
    lines = enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
    marker, after_blank = "", True
    for number, line in lines:
        bare = line.strip().lstrip("> ")
        if fence := _FENCE.match(bare):
            found.append(Block(page, number, fence["language"], marker, _fenced(lines, line, fence["fence"])))
        elif line.startswith("    ") and bare and after_blank:
            found.append(Block(page, number, "", marker, line[4:] + "\n"))
            continue
        after_blank = not bare or bool(fence)
        comment = _MARKER.fullmatch(bare)
        marker = comment[1] if comment else marker if not bare else ""
    return found


def _fenced(lines: Iterator[tuple[int, str]], first: str, fence: str) -> str:
    """The lines up to the closing fence, without the indentation of the opening one."""
    indent = len(first) - len(first.lstrip())
    content: list[str] = []
    for _, line in lines:
        if line.strip().lstrip("> ") == fence:
            return "".join(content)
        cut = min(indent, len(line) - len(line.lstrip()))
        content.append(line[cut:] + "\n")
    raise AssertionError(f"a block does not end: {first}")


def check_page(page: Path, checks: Checks) -> int:
    """Check every block; gives how many there were. Raises AssertionError that names the block."""
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
    """The block is one message of the protocol, of either direction, by the models and by the JSON Schemas."""
    _check_message(json.loads(block.text))


def are_messages(block: Block) -> None:
    """Each line is a message, or a line of a golden conversation with one; one may be wrong on purpose.

    What is wrong on purpose is followed by the server's `error`.
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
    """A check: each line is a command of `rumble`, as the command line takes it, or begins with one of `others`.

    What follows a `#` is a comment; `&&` joins commands; a `\\` at the end of a line goes on in the next; `$ ` may
    stand before a command.
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
    """The commands of a shell block."""
    text = block.text.replace("\\\n", " ")
    lines = [re.sub(r"(^|\s)#.*", "", line).strip().removeprefix("$ ") for line in text.splitlines()]
    return [part.strip() for line in lines for part in line.split("&&") if part.strip()]


def is_file(block: Block) -> None:
    """The marker is `file: PATH`, and the block is that file of the repository, to the letter."""
    path = block.marker.partition(":")[2].strip()
    assert block.text == (ROOT / path).read_text(encoding="utf-8"), f"this is not {path}"


def is_part_of_a_file(block: Block) -> None:
    """The marker is `part of: PATH`, and the block's lines stand in that file one after another, however indented."""
    path = block.marker.partition(":")[2].strip()
    whole = _unindented((ROOT / path).read_text(encoding="utf-8").splitlines())
    assert _unindented(block.text.splitlines()) in whole, f"this is not in {path}"


def _unindented(lines: Iterable[str]) -> str:
    return "\n".join(line.strip() for line in lines if line.strip())


def is_a_drawing(block: Block) -> None:
    """The block is for people: a picture or an outline, and nothing that claims to run."""
    assert block.text.strip()
