"""Reading the tables in Rumble's own JSON export."""

from typing import Any

from rumble_server.results.file_contents import FileNames
from rumble_server.results.table_result import TableResult
from rumble_server.results.tables.reading import read_table


def has_tables(matches: list[Any]) -> bool:
    """Return true if any match has more than two seats."""
    return any(isinstance(m, dict) and isinstance(m.get("seats"), list) and len(m["seats"]) > 2 for m in matches)


def read_export_table(match: Any, where: str, names: FileNames) -> TableResult | list[str]:
    """Return the result of a match of the export, or a list of problems."""
    if not isinstance(match, dict):
        return [f"{where}: not an object"]
    seats, falls = match.get("seats"), match.get("falls") or []
    if not isinstance(seats, list) or len(seats) < 2:
        return [f"{where}.seats: not a list of two names or more"]
    columns = {"seat": seats}
    for name in ("place", "payoff"):
        columns[name] = match.get(f"{name}s") or [None] * len(seats)
        if not isinstance(columns[name], list) or len(columns[name]) != len(seats):
            return [f"{where}.{name}s: not a list with a {name} for each seat"]
    columns["fall"] = [None] * len(seats)
    for fall in falls if isinstance(falls, list) else [None]:
        if not isinstance(fall, dict) or type(fall.get("seat")) is not int or not 0 <= fall["seat"] < len(seats):
            return [f"{where}.falls: not a list of objects with seats"]
        columns["fall"][fall["seat"]] = fall.get("termination", "")
    return read_table(columns, str(match.get("id", "")), names, lambda name, seat: f"{where}.{name}s[{seat}]")
