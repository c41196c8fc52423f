"""Shell completion of games, bots and formats, in modules that load fast."""

REFERENCE = ("random", "winner", "heuristic", "minimax", "streetwise", "mcts", "perfect")
"""The reference bots, copied from `rumble_bots.reference`, which takes long to load."""
FORMATS = ("round-robin", "gauntlet", "knockout", "swiss")


def games(incomplete: str) -> list[str]:
    """Return the installed games, and for each family the prefix of its games."""
    from rumble_engine.registry import game_families, game_names

    names = [*game_names(), *(f"{family}:" for family in game_families())]
    return [name for name in names if name.startswith(incomplete)]


def bots(incomplete: str) -> list[str]:
    """Return the reference bots; in a list with commas, as completions of the last name."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in REFERENCE if name.startswith(last)]


def formats(incomplete: str) -> list[str]:
    """Return the formats of tournaments."""
    return [name for name in FORMATS if name.startswith(incomplete)]
