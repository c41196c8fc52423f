"""Random numbers of a match, by the rule in PROTOCOL.md."""

from hashlib import sha256

from rumble_server.match.draws import SEED_BYTES, commitment_of, random_number_of

SEED = "00" * SEED_BYTES


def test_the_commitment_is_the_hash_of_the_seed_and_the_attempt() -> None:
    assert commitment_of(SEED, "friday.1.1.1.2", 1) == sha256(bytes(32) + b"friday.1.1.1.2 1").hexdigest()
    assert commitment_of(SEED, "friday.1.1.1.2", 2) != commitment_of(SEED, "friday.1.1.1.2", 1)


def test_each_draw_has_a_number_of_its_own() -> None:
    # openssl dgst -sha256 -mac HMAC -macopt hexkey:0000...00 of `friday.1.1.1.2 1 0`
    assert (
        f"{random_number_of(SEED, 'friday.1.1.1.2', 1, 0):064x}"
        == "be192b17c5f657233fefdf73aff145e95a5b43781334701969c208e01436472e"
    )
    numbers = {random_number_of(SEED, "friday.1.1.1.2", attempt, draw) for attempt in (1, 2) for draw in range(50)}
    assert len(numbers) == 100
