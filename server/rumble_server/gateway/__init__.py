"""Sockets, sessions and limits: the way from bytes to messages and back."""
