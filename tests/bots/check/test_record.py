import pytest
from rumble_bots.check.record import LONGEST, Record


@pytest.mark.parametrize(
    "frame",
    [
        '{"type": "login", "key": "a-secret-of-16-letters"}',
        '{"type":"login","key":"a-secret-\\"of-16-letters"}',
        '{"invite" : "a-secret-of-16-letters", "broken',
    ],
)
def test_a_record_keeps_no_secret(frame: str) -> None:
    record = Record(lambda: 0.0)
    record.add("bot", frame)
    assert "secret" not in record.entries[0].text


def test_a_record_keeps_no_more_of_a_frame_than_it_needs() -> None:
    record = Record(lambda: 0.0)
    record.add("bot", "x" * (LONGEST + 5))
    assert record.entries[0].text == "x" * LONGEST + f"... ({LONGEST + 5} characters)"


def test_a_fault_outweighs_a_warning() -> None:
    record = Record(lambda: 0.0)
    record.breach("answers", "twice", fault=False)
    record.breach("answers", "another", fault=True)
    record.breach("answers", "twice", fault=False)
    found = record.found["answers"]
    assert (found.why, found.fault, found.times) == ("another", True, 2)
