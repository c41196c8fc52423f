"""Rate limits as token buckets, on server time."""

from dataclasses import dataclass, field

MINUTE_MS = 60_000


@dataclass(slots=True)
class Bucket:
    """Allows `per_minute` events a minute, and as many at once after a quiet minute."""

    per_minute: int
    filled_at_ms: int
    tokens: float = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = float(self.per_minute)

    def take(self, now_ms: int) -> bool:
        """Count one event; False if it is one too many."""
        refill = (now_ms - self.filled_at_ms) * self.per_minute / MINUTE_MS
        self.tokens = min(float(self.per_minute), self.tokens + refill)
        self.filled_at_ms = now_ms
        if self.tokens < 1.0:
            return False
        self.tokens -= 1.0
        return True
