"""Bots at the door: sockets, sessions, login. The way from bytes to messages and back."""
