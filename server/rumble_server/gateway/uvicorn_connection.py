"""uvicorn's HTTP connection, with methods for its inner parts, which uvicorn does not document.

No other module uses the inner parts, so an update of uvicorn that changes them concerns this module alone:
- private names: `_get_upgrade`, `_should_upgrade`, `_unset_keepalive_if_required`,
- the requests: `cycle` (the newest), `pipeline` (those not begun yet), and the fields of a `RequestResponseCycle`,
- the flow control, `flow`,
- the timer between two requests, `timeout_keep_alive_task`.

`HttpConnection` overrides callbacks, and reads the plain fields of a connection (`transport`, `loop`, `client`,
`scheme`, `connections`, `parser`) and of the newest request (`url`, `headers`, `scope`).
"""

import asyncio
from collections.abc import Callable
from typing import Any, cast

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle


class _Flow(FlowControl):
    """uvicorn's flow control, with a change: after a pause, bytes already read are parsed before reading resumes."""

    def __init__(self, transport: asyncio.Transport, continue_reading: Callable[[], None]) -> None:
        super().__init__(transport)
        self._continue_reading = continue_reading

    def resume_reading(self) -> None:
        if self.read_paused:
            self.read_paused = False
            self._continue_reading()


class UvicornConnection(HttpToolsProtocol):
    """uvicorn's HTTP connection, which runs the web for each request."""

    def __init__(self, **kwargs: Any) -> None:
        """Make a connection for uvicorn. `kwargs` are the arguments of uvicorn's own class."""
        super().__init__(**kwargs)
        self._cycles: list[RequestResponseCycle] = []
        """Requests that are not answered yet, oldest first."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        self.flow = _Flow(self.transport, self._continue_reading)

    def _continue_reading(self) -> None:
        """Parse waiting bytes, and then resume reading. uvicorn is ready for more bytes."""
        raise NotImplementedError

    # --- requests and answers ---

    def _is_answering(self) -> bool:
        """Return true if a request is not completely answered."""
        return any(not cycle.response_complete for cycle in self._cycles)

    def _is_web_behind(self) -> bool:
        """Return true if requests wait for earlier answers, or the web has to read more of a body."""
        return self.flow.read_paused or bool(self.pipeline)

    def _should_upgrade(self) -> bool:
        """Return true if the newest request asks for a WebSocket. uvicorn calls this method, and runs no web if so."""
        return bool(self.parser.should_upgrade()) and self._get_upgrade() == b"websocket"

    def _run_web(self, *, is_last: bool) -> None:
        """Run the web for the newest request. If `is_last` is true, the connection ends with the answer."""
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:
            self._cycles.append(self.cycle)
            if is_last:
                self._end_with_answer()

    def _end_with_answer(self) -> None:
        """Let uvicorn close the connection after the answer to the newest request."""
        self.cycle.keep_alive = False

    def on_response_complete(self) -> None:
        self._cycles = [cycle for cycle in self._cycles if not cycle.response_complete]
        super().on_response_complete()

    def _withdraw(self) -> bool:
        """Withdraw the newest request from the web, so that the web sends no answer, and return true.

        Return False if a part of the answer is sent.
        """
        if self.pipeline:  # the newest request waits for earlier answers
            self.pipeline.popleft()
        elif self.cycle.response_started:
            return False
        _disconnect(self.cycle)
        self._cycles.remove(self.cycle)
        return True

    def _withdraw_all(self) -> None:
        """Tell the web that the peer has gone.

        uvicorn tells only the newest request, but an earlier request may be an endless stream.
        """
        for cycle in self._cycles:
            _disconnect(cycle)
        self._cycles.clear()

    # --- the timer between two requests, which calls `timeout_keep_alive_handler` ---

    _stop_idle_timer = HttpToolsProtocol._unset_keepalive_if_required

    def _start_idle_timer(self) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    # --- the end ---

    def _request_bytes(self) -> bytes:
        """Return the bytes of the newest request, without a body."""
        method = self.scope["method"].encode()
        lines = [b"%s %s HTTP/1.1" % (method, self.url), *(b"%s: %s" % header for header in self.headers), b"", b""]
        return b"\r\n".join(lines)

    def _drop_references(self) -> None:
        """Drop the objects that refer to this connection, so that it is freed without the garbage collector."""
        self.parser = self.cycle = self.flow = None  # type: ignore[assignment]


def _disconnect(cycle: RequestResponseCycle) -> None:
    cycle.disconnected = True
    cycle.message_event.set()
