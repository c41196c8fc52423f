"""Values written for people: points, times, clocks, verdicts. Pure; used by pages, feed and API.

Templates have every function as a filter. Scripts, which keep pages live in the browser, write some of the texts, too;
the docstring of a function then names the script.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from shlex import quote as quoted

from rumble_engine import EngineError, Game, SettingValue, Termination, get_game
from rumble_engine.outcome import places_of
from rumble_protocol.feed_messages import Away, Entrant, Expected, Standing
from rumble_protocol.fields import MoveInfo, TimeControl

from rumble_server.tournament.ended import FinalResult
from rumble_server.tournament.exports.thoughts import comment
from rumble_server.tournament.forecast import Forecast

HEATS = 4
LATEST_MS = 253_402_300_799_999
"""The latest time in ms that `datetime` can express, the end of the year 9999. A host may choose a later start."""
ASK_MS = 1000
"""Thinking time of a bot in the commands on pages, in ms."""
_NAME = re.compile(r"\w[\w.-]+\b", re.ASCII)
"""Pattern of a word that may be the name of a bot. A full stop at the end of a sentence is not matched.

A single letter does not match, because "a" is in many sentences.
"""


def info_text(info: MoveInfo | None) -> str:
    """Write a bot's thoughts about its move, as in the comments of exports."""
    return "" if info is None else comment(info.model_dump())


def shown_name(name: str, display: str | None) -> str:
    """Return the name of a bot in a text for people: the display name, or else the name.

    The Unicode characters FSI and PDI around a display name isolate its writing direction, as `<bdi>` does on a page.
    """
    return name if display is None else f"\u2068{display}\u2069"


def with_display_names(text: str, display_names: Mapping[str, str]) -> str:
    """Replace the names of bots in a sentence by their display names; static/names.js writes the same text."""
    return _NAME.sub(lambda name: shown_name(name[0], display_names.get(name[0])), text)


def movers_text(names: Sequence[str], movers: Sequence[int]) -> str:
    """Write who is to move: one or two names, the number of bots, or nothing. static/texts.js writes the same."""
    who = f"{len(movers)} bots" if len(movers) > 2 else " and ".join(names[seat] for seat in movers)
    return f"{who} to move" if who else ""


def with_seats(names: Sequence[str], seat_names: Sequence[str]) -> list[str]:
    """Write each bot with the name of its seat in brackets: `ann (Black)`."""
    return [f"{name} ({seat})" for name, seat in zip(names, seat_names, strict=False)]


def points(value: float) -> str:
    """Write points: a half as a fraction, other fractions to two places: `5`, `5½`, `1.33`, `-0.5`."""
    return f"{int(value) or ''}½" if value > 0 and value % 1 == 0.5 else tiebreak_text(value)


def byes_text(line: Standing | FinalResult) -> str:
    """Write the number of a bot's byes, where a half-point bye counts as a half; empty without byes."""
    return points(line.byes + line.half_byes / 2) if line.byes or line.half_byes else ""


def heat(cell: tuple[float, int]) -> int:
    """Grade a cell (points, matches) of the crosstable, from 0 for matches all lost to 4 for matches all won."""
    scored, played = cell
    return round(scored / played * HEATS) if played else 0


def moment(at_ms: int) -> str:
    """Write a time as ISO 8601, in UTC."""
    return datetime.fromtimestamp(min(at_ms, LATEST_MS) / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment_text(at_ms: int) -> str:
    """Write a time for people, in UTC; `static/times.js` writes the time in the reader's time zone."""
    return datetime.fromtimestamp(min(at_ms, LATEST_MS) / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def seconds(ms: int) -> str:
    """Write a duration: `10 s`, `0.25 s`."""
    return f"{ms / 1000:g} s"


def duration(ms: int) -> str:
    """Write a duration: `1 h`, `10 min`, `1 min 30 s`, `0.25 s`; as `static/play/texts.js` does."""
    if ms < 60_000:
        return seconds(ms)
    hours, rest = divmod(ms, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    parts = ((hours, f"{hours} h"), (minutes, f"{minutes} min"), (rest, seconds(rest)))
    return " ".join(text for count, text in parts if count)


def clock_face(ms: int) -> str:
    """Write the time on a clock: `9.3`, `0:59`, `12:05`, `1:02:03`; as `static/clocks.js` does."""
    if ms < 10_000:
        return f"{ms // 100 / 10:.1f}"
    minutes, seconds = divmod(ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def thought_text(ms: int) -> str:
    """Write the thinking time of a move: `12 ms`, `3.4 s`, `75 s`; as `static/think_chart.js` does."""
    return f"{ms} ms" if ms < 1000 else f"{ms // 100 / 10:.1f} s" if ms < 10_000 else f"{ms // 1000} s"


def away_text(away: Away, now_ms: int) -> str:
    """Write how long a bot has been away, and how long the match still waits; as `static/clocks.js` does."""
    gone_s, left_s = (max(0, ms) // 1000 for ms in (now_ms - away.since_at_ms, away.until_at_ms - now_ms))
    return f"away {gone_s} s, {left_s} s left"


def setting_text(value: SettingValue) -> str:
    """Write the value of a setting: `yes`, `7`, `freestyle`."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def first_bot(game: str) -> str:
    """Return the name of a reference bot that plays the game, for a first try.

    The bot `minimax` plays plain matches only. The bot `mcts` plays a hidden game only if the game has samples.
    """
    try:
        found = get_game(game)
    except EngineError:
        return "random"  # the game is not installed here
    if found.is_plain(found.seats):
        return "minimax"
    return "random" if found.hides and type(found).sample is Game.sample else "mcts"


def ask_command(game: str, settings: Mapping[str, SettingValue]) -> str:
    """Write the command that asks a bot about a position of a game, without the option `--position`."""
    given = []
    for name, value in settings.items():
        # The command reads a value as JSON if possible; so a text that JSON reads otherwise needs quotes.
        plain = isinstance(value, str) and not value[:1].isdecimal() and value not in ("true", "false", "null")
        given.append(f"--setting {quoted(f'{name}={value if plain else json.dumps(value)}')}")
    return " ".join([f"rumble ask {first_bot(game)} --time-ms {ASK_MS} --game {quoted(game)}", *given])


def clock_text(control: TimeControl) -> str:
    """Write a time control in words: `1 s a move and 1 min in the bank`."""
    parts = [f"{duration(control.move_ms)} a move"] if control.move_ms else []
    if control.bank_ms:
        parts.append(f"{duration(control.bank_ms)} in the bank")
    if control.increment_ms:
        parts.append(f"{duration(control.increment_ms)} more after each move")
    return " and ".join(parts)


def faults_text(faults: dict[str, int]) -> str:
    """Write the faults of a bot: `timeout 2, no show 1`; a dash without faults."""
    return ", ".join(f"{kind.replace('_', ' ')} {count}" for kind, count in faults.items()) or "–"


def termination_text(termination: Termination) -> str:
    """Write the way in which a match ended, in brackets; empty if the match ended on the board."""
    return "" if termination is Termination.NORMAL else f"({termination.replace('_', ' ')})"


def tiebreak_text(value: float | None) -> str:
    """Write the value of a tie-break to two places; a dash if the tie-break does not apply."""
    return "–" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def rating_text(line: Standing) -> str:
    """Write a rating with half the width of its interval: `+120 ± 35`; empty without a rating."""
    if line.rating is None:
        return ""
    text = signed(line.rating)
    return text if line.interval is None else f"{text} ± {(line.interval[1] - line.interval[0]) / 2:.0f}"


def signed(value: float) -> str:
    """Round a number and write it with its sign: `+120`, `−35`, `0`."""
    return f"{value:+.0f}".replace("-", "−") if round(value) else "0"


def movement_text(gained: int | None) -> str:
    """Write places gained or lost: `▲2`, `▼1`; a dash for no movement, empty for None (unknown)."""
    if gained is None:
        return ""
    return f"▲{gained}" if gained > 0 else f"▼{-gained}" if gained < 0 else "–"


def movement_class(gained: int | None) -> str:
    """Choose the CSS class of a movement: for places gained, lost, or neither."""
    return "good" if gained and gained > 0 else "bad" if gained and gained < 0 else "quiet"


def reason_class(status: str) -> str:
    """Choose the CSS class for the reason of a status; pauses and cancellations stand out."""
    return "quiet" if status == "finished" else "notice warn"


def state_text(entrant: Entrant | None) -> str:
    """Write the state of a bot beside its name, after a comma; empty for a bot that is connected."""
    if entrant is None or entrant.withdrawn:
        return ", withdrew"
    if entrant.benched:
        return ", benched"
    if entrant.bye_rounds:
        return f", bye in round {' and '.join(map(str, entrant.bye_rounds))}"
    return "" if entrant.connected else ", away"


def percent(share: float | None) -> str:
    """Write a share: `62%`; a dash for None."""
    return "–" if share is None else f"{100 * share:.0f}%"


def duration_text(ms: int) -> str:
    """Write an estimate: `less than a minute`, `about 7 min`, `about 2 h 5 min`, `about 3 days`."""
    minutes = math.ceil(ms / 60_000)
    if ms < 60_000:
        return "less than a minute"
    if minutes < 60:
        return f"about {minutes} min"
    if minutes < 48 * 60:
        return f"about {minutes // 60} h {minutes % 60} min"
    return f"about {round(minutes / 1440)} days"


def forecast_text(plan: Forecast) -> str:
    """Write the forecast of a tournament, with the assumptions behind the figures."""
    again = f", up to {plan.most_matches} if ties are played again" if plan.most_matches > plan.matches else ""
    return (
        f"{plan.matches} match{'' if plan.matches == 1 else 'es'}{again}; {plan.in_a_row} one after another. "
        f"{duration_text(plan.quick_ms).capitalize()} if bots use a tenth of their time, "
        f"{duration_text(plan.longest_ms)} if they use all of it. "
        f"Assumed: each bot plays one match at a time, of {plan.plies} moves, as in random play."
    )


def elsewhere_text(bots: int) -> str:
    """Write the number of bots with matches in other tournaments; as `static/running_boards.js` does."""
    return f"{bots} of its bots {'has' if bots == 1 else 'have'} matches in other tournaments, too."


def expected_text(expected: Expected | None, *, waits_elsewhere: bool) -> str:
    """Write the estimated time to a tournament's end, and the number of results behind the estimate.

    `static/progress.js` writes the same text.
    """
    if waits_elsewhere:
        return "waits for bots that play elsewhere"
    if expected is None:
        return ""
    return f"{duration_text(expected.remaining_ms)} to go, at the pace of the last {expected.results}"


def result_text(scores: list[float] | None) -> str:
    """Write scores with a colon: `1 : 0`, `½ : ½`; places of tables: `placed 1, 3, 2`; `void` for None.

    `static/texts.js` writes the same text.
    """
    if scores is None:
        return "void"
    if len(scores) > 2:
        return f"placed {', '.join(seat_text(scores, seat) for seat in range(len(scores)))}"
    return " : ".join(points(score) for score in scores)


def seat_text(scores: Sequence[float], seat: int) -> str:
    """Write a seat's score, such as `½`, or a seat's place at a table, such as `3`; as `static/texts.js` does."""
    return points(scores[seat]) if len(scores) == 2 else place_text(scores, seat)


def place_text(scores: Sequence[float], seat: int) -> str:
    """Write the place of a seat, such as `1`, computed from the scores of all seats; as `static/texts.js` does."""
    return str(places_of([-score for score in scores])[seat])
