"""A transport without a socket."""


class Transport:
    """A transport that notes the bytes written, and whether it is paused, closed and aborted."""

    def __init__(self) -> None:
        self.written = b""
        self.is_paused = self.is_closed = self.is_aborted = False

    def get_extra_info(self, _name: str) -> None:
        return None

    def pause_reading(self) -> None:
        self.is_paused = True

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_aborted = True

    def is_closing(self) -> bool:
        return self.is_closed or self.is_aborted
