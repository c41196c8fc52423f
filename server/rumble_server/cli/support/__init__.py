"""Code shared by several commands, and the parts of commands that are too long for the command's module."""
