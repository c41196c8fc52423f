"""Bots and matches without a tournament of a host: practice, a person's match, a demonstration, `rumble ask`."""
