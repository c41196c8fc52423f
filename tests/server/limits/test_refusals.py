"""Refusals are counted by reason, and logged with the address."""

import logging

import pytest
from rumble_server.limits.refusals import Refusals


def test_each_refusal_is_counted_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    refusals = Refusals()
    with caplog.at_level(logging.INFO, "rumble_server.audit"):
        refusals.count("bad_key", "192.0.2.1", "ada")
        refusals.count("bad_key", "192.0.2.2")
    assert refusals.counts == {"bad_key": 2}
    assert [(record.reason, record.address, record.about) for record in caplog.records] == [  # type: ignore[attr-defined]
        ("bad_key", "192.0.2.1", "ada"),
        ("bad_key", "192.0.2.2", ""),
    ]
