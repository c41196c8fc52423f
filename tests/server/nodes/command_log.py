"""A log of the commands that a lease gives."""


class CommandLog:
    """The part of the port `LeaseCommands` that carries out nothing, and logs the commands."""

    log: list[str]

    def discard(self, club: str) -> None:
        self.log.append(f"discard {club}")

    def close_handed_over(self, club: str) -> None:
        self.log.append(f"close {club}")

    def disconnect_all(self) -> None:
        self.log.append("abandon")

    def suspend(self) -> None:
        self.log.append("suspend")

    def resume(self) -> None:
        self.log.append("go on")

    def end_node(self) -> None:
        self.log.append("expelled")
