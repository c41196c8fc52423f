"""Secrets that Rumble makes: host tokens, keys of names, codes of invitations.

A made secret is `rumble_`, 128 random bits as 32 hexadecimal digits, and the CRC-32 of these digits as 8 further
digits. Nobody can guess 128 bits. A server therefore sets no limit to the number of wrong secrets of this form.
"""

import re
import secrets
from zlib import crc32

PREFIX = "rumble_"
RANDOM_BYTES = 16

_form = re.compile(f"{PREFIX}([0-9a-f]{{{2 * RANDOM_BYTES}}})[0-9a-f]{{8}}")


def make_secret(random: bytes | None = None) -> str:
    """Make a secret of 47 characters, from 16 given bytes or from new random bytes."""
    digits = (secrets.token_bytes(RANDOM_BYTES) if random is None else random).hex()
    return f"{PREFIX}{digits}{crc32(digits.encode()):08x}"


def is_made(text: str) -> bool:
    """Return whether a text has the form of a made secret, with the right checksum."""
    found = _form.fullmatch(text)
    return found is not None and text == make_secret(bytes.fromhex(found[1]))
