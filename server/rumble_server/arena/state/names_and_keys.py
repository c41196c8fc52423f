"""Names and their keys: the first login of a new name with a key claims the name; later logins must show the key."""

import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import assert_never

from rumble_protocol.codes import ErrorCode
from rumble_protocol.fields import NAME_PATTERN
from rumble_protocol.secret import RANDOM_BYTES, is_made, make_secret

from rumble_server.tournament.club_facts import NameFact, NameReset, NameUsed
from rumble_server.tournament.errors import CommandRefused

HOUSE_PREFIX = "house-"
"""Prefix of the names that only house bots may have."""

_name = re.compile(NAME_PATTERN)


def is_house_name(name: str) -> bool:
    """Return true if only a house bot can have this name."""
    return name.casefold().startswith(HOUSE_PREFIX)


@dataclass(frozen=True, slots=True)
class Claim:
    """A name in its first spelling. `digest` is the salted SHA-256 of the name's key.

    `salt` and `digest` are in hex. Both are None for an open name, which no key protects.
    """

    name: str
    salt: str | None
    digest: str | None
    since_ms: int = 0
    """Time in ms at which the name was first used, or first used after its last `NameReset`."""

    @property
    def is_open(self) -> bool:
        return self.digest is None


def derive_secret(secret: str, salt: str) -> str:
    """Return the made secret (see `make_secret`) that can replace `secret`, a key or token.

    If `secret` is a made secret already, return `secret` unchanged.

    Whoever has a key and its salt could compute the made secret. So salts are random and never shown.
    """
    if is_made(secret):
        return secret
    return make_secret(hmac.digest(bytes.fromhex(salt), secret.encode(), "sha256")[:RANDOM_BYTES])


def digest_of(secret: str, salt: str) -> str:
    """Return the salted SHA-256, in hex, of a key or token.

    A secret and its made secret have the same hash, so both are valid. Secrets are random and long, so a slow hash is
    not needed.
    """
    return hashlib.sha256(bytes.fromhex(salt) + derive_secret(secret, salt).encode()).hexdigest()


class Names:
    """All names in use, compared without case; rebuilt from the log. A `NameReset` removes a name."""

    def __init__(self) -> None:
        self._claims: dict[str, Claim] = {}
        self._of_house = 0

    def apply(self, fact: NameFact) -> None:
        before = len(self._claims)
        match fact:
            case NameUsed():
                earlier = self.get(fact.name)
                since_ms = fact.at_ms if earlier is None else earlier.since_ms
                self._claims[fact.name.casefold()] = Claim(fact.name, fact.salt, fact.digest, since_ms)
            case NameReset():
                self._claims.pop(fact.name.casefold(), None)
            case _:
                assert_never(fact)
        if is_house_name(fact.name):
            self._of_house += len(self._claims) - before

    @property
    def of_bots(self) -> int:
        """Number of names, without the names of house bots. The quota of bots limits this number."""
        return len(self._claims) - self._of_house

    def get(self, name: str) -> Claim | None:
        """Return the claim on a name, compared without case."""
        return self._claims.get(name.casefold())

    def owns(self, name: str, key: str) -> bool:
        """Return true if the name is claimed with this key."""
        claim = self.get(name)
        if claim is None or claim.salt is None or claim.digest is None:
            return False
        return hmac.compare_digest(claim.digest, digest_of(key, claim.salt))

    def made_key(self, name: str, key: str) -> str | None:
        """Return the made secret (see `derive_secret`) that can replace `key`, the right key of a name; None if no key
        protects the name.
        """
        claim = self.get(name)
        return None if claim is None or claim.salt is None else derive_secret(key, claim.salt)

    def check(
        self, name: str, key: str | None, *, keyless_allowed: bool, salt: str, now_ms: int
    ) -> tuple[Claim, NameUsed | None]:
        """Check a login. Return the claim on the name, and the fact to record if the name is new.

        `salt` is fresh random hex for a new claim. Raises CommandRefused with the code `bad_name`, `key_required` or
        `bad_key`.
        """
        if _name.fullmatch(name) is None:
            raise CommandRefused(
                ErrorCode.BAD_NAME,
                "a name is 1 to 32 of the letters A-Z a-z, digits, and . _ -, and begins with a letter or a digit",
            )
        claim = self.get(name)
        if claim is not None and claim.salt is not None and claim.digest is not None:
            if key is None:
                raise CommandRefused(
                    ErrorCode.KEY_REQUIRED,
                    f"the name {claim.name} is protected: log in with its key, or choose another",
                )
            if not self.owns(name, key):
                message = f"this is not the key of the name {claim.name}: bring its key, or choose another name"
                raise CommandRefused(ErrorCode.BAD_KEY, message)
            return claim, None
        if key is None and not keyless_allowed:
            raise CommandRefused(
                ErrorCode.KEY_REQUIRED,
                "from another machine a login needs a `key`: 16 to 128 characters, the same ones each time",
            )
        if claim is not None:
            return claim, None
        claim = Claim(name, None, None) if key is None else Claim(name, salt, digest_of(key, salt))
        return claim, NameUsed(claim.name, claim.salt, claim.digest, now_ms)
