"""The clubs of a process: a single club, the registry of all clubs, and idle clubs."""
