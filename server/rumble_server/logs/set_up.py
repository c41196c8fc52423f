"""Setting up the logs of a server's process at its start."""

import logging
import sys
import time
from dataclasses import dataclass

from rumble_server.config import ServerConfig
from rumble_server.logs.day_file import DayFile
from rumble_server.logs.flood import FloodFilter
from rumble_server.logs.lines import Blanker, JsonLines, TextLines

AUDIT = "rumble_server.audit"
"""Name of the logger for logins, refusals and commands of hosts."""
CHATTY = ("uvicorn", "websockets", "httpx")
"""Libraries that log each start and connection.

Their records below the level `warning` are left out, unless the server's log level is `debug`.
"""


@dataclass(frozen=True, slots=True)
class Logs:
    """The logs of this process. Call `tick` about once a minute, and `close` at the end."""

    handler: logging.Handler
    flood: FloodFilter
    audit_file: DayFile | None

    def tick(self) -> None:
        """When a window of the flood filter has ended, log its counts. After midnight, begin a new audit file."""
        self.flood.tick(time.time())
        if self.audit_file is not None:
            self.audit_file.tick()

    def close(self) -> None:
        """Log the last counts of the flood filter, and undo `set_up_logs`."""
        self.flood.flush()
        audit = logging.getLogger(AUDIT)
        audit.removeFilter(self.flood)
        audit.setLevel(logging.NOTSET)
        if self.audit_file is not None:
            audit.removeHandler(self.audit_file)
            audit.propagate = True
            self.audit_file.close()
        root = logging.getLogger()
        root.removeHandler(self.handler)
        root.setLevel(logging.WARNING)


def set_up_logs(config: ServerConfig) -> Logs:
    """Set up logging to standard error, and if configured, the audit log's file.

    Raises OSError if the file cannot be opened.
    """
    blank = Blanker([token for token in (config.host_token, config.admin_token, config.metrics_token) if token])
    lines = JsonLines(blank) if config.log_json else TextLines(blank)
    level = logging.getLevelNamesMapping()[config.log_level.upper()]
    audit = logging.getLogger(AUDIT)
    audit_file = None
    if config.audit_log is not None:
        audit_file = DayFile(config.audit_log, config.bounds.address_days)
        audit_file.setFormatter(lines)
        audit.addHandler(audit_file)
        audit.propagate = False
    audit.setLevel(logging.INFO if audit_file is not None else logging.NOTSET)
    flood = FloodFilter(audit)
    audit.addFilter(flood)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(lines)
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level)
    for name in CHATTY:
        logging.getLogger(name).setLevel(level if level == logging.DEBUG else max(level, logging.WARNING))
    return Logs(handler, flood, audit_file)
