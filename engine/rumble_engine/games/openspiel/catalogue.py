"""Names, seats, kinds and settings of OpenSpiel's games."""

from collections.abc import Mapping
from functools import cache
from math import isfinite
from typing import Any

import pyspiel

from rumble_engine.errors import BadSettings
from rumble_engine.game import Setting, SettingValue
from rumble_engine.texts import shown

PREFIX = "openspiel:"
EXCLUDED = {
    "bridge_uncontested_bidding": "the last move solves the deal, which takes half a second",
    "tiny_bridge_2p": "the last move solves the deal, which takes a sixth of a second",
}
"""Games that are not offered, each with the reason. A move of these games may take so long that all matches of the
server would have to wait."""
SEATS = ("players", "num_players", "numPlayers")
"""Names of OpenSpiel's parameters for the number of seats. No game has two parameters with such names."""
SEEDS = ("rng_seed", "seed")
"""Names of OpenSpiel's parameters for the seed of a game's random generator."""
MOST_SEATS = {"tiny_hanabi": 2}
"""Maximum number of seats, by game. OpenSpiel would allow more seats, but gives payoffs for only two."""
FIXED: dict[str, SettingValue] = {"ansi_color_output": False, "use_double_dummy_result": False, "num_redeals": 1}
"""Fixed values of parameters, by the name of the parameter. A value applies in every game with the parameter.

The last two parameters belong to bridge. With other values, a solver could run for seconds, after the deal or at the
end of the game.
"""
SHOWN = {"egocentric", "egocentric_obs_tensor", "obs_back", "obs_front", "obs_side", "plain_obs_tensor", "string_rep"}
"""Parameters of OpenSpiel's output, without effect on a game."""
SECRET = {"fully_obs", "imp_info", "observation_type"}
"""Parameters that change the knowledge of a seat. They could make a hidden game open, or an open game hidden."""
UNSAFE = {
    *("boards_file", "dims", "instances_file"),
    *("go_fish.initial_cards", "go_fish.ranks", "go_fish.suits", "goofspiel.num_turns", "hanabi.colors"),
    *("hanabi.hand_size", "hanabi.ranks", "laser_tag.grid", "oh_hell.num_tricks_fixed"),
    *("universal_poker.numHoleCards", "universal_poker.numRanks", "universal_poker.numRounds"),
    *("universal_poker.numSuits", "universal_poker.calcOddsNumSims"),
    *("checkers.columns", "checkers.rows", "havannah.board_size", "twixt.board_size", "y.board_size"),
}
"""Parameters that name a file, and parameters for which some values are harmful.

Harmful values end the process, or leave a match without a legal move.

OpenSpiel's game `checkers` fails on boards that are not square. For `havannah`, `twixt` and `y`, OpenSpiel keeps tables
for the whole process. After a match of another size, a match of the usual size ends the process.
"""
HIDDEN = {*FIXED, *SEATS, *SEEDS, *SHOWN, *SECRET, *UNSAFE}
"""Parameters that are not offered as settings.

A name without a dot hides the parameter in all games. `game.name` hides the parameter `name` in the game `game` only.
"""
CHOICES = {
    each[0]: each
    for each in (
        ("cdh", "adh"),
        ("classical", "abrupt"),
        ("fcpa", "fc", "fchpa", "fullgame"),
        ("random", "descending", "ascending"),
        ("reset-face", "reset-quantity"),
        ("reveal-nothing", "reveal-numturns"),
        ("win_loss", "point_difference", "total_points"),
        ("winloss_scoring", "enable_gammons", "full_scoring"),
    )
}
"""Allowed values of settings, keyed by the default. A setting with the default `cdh` may be `cdh` or `adh`."""
BOUNDS = {
    **{
        f"{name}.{size}": (2, 26)
        for name in ("dark_hex", "dark_hex_ir", "hex")
        for size in ("board_size", "num_cols", "num_rows")
    },
    "blotto.fields": (1, 4),
    "bridge.dealer": (0, 3),
    "leduc_poker.starting_player": (0, 1),
    "negotiation.num_items": (1, 5),
    "negotiation.num_symbols": (1, 5),
    "negotiation.utterance_dim": (1, 3),
    "yacht.dice_sides": (2, 6),
    "yacht.num_dice": (1, 5),
}
"""Bounds (minimum and maximum) of some settings. Values out of these bounds fail, or take seconds."""
PER_SEAT = ("blind", "stack")
"""Parameters of `universal_poker` that list a number for each seat. Seats without a number get the last number."""
GRID = "A.B.C.D.E/.*.*.*.*./........./j.i.h.g.f/........./e.d.c.b.a/........./.*.*.*.*./F.G.H.I.J"  # codespell:ignore
"""The default grid of `pathfinding`. OpenSpiel's own default is for a single seat. Letters stand for seats."""


@cache
def kinds() -> dict[str, Any]:
    """Return OpenSpiel's description of each offered game, keyed by the name of the game with `openspiel:` before it.

    A game is offered if it is for two or more seats, needs no parameter, and is not in `EXCLUDED`.
    """
    return {
        PREFIX + kind.short_name: kind
        for kind in pyspiel.registered_games()
        if kind.default_loadable and kind.max_num_players >= 2 and kind.short_name not in EXCLUDED
    }


def is_plain(kind: Any) -> bool:
    """Return true if the seats move in turn, without chance and secrets, and a match is only won, lost or drawn."""
    return bool(
        kind.min_num_players <= 2
        and kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
        and kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
        and kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
        and kind.reward_model == pyspiel.GameType.RewardModel.TERMINAL
        and kind.utility == pyspiel.GameType.Utility.ZERO_SUM
    )


def hides(kind: Any) -> bool:
    """Return true if some facts are hidden from some seats."""
    return bool(kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION)


def is_joint(kind: Any) -> bool:
    """Return true if the seats move at the same time."""
    return bool(kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS)


def is_in_turn(kind: Any) -> bool:
    """Return true if the seats move in turn, and chance decides nothing."""
    return bool(not is_joint(kind) and kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC)


def is_cooperative(kind: Any) -> bool:
    """Return true if the seats always get equal payoffs."""
    return bool(kind.utility == pyspiel.GameType.Utility.IDENTICAL)


def is_seeded(kind: Any) -> bool:
    """Return true if OpenSpiel draws random numbers inside the game, from a seed."""
    return bool(kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC)


def seats_of(kind: Any) -> tuple[int, int, int]:
    """Return the usual, the minimum and the maximum number of seats."""
    least, most = max(2, kind.min_num_players), MOST_SEATS.get(kind.short_name, kind.max_num_players)
    usual = next((kind.parameter_specification[name] for name in SEATS if name in kind.parameter_specification), least)
    return max(least, usual), least, most


def settings_of(kind: Any) -> tuple[Setting, ...]:
    """Return the settings of a game, made from OpenSpiel's parameters."""
    made = (_setting(kind, name, default) for name, default in kind.parameter_specification.items())
    return tuple(setting for setting in made if setting is not None)


def _setting(kind: Any, name: str, default: Any) -> Setting | None:
    about = "a parameter of OpenSpiel"
    full_name = f"{kind.short_name}.{name}"
    if name in HIDDEN or full_name in HIDDEN:
        return None
    if isinstance(default, bool):
        return Setting(name, default, about)
    if isinstance(default, int):
        # OpenSpiel checks few bounds, and some values crash the process. A small default is a size (of a board, of a
        # row); a larger default is a count (the plies of the longest match).
        most = 26 if 0 < default <= 26 else max(10 * default, 1000)
        least, most = BOUNDS.get(full_name, (min(default, 1), most))
        return Setting(name, default, about, minimum=least, maximum=most)
    if isinstance(default, float):
        return Setting(name, f"{default:g}", about)
    if name == "grid":
        rows = GRID if kind.short_name == "pathfinding" else default.strip("\n").replace("\n", "/")
        return Setting(name, rows, f"{about}; the rows of the grid with / between")
    if default in CHOICES:
        return Setting(name, default, about, choices=CHOICES[default])
    return Setting(name, default, about) if is_plain(kind) else None


def parameters_of(kind: Any, seats: int, settings: Mapping[str, SettingValue]) -> dict[str, Any]:
    """Return OpenSpiel's parameters for these settings. Raises BadSettings.

    Parameters with the default value are left out, because OpenSpiel may compute their defaults from other parameters.
    """
    defaults = kind.parameter_specification
    values: dict[str, Any] = {name: value for name, value in FIXED.items() if name in defaults}
    values |= {name: seats for name in SEATS if defaults.get(name, seats) != seats}
    for name, value in settings.items():
        if isinstance(value, str) and not all(sign.isalnum() or sign in " .;/+-_*" for sign in value):
            raise BadSettings(f"{shown(value)} holds characters that OpenSpiel cannot take")
        if isinstance(defaults[name], float):
            values[name] = _fraction(name, value)
        elif name == "grid":
            values[name] = _grid(str(value), seats) if kind.short_name == "pathfinding" else _grid(str(value))
        else:
            values[name] = value
    if seats > 2:
        values |= {name: _repeated(defaults[name], seats) for name in PER_SEAT if name in defaults}
    return {name: value for name, value in values.items() if value != defaults[name]}


def _fraction(name: str, value: SettingValue) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not isfinite(number) or abs(number) > 1e6:
        raise BadSettings(f"{name} must be a number from -1000000 to 1000000, not {shown(str(value))}")
    return number


def _grid(rows: str, seats: int = 26) -> str:
    absent = "".join(chr(ord("A") + seat) for seat in range(seats, 26))
    return rows.translate({ord(sign): "." for sign in absent + absent.lower()}).replace("/", "\n") + "\n"


def _repeated(numbers: str, seats: int) -> str:
    words = numbers.split()
    return " ".join([*words, *[words[-1]] * (seats - len(words))])
