"""The server's frames, each checked against its model and against exactly these fields."""

import json
from typing import Any

from rumble_protocol.codec import read_server_message

FIELDS: dict[str, set[str]] = {
    "welcome": {"protocol", "server", "features", "limits", "games", "identity", "club"},
    "session": {"name", "open", "max_matches", "matches", "tournaments", "made_key"},
    "joined": {"tournament", "game", "settings", "time_control", "status", "away_clock"},
    "left": {"tournament", "game", "settings", "time_control", "status", "away_clock"},
    "match_start": {
        *("match", "attempt", "tournament", "game", "settings", "seat", "seats", "time_control", "moves", "resumed"),
        "away_clock",
    },
    "turn": {"match", "attempt", "turn_id", "game", "ply", "seat", "state", "legal", "moves", "clock"},
    "rejected": {"match", "turn_id", "code", "message", "your_turn", "remaining_ms"},
    "match_over": {"match", "attempt", "scores", "winner", "termination", "reason", "moves", "state"},
    "tournament_over": {"tournament", "status", "rank", "bots", "points"},
    "notice": {"code", "tournament", "match", "message"},
    "error": {"code", "message", "detail", "fatal"},
}
INNER: dict[str, set[str]] = {
    "limits": {"frame_bytes", "login_ms", "unsolicited_per_minute", "ping_ms", "pong_ms", "max_matches"},
    "time_control": {"move_ms", "bank_ms", "increment_ms"},
    "clock": {"remaining_ms", "seats_ms", "lag_ms"},
    "tournaments": {"id", "game", "status"},
    "detail": {"field", "problem"},
}
MAY_BE_OMITTED = {"session": {"made_key"}, "turn": {"legal", "moves"}}
OF_OTHERS: dict[str, set[str]] = {
    "match_start": {"seed_commitment"},
    "turn": {"since", "legal_complete"},
    "match_over": {"places", "payoffs", "falls", "seed"},
    "notice": {"seat"},
}
"""Fields that only matches have that are not plain: of more than two seats, of joint moves or of chance."""

Frame = dict[str, Any]


def checked(raw: bytes) -> Frame:
    """Return the frame's fields. Raises an error if the frame does not fit its model, or has other fields."""
    read_server_message(raw)
    frame: Frame = json.loads(raw)
    kind = frame["type"]
    fields = FIELDS[kind] | {"type"}
    most = fields | OF_OTHERS.get(kind, set())
    assert fields - MAY_BE_OMITTED.get(kind, set()) <= set(frame) <= most, f"fields of {kind}: {sorted(frame)}"
    for name, inner in INNER.items():
        if name in frame:
            parts = frame[name] if isinstance(frame[name], list) else [frame[name]]
            assert all(set(part) == inner for part in parts), f"fields of {kind}.{name}"
    return frame


class Inbox:
    """Frames sent to one bot, each checked."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self._taken = 0

    def add(self, raw: bytes) -> Frame:
        """Check and keep a frame."""
        frame = checked(raw)
        self.frames.append(frame)
        return frame

    def heard(self, kind: str | None = None) -> list[Frame]:
        """Return the frames since the last call, all or of one type; frames of other types are dropped."""
        frames = self.frames[self._taken :]
        self._taken = len(self.frames)
        return [frame for frame in frames if kind is None or frame["type"] == kind]

    def kinds(self) -> list[str]:
        """Return the types of the frames since the last call of `kinds` or `heard`."""
        return [str(frame["type"]) for frame in self.heard()]

    def all(self, kind: str) -> list[Frame]:
        """Return every frame of a type, taken or not."""
        return [frame for frame in self.frames if frame["type"] == kind]

    def last(self, kind: str) -> Frame:
        """Return the newest frame of a type, taken or not."""
        return self.all(kind)[-1]
