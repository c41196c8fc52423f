"""The helper that checks the code blocks of a page."""

from pathlib import Path

import pytest

from tests import docs_blocks
from tests.docs_blocks import Block, are_commands, are_messages, blocks, check_page, commands, is_file, is_message

PAGE = """# Page

```json
{"type": "resign", "match": "m"}
```

<!-- odd: one -->
```python
if True:
    print("```")
```

1. In a list:

    <!-- in a list -->
    ```sh
    $ rumble serve && rumble games  # both
    rumble schema \\
      --asyncapi
    ```

<!-- not before a block -->
Text.

    indented code

Text
    that only goes on.
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_every_block_is_found(page: Path) -> None:
    found = [(block.line, block.language, block.marker, block.text) for block in blocks(page)]
    assert found == [
        (3, "json", "", '{"type": "resign", "match": "m"}\n'),
        (8, "python", "odd: one", 'if True:\n    print("```")\n'),
        (16, "sh", "in a list", "$ rumble serve && rumble games  # both\nrumble schema \\\n  --asyncapi\n"),
        (25, "", "", "indented code\n"),
    ]


def test_each_block_is_checked_by_its_marker_or_language(page: Path) -> None:
    seen: list[str] = []
    checks = {
        "json": is_message,
        "odd:": lambda block: seen.append(block.marker),
        "python": lambda block: seen.append("never"),
        "sh": are_commands(),
        "": lambda block: seen.append(block.text),
    }
    assert check_page(page, checks) == 4
    assert seen == ["odd: one", "indented code\n"]
    del checks[""]
    with pytest.raises(AssertionError, match=r"page.md:25 .*nothing says how"):
        check_page(page, checks)


def a_block(text: str, marker: str = "", language: str = "") -> Block:
    return Block(Path("page.md"), 1, language, marker, text)


def test_messages() -> None:
    is_message(a_block('{"type": "leave", "tournament": "friday"}'))
    for wrong in ('{"type": "leave"}', '{"type": "left"}', '{"type": "fanfare"}', '{"tournament": "friday"}', "{"):
        with pytest.raises(Exception):  # noqa: B017  # any kind: check_page names the block
            is_message(a_block(wrong))
    error = '{"type": "error", "code": "bad_message", "message": "", "detail": [], "fatal": false}'
    are_messages(a_block('{"from": "bot", "frame": {"type": "login"}}\n' + error))
    with pytest.raises(Exception, match="name"):
        are_messages(a_block('{"type": "login"}\n{"type": "resign", "match": "m"}'))


def test_commands() -> None:
    block = a_block("rumble serve && cargo run # all\n$ rumble tournament \\\n  list\n")
    assert commands(block) == ["rumble serve", "cargo run", "rumble tournament    list"]
    are_commands("cargo")(a_block("cargo run"))
    with pytest.raises(AssertionError, match="cargo"):
        are_commands()(block)
    with pytest.raises(AssertionError, match="--shout"):
        are_commands()(a_block("rumble serve --shout"))


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs_blocks, "ROOT", tmp_path)
    (tmp_path / "bot.txt").write_text("one\n  two\nthree\n")
    is_file(a_block("one\n  two\nthree\n", "file: bot.txt"))
    docs_blocks.is_part_of_a_file(a_block("two\nthree\n", "part of: bot.txt"))
    with pytest.raises(AssertionError, match=r"bot\.txt"):
        is_file(a_block("one\n", "file: bot.txt"))
    with pytest.raises(AssertionError, match=r"bot\.txt"):
        docs_blocks.is_part_of_a_file(a_block("one\nthree\n", "part of: bot.txt"))
