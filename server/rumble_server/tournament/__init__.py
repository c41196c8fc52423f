"""A tournament: schedule, standings, and the state machine that leads both. Sans-I/O; the arena drives it."""
