"""The live play of a club: connected bots, running matches, and the commands of bots and hosts."""
