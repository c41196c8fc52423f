"""The clubs of a process: one club put together, the registry of all clubs, idle clubs."""
