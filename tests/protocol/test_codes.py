"""Reasons of close codes, short enough for a close frame."""

from rumble_protocol.codes import CLOSE_REASONS, CloseCode

LONGEST_REASON = 123
"""Maximum length of a close reason in bytes (RFC 6455, section 5.5: 125 bytes less 2 for the code)."""


def test_each_close_code_has_a_reason_that_fits() -> None:
    assert list(CLOSE_REASONS) == list(CloseCode)
    for reason in CLOSE_REASONS.values():
        assert 0 < len(reason.encode()) <= LONGEST_REASON
