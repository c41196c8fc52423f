"""Shell completion of games, bots and formats."""


def games(incomplete: str) -> list[str]:
    """Return the games and the families of games (such as `openspiel:`) whose names begin with `incomplete`."""
    from rumble_engine.registry import game_families, game_names

    names = [*game_names(), *(f"{family}:" for family in game_families())]
    return [name for name in names if name.startswith(incomplete)]


def bots(incomplete: str) -> list[str]:
    """Return the reference bots whose names begin with `incomplete`. In a list with commas, complete the last name."""
    from rumble_bots.reference import REFERENCE_BOTS

    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in REFERENCE_BOTS if name.startswith(last)]


def formats(incomplete: str) -> list[str]:
    """Return the names of formats that begin with `incomplete`."""
    from rumble_server.tournament.formats import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]
