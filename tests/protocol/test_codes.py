"""The exact codes, and reasons of close codes short enough for a close frame."""

from rumble_engine import Termination
from rumble_protocol.codes import CLOSE_REASONS, DO_NOT_RECONNECT, CloseCode, ErrorCode, NoticeCode, Rejection

LONGEST_REASON = 123
"""Maximum length of a close reason in bytes (RFC 6455, section 5.5: 125 bytes less 2 for the code)."""


def test_rejections() -> None:
    assert list(Rejection) == [
        "illegal_move",
        "bad_move",
        "stale_turn",
        "already_played",
        "not_your_turn",
        "unknown_match",
    ]


def test_errors() -> None:
    assert " ".join(ErrorCode) == (
        "bad_message not_logged_in already_logged_in bad_name bad_key key_required unknown_tournament invite_required "
        "tournament_closed unknown_bot unknown_game bad_settings too_many_messages protocol_not_supported unavailable "
        "banned quota"
    )


def test_notices() -> None:
    assert " ".join(NoticeCode) == (
        "paused resumed draining disk benched removed cancelled match_voided opponent_away name_open bye pairing quota "
        "seat_fell waiting host"
    )


def test_terminations() -> None:
    assert " ".join(Termination) == (
        "normal resignation illegal_move timeout disconnect no_show flood crashed adjudication aborted"
    )


def test_close_codes() -> None:
    assert [int(code) for code in CloseCode] == [1001, 1003, 1007, 1009, 1012, 4000, 4001, 4003, 4004, 4008, 4010, 4011]
    assert {int(code) for code in DO_NOT_RECONNECT} == {4001, 4003, 4004, 4010}


def test_each_close_code_has_a_reason_that_fits() -> None:
    assert list(CLOSE_REASONS) == list(CloseCode)
    for reason in CLOSE_REASONS.values():
        assert 0 < len(reason.encode()) <= LONGEST_REASON
