"""The key of a bot's login: found before the login, and kept after the server has accepted it."""

import logging
import os
from dataclasses import dataclass, replace
from typing import Self

from rumble_protocol.codes import ErrorCode

from rumble_bots.sdk.address import Address
from rumble_bots.sdk.errors import BadKey
from rumble_bots.sdk.identities import known_elsewhere, remember
from rumble_bots.sdk.keys import check_key, keep_key, kept_key, kept_token, token_file, write_private

KEY_VARIABLE = "RUMBLE_KEY"
ABOUT_KEYS = (ErrorCode.BAD_KEY, ErrorCode.KEY_REQUIRED)
"""Codes of refusals because of a wrong or missing key.

After such a refusal, `hint` looks for a key that is kept for another address of the server.
"""

logger = logging.getLogger("rumble_bots")


@dataclass(frozen=True, slots=True)
class OwnKey:
    """The key with which the bot `name` logs in to `server`."""

    server: Address
    name: str
    key: str
    is_kept: bool
    """True if the key is in a key file of the SDK, false if the bot's owner gave it."""
    is_of_another: bool = False
    """True if the key comes from the key file of another address of the same club."""

    @property
    def made_key(self) -> str | None:
        """The kept secret that the server made in exchange for `key`; None if no secret is kept."""
        kept = kept_token(self.server, self._exchanged)
        return None if kept == self._exchanged else kept

    @property
    def _exchanged(self) -> str:
        """The text that identifies the made key among the kept keys: the bot's name and the owner's key.

        The name is in the text because the server makes a different key for each name, even if the owner's key is the
        same.
        """
        return f"{self.name.lower()}:{self.key}"

    @classmethod
    def find(cls, server: Address, name: str, key: str | None, same_server: str | None) -> Self:
        """Return the bot's own key. If `same_server` is given, return the key kept for the address `same_server`.

        Otherwise return `key`, or else the value of `RUMBLE_KEY`, or else the key kept for `server`. If no key is kept
        for `server`, make and keep a new key.

        Raises BadAddress, BadKey.
        """
        if same_server is not None:
            other = Address.parse(same_server)
            if other.club != server.club:
                right = replace(other, club=server.club).http_base
                raise BadKey(f"{same_server} is the club {other.club}, and keys are of one club: --same-server {right}")
            return cls(server, name, kept_key(other, name, new=False), True, is_of_another=True)
        given = key or os.environ.get(KEY_VARIABLE)
        return cls(server, name, check_key(given) if given else kept_key(server, name), is_kept=not given)

    def admitted(self, identity: str, made_key: str | None = None) -> None:
        """Keep `made_key`, if any. If `is_kept`, keep the club's identity.

        If `is_of_another`, keep the key for `server`. Call this method when the server has accepted the key.
        """
        try:
            if made_key is not None:
                write_private(token_file(self.server, self._exchanged), {"token": made_key}, replace=True)
            if not self.is_kept:
                return
            if self.is_of_another:
                keep_key(self.server, self.name, self.key, replace=True)
            if identity:
                remember(self.server, identity)
        except OSError as error:
            logger.warning("cannot keep what is known of %s: %s", self.server.http_base, error)

    def hint(self, code: str, identity: str) -> str:
        """Return advice for the owner after a refusal with `code`; empty without advice."""
        if code not in ABOUT_KEYS or not self.is_kept or not identity:
            return ""
        old = known_elsewhere(self.server, identity, self.name)
        if old is None:
            return ""
        return f"it says that it is the server of {old}: if so, --same-server {old} logs in with the key kept for that"
