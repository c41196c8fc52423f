"""The registry of a club's open sessions. The arena sends frames and commands to sessions through the registry."""

import logging

from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import CloseCode

from rumble_server.gateway.session import Session

audit = logging.getLogger("rumble_server.audit")


class SessionRegistry:
    """The open sessions of a club by id (port `Sessions`). A call for a session that has ended does nothing."""

    def __init__(self, club: str = MAIN) -> None:
        self.by_id: dict[int, Session] = {}
        self._prefix = "" if club == MAIN else f"{club}/"

    def logged_in(self, session_id: int, name: str) -> None:
        if session := self.by_id.get(session_id):
            session.logged_in(name)
            audit.info("logged in", extra={"bot": self._prefix + name, "address": session.link.address})

    def not_logged_in(self, session_id: int) -> None:
        if session := self.by_id.get(session_id):
            session.not_logged_in()

    def count_unproven_login(self, session_id: int) -> None:
        if session := self.by_id.get(session_id):
            session.count_unproven_login()

    def mark_invited(self, session_id: int, tournament_id: str) -> None:
        if session := self.by_id.get(session_id):
            session.link.mark_invited(tournament_id)

    def can_send(self, session_id: int) -> bool:
        session = self.by_id.get(session_id)
        return session is not None and session.link.can_send

    def send(self, session_id: int, frame: bytes) -> None:
        session = self.by_id.get(session_id)
        if session is not None and session.phase != "closed":
            session.link.send(frame)

    def read_waiting(self, session_id: int) -> bool:
        session = self.by_id.get(session_id)
        return session is not None and session.link.read_waiting()

    def count_unsolicited(self, session_id: int) -> bool:
        session = self.by_id.get(session_id)
        return session is not None and session.admit_unsolicited()

    def drop_received(self, session_id: int) -> None:
        if session := self.by_id.get(session_id):
            session.drop_received()

    def close(self, session_id: int, code: CloseCode) -> None:
        if session := self.by_id.get(session_id):
            session.close(code)

    def cut_off_silent(self, session_id: int) -> None:
        if session := self.by_id.get(session_id):
            session.link.cut_off_silent()
