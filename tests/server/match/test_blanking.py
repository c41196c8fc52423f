"""Secrets are blanked in kept frames, JSON or not, and the rest of the frame stays unchanged."""

import time

import pytest
from rumble_server.match.blanking import blanked

SECRET = "correct horse, battery"


@pytest.mark.parametrize(
    ("frame", "kept"),
    [
        ('{"type": "login", "key": "S", "name": "ann"}', '{"type": "login", "key": "***", "name": "ann"}'),
        ('{"Key" : "S", "INVITE":"S"}', '{"Key" : "***", "INVITE":"***"}'),
        ("{'key': 'S', 'name': 'ann'}", "{'key': \"***\", 'name': 'ann'}"),
        (
            '{"token": "S", "host_token": "S", "api-key": "S"}',
            '{"token": "***", "host_token": "***", "api-key": "***"}',
        ),
        ('{"key": 1234567890123456, "a": 1}', '{"key": "***", "a": 1}'),
        ('{"key": ["S"], "a": 1}', '{"key": "***"'),
        ('{"key": {"value": "S"}}', '{"key": "***"'),
        ('{key: "S", a: 1}', '{key: "***", a: 1}'),
        ("login key=0123456789abcdef now", 'login key="***" now'),
        ('{"k\\u0065y": "S", "\\u004Bey": "S"}', '{"k\\u0065y": "***", "\\u004Bey": "***"}'),
        ('{"text": "{\\"key\\": \\"S\\", \\"a\\": 1}"}', '{"text": "{\\"key\\": "***", \\"a\\": 1}"}'),
        ('{"key": "with \\" quote S", "a": 1}', '{"key": "***", "a": 1}'),
        ('{"key": "S', '{"key": "***"'),
        ('{"key":', '{"key":'),
        (
            '{"monkey": "banana", "keys": 2, "note": "the key is e4"}',
            '{"monkey": "banana", "keys": 2, "note": "the key is e4"}',
        ),
    ],
)
def test_secrets_are_blanked_and_the_rest_stays(frame: str, kept: str) -> None:
    shown = blanked(frame.replace("S", SECRET))
    assert shown == kept
    assert "horse" not in shown


@pytest.mark.parametrize(
    "piece", ["key", "key:", 'key"', 'key":', 'key":\\"', "key=\\", "key ", "key\\", "\\", "k\\u0065y", "key:{", "a"]
)
def test_the_work_grows_with_the_text_and_no_faster(piece: str) -> None:
    def cost_s(length: int) -> float:
        text = piece * (length // len(piece))
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            blanked(text)
            best = min(best, time.process_time() - start)
        return best

    assert cost_s(64_000) < 30 * cost_s(8_000) + 0.01
