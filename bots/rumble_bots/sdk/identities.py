"""The identities of servers: which of them this user's bots logged in to, and at which addresses.

Each server's `welcome.identity` is kept in the configuration folder, one JSON file per address:
`servers/localhost_8765.json`. A server can claim any identity, so it decides nothing. It only helps to say which kept
key may be the right one after a server has moved; the owner decides.
"""

import json
from pathlib import Path

from rumble_bots.sdk.address import Address
from rumble_bots.sdk.keys import config_folder, keep, keys_of


def remember(server: Address, identity: str) -> None:
    """Keep the identity of the server at an address. Raises OSError."""
    file = _folder() / f"{server.label}.json"
    known = {"server": server.http_base, "identity": identity}
    if _read(file) != known:
        keep(file, known, replace=True)


def known_elsewhere(server: Address, identity: str, name: str) -> str | None:
    """Return another address at which this identity was seen and a key is kept for `name`; None if there is none."""
    for file in sorted(_folder().glob("*.json")):
        known = _read(file)
        if known is None or known.get("identity") != identity or file.stem == server.label:
            continue
        if (keys_of(file.stem) / f"{name.lower()}.json").exists():
            return known["server"]
    return None


def _folder() -> Path:
    return config_folder() / "servers"


def _read(file: Path) -> dict[str, str] | None:
    """Return what a file tells; None where there is none, or it is damaged: it only ever made a message better."""
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    texts = isinstance(known, dict) and all(isinstance(known.get(field), str) for field in ("server", "identity"))
    return known if texts else None
