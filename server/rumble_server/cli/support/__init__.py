"""Code shared by several commands, and parts of a command that are too long for its module."""
