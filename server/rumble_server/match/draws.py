"""Random numbers of a match, computed from the chance seed of the attempt, for anybody to check afterwards.

A chance seed is 32 random bytes as hex digits. The message `match_start` has a commitment to the seed, and the field
`seed` of `match_over` is the seed itself. PROTOCOL.md has both formulas under "Chance".
"""

import hmac
from functools import lru_cache
from hashlib import sha256

SEED_BYTES = 32
"""Size of a chance seed in bytes."""


def commitment_of(chance_seed: str, match: str, attempt: int) -> str:
    """Return the commitment: the SHA-256 of the seed's bytes followed by `MATCH ATTEMPT`, as hex digits."""
    return sha256(bytes.fromhex(chance_seed) + f"{match} {attempt}".encode()).hexdigest()


def random_number_of(chance_seed: str, match: str, attempt: int, draw: int) -> int:
    """Return the random number (256 bits) of a draw: the HMAC-SHA256 of `MATCH ATTEMPT DRAW`, with the seed as key.

    Draws are counted from 0.
    """
    keyed = _keyed(chance_seed).copy()
    keyed.update(f"{match} {attempt} {draw}".encode())
    return int.from_bytes(keyed.digest())


@lru_cache(1024)  # to make such an object takes longer than the rest of a draw
def _keyed(chance_seed: str) -> hmac.HMAC:
    """Return the start of an HMAC-SHA256 with the seed as key, before any data."""
    return hmac.new(bytes.fromhex(chance_seed), digestmod="sha256")
