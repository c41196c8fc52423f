"""The reader of a bot's frames: from received bytes to messages, within the bounds of a loop iteration. Sans-I/O.

`Connection` feeds the received bytes, and handles the messages. Text frames in their simplest form are read by
`frames.py`, and all other frames by `websockets`.
"""

from collections.abc import Iterator
from typing import cast

from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from rumble_server.gateway.frames import LEAST_FRAME_BYTES, least_size, whole_texts
from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.limits.bounds import Bounds

FRAMES_AT_ONCE = 32
"""Maximum number of frames that `websockets` parses between two calls of `claim_time`. Handling a ping takes 60 us."""


class FrameReader:
    """The bytes of a connection that are received and not handled yet, and the message that is incomplete.

    `protocol` is the connection's parser.
    """

    __slots__ = (
        "_at",
        "_bounds",
        "_data",
        "_fairness",
        "_is_fragmented",
        "_parts",
        "_protocol",
        "_unparsed",
        "is_newest",
    )

    def __init__(self, protocol: ServerProtocol, bounds: Bounds, fairness: ReadFairness) -> None:
        self._protocol = protocol
        self._bounds = bounds
        self._fairness = fairness
        self._data = b""
        """Received bytes. The bytes from index `_at` on are not handled yet."""
        self._at = 0
        self._parts = bytearray()
        """The parts of a fragmented message that have been received so far."""
        self._is_fragmented = False
        """True between the first and the last frame of a fragmented message."""
        self._unparsed = 0
        """Upper bound of the size in bytes of an incomplete frame in the parser; 0 if there is no such frame."""
        self.is_newest = True
        """False while a text is handled, if bytes after the text have been read already; otherwise True."""

    @property
    def has_bytes(self) -> bool:
        """True if fed bytes are not handled yet."""
        return self._at < len(self._data)

    @property
    def is_between_messages(self) -> bool:
        """True if no message is incomplete, and all fed bytes are handled: the next byte begins a message."""
        return self._unparsed == 0 and not self._is_fragmented and self._at == len(self._data)

    def feed(self, data: bytes) -> None:
        """Add received bytes to the bytes that are not handled yet."""
        self._data, self._at = self._data[self._at :] + data if self.has_bytes else data, 0

    def read(self, *, most_unbudgeted: int = 0) -> Iterator[str | bytes | Frame]:
        """Yield the messages of the fed bytes, up to the bounds of a loop iteration. The rest stays for a later call.

        If `most_unbudgeted` is not 0, read up to this number of frames, even if the time budget is spent.

        Yield a text as `str`, or as `bytes` if the text is not UTF-8. Yield control frames, binary frames
        and empty frames as `Frame`. A part of a fragmented message is no message.
        """
        data, bounds = self._data, self._bounds
        frames = most_unbudgeted or bounds.frames_per_iteration
        stop = min(len(data), self._at + bounds.bytes_per_iteration)
        while frames > 0 and self._at < stop and (self._fairness.claim_time() or most_unbudgeted):
            text = self._simple_text()
            if text is not None:
                frames -= 1
                self.is_newest = not self.has_bytes
                yield text
                continue
            # Each frame has at least LEAST_FRAME_BYTES, so a piece of this size has no more frames.
            piece = data[self._at : min(self._at + min(frames, FRAMES_AT_ONCE) * LEAST_FRAME_BYTES, stop)]
            for frame in self._parse(piece):
                frames -= 1
                yield from self._messages(frame)
        self.is_newest = True
        if not self.has_bytes:
            self._data, self._at = b"", 0

    def _simple_text(self) -> str | None:
        """Read the next frame. Return None if the frame is no simple text, and `websockets` has to read on."""
        protocol = self._protocol
        if self._unparsed or self._is_fragmented or protocol.state is not State.OPEN:
            return None
        texts, end = whole_texts(self._data, self._at, self._at + 1, protocol.max_message_size or 0)
        if not texts:
            return None
        self._at = end
        return texts[0]

    def _parse(self, piece: bytes) -> Iterator[Frame]:
        """Yield the frames that `piece` completes, after parsing `piece` with `websockets`.

        With TLS, the peer's end may come before its last bytes are handled. These bytes are dropped.
        """
        self._at += len(piece)
        if self._protocol.state is State.CLOSED:
            return
        self._protocol.receive_data(piece)
        self._unparsed += len(piece)
        events = self._protocol.events_received()
        for event in events:
            frame = cast(Frame, event)
            # `least_size` is a lower bound, so `_unparsed == 0` proves that the parser's buffer is empty.
            self._unparsed -= least_size(len(frame.data))
            self.is_newest = event is events[-1] and not self.has_bytes
            yield frame

    def _messages(self, frame: Frame) -> Iterator[str | bytes | Frame]:
        """Yield what a frame makes complete: the frame itself, if `Connection` has to see it, and a whole text."""
        is_text = frame.opcode is Opcode.TEXT or frame.opcode is Opcode.CONT
        if not is_text or not frame.data:
            yield frame
        if is_text:
            self._is_fragmented = not frame.fin
            self._parts += frame.data
            if frame.fin:
                data = bytes(self._parts)
                self._parts.clear()
                yield _decoded(data)


def _decoded(data: bytes) -> str | bytes:
    """Return the text in `data`, or `data` unchanged if it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data
