"""Bots and matches outside of the hosts' tournaments: practice, a person's match, a demonstration, `rumble ask`."""
