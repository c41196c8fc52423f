"""A match: facts, clocks, and the referee.

No code here does I/O; `arena/matches.py` drives it.
"""
