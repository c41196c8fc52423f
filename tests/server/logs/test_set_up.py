import json
import logging
from contextlib import closing
from pathlib import Path

import pytest
from rumble_server.config import ServerConfig
from rumble_server.limits.bounds import Bounds
from rumble_server.logs.set_up import AUDIT, set_up_logs

log, audit = logging.getLogger("rumble_server.test"), logging.getLogger(AUDIT)


def test_everything_goes_to_standard_error_in_one_format(capsys: pytest.CaptureFixture[str]) -> None:
    with closing(set_up_logs(ServerConfig(log_json=True, host_token="my-host-token"))):
        log.debug("too fine")
        log.info("with my-host-token")
        audit.info("logged in", extra={"bot": "ann", "address": "10.0.0.1"})
        logging.getLogger("uvicorn.error").info("Started server process")
        logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
    log.warning("after the end")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    assert [(line["level"], line["message"]) for line in lines] == [
        ("INFO", "with ***"),
        ("INFO", "logged in"),
        ("WARNING", "Invalid HTTP request received."),
    ]


def test_the_audit_log_may_have_a_file_whatever_the_level(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "audit.log"
    config = ServerConfig(audit_log=str(path), log_level="error", bounds=Bounds(address_days=7))
    with closing(set_up_logs(config)) as logs:
        for _ in range(3):
            audit.info("refused", extra={"reason": "names", "address": "10.0.0.1"})
        logs.tick()
        log.info("not asked for")
        log.error("asked for")
    assert audit.level == logging.NOTSET, "what is logged later is not told whatever the level"
    assert [line.split(maxsplit=2)[2] for line in path.read_text().splitlines()] == [
        "rumble_server.audit: refused reason=names address=10.0.0.1",
        "rumble_server.audit: refused reason=names address=10.0.0.1 more=2",
    ]
    assert [line.split(maxsplit=1)[1] for line in capsys.readouterr().err.splitlines()] == [
        "ERROR rumble_server.test: asked for"
    ]


def test_a_file_that_cannot_be_opened_is_an_error_of_the_start(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        set_up_logs(ServerConfig(audit_log=str(tmp_path / "nowhere" / "audit.log")))
