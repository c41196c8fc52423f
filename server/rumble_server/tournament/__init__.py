"""One tournament: schedule, standings, and the machine that leads it. Sans-I/O."""
