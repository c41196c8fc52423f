"""The choices on the page `/play`, given by its address, such as `/play?game=tictactoe&against=perfect&seat=0`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rumble_engine import BadSettings, Game, Setting
from rumble_engine.game import SettingValue
from rumble_protocol.fields import TimeControl

from rumble_server.web.api.models import Opponent

FIRST_GAME = "tictactoe"
SEATS = {"0": "First", "1": "Second", "lot": "By lot"}
CLOCKS = {
    "long": ("No hurry: 10 minutes for each move", TimeControl(move_ms=600_000)),
    "minute": ("1 minute for each move", TimeControl(move_ms=60_000)),
    "ten": ("10 seconds for each move", TimeControl(move_ms=10_000)),
    "rapid": ("5 minutes in all, and 5 seconds more after each move", TimeControl(bank_ms=300_000, increment_ms=5_000)),
    "blitz": ("1 minute in all, and 1 second more after each move", TimeControl(bank_ms=60_000, increment_ms=1_000)),
}
"""The text and the time control of each clock, keyed by the clock's word in the address."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The choices in the form. `settings` are keyed by game and setting. `problems` describe impossible choices."""

    game: str
    against: str | None
    seat: str
    clock: str
    settings: dict[tuple[str, str], SettingValue]
    problems: list[str] = field(default_factory=list)


def choose(query: Mapping[str, str], games: Sequence[Game], opponents: Sequence[Opponent]) -> Choice:
    """Read the choices from the address. A default replaces a missing or impossible choice.

    A setting is written as `connect4.columns=5`.
    """
    problems: list[str] = []

    def one_of(name: str, offered: Sequence[str], default: str, what: str) -> str:
        asked = query.get(name, default)
        if asked in offered:
            return asked
        if name in query:
            problems.append(what.format(asked))
        return default if default in offered or not offered else offered[0]

    names = [game.name for game in games]
    game = one_of("game", names, FIRST_GAME, "There is no game {!r} here.")
    who = {each.house.casefold(): each for each in opponents if each.house is not None}
    who |= {each.name.casefold(): each for each in opponents}
    against = who.get(query["against"].casefold()) if "against" in query else None
    if "against" in query and against is None:
        problems.append(f"{query['against']!r} is not here at the moment, or takes no challenges.")
    if against is not None and game not in against.games:
        problems.append(f"{against.name} does not play this game.")
        against = None
    if against is None:
        playing = [each for each in opponents if game in each.games]
        strongest = next((each for each in reversed(playing) if each.house is not None), None)
        against = strongest or next(iter(playing), None)
    settings: dict[tuple[str, str], SettingValue] = {}
    for each in games:
        for setting in each.settings:
            try:
                settings[each.name, setting.name] = _value(setting, query.get(f"{each.name}.{setting.name}"))
            except BadSettings as error:
                settings[each.name, setting.name] = setting.default
                problems.append(f"{each.title}: {error}.")
    return Choice(
        game,
        None if against is None else against.name,
        one_of("seat", list(SEATS), "lot", "There is no seat {!r}: it is 0, 1 or lot."),
        one_of("clock", list(CLOCKS), "long", f"There is no clock {{!r}}: it is one of {', '.join(CLOCKS)}."),
        settings,
        problems,
    )


def _value(setting: Setting, text: str | None) -> SettingValue:
    """Read a setting from the text in an address or a form. Raises BadSettings."""
    if text is None:
        return setting.default
    if isinstance(setting.default, bool):
        return setting.check({"true": True, "false": False}.get(text, text))
    if isinstance(setting.default, int):
        return setting.check(int(text) if text.removeprefix("-").isdecimal() and len(text) < 10 else text)
    return setting.check(text)
