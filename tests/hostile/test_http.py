"""HTTP without sense: no request leaves a traceback."""

import pytest

from tests.hostile.attacker import Attacker

pytestmark = [pytest.mark.e2e, pytest.mark.long]

REFUSED = range(400, 500)


TWO_HOSTS, TWO_ORIGINS = "Host: evil.example\r\n", "Origin: http://127.0.0.1\r\nOrigin: http://evil.example\r\n"


@pytest.mark.parametrize("more", [TWO_HOSTS, TWO_ORIGINS, "Origin: http://[\r\n"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_requests_without_sense_are_answered(attacker: Attacker, method: str, more: str) -> None:
    expected = range(200, 500) if more != TWO_HOSTS else REFUSED
    assert attacker.ask("/api/tournaments", more, method=method) in expected


@pytest.mark.parametrize("path", ["//[/bot", "//evil/api/tournaments", "/%00", "/\x7f", "http://[/"])
def test_paths_without_sense_are_answered(attacker: Attacker, path: str) -> None:
    assert attacker.ask(path) in REFUSED
