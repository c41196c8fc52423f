"""The tokens of those who may host here: each has a name, and only its hash is kept."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass

from rumble_server.arena.names import digest_of, exchanged
from rumble_server.tournament.facts import HostFact, HostTokenSet

DEFAULT = "default"
"""The name of the token that `--host-token` gives, or that is made at the first start."""
MOST_TOKENS = 100
"""Maximum number of tokens of a club: whatever a request shows is compared with each. One more is refused."""
ADMINISTRATOR = "administrator"
"""What the holder of the administrator's token is called; it is in no list of a club."""


@dataclass(frozen=True, slots=True)
class HostToken:
    """A token by its name; `since_ms` is when it was made."""

    name: str
    since_ms: int


class HostTokens:
    """The tokens that are valid, by name; rebuilt from the log."""

    def __init__(self, is_administrator: Callable[[str], bool] = lambda _: False) -> None:
        self._is_administrator = is_administrator
        self._tokens: dict[str, HostTokenSet] = {}

    def apply(self, fact: HostFact) -> None:
        if isinstance(fact, HostTokenSet):
            self._tokens[fact.name] = fact
        else:
            self._tokens.pop(fact.name, None)

    def __contains__(self, name: str) -> bool:
        return name in self._tokens

    def __len__(self) -> int:
        return len(self._tokens)

    def listed(self) -> list[HostToken]:
        """Return what may be shown of the tokens, oldest first."""
        return [HostToken(each.name, each.at_ms) for each in self._tokens.values()]

    def holder(self, token: str) -> str | None:
        """Return the name of this token, that of the administrator for theirs, or None if it is not valid."""
        found = ADMINISTRATOR if self._is_administrator(token) else None
        for each in self._tokens.values():
            if hmac.compare_digest(each.digest, digest_of(token, each.salt)):
                found = each.name
        return found

    def exchanged(self, token: str) -> str:
        """Return the made secret that does in the place of a valid token; it is as valid as that."""
        salts = (each.salt for each in self._tokens.values() if each.digest == digest_of(token, each.salt))
        return next((exchanged(token, salt) for salt in salts), token)
