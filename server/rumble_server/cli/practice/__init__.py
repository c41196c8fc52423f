"""Matches that commands play: practice, a person, a demonstration."""
