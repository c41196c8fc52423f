"""Schedules of tournaments with more than two seats a match. A table is the bots that meet in one match. Pure."""
