"""HTTP connections with bounds on bytes, time and number. The connection of a bot begins here, too.

uvicorn makes an `HttpConnection` for each socket, parses requests and answers. This module bounds what uvicorn leaves
unbounded: the bytes of headers, trailers and all else but bodies; the time for headers, for a body, and for the reading
of an answer; the number of requests that wait for earlier answers; the work in a turn of the loop. A refusal is sent
after the answers to all earlier requests, and then the connection ends.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any, cast

import httptools
from rumble_protocol.clubs import MAIN, split_path, web_path
from rumble_protocol.codes import CloseCode
from rumble_protocol.secret import is_made
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from rumble_server.gateway.connection import Connection
from rumble_server.gateway.descriptors import Idleness
from rumble_server.gateway.entrance import Entrance, HasGateway
from rumble_server.gateway.handshake import BOT_PATH, LEADER_PATH
from rumble_server.gateway.request_turns import STOPS
from rumble_server.limits.bans import Ban
from rumble_server.limits.connections import WAIT_MS, Newcomer, Place
from rumble_server.limits.source import Source, source_of
from rumble_server.store.errors import StoreError

log = logging.getLogger(__name__)

LEAST_REQUEST_BYTES = 16
"""Size in bytes of the shortest request: `GET / HTTP/1.1` and two ends of lines."""
HEADER_OVERHEAD = 32
"""Bytes added to the size of each header, as in HTTP/2 (RFC 9113, section 6.5.2)."""
MOST_URL_BYTES = 4_096
"""Maximum size in bytes of a path with its query, because many routes match the path."""
HEADERS_OF_A_REQUEST = 32
"""Number of headers that count as one more request of the address; browsers send some 15."""
BYTES_OF_A_REQUEST = 1_024
"""Number of bytes in a refused request that count as one more request of the address."""
LINGER_S = 1.0
"""Time in s for which a connection stays open after the last answer, for the peer to read the answer."""
Refusal = tuple[HTTPStatus, str, str]
"""The status and the text of the answer, and the reason as a word."""
TOO_MANY = "too many connections from your address\n"


class _Flow(FlowControl):
    """uvicorn's flow control, with a change: bytes read before a pause are parsed before more bytes are read."""

    def __init__(self, transport: asyncio.Transport, go_on: Callable[[], None]) -> None:
        super().__init__(transport)
        self._go_on = go_on

    def resume_reading(self) -> None:
        if self.read_paused:
            self.read_paused = False
            self._go_on()


class HttpConnection(HttpToolsProtocol):
    """An HTTP connection, until its end or until the upgrade to a bot's `Connection`."""

    def __init__(self, entrance: Entrance, **given: Any) -> None:
        """Make a connection for uvicorn. `given` has uvicorn's own arguments."""
        super().__init__(**given)
        self._entrance = entrance
        self._peer = self.address = ""
        self.opened_ms = entrance.clock.now_ms()
        self._place: Place | None = None
        self._seeking: tuple[Newcomer, asyncio.TimerHandle] | None = None
        """Place in the queue for a free place, and the timer that ends the waiting."""
        self._source = Source("", False, "http")
        """Source of the newest request with complete headers."""
        self._club, self._path = MAIN, ""
        """Club of the newest request with complete headers, and the path within the club."""
        self.rest = b""
        """Bytes to parse later, from `rest_at` on. Nothing is read from the socket until they are parsed."""
        self.rest_at = 0
        self._goes_on = False
        """True while the connection waits for a turn to parse `rest`."""
        self._last: Callable[[], None] | None = None
        """Last action, due when all earlier requests are answered. Once set, further input is dropped."""
        self._opening: asyncio.Task[None] | None = None
        """Task that loads the club for a bot."""
        self._is_question = False
        """True if the newest request was a proxy's question, and is answered."""
        self._in_head = True
        self._in_body = False
        self.other_bytes = 0
        """Number of bytes of the request outside of the body."""
        self._request = 0
        """Number of the newest request."""
        self._timed: tuple[int, bool] | None = None
        """Request of `_timer`, and whether `_timer` is for the head."""
        self._timer: asyncio.TimerHandle | None = None
        self._cycles: list[RequestResponseCycle] = []
        """Unanswered requests, oldest first."""
        self._unread: asyncio.TimerHandle | None = None
        """Timer that runs while the peer reads nothing of the waiting bytes."""

    # --- asyncio.Protocol ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a place, or refuse the connection. A believed proxy is not counted, but the proxy's clients are."""
        super().connection_made(cast(asyncio.Transport, transport))
        self.flow = _Flow(self.transport, self._go_on)
        self._peer = self.client[0] if self.client else ""
        self.address = address = source_of(self._peer)
        entrance, socket = self._entrance, transport.get_extra_info("socket")
        if socket is not None and not entrance.descriptors.admit(self, socket.fileno(), cast(Any, self.connections)):
            self.transport.abort()
            return
        if entrance.sources.is_proxy(self._peer):
            self._begin(entrance.places.uncounted(address))
        else:
            self._seek_place(address, self._begin, self._turn_away)

    def _begin(self, place: Place) -> None:
        """Read the first request, beginning with bytes received during the wait for the place."""
        self._place = place
        self._watch()
        if self.rest or not self.transport.is_reading():
            self._go_on()

    def _turn_away(self) -> None:
        """Answer the first request with a refusal, unless too many connections of the address wait for refusals."""
        self._place = self._entrance.places.refuse(self.address)
        if self._place is None:
            self.transport.abort()
        else:
            self._last = partial(self._answer, HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY)
            self._timer = self.loop.call_later(LINGER_S, self.transport.abort)
            if self.rest:
                self._finish()
            else:
                self.transport.resume_reading()

    def _seek_place(self, address: str, then: Callable[[Place], None], refuse: Callable[[], None]) -> None:
        """Call `then` with a place among the strangers of an address, or `refuse` if none is free in time.

        Nothing is read while the connection waits for a place.
        """
        places = self._entrance.places
        place = places.open(address, self._entrance.clock.now_ms(), self._give_way)
        if place is not None:
            then(place)
            return
        self.transport.pause_reading()
        # The admission runs later, because a place may become free in the middle of a login of another bot.
        newcomer = places.wait(address, lambda place: self.loop.call_soon(self._admit, then, place))
        if newcomer is not None:
            self._seeking = newcomer, self.loop.call_later(WAIT_MS / 1000, self._on_waited, newcomer, refuse)
        else:
            self._entrance.refusals.note("strangers", address)
            refuse()

    def _admit(self, then: Callable[[Place], None], place: Place) -> None:
        self._seek_no_more()
        if self.transport.is_closing():
            place.close()
        else:
            place.listen(self._entrance.clock.now_ms(), self._give_way)
            then(place)

    def _on_waited(self, newcomer: Newcomer, refuse: Callable[[], None]) -> None:
        """Have a stranger give way. If this newcomer gets no place all the same, call `refuse`."""
        places = self._entrance.places
        places.make_room(newcomer.address, self._entrance.clock.now_ms())
        if places.leave(newcomer):
            self._seeking = None
            self._entrance.refusals.note("strangers", newcomer.address)
            refuse()

    def _seek_no_more(self) -> None:
        if self._seeking is not None:
            newcomer, timer = self._seeking
            self._seeking = None
            timer.cancel()
            self._entrance.places.leave(newcomer)

    def connection_lost(self, exc: Exception | None) -> None:
        self._last = _nothing
        for cycle in self._cycles:  # uvicorn tells only the newest; an earlier cycle may be an endless stream
            cycle.disconnected = True
            cycle.message_event.set()
        self._cycles.clear()
        self._entrance.turns.do(self.address, partial(self._clean_up, exc))

    def _clean_up(self, exc: Exception | None) -> None:
        """Give the place of a lost connection back."""
        super().connection_lost(exc)
        self._let_go()
        self._seek_no_more()
        self.resume_writing()
        self.cycle = self.flow = None  # type: ignore[assignment]  # each refers to this connection
        if self._place is not None:
            self._place.close()

    def shutdown(self) -> None:
        """Refuse a request whose body is still to come, because the server stops; any other is answered."""
        if self._in_body and self._last is None:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, STOPS, "stopping")
        else:
            super().shutdown()

    def data_received(self, data: bytes) -> None:
        """Parse received bytes, as many as one turn of the loop allows."""
        if self._last is not None:
            self._finish()
        elif self.rest or self._seeking is not None:  # a transport may deliver bytes read before the pause
            self.rest, self.rest_at = self.rest[self.rest_at :] + data, 0
            self.transport.pause_reading()  # again, because some transports start to read after `connection_made`
        else:
            self._feed(data, 0)

    def read_on(self) -> None:
        """Parse the bytes that waited for this turn. Read from the socket again when none are left."""
        self._goes_on = False
        if self._last is not None or self.transport.is_closing():
            return
        data, self.rest = self.rest, b""
        if data:
            self._feed(data, self.rest_at)
        if not self.rest and not self._is_held():
            self.transport.resume_reading()

    def _is_held(self) -> bool:
        """Return whether parsing waits for an answer, or for the reading of a body."""
        return self._last is not None or self.flow.read_paused or bool(self.pipeline)

    def _go_on(self) -> None:
        if not self._goes_on:
            self._goes_on = True
            self._entrance.turns.wait(self)

    def _feed(self, data: bytes, start: int) -> None:
        bounds, turns = self._entrance.bounds, self._entrance.turns
        stop = min(len(data), start + bounds.bytes_per_turn)
        while start < stop and not self._is_held() and turns.has_time():
            # A piece of this size cannot hold more requests than may wait.
            piece = data[start : start + LEAST_REQUEST_BYTES * bounds.pipelined_requests]
            start += len(piece)
            try:
                self.parser.feed_data(piece)
            except httptools.HttpParserUpgrade as upgrade:
                self._on_upgrade(piece[upgrade.args[0] :] + data[start:])
            except httptools.HttpParserError:
                self._refuse(HTTPStatus.BAD_REQUEST, "this is no valid HTTP request\n", "bad_request")
            self.other_bytes += len(piece)
            is_coming = self._last is None and (self._in_head or self._in_body)
            if is_coming and self.other_bytes > bounds.header_bytes:
                self._refuse(*self._too_large())
        if start < len(data) and self._last is None:
            self.rest, self.rest_at = data, start
            self.transport.pause_reading()
            if not self._is_held():
                self._go_on()
        self._watch()

    # --- the parser's callbacks ---

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._unset_keepalive_if_required()
        self._in_head, self._in_body = True, False
        self.other_bytes = 0
        self._request += 1

    def on_headers_complete(self) -> None:
        """Find the source of the request, and refuse the request or have uvicorn answer."""
        entrance, peer = self._entrance, self.client
        self._in_head = False
        self._is_question = self.url == LEADER_PATH and self._answer_question()
        if self._is_question:
            return
        self._club, self._path = split_path(self.url.partition(b"?")[0].decode("latin-1"))
        self._source = source = entrance.sources.of_request(self._peer, str(self.scheme), self.headers)
        self.scope["client"] = (source.address, peer[1] if peer else 0)
        self.scope["scheme"] = source.scheme
        self.scope["state"]["is_local"] = source.is_local
        self.scope["state"]["shown_host"] = source.host
        self.scope["state"]["is_closing"] = self.transport.is_closing
        refusal = self._refusal()
        if refusal is not None:
            self._refuse(*refusal)
        else:
            before = self.cycle
            super().on_headers_complete()
            if self.cycle is not before:
                self._cycles.append(self.cycle)
                if self._is_beyond():  # the connection has no place, and so ends with the answer
                    self.cycle.keep_alive = False
            self._in_body = True

    def _answer_question(self) -> bool:
        """Answer a proxy that asks which node leads the club of a path. Return False for any other request.

        The answer is written here, and counted by no limit, because each request of every visitor brings a question.
        """
        entrance = self._entrance
        if entrance.question is None or self._cycles or not entrance.sources.is_proxy(self._peer):
            return False
        if self.parser.should_upgrade():  # bytes of another protocol may follow the request
            return False
        answer = entrance.question.answer(self.headers)
        if answer is None:
            return False
        status, header = answer
        keep = self.parser.should_keep_alive()
        ending = b"\r\n" if keep else b"Connection: close\r\n\r\n"
        length = b"" if status is HTTPStatus.NO_CONTENT else b"Content-Length: 0\r\n"
        self.transport.write(b"HTTP/1.1 %d %s\r\n%s%s%s" % (status, status.phrase.encode(), header, length, ending))
        if keep:
            self._unset_keepalive_if_required()
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )
        else:
            self.transport.close()
        return True

    def _refusal(self) -> Refusal | None:
        """Return the refusal of the request with these headers; None for an acceptable request."""
        if self.other_bytes > self._entrance.bounds.header_bytes:
            return self._too_large()
        if len(self.url) > MOST_URL_BYTES:
            return HTTPStatus(414), f"a path and its query are at most {MOST_URL_BYTES} bytes\n", "url_bytes"
        ban = self._ban()
        if ban is not None:
            return HTTPStatus.FORBIDDEN, f"{ban.told}\n", "banned"
        upgrades = self._should_upgrade()
        # The web counts each request that the web answers. Upgrades and large numbers of headers are counted here.
        if not self._count(upgrades + len(self.headers) // HEADERS_OF_A_REQUEST):
            return HTTPStatus.TOO_MANY_REQUESTS, "too many requests from your address\n", "requests"
        if upgrades:
            return self._refusal_of_upgrade()
        if self._is_beyond() and not self._shows_made_token():
            return HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY, "connections"
        return None

    def _is_beyond(self) -> bool:
        """Return whether the address has no room for this connection."""
        return self._place is not None and not self._place.has_room

    def _shows_made_token(self) -> bool:
        """Return whether the request shows a token in the form made by Rumble. The web compares the token anyway."""
        shown = next((value for name, value in self.headers if name == b"authorization"), b"")
        scheme, _, token = shown.decode("latin-1").partition(" ")
        return scheme.lower() == "bearer" and is_made(token.strip())

    def _count(self, requests: int) -> bool:
        """Count requests of the source. Return False if the address has asked too much."""
        entrance = self._entrance
        address = self._source.address or self.address
        return requests == 0 or entrance.places.may_request(address, entrance.clock.now_ms(), requests)

    def _ban(self) -> Ban | None:
        """Return the ban of the source in the requested club; None without a ban, or if the club is not loaded."""
        club = self._entrance.clubs.loaded(self._club)
        return None if club is None else club.gateway.ban_of(self._source.address)

    def _too_large(self) -> Refusal:
        text = f"the headers of a request are at most {self._entrance.bounds.header_bytes} bytes\n"
        return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text, "header_bytes"

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self.other_bytes += HEADER_OVERHEAD

    def on_body(self, body: bytes) -> None:
        self.other_bytes -= len(body)
        if self._last is None and not self._is_question:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_body = False
        if self._last is None and not self._is_question and not self._should_upgrade():
            super().on_message_complete()
            if self._place is not None:
                self._place.know()

    def on_response_complete(self) -> None:
        self._cycles = [cycle for cycle in self._cycles if not cycle.response_complete]
        super().on_response_complete()
        if self.transport.is_closing():
            self._expect_reader()
        elif self._last is not None:
            self._finish()
        elif self.rest or self.pipeline or not self.transport.is_reading():
            self._go_on()

    # --- upgrades ---

    def _should_upgrade(self) -> bool:
        return bool(self.parser.should_upgrade()) and self._get_upgrade() == b"websocket"

    def _refusal_of_upgrade(self) -> Refusal | None:
        """Return the refusal of an upgrade for the form of its request; None for a proper request."""
        if self.parser.get_http_version() != "1.1":
            return HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "an upgrade needs HTTP/1.1\n", "bad_request"
        for name, value in self.headers:
            if name == b"transfer-encoding" or (name == b"content-length" and value.strip() != b"0"):
                return HTTPStatus.BAD_REQUEST, "an upgrade has no body\n", "bad_request"
        return None

    def _on_upgrade(self, rest: bytes) -> None:
        """Handle a request for another protocol. `rest` has the bytes after the request."""
        if self._last is not None:
            return
        if self._should_upgrade():
            self.transport.pause_reading()
            self._last = partial(self._become_bot, rest)
            self._finish()
        else:
            self.cycle.keep_alive = False  # the request is answered as HTTP; the bytes after it cannot be read
            self._last = self._close

    def _become_bot(self, rest: bytes) -> None:
        """Find a place for the bot's connection, unless the connection has its own."""
        if self._path != BOT_PATH:
            self._answer(HTTPStatus.NOT_FOUND, f"bots connect at {web_path(self._club)}{BOT_PATH}\n")
            return
        entrance, place, then = self._entrance, self._place, partial(self._find_club, rest)
        if entrance.clubs.is_abandoned or entrance.clubs.is_elsewhere(self._club):
            text = "this club has no leader here; come again\n"
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, text, b"Retry-After: 1\r\n")
        elif place is not None and self._source.address == self.address and not entrance.sources.is_proxy(self._peer):
            place.listen(entrance.clock.now_ms(), self._give_way)
            then(place)
        else:  # a proxy forwards the connection, so the place is taken at the address of the proxy's client
            if place is not None:
                place.close()
            refuse = partial(self._answer, HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY)
            self._seek_place(self._source.address, then, refuse)

    def _find_club(self, rest: bytes, place: Place) -> None:
        """Hand the connection over to the requested club, after loading the club if needed."""
        self._place = place
        club = self._entrance.clubs.loaded(self._club)
        if club is not None:
            self._hand_over(club, rest)
        else:
            self._opening = self.loop.create_task(self._load(rest))

    async def _load(self, rest: bytes) -> None:
        """Load a club for a bot. Nothing is read from the bot's socket during the loading."""
        try:
            club = await self._entrance.clubs.load(self._club)
        except StoreError as error:
            log.error("club %s cannot be loaded: %s", self._club, error)
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, "this club cannot be read at the moment\n")
            return
        finally:
            self._opening = None
        if self.transport.is_closing():
            return
        main = self._entrance.clubs.loaded(MAIN)
        if club is not None:
            self._hand_over(club, rest)
        elif main is not None and self._entrance.clubs.was_removed(self._club):
            # Bots come back after a 404, since a proxy may have sent the 404. This close code makes bots stay away.
            self._hand_over(main, rest, CloseCode.CLUB_REMOVED)
        else:
            self._answer(HTTPStatus.NOT_FOUND, f"there is no club {self._club} here\n")

    def _hand_over(self, club: HasGateway, rest: bytes, refused: CloseCode | None = None) -> None:
        """Turn this connection into a bot's `Connection` with the same place; with `refused` close with that code."""
        entrance, place = self._entrance, cast(Place, self._place)
        request = self._leave()
        bot = Connection(club.gateway, entrance, self._source, place, self.connections)
        bot.connection_made(self.transport)
        self.transport.set_protocol(bot)
        self.transport.resume_reading()
        bot.open(request, rest, refused)

    def _leave(self) -> bytes:
        """Let go of the socket, and return the bytes of the upgrade request."""
        method = self.scope["method"].encode()
        lines = [b"%s %s HTTP/1.1" % (method, self.url), *(b"%s: %s" % header for header in self.headers), b"", b""]
        self._let_go()
        self.connections.discard(self)
        self.parser = self.cycle = self.flow = None  # type: ignore[assignment]  # each refers to this connection
        return b"\r\n".join(lines)

    # --- the end ---

    def _refuse(self, status: HTTPStatus, text: str, reason: str) -> None:
        """Answer with a refusal after all earlier answers, and drop further input. Count the request by its bytes."""
        self._count(1 + self.other_bytes // BYTES_OF_A_REQUEST)
        self._entrance.refusals.note(reason, self._source.address or self.address)
        self._last = partial(self._answer, status, text)
        if not self._in_body:
            self._finish()
        elif self.pipeline or self.cycle.response_started:
            self._close()
        else:  # this request itself is being answered, and no byte of the answer is sent yet
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self._last()

    def _finish(self) -> None:
        """Run the last action unless a request is still being answered."""
        if self._last is not None and not self.pipeline and not self._is_answering():
            last, self._last = self._last, _nothing
            last()

    def _is_answering(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is not None and not cycle.response_complete

    def _answer(self, status: HTTPStatus, text: str, header: bytes = b"") -> None:
        """Write an answer, with an extra header line, and end the connection when the peer has had time to read."""
        self._last = _nothing
        self._let_go()
        self.rest = b""
        head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n".encode()
        ending = f"Content-Length: {len(text)}\r\nConnection: close\r\n\r\n{text}".encode()
        self.transport.write(head + header + ending)
        if self.transport.can_write_eof():
            # A close with unread input would send a reset, on which the peer drops the answer.
            self.transport.pause_reading()
            self.transport.write_eof()
            self._timer = self.loop.call_later(LINGER_S, self.transport.abort)
        else:
            self._close()

    def _let_go(self) -> None:
        """Cancel the timers."""
        self._unset_keepalive_if_required()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- deadlines ---

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def timeout_keep_alive_handler(self) -> None:
        if not self.transport.is_closing():
            self._close()

    def _close(self) -> None:
        """End the connection when the peer has read all written bytes."""
        self.transport.close()
        self._expect_reader()

    def _expect_reader(self) -> None:
        if self._unread is None:
            self._unread = self.loop.call_later(self._entrance.bounds.unread_ms / 1000, self._on_unread)

    def _on_unread(self) -> None:
        self._unread = None
        self._entrance.refusals.note("unread", self._source.address or self.address)
        self.transport.abort()

    def _watch(self) -> None:
        """Set the timer for the head or body that is coming in."""
        if self._last is not None:
            return
        timed = (self._request, self._in_head) if self._in_head or self._in_body else None
        if timed != self._timed:
            self._timed = timed
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if timed is not None:
                bounds = self._entrance.bounds
                ms = bounds.header_ms if self._in_head else bounds.body_ms
                self._timer = self.loop.call_later(ms / 1000, self._on_late)

    def _on_late(self) -> None:
        self._timer = self._timed = None
        if self.rest or self._is_held():  # the server itself has stopped reading, so the peer is not late
            self._watch()
        elif self._request == 0:
            self.transport.close()
        elif self._in_head:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the headers took too long\n", "header_time")
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the body took too long\n", "body_time")

    # --- when an address is full, or descriptors run out ---

    def _give_way(self) -> None:
        """End the connection, even after an upgrade, because a newcomer needs a place at a full address."""
        self._entrance.refusals.note("strangers", self._source.address or self.address)
        self.transport.abort()

    @property
    def idleness(self) -> Idleness | None:
        """Idleness of the connection; None from the head of a request until its answer has been sent.

        While the head of its first request comes in, the connection still counts as a stranger.
        """
        if self._place is None or self._request == 0 or (self._in_head and self._request == 1):
            return Idleness.STRANGER
        return None if self._in_head or self._in_body or self._is_answering() else Idleness.BETWEEN_REQUESTS

    def shed(self) -> None:
        """End the connection at once."""
        self.transport.abort()

    def shut_out(self) -> None:
        """End the connection if the source of its newest request is banned."""
        if self._ban() is not None:
            self.transport.abort()


def _nothing() -> None:
    """Do nothing, as the last action of a connection that has ended."""
