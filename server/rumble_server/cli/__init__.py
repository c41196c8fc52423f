"""The command line, `rumble`: a module for each command, imported on its use."""
