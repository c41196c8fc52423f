"""A match: facts, clocks, and the referee.

No code here does I/O. `arena/matches.py` calls the referee, and carries out its I/O.
"""
