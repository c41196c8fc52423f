"""Connections, sessions and limits: the code between the sockets of bots and browsers and the arenas."""
