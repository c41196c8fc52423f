"""Schedules of tournaments with two seats a match. A pairing is two bots that meet in one match or more. Pure."""
