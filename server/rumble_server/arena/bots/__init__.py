"""Bots as the live club knows them: players, sessions, and messages to bots."""
