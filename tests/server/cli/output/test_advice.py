from rumble_engine import Termination
from rumble_protocol.codes import CloseCode, ErrorCode, Rejection
from rumble_server.cli.output.advice import CLOSES, ERRORS, LOSSES, REJECTIONS


def test_there_is_advice_for_every_code() -> None:
    assert set(REJECTIONS) == set(Rejection)
    assert set(ERRORS) == set(ErrorCode)
    assert set(CLOSES) == set(CloseCode)
    nobodys_fault = {"normal", "resignation", "adjudication", "aborted"}
    assert set(LOSSES) == set(Termination) - nobodys_fault
