"""A match: its facts, its clocks, and the referee that judges it. Sans-I/O; `arena/matches.py` drives the referee."""
