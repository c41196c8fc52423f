"""The page `/code` for writing a bot that plays from the browser, and the frame in which the bot's code runs.

The frame's policy allows the code to compute, but not to send requests, to store data or to see the page. The server
sends the policy with the frame. So the code is confined even if somebody opens the frame as a page.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256

from starlette.responses import HTMLResponse

from rumble_server.starters.starter import STARTERS, Language
from rumble_server.web.guards.headers import POLICY
from rumble_server.web.static_files import STATIC

PAGE_POLICY = f"{POLICY}; frame-src 'self'"
ANY_GAME: dict[str, str] = {
    Language.PYTHON: '''import random


def choose(turn):
    """Return one of the moves in `turn["legal"]`. `turn["state"]` is the position, `turn["seat"]` your seat.

    This bot plays at random. "Test" shows what it prints: look at the position, and choose better.
    """
    print(turn["state"])
    return random.choice(turn["legal"])
''',
    Language.JAVASCRIPT: """/**
 * Returns one of the moves in `turn.legal`. `turn.state` is the position, `turn.seat` your seat.
 * This bot plays at random. "Test" shows what it prints: look at the position, and choose better.
 */
function choose(turn) {
  console.log(turn.state);
  return turn.legal[Math.floor(Math.random() * turn.legal.length)];
}
""",
}
"""The code with which the editor begins, keyed by language, for games without code of their own in `starting_code`."""


@cache
def frame() -> HTMLResponse:
    """Make the answer to `/code/frame`: a page with the script, whose hash is in the policy."""
    script = (STATIC / "code" / "frame.js").read_text(encoding="utf-8")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = "; ".join(
        (
            "sandbox allow-scripts",
            "default-src 'none'",
            f"script-src 'wasm-unsafe-eval' blob: 'sha256-{digest}'",
            "worker-src blob:",
            "connect-src 'none'",
            "frame-ancestors 'self'",
        )
    )
    page = f'<!doctype html>\n<html lang="en"><title>Sandbox</title><script>{script}</script></html>\n'
    return HTMLResponse(page, headers={"Content-Security-Policy": policy})


@cache
def starting_code() -> dict[str, str]:
    """Return the code with which the editor begins, keyed by `LANGUAGE` (any game) and `LANGUAGE-GAME` (one game)."""
    starters = (STARTERS[language] for language in (Language.PYTHON, Language.JAVASCRIPT))
    own = {f"{each.language}-tictactoe": each.texts([each.strategy])[each.strategy] for each in starters}
    return own | ANY_GAME
