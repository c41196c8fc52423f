import re

from rumble_protocol.fields import NAME_PATTERN
from rumble_server.web.random_names import FIRST, SECOND, random_name


def test_every_name_that_can_be_made_can_be_a_bot_s() -> None:
    assert all(re.fullmatch("[a-z]{3,9}", word) for word in FIRST + SECOND)
    assert re.match(NAME_PATTERN, f"{max(FIRST, key=len)}-{max(SECOND, key=len)}-99")


def test_a_class_is_unlikely_to_have_a_name_twice() -> None:
    assert len(set(FIRST)) * len(set(SECOND)) * 90 > 300_000
    assert len({random_name() for _ in range(20)}) > 10
