"""The identities of the clubs that this user's bots have logged in to, and the clubs' addresses.

Each `welcome.identity` is kept in the configuration folder. Each address has a JSON file in the folder:
`servers/localhost_8765.json` for the club `main`, `servers/localhost_8765/c/CLUB.json` for other clubs.

A server can claim any identity, so no key is chosen by an identity alone. After a server has moved, the identity at the
new address suggests the key kept for the old address, and the owner decides. The key of another club is never
suggested.
"""

import json
from pathlib import Path

from rumble_protocol.clubs import web_path

from rumble_bots.sdk.address import Address
from rumble_bots.sdk.errors import BadAddress
from rumble_bots.sdk.keys import config_folder, key_file, write_private


def remember(server: Address, identity: str) -> None:
    """Keep the identity of the club at an address. Raises OSError."""
    file = _folder() / f"{server.label}.json"
    if _read(file) != (server, identity):
        write_private(file, {"server": server.http_base, "identity": identity}, replace=True)


def known_elsewhere(server: Address, identity: str, name: str) -> str | None:
    """Return an address, other than `server`, at which a club named `server.club` had `identity`; else None.

    Only addresses with a kept key of the bot `name` are considered.
    """
    for file in sorted(_folder().glob(f"*{web_path(server.club)}.json")):
        other, known = _read(file) or (server, "")
        if known == identity and other.label != server.label and key_file(other, name).exists():
            return other.http_base
    return None


def _folder() -> Path:
    return config_folder() / "servers"


def _read(file: Path) -> tuple[Address, str] | None:
    """Return the address and the identity in a file.

    Return None if the file is missing or damaged, or if the address in it does not match its name.
    """
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
        server = Address.parse(str(known["server"]))
        is_its_own = _folder() / f"{server.label}.json" == file
        return (server, str(known["identity"])) if is_its_own else None
    except (OSError, ValueError, LookupError, TypeError, BadAddress):
        return None
