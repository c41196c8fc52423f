"""The code between the arenas and the sockets (of bots and browsers): connections, sessions and limits."""
