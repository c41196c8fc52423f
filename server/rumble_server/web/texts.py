"""Values as people read them: points, times, clocks, verdicts. Pure; for pages, feed and API alike."""

import json
import math
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime

from rumble_engine import SettingValue, Termination
from rumble_protocol.feed_messages import Entrant, Expected, Standing
from rumble_protocol.fields import TimeControl

HEATS = 4
ASK_MS = 1000
"""What a bot is given to think in the commands that pages show."""


def points(value: float) -> str:
    """Points as people write them: `5`, `5½`."""
    whole, half = int(value), value % 1 == 0.5
    if not half:
        return f"{value:g}"
    return f"{whole}½" if whole else "½"


def heat(cell: tuple[float, int]) -> int:
    """How well a cell of the crosstable went for its row, from 0 (all lost) to 4 (all won)."""
    scored, played = cell
    return round(scored / played * HEATS) if played else 0


def moment(at_ms: int) -> str:
    """A time as ISO 8601, in UTC."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment_text(at_ms: int) -> str:
    """A time for people; a script makes it local."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def seconds(ms: int) -> str:
    """A duration: `10 s`, `0.25 s`."""
    return f"{ms / 1000:g} s"


def duration(ms: int) -> str:
    """A duration on a clock: `1 h`, `10 min`, `1 min 30 s`, `0.25 s`. `static/play/texts.js` writes it the same."""
    if ms < 60_000:
        return seconds(ms)
    hours, rest = divmod(ms, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    parts = ((hours, f"{hours} h"), (minutes, f"{minutes} min"), (rest, seconds(rest)))
    return " ".join(text for count, text in parts if count)


def clock_face(ms: int) -> str:
    """What a clock shows: `9.3`, `0:59`, `12:05`, `1:02:03`. `static/clocks.js` writes it the same."""
    if ms < 10_000:
        return f"{ms // 100 / 10:.1f}"
    minutes, seconds = divmod(ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def setting_text(value: SettingValue) -> str:
    """The value of a setting for people: `yes`, `7`, `freestyle`."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def quoted(text: str) -> str:
    """A word of a shell's command line."""
    return shlex.quote(text)


def ask_command(game: str, settings: Mapping[str, SettingValue]) -> str:
    """The command that asks a bot about a position of this game, but for the position."""
    given = []
    for name, value in settings.items():
        # A text that looks like something else in JSON is written as JSON.
        plain = isinstance(value, str) and not value[:1].isdecimal() and value not in ("true", "false", "null")
        given.append(f"--setting {quoted(f'{name}={value if plain else json.dumps(value)}')}")
    return " ".join([f"rumble ask minimax --time-ms {ASK_MS} --game {quoted(game)}", *given])


def clock_text(control: TimeControl) -> str:
    """A time control in words."""
    parts = [f"{duration(control.move_ms)} a move"] if control.move_ms else []
    if control.bank_ms:
        parts.append(f"{duration(control.bank_ms)} in the bank")
    if control.increment_ms:
        parts.append(f"{duration(control.increment_ms)} more after each move")
    return " and ".join(parts)


def faults_text(faults: dict[str, int]) -> str:
    """The faults of a bot: `timeout 2, no show 1`; a dash for none."""
    return ", ".join(f"{kind.replace('_', ' ')} {count}" for kind, count in faults.items()) or "–"


def termination_text(termination: Termination) -> str:
    """How a match ended, where it did not end on the board."""
    return "" if termination is Termination.NORMAL else f"({termination.replace('_', ' ')})"


def tiebreak_text(value: float | None) -> str:
    """The value of a tie-break, to two places; a dash where it does not apply."""
    return "–" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def rating_text(line: Standing) -> str:
    """A rating with half its interval: `+120 ± 35`; empty where it is not known."""
    if line.rating is None:
        return ""
    text = signed(line.rating)
    return text if line.interval is None else f"{text} ± {(line.interval[1] - line.interval[0]) / 2:.0f}"


def signed(value: float) -> str:
    """A whole number with its sign: `+120`, `−35`, `0`."""
    return f"{value:+.0f}".replace("-", "−") if round(value) else "0"


def movement_text(gained: int | None) -> str:
    """Places gained or lost: `▲2`, `▼1`; a dash for none, nothing where it is not known."""
    if gained is None:
        return ""
    return f"▲{gained}" if gained > 0 else f"▼{-gained}" if gained < 0 else "–"


def movement_class(gained: int | None) -> str:
    """How movement is coloured."""
    return "good" if gained and gained > 0 else "bad" if gained and gained < 0 else "quiet"


def reason_class(status: str) -> str:
    """How the reason of a status is shown: a pause and a cancellation stand out."""
    return "quiet" if status == "finished" else "notice warn"


def state_text(entrant: Entrant | None) -> str:
    """What there is to say of a bot beside its name, with a comma before it."""
    if entrant is None or entrant.withdrawn:
        return ", withdrew"
    if entrant.benched:
        return ", benched"
    return "" if entrant.connected else ", away"


def percent(share: float | None) -> str:
    """A share: `62%`; a dash where there is none."""
    return "–" if share is None else f"{100 * share:.0f}%"


def duration_text(ms: int) -> str:
    """A duration as people estimate it: `less than a minute`, `about 7 min`, `about 2 h 5 min`, `about 3 days`."""
    minutes = math.ceil(ms / 60_000)
    if ms < 60_000:
        return "less than a minute"
    if minutes < 60:
        return f"about {minutes} min"
    if minutes < 48 * 60:
        return f"about {minutes // 60} h {minutes % 60} min"
    return f"about {round(minutes / 1440)} days"


def expected_text(expected: Expected) -> str:
    """When the end is expected, and by what."""
    return f"{duration_text(expected.remaining_ms)} to go, at the pace of the last {expected.results} matches"


def result_text(scores: list[float] | None) -> str:
    """Scores with a colon: `1 : 0`, `½ : ½`."""
    return "void" if scores is None else " : ".join(points(score) for score in scores)
