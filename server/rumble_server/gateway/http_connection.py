"""Connections of HTTP, bounded in what they send, in time and in number; bots' connections begin as these.

uvicorn parses and answers. What it leaves without a bound is bounded here: the bytes of headers, trailers and whatever
else is no body; the time for headers and for a body, and for which an answer is not read; the requests that wait for an
earlier answer; the work in one turn of the loop. A refusal is answered when every earlier request is, and then the
connection ends.
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
from rumble_server.limits.bans import Ban
from rumble_server.limits.connections import WAIT_MS, Newcomer, Place
from rumble_server.limits.source import Source, source_of
from rumble_server.store.errors import StoreError

log = logging.getLogger(__name__)

LEAST_REQUEST_BYTES = 16
"""Bytes of the shortest request: `GET / HTTP/1.1` and two ends of lines."""
HEADER_OVERHEAD = 32
"""Bytes that each header counts beside its own, as in HTTP/2 (RFC 9113, section 6.5.2)."""
MOST_URL_BYTES = 4_096
"""Bytes of a path and its query, which many routes look at; a longer one is refused."""
HEADERS_OF_A_REQUEST = 32
"""Each further number of headers counts as one more request of its address; browsers send some 15."""
BYTES_OF_A_REQUEST = 1_024
"""Each of these in what is refused counts as a request of its address."""
LINGER_S = 1.0
"""How long a connection stays open after its last answer, so that the peer can read it."""
Refusal = tuple[HTTPStatus, str, str]
"""The status and the text of the answer, and the reason as a word."""
TOO_MANY = "too many connections from your address\n"


class _Flow(FlowControl):
    """uvicorn's flow control; what was read before a pause is parsed before more is read."""

    def __init__(self, transport: asyncio.Transport, go_on: Callable[[], None]) -> None:
        super().__init__(transport)
        self._go_on = go_on

    def resume_reading(self) -> None:
        if self.read_paused:
            self.read_paused = False
            self._go_on()


class HttpConnection(HttpToolsProtocol):
    """One connection of HTTP, until its end or until it becomes a bot's."""

    def __init__(self, entrance: Entrance, **given: Any) -> None:
        """`given` is what uvicorn gives to its protocols."""
        super().__init__(**given)
        self._entrance = entrance
        self._peer = self.address = ""
        self.opened_ms = entrance.clock.now_ms()
        self._place: Place | None = None
        self._seeking: tuple[Newcomer, asyncio.TimerHandle] | None = None
        """What waits for a place, and the end of that."""
        self._source = Source("", False, "http")
        """That of the newest request whose headers have come."""
        self._club, self._path = MAIN, ""
        """The club of that request, and its path there."""
        self.rest = b""
        """Bytes of which those from `rest_at` on are still to be parsed; meanwhile nothing is read from the socket."""
        self.rest_at = 0
        self._goes_on = False
        """Whether it waits for its turn to parse them."""
        self._last: Callable[[], None] | None = None
        """What is done once every earlier request is answered; nothing more is heard then."""
        self._opening: asyncio.Task[None] | None = None
        """Loads the club that a bot asked for."""
        self._is_question = False
        """Whether the newest request was a proxy's question, and is answered."""
        self._in_head = True
        self._in_body = False
        self.other_bytes = 0
        """Bytes of the request that are no body."""
        self._request = 0
        """The number of the newest request."""
        self._timed: tuple[int, bool] | None = None
        """The request, and whether its head, that `_timer` is for."""
        self._timer: asyncio.TimerHandle | None = None
        self._cycles: list[RequestResponseCycle] = []
        """The requests that are not answered, the first first."""
        self._unread: asyncio.TimerHandle | None = None
        """Runs while the peer takes nothing of what waits to be sent."""

    # --- asyncio.Protocol ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a place, or refuse the connection. One of a believed proxy counts as those of its clients."""
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
        """Read the first request, and what had come of it while the connection waited for its place."""
        self._place = place
        self._watch()
        if self.rest or not self.transport.is_reading():
            self._go_on()

    def _turn_away(self) -> None:
        """Answer the first request with a refusal, unless too many of its address wait for that already."""
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

        Those who wait are read when they have a place.
        """
        places = self._entrance.places
        place = places.open(address, self._entrance.clock.now_ms(), self._give_way)
        if place is not None:
            then(place)
            return
        self.transport.pause_reading()
        # Later, since a place may become free in the middle of somebody's login.
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
        """Have a stranger give way; the place goes to who has waited longest."""
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
        for cycle in self._cycles:  # uvicorn tells only the newest; an earlier one may be a stream, which has no end
            cycle.disconnected = True
            cycle.message_event.set()
        self._cycles.clear()
        super().connection_lost(exc)
        self._let_go()
        self._seek_no_more()
        self.resume_writing()
        self._last = _nothing
        self.cycle = self.flow = None  # type: ignore[assignment]  # each refers to this connection
        if self._place is not None:
            self._place.close()

    def data_received(self, data: bytes) -> None:
        """Parse what came in, as much as one turn of the loop allows."""
        if self._last is not None:
            self._finish()
        elif self.rest or self._seeking is not None:  # a transport may hand over what it had when it was paused
            self.rest, self.rest_at = self.rest[self.rest_at :] + data, 0
            self.transport.pause_reading()  # some begin to read after `connection_made`, whatever was said there
        else:
            self._feed(data, 0)

    def read_on(self) -> None:
        """Parse what waited for its turn; read from the socket again when nothing is left."""
        self._goes_on = False
        if self._last is not None or self.transport.is_closing():
            return
        data, self.rest = self.rest, b""
        if data:
            self._feed(data, self.rest_at)
        if not self.rest and not self._is_held():
            self.transport.resume_reading()

    def _is_held(self) -> bool:
        """Whether no more is to be parsed before an answer or the reading of a body has gone on."""
        return self.flow.read_paused or bool(self.pipeline) or self._last is not None

    def _go_on(self) -> None:
        if not self._goes_on:
            self._goes_on = True
            self._entrance.turns.wait(self)

    def _feed(self, data: bytes, start: int) -> None:
        bounds, turns = self._entrance.bounds, self._entrance.turns
        stop = min(len(data), start + bounds.bytes_per_turn)
        while start < stop and not self._is_held() and turns.has_time():
            # So small that it has no more requests than may wait.
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
        """Find out where the request comes from; refuse it, or have it answered."""
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
                if self._is_beyond():  # so that it takes no place beyond the answer
                    self.cycle.keep_alive = False
            self._in_body = True

    def _answer_question(self) -> bool:
        """Answer a proxy that asks who leads the club of a path. Return False if nobody may ask so.

        The answer is written here, and counted by no limit: each request of every visitor brings one question.
        """
        entrance = self._entrance
        if entrance.question is None or self._cycles or not entrance.sources.is_proxy(self._peer):
            return False
        if self.parser.should_upgrade():  # nobody knows what would follow it
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
        """Return why the request whose headers have come is refused; None: it is answered."""
        if self.other_bytes > self._entrance.bounds.header_bytes:
            return self._too_large()
        if len(self.url) > MOST_URL_BYTES:
            return HTTPStatus(414), f"a path and its query are at most {MOST_URL_BYTES} bytes\n", "url_bytes"
        ban = self._ban()
        if ban is not None:
            return HTTPStatus.FORBIDDEN, f"{ban.told}\n", "banned"
        upgrades = self._should_upgrade()
        # The web counts the requests that it answers itself.
        if not self._count(upgrades + len(self.headers) // HEADERS_OF_A_REQUEST):
            return HTTPStatus.TOO_MANY_REQUESTS, "too many requests from your address\n", "requests"
        if upgrades:
            return self._refusal_of_upgrade()
        if self._is_beyond() and not self._shows_made_token():
            return HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY, "connections"
        return None

    def _is_beyond(self) -> bool:
        """Whether the address has no place for one more connection."""
        return self._place is not None and not self._place.has_room

    def _shows_made_token(self) -> bool:
        """Whether the request shows a token of the form that Rumble makes, whoever's: it is compared in any case."""
        shown = next((value for name, value in self.headers if name == b"authorization"), b"")
        scheme, _, token = shown.decode("latin-1").partition(" ")
        return scheme.lower() == "bearer" and is_made(token.strip())

    def _count(self, requests: int) -> bool:
        """Count as many requests of the source. Return False if these are too many."""
        entrance = self._entrance
        address = self._source.address or self.address
        return requests == 0 or entrance.places.may_request(address, entrance.clock.now_ms(), requests)

    def _ban(self) -> Ban | None:
        """Return the ban of the source in its club, as far as that is loaded."""
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
        """Return why a request cannot become a bot's connection, as far as its form tells; else None."""
        if self.parser.get_http_version() != "1.1":
            return HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "an upgrade needs HTTP/1.1\n", "bad_request"
        for name, value in self.headers:
            if name == b"transfer-encoding" or (name == b"content-length" and value.strip() != b"0"):
                return HTTPStatus.BAD_REQUEST, "an upgrade has no body\n", "bad_request"
        return None

    def _on_upgrade(self, rest: bytes) -> None:
        """The request asks to speak something else from now on; `rest` follows it."""
        if self._last is not None:
            return
        if self._should_upgrade():
            self.transport.pause_reading()
            self._last = partial(self._become_bot, rest)
            self._finish()
        else:
            self.cycle.keep_alive = False  # it is answered, and nobody knows what follows
            self._last = self._close

    def _become_bot(self, rest: bytes) -> None:
        """Find the connection a place, unless it has one of its own."""
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
        else:  # it is another's, for whom it is forwarded
            if place is not None:
                place.close()
            refuse = partial(self._answer, HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY)
            self._seek_place(self._source.address, then, refuse)

    def _find_club(self, rest: bytes, place: Place) -> None:
        """Hand the connection over to the club that was asked for, once that is loaded."""
        self._place = place
        club = self._entrance.clubs.loaded(self._club)
        if club is not None:
            self._hand_over(club, rest)
        else:
            self._opening = self.loop.create_task(self._load(rest))

    async def _load(self, rest: bytes) -> None:
        """Load a club for a bot; nothing is read from its socket meanwhile."""
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
            # A bot comes back after a 404, which a proxy may have answered; after this code it does not.
            self._hand_over(main, rest, CloseCode.CLUB_REMOVED)
        else:
            self._answer(HTTPStatus.NOT_FOUND, f"there is no club {self._club} here\n")

    def _hand_over(self, club: HasGateway, rest: bytes, refused: CloseCode | None = None) -> None:
        """Make the connection a bot's, with its place. `refused` closes it."""
        entrance, place = self._entrance, cast(Place, self._place)
        request = self._leave()
        bot = Connection(club.gateway, entrance, self._source, place, self.connections)
        bot.connection_made(self.transport)
        self.transport.set_protocol(bot)
        self.transport.resume_reading()
        bot.open(request, rest, refused)

    def _leave(self) -> bytes:
        """Let go of the connection; return the request that was read from it."""
        method = self.scope["method"].encode()
        lines = [b"%s %s HTTP/1.1" % (method, self.url), *(b"%s: %s" % header for header in self.headers), b"", b""]
        self._let_go()
        self.connections.discard(self)
        self.parser = None  # type: ignore[assignment]  # as uvicorn does: they refer to each other
        return b"\r\n".join(lines)

    # --- the end ---

    def _refuse(self, status: HTTPStatus, text: str, reason: str) -> None:
        """Answer with a refusal when every earlier request is answered, and hear no more. Count it by its bytes."""
        self._count(1 + self.other_bytes // BYTES_OF_A_REQUEST)
        self._entrance.refusals.note(reason, self._source.address or self.address)
        self._last = partial(self._answer, status, text)
        if not self._in_body:
            self._finish()
        elif self.pipeline or self.cycle.response_started:
            self._close()
        else:  # it is this very request that waits for an answer
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self._last()

    def _finish(self) -> None:
        """Do what is to be done last if nothing is being answered."""
        if self._last is not None and not self.pipeline and not self._is_answering():
            last, self._last = self._last, _nothing
            last()

    def _is_answering(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is not None and not cycle.response_complete

    def _answer(self, status: HTTPStatus, text: str, header: bytes = b"") -> None:
        """Write an answer, with one more header line, and end the connection when the peer has had time to read it."""
        self._last = _nothing
        self._let_go()
        self.rest = b""
        head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n".encode()
        ending = f"Content-Length: {len(text)}\r\nConnection: close\r\n\r\n{text}".encode()
        self.transport.write(head + header + ending)
        if self.transport.can_write_eof():
            # To close while bytes of the peer wait unread would have its side drop the answer.
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
        """End the connection when the peer has taken all that was written."""
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
        """See to it that the head or the body that is coming in does so in time."""
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
        if self.rest or self._is_held():  # it is not the peer that keeps others waiting
            self._watch()
        elif self._request == 0:
            self.transport.close()
        elif self._in_head:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the headers took too long\n", "header_time")
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the body took too long\n", "body_time")

    # --- when an address is full, or descriptors run out ---

    def _give_way(self) -> None:
        """End the connection, also as a bot's: its address is full of strangers, and a new one comes."""
        self._entrance.refusals.note("strangers", self._source.address or self.address)
        self.transport.abort()

    @property
    def idleness(self) -> Idleness | None:
        """How idle it is; None while it is answered, or sends a request that counts."""
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
    """Nothing is left to do."""
