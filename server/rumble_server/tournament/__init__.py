"""A tournament: schedule, standings, and the state machine that updates both. Sans-I/O; the arena calls the machine."""
