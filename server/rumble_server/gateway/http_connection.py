"""HTTP connections with bounds on bytes, time and number. A bot's connection begins as an HTTP connection, too.

uvicorn makes an `HttpConnection` for each socket, parses requests and runs the web. This module adds missing bounds:
- the bytes of a request outside of its body,
- the time for the headers, for a body, and for the peer to read an answer,
- the number of requests that wait for earlier answers,
- the work in one iteration of the event loop.

A refused request is answered after all earlier requests, and then the connection ends.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from enum import Enum, auto
from functools import partial
from http import HTTPStatus
from typing import Any, cast

import httptools
from rumble_protocol.clubs import MAIN, split_path

from rumble_server.gateway.answers import empty_answer, text_answer
from rumble_server.gateway.deadline import Deadline
from rumble_server.gateway.descriptors import Idleness
from rumble_server.gateway.handshake import LEADER_PATH
from rumble_server.gateway.peer import Peer
from rumble_server.gateway.request_checks import (
    TOO_MANY,
    TOO_MANY_CONNECTIONS,
    TOO_MANY_REQUESTS,
    Refusal,
    refusal_of_upgrade,
    refusal_of_url,
    requests_in_headers,
    shows_made_token,
    too_large,
)
from rumble_server.gateway.request_fairness import STOPS
from rumble_server.gateway.request_progress import RequestProgress
from rumble_server.gateway.shared_by_connections import SharedByConnections
from rumble_server.gateway.unparsed_bytes import UnparsedBytes
from rumble_server.gateway.upgrade import Upgrade
from rumble_server.gateway.uvicorn_connection import UvicornConnection
from rumble_server.limits.permits import Permit

LINGER_MS = 1_000
"""Time in ms that a connection stays open after its last answer, so that the peer can read the answer."""


class _Phase(Enum):
    """The phases of an HTTP connection."""

    READING = auto()
    """Requests are read and answered."""
    ENDING = auto()
    """Further input is dropped. A last answer or an upgrade waits until all earlier requests are answered."""
    ENDED = auto()
    """Further input is dropped. The last answer or an upgrade has begun, or the socket is lost."""


class HttpConnection(UvicornConnection):
    """An HTTP connection, up to its end, or up to an upgrade after which `Connection` takes over the socket."""

    def __init__(self, shared: SharedByConnections, **kwargs: Any) -> None:
        """Make a connection for uvicorn. `kwargs` are the arguments of uvicorn's own protocol class."""
        super().__init__(**kwargs)
        self._shared = shared
        self.opened_ms = shared.clock.now_ms()
        self._club, self._path = MAIN, ""
        """For the newest request whose headers are complete: the club, and the part of the path after the club."""
        self.unparsed = UnparsedBytes(shared.bounds, shared.fairness)
        """Bytes that wait to be parsed. Reading from the socket is paused until all of them are parsed."""
        self._phase = _Phase.READING
        self._last_action: Callable[[], None] | None = None
        """In the phase `ENDING`, the action to run after all earlier requests are answered; else None."""
        self._upgrade: Upgrade | None = None
        """The upgrade to a bot's connection, once it was requested; else None."""
        self._is_question = False
        """True if the newest request was a proxy's question, which `_answer_question` has answered."""
        self.request = RequestProgress()
        """Progress of the newest request."""
        self._deadline = Deadline(self.loop)
        """Timer for the request that is being received, or after the last answer for the end of the connection."""
        self._read_deadline = Deadline(self.loop)
        """Timer that ends the connection if the peer does not read the bytes written to it."""

    # --- asyncio.Protocol ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Acquire a permit for the connection from its address, or refuse the connection."""
        super().connection_made(transport)
        self.peer = Peer(self._shared, self.transport, self.client[0] if self.client else "")
        descriptors, socket = self._shared.descriptors, transport.get_extra_info("socket")
        # The system no longer has the address of a TCP peer that has reset the connection. Without an address, the peer
        # would count as the peer of a Unix socket, which no limit counts.
        has_gone = self.client is None and self.server is not None and self.server[1] is not None
        connections = cast(Any, self.connections)
        lacks_descriptors = socket is not None and not descriptors.make_place(self, socket.fileno(), connections)
        if has_gone or lacks_descriptors:
            self.transport.abort()
            return
        self._shared.fairness.sockets.add(self)
        self.peer.acquire_permit(self._start_reading, self._refuse_without_permit)

    def _start_reading(self) -> None:
        """Begin to read requests. Bytes received during the wait for the permit come first."""
        self._set_deadline()
        if self.unparsed or not self.transport.is_reading():
            self._continue_reading()

    def _refuse_without_permit(self) -> None:
        """Answer the first request with a refusal.

        If too many connections of the address wait for such an answer, end the connection.
        """
        if not self.peer.acquire_refusal_permit():
            self.transport.abort()
        else:
            self._plan_last_action(partial(self.answer, HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY))
            self._deadline.begin(LINGER_MS, self.transport.abort)
            if self.unparsed:
                self._run_last_action()
            else:
                self.transport.resume_reading()

    def eof_received(self) -> None:
        self._shared.fairness.claim_time()  # counts the end of a connection, which takes time as a request does

    def connection_lost(self, exc: Exception | None) -> None:
        self._shared.fairness.forget_socket(self)
        self._mark_ended()
        self._withdraw_all()
        self._shared.fairness.run_or_enqueue(self.address, partial(self._clean_up, exc))

    def _clean_up(self, exc: Exception | None) -> None:
        """Release what a lost connection holds: its timers, its entry in the queue, and its permit."""
        super().connection_lost(exc)
        self._cancel_timers()
        self.resume_writing()
        self._upgrade = None  # refers to this connection
        self._drop_references()
        self.peer.release()

    def shutdown(self) -> None:
        """End the connection because the server stops. A request whose body is not complete is refused."""
        if self.request.is_in_body and self._phase is _Phase.READING:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, STOPS, "stopping")
        else:
            super().shutdown()

    def data_received(self, data: bytes) -> None:
        """Parse received bytes, up to the bounds of an iteration of the loop. The rest waits."""
        if self._phase is not _Phase.READING:
            self._shared.fairness.claim_time()  # counts dropped bytes, too
            self._run_last_action()
            return
        is_paused = self.unparsed or self.peer.is_waiting  # a transport may deliver bytes read before the pause
        self.unparsed.add(data)
        if is_paused:
            self.transport.pause_reading()  # again, because some transports start to read after `connection_made`
        else:
            self._parse()

    def on_scheduled(self) -> None:
        """Parse bytes that waited for this iteration of the loop.

        If no bytes are left, resume reading from the socket.
        """
        if self.unparsed and self._phase is _Phase.READING and not self.transport.is_closing():
            self._parse()
        self.resume_socket()

    def _is_parsing_paused(self) -> bool:
        """Return true if no bytes may be parsed now.

        Earlier answers are not sent yet, the web has to read more of a body, or the phase is not `READING`.
        """
        return self._phase is not _Phase.READING or self._is_web_behind()

    def resume_socket(self) -> None:
        is_dropping = self._phase is _Phase.ENDING and self._upgrade is None
        must_wait = self in self._shared.fairness.unread or self.transport.is_closing()
        if not must_wait and (is_dropping or not (self.unparsed or self._is_parsing_paused())):
            self.transport.resume_reading()

    def _continue_reading(self) -> None:
        self._shared.fairness.enqueue(self)

    def _parse(self) -> None:
        """Parse bytes, up to the bounds of an iteration of the loop. The rest waits, or is dropped after a refusal."""
        unparsed, request, most_bytes = self.unparsed, self.request, self._shared.bounds.header_bytes
        for piece in unparsed.pieces(self._is_parsing_paused):
            try:
                self.parser.feed_data(piece)
            except httptools.HttpParserUpgrade as upgrade:
                self._on_upgrade(piece[upgrade.args[0] :] + unparsed.take())
            except httptools.HttpParserError:
                if self._phase is _Phase.READING:
                    self._refuse(HTTPStatus.BAD_REQUEST, "this is no valid HTTP request\n", "bad_request")
            request.other_bytes += len(piece)
            if self._phase is _Phase.READING and request.is_coming and request.size > most_bytes:
                self._refuse(*too_large(most_bytes))
        if self._phase is not _Phase.READING:
            unparsed.clear()
        elif unparsed:
            self.transport.pause_reading()
            if not self._is_parsing_paused():
                self._continue_reading()
        self._set_deadline()

    # --- the parser's callbacks ---

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._stop_idle_timer()
        self.request.begin(self.headers)

    def on_headers_complete(self) -> None:
        """Find the source of the request. Then refuse the request, or let uvicorn run the web."""
        self.request.is_in_head = False
        if self._phase is not _Phase.READING:  # a piece of input may hold a request after a refused one
            return
        self._is_question = self.url == LEADER_PATH and self._answer_question()
        if self._is_question:
            return
        self._club, self._path = split_path(self.url.partition(b"?")[0].decode("latin-1"))
        source = self.peer.identify(str(self.scheme), self.headers)
        self.scope["client"] = (source.address, self.client[1] if self.client else 0)
        self.scope["scheme"] = source.scheme
        self.scope["state"]["is_local"] = source.is_local
        self.scope["state"]["forwarded_host"] = source.forwarded_host
        self.scope["state"]["is_closing"] = self.transport.is_closing
        refusal = self._refusal()
        if refusal is not None:
            self._refuse(*refusal)
        else:
            self._run_web(is_last=self.peer.lacks_room)
            self.request.is_in_body = True

    def _answer_question(self) -> bool:
        """Answer a proxy's question (which node leads the club of a path?), and return True; otherwise return False.

        Limits do not count the question, because a proxy asks a question for each request of every visitor.
        """
        question = self._shared.question
        if question is None or self._is_answering() or not self.peer.is_proxy():
            return False
        if self.parser.should_upgrade():  # bytes of another protocol may follow the request
            return False
        answer = question.answer(self.headers)
        if answer is None:
            return False
        is_last = not self.parser.should_keep_alive()
        self.transport.write(empty_answer(*answer, is_last=is_last))
        if is_last:
            self.transport.close()
        else:
            self._start_idle_timer()
        return True

    def _refusal(self) -> Refusal | None:
        """Check the headers of a request. Return the refusal, or None if the request is acceptable."""
        most_bytes = self._shared.bounds.header_bytes
        refusal = too_large(most_bytes) if self.request.size > most_bytes else refusal_of_url(self.url)
        if refusal is not None:
            return refusal
        ban = self.peer.ban(self._club)
        if ban is not None:
            return Refusal(HTTPStatus.FORBIDDEN, f"{ban.message}\n", "banned")
        upgrades = self._should_upgrade()
        # The web counts each request that the web answers. Upgrades and large numbers of headers are counted here.
        if not self.peer.take_requests(upgrades + requests_in_headers(self.headers)):
            return TOO_MANY_REQUESTS
        if upgrades:
            return refusal_of_upgrade(self.parser.get_http_version(), self.headers)
        if self.peer.lacks_room and not shows_made_token(self.headers):
            return TOO_MANY_CONNECTIONS
        return None

    def on_body(self, body: bytes) -> None:
        self.request.other_bytes -= len(body)
        if self._phase is _Phase.READING and not self._is_question:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self.request.is_in_body = False
        if self._phase is _Phase.READING and not self._is_question and not self._should_upgrade():
            super().on_message_complete()
            self.peer.mark_known()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._expect_reader()
        elif self._phase is not _Phase.READING:
            self._run_last_action()
        elif not self.transport.is_reading():
            self._continue_reading()

    # --- upgrades ---

    def _on_upgrade(self, rest: bytes) -> None:
        """Handle a request for an upgrade to another protocol. `rest` has the bytes after the request."""
        if self._phase is not _Phase.READING:
            return
        if self._should_upgrade():
            self.transport.pause_reading()
            self._upgrade = Upgrade(self, self._shared, self.peer.source, self._club, self._path, rest)
            self._plan_last_action(self._upgrade.begin)
            self._run_last_action()
        else:
            self._end_with_answer()  # the request is answered as HTTP; the bytes after it cannot be read
            self._plan_last_action(self._close)

    def acquire_permit(self, then: Callable[[Permit], None]) -> None:
        """Acquire a permit for a bot's connection, and call `then` with the permit. Refuse if no permit is free."""
        self.peer.acquire_bot_permit(then, partial(self.answer, HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY))

    def detach(self) -> bytes:
        """Stop using the socket, and return the bytes of the upgrade request."""
        request = self._request_bytes()
        self._cancel_timers()
        self._read_deadline.end()  # may run for an earlier answer, and would end the bot's connection
        self._shared.fairness.forget_socket(self)
        self.connections.discard(self)
        self._upgrade = None  # refers to this connection
        self._drop_references()
        return request

    # --- the end ---

    def _refuse(self, status: HTTPStatus, text: str, reason: str, header: bytes = b"") -> None:
        """Answer with a refusal after all earlier answers, and drop further input. The fields are those of `Refusal`.

        A large request counts as several requests.
        """
        self.peer.take_requests(self.request.requests_if_refused)
        self.peer.count_refusal(reason)
        self._plan_last_action(partial(self.answer, status, text, header))
        if not self.request.is_in_body or self._withdraw():
            self._run_last_action()
        else:
            self._close()

    def _plan_last_action(self, action: Callable[[], None]) -> None:
        """Begin the phase `ENDING`, with `action` as the last action."""
        self._phase, self._last_action = _Phase.ENDING, action

    def _mark_ended(self) -> None:
        """Begin the phase `ENDED`. Drop the last action, which refers to this connection."""
        self._phase, self._last_action = _Phase.ENDED, None

    def _run_last_action(self) -> None:
        """Run the last action if the connection is in the phase `ENDING`, and all earlier requests are answered."""
        action = self._last_action
        if action is not None and not self._is_answering():
            self._mark_ended()
            action()

    def answer(self, status: HTTPStatus, text: str, header: bytes = b"") -> None:
        """Write an answer. `header` has further header lines, if any.

        Then leave the peer `LINGER_MS` to read the answer, and end the connection.
        """
        self._mark_ended()
        self._cancel_timers()
        self.unparsed.clear()
        self.transport.write(text_answer(status, text, header))
        if self.transport.can_write_eof():
            # A close with unread input would send a reset, on which the peer drops the answer.
            self.transport.pause_reading()
            with suppress(OSError):  # a loop of asyncio raises if the peer has gone
                self.transport.write_eof()
            self._deadline.begin(LINGER_MS, self.transport.abort)
        else:
            self._close()

    def _cancel_timers(self) -> None:
        self._stop_idle_timer()
        self._deadline.end()

    # --- deadlines ---

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._read_deadline.end()

    def timeout_keep_alive_handler(self) -> None:
        if self.transport.is_reading():
            self._close()
        elif not self.transport.is_closing():  # the next request may have come already
            self._start_idle_timer()

    def _close(self) -> None:
        """Close the connection after the peer has read all written bytes.

        If the peer reads nothing for too long, cut the connection.
        """
        self.transport.close()
        self._expect_reader()

    def _expect_reader(self) -> None:
        self._read_deadline.begin(self._shared.bounds.unread_ms, self._on_unread)

    def _on_unread(self) -> None:
        self.peer.count_refusal("unread")
        self.transport.abort()

    def _set_deadline(self) -> None:
        """Set the timer for the headers or the body of the request that is being received."""
        if self._phase is not _Phase.READING:
            return
        request = self.request
        if request.is_coming:
            bounds = self._shared.bounds
            ms = bounds.header_ms if request.is_in_head else bounds.body_ms
            self._deadline.begin(ms, self._on_slow_request, (request.number, request.is_in_head))
        else:
            self._deadline.end()

    def _on_slow_request(self) -> None:
        if self._is_parsing_paused() or not self.transport.is_reading():
            # The server does not read, so the peer is not late.
            self._set_deadline()
        elif self.request.number == 0:
            self.transport.close()
        elif self.request.is_in_head:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the headers took too long\n", "header_time")
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the body took too long\n", "body_time")

    # --- when descriptors run out, or an address is banned ---

    @property
    def address(self) -> str:
        """Address of the peer, by which limits count the connection."""
        return self.peer.address

    @property
    def idleness(self) -> Idleness | None:
        """Degree of idleness of the connection.

        Until the headers of the first request are complete, the connection is a stranger (`STRANGER`). Afterwards the
        value is None while a request is received or answered, and else `BETWEEN_REQUESTS`.
        """
        if not self.request.has_head:
            return Idleness.STRANGER
        return None if self.request.is_coming or self._is_answering() else Idleness.BETWEEN_REQUESTS

    def abort(self) -> None:
        """End the connection at once, to free its descriptor."""
        self.transport.abort()

    def close_if_banned(self) -> None:
        """End the connection if the source of its newest request is banned."""
        if self.peer.ban(self._club) is not None:
            self.transport.abort()
