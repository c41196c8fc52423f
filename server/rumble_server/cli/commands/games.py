"""`rumble games`: the installed games and their settings."""

import json
from typing import Any

import typer

from rumble_server.cli.support.options import Json


def games(as_json: Json = False) -> None:
    """List the installed games and their settings."""
    from rumble_engine.registry import broken_games, game_families, game_names, get_game, missing_games

    described = [get_game(name).describe() for name in game_names()]
    if as_json:
        typer.echo(json.dumps(described, indent=2))
        return
    for game in described:
        typer.echo(f"{game['name']}  {game['title']}")
        for setting, about in game["settings"].items():
            typer.echo(f"    {setting} = {json.dumps(about['default'])}  {about['help']}{_bounds(about)}")
    for family in game_families():
        typer.echo(f"{family}:NAME  a family of games; see docs/games.md")
    for name, hint in missing_games().items():
        typer.echo(f"{name}  not installed: {hint}")
    for name, problem in broken_games().items():
        typer.echo(f"{name}  left out: {problem}")


def _bounds(about: dict[str, Any]) -> str:
    if "choices" in about:
        return f" (one of {', '.join(about['choices'])})"
    if "minimum" in about or "maximum" in about:
        return f" (from {about.get('minimum', '...')} to {about.get('maximum', '...')})"
    return ""
