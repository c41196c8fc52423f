"""Processes that commands start: servers, house bots, workers."""
