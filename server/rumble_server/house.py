"""House bots are those whose names are claimed with a key that only the host's token gives."""

import hashlib
import hmac


def house_key(host_token: str, name: str) -> str:
    """The key of the house bot `name`: the same after every restart, and nobody else's to know."""
    return hmac.new(host_token.encode(), f"house {name}".encode(), hashlib.sha256).hexdigest()
