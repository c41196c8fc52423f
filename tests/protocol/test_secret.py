import re
from zlib import crc32

import pytest
from rumble_protocol.secret import is_made, make_secret

MADE = make_secret(bytes(16))


def test_a_made_secret_has_128_random_bits_and_their_checksum() -> None:
    made = make_secret()
    assert re.fullmatch("rumble_[0-9a-f]{40}", made)
    assert made.endswith(f"{crc32(made[7:39].encode()):08x}")
    assert is_made(made)
    assert make_secret() != made
    assert make_secret(bytes(16)) == "rumble_" + 32 * "0" + "a0f292d0"


@pytest.mark.parametrize(
    "text", ["", "choose-something-long", MADE[7:], MADE + "0", MADE.upper(), make_secret(bytes(8))]
)
def test_other_texts_are_not_made(text: str) -> None:
    assert not is_made(text)


def test_a_mistyped_secret_is_not_made() -> None:
    made = make_secret()
    for at in range(7, len(made)):
        other = "1" if made[at] == "0" else "0"
        assert not is_made(made[:at] + other + made[at + 1 :])
